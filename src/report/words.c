/* Codes and numbers become words here, and only here: every report and command says the same
 * of the same answer. The verdict comes first, then the effect with its interval, then how
 * many values it rests on; what is open says what would settle it. */
#include "report/words.h"

#include "base/clock.h"
#include "base/human.h"
#include "base/id.h"
#include "base/json.h"
#include "base/plain.h"
#include "model/cell.h"

#include <inttypes.h>
#include <math.h>

static const char *arm_name(int arm)
{
    return arm == 0 ? "A" : "B";
}

static bool is_one(double value)
{
    return value == 1;
}

const char *words_confidence(double alpha, struct arena *out)
{
    double percent = 100 * (1 - alpha);
    double rounded = round(percent * 100) / 100;
    return arena_printf(out, "%.4g", rounded > 99.99 ? 99.99 : rounded);
}

static const char *few_text(const struct verdict_answer *a, double least, struct arena *out)
{
    if (a->kind == KIND_SHARE) {
        return arena_printf(out,
                            "%zu pairs are too few for any verdict: %.0f that all change "
                            "the same way would decide",
                            a->arm[0].n, least);
    }
    return arena_printf(out,
                        "no %s %% interval exists for so few %s (n = %zu and %zu): %.0f %s; "
                        "measure more%s",
                        words_confidence(a->alpha, out), a->is_paired ? "pairs" : "values",
                        a->arm[0].n, a->arm[1].n, least,
                        a->is_paired ? "have one" : "on each side have one",
                        a->is_paired ? " trials, or of a suite more cases" : "");
}

const char *words_reason(const struct verdict_answer *a, const struct verdict_reason *r,
                         struct arena *out)
{
    switch (r->code) {
    case REASON_EMPTY:
        return a->is_paired ? "no pair has a value on both sides"
                            : arena_printf(out, "%s has no values", arm_name(r->arm));
    case REASON_ONE_VALUE:
        return arena_printf(out, "%s has one value: its noise is unknown", arm_name(r->arm));
    case REASON_CONSTANT:
        return arena_printf(out,
                            "all %zu values of %s are equal (%g): a constant, or a measure "
                            "too coarse to see its noise",
                            a->arm[r->arm].n, arm_name(r->arm), r->value);
    case REASON_LEFT_OUT:
        return arena_printf(out, "%.0f %s without a partner left out", r->value,
                            is_one(r->value) ? "value that is NaN or was"
                                             : "values that are NaN or were");
    case REASON_CENSORED:
        if (a->is_of_cases) {
            return arena_printf(out,
                                "%.0f %s cut off (time-out): counted as the time after which "
                                "that was done",
                                r->value, is_one(r->value) ? "value was" : "values were");
        }
        return arena_printf(out,
                            "%.0f %s cut off (time-out): counted as longer than all that "
                            "were seen",
                            r->value, is_one(r->value) ? "value was" : "values were");
    case REASON_NOT_POSITIVE:
        return "not all values are above 0: there is no ratio, the shift decides";
    case REASON_MEMORY:
        return arena_printf(out,
                            "successive values resemble each other: the interval is that of "
                            "an effective n of %.1f and %.1f",
                            r->value, r->other);
    case REASON_BETWEEN_RUNS:
        return "runs of one version differ by more than values within a run: the interval "
               "includes that; more runs would narrow it, more trials would not";
    case REASON_TOO_FEW: return few_text(a, r->value, out);
    case REASON_EQUAL: return "both are the same constant: there was nothing to test";
    case REASON_DETERMINISTIC:
        return "deterministic: neither side varies, so the difference is not chance";
    case REASON_NO_MDE_WIDTH: return "no smallest detectable change: the interval has no width";
    case REASON_NO_MDE_ZERO: return "no smallest detectable change: A's median is 0";
    case REASON_MARGIN_OF_ZERO:
        return "a margin relative to A's median, 0, includes nothing: never equivalent";
    case REASON_REAL_BUT_SMALL:
        return a->kind == KIND_SHARE
                   ? arena_printf(out, "the change is real, but smaller than %g points",
                                  100 * a->margin)
                   : arena_printf(out, "the change is real, but smaller than %g %%",
                                  100 * a->margin);
    case REASON_SHAPE:
        return arena_printf(out,
                            "the spread or shape differs (KS %s) where the level does "
                            "not",
                            HUMAN_P(r->value));
    case REASON_TAIL:
        return arena_printf(out,
                            "%s of B lie beyond A's p%d (%s of A do): the verdict is about the "
                            "typical value, not about the tail",
                            words_part(r->value, out), a->higher_is_better ? 5 : 95,
                            words_part(r->other, out));
    case REASON_UNKNOWN:
        return arena_printf(out,
                            "%.0f of %.0f outcomes are not known: the interval holds what "
                            "they may have been",
                            r->value, r->other);
    case REASON_COUNT: break;
    }
    return "";
}

