/* detector.c - false alarms and misses of the change detectors, side by side.
 *
 * Real: 81 series of unchanged benchmarks on cloud machines (Azure VM noise
 * data, TUNA, EuroSys 2025). Flagged: any change point in the first 100 points.
 * Found: a step put at point 60 of the first 80, reported at 57..63. The same
 * on made noise, in percent of the series. Fails if our detector misses its
 * targets on the real series, or flags more than 5 % of a made noise that has
 * one level; the kinds whose level itself moves are printed, not judged. */
#include "base/arena.h"
#include "tests/detector_score.h"

#include <stdio.h>
#include <stdlib.h>

enum { MADE_SERIES = 200, MOST_FLAGGED = 4, LEAST_FOUND10 = 78, LEAST_FOUND5 = 62 };

static const char *const what[] = {"flagged", "+10 % found", "+5 % found"};

static bool line(const char *label, const char *noise, size_t ours, size_t peer, size_t target,
                 bool at_most)
{
    bool ok = at_most ? ours <= target : ours >= target;
    printf("bench: detector %s, %s: ours %zu peer %zu ratio %.2f target %s%zu %s\n", label,
           noise, ours, peer, (double)ours / (double)(peer ? peer : 1),
           at_most ? "<=" : ">=", target, ok ? "ok" : "MISSED");
    return ok;
}

/* The same data seen otherwise, to tell what was found from what was fitted:
 * backwards, or from a later point on. Points that are not there are not asked. */
static void other_views(double values[SERIES_COUNT][SERIES_POINTS], struct arena scratch)
{
    struct change_options o = {0};
    for (int view = 0; view < 4; view++) {
        size_t skipped = view % 2 ? 20 : 0;
        bool is_backwards = view / 2 == 1;
        struct detector_score score = {0};
        for (int i = 0; i < SERIES_COUNT; i++) {
            double seen[SERIES_POINTS];
            for (size_t k = 0; k + skipped < SERIES_POINTS; k++) {
                size_t at = k + skipped;
                seen[k] = values[i][is_backwards ? SERIES_POINTS - 1 - at : at];
            }
            detector_add(&score, seen, &o, scratch);
        }
        printf("# assay, %s from point %zu: flagged %zu, +10 %% found %zu, +5 %% found %zu\n",
               is_backwards ? "backwards" : "forwards", skipped, score.flagged, score.found10,
               score.found5);
    }
}

static bool real_series(struct arena scratch)
{
    static double values[SERIES_COUNT][SERIES_POINTS];
    const char *root = getenv("ASSAY_SHARED");
    const char *path = arena_printf(&scratch, "%s/data/series/azure_vm_noise_first120.csv",
                                    root ? root : "../shared");
    struct error err = {0};
    if (!series_read(path, values, scratch, &err)) {
        printf("# skip: %s\n", err.text);
        return true;
    }
    struct detector_score score[CHANGE_DETECTOR_COUNT] = {0};
    for (int d = 0; d < CHANGE_DETECTOR_COUNT; d++) {
        struct change_options o = {.detector = d};
        for (int i = 0; i < SERIES_COUNT; i++) detector_add(&score[d], values[i], &o, scratch);
        printf("# 81 real series, %-5s flagged %2zu, +10 %% found %2zu, +5 %% found %2zu\n",
               change_detector_name(d), score[d].flagged, score[d].found10, score[d].found5);
    }
    other_views(values, scratch);
    const struct detector_score *ours = &score[CHANGE_ASSAY];
    const struct detector_score *peer = &score[CHANGE_OTAVA];
    bool ok = line(what[0], "81 real series, against otava", ours->flagged, peer->flagged,
                   MOST_FLAGGED, true);
    ok &= line(what[1], "81 real series, against otava", ours->found10, peer->found10,
               LEAST_FOUND10, false);
    ok &= line(what[2], "81 real series, against otava", ours->found5, peer->found5,
               LEAST_FOUND5, false);
    return ok;
}

static double percent(size_t part)
{
    return 100.0 * (double)part / MADE_SERIES;
}

static bool made_noise(struct arena scratch)
{
    bool ok = true;
    printf("# %d series of made noise: flagged / +10 %% / +5 %% found, in %%\n", MADE_SERIES);
    for (int kind = 0; kind < NOISE_COUNT; kind++) {
        struct detector_score score[CHANGE_DETECTOR_COUNT];
        printf("# %-16s", noise_names[kind]);
        for (int d = 0; d < CHANGE_DETECTOR_COUNT; d++) {
            struct change_options o = {.detector = d};
            score[d] = detector_on_noise(kind, MADE_SERIES, &o, scratch);
            printf("  %s %4.1f /%4.0f /%4.0f", change_detector_name(d),
                   percent(score[d].flagged), percent(score[d].found10),
                   percent(score[d].found5));
        }
        printf("\n");
        if (kind >= NOISE_PROMISED) continue;
        ok &= line(what[0], noise_names[kind], score[CHANGE_ASSAY].flagged,
                   score[CHANGE_OTAVA].flagged, MADE_SERIES / 20, true);
    }
    return ok;
}

int main(void)
{
    struct arena a = arena_open();
    bool ok = real_series(a);
    ok &= made_noise(a);
    arena_close(&a);
    return ok ? 0 : 1;
}
