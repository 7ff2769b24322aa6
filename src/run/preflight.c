#include "run/preflight.h"

static bool has_instrument(const struct spec_instrument *s, struct arena *out,
                           struct error *err)
{
    if (!s->row->available) return true;
    void *config = arena_alloc(out, 1, s->row->config_size + 1, _Alignof(max_align_t));
    return param_read(s->row->params, s->options, config, out, err) &&
           s->row->available(config, err);
}

static bool check_instruments(struct spec_entry *e, struct arena *out, struct buf *missing,
                              struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->instrument_count; i++) {
        const struct spec_instrument *s = &e->instruments[i];
        if (has_instrument(s, out, err)) {
            e->instruments[kept++] = *s;
            continue;
        }
        if (!s->optional) {
            return error_wrap(
                err, "instrument '%s' (with optional: true the run continues without it)",
                s->row->name);
        }
        buf_printf(missing, "without instrument '%s': %s\n", s->row->name, err->text);
    }
    e->instrument_count = kept;
    return true;
}

bool preflight(struct spec *spec, struct arena *out, struct buf *missing, struct error *err)
{
    for (size_t i = 0; i < spec->entry_count; i++) {
        struct spec_entry *e = &spec->entries[i];
        if (e->experiment->available && !e->experiment->available(NULL, err)) {
            return error_wrap(err, "experiment '%s'", e->experiment->name);
        }
        struct preflight_report report = {.missing = missing};
        if (!check_instruments(e, out, missing, err) ||
            !preflight_agents(e, out, &report, err)) {
            return false;
        }
    }
    return true;
}

size_t preflight_lacking(const struct spec *spec, struct arena *out)
{
    struct buf said;
    buf_init(&said, 1 << 16);
    struct preflight_report report = {.missing = &said};
    bool done = true;
    for (size_t i = 0; i < spec->entry_count && done; i++) {
        done = preflight_agents(&spec->entries[i], out, &report, NULL);
    }
    buf_release(&said);
    return report.lacking;
}
