#include "rank/casebook.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/near.h"
#include "stats/quantile.h"

#include <math.h>

/* ---- texts ---- */

struct str casebook_plain(const char *json, struct arena *out)
{
    if (!json) return S("");
    const struct value *v = value_stored(json, out);
    if (!v) return str_of(json);
    if (v->kind == VALUE_TEXT) return v->source;
    struct buf b;
    buf_init(&b, (size_t)32 << 20);
    bool is_list = v->kind == VALUE_LIST;
    for (size_t i = 0; is_list && i < v->list.count; i++) {
        const struct value *item = v->list.items[i];
        struct str text = item->kind == VALUE_TEXT ? item->source : value_text(item, "input");
        if (!text.n && item->kind != VALUE_TEXT) is_list = false;
        if (i) buf_add_char(&b, '\n');
        buf_add(&b, text);
    }
    if (!is_list) {
        struct json j;
        buf_clear(&b);
        json_init(&j, &b, 0);
        json_value(&j, v);
    }
    struct str text = str_copy(out, buf_str(&b));
    buf_release(&b);
    return text;
}

struct str casebook_output(const struct trial_note *note, struct arena *out)
{
    struct detail d;
    struct str text = note->output;
    if (text.n && text.p[0] == '[' && detail_read(note->detail, out, &d) && d.is_talk)
        return casebook_plain(str_cstr(out, text), out);
    while (text.n && strchr("\r\n", text.p[text.n - 1])) text.n--;
    return text;
}

static size_t count_checks(const struct value *list)
{
    size_t n = 0;
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++)
        n += 1 + count_checks(value_get(list->list.items[i], "checks"));
    return n;
}

static void take_checks(const struct value *list, struct arena *out,
                        struct casebook_check *checks, size_t *count)
{
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        const struct value *score = value_get(v, "score");
        const struct value *inner = value_get(v, "checks");
        take_checks(inner, out, checks, count);
        if (inner) continue; /* a group: its checks say it */
        checks[(*count)++] = (struct casebook_check){
            .name = str_cstr(out, value_text(v, "check")),
            .score = score && value_is_number(score) ? value_number(score) : (double)NAN,
            .why = str_cstr(out, value_text(v, "why"))};
    }
}

size_t casebook_checks(const struct trial_note *note, struct arena *out,
                       const struct casebook_check **checks)
{
    struct detail d;
    size_t most = 0;
    size_t count = 0;
    if (!detail_read(note->detail, out, &d)) return 0;
    for (size_t i = 0; i < d.judged_count; i++)
        most += count_checks(value_get(d.turns[i].rubric.value, "checks"));
    struct casebook_check *list = arena_new(out, struct casebook_check, most + 1);
    for (size_t i = 0; i < d.judged_count; i++)
        take_checks(value_get(d.turns[i].rubric.value, "checks"), out, list, &count);
    *checks = list;
    return count;
}

/* ---- answers ---- */

static void fill_answer(const struct suite_view *s, const struct view_cell *cell,
                        const char *hash, struct arena *out, struct casebook_answer *a)
{
    const struct suite_case *c = suite_view_find(s, hash);
    if (!c) return;
    const struct view_metric *accuracy = view_find_metric(cell, "accuracy");
    const struct view_metric *duration = view_find_metric(cell, metric_duration.name);
    size_t n = c->notes.count;
    struct casebook_try *tries = arena_new(out, struct casebook_try, n);
    double *times = arena_new(out, double, n);
    for (size_t i = 0; i < n; i++) {
        const struct trial_note *note = c->notes.items[i];
        double score = view_sample(accuracy, note->trial);
        bool is_ok = note->status == TRIAL_OK;
        times[i] = is_ok ? view_sample(duration, note->trial) : (double)NAN;
        tries[i] = (struct casebook_try){.note = note,
                                         .score = score,
                                         .duration_s = times[i],
                                         .is_passed = is_ok && near_reaches(score, s->pass_at)};
    }
    *a = (struct casebook_answer){.cell = s,
                                  .of = c,
                                  .tries = tries,
                                  .try_count = n,
                                  .median_s = stats_median(*out, times, n)};
}

