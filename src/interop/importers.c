/* The importers, in the order in which they look at unknown bytes: the particular
 * before the general. */
#include "interop/import.h"

#include "base/buf.h"

#define IMPORTERS(X)    \
    X(hyperfine)        \
    X(google_benchmark) \
    X(pytest_benchmark) \
    X(agentfarm)        \
    X(record)           \
    X(hlog)             \
    X(jsonl)            \
    X(csv)

#define DECLARE(id) extern const struct importer importer_##id;
IMPORTERS(DECLARE)
#undef DECLARE

#define ENTRY(id) &importer_##id,
static const struct importer *const importers[] = {IMPORTERS(ENTRY)};
#undef ENTRY

const struct importer *importer_at(size_t i)
{
    return i < COUNT(importers) ? importers[i] : NULL;
}

const struct importer *importer_find(const char *name)
{
    for (size_t i = 0; i < COUNT(importers); i++) {
        if (strcmp(importers[i]->name, name) == 0) return importers[i];
    }
    return NULL;
}

const struct importer *importer_choose(const char *format, struct str bytes, struct error *err)
{
    const char *names[COUNT(importers)];
    char list[200];
    struct buf b;
    buf_over(&b, list, sizeof list);
    for (size_t i = 0; i < COUNT(importers); i++) {
        names[i] = importers[i]->name;
        buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
    }
    if (format) {
        const struct importer *found = importer_find(format);
        const char *meant = found ? NULL : str_suggest(str_of(format), names, COUNT(names));
        if (!found) {
            error_set(err, ERROR_INVALID, "unknown format '%s'%s%s; there are %s", format,
                      meant ? ", did you mean " : "", meant ? meant : "", list);
        }
        return found;
    }
    for (size_t i = 0; i < COUNT(importers); i++) {
        if (importers[i]->detect(bytes)) return importers[i];
    }
    error_set(err, ERROR_INVALID,
              "not a format that is known by its looks; name one with "
              "--format: %s",
              list);
    return NULL;
}
