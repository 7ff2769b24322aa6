/* What the server says about itself. */
#include "api/api.h"

#include "base/proc.h"

#include <unistd.h>

static bool reply_openapi(struct route_call *call, struct error *err)
{
    (void)err;
    route_send(call, "application/json", call->api->openapi);
    return true;
}

const struct route route_get_openapi = {
    .name = "get_openapi",
    .summary = "this document",
    .method = "GET",
    .path = "/openapi.json",
    .needs = ACCESS_OPEN,
    .is_storeless = true,
    .reply = reply_openapi,
    .schema = "{\"type\":\"object\",\"required\":[\"openapi\",\"paths\"]}",
};

/* Answers as long as the store does. */
static bool reply_health(struct route_call *call, struct error *err)
{
    struct store *store = NULL;
    uint64_t generation = 0;
    if (!api_store(call->api, call->api->options.workspace, false, &store, err) ||
        !store_generation(store, &generation, err)) {
        return refusal_set(call->refusal, 503, "the store does not answer");
    }
    route_send(call, "application/json", S("{\"status\":\"ok\"}\n"));
    return true;
}

const struct route route_get_health = {
    .name = "get_health",
    .summary = "whether the server and its store answer",
    .method = "GET",
    .path = "/healthz",
    .needs = ACCESS_OPEN,
    .is_storeless = true,
    .reply = reply_health,
    .schema = "{\"type\":\"object\",\"required\":[\"status\"],\"properties\":"
              "{\"status\":{\"const\":\"ok\"}}}",
};

/* ---- /metrics ---- */

static void put_gauge(struct buf *out, const char *name, const char *help, double value)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %.9g\n", name, help, name, name, value);
}

static void put_counter(struct buf *out, const char *name, const char *help, double value)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n%s %.9g\n", name, help, name, name,
               value);
}

static bool reply_metrics(struct route_call *call, struct error *err)
{
    (void)err;
    enum { METRICS_MAX = 1 << 20 };
    const struct api *api = call->api;
    struct buf out;
    buf_init(&out, METRICS_MAX);
    traffic_write(&api->traffic, &out);
    put_counter(&out, "assay_cache_lookups_total",
                "Answers that were looked for among kept ones.", (double)api->cache.looked);
    put_counter(&out, "assay_cache_hits_total", "Of these, those that were there.",
                (double)api->cache.hits);
    put_gauge(&out, "assay_cache_bytes", "Bytes of kept answers.", (double)api->cache.bytes);
    struct proc_stat self = {0};
    if (proc_read_stat(getpid(), &self)) {
        put_counter(&out, "process_cpu_seconds_total", "Processor time of the server.",
                    self.own_cpu_s);
        put_gauge(&out, "process_resident_memory_bytes", "Memory of the server.",
                  (double)self.rss_bytes);
    }
    buf_printf(&out,
               "# HELP assay_build_info The program.\n# TYPE assay_build_info gauge\n"
               "assay_build_info{version=\"%s\"} 1\n",
               api->options.assay_version);
    struct str body = str_copy(call->arena, buf_str(&out));
    buf_release(&out);
    route_send(call, "text/plain; version=0.0.4", body);
    return true;
}

const struct route route_get_metrics = {
    .name = "get_metrics",
    .summary = "counters of the server, for Prometheus",
    .method = "GET",
    .path = "/metrics",
    .needs = ACCESS_READ,
    .is_storeless = true,
    .reply = reply_metrics,
    .type = "text/plain; version=0.0.4",
};
