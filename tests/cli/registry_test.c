#include "base/str.h"
#include "cli/catalog.h"
#include "cli/command.h"
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
        if (!command_find(str_of(name)) && strcmp(name, "--version") != 0) {
            fail_msg("%s: example names the command '%s'", command->name, name);
        }
    }
}

TEST(every_row_is_complete)
{
    registry_check("command", command_entry, true);
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        assert_non_null(command->run);
        assert_non_null(command->usage);
        assert_int_equal(command->takes_runs, strstr(command->usage, "RUN") != NULL);
        for (size_t w = 0; command->words && command->words[w]; w++)
            assert_non_null(strstr(command->usage, command->words[w]));
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

/* What describe lists. Each kind has a looping test of its own beside its code. */
TEST(every_kind_of_the_catalog_is_complete)
{
    const struct catalog_kind *kind = NULL;
    for (size_t k = 0; (kind = catalog_at(k)); k++) {
        assert_true(registry_is_line(kind->purpose));
        registry_check(kind->name, kind->at, kind->is_command);
        for (size_t i = 0; i < k; i++) assert_string_not_equal(catalog_at(i)->name, kind->name);
    }
}

TEST_MAIN(T(every_kind_of_the_catalog_is_complete), T(every_row_is_complete),
          T(options_are_unique_and_fit_their_struct), T(options_do_not_overlap))
