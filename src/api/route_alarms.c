/* What people say of an alarm: was it a regression, and shall it be quiet for a while? As
 * `assay ack` and `assay mute`; who says so is the token's name. */
#include "api/api.h"
#include "history/alarm.h"

#include <math.h>

struct mark_params {
    int64_t alarm_id;
    int judgement;
    const char *reason;
    double expires_s;
    bool clear;
};

#define AT(field) .offset = offsetof(struct mark_params, field)
#define ALARM                                                                                  \
    {                                                                                          \
        "alarm_id", PARAM_INT, AT(alarm_id), .required = true, .min = 1, .max = INFINITY,      \
                                             .help = "its number, as /benchmarks/regressions " \
                                                     "lists it"                                \
    }
#define REASON                                                                       \
    {                                                                                \
        "reason", PARAM_TEXT, AT(reason), .help = "why, for those who read it later" \
    }
#define CLEAR                                                             \
    {                                                                     \
        "clear", PARAM_BOOL, AT(clear), .help = "take back what was said" \
    }

static const char *const judgements[] = {"real", "false", NULL};

static const struct param ack_rows[] = {
    ALARM,
    {"judgement", PARAM_CHOICE, AT(judgement), .choices = judgements, .fallback = "\"real\"",
     .help = "real: it got worse, and keeps failing; false: not a regression, and ignored"},
    REASON,
    CLEAR,
};

static const struct param mute_rows[] = {
    ALARM,
    REASON,
    {"expires", PARAM_SPAN, AT(expires_s), .fallback = "\"14d\"", .max = 366.0 * 86400,
     .open = true, .help = "for how long"},
    CLEAR,
};

static bool mark(struct route_call *call, struct alarm_mark mark, struct error *err)
{
    const struct mark_params *p = call->params;
    struct alarm_list marked;
    struct alarm_choice choice = {.ids = &p->alarm_id, .id_count = 1};
    mark.clears = p->clear;
    mark.reason = p->reason;
    mark.by = call->who->name;
    if (!mark.clears && !(p->reason && *p->reason)) {
        refusal_add(call->refusal, S("reason"), "is missing: others will want to know");
        return refusal_set(call->refusal, 400, "a reason is needed");
    }
    if (!alarm_mark(call->store, &choice, &mark, call->arena, &marked, err)) return false;
    route_send_answer(call, &answer_marked, &marked);
    return true;
}

static bool reply_acknowledge(struct route_call *call, struct error *err)
{
    const struct mark_params *p = call->params;
    return mark(call, (struct alarm_mark){.judges = true, .is_real = p->judgement == 0}, err);
}

static bool reply_mute(struct route_call *call, struct error *err)
{
    const struct mark_params *p = call->params;
    return mark(call, (struct alarm_mark){.mute_s = p->expires_s}, err);
}

const struct route route_acknowledge_regression = {
    .name = "acknowledge_regression",
    .summary = "says whether an alarm was real; the detector's record follows",
    .method = "POST",
    .path = "/benchmarks/regressions/{alarm_id}/acknowledge",
    .needs = ACCESS_RUN,
    .writes = true,
    .params = {ack_rows, COUNT(ack_rows)},
    .config_size = sizeof(struct mark_params),
    .reply = reply_acknowledge,
    .answer = &answer_marked,
};

const struct route route_mute_regression = {
    .name = "mute_regression",
    .summary = "makes an alarm quiet for a while: it is named and fails nothing",
    .method = "POST",
    .path = "/benchmarks/regressions/{alarm_id}/mute",
    .needs = ACCESS_RUN,
    .writes = true,
    .params = {mute_rows, COUNT(mute_rows)},
    .config_size = sizeof(struct mark_params),
    .reply = reply_mute,
    .answer = &answer_marked,
};
