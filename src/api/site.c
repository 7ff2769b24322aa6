/* Requests are asked in the same way as the server does (endpoint.h), so that a file and an
 * answer cannot differ. The order of writing keeps an earlier site whole until the new one is:
 * answers, page, then site.json, which alone leads to the answers; what it no longer names is
 * removed last. */
#include "api/site.h"

#include "api/asset.h"
#include "api/endpoint.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/outdir.h"
#include "question/question_runs.h"
#include "rank/ranking.h"
#include "report/answer_runs.h"

#include <stdarg.h>
#include <stdio.h>

#define SCHEMA "assay.site/1"

enum { HASH_DIGITS = 20, INDEX_MAX_BYTES = 64 << 20 };

struct entry {
    const char *target;
    const char *file;    /* in data; NULL: refused */
    const char *refused; /* why */
};

struct writer {
    const struct site_options *how;
    struct store *store;
    struct endpoint_list endpoints;
    struct outdir top;
    struct outdir data;
    struct arena arena;   /* as long as the site is written */
    struct arena scratch; /* one answer */
    struct entry *entries;
    size_t count;
    struct site_counts *counts;
};

/* ---- one answer ---- */

static const struct entry *find_entry(const struct writer *w, const char *target)
{
    for (size_t i = 0; i < w->count; i++) {
        if (strcmp(w->entries[i].target, target) == 0) return &w->entries[i];
    }
    return NULL;
}

static void add_entry(struct writer *w, struct entry entry)
{
    w->entries = arena_grow(&w->arena, w->entries, w->count, sizeof *w->entries);
    w->entries[w->count++] = entry;
}

/* As the server reads a request; the parameters live in `scratch`. */
static const struct endpoint *read_target(struct writer *w, const char *target,
                                          struct route_call *call, struct refusal *refusal)
{
    struct url url;
    struct error err = {0};
    struct arena *arena = &w->scratch;
    struct http_request request = {
        .method = S("GET"), .target = str_of(target), .arena = arena};
    *refusal = (struct refusal){.arena = arena};
    if (!url_parse(request.target, arena, &url, &err)) {
        refusal_of(refusal, &err);
        return NULL;
    }
    const struct endpoint *endpoint =
        endpoints_find(&w->endpoints, request.method, &url, refusal);
    *call = (struct route_call){.arena = arena, .store = w->store, .refusal = refusal};
    bool done = endpoint && endpoint_read(endpoint, &request, &url, &call->params, refusal);
    return done ? endpoint : NULL;
}

static bool write_answer(struct writer *w, const char *target, struct str body,
                         struct error *err)
{
    char digest[SHA256_HEX_SIZE];
    id_sha256(str_of(target), digest);
    const char *file = arena_printf(&w->arena, "%.*s.json", HASH_DIGITS, digest);
    add_entry(w, (struct entry){.target = target, .file = file});
    w->counts->answers++;
    return outdir_write(&w->data, file, body, err);
}

static bool add_target(struct writer *w, const char *target, struct error *err)
{
    struct route_call call;
    struct refusal refusal;
    struct error why = {0};
    struct buf out;
    if (find_entry(w, target)) return true;
    buf_init(&out, ANSWER_MAX_BYTES);
    const struct endpoint *endpoint = read_target(w, target, &call, &refusal);
    bool done = endpoint && endpoint_ask(endpoint, &call, &out, &why);
    if (endpoint && !done) refusal_of(&refusal, &why);
    if (done) {
        done = write_answer(w, target, buf_str(&out), err);
    } else if (refusal.status < 500) {
        const char *text = arena_printf(&w->arena, "%s", refusal.detail);
        add_entry(w, (struct entry){.target = target, .refused = text});
        done = true;
    } else {
        done = error_set(err, why.code, "asking %s: %s", target, refusal.detail);
    }
    buf_release(&out);
    arena_reset(&w->scratch);
    return done;
}

PRINTF(3, 4)
static bool add(struct writer *w, struct error *err, const char *fmt, ...)
{
    char target[4096];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(target, sizeof target, fmt, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof target) return true; /* no server would take it either */
    return add_target(w, arena_copy(&w->arena, target, (size_t)n), err);
}

/* A name as part of a path or a query. */
static const char *escaped(struct writer *w, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-_.~";
    size_t n = strlen(text);
    char *out = arena_new(&w->arena, char, 3 * n + 1);
    char *p = out;
    for (size_t i = 0; i < n; i++) {
        if (strchr(plain, text[i])) {
            *p++ = text[i];
        } else {
            p += snprintf(p, 4, "%%%02X", (unsigned)(unsigned char)text[i]);
        }
    }
    return out;
}

