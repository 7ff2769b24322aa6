#include "study/stress_asked.h"

#include "base/json.h"
#include "base/problems.h"

/* ---- cases ---- */

/* The names under which a case may have what is written anew. */
static const char *const replaced[] = {"id",     "expected",         "expected_output",
                                       "rubric", "expected_outputs", "scoring_rubric"};

static const struct value *case_value(const struct case_item *item, struct arena *out)
{
    const struct value *fields = item->fields;
    struct value_pair *pairs = arena_new(out, struct value_pair, fields->map.count + 4);
    size_t n = 0;
    pairs[n++] =
        (struct value_pair){.key = S("id"), .value = value_new_text(out, str_of(item->id))};
    for (size_t i = 0; i < fields->map.count; i++) {
        bool is_replaced = false;
        for (size_t k = 0; k < COUNT(replaced); k++)
            is_replaced |= str_is(fields->map.pairs[i].key, replaced[k]);
        if (!is_replaced) pairs[n++] = fields->map.pairs[i];
    }
    if (item->expected)
        pairs[n++] = (struct value_pair){.key = S("expected"), .value = item->expected};
    if (item->rubric && item->rubric_index >= 0)
        pairs[n++] = (struct value_pair){.key = S("rubric"), .value = item->rubric};
    return value_new_map(out, pairs, n);
}

/* In their order, those that a draw without replacement gives while there is room. */
static const struct value *take_cases(const struct case_set *set, uint64_t seed,
                                      struct arena *out, struct stress_asked *asked)
{
    struct rng rng = rng_seeded(rng_derive(seed, 5, 0));
    uint32_t *order = arena_new(out, uint32_t, set->count + 1);
    const struct value **all = arena_new(out, const struct value *, set->count + 1);
    const struct value **list = arena_new(out, const struct value *, set->count + 1);
    size_t bytes = 0, n = 0;
    rng_permutation(&rng, order, set->count);
    asked->of = set->count;
    asked->taken = 0;
    for (size_t i = 0; i < set->count && asked->taken < STRESS_CASES_MAX; i++) {
        const struct value *v = case_value(&set->items[order[i]], out);
        bytes += json_canonical(v, out).n;
        if (bytes > STRESS_CASES_BYTES && asked->taken > 0) break;
        all[order[i]] = v;
        asked->taken++;
    }
    for (size_t i = 0; i < set->count; i++) {
        if (all[i]) list[n++] = all[i];
    }
    return value_new_list(out, list, n);
}

/* ---- parameters ---- */

void stress_asked_of(const struct spec_entry *entry, uint64_t seed, struct arena *out,
                     struct stress_asked *asked)
{
    static const char *const kept[] = {"rubric", "constraints", "environment",
                                       "judges", "prompts",     "prompt"};
    *asked = (struct stress_asked){0};
    const struct value *cases = take_cases(&entry->benchmark->cases, seed, out, asked);
    asked->params = value_with(out, NULL, S("cases"), cases);
    for (size_t i = 0; i < COUNT(kept); i++) {
        const struct value *v = value_get(entry->params, kept[i]);
        if (v) asked->params = value_with(out, asked->params, str_of(kept[i]), v);
    }
    const struct value *prompts = value_get(entry->params, "prompts");
    if (prompts && prompts->map.count > 0 && !value_get(asked->params, "prompt")) {
        /* Several are cells of a run; a load has one request after the other. */
        asked->params = value_with(out, asked->params, S("prompt"),
                                   value_new_text(out, prompts->map.pairs[0].key));
    }
    const struct value *limit = value_get(entry->benchmark->constraints, "time_limit_ms");
    if (limit) asked->time_limit_s = value_number(limit) / 1000;
}

bool stress_asked_plain(const char *input, const char *file, uint64_t seed, struct arena *out,
                        struct stress_asked *asked, struct error *err)
{
    struct problems problems = {.arena = out, .file = file};
    struct dataset_options options = {.seed = seed};
    struct case_set set = {0};
    *asked = (struct stress_asked){.taken = 1, .of = 1};
    if (!file) {
        const struct value *text = value_new_text(out, str_of(input));
        const struct value *one = value_with(out, NULL, S("input"), text);
        asked->params = value_with(out, NULL, S("cases"), value_new_list(out, &one, 1));
        return true;
    }
    if (!dataset_read_file(file, &options, out, &set, &problems) || set.count == 0) {
        return error_set(err, ERROR_INVALID, "%s: %s", file,
                         problems.kept ? problems.items[0].text : "no cases");
    }
    asked->params = value_with(out, NULL, S("cases"), take_cases(&set, seed, out, asked));
    return true;
}
