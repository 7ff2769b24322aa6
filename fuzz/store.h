/* store.h - a fresh store for every input, and what is asked of it afterwards. */
#ifndef FUZZ_STORE_H
#define FUZZ_STORE_H

#include "base/os.h"
#include "history/trend.h"
#include "judge/claims.h"
#include "judge/compare.h"
#include "judge/profile.h"
#include "rank/cost.h"
#include "rank/ranking.h"
#include "report/report.h"

#include <stdio.h>

struct fuzz_store {
    struct arena arena;
    const char *dir;
    struct store *store;
};

/* The bytes of an empty store: making its tables takes far longer than a copy. */
static inline struct str fuzz_store_empty(const char *path)
{
    static struct arena kept;
    static struct str bytes;
    struct store_options how = {.create = true};
    struct store *store = NULL;
    if (bytes.n > 0) return bytes;
    kept = arena_open();
    CHECK(store_open(path, &how, &store, NULL));
    store_close(store);
    CHECK(os_read_file(path, (size_t)16 << 20, &kept, &bytes, NULL));
    return bytes;
}

static inline struct fuzz_store fuzz_store_open(void)
{
    struct fuzz_store f = {.arena = arena_open()};
    CHECK(os_make_temp_dir("assay-fuzz", &f.arena, &f.dir, NULL));
    const char *path = arena_printf(&f.arena, "%s/s.db", f.dir);
    struct str empty = fuzz_store_empty(path);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(empty.p, 1, empty.n, file) == empty.n && fclose(file) == 0);
    CHECK(store_open(path, &(struct store_options){0}, &f.store, NULL));
    return f;
}

/* The other questions that one run can be asked; each answers, or says why not. */
static inline void fuzz_store_ask(struct fuzz_store *f, const char *run_id, struct view *view)
{
    struct error err = {0};
    struct source side = {.name = "fuzz", .view = view};
    struct compare_how how = {.margin = 0.03};
    struct compare compare;
    if (!compare_make(&side, &side, &how, &f->arena, &compare, &err)) CHECK(err.text[0]);
    err = (struct error){0};
    if (!compare_make(&side, NULL, &how, &f->arena, &compare, &err)) CHECK(err.text[0]);
    struct cost_analysis cost;
    err = (struct error){0};
    if (!cost_load(f->store, run_id, &f->arena, &cost, &err)) CHECK(err.text[0]);
    struct profile_list profiles = {0};
    err = (struct error){0};
    if (!profile_load(f->store, run_id, &f->arena, &profiles, &err)) CHECK(err.text[0]);
    struct ranking_question board = {.metric = RANKING_OVERALL, .seed = 1};
    struct ranking *ranking = NULL;
    err = (struct error){0};
    if (!ranking_ask(f->store, &board, &f->arena, &ranking, &err)) CHECK(err.text[0]);
    struct trend_question history = {0};
    struct trend trend;
    err = (struct error){0};
    if (!trend_load(f->store, &history, &f->arena, &trend, &err)) CHECK(err.text[0]);
}

/* Whatever was stored, every report of every run is written, or refused with a
 * reason. */
static inline void fuzz_store_show(struct fuzz_store *f)
{
    struct run_record *runs = NULL;
    struct run_filter all = {0};
    struct error err = {0};
    size_t count = 0;
    if (!store_list_runs(f->store, &all, &f->arena, &runs, &count, &err)) CHECK(err.text[0]);
    for (size_t i = 0; i < count; i++) {
        struct view *view = NULL;
        if (!view_load(f->store, runs[i].id, &f->arena, &view, &err) ||
            !claims_attach(f->store, view, &f->arena, &err)) {
            CHECK(err.text[0]);
            continue;
        }
        for (size_t k = 0; reporter_at(k); k++) {
            struct buf b;
            buf_init(&b, 1 << 22);
            reporter_at(k)->write(view, &(struct report_options){.explain = true}, &b);
            buf_release(&b);
        }
        fuzz_store_ask(f, runs[i].id, view);
    }
}

static inline void fuzz_store_close(struct fuzz_store *f)
{
    store_close(f->store);
    os_remove_tree(f->dir);
    arena_close(&f->arena);
}

#endif