/* ---- what the views ask ---- */

enum { SUITE_RUNS = 20 }; /* that the overview looks through for one that finished */

static const char *const windows[] = {"7d", "30d", "90d", "all"};

static bool add_fixed(struct writer *w, struct error *err)
{
    return add(w, err, "/benchmarks/suites?all=true") &&
           add(w, err, "/benchmarks/agents?all=true") &&
           add(w, err, "/benchmarks/regressions") && add(w, err, "/benchmarks/cost") &&
           add(w, err, "/benchmarks/stress");
}

/* Lists name only runs that are here: who asks for more gets as many. */
static bool add_lists(struct writer *w, struct error *err)
{
    static const size_t limits[] = {20, 30, 50, 100, 200, 1000, 0};
    const char *most = arena_printf(&w->arena, "/benchmarks/runs?limit=%zu", w->how->runs);
    if (!add_target(w, most, err)) return false;
    for (size_t i = 0; i < COUNT(limits); i++) {
        const char *target = arena_printf(&w->arena, "/benchmarks/runs?limit=%zu", limits[i]);
        if (limits[i] && limits[i] < w->how->runs) {
            if (!add_target(w, target, err)) return false;
        } else if (!find_entry(w, target)) {
            const struct entry *whole = find_entry(w, most);
            CHECK(whole);
            add_entry(w, (struct entry){target, whole->file, whole->refused});
        }
    }
    return true;
}

static bool add_run(struct writer *w, const struct run_record *run, struct error *err)
{
    bool is_stress = run->spec_path && strcmp(run->spec_path, "(stress)") == 0;
    return add(w, err, "/benchmarks/runs/%s", run->id) &&
           add(w, err, "/benchmarks/runs/%s/outcome", run->id) &&
           add(w, err, "/benchmarks/runs/%s/cases", run->id) &&
           add(w, err, "/benchmarks/profiles/%s", run->id) &&
           add(w, err, "/benchmarks/cost?run=%s", run->id) &&
           (!is_stress || add(w, err, "/benchmarks/stress?run=%s", run->id));
}

/* One-liners by their commands. */
static bool is_spec_of(const struct listed_run *x, const struct listed_run *y)
{
    const char *a = x->run.spec_path;
    const char *b = y->run.spec_path;
    if (!a || !b) return a == b;
    bool is_one_liner = strcmp(a, "(command line)") == 0;
    return strcmp(a, b) == 0 && (!is_one_liner || strcmp(x->subject, y->subject) == 0);
}

/* What the page compares a run with: the newest other of the same spec, else the newest. */
static bool add_comparison(struct writer *w, const struct answer_runs *list, size_t b,
                           struct error *err)
{
    if (list->count < 2) return true;
    const struct listed_run *other = &list->runs[b];
    const struct listed_run *one = &list->runs[b == 0];
    for (size_t i = list->count; i-- > 0;) {
        if (i != b && is_spec_of(&list->runs[i], other)) one = &list->runs[i];
    }
    return add(w, err, "/benchmarks/runs/%s/compare?with=%s", one->run.id, other->run.id) &&
           (!is_spec_of(one, other) ||
            add(w, err, "/benchmarks/runs/%s/compare?with=%s", other->run.id, one->run.id));
}

static bool add_runs(struct writer *w, struct error *err)
{
    const void *answer = NULL;
    struct runs_params all = {.limit = (int64_t)w->how->runs};
    if (!question_runs.ask(w->store, &all, &w->arena, &answer, err)) return false;
    const struct answer_runs *list = answer;
    w->counts->runs = list->count;
    for (size_t i = 0; i < list->count; i++) {
        if (!add_run(w, &list->runs[i].run, err) || !add_comparison(w, list, i, err))
            return false;
    }
    return true;
}

static bool add_agents(struct writer *w, struct error *err)
{
    static const char *const metrics[] = {"duration_s", "accuracy",       "cost_usd",
                                          "cpu_s",      "memory_peak_mb", "tokens"};
    struct agent_record *agents = NULL;
    if (!store_list_agents(w->store, true, &w->arena, &agents, &w->counts->agents, err))
        return false;
    for (size_t i = 0; i < w->counts->agents; i++) {
        const char *name = escaped(w, agents[i].name);
        bool done = add(w, err, "/benchmarks/agents/%s/regressions", name) &&
                    add(w, err, "/benchmarks/agents/%s/trend", name);
        for (size_t k = 0; done && k < COUNT(metrics); k++)
            done = add(w, err, "/benchmarks/agents/%s/trend?metric=%s", name, metrics[k]);
        for (size_t k = 0; done && k + 1 < COUNT(windows); k++)
            done = add(w, err, "/benchmarks/agents/%s/trend?since=%s", name, windows[k]);
        if (!done) return false;
    }
    return true;
}

