/* nvml.h - the boundary to NVIDIA's management library, loaded when asked for.
 *
 * Only the six calls below are used, whose shapes NVIDIA has kept since 2012
 * (NVML API reference, "nvmlUtilization_t", "nvmlMemory_t"). */
#ifndef INSTRUMENT_NVML_H
#define INSTRUMENT_NVML_H

#include "base/error.h"

/* All devices together. */
struct gpu_reading {
    double utilization_percent; /* mean over devices */
    double memory_bytes;        /* sum */
};

struct nvml {
    void *library; /* NULL = not loaded */
    unsigned devices;
    int (*shutdown)(void);
    int (*handle)(unsigned index, void **device);
    int (*utilization)(void *device, void *rates);
    int (*memory)(void *device, void *info);
};

/* False if there is no such library, or it finds no driver or no device. */
MUST_USE bool nvml_open(struct nvml *n, struct error *err);
MUST_USE bool nvml_read(const struct nvml *n, struct gpu_reading *out);
void nvml_close(struct nvml *n);

#endif
