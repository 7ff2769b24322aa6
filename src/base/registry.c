#include "base/registry.h"

#include "base/buf.h"

const struct registry_entry *registry_find(registry_entry_at *at, struct str name)
{
    const struct registry_entry *entry = NULL;
    for (size_t i = 0; (entry = at(i)) && !registry_entry_is(entry, name); i++) continue;
    return entry;
}

const char *registry_near(registry_entry_at *at, struct str name)
{
    enum { NAMES_MAX = 100 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; count < NAMES_MAX && at(count); count++) names[count] = at(count)->name;
    return str_suggest(name, names, count);
}

struct registry_text registry_names(registry_entry_at *at)
{
    struct registry_text names;
    struct buf b;
    buf_over(&b, names.text, sizeof names.text);
    for (size_t i = 0; at(i); i++) buf_printf(&b, "%s%s", i ? ", " : "", at(i)->name);
    return names;
}

struct registry_text registry_hint(registry_entry_at *at, struct str name)
{
    struct registry_text hint;
    struct buf b;
    buf_over(&b, hint.text, sizeof hint.text);
    const char *near = registry_near(at, name);
    if (near) {
        buf_printf(&b, "; did you mean '%s'?", near);
    } else {
        buf_printf(&b, "; known: %s", registry_names(at).text);
    }
    return hint;
}
