#include "instrument/nvml.h"

#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

bool nvml_open(struct nvml *n, struct error *err)
{
    int (*init)(void) = NULL;
    int (*count)(unsigned *) = NULL;
    *n = (struct nvml){0};
    const struct library_symbol symbols[] = {
        {"nvmlInit_v2", &init},
        {"nvmlShutdown", &n->shutdown},
        {"nvmlDeviceGetCount_v2", &count},
        {"nvmlDeviceGetHandleByIndex_v2", &n->handle},
        {"nvmlDeviceGetUtilizationRates", &n->utilization},
        {"nvmlDeviceGetMemoryInfo", &n->memory},
    };
    if (!library_load(LIBRARY, "no NVIDIA driver library (" LIBRARY ")", symbols,
                      COUNT(symbols), &n->library, err))
        return false;
    int failed = init();
    if (failed) {
        dlclose(n->library);
        n->library = NULL;
        return error_set(err, ERROR_UNAVAILABLE, LIBRARY ": nvmlInit failed (%d)", failed);
    }
    if (count(&n->devices) != 0 || n->devices == 0) {
        nvml_close(n);
        return error_set(err, ERROR_UNAVAILABLE, LIBRARY ": no device");
    }
    return true;
}

bool nvml_read(const struct nvml *n, struct gpu_reading *out)
{
    *out = (struct gpu_reading){0};
    for (unsigned i = 0; i < n->devices; i++) {
        void *device = NULL;
        struct {
            unsigned gpu, memory;
        } rates = {0};
        struct {
            unsigned long long total, free, used;
        } info = {0};
        if (n->handle(i, &device) != 0 || n->utilization(device, &rates) != 0 ||
            n->memory(device, &info) != 0) {
            return false;
        }
        out->utilization_percent += (double)rates.gpu / n->devices;
        out->memory_bytes += (double)info.used;
    }
    return true;
}

void nvml_close(struct nvml *n)
{
    if (!n->library) return;
    n->shutdown();
    dlclose(n->library);
    n->library = NULL;
}
