/* What can be measured around a trial. Adding one is adding a file and a line here. */
#include "instrument/instrument.h"

/* clang-format off */
#define INSTRUMENTS(X) \
    X(timing) \
    X(rusage) \
    X(resources) \
    X(perf) \
    X(profile)   \
    X(gpu)
/* clang-format on */

#define DECLARE(id) extern const struct instrument instrument_##id;
INSTRUMENTS(DECLARE)
#undef DECLARE

#define ENTRY(id) &instrument_##id,
static const struct instrument *const instruments[] = {INSTRUMENTS(ENTRY)};
#undef ENTRY

const struct instrument *instrument_at(size_t i)
{
    return i < COUNT(instruments) ? instruments[i] : NULL;
}

const struct instrument *instrument_find(struct str name_or_alias)
{
    for (size_t i = 0; i < COUNT(instruments); i++) {
        const struct instrument *it = instruments[i];
        if (str_is(name_or_alias, it->name)) return it;
        if (it->alias && str_is(name_or_alias, it->alias)) return it;
    }
    return NULL;
}
