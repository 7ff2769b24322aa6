/* What may explain a difference besides what is compared: whatever is known of both sides
 * and differs. What is not known is not known to differ. */
#include "report/compare_words.h"

#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>

enum { NOTES_MAX = 40 };

struct notes {
    const struct compare *c;
    struct arena *out;
    const char **items;
    size_t count;
};

static void note(struct notes *n, const char *fmt, ...) PRINTF(2, 3);

/* The same sentence of several cells is said once. */
static void note(struct notes *n, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < n->count; i++) {
        if (strcmp(n->items[i], text) == 0) return;
    }
    if (n->count < NOTES_MAX) n->items[n->count++] = arena_copy(n->out, text, strlen(text));
}

static const char *show(const struct value *v, struct arena *out)
{
    if (!v || v->kind == VALUE_NULL) return "unknown";
    if (v->kind == VALUE_TEXT) return str_cstr(out, v->source);
    struct buf b;
    struct json j;
    buf_init(&b, 200);
    json_init(&j, &b, 0);
    json_value(&j, v);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

static bool differ(const struct value *a, const struct value *b)
{
    if (!a || !b) return false; /* what is unknown is not known to differ */
    return !value_equal(a, b);
}

static void note_machines(struct notes *n)
{
    const struct compare *c = n->c;
    static const struct {
        const char *key;
        const char *name;
    } facts[] = {{"hostname", "host"},          {"cpu_model", "processor"},
                 {"cpus", "number of CPUs"},    {"kernel", "kernel"},
                 {"governor", "CPU governor"},  {"turbo", "turbo setting"},
                 {"virtual", "virtual machine"}};
    const struct value *a = c->side[0].view->run.environment;
    const struct value *b = c->side[1].view->run.environment;
    for (size_t i = 0; i < COUNT(facts); i++) {
        const struct value *of_a = value_get(a, facts[i].key);
        const struct value *of_b = value_get(b, facts[i].key);
        if (!differ(of_a, of_b)) continue;
        note(n, "the %s differs: %s in A, %s in B", facts[i].name, show(of_a, n->out),
             show(of_b, n->out));
    }
    for (int i = 0; i < 2; i++) {
        if (run_vcs(&c->side[i].view->run).is_dirty) {
            note(n, "%s was made from sources with changes that no commit holds",
                 i ? "B" : "A");
        }
    }
}

static const struct value *setting_of(const struct view_cell *cell, struct str key)
{
    for (size_t i = 0; i < cell->setting_count; i++) {
        if (str_equal(cell->settings[i].key, key)) return cell->settings[i].value;
    }
    return NULL;
}

/* Arms of one group differ in what they are compared for. */
static void note_settings(struct notes *n, const struct compare_pair *p)
{
    const struct view_cell *a = p->cell[0];
    const struct view_cell *b = p->cell[1];
    for (size_t i = 0; i < a->setting_count; i++) {
        struct str key = a->settings[i].key;
        const struct value *of_b = setting_of(b, key);
        if (of_b && value_equal(a->settings[i].value, of_b)) continue;
        note(n, "parameter %.*s is %.80s in A and %.80s in B", STR_ARG(key),
             show(a->settings[i].value, n->out), of_b ? show(of_b, n->out) : "missing");
    }
}

struct fact {
    const char *name;
    const char *a;
    const char *b;
};

static const char *text_of(const struct value *list, struct arena *out)
{
    return list ? json_of(list, out).p : NULL;
}

static void note_cells(struct notes *n, const struct compare_pair *p, bool is_one_run)
{
    const struct execution_record *a = &p->cell[0]->record;
    const struct execution_record *b = &p->cell[1]->record;
    const struct fact facts[] = {
        {"suites", a->suite_id, b->suite_id},
        {"benchmarks", a->benchmark_id, b->benchmark_id},
        {"agent configurations", a->model_configuration, b->model_configuration},
        {"instruments", text_of(a->instruments, n->out), text_of(b->instruments, n->out)},
        {"provenances", a->provenance, b->provenance},
    };
    if (a->id[0] && strcmp(a->id, b->id) == 0) {
        note(n, "A and B are one execution, compared with itself: name another run");
    }
    for (size_t i = 0; i < COUNT(facts); i++) {
        bool is_known = facts[i].a && facts[i].b && facts[i].a[0] && facts[i].b[0];
        if (!is_known || strcmp(facts[i].a, facts[i].b) == 0) continue;
        bool is_id = i < 2; /* which nobody reads */
        note(n, "different %s%s%.100s%s%.100s", facts[i].name, is_id ? "" : ": ",
             is_id ? "" : facts[i].a, is_id ? "" : " and ", is_id ? "" : facts[i].b);
    }
    if (!is_one_run && strcmp(a->agent_id, b->agent_id) != 0) {
        note(n, "two agents: A is %s, B is %s; `assay versus` compares agents by case",
             view_cell_name(n->c->side[0].view, p->cell[0], n->out),
             view_cell_name(n->c->side[1].view, p->cell[1], n->out));
    }
    if (execution_lanes(a) != execution_lanes(b)) {
        note(n,
             "different conditions: A had %lld of the agent's cases in flight at once, B %lld; "
             "times, and what follows from them, are not comparable",
             (long long)execution_lanes(a), (long long)execution_lanes(b));
    }
    if (!is_one_run && a->seed != b->seed) {
        note(n, "the seeds differ (%lld and %lld): the workloads are not the same",
             (long long)a->seed, (long long)b->seed);
    }
}

/* How each side ended. */
static void note_endings(struct notes *n, const struct compare_pair *p)
{
    for (int i = 0; i < 2; i++) {
        const struct execution_record *e = &p->cell[i]->record;
        const char *side = i ? "B" : "A";
        if (e->segments > 1) {
            note(n, "%s was resumed: its trials are of %lld sessions", side,
                 (long long)e->segments);
        }
        if (e->status != RUN_SUCCESS) {
            note(n, "%s did not end well: %s%s%.120s", side, run_status_name(e->status),
                 e->error_details ? ", " : "", e->error_details ? e->error_details : "");
        }
        if (p->attempted[i] > 0 && p->ok[i] == 0) {
            note(n, "all %lld trials of %s failed", (long long)p->attempted[i], side);
        }
    }
}

static void note_gone(struct notes *n)
{
    for (size_t i = 0; i < n->c->row_count; i++) {
        const struct ask *ask = &n->c->rows[i].ask;
        if (ask->gone == 0) continue;
        note(n, "%zu of %zu %s of B do not report %s, which A does: they were not compared",
             ask->gone, ask->gone_of, ask->by_case ? "cases" : "trials", ask->metric.name);
    }
}

static void note_all(struct notes *n)
{
    const struct compare *c = n->c;
    const struct view *a = c->side[0].view;
    const struct view *b = c->side[1].view;
    bool is_one_run = strcmp(a->run.id, b->run.id) == 0 && a->run.id[0];
    if (!is_one_run) note_machines(n);
    if (!is_one_run && a->run.assay_version && b->run.assay_version &&
        strcmp(a->run.assay_version, b->run.assay_version) != 0) {
        note(n, "measured by assay %s and %s", a->run.assay_version, b->run.assay_version);
    }
    for (size_t i = 0; i < c->pair_count; i++) {
        if (!is_one_run) note_settings(n, &c->pairs[i]);
        note_cells(n, &c->pairs[i], is_one_run);
        note_endings(n, &c->pairs[i]);
    }
    note_gone(n);
    if (is_one_run || c->row_count == 0) return;
    note(n, "A and B were measured one after the other: what the machine did meanwhile is "
            "part of the difference; arms of one run, or --until-decided, cancel it");
}

size_t compare_words_notes(const struct compare *c, struct arena *out, const char ***notes)
{
    struct notes n = {c, out, arena_new(out, const char *, NOTES_MAX), 0};
    note_all(&n);
    *notes = n.items;
    return n.count;
}

const char *compare_words_unmatched(const struct compare_unmatched *x, struct arena *out)
{
    return arena_printf(out, "only %s has %s", x->side ? "B" : "A", x->name);
}