/* "B is 1.082 times A, 95 % interval 1.051 to 1.114", or the like. */
static const char *effect_text(const struct verdict_answer *a, bool is_narrow,
                               struct arena *out)
{
    const struct verdict_effect *e = &a->effect;
    const char *level = words_confidence(is_narrow ? 2 * a->alpha : a->alpha, out);
    if (a->kind == KIND_RATIO) {
        return arena_printf(out, "B is %.4g times A, %s %% interval %.4g to %.4g", e->ratio,
                            level, is_narrow ? a->narrow_low : e->low,
                            is_narrow ? a->narrow_high : e->high);
    }
    double low = is_narrow ? a->narrow_low : e->shift_low;
    double high = is_narrow ? a->narrow_high : e->shift_high;
    if (a->kind == KIND_SHARE) {
        return arena_printf(out, "B - A is %+.1f points, %s %% interval %+.1f to %+.1f",
                            100 * e->shift, level, 100 * low, 100 * high);
    }
    return arena_printf(out, "B - A is %.4g, %s %% interval %.4g to %.4g", e->shift, level, low,
                        high);
}

const char *words_size(double share, enum kind kind, struct arena *out)
{
    const char *number = arena_printf(out, share < 0.0995 ? "%.2g" : "%.0f", 100 * share);
    return arena_printf(out, "%s %s", number, kind == KIND_SHARE ? "points" : "%");
}

/* "n = 20 and 20", "over 20 cases". */
static const char *count_text(const struct verdict_answer *a, struct arena *out)
{
    if (a->is_of_cases && a->is_paired) return arena_printf(out, "over %zu cases", a->arm[0].n);
    return arena_printf(out, "n = %zu and %zu", a->arm[0].n, a->arm[1].n);
}

const char *words_verdict(const struct verdict_answer *a, struct arena *out)
{
    size_t m = a->arm[0].n;
    size_t n = a->arm[1].n;
    if (m == 0 || n == 0) return "undecided: there is nothing to compare";
    if (!verdict_is_measured(a)) {
        return arena_printf(out, "undecided: n = %zu and %zu is too few for any interval", m,
                            n);
    }
    const char *name = verdict_name(a->verdict);
    if (a->verdict == VERDICT_EQUIVALENT) {
        return arena_printf(out, "%s: %s, inside the margin of %s (%s)", name,
                            effect_text(a, true, out), words_size(a->margin, a->kind, out),
                            count_text(a, out));
    }
    const char *effect = effect_text(a, false, out);
    if (a->verdict != VERDICT_UNDECIDED || !isfinite(a->mde)) {
        return arena_printf(out, "%s: %s (%s)", name, effect, count_text(a, out));
    }
    return arena_printf(out,
                        "%s: %s (%s); with these data only a change of %s or "
                        "more would probably show",
                        name, effect, count_text(a, out), words_size(a->mde, a->kind, out));
}

/* Two digits are as many as the estimate has. */
static double rounded_up(double n)
{
    double unit = n < 100 ? 1 : pow(10, floor(log10(n)) - 1);
    return ceil(n / unit) * unit;
}

const char *words_need(struct verdict_need need, struct arena *out)
{
    const char *what = need.is_of_cases ? "cases" : "trials";
    switch (need.what) {
    case NEED_NOTHING: break;
    case NEED_RUNS:
        return "run both versions again: more runs would decide, more trials would not";
    case NEED_TOO_MANY:
        return arena_printf(out,
                            "a difference this small would take more than %d times the %s: ask "
                            "whether it is inside a margin that matters (--equivalence)",
                            VERDICT_NEED_MOST, what);
    case NEED_OUTCOMES:
        return arena_printf(out,
                            "judge the %zu %s whose outcome is not known: `assay run SPEC "
                            "--resume RUN` repeats them",
                            need.n, what);
    case NEED_MEETING: return "run both on the same benchmark";
    case NEED_VALUES:
        return arena_printf(out, "measure about %.0f %s%s", rounded_up((double)need.n), what,
                            need.is_of_cases ? "" : " on each side");
    }
    return NULL;
}

