/* Use of NVIDIA devices during a trial, by looking at them from the runner:
 * through the driver's library, or through nvidia-smi where only that is
 * there. The numbers are the devices', whoever uses them: keep others off. */
#include "base/os.h"
#include "instrument/instrument.h"
#include "instrument/nvml.h"

#include <math.h>

enum { UTILIZATION_MEAN, UTILIZATION_MAX, MEMORY_MEAN, MEMORY_MAX, SAMPLES };
enum { SMI_TIMEOUT_MS = 5000 };

struct config {
    int64_t interval_ms;
};

struct state {
    struct nvml nvml;
    struct gpu_reading sum, max;
    int64_t looks;
};

static const struct param options[] = {
    {"interval_ms", PARAM_INT, .offset = offsetof(struct config, interval_ms),
     .fallback = "500", .min = 50, .max = 3600000, .unit = "ms",
     .help = "time between two readings of the devices"},
};

static const struct metric metrics[] = {
    [UTILIZATION_MEAN] =
        {"gpu_utilization_mean", "%", DIRECTION_NONE, "gpu_utilization_mean/1",
         "share of time with a kernel running, mean over readings and devices"},
    [UTILIZATION_MAX] = {"gpu_utilization_max", "%", DIRECTION_NONE, "gpu_utilization_max/1",
                         "share of time with a kernel running, largest seen"},
    [MEMORY_MEAN] = {"gpu_memory_mean_mb", "MB", DIRECTION_LOWER, "gpu_memory_mean/1",
                     "device memory in use, mean, all devices, 1 MB = 1,000,000 bytes"},
    [MEMORY_MAX] = {"gpu_memory_max_mb", "MB", DIRECTION_LOWER, "gpu_memory_max/1",
                    "device memory in use, largest seen, all devices, 1 MB = 1,000,000 bytes"},
    [SAMPLES] = {"gpu_samples", "1", DIRECTION_NONE, "gpu_samples/1",
                 "number of readings of the devices"},
};

/* One line per device: "37, 1024", in percent and MiB. */
static bool parse_smi(struct str text, struct gpu_reading *out)
{
    *out = (struct gpu_reading){0};
    double devices = 0;
    text = str_trim(text);
    while (text.p && text.n > 0) {
        struct str memory = str_cut(&text, '\n');
        struct str utilization = str_cut(&memory, ',');
        double percent = 0, mib = 0;
        if (!str_to_real(str_trim(utilization), &percent) ||
            !str_to_real(str_trim(memory), &mib)) {
            return false;
        }
        out->utilization_percent += percent;
        out->memory_bytes += mib * 1048576;
        devices++;
    }
    if (devices > 0) out->utilization_percent /= devices;
    return devices > 0;
}

static bool read_smi(struct gpu_reading *out, struct error *err)
{
    static const char *const argv[] = {"nvidia-smi", "--query-gpu=utilization.gpu,memory.used",
                                       "--format=csv,noheader,nounits", NULL};
    struct arena scratch = arena_open();
    struct os_output result = {0};
    bool done = false;
    if (!os_find_program(argv[0], &scratch)) {
        error_set(err, ERROR_UNAVAILABLE, "no nvidia-smi");
    } else if (!os_capture(argv, SMI_TIMEOUT_MS, 65536, &scratch, &result, err)) {
        if (err) err->code = ERROR_UNAVAILABLE;
    } else if (result.exit_code != 0 || result.timed_out) {
        struct str said = str_trim(result.text);
        error_set(err, ERROR_UNAVAILABLE, "nvidia-smi ended with exit code %d: %.*s",
                  result.exit_code, STR_ARG(said));
    } else if (!parse_smi(result.text, out)) {
        struct str said = str_trim(result.text);
        error_set(err, ERROR_UNAVAILABLE, "nvidia-smi gives no use of a device: %.*s",
                  STR_ARG(said));
    } else {
        done = true;
    }
    arena_close(&scratch);
    return done;
}

/* Leaves the library open if it is the source. */
static bool find_source(struct nvml *nvml, struct error *err)
{
    struct gpu_reading reading;
    struct error no_library = {0}, no_tool = {0};
    if (nvml_open(nvml, &no_library) || read_smi(&reading, &no_tool)) return true;
    return error_set(err, ERROR_UNAVAILABLE, "%.250s and %.300s", no_library.text,
                     no_tool.text);
}

static bool gpu_available(const void *config, struct error *err)
{
    (void)config;
    struct nvml nvml;
    if (!find_source(&nvml, err)) return false;
    nvml_close(&nvml);
    return true;
}

static int64_t gpu_watch_interval_ns(const void *config)
{
    return ((const struct config *)config)->interval_ms * 1000000;
}

static bool gpu_watch_open(void *state, const void *config,
                           const struct instrument_subject *subject, struct error *err)
{
    (void)config;
    (void)subject;
    struct state *s = state;
    return find_source(&s->nvml, err);
}

static void gpu_watch_begin(void *state)
{
    struct state *s = state;
    s->sum = s->max = (struct gpu_reading){0};
    s->looks = 0;
}

static void gpu_watch_tick(void *state)
{
    struct state *s = state;
    struct gpu_reading r;
    if (!(s->nvml.library ? nvml_read(&s->nvml, &r) : read_smi(&r, NULL))) return;
    s->sum.utilization_percent += r.utilization_percent;
    s->sum.memory_bytes += r.memory_bytes;
    s->max.utilization_percent = fmax(s->max.utilization_percent, r.utilization_percent);
    s->max.memory_bytes = fmax(s->max.memory_bytes, r.memory_bytes);
    s->looks++;
}

static void gpu_watch_end(void *state, double *values, struct buf *curve)
{
    (void)curve;
    const struct state *s = state;
    values[SAMPLES] = (double)s->looks;
    if (s->looks == 0) return;
    values[UTILIZATION_MEAN] = s->sum.utilization_percent / (double)s->looks;
    values[UTILIZATION_MAX] = s->max.utilization_percent;
    values[MEMORY_MEAN] = s->sum.memory_bytes / (double)s->looks / 1e6;
    values[MEMORY_MAX] = s->max.memory_bytes / 1e6;
}

static void gpu_watch_close(void *state)
{
    struct state *s = state;
    nvml_close(&s->nvml);
}

const struct instrument instrument_gpu = {
    .name = "gpu",
    .summary = "use and memory of NVIDIA devices",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct config),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .state_size = sizeof(struct state),
    .available = gpu_available,
    .watch_interval_ns = gpu_watch_interval_ns,
    .watch_open = gpu_watch_open,
    .watch_begin = gpu_watch_begin,
    .watch_tick = gpu_watch_tick,
    .watch_end = gpu_watch_end,
    .watch_close = gpu_watch_close,
};
