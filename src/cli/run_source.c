#include "cli/run_source.h"

#include "base/os.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/shipped.h"
#include "cli/spec_file.h"
#include "cli/suite_store.h"

bool run_source_read(struct context *c, const char *name, struct run_source *source,
                     struct error *err)
{
    *source = (struct run_source){.path = name};
    bool is_file = strcmp(name, "-") == 0 || os_exists(name);
    if (is_file || !suite_store_find(c, name, &source->suite, NULL)) {
        const char *shipped = is_file ? NULL : shipped_spec(name, c->arena);
        if (shipped) source->path = shipped;
        return spec_file_read(source->path, c->arena, &source->bytes, err);
    }
    source->is_registered = true;
    if (source->suite.source) source->path = source->suite.source;
    source->bytes = str_of(source->suite.spec);
    return true;
}

struct spec_override run_source_overrides(struct context *c, bool is_one_liner)
{
    const struct run_options *o = c->options;
    return (struct spec_override){
        .set = o->set.items,
        .set_count = o->set.count,
        .measured = !is_one_liner && options_has(c, "measured") ? o->measured : -1,
        .warmup = !is_one_liner && options_has(c, "warmup") ? o->warmup : -1,
        .seed = options_has(c, "seed") ? o->seed : -1,
        .has_seed = options_has(c, "seed"),
        .until = o->until,
        .interleave = o->interleave && !*o->interleave ? "yes" : o->interleave,
        .only = o->only,
        .output_dir = o->out,
        .instruments = o->instruments.items,
        .instrument_count = o->instruments.count,
        .time_limit_s = o->time_limit_s,
        .concurrency = o->concurrency > 0 ? o->concurrency : -1,
        .settings = o->settings,
        .agents = o->agents.items,
        .agent_count = o->agents.count,
        .find_agent = suite_store_find_agent,
        .context = c,
    };
}
