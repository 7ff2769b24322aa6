/* The formats that can be imported, in the order in which they look at unknown
 * bytes: the particular before the general. Adding one is adding a file and a line here. */
#include "interop/import.h"

/* clang-format off */
#define ROW struct importer
#define ROW_OF(id) importer_##id
#define ROWS(X) \
    X(hyperfine) \
    X(google_benchmark) \
    X(pytest_benchmark) \
    X(agentfarm) \
    X(record) \
    X(hlog) \
    X(jsonl) \
    X(csv)
/* clang-format on */

REGISTRY_ROWS(importer)

const struct importer *importer_choose(const char *format, struct str bytes, struct error *err)
{
    const struct importer *found = format ? importer_find(str_of(format)) : NULL;
    for (size_t i = 0; !format && !found && importer_at(i); i++) {
        if (importer_at(i)->detect(bytes)) found = importer_at(i);
    }
    if (found) return found;
    if (format) {
        error_set(err, ERROR_INVALID, "unknown format '%s'%s", format,
                  registry_hint(importer_entry, str_of(format)).text);
    } else {
        error_set(err, ERROR_INVALID,
                  "the format is not recognized; name one with --format: %s",
                  registry_names(importer_entry).text);
    }
    return NULL;
}
