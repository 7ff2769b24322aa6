/* A row becomes "where, metric: then -> now, worse by so much [interval]: verdict (rule,
 * evidence)". Everything comes from the numbers of the answer, also what was measured again:
 * the row of the new trials is said in the same words as that of the old ones. Notes are
 * read from the set of baselines; the same sentence of several cells is said once. */
#include "report/regress_words.h"

#include "base/human.h"
#include "base/json.h"
#include "report/words.h"

#include <math.h>

static const char *name_of(const struct regress *r, const struct regress_row *row)
{
    return r->set.pairs[row->pair].name;
}

/* ---- a metric of a cell, or of all cells ---- */

static const char *subject_of(const struct regress *r, const struct regress_row *row,
                              struct arena *out)
{
    if (row->rule != REGRESS_WHOLE) return name_of(r, row);
    return baseline_name_all(&r->set, &r->set.pairs[row->pair], row->cells, out);
}

static const char *values_text(const struct regress_row *row, struct arena *out)
{
    const struct worsening *x = &row->w;
    char text[2][HUMAN_SIZE];
    if (x->is_points) {
        return isnan(x->baseline) || isnan(x->current) /* no case has both */
                   ? "- -> -"
                   : arena_printf(out, "%.1f %% -> %.1f %%", 100 * x->baseline,
                                  100 * x->current);
    }
    struct human_scale scale = human_scale(row->unit, fmin(fabs(x->baseline), fabs(x->current)),
                                           fmax(fabs(x->baseline), fabs(x->current)));
    return arena_printf(out, "%s -> %s %s", human_number(&scale, x->baseline, text[0]),
                        human_number(&scale, x->current, text[1]), scale.unit);
}

/* How many, in how many runs, and how much runs of one version differ. */
static const char *evidence_text(const struct regress *r, const struct regress_row *row,
                                 struct arena *out)
{
    const struct worsening *x = &row->w;
    const struct baseline_pair *p = &r->set.pairs[row->pair];
    const char *unknown = words_unknown(x, out);
    const char *what = x->by_case ? "cases" : "pairs";
    const char *n = x->is_paired
                        ? arena_printf(out, "%zu %s%s", x->n[0], what, unknown)
                        : arena_printf(out, "n = %zu and %zu%s", x->n[0], x->n[1], unknown);
    if (p->run_count[0] + p->run_count[1] < 3) return n;
    return arena_printf(out, "%s, %zu and %zu runs, which differ by %s", n, p->run_count[0],
                        p->run_count[1], words_worse_by(x, x->run_sd, out));
}

static const char *open_text(const struct regress_row *row, struct arena *out)
{
    const struct worsening *x = &row->w;
    if (isnan(x->mde) || x->least > 0) return words_few(x, out);
    return arena_printf(out, "; %s would show %s", x->needs_runs ? "so few runs" : "these data",
                        words_worse_by(x, x->mde, out));
}

static const char *metric_text(const struct regress *r, const struct regress_row *row,
                               struct arena *out)
{
    const struct worsening *x = &row->w;
    const char *name = subject_of(r, row, out);
    const char *limit = words_worse_by(x, row->threshold, out);
    const char *rule = regress_rule_name(row->rule);
    const char *gone = words_gone(&row->ask, out);
    if (row->state == REGRESS_UNDECIDED && gone) {
        return arena_printf(out, "%s, %s: undecided: %s (rule %s, threshold %s)", name,
                            row->metric, gone, rule, limit);
    }
    if (x->has_no_interval) {
        return arena_printf(out, "%s, %s: undecided: %s (rule %s, threshold %s)", name,
                            row->metric, words_no_interval(x, out), rule, limit);
    }
    const char *head = arena_printf(out, "%s, %s: %s, %s", name, row->metric,
                                    values_text(row, out), words_worsening(x, out));
    const char *n = evidence_text(r, row, out);
    switch (row->state) {
    case REGRESS_FOUND:
        return arena_printf(out,
                            "%s: all of it beyond the threshold of %s (rule %s, adjusted %s, "
                            "%s)",
                            head, limit, rule, HUMAN_P(row->p_adjusted), n);
    case REGRESS_IMPROVED: return arena_printf(out, "%s: better beyond chance (%s)", head, n);
    case REGRESS_NONE:
        if (x->high > row->threshold) {
            return arena_printf(out, "%s: no worse than before; %s could hide in %s", head,
                                words_worse_by(x, x->high, out), n);
        }
        return arena_printf(out, "%s: inside the threshold of %s (rule %s, %s)", head, limit,
                            rule, n);
    case REGRESS_UNDECIDED: break;
    }
    return arena_printf(
        out, "%s: undecided: the interval includes the threshold of %s%s (rule %s, %s)", head,
        limit, open_text(row, out), rule, n);
}