/* "name", or "name@version". */
static const char *selector_of(struct writer *w, const struct rank_row *row)
{
    const char *name = escaped(w, row->agent_name);
    if (!row->agent_version) return name;
    return arena_printf(&w->arena, "%s%%40%s", name, escaped(w, row->agent_version));
}

/* `versus` is asked about agents: the prompts of one are one of them. */
static size_t keep_different(const char **names, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < kept && strcmp(names[k], names[i]) != 0) k++;
        if (k == kept) names[kept++] = names[i];
    }
    return kept;
}

/* `suite`: "", or "&suite=NAME". */
static bool add_pairs(struct writer *w, const char *suite, struct error *err)
{
    struct route_call call;
    struct refusal refusal;
    const void *answer = NULL;
    const char *target =
        arena_printf(&w->arena, "/benchmarks/leaderboard?since=all&limit=0%s", suite);
    const struct endpoint *endpoint = read_target(w, target, &call, &refusal);
    if (!endpoint) return true; /* the page gets that answer when it asks */
    if (!endpoint->route->question->ask(w->store, call.params, &w->scratch, &answer, err))
        return false;
    const struct ranking *ranking = answer;
    const char *names[SITE_PAIRED_AGENTS];
    size_t count = ranking->count < COUNT(names) ? ranking->count : COUNT(names);
    for (size_t i = 0; i < count; i++) names[i] = selector_of(w, ranking->entries[i].row);
    count = keep_different(names, count);
    arena_reset(&w->scratch);
    for (size_t i = 0; i < count * count; i++) {
        const char *a = names[i / count];
        const char *b = names[i % count];
        if (a != b && !add(w, err, "/benchmarks/versus?a=%s&b=%s%s", a, b, suite)) return false;
    }
    return true;
}

static bool add_rankings(struct writer *w, const char *suite, struct error *err)
{
    static const char *const parts[] = {"",
                                        "&limit=0",
                                        "&metric=accuracy",
                                        "&metric=speed",
                                        "&metric=efficiency",
                                        "&metric=cost",
                                        "&metric=reliability"};
    for (size_t i = 0; i < COUNT(windows) * COUNT(parts); i++) {
        const char *window = windows[i / COUNT(parts)];
        const char *part = parts[i % COUNT(parts)];
        if (!add(w, err, "/benchmarks/leaderboard?since=%s%s%s", window, part, suite))
            return false;
    }
    return add_pairs(w, suite, err);
}

/* The newest run of a suite that finished: the overview says what got worse in it. */
static bool add_changes(struct writer *w, const char *suite, struct error *err)
{
    const void *answer = NULL;
    struct runs_params of_suite = {.limit = SUITE_RUNS, .suite = suite};
    if (!question_runs.ask(w->store, &of_suite, &w->arena, &answer, err)) return false;
    const struct answer_runs *list = answer;
    for (size_t i = 0; i < list->count; i++) {
        const struct listed_run *run = &list->runs[i];
        if (strcmp(run->status, "success") != 0 || !run->suite) continue;
        if (!add(w, err, "/benchmarks/runs/%s/regressions", run->run.id)) return false;
        break;
    }
    return add(w, err, "/benchmarks/runs?limit=%d&suite=%s", SUITE_RUNS, escaped(w, suite));
}

