#include "experiment/declared.h"

#include "experiment/experiment.h"
#include "instrument/instrument.h"

static enum kind find(const struct registry_entry *entry, const char *name,
                      const char *definition)
{
    for (size_t i = 0; i < entry->metric_count; i++) {
        const struct metric *m = &entry->metrics[i];
        if (strcmp(m->name, name) == 0 && strcmp(m->definition, definition) == 0)
            return m->kind;
    }
    return KIND_UNSAID;
}

enum kind declared_kind(const char *name, const char *definition)
{
    static registry_entry_at *const registries[] = {experiment_entry, instrument_entry};
    bool is_duration = strcmp(name, metric_duration.name) == 0 &&
                       strcmp(definition, metric_duration.definition) == 0;
    enum kind kind = is_duration ? metric_duration.kind : KIND_UNSAID;
    for (size_t r = 0; r < COUNT(registries); r++) {
        const struct registry_entry *entry = NULL;
        for (size_t i = 0; kind == KIND_UNSAID && (entry = registries[r](i)); i++)
            kind = find(entry, name, definition);
    }
    return kind;
}

enum kind declared_kind_of(const struct series_record *s)
{
    if (s->kind != KIND_UNSAID) return s->kind;
    enum kind declared = declared_kind(s->metric, s->definition ? s->definition : "");
    return declared != KIND_UNSAID ? declared
                                   : metric_guess_kind(s->unit, s->samples, s->count);
}