/* ---- patterns ---- */

static const char *pattern_text(const struct regress *r, const struct regress_row *row,
                                struct arena *out)
{
    const struct worsening *x = &row->w;
    const char *name = name_of(r, row);
    const char *amount = words_worse_by(x, x->amount, out);
    const char *low = words_worse_by(x, x->low, out);
    const char *high = words_worse_by(x, x->high, out);
    const char *limit = words_worse_by(x, row->threshold, out);
    switch (row->rule) {
    case REGRESS_SYSTEMIC:
        return arena_printf(out,
                            "%s over %zu benchmarks: typically worse by %s [%s, %s], all of it "
                            "beyond a quarter of the threshold, %s (rule systemic, adjusted "
                            "%s)",
                            row->metric, row->cells, amount, low, high, limit,
                            HUMAN_P(row->p_adjusted));
    case REGRESS_DRIFT:
        return arena_printf(out,
                            "%s, %s: %.4g -> %.4g %s over %zu executions, worse by %s from the "
                            "first third to the last, beyond the threshold of %s; no step is: "
                            "the largest is %.1f %% (rule slow_drift, adjusted %s)",
                            name, row->metric, x->baseline, x->current, row->unit, x->n[0],
                            amount, limit, 100 * row->gained, HUMAN_P(row->p_adjusted));
    case REGRESS_TAIL:
        return arena_printf(
            out,
            "%s, %s: the median is steady, but %.1f %% -> %.1f %% of the values "
            "are beyond the baseline's p95 plus the threshold, %s more [%s, "
            "%s] (rule tail, adjusted %s)",
            name, row->metric, 100 * x->baseline, 100 * x->current, amount, low, high,
            HUMAN_P(row->p_adjusted));
    case REGRESS_VARIANCE:
        return arena_printf(out,
                            "%s, %s: the median is steady, but values lie %.1f %% -> %.1f %% "
                            "from it, %s more [%s, %s], all of it beyond %s (rule variance, "
                            "adjusted %s)",
                            name, row->metric, 100 * x->baseline, 100 * x->current, amount, low,
                            high, limit, HUMAN_P(row->p_adjusted));
    case REGRESS_NEW_FAILURE:
        return arena_printf(out,
                            "%s: a kind of failure that the baseline did not have in %zu "
                            "%s, '%s', in %.1f %% of %zu (rule new_failure, adjusted %s)",
                            name, x->n[0], x->by_case ? "cases" : "trials", row->metric,
                            100 * x->current, x->n[1], HUMAN_P(row->p_adjusted));
    case REGRESS_TRADE:
        return arena_printf(out,
                            "%s: accuracy %.1f %% -> %.1f %%, worse by %s [%s, %s], while %s "
                            "is better by %.0f %% (rule trade, threshold 0, adjusted %s)",
                            name, 100 * x->baseline, 100 * x->current, amount, low, high,
                            row->by, 100 * row->gained, HUMAN_P(row->p_adjusted));
    case REGRESS_BEYOND:
    case REGRESS_WHOLE:
    case REGRESS_RULE_COUNT: break;
    }
    return "";
}

/* As the numbers say it, whatever measuring again said. */
static const char *plain_text(const struct regress *r, const struct regress_row *row,
                              struct arena *out)
{
    return regress_is_pattern(row->rule) ? pattern_text(r, row, out) : metric_text(r, row, out);
}

const char *regress_words_row(const struct regress *r, const struct regress_row *row,
                              struct arena *out)
{
    bool is_taken_back = row->again && row->again->outcome == REGRESS_NOT_CONFIRMED;
    if (!is_taken_back) return plain_text(r, row, out);
    return arena_printf(out, "an alarm that was not confirmed: %s",
                        regress_words_again(r, row, out));
}

/* ---- measured again ---- */

static const char *no_rerun_text(const struct regress_again *again, struct arena *out)
{
    switch (again->why) {
    case NO_RERUN_SCOPE: return "the rule is about more than two versions of one cell";
    case NO_RERUN_INTERRUPTED: return "interrupted";
    case NO_RERUN_ARM: {
        const struct execution_record *e = again->arm;
        return arena_printf(out, "%s%s could not be run: %s",
                            e->agent_version ? "version " : "the cell",
                            e->agent_version ? e->agent_version : "",
                            e->error_details ? e->error_details : "no trial was made");
    }
    case NO_RERUN_ERROR: break;
    }
    return again->error;
}

const char *regress_words_again(const struct regress *r, const struct regress_row *row,
                                struct arena *out)
{
    const struct regress_again *again = row->again;
    if (again->row) return plain_text(again->in, again->row, out);
    bool is_measured = again->outcome != REGRESS_NO_RERUN;
    return arena_printf(out, "%s, %s: %s", name_of(r, row), row->metric,
                        is_measured ? "did not happen again" : no_rerun_text(again, out));
}