const char *words_next(const struct verdict_answer *a, struct arena *out)
{
    return words_need(verdict_need_of(a), out);
}

/* ---- by how much is it worse? ---- */

const char *words_worse_by(const struct worsening *w, double amount, struct arena *out)
{
    if (isnan(amount)) return "-";
    const char *unit = w->is_points ? "points" : "%";
    if (isinf(amount)) return arena_printf(out, "%s %s", amount > 0 ? "∞" : "-∞", unit);
    double shown = fabs(amount) < 0.0005 ? 0 : 100 * amount; /* not "-0.0" */
    int decimals = fabs(shown) < 9.95 ? 1 : 0;
    return arena_printf(out, "%.*f %s", decimals, shown, unit);
}

double words_thousandth(double x)
{
    return fabs(x) < 0.0005 ? 0 : x;
}

const char *words_metric(const char *name, struct arena *out)
{
    static const struct str units[] = {{"_s", 2},  {"_mb", 3},    {"_usd", 4},
                                       {"_ms", 3}, {"_bytes", 6}, {"_percent", 8}};
    static const struct str per = {"_per", 4};
    struct str text = str_of(name);
    for (size_t i = 0; i < COUNT(units); i++) {
        if (!str_ends(text, units[i])) continue;
        text.n -= units[i].n;
        break;
    }
    bool is_rate = str_ends(text, per);
    if (is_rate) text.n -= per.n;
    char *plain = arena_copy(out, text.p, text.n);
    for (size_t i = 0; i < text.n; i++) plain[i] = plain[i] == '_' ? ' ' : plain[i];
    return is_rate ? arena_printf(out, "%s per second", plain) : plain;
}

const char *words_worsening(const struct worsening *w, struct arena *out)
{
    bool is_worse = w->amount >= 0;
    return arena_printf(out, "%s by %s [%s, %s]", is_worse ? "worse" : "better",
                        words_worse_by(w, fabs(w->amount), out),
                        words_worse_by(w, is_worse ? w->low : -w->high, out),
                        words_worse_by(w, is_worse ? w->high : -w->low, out));
}

const char *words_too_few(size_t n, const char *what, size_t least, struct arena *out)
{
    return arena_printf(out, "%zu %s are too few for any verdict: %zu could", n, what, least);
}

const char *words_no_interval(const struct worsening *w, struct arena *out)
{
    const struct verdict_reason *r = &w->why;
    if (r->code == REASON_EMPTY) {
        if (w->is_paired)
            return w->by_case ? "no case has a value then and now"
                              : "no pair has a value then and now";
        return r->arm ? "there are no values now" : "the baseline has no values";
    }
    if (r->code == REASON_ONE_VALUE) {
        return r->arm ? "one value now: its noise is unknown"
                      : "the baseline has one value: its noise is unknown";
    }
    if (r->code != REASON_TOO_FEW) return "too few values for an interval";
    if (w->is_paired)
        return words_too_few(w->n[0], w->by_case ? "cases" : "pairs", w->least, out);
    return arena_printf(out,
                        "%zu and %zu values are too few for any verdict: %zu on each side "
                        "could",
                        w->n[0], w->n[1], w->least);
}

const char *words_unknown(const struct worsening *w, struct arena *out)
{
    const char *text = "";
    for (int s = 0; s < 2; s++) {
        if (w->unknown[s] == 0) continue;
        text = arena_printf(out, "%s; %zu of %zu %s%s %s not judged", text, w->unknown[s],
                            w->asked[s], w->by_case ? "cases" : "trials",
                            s ? "" : " of the baseline", w->unknown[s] == 1 ? "was" : "were");
    }
    return text;
}

