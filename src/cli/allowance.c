/* Failures of a trial are counted by who is to blame: of commands every trial that was not
 * ok counts; of agents, unless a limit was stated, only what the harness did wrong, as
 * scores and gates judge the rest. Shares are of the trials that were attempted. */
#include "cli/allowance.h"

#include "base/plain.h"
#include "base/str.h"
#include "cli/run_options.h"

#include <inttypes.h>
#include <math.h>

bool allowance_parse(const char *text, struct allowance *out, struct error *err)
{
    *out = (struct allowance){.is_stated = text != NULL};
    if (!text) return true;
    struct str number = str_of(text);
    out->is_share = str_ends(number, S("%"));
    if (out->is_share) {
        number.n--;
        number = str_trim(number);
    }
    bool is_right = str_to_real(number, &out->most) && out->most >= 0 &&
                    (out->is_share ? out->most <= 100 : out->most == floor(out->most));
    return is_right || error_set(err, ERROR_INVALID,
                                 "option '--allow-failures' takes a number of trials or a "
                                 "share of a cell's trials, as in 2 or 5%% (is '%s')",
                                 text);
}

static bool is_agent(const struct execution_record *x)
{
    return strcmp(x->experiment, "suite") == 0;
}

/* The trials of the cell that count as failures. */
static int64_t failures_of(const struct allowance *a, const struct execution_record *x)
{
    const struct trial_counts *c = &x->counts;
    bool is_ours_only = is_agent(x) && !a->is_stated;
    return is_ours_only ? c->by_status[TRIAL_HARNESS_ERROR]
                        : c->attempted - c->by_status[TRIAL_OK];
}

static bool is_exceeded(const struct allowance *a, const struct execution_record *x)
{
    double most = a->is_share ? a->most / 100 * (double)x->counts.attempted : a->most;
    /* 7 % of 100 is a little more than 7 in binary, or a little less. */
    return (double)failures_of(a, x) > most + 1e-9;
}

static void say_exceeded(const struct allowance *a, const struct execution_record *x,
                         size_t others)
{
    struct buf b;
    buf_init(&b, 1 << 12);
    plain_add(&b, str_of(x->label), SIZE_MAX);
    fprintf(stderr, "assay: %.*s: %" PRId64 " of %" PRId64 " trials %s, and %g%s %s allowed",
            STR_ARG(buf_str(&b)), failures_of(a, x), x->counts.attempted,
            is_agent(x) && !a->is_stated ? "were harness errors" : "failed", a->most,
            a->is_share ? " %" : "", a->most == 1 ? "is" : "are");
    if (others > 0) {
        fprintf(stderr, "; %zu other cell%s too many as well", others,
                others == 1 ? " has" : "s have");
    }
    fprintf(stderr, " (%s--allow-failures N or P%% changes that)\n",
            x->status == RUN_PARTIAL ? "--resume repeats the cell; " : "");
    buf_release(&b);
}

bool allowance_check(const struct context *c, struct store *store, const char *run_id,
                     bool *exceeded, struct error *err)
{
    const struct run_options *o = c->options;
    struct allowance a;
    struct execution_record *cells = NULL;
    size_t count = 0;
    if (!allowance_parse(o->allow_failures, &a, err) ||
        !store_list_executions(store, run_id, c->arena, &cells, &count, err))
        return false;
    const struct execution_record *first = NULL;
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_exceeded(&a, &cells[i])) continue;
        if (first) {
            others++;
        } else {
            first = &cells[i];
        }
    }
    *exceeded = first != NULL;
    if (first) say_exceeded(&a, first, others);
    return true;
}
