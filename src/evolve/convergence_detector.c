#include "evolve/convergence_detector.h"

enum { PLATEAU_WINDOW = 10, DESIGN_FIRST = 10, DESIGN_WINDOW = 5 };

static const double flat = 0.01;
static const double significant = 0.005; /* of the best score */
static const double good_enough = 0.89;  /* below it a stop is too often false */
static const double false_above = 0.02;  /* of the score at the stop */

const char *const convergence_rule_names[] = {"plateau", "design", "patient", NULL};
const char *const convergence_reason_names[] = {
    "not_converged", "excellent_score",        "plateau",
    "velocity_drop", "max_iterations_reached", NULL};

/* Best-so-far never falls: the ends of a window are its least and its largest. */
static bool is_flat(const double *history, size_t count, size_t window)
{
    return count >= window && history[count - 1] - history[count - window] < flat;
}

static double mean_step(const double *history, size_t from, size_t to)
{
    return (history[to] - history[from]) / (double)(to - from);
}

static enum convergence_reason by_design(const struct convergence_detector *d,
                                         const double *history, size_t count)
{
    if (count < DESIGN_FIRST) return CONVERGENCE_NOT_YET;
    if (history[count - 1] >= 0.85 + 0.05 * d->difficulty) return CONVERGENCE_EXCELLENT;
    if (is_flat(history, count, DESIGN_WINDOW)) return CONVERGENCE_FLAT;
    double last = mean_step(history, count - 1 - DESIGN_WINDOW, count - 1);
    if (count > DESIGN_WINDOW && last < 0.2 * mean_step(history, 0, DESIGN_WINDOW))
        return CONVERGENCE_SLOWED;
    return CONVERGENCE_NOT_YET;
}

/* The last iteration (1-based) at which the best had risen significantly since the one before
 * it; small steps count once they add up. */
static size_t last_significant(const double *history, size_t count)
{
    size_t last = 1;
    for (size_t i = 1; i < count; i++) {
        if (history[i] - history[last - 1] > significant * history[i]) last = i + 1;
    }
    return last;
}

static bool is_waited_for(const struct convergence_detector *d, const double *history,
                          size_t count)
{
    if (!(history[count - 1] >= good_enough)) return false; /* nor is NaN */
    size_t last = last_significant(history, count);
    double waited = (double)(count - last);
    return waited >= 70 + 170 * d->difficulty && count - last >= last;
}

enum convergence_reason convergence_check(const struct convergence_detector *d,
                                          const double *history, size_t count)
{
    enum convergence_reason reason = CONVERGENCE_NOT_YET;
    if (d->rule == CONVERGENCE_DESIGN) {
        reason = by_design(d, history, count);
    } else if (d->rule == CONVERGENCE_PLATEAU) {
        if (is_flat(history, count, PLATEAU_WINDOW + 1)) reason = CONVERGENCE_FLAT;
    } else if (is_waited_for(d, history, count)) {
        reason = CONVERGENCE_FLAT;
    }
    if (reason == CONVERGENCE_NOT_YET && (int64_t)count >= d->cap) return CONVERGENCE_CAP;
    return reason;
}

bool convergence_is_known(size_t count, size_t stop)
{
    return stop > 0 && count / CONVERGENCE_WATCHED >= stop;
}

bool convergence_is_false(const double *history, size_t stop, size_t end)
{
    return history[end - 1] > history[stop - 1] * (1 + false_above);
}
