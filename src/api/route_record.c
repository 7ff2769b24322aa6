/* POST /benchmarks/record: executions from outside, as `assay record` takes them on its
 * standard input: one object, a list, or one object a line. */
#include "api/api.h"
#include "interop/import.h"
#include "report/answer_done.h"

static bool reply(struct route_call *call, struct error *err)
{
    struct imported *in = NULL;
    struct run_record run;
    bool is_new = false;
    struct import_options none = {0};
    struct import_origin origin = {.assay_version = call->api->options.assay_version};
    if (call->request->body.n == 0)
        return refusal_set(call->refusal, 400, "the body is missing: what was executed");
    if (!import_read(importer_find(S("record")), call->request->body, &none, call->arena, &in,
                     err) ||
        !import_write(call->store, in, &origin, call->arena, &run, &is_new, err))
        return false;
    const struct answer_record a = {.records = imported_trials(in), .run = run.id};
    route_send_answer(call, &answer_record, &a);
    return true;
}

const struct route route_record = {
    .name = "record",
    .summary = "store executions that another program made",
    .method = "POST",
    .path = "/benchmarks/record",
    .needs = ACCESS_RUN,
    .writes = true,
    .takes_body = true,
    .reply = reply,
    .answer = &answer_record,
};