static bool add_suites(struct writer *w, struct error *err)
{
    struct suite_record *suites = NULL;
    size_t count = 0;
    if (!add_rankings(w, "", err) ||
        !store_list_suites(w->store, true, &w->arena, &suites, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *name = escaped(w, suites[i].name);
        const char *target = arena_printf(&w->arena, "/benchmarks/suites/%s", name);
        if (find_entry(w, target)) continue; /* an older content of the same suite */
        w->counts->suites++;
        if (!add_target(w, target, err) || !add_changes(w, suites[i].name, err) ||
            !add_rankings(w, arena_printf(&w->arena, "&suite=%s", name), err))
            return false;
    }
    return true;
}

/* ---- the folder ---- */

static bool write_index(struct writer *w, struct error *err)
{
    struct buf out;
    struct json j;
    char stamp[CLOCK_STAMP_SIZE];
    buf_init(&out, INDEX_MAX_BYTES);
    json_open(&j, &out, SCHEMA);
    json_put_text(&j, "made_at", clock_stamp(clock_unix_ns(), stamp));
    json_put_text(&j, "assay_version", w->how->assay_version);
    json_put_int(&j, "runs", (int64_t)w->counts->runs);
    json_put_int(&j, "paired_agents", SITE_PAIRED_AGENTS);
    json_key_object(&j, "answers");
    for (size_t i = 0; i < w->count; i++) {
        if (w->entries[i].file) json_put_text(&j, w->entries[i].target, w->entries[i].file);
    }
    json_end(&j);
    json_key_object(&j, "refused");
    for (size_t i = 0; i < w->count; i++) {
        if (w->entries[i].refused)
            json_put_text(&j, w->entries[i].target, w->entries[i].refused);
    }
    json_end(&j);
    json_close(&j);
    bool done = out.overflow
                    ? error_set(err, ERROR_FAILED, "the site has too many answers; --runs less")
                    : outdir_write(&w->top, "site.json", buf_str(&out), err);
    buf_release(&out);
    return done;
}

/* Makes the folder ours: empty, or a site already. */
static bool claim(struct writer *w, struct error *err)
{
    const char **names = NULL;
    size_t count = 0;
    struct str index = {0};
    struct error why = {0};
    if (!outdir_list(&w->top, &w->arena, &names, &count, err)) return false;
    if (count == 0) return write_index(w, err);
    if (outdir_read(&w->top, "site.json", INDEX_MAX_BYTES, &w->arena, &index, &why) &&
        str_starts(index, S("{\"schema\":\"" SCHEMA "\"")))
        return true;
    return error_set(err, ERROR_INVALID,
                     "'%s' is not empty and holds no site of assay's; name a new folder",
                     w->top.path);
}

/* A file server says nothing of what the page may do: the page itself does. */
static const char mark[] =
    "<meta name=\"assay-site\" content=\"site.json\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'\">\n";

static bool write_page(struct writer *w, struct error *err)
{
    for (size_t i = 0; asset_at(i); i++) {
        const struct asset *a = asset_at(i);
        if (strcmp(a->path, "/") != 0) {
            if (!outdir_write(&w->top, a->path + 1, a->plain, err)) return false;
            continue;
        }
        const char *at = memmem(a->plain.p, a->plain.n, "<title>", 7);
        CHECK(at);
        size_t before = (size_t)(at - a->plain.p);
        const char *text = arena_printf(&w->arena, "%.*s%s%.*s", (int)before, a->plain.p, mark,
                                        (int)(a->plain.n - before), at);
        if (!outdir_write(&w->top, "index.html", str_of(text), err)) return false;
    }
    return true;
}

/* Answers of an earlier site that this one does not have. Names of other forms are not ours. */
static bool remove_old(struct writer *w, struct error *err)
{
    const char **names = NULL;
    size_t count = 0;
    if (!outdir_list(&w->data, &w->arena, &names, &count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        bool is_ours = strspn(names[i], "0123456789abcdef") == HASH_DIGITS &&
                       strcmp(names[i] + HASH_DIGITS, ".json") == 0;
        for (size_t k = 0; is_ours && k < w->count; k++)
            is_ours = !w->entries[k].file || strcmp(w->entries[k].file, names[i]) != 0;
        if (is_ours && !outdir_remove(&w->data, names[i], err)) return false;
    }
    return true;
}

static bool write_all(struct writer *w, struct error *err)
{
    return add_fixed(w, err) && add_lists(w, err) && add_runs(w, err) && add_agents(w, err) &&
           add_suites(w, err) && write_page(w, err) && write_index(w, err) &&
           remove_old(w, err);
}

bool site_write(const struct site_options *how, struct store *store, struct site_counts *counts,
                struct error *err)
{
    if (!asset_at(0)) {
        return error_set(err, ERROR_UNAVAILABLE,
                         "this assay was built without its page (make WEB=0); `make` builds it "
                         "in");
    }
    *counts = (struct site_counts){0};
    struct writer w = {.how = how,
                       .store = store,
                       .arena = arena_open(),
                       .scratch = arena_open(),
                       .top.fd = -1,
                       .data.fd = -1,
                       .counts = counts};
    w.endpoints = endpoints_make(&w.arena);
    bool done = outdir_open(&w.top, how->folder, err) && claim(&w, err) &&
                outdir_open_in(&w.data, &w.top, "data", err) && store_hold(store, err);
    if (done) {
        done = write_all(&w, err);
        store_release(store);
    }
    outdir_close(&w.data);
    outdir_close(&w.top);
    arena_close(&w.scratch);
    arena_close(&w.arena);
    return done;
}