/* ---- impact ---- */

static const char *case_value(const char *unit, double v, char *text)
{
    return isinf(v) ? "timed out" : human_value(unit, v, text);
}

const char *regress_words_impact(const struct regress_impact *x, struct arena *out)
{
    char then[HUMAN_SIZE];
    char now[HUMAN_SIZE];
    struct buf b;
    buf_init(&b, 1 << 20);
    if (x->case_count > 0) {
        buf_printf(&b, "%zu of %zu cases are worse by more than the threshold", x->cases_worse,
                   x->case_count);
        for (size_t i = 0; i < x->worst_count; i++) {
            buf_printf(&b, "%s %s (%s -> %s)", i ? "," : ": worst", x->worst[i].name,
                       case_value(x->unit, x->worst[i].baseline, then),
                       case_value(x->unit, x->worst[i].current, now));
        }
    }
    double grew = x->phase_count ? regress_phase_growth_ms(&x->phases[0]) : 0;
    if (grew > 0 && grew >= REGRESS_PHASE_PART * x->growth_ms) {
        const struct regress_phase *phase = &x->phases[0];
        const char *before = isnan(phase->baseline_ms)
                                 ? "is new,"
                                 : arena_printf(out, "grew most, %.4g ->", phase->baseline_ms);
        buf_printf(&b, "%sphase '%s' %s %.4g ms, of %.4g ms that a trial takes longer",
                   b.n ? "; " : "", phase->name, before, phase->current_ms, x->growth_ms);
    }
    double more = x->cost_current_usd - x->cost_baseline_usd;
    if (!isnan(more) && more != 0) {
        buf_printf(&b, "%s1000 trials cost %.4g USD %s", b.n ? "; " : "", 1000 * fabs(more),
                   more > 0 ? "more" : "less");
    }
    return buf_keep(&b, out);
}

/* ---- all of it ---- */

/* "duration on notation by 725 % [597 %, 876 %], from 2.17 ms to 17.9 ms" */
static const char *worst_text(const struct regress *r, const struct regress_row *row,
                              struct arena *out)
{
    const struct worsening *x = &row->w;
    char text[2][HUMAN_SIZE];
    if (regress_is_pattern(row->rule)) return pattern_text(r, row, out);
    const char *where = row->rule == REGRESS_WHOLE
                            ? arena_printf(out, "over %zu benchmarks together", row->cells)
                            : arena_printf(out, "on %s", r->set.pairs[row->pair].benchmark);
    const char *values =
        x->is_points
            ? arena_printf(out, "from %.1f %% to %.1f %%", 100 * x->baseline, 100 * x->current)
            : arena_printf(out, "from %s to %s", human_value(row->unit, x->baseline, text[0]),
                           human_value(row->unit, x->current, text[1]));
    return arena_printf(out, "%s %s by %s [%s, %s], %s", words_metric(row->metric, out), where,
                        words_worse_by(x, x->amount, out), words_worse_by(x, x->low, out),
                        words_worse_by(x, x->high, out), values);
}

const char *regress_words_whole(const struct regress *r, struct arena *out)
{
    if (r->compared == 0)
        return arena_printf(out, "There is nothing to compare %s with", r->set.subject);
    if (r->action == REGRESS_DO_MEND) {
        size_t loud = r->found - r->quiet;
        const char *others =
            loud > 1 ? arena_printf(out, ", the worst of %zu regressions", loud) : "";
        return arena_printf(out, "%s got worse: %s; %s%s", r->set.subject,
                            worst_text(r, r->about, out), evidence_text(r, r->about, out),
                            others);
    }
    const char *open = r->undecided == 0
                           ? ""
                           : arena_printf(out, "; %zu comparison%s undecided", r->undecided,
                                          r->undecided == 1 ? " is" : "s are");
    return arena_printf(out, "Nothing of %s was found to be worse%s%s", r->set.subject,
                        r->quiet ? " but what is muted or was judged false" : "", open);
}

/* ---- what to do ---- */

