#include "spec/spec_internal.h"

/* An item without `name` and `optional`: what is left are the options. */
static const struct value *options_of(struct spec_reader *r, const struct value *item)
{
    struct value_pair *pairs = arena_new(r->out, struct value_pair, item->map.count);
    size_t n = 0;
    for (size_t i = 0; i < item->map.count; i++) {
        const struct value_pair *pair = &item->map.pairs[i];
        if (!str_is(pair->key, "name") && !str_is(pair->key, "optional")) pairs[n++] = *pair;
    }
    struct value *map = value_new_map(r->out, pairs, n);
    map->line = item->line;
    map->column = item->column;
    return map;
}

void spec_add_instrument(struct spec_reader *r, struct spec_entry *entry,
                         struct spec_instrument item)
{
    struct spec_instrument *list =
        arena_new(r->out, struct spec_instrument, entry->instrument_count + 1);
    for (size_t i = 0; i < entry->instrument_count; i++) list[i] = entry->instruments[i];
    list[entry->instrument_count++] = item;
    entry->instruments = list;
}

static void read_item(struct spec_reader *r, const struct value *item, struct spec_entry *entry)
{
    bool is_map = item->kind == VALUE_MAP;
    const struct value *name = is_map ? value_get(item, "name") : item;
    if (!name || name->kind != VALUE_TEXT) {
        problems_add(r->problems, item->line, item->column,
                     "an instrument must be a name or {name: ..., option: value} (is %s)",
                     is_map ? "a mapping without a name" : value_kind_name(item->kind));
        return;
    }
    struct spec_instrument found = {.row = instrument_find(name->source)};
    if (!found.row) {
        problems_add(r->problems, name->line, name->column, "unknown instrument '%.*s'%s",
                     name->source.n > 60 ? 60 : (int)name->source.n, name->source.p,
                     registry_hint(instrument_entry, name->source).text);
        return;
    }
    const struct value *optional = is_map ? value_get(item, "optional") : NULL;
    if (optional && optional->kind != VALUE_BOOL) {
        problems_add(r->problems, optional->line, optional->column,
                     "'optional' must be true or false");
    }
    found.optional = optional && optional->kind == VALUE_BOOL && optional->boolean;
    if (is_map) {
        found.options = options_of(r, item);
        const char *what = arena_printf(r->out, "instrument '%s'", found.row->name);
        if (!param_check(found.row->params, found.options, what, r->problems)) return;
    }
    /* timing is on in any case; naming it changes nothing. */
    if (found.row == entry->instruments[0].row) return;
    for (size_t i = 0; i < entry->instrument_count; i++) {
        if (entry->instruments[i].row != found.row) continue;
        problems_add(r->problems, item->line, item->column, "instrument '%s' is listed twice",
                     found.row->name);
        return;
    }
    spec_add_instrument(r, entry, found);
}

void spec_read_instruments(struct spec_reader *r, const struct value *list,
                           struct spec_entry *entry)
{
    const struct instrument *timing = instrument_find(S("timing"));
    CHECK(timing != NULL);
    spec_add_instrument(r, entry, (struct spec_instrument){.row = timing});
    if (!list) return;
    if (list->kind != VALUE_LIST) {
        read_item(r, list, entry);
        return;
    }
    if (list->list.count > 64) {
        problems_add(r->problems, list->line, list->column, "%zu instruments; at most 64",
                     list->list.count);
        return;
    }
    for (size_t i = 0; i < list->list.count; i++) read_item(r, list->list.items[i], entry);
}
