/* What a run can be turned into. Adding one is adding a file and a line here. */
#include "report/report.h"

#define REPORTERS(X) \
    X(text)          \
    X(json)          \
    X(csv)           \
    X(markdown)      \
    X(html)

#define DECLARE(id) extern const struct reporter reporter_##id;
REPORTERS(DECLARE)
#undef DECLARE

#define ENTRY(id) &reporter_##id,
static const struct reporter *const reporters[] = {REPORTERS(ENTRY)};
#undef ENTRY

const struct reporter *reporter_at(size_t i)
{
    return i < COUNT(reporters) ? reporters[i] : NULL;
}

const struct reporter *reporter_find(struct str name_or_extension)
{
    for (size_t i = 0; i < COUNT(reporters); i++) {
        if (str_is(name_or_extension, reporters[i]->name)) return reporters[i];
    }
    for (size_t i = 0; i < COUNT(reporters); i++) {
        if (str_is(name_or_extension, reporters[i]->extension)) return reporters[i];
    }
    return NULL;
}