/* ---- cases ---- */

/* Cases of a benchmark in its own order; where that is not known, as its first cell has them. */
static size_t list_hashes(const struct view *view, const char *benchmark, struct arena *out,
                          const char ***hashes)
{
    size_t n = 0;
    const struct suite_view *first = NULL;
    for (size_t i = 0; i < view->suite_count && !first; i++) {
        if (strcmp(view->suites[i].benchmark, benchmark) == 0) first = &view->suites[i];
    }
    *hashes = NULL;
    if (!first) return 0;
    const struct value *list = value_stored(first->case_list, out);
    size_t listed = list && list->kind == VALUE_LIST ? list->list.count : 0;
    *hashes = arena_new(out, const char *, listed + first->case_count + 1);
    for (size_t i = 0; i < listed; i++)
        (*hashes)[n++] = str_cstr(out, list->list.items[i]->source);
    for (size_t i = 0; n == 0 && i < first->case_count; i++)
        (*hashes)[i] = first->cases[i].hash;
    return n ? n : first->case_count;
}

static bool load_case(struct store *store, const char *hash, struct arena *out,
                      struct casebook_case *c, struct error *err)
{
    struct case_record r;
    if (!store_find_case(store, hash, out, &r, err)) return false;
    c->name = r.name;
    c->hash = hash;
    c->input = r.input;
    c->expected = r.expected;
    c->tags = value_get(value_stored(r.fields, out), "tags");
    return true;
}

static bool was_asked(const struct casebook *book, const struct casebook_case *c)
{
    for (size_t i = 0; i < book->outcome->agent_count; i++) {
        if (c->answers[i].try_count > 0) return true;
    }
    return false;
}

static bool add_benchmark(struct store *store, const char *benchmark, struct arena *out,
                          struct casebook *book, struct error *err)
{
    const struct view *view = book->outcome->view;
    const char **hashes = NULL;
    size_t count = list_hashes(view, benchmark, out, &hashes);
    struct casebook_case *grown = arena_new(out, struct casebook_case, book->count + count + 1);
    if (book->count) memcpy(grown, book->cases, book->count * sizeof *grown);
    book->cases = grown;
    for (size_t i = 0; i < count; i++) {
        struct casebook_case *c = &book->cases[book->count];
        *c = (struct casebook_case){.benchmark = benchmark};
        c->answers = arena_new(out, struct casebook_answer, book->outcome->agent_count + 1);
        for (size_t k = 0; k < view->suite_count; k++) {
            const struct suite_view *s = &view->suites[k];
            if (strcmp(s->benchmark, benchmark) != 0) continue;
            fill_answer(s, &view->cells[s->cell], hashes[i], out,
                        &c->answers[outcome_agent_of(book->outcome, s)]);
        }
        if (!was_asked(book, c)) continue;
        if (!load_case(store, hashes[i], out, c, err)) return false;
        book->count++;
    }
    return true;
}

/* Slow is what took an agent twice its usual time. */
static void mark_slow(struct casebook *book, struct arena *out)
{
    double *times = arena_new(out, double, book->count + 1);
    for (size_t k = 0; k < book->outcome->agent_count; k++) {
        for (size_t i = 0; i < book->count; i++) {
            const struct casebook_answer *a = &book->cases[i].answers[k];
            times[i] = a->try_count ? a->median_s : (double)NAN;
        }
        double usual = stats_median(*out, times, book->count);
        for (size_t i = 0; i < book->count; i++)
            book->cases[i].answers[k].is_slow = times[i] > CASEBOOK_SLOW * usual;
    }
}

bool casebook_make(struct store *store, const struct outcome *o, struct arena *out,
                   struct casebook *book, struct error *err)
{
    const struct view *view = o->view;
    *book = (struct casebook){.outcome = o};
    for (size_t i = 0; i < view->suite_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = strcmp(view->suites[k].benchmark, view->suites[i].benchmark) != 0;
        if (is_new && !add_benchmark(store, view->suites[i].benchmark, out, book, err))
            return false;
    }
    mark_slow(book, out);
    return true;
}