const char *words_few(const struct worsening *w, struct arena *out)
{
    if (w->least == 0) return "";
    const char *what = w->by_case ? "cases" : w->is_paired ? "pairs" : "values";
    return arena_printf(out, "; %s", words_too_few(w->n[0], what, w->least, out));
}

const char *words_gone(const struct ask *ask, struct arena *out)
{
    const char *what = ask->by_case ? "cases" : "trials";
    if (!ask_is_short(ask)) return NULL;
    if (ask->unasked > 0)
        return arena_printf(out, "%zu cases were not asked, which the baseline was",
                            ask->unasked);
    if (ask->gone == 0) {
        return arena_printf(out, "%zu of %zu %s failed and have no %s", ask->failed,
                            ask->gone_of, what, ask->metric.name);
    }
    return arena_printf(out, "%zu of %zu %s no longer report %s", ask->gone, ask->gone_of, what,
                        ask->metric.name);
}

/* ---- what was not compared ---- */

const char *const words_sides[2] = {"A", "B"};
const char *const words_then_now[2] = {"the baseline", "the current run"};

const char *words_gap(const struct compare_gap *gap, const char *const names[2],
                      struct arena *out)
{
    switch (gap->code) {
    case COMPARE_UNIT:
        return arena_printf(out, "its unit is '%s' in %s and '%s' in %s", gap->a, names[0],
                            gap->b, names[1]);
    case COMPARE_DEFINITION:
        return arena_printf(out, "it is defined as '%s' in %s and '%s' in %s", gap->a, names[0],
                            gap->b, names[1]);
    case COMPARE_DIRECTION:
        return arena_printf(out, "%s is better in %s, %s in %s", gap->a, names[0], gap->b,
                            names[1]);
    case COMPARE_SMALL:
        return arena_printf(out,
                            "both are below %g MB, where the size of the process that starts "
                            "a program shows and not the program's",
                            COMPARE_MEMORY_FLOOR_MB);
    case COMPARE_A_LACKS: return arena_printf(out, "%s does not have it", names[0]);
    case COMPARE_B_LACKS: return arena_printf(out, "%s does not have it", names[1]);
    case COMPARE_NO_DIRECTION: return "neither lower nor higher is better";
    case COMPARE_A_IGNORES:
    case COMPARE_B_IGNORES:
        return arena_printf(
            out, "ignore_failure is true in %s alone: what failed there counts as done",
            names[gap->code == COMPARE_B_IGNORES]);
    case COMPARE_HOSTS:
        return arena_printf(out,
                            "%s was measured on host '%s', %s on '%s', and times, rates and "
                            "sizes of different machines do not compare",
                            names[0], gap->a, names[1], gap->b);
    case COMPARE_FITS: break;
    }
    return "";
}

bool words_refuse(const struct compare_refusal *refused, struct error *err)
{
    struct arena scratch = arena_open();
    bool has_no_direction = refused->gap.code == COMPARE_NO_DIRECTION;
    if (refused->gap.code != COMPARE_FITS)
        error_set(err, ERROR_INVALID, "'%s' cannot be compared: %s%s", refused->metric,
                  words_gap(&refused->gap, words_sides, &scratch),
                  has_no_direction ? "; say --direction lower or --direction higher" : "");
    arena_close(&scratch);
    return false;
}

const char *words_future(const struct run_record *run, struct arena *out)
{
    char stamp[CLOCK_STAMP_SIZE];
    return arena_printf(out, "run %s starts in the future (%.19s): a clock is or was wrong",
                        id_short(run->id), clock_stamp(run->started_ns, stamp));
}

const char *words_hosts(const struct baseline_pair *p, struct arena *out)
{
    if (!p->hosts[0]) return NULL;
    return arena_printf(out,
                        "the baseline was measured on host '%s', the current one on '%s': "
                        "times, rates and sizes of different machines do not compare",
                        p->hosts[0], p->hosts[1]);
}

const char *words_value(const struct value *v, struct arena *out)
{
    if (!v) return "missing";
    if (v->kind == VALUE_NULL) return "unknown";
    return v->kind == VALUE_TEXT ? str_cstr(out, v->source) : json_of(v, out).p;
}