const char *regress_words_action(const struct regress *r, struct arena *out)
{
    static const char *const mend[] = {
        "none", "watch: measure it again with the next version", "investigate before release",
        "do not release", "do not release, and go back to the baseline where it is in use"};
    const struct regress_row *about = r->about;
    switch (r->action) {
    case REGRESS_DO_MEND:
        return arena_printf(out, "%s: the worst of %zu is %s (%s, %s of %s)",
                            mend[about->severity], r->found, severity_name(about->severity),
                            regress_rule_name(about->rule), about->metric,
                            subject_of(r, about, out));
    case REGRESS_DO_PIN:
        return "pin a baseline with `assay baseline set NAME RUN`, or run an earlier version: "
               "nothing has one";
    case REGRESS_DO_COMPLETE:
        if (r->incomplete == 0)
            return "ask about fewer cells at a time (--agent): not all comparisons were made";
        return arena_printf(
            out,
            "run what is missing: %zu of the baseline's cells %s not there, not "
            "complete or not comparable",
            r->incomplete, r->incomplete == 1 ? "is" : "are");
    case REGRESS_DO_MEASURE:
        return arena_printf(
            out, "measure more: %s of %s is undecided, one of %zu undecided comparisons of %zu",
            about->metric, name_of(r, about), r->open_count, r->asked);
    case REGRESS_DO_NOTHING: break;
    }
    if (r->undecided == 0) return "none";
    if (r->undecided == 1) {
        return "none; more cases or trials would decide the comparison that is open";
    }
    return arena_printf(
        out, "none; more cases or trials would decide the %zu comparisons that are open",
        r->undecided);
}

/* ---- notes ---- */

static void note_pair(struct sentences *n, const struct regress *r, size_t pair)
{
    const struct baseline_pair *p = &r->set.pairs[pair];
    if (!p->baseline) {
        sentences_add(n, "%s%s%s has no baseline: %s", p->name, p->is_agent ? " of " : "",
                      p->is_agent ? p->agent : "", words_no_baseline(p, n->out));
    }
    for (int k = 0; k < 2; k++) {
        if (!p->cut[k]) continue;
        sentences_add(n, "%s of %s is not complete, %s", p->name, words_then_now[k],
                      words_cut(p, k, n->out));
    }
    if (!p->baseline) return;
    sentences_keep(n, words_hosts(p, n->out));
    sentences_keep(n, words_settings(p, n->out));
    sentences_keep(n, words_skipped(p, n->out));
    sentences_keep(n, words_open_alarm(p, n->out));
    for (size_t i = 0; i < r->refusal_count; i++) {
        const struct regress_refusal *x = &r->refusals[i];
        if (x->pair != pair || x->gap.code == COMPARE_HOSTS) continue; /* said above, once */
        sentences_add(n, "%s, %s was not compared: %s", p->name, x->metric,
                      words_gap(&x->gap, words_then_now, n->out));
    }
}

static void note_gone(struct sentences *n, const struct regress *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        const char *gone = words_gone(&row->ask, n->out);
        if (!gone || row->rule != REGRESS_BEYOND) continue;
        sentences_add(n, "%s: %s", name_of(r, row), gone);
    }
}

/* What the current run no longer lists, and is watched since the baseline does. */
static void note_dropped(struct sentences *n, const struct regress *r, size_t pair)
{
    const char *names = NULL;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->pair != pair || !row->is_dropped) continue;
        names = names ? arena_printf(n->out, "%s, %s", names, row->metric) : row->metric;
    }
    if (!names) return;
    sentences_add(n,
                  "%s: metrics_measured no longer names all that it did in the baseline; "
                  "watched anyway: %s",
                  r->set.pairs[pair].name, names);
}

void regress_words_notes(const struct regress *r, struct sentences *n)
{
    for (size_t i = 0; i < r->set.lost_count; i++) {
        const struct baseline_lost *lost = &r->set.lost[i];
        const char *instead = words_instead(lost, n->out);
        sentences_add(n, "%s was in the baseline (run %s) and is missing now%s%s", lost->name,
                      id_short(lost->run_id), instead ? ": it ran " : "",
                      instead ? instead : "");
    }
    for (size_t i = 0; i < r->set.count; i++) note_pair(n, r, i);
    for (size_t i = 0; i < r->set.count; i++) note_dropped(n, r, i);
    note_gone(n, r);
    if (r->is_cut) {
        sentences_add(n, "only the first %zu comparisons were made: name an agent",
                      r->row_count);
    }
    if (r->single > 0) {
        sentences_add(n,
                      "%zu of %zu cells: one run against one. How much runs of one "
                      "version differ is not known, so a difference between runs "
                      "looks like one between versions; run them again%s",
                      r->single, r->compared, r->is_confirmed ? "" : ", or ask --confirm");
    }
}

/* ---- for the store ---- */

const char *regress_words_analysis(const struct regress *r, const struct regress_row *row,
                                   struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, 8 << 20); /* two texts of less than 1 MB, with escapes */
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "rule", regress_rule_name(row->rule));
    json_put_real(&j, "threshold", row->threshold);
    json_put_text(&j, "sentence", regress_words_row(r, row, out));
    json_put_text(&j, "impact", row->impact ? regress_words_impact(row->impact, out) : NULL);
    json_end(&j);
    return buf_keep(&b, out);
}
