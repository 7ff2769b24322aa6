/* assay/plugin.h - an agent as a shared library.
 *
 * A plugin exports one function, assay_plugin, and answers tasks inside the
 * process that measures. It is for agents that are libraries: no process is
 * started and nothing is copied, so that what is measured is the agent.
 *
 *     static const struct assay_plugin plugin = {
 *         .abi = ASSAY_PLUGIN_ABI,
 *         .struct_size = sizeof plugin,
 *         .name = "echo",
 *         .answer = echo_answer,
 *     };
 *     const struct assay_plugin *assay_plugin(uint32_t host_abi)
 *     {
 *         return host_abi == ASSAY_PLUGIN_ABI ? &plugin : NULL;
 *     }
 *     cc -shared -fPIC -o echo.so echo.c
 *
 * Everything is called from one thread, and never two calls at once. A plugin
 * that crashes or hangs has failed one task; it is loaded again in a new
 * process.
 *
 * Compatibility: `abi` changes when the meaning of a field changes. New fields
 * are added at the end of structs, whose size comes first: who reads a struct
 * must not look beyond the size that the other side states.
 */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_PLUGIN_ABI 1u

struct assay_bytes {
    const char *data;
    size_t size;
};

/* Belongs to the host; valid during the call. */
struct assay_task {
    size_t struct_size;
    struct assay_bytes case_id;
    struct assay_bytes conversation; /* size 0 = none */
    int64_t turn;
    struct assay_bytes input;
    int32_t input_is_json;
    uint64_t seed;
};

enum assay_result {
    ASSAY_OK = 0,
    ASSAY_ERROR = 1 /* the agent could not; `error` says why */
};

/* Numbers are negative where they are not known. Filled with -1 and empty bytes
 * before the call. What the bytes point to belongs to the plugin until
 * `release`. */
struct assay_answer {
    size_t struct_size;
    struct assay_bytes output; /* UTF-8 */
    struct assay_bytes error;
    double input_tokens;
    double output_tokens;
    double cache_read_tokens;
    double api_calls;
    double cost_usd;
    void *owner; /* for the plugin's own use */
};

struct assay_plugin {
    uint32_t abi;
    uint32_t struct_size;
    const char *name;

    /* Once. config_json is the agent's `config:` map ("{}" if there is none).
     * Returns 0, or writes why not to `why` (NUL-terminated) and returns
     * another number. May be NULL. */
    int (*open)(void **self, const char *config_json, char *why, size_t why_size);

    /* The measured call. Required. */
    int (*answer)(void *self, const struct assay_task *task, struct assay_answer *answer);

    /* After every call of answer. May be NULL. */
    void (*release)(void *self, struct assay_answer *answer);

    /* Once, if open was successful. May be NULL. */
    void (*close)(void *self);
};

/* What a plugin exports. NULL = this host's ABI is not spoken. */
const struct assay_plugin *assay_plugin(uint32_t host_abi);

#ifdef __cplusplus
}
#endif

#endif
