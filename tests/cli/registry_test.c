#include "base/str.h"
#include "cli/catalog.h"
#include "cli/options.h"
#include "tests/registry.h"

static bool is_number(enum param_type type)
{
    return type == PARAM_INT || type == PARAM_REAL || type == PARAM_SHARE ||
           type == PARAM_SHARE_LIST || type == PARAM_SPAN;
}

/* The same rules for a command's own rows and the common ones. */
static void check_row(const char *owner, const struct param *row, size_t size,
                      struct arena *arena)
{
    registry_check_param(owner, row, size, arena);
    if (row->is_optional && row->type != PARAM_TEXT && row->type != PARAM_SELECTOR) {
        fail_msg("%s --%s: only texts may stand without an argument", owner, row->name);
    }
    if (row->takes && row->type != PARAM_TEXT_LIST) {
        fail_msg("%s --%s: only lists take several arguments", owner, row->name);
    }
    /* No number on a command line has a meaning below 0. */
    if (is_number(row->type) && (!param_has_min(row) || row->min < 0)) {
        fail_msg("%s --%s: a number without a lower limit", owner, row->name);
    }
    if (strstr(row->help, "(default") && row->fallback) {
        fail_msg("%s --%s: the default is in the row, not in its help", owner, row->name);
    }
}

static void check_unique(const struct command *command)
{
    struct arena arena = arena_open();
    const struct param *a = NULL;
    for (size_t i = 0; (a = options_at(command, i)); i++) {
        bool is_own = i < command->params.count;
        check_row(command->name, a, is_own ? command->config_size : 64, &arena);
        for (size_t k = 0; k < i; k++) {
            const struct param *b = options_at(command, k);
            if (strcmp(a->name, b->name) == 0) {
                fail_msg("%s: --%s is there twice", command->name, a->name);
            }
            if (a->letter && a->letter == b->letter) {
                fail_msg("%s: -%c is there twice", command->name, a->letter);
            }
        }
    }
    arena_close(&arena);
}

/* Every example is a command line of ours, or a pipe that has one in it, and
 * names a command that exists. */
static void check_examples(const struct command *command)
{
    assert_non_null(command->examples);
    struct str rest = str_of(command->examples);
    assert_true(rest.n > 0);
    while (rest.n) {
        struct str line = str_cut(&rest, '\n');
        if (!str_starts(line, S("assay "))) {
            fail_msg("%s: example '%.*s' does not start with 'assay '", command->name,
                     STR_ARG(line));
        }
        str_cut(&line, ' ');
        struct str word = str_cut(&line, ' ');
        char name[64];
        snprintf(name, sizeof name, "%.*s", STR_ARG(word));
        if (!command_find(name) && strcmp(name, "--version") != 0) {
            fail_msg("%s: example names the command '%s'", command->name, name);
        }
    }
}

TEST(names_are_unique_and_found)
{
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(command->name, command_at(k)->name) == 0) {
                fail_msg("command '%s' is there twice", command->name);
            }
        }
        assert_ptr_equal(command_find(command->name), command);
    }
    assert_true(command_at(0) != NULL);
    assert_null(command_find("no such command"));
}

TEST(every_row_is_complete)
{
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        assert_non_null(command->run);
        assert_non_null(command->usage);
        assert_non_null(command->summary);
        assert_true(command->summary[0] != '\0');
        assert_true(command->summary[strlen(command->summary) - 1] != '.');
        check_examples(command);
    }
}

TEST(options_are_unique_and_fit_their_struct)
{
    for (size_t i = 0; command_at(i); i++) check_unique(command_at(i));
}

/* Two rows at one place would overwrite each other. */
TEST(options_do_not_overlap)
{
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        for (size_t k = 0; k < command->params.count; k++) {
            for (size_t m = 0; m < k; m++) {
                const struct param *a = &command->params.rows[k];
                const struct param *b = &command->params.rows[m];
                bool apart = a->offset >= b->offset + param_size(b->type) ||
                             b->offset >= a->offset + param_size(a->type);
                if (!apart)
                    fail_msg("%s: --%s and --%s overlap", command->name, a->name, b->name);
            }
        }
    }
}

/* Every registry, not only ours: a row that is listed twice, or two rows of one
 * name, would hide each other. */
TEST(no_registry_has_a_name_twice)
{
    for (enum catalog_kind kind = 0; kind < CATALOG_KIND_COUNT; kind++) {
        struct catalog_entry a;
        struct catalog_entry b;
        size_t i = 0;
        for (; catalog_at(kind, i, &a); i++) {
            if (!a.name || !a.summary) fail_msg("%s %zu: no name", catalog_kind_name(kind), i);
            for (size_t k = 0; k < i && catalog_at(kind, k, &b); k++) {
                if (strcmp(a.name, b.name) == 0 || (b.alias && strcmp(a.name, b.alias) == 0)) {
                    fail_msg("%s '%s' is there twice", catalog_kind_name(kind), a.name);
                }
            }
        }
        assert_true(i > 0);
    }
}

TEST_MAIN(T(no_registry_has_a_name_twice), T(names_are_unique_and_found),
          T(every_row_is_complete), T(options_are_unique_and_fit_their_struct),
          T(options_do_not_overlap))
