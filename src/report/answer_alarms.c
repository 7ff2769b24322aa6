/* Alarms, and the detector's own record: precision and time to detect, from what people said. */
#include "report/answer_alarms.h"

#include "base/human.h"
#include "report/answers.h"
#include "report/words.h"
#include "view/alarmed.h"

#include <inttypes.h>
#include <math.h>

/* "muted until 2026-12-01 by bob (known)" */
static const char *said(const char *what, const char *by, const char *reason, struct arena *out)
{
    return arena_printf(out, "%s%s%s%s%s%s", what, by ? " by " : "", by ? by : "",
                        reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
}

const char *answer_alarm_words(const struct alarm_record *a, struct arena *out)
{
    const char *judged = "";
    const char *muted = "";
    if (a->judgement) {
        const char *what = arena_printf(out, ": judged %s on %.10s", a->judgement,
                                        a->judged_at ? a->judged_at : "?");
        judged = said(what, a->judged_by, a->judged_reason, out);
    }
    if (a->muted_until) {
        const char *what =
            arena_printf(out, "%s muted until %.10s", a->judgement ? ";" : ":", a->muted_until);
        muted = said(what, a->muted_by, a->muted_reason, out);
    }
    return arena_printf(out, "alarm %" PRId64 "%s%s", a->id, judged, muted);
}

LAYOUT_SENTENCE_IS(version_of, const struct alarm_record *a,
                   str_cstr(scratch, alarm_version(a)))
LAYOUT_SENTENCE_IS(sentence_of, const struct alarm_record *a, answer_alarm_words(a, scratch))

#define OF struct alarm_record
static const struct layout_field alarm_fields[] = {
    LAYOUT_FIELD("id", id, "how ack and mute name it"),
    LAYOUT_FIELD("agent", agent, "its name"),
    LAYOUT_SENTENCE("agent_version", version_of, "or the commit, or the run"),
    LAYOUT_FIELD("benchmark", benchmark,
                 "its name; of the rules whole and systemic one of them"),
    LAYOUT_FIELD("metric", metric, "that got worse"),
    LAYOUT_FIELD("rule", rule, "that found it"),
    LAYOUT_FIELD("severity", severity, "when it was last reported"),
    LAYOUT_FIELD("regression_percentage", amount,
                 "likewise; 0.23: worse by 23 %, of shares by 23 points"),
    LAYOUT_FIELD("run", run_id, "in which it was seen last; null: forgotten"),
    LAYOUT_FIELD("execution_id", execution_id, "likewise"),
    LAYOUT_FIELD("changed_at", changed_at, "start of the first run of that version"),
    LAYOUT_FIELD("raised_at", raised_at, "first reported"),
    LAYOUT_FIELD("last_at", last_at, "reported last"),
    LAYOUT_FIELD("runs", runs, "of that version, when it was first reported"),
    LAYOUT_FIELD("judgement", judgement, "real or false; null: nobody said"),
    LAYOUT_FIELD("judged_reason", judged_reason, "why"),
    LAYOUT_FIELD("judged_by", judged_by, "who"),
    LAYOUT_FIELD("judged_at", judged_at, "when"),
    LAYOUT_FIELD("muted_until", muted_until, "may be over; null: not muted"),
    LAYOUT_FIELD("muted_reason", muted_reason, "why"),
    LAYOUT_FIELD("muted_by", muted_by, "who"),
    LAYOUT_FIELD("muted_at", muted_at, "when"),
    LAYOUT_SENTENCE("sentence", sentence_of, "what was said of it, in words"),
};
const struct layout answer_alarm_layout = LAYOUT_OF(OF, alarm_fields);
#undef OF

#define OF struct alarm_spread
static const struct layout_field spread_fields[] = {
    LAYOUT_FIELD("median", median, "null: no alarm was judged real"),
    LAYOUT_FIELD("low", low, "of its interval; null: fewer than 6"),
    LAYOUT_FIELD("high", high, "likewise"),
};
static const struct layout spread_layout = LAYOUT(spread_fields);
#undef OF

#define OF struct alarm_stats
static const struct layout_field precision_fields[] = {
    LAYOUT_FIELD("estimate", precision, "real / (real + false); null: none was judged"),
    LAYOUT_FIELD("low", precision_low, "of Wilson's interval"),
    LAYOUT_FIELD("high", precision_high, "likewise"),
};
static const struct layout precision_layout = LAYOUT(precision_fields);

static const char *record_of(const void *owner, struct arena *out)
{
    const struct alarm_stats *s = owner;
    char text[3][HUMAN_SIZE];
    size_t judged = s->real + s->wrong;
    if (s->list.count == 0)
        return "no alarm has been raised yet: `assay regressions` looks for one, and keeps it";
    if (judged == 0) {
        return arena_printf(out,
                            "none of %zu alarm%s has been judged: `assay ack ALARM --real` or "
                            "--false says what it was, and precision follows",
                            s->list.count, PLURAL(s->list.count));
    }
    const char *detect = "";
    if (!isnan(s->detect_s.median)) {
        detect = arena_printf(out, "; a real one was reported %s after its version first ran",
                              human_span(s->detect_s.median, text[0]));
        if (!isnan(s->detect_s.low)) {
            detect =
                arena_printf(out, "%s [%s, %s]", detect, human_span(s->detect_s.low, text[1]),
                             human_span(s->detect_s.high, text[2]));
        }
        detect = arena_printf(out, "%s, by its run %.3g (medians of %zu)", detect,
                              s->detect_runs.median, s->real);
    }
    return arena_printf(out,
                        "%zu of %zu judged alarms were real: precision %.0f %% [%.0f %%, %.0f "
                        "%%]%s; %zu not judged",
                        s->real, judged, 100 * s->precision, 100 * s->precision_low,
                        100 * s->precision_high, detect, s->unjudged);
}

static const struct layout_field stats_fields[] = {
    LAYOUT_FIELD("agent", agent, "whose alarms; null: all"),
    LAYOUT_FIELD("count", list.count, "alarms"),
    LAYOUT_FIELD("real", real, "judged real"),
    LAYOUT_FIELD("false", wrong, "judged false"),
    LAYOUT_FIELD("unjudged", unjudged, "counted in nothing below"),
    LAYOUT_FIELD("muted", muted, "now"),
    LAYOUT_GROUP("precision", &precision_layout, "share of real ones among those judged"),
    LAYOUT_OBJECT("detect_s", detect_s, &spread_layout,
                  "of real ones: from the first run of the version to the first report"),
    LAYOUT_OBJECT("detect_runs", detect_runs, &spread_layout,
                  "of real ones: runs of the version until the first report"),
    LAYOUT_FIELD("confidence", confidence, "of the intervals"),
    LAYOUT_SENTENCE("sentence", record_of, "the record in words"),
    LAYOUT_LIST("alarms", list.rows, list.count, &answer_alarm_layout, "newest first"),
};
static const struct layout stats_layout = LAYOUT(stats_fields);
#undef OF

static void put_alarm(const struct alarm_record *a, struct buf *out)
{
    struct arena scratch = arena_open();
    struct str version = alarm_version(a);
    buf_printf(out, "%5" PRId64 "  %.10s  %-8s  %s %.*s on %s: %s, %s", a->id, a->raised_at,
               a->severity ? a->severity : "-", a->agent, version.n > 12 ? 12 : (int)version.n,
               version.p, alarm_is_over_cells(a) ? "all its cells" : a->benchmark, a->metric,
               a->rule);
    if (!isnan(a->amount)) buf_printf(out, ", worse by %s", words_alarm_amount(a, &scratch));
    buf_add_char(out, '\n');
    if (a->judgement || a->muted_until)
        buf_printf(out, "       %s\n", answer_alarm_words(a, &scratch));
    arena_close(&scratch);
}

static void stats_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct alarm_stats *s = answer;
    struct arena scratch = arena_open();
    buf_printf(out, "%s\n", record_of(s, &scratch));
    arena_close(&scratch);
    if (!look->quiet && s->list.count > 0) buf_add_char(out, '\n');
    for (size_t i = 0; i < s->list.count && !look->quiet; i++) put_alarm(&s->list.rows[i], out);
}

const struct answer answer_alarms = {
    ANSWER_NAME("alarms"),
    .summary =
        "regressions that were reported, what people said of them, and how good they were",
    .layout = &stats_layout,
    .text = stats_text,
};

/* ---- what was just said ---- */

#define OF struct alarm_list
static const struct layout_field marked_fields[] = {
    LAYOUT_LIST("alarms", rows, count, &answer_alarm_layout, "as they are now"),
};
static const struct layout marked_layout = LAYOUT(marked_fields);
#undef OF

static void marked_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct alarm_list *l = answer;
    for (size_t i = 0; i < l->count && !look->quiet; i++) put_alarm(&l->rows[i], out);
}

const struct answer answer_marked = {
    ANSWER_NAME("marked"),
    .summary = "alarms of which something was just said",
    .layout = &marked_layout,
    .text = marked_text,
};
