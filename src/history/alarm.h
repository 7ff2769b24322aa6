/* alarm.h - regressions that were reported, and what people said of them.
 *
 * An alarm is a found row of regress.h. Its key is agent, benchmark, cell, metric, rule and
 * version: the same alarm again is the same row of the store, whatever run showed it, and of
 * the next version it is a new one. People judge it (`real`, `false`) and mute it until a
 * day. A muted alarm, or one that was judged false, is quiet: it is named and fails nothing.
 *
 * The detector's own record is made of these judgements alone: precision is the share of
 * real ones among those judged, with Wilson's interval; the time to detect of a real one is
 * from the start of the first run of its version to the first report. */
#ifndef HISTORY_ALARM_H
#define HISTORY_ALARM_H

#include "history/regress.h"

struct alarm_list {
    struct alarm_record *rows; /* newest first */
    size_t count;
    const char *now; /* what is muted until later is muted */
};

/* agent_id NULL: of all agents. */
MUST_USE bool alarm_list_read(struct store *store, const char *agent_id, struct arena *out,
                              struct alarm_list *list, struct error *err);

/* What was said of that regression; NULL: nothing is known of it. */
const struct alarm_record *alarm_find(const struct alarm_list *list,
                                      const struct baseline_pair *pair, const char *metric,
                                      enum regress_rule rule);

bool alarm_is_quiet(const struct alarm_record *a, const char *now);

/* The version as people write it. */
struct str alarm_version(const struct alarm_record *a);

/* Keeps the found rows as alarms. */
MUST_USE bool alarm_raise(struct store *store, const struct regress *r, struct arena *out,
                          struct error *err);

/* Gives each found row its alarm, counts the quiet ones, and concludes again. */
MUST_USE bool alarm_attach(struct store *store, struct arena *out, struct regress *r,
                           struct error *err);

/* Which alarms are meant: those of these ids, or all that fit; NULL fits all. */
struct alarm_choice {
    const int64_t *ids;
    size_t id_count;
    const char *agent; /* as view/select.h takes it */
    const char *benchmark;
    const char *metric;
    const char *version;
};

/* What is said of them. */
struct alarm_mark {
    bool judges; /* else it mutes */
    bool clears; /* takes back what was said */
    bool is_real;
    double mute_s; /* from now */
    const char *reason;
    const char *by;
};

/* Says it of all that are chosen, or of none; `marked` has them as they are now.
 * ERROR_NOT_FOUND if there is no such alarm. */
MUST_USE bool alarm_mark(struct store *store, const struct alarm_choice *choice,
                         const struct alarm_mark *mark, struct arena *out,
                         struct alarm_list *marked, struct error *err);

struct alarm_spread { /* of times to detect */
    double median;    /* NaN: none */
    double low;       /* NaN: too few for an interval */
    double high;
};

struct alarm_stats {
    struct alarm_list list;
    const char *agent; /* "gpt", "gpt@1.2"; NULL: all */
    size_t real;
    size_t wrong;    /* judged false */
    size_t unjudged; /* not counted in anything below */
    size_t muted;
    double precision; /* NaN: none was judged */
    double precision_low, precision_high;
    struct alarm_spread detect_s;    /* of the real ones */
    struct alarm_spread detect_runs; /* of that version, until the first report */
    double confidence;
};

/* `agent` as view/select.h takes it; NULL: all. */
MUST_USE bool alarm_stats_ask(struct store *store, const char *agent, struct arena *out,
                              struct alarm_stats *stats, struct error *err);

#endif
