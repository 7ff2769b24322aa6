/* The answer's items are the expected ones, in any order: F1 = 2 hits / (items
 * of the answer + expected items), 1 if both are empty. An item that is said
 * twice counts once. */
#include "base/text.h"
#include "check/check.h"

struct config {
    const char *separator;
    bool unfence;
    struct text_rules rules; /* spaces around an item never count */
};

struct items {
    struct str *items;
    size_t count;
};

static const struct param params[] = {
    {"separator", PARAM_TEXT, .offset = offsetof(struct config, separator), .fallback = "\",\"",
     .help = "separator of the items of a text; a JSON list needs none"},
    TEXT_ROW_IGNORE_CASE,
    {"unfence", PARAM_BOOL, .offset = offsetof(struct config, unfence), .fallback = "false",
     .help = "first remove a ``` fence around a JSON list"},
};

static bool set_f1_check(const void *config, const struct value *options,
                         struct problems *problems)
{
    if (((const struct config *)config)->separator[0]) return true;
    check_problem(problems, options, "separator", "'separator' is empty");
    return false;
}

static int compare(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void make_unique(struct items *set)
{
    if (set->count) qsort(set->items, set->count, sizeof *set->items, compare);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (kept && str_equal(set->items[i], set->items[kept - 1])) continue;
        set->items[kept++] = set->items[i];
    }
    set->count = kept;
}

static struct items of_list(const struct value *v, const struct text_rules *rules,
                            struct arena *out)
{
    struct items set = {arena_new(out, struct str, v->list.count), v->list.count};
    for (size_t i = 0; i < set.count; i++) {
        set.items[i] = text_normal(check_text_of(v->list.items[i], out), rules, out);
    }
    make_unique(&set);
    return set;
}

static struct items of_text(struct str text, struct str separator,
                            const struct text_rules *rules, struct arena *out)
{
    CHECK(separator.n > 0);
    size_t most = text.n / separator.n + 1;
    struct items set = {arena_new(out, struct str, most), 0};
    while (text.n > 0) {
        const char *at = memmem(text.p, text.n, separator.p, separator.n);
        struct str item = {text.p, at ? (size_t)(at - text.p) : text.n};
        size_t step = item.n + (at ? separator.n : 0);
        text.p += step;
        text.n -= step;
        item = text_normal(item, rules, out);
        if (item.n) set.items[set.count++] = item;
    }
    make_unique(&set);
    return set;
}

static size_t count_common(struct items a, struct items b)
{
    size_t hits = 0;
    for (size_t i = 0, k = 0; i < a.count && k < b.count;) {
        int order = str_compare(a.items[i], b.items[k]);
        hits += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return hits;
}

static void score_set(struct items answer, struct items expected, struct arena *out,
                      struct check_result *result)
{
    size_t hits = count_common(answer, expected);
    size_t all = answer.count + expected.count;
    double f1 = all ? 2 * (double)hits / (double)all : 1;
    if (f1 <= result->score) return;
    check_say(result, out, f1, "%zu of %zu expected items, %zu others", hits, expected.count,
              answer.count - hits);
}

/* A list of lists has one accepted set each; a list of anything else is the
 * set; a text is split. */
static bool set_f1_score(void *state, const struct check_input *input, struct arena *out,
                         struct check_result *result, struct error *err)
{
    (void)err;
    const struct config *c = check_config(state);
    struct text_rules rules = c->rules;
    rules.trim = true;
    struct str separator = str_of(c->separator);
    const struct value *json = NULL;
    bool is_list = check_read_json(input->output, c->unfence, out, &json, NULL) &&
                   json->kind == VALUE_LIST;
    struct items answer =
        is_list ? of_list(json, &rules, out) : of_text(input->output, separator, &rules, out);
    const struct value *expected = input->expected;
    result->score = -1;
    bool has_alternatives = expected->kind == VALUE_LIST && expected->list.count > 0 &&
                            expected->list.items[0]->kind == VALUE_LIST;
    for (size_t i = 0; has_alternatives && i < expected->list.count; i++) {
        const struct value *one = expected->list.items[i];
        if (one->kind == VALUE_LIST) score_set(answer, of_list(one, &rules, out), out, result);
    }
    if (has_alternatives) return true;
    struct items wanted = expected->kind == VALUE_LIST
                              ? of_list(expected, &rules, out)
                              : of_text(check_text_of(expected, out), separator, &rules, out);
    score_set(answer, wanted, out, result);
    return true;
}

const struct check_kind check_set_f1 = {
    .name = "set_f1",
    .summary = "the items of the answer are the expected ones, in any order (F1)",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .needs_expected = check_always,
    .check = set_f1_check,
    .open = check_open_plain,
    .score = set_f1_score,
};
