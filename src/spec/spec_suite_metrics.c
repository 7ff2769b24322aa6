/* metrics_measured: which metrics of a benchmark are shown and watched.
 *
 * Suites written for other tools name what they want in the words of requirement
 * 004. Each of those words means a metric of ours, or several, or nothing that
 * asking cases one by one can measure; the last are refused, because a name that
 * nothing answers to would switch the watching off. */
#include "spec/spec_suite_internal.h"

static const struct {
    const char *word;
    const char *metrics[4]; /* none: refused, for the reason */
    const char *reason;
} words[] = {
    {"speed", {"duration_s"}, NULL},
    {"response_time", {"duration_s"}, NULL},
    {"latency", {"duration_s"}, NULL},
    {"cost", {"cost_usd"}, NULL},
    {"reliability", {"failure_rate"}, NULL},
    {"error_rate", {"failure_rate"}, NULL},
    {"efficiency", {"tokens", "cpu_s", "memory_peak_mb"}, NULL},
    {"resource_usage", {"cpu_s", "memory_peak_mb"}, NULL},
    {"throughput",
     {NULL},
     "use 'duration_s' for cases asked one by one, 'tokens_per_s' for a stream"},
};

struct chosen {
    struct suite_making *m;
    const struct value **items;
    size_t count;
};

static void choose(struct chosen *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++) {
        if (str_is(c->items[i]->source, name)) return;
    }
    c->items[c->count++] = value_new_text(c->m->s->r->out, str_of(name));
}

/* Whether it is one of the words. */
static bool choose_word(struct chosen *c, const struct value *v)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!str_is(v->source, words[i].word)) continue;
        for (size_t k = 0; words[i].metrics[k]; k++) choose(c, words[i].metrics[k]);
        if (words[i].reason) {
            problems_add(c->m->s->r->problems, v->line, v->column,
                         "'%s' is not measured here: %s", words[i].word, words[i].reason);
        }
        return true;
    }
    return false;
}

static void choose_metric(struct chosen *c, const struct spec_entry *entry,
                          const struct value *v)
{
    const char *names[256 + COUNT(words)];
    size_t count = spec_list_metrics(entry, names, 256);
    for (size_t i = 0; i < count; i++) {
        if (str_is(v->source, names[i])) {
            choose(c, names[i]);
            return;
        }
    }
    if (choose_word(c, v)) return;
    for (size_t i = 0; i < COUNT(words); i++) names[count++] = words[i].word;
    const char *near = str_suggest(v->source, names, count);
    problems_add(c->m->s->r->problems, v->line, v->column, "nothing measures '%.*s'%s%s%s",
                 STR_ARG(v->source), near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "; `assay describe suite` lists the metrics of a suite");
}

const struct value *suite_read_metrics(struct suite_making *m, const struct spec_entry *entry)
{
    const struct value *list = value_get(m->map, "metrics_measured");
    if (!list || list->kind != VALUE_LIST || list->list.count == 0) return NULL;
    if (!entry->experiment) return list; /* a problem already */
    struct chosen c = {.m = m};
    c.items = arena_new(m->s->r->out, const struct value *, 4 * list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        if (list->list.items[i]->kind == VALUE_TEXT)
            choose_metric(&c, entry, list->list.items[i]);
    }
    return value_new_list(m->s->r->out, c.items, c.count);
}

static bool word_means(struct str word, const char *metric)
{
    if (str_is(word, metric)) return true;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!str_is(word, words[i].word)) continue;
        for (size_t k = 0; words[i].metrics[k]; k++) {
            if (strcmp(words[i].metrics[k], metric) == 0) return true;
        }
    }
    return false;
}

bool suite_names_metric(const struct value *list, const char *metric)
{
    if (!list || list->kind != VALUE_LIST || list->list.count == 0) return true;
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        if (v->kind == VALUE_TEXT && word_means(v->source, metric)) return true;
    }
    return false;
}
