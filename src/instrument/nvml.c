#include "instrument/nvml.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

/* ISO C has no conversion from what dlsym gives to a function. */
static bool load(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

bool nvml_open(struct nvml *n, struct error *err)
{
    int (*init)(void) = NULL;
    int (*count)(unsigned *) = NULL;
    *n = (struct nvml){.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    if (!n->library) {
        return error_set(err, ERROR_UNAVAILABLE, "no NVIDIA driver library (" LIBRARY ")");
    }
    bool is_whole = load(n->library, "nvmlInit_v2", &init) &&
                    load(n->library, "nvmlShutdown", &n->shutdown) &&
                    load(n->library, "nvmlDeviceGetCount_v2", &count) &&
                    load(n->library, "nvmlDeviceGetHandleByIndex_v2", &n->handle) &&
                    load(n->library, "nvmlDeviceGetUtilizationRates", &n->utilization) &&
                    load(n->library, "nvmlDeviceGetMemoryInfo", &n->memory);
    int failed = is_whole ? init() : 0;
    if (!is_whole || failed) {
        dlclose(n->library);
        n->library = NULL;
        return error_set(err, ERROR_UNAVAILABLE, LIBRARY ": %s (%d)",
                         is_whole ? "nvmlInit failed" : "too old", failed);
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