const char *words_settings(const struct baseline_pair *p, struct arena *out)
{
    char text[1000];
    struct buf b;
    struct view_change *changes = NULL;
    if (!p->baseline || !p->current->record.name) return NULL;
    size_t count = view_changes(p->baseline, p->current, out, &changes);
    buf_over(&b, text, sizeof text);
    for (size_t i = 0; i < count; i++) {
        const struct view_change *x = &changes[i];
        buf_printf(&b, "%s%.*s is %.80s and was %.80s", i ? ", " : "", STR_ARG(x->key),
                   words_value(x->of[1], out), words_value(x->of[0], out));
    }
    if (count == 0) return NULL;
    return arena_printf(out, "%s has other parameters than in the baseline: %.*s%s", p->name,
                        STR_ARG(buf_str(&b)), b.overflow ? ", ..." : "");
}

const char *words_alarm_amount(const struct alarm_record *a, struct arena *out)
{
    return words_worse_by(&(struct worsening){.is_points = a->is_points}, a->amount, out);
}

/* "alarm 3, duration_s worse by 8.2 %" */
static const char *alarm_text(const struct alarm_record *a, struct arena *out)
{
    const char *amount =
        isnan(a->amount) ? "" : arena_printf(out, " by %s", words_alarm_amount(a, out));
    return arena_printf(out, "alarm %" PRId64 ", %s worse%s", a->id, a->metric, amount);
}

const char *words_skipped(const struct baseline_pair *p, struct arena *out)
{
    if (!p->skipped) return NULL;
    return arena_printf(out,
                        "%s: %s was passed over as baseline, as it is known to be worse (%s); "
                        "`assay mute %" PRId64 "` accepts it",
                        p->name, p->skipped_version, alarm_text(p->skipped, out),
                        p->skipped->id);
}

const char *words_open_alarm(const struct baseline_pair *p, struct arena *out)
{
    if (!p->open) return NULL;
    const char *before = p->before ? p->before : "none";
    return arena_printf(out,
                        "%s: the baseline has an alarm that is open (%s; the version before "
                        "it: %s). If it is real, `assay ack %" PRId64
                        " --real` compares with the version before, as --baseline does",
                        p->name, alarm_text(p->open, out), before, p->open->id);
}

const char *words_unfinished(const struct execution_record *e, struct arena *out)
{
    return arena_printf(out, "%s: %" PRId64 " of %" PRId64 " trials were made",
                        note_has(&e->notes, NOTE_STOPPED) ? "stopped early"
                        : e->status == RUN_FAILED         ? "failed"
                                                          : "interrupted",
                        e->counts.attempted, e->measured_planned);
}

const char *words_cut(const struct baseline_pair *p, int side, struct arena *out)
{
    const struct view_cell *cell = side ? p->current : p->baseline;
    const struct execution_record *e = cell ? &cell->record : NULL;
    const char *made = words_unfinished(p->cut[side], out);
    for (size_t i = 0; e && i < e->notes.count; i++) {
        if (e->notes.items[i].kind != NOTE_STOPPED) continue;
        return arena_printf(out, "%s (%s); fix that, and run it again", made,
                            plain_line(e->notes.items[i].text, out));
    }
    if (e && e->status == RUN_FAILED) {
        const char *why = e->error_details && e->error_details[0] ? e->error_details : NULL;
        return arena_printf(out, "%s: it %s%s%s%s; fix that, and run it again", made,
                            e->counts.attempted == 0 ? "could not be started" : "failed",
                            why ? " (" : "", why ? plain_line(why, out) : "", why ? ")" : "");
    }
    return arena_printf(out, "%s: --resume makes the rest", made);
}

const char *words_instead(const struct baseline_lost *lost, struct arena *out)
{
    if (!lost->instead) return NULL;
    bool is_by_lanes = lost->unlike & CELL_LANES;
    bool is_by_content = lost->unlike & CELL_BENCHMARK;
    bool is_by_what = lost->unlike & CELL_WHAT;
    bool is_subset = is_by_content && lost->instead->unranked == UNRANKED_SUBSET;
    const char *lanes = is_by_lanes
                            ? arena_printf(out, "concurrency %lld instead of %lld",
                                           (long long)lost->lanes[1], (long long)lost->lanes[0])
                            : "";
    return arena_printf(out, "with %s%s%s%s%s", lanes, is_by_lanes && is_by_content ? ", " : "",
                        is_subset       ? "some of its cases only (a subset)"
                        : is_by_content ? "other cases or scoring"
                                        : "",
                        is_by_what && (is_by_lanes || is_by_content) ? ", " : "",
                        is_by_what ? "other parameters or another prompt" : "");
}

