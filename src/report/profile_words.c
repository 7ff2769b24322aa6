#include "report/profile_words.h"

#include "report/words.h"

const char *profile_words_rule(const struct profile_finding *f)
{
    return profile_rule_at(f->rule)->name;
}

static const char *cause_of(const struct profile_finding *f, struct arena *out)
{
    const char *part = words_part(f->share, out);
    switch (f->rule) {
    case PROFILE_SLOW_PHASE:
        return arena_printf(
            out, "%s of the time is spent in this phase [rule slow-phase: at least", part);
    case PROFILE_SERIAL_PHASES:
        return arena_printf(out,
                            "a serial section: %.1f of these phases a trial ran one after the "
                            "other [rule serial-phases: all but the longest are %s of the "
                            "time, at least",
                            f->part, part);
    case PROFILE_WASTED_TOKENS:
        return arena_printf(out,
                            "%.0f of %.0f tokens went to attempts that failed or were made "
                            "again [rule wasted-tokens: %s, at least",
                            f->part, f->whole, part);
    case PROFILE_CACHE_MISSES:
        return arena_printf(out,
                            "%.0f of %.0f input tokens missed the cache [rule cache-misses: "
                            "%s hit, below",
                            f->part, f->whole, part);
    case PROFILE_HOT_FUNCTION:
        return arena_printf(
            out,
            "%s of the processor time is spent in this function itself "
            "[rule hot-function: %.0f of %.0f samples (%d are needed), at least",
            part, f->part, f->whole, (int)PROFILE_HOT_LEAST);
    case PROFILE_ONE_PROCESSOR:
        return arena_printf(out,
                            "one of %.0f processors is busy %s of the time [rule "
                            "one-processor: at least",
                            f->whole, part);
    case PROFILE_RULE_COUNT: break;
    }
    return "";
}

const char *profile_words_cause(const struct profile_finding *f, struct arena *out)
{
    return arena_printf(out, "%s %.0f %%]", cause_of(f, out), 100 * f->threshold);
}

const char *profile_words_suggestion(const struct profile_finding *f, struct arena *out)
{
    switch (f->rule) {
    case PROFILE_SLOW_PHASE:
        return f->before
                   ? arena_printf(out, "look here after '%s', which takes longer", f->before)
                   : "look here first: no other phase can gain more";
    case PROFILE_SERIAL_PHASES:
        return "run them at the same time where they do not need each other";
    case PROFILE_WASTED_TOKENS:
        return "find out why attempts fail: rate limits, answers that cannot be read, time "
               "limits";
    case PROFILE_CACHE_MISSES: return "put what stays the same at the start of the prompt";
    case PROFILE_HOT_FUNCTION: return "make it cheaper, or call it less often";
    case PROFILE_ONE_PROCESSOR: return "spread the work over all processors";
    case PROFILE_RULE_COUNT: break;
    }
    return "";
}

static const char *saving_of(const struct profile_finding *f, struct arena *out)
{
    switch (f->rule) {
    case PROFILE_SLOW_PHASE:
        return arena_printf(out, "halving '%s' (%.1f ms of %.1f ms a trial) would save %.0f %%",
                            f->location, f->part, f->whole, 50 * f->share);
    case PROFILE_SERIAL_PHASES:
        return arena_printf(out,
                            "running '%s' at the same time would save up to %.1f ms a trial",
                            f->location, f->whole);
    case PROFILE_WASTED_TOKENS:
        return arena_printf(out, "answers at the first attempt would save %.0f tokens",
                            f->part);
    case PROFILE_CACHE_MISSES:
        return arena_printf(out, "up to %.0f input tokens could come from the cache", f->part);
    case PROFILE_HOT_FUNCTION:
        return arena_printf(out,
                            "halving the work of '%s' would save %.0f %% of the processor time",
                            f->location, 50 * f->share);
    case PROFILE_ONE_PROCESSOR:
        return arena_printf(out,
                            "the work keeps one of %.0f processors busy %.0f %% of the time: "
                            "spread over all it would take at best %.0f %% less",
                            f->whole, 100 * f->share, 100 * (1 - 1 / f->whole));
    case PROFILE_RULE_COUNT: break;
    }
    return "";
}

const char *profile_words_improvement(const struct profile_finding *f, struct arena *out)
{
    return arena_printf(out, "%s [rule %s: share %.2f, threshold %.2f]", saving_of(f, out),
                        profile_words_rule(f), f->share, f->threshold);
}