const char *words_no_baseline(const struct baseline_pair *p, struct arena *out)
{
    switch (p->why) {
    case BASELINE_NOTHING_FITS: break;
    case BASELINE_ITSELF: return "it is its own baseline";
    case BASELINE_NOT_PINNED:
        return arena_printf(out, "nothing is pinned as '%s' for it", p->named);
    case BASELINE_PIN_LACKS_IT:
        return arena_printf(out, "the run pinned as '%s' has no such cell", p->named);
    case BASELINE_NEVER_RUN:
        return arena_printf(out, "version %s was never run on it", p->named);
    case BASELINE_IS_THAT_VERSION:
        return arena_printf(out, "it is version %s itself", p->named);
    case BASELINE_NO_EARLIER_RUN: return "no earlier run has this cell";
    case BASELINE_NO_EARLIER_AGENT: return "no earlier version of the agent was run on it";
    case BASELINE_NO_OTHER_VERSION:
        return arena_printf(out, "no earlier run of another version than %s has it", p->named);
    case BASELINE_OTHERWISE:
        return arena_printf(out, "%s ran it in another way; here it ran %s", p->named,
                            words_instead(&p->otherwise, out));
    case BASELINE_BESIDE:
        return arena_printf(out,
                            "%s is in the same run, and neither came first: name one with "
                            "--baseline",
                            p->named);
    case BASELINE_UNFINISHED:
        return arena_printf(out, "%s was run on it, but did not finish", p->named);
    case BASELINE_SOURCE_LACKS_IT: return arena_printf(out, "'%s' does not have it", p->named);
    }
    return "nothing fits";
}

struct unranked_words {
    const char *agent;
    const char *executions; /* NULL: the same */
};

static const struct unranked_words *find_unranked(const char *reason)
{
    static const struct unranked_words reasons[UNRANKED_COUNT] = {
        [UNRANKED_SUBSET] = {"run on some of the cases only", "some of the cases only"},
        [UNRANKED_CACHED] = {"made of answers of an earlier run",
                             "answers of an earlier run, counted there"},
        [UNRANKED_RESCORED] = {"scored again since", "scored again since, and counted there"},
        [UNRANKED_SIMULATED] = {"simulated: its answers come from a stand-in",
                                "answers of a stand-in"},
        [UNRANKED_CONTENT] = {"run on older content of the benchmark",
                              "the benchmark has newer content"},
        [UNRANKED_UNJUDGED] = {"not judged in all cases",
                               "judgements are missing; `run --rescore` makes them"},
    };
    static const struct unranked_words statuses[RUN_STATUS_COUNT] = {
        [RUN_PARTIAL] = {.agent = "interrupted before its end"},
        [RUN_FAILED] = {.agent = "not run to its end: it failed"},
        [RUN_CANCELLED] = {.agent = "cancelled before its end"},
        [RUN_RUNNING] = {.agent = "still running"},
    };
    static const struct unranked_words claimed = {.agent = "claimed, not measured"};
    static const struct unranked_words killed = {.agent = "killed before its end"};
    for (int u = UNRANKED_NOT + 1; u < UNRANKED_COUNT; u++) {
        if (strcmp(unranked_name((enum unranked)u), reason) == 0) return &reasons[u];
    }
    for (int s = 0; s < RUN_STATUS_COUNT; s++) {
        if (strcmp(run_status_name((enum run_status)s), reason) == 0) return &statuses[s];
    }
    if (strcmp(reason, "claimed") == 0) return &claimed;
    return strcmp(reason, "killed") == 0 ? &killed : NULL;
}

const char *words_unranked(const char *reason, bool is_of_executions)
{
    const struct unranked_words *w = find_unranked(reason);
    if (!w || !w->agent) return reason;
    return is_of_executions && w->executions ? w->executions : w->agent;
}

const char *words_part(double share, struct arena *out)
{
    if (share > 0 && share <= 0.005) return "<1 %";
    if (share < 1 && share >= 0.995) return ">99 %";
    return arena_printf(out, "%.0f %%", 100 * share);
}
