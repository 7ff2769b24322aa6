/* A value passes three stations: it fits its row or there is a reason why not (param_fits), it
 * gets the one form that its spellings have in common (param_normal: 5.0 is 5, the version 1.10
 * stays a text), and it is stored in the config at its row's offset (param_store). The normal
 * form is what identifies a cell, so whoever changes it makes old results results of other
 * cells. All that differs between types is in the table `types`; a list is checked and made
 * normal item by item, as a scalar of its item's type. */
#include "base/param.h"

#include "base/clock.h"
#include "base/human.h"

#include <inttypes.h>
#include <math.h>

const struct param *param_find(struct param_table table, struct str name)
{
    for (size_t i = 0; i < table.count; i++) {
        if (str_is(name, table.rows[i].name)) return &table.rows[i];
    }
    return NULL;
}

bool param_is_absent(const struct param *row, const struct value *item)
{
    if (!item) return true;
    bool is_written = item->line == 0 || item->source.n > 0;
    return item->kind == VALUE_NULL && row->type != PARAM_ANY && is_written;
}

/* What the map says of the row, or NULL. */
static const struct value *given(const struct param *row, const struct value *map)
{
    const struct value *v = value_get(map, row->name);
    return param_is_absent(row, v) ? NULL : v;
}

static const struct {
    const char *name;
    const char *article;  /* for "must be ..." */
    enum param_type item; /* of a list; the type itself for the others */
} types[] = {
    [PARAM_INT] = {"integer", "an integer", PARAM_INT},
    [PARAM_REAL] = {"number", "a number", PARAM_REAL},
    [PARAM_BOOL] = {"true or false", "true or false", PARAM_BOOL},
    [PARAM_FLAG] = {"true or false", "true or false", PARAM_FLAG},
    [PARAM_TEXT] = {"text", "text", PARAM_TEXT},
    [PARAM_CHOICE] = {"choice", "text", PARAM_CHOICE},
    [PARAM_INT_LIST] = {"list of integers", "a list of integers", PARAM_INT},
    [PARAM_REAL_LIST] = {"list of numbers", "a list of numbers", PARAM_REAL},
    [PARAM_BOOL_LIST] = {"list of true or false", "a list of true or false", PARAM_BOOL},
    [PARAM_TEXT_LIST] = {"list of text", "a list of text", PARAM_TEXT},
    [PARAM_CHOICE_LIST] = {"list of choices", "a list of choices", PARAM_CHOICE},
    [PARAM_COMMAND] = {"command", "text (for the shell) or a list of words", PARAM_COMMAND},
    [PARAM_MAP] = {"mapping", "a mapping", PARAM_MAP},
    [PARAM_ANY] = {"anything", "anything", PARAM_ANY},
    [PARAM_SPAN] = {"time span", "a time span such as 90s, 12h or 30d", PARAM_SPAN},
    [PARAM_MOMENT] = {"moment", "a time: 30d, 12h, 2026-11-15, 2026-11-15T20:04:56Z or all",
                      PARAM_MOMENT},
    [PARAM_SHARE] = {"share", "a share such as 0.05 or 5 %", PARAM_SHARE},
    [PARAM_SHARE_LIST] = {"list of shares", "a share such as 0.05, 5 % or duration_s=5%",
                          PARAM_SHARE},
    [PARAM_SELECTOR] = {"run", "a run", PARAM_SELECTOR},
};

size_t param_size(enum param_type type)
{
    static const size_t sizes[] = {
        [PARAM_INT] = sizeof(int64_t),
        [PARAM_REAL] = sizeof(double),
        [PARAM_BOOL] = sizeof(bool),
        [PARAM_FLAG] = sizeof(enum param_flag),
        [PARAM_TEXT] = sizeof(const char *),
        [PARAM_CHOICE] = sizeof(int),
        [PARAM_INT_LIST] = sizeof(struct param_ints),
        [PARAM_REAL_LIST] = sizeof(struct param_reals),
        [PARAM_BOOL_LIST] = sizeof(struct param_bools),
        [PARAM_TEXT_LIST] = sizeof(struct param_texts),
        [PARAM_CHOICE_LIST] = sizeof(struct param_ints),
        [PARAM_COMMAND] = sizeof(struct param_command),
        [PARAM_MAP] = sizeof(const struct value *),
        [PARAM_ANY] = sizeof(const struct value *),
        [PARAM_SPAN] = sizeof(double),
        [PARAM_MOMENT] = sizeof(int64_t),
        [PARAM_SHARE] = sizeof(double),
        [PARAM_SHARE_LIST] = sizeof(struct param_shares),
        [PARAM_SELECTOR] = sizeof(const char *),
    };
    CHECK(type < COUNT(sizes));
    return sizes[type];
}

const char *param_type_name(enum param_type type)
{
    CHECK(type < COUNT(types));
    return types[type].name;
}

bool param_is_list(enum param_type type)
{
    CHECK(type < COUNT(types));
    return types[type].item != type;
}

/* A scalar as its author spelled it: version: 1.10 is the text "1.10". False
 * for null, lists and mappings. */
static bool spelling(const struct value *v, struct buf *out)
{
    char real[32];
    if (v->kind == VALUE_NULL || v->kind == VALUE_LIST || v->kind == VALUE_MAP) return false;
    if (v->kind == VALUE_TEXT || v->source.n) {
        buf_add(out, v->source);
    } else if (v->kind == VALUE_BOOL) {
        buf_text(out, v->boolean ? "true" : "false");
    } else if (v->kind == VALUE_INT) {
        buf_printf(out, "%" PRId64, v->integer);
    } else {
        buf_text(out, json_format_real(v->real, real));
    }
    return true;
}

/* " (is 'fsat')", " (is a list)": what stands there instead. */
static const char *is_what(const struct value *v, char *out, size_t size)
{
    struct buf b;
    buf_over(&b, out, size);
    const char *quote = v->kind == VALUE_TEXT ? "'" : "";
    buf_text(&b, quote);
    if (!spelling(v, &b)) buf_text(&b, value_kind_name(v->kind));
    if (b.overflow) memcpy(out + size - 5, "...", 4);
    buf_text(&b, quote);
    return out;
}

enum { SHOWN = 48 };

static size_t count_choices(const struct param *row)
{
    size_t n = 0;
    while (row->choices[n]) n++;
    return n;
}

/* -1 if it is none of them. */
static int choice_index(const struct param *row, const struct value *v)
{
    char memory[256];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    if (!spelling(v, &b)) return -1;
    for (int i = 0; row->choices[i]; i++) {
        if (str_is(buf_str(&b), row->choices[i])) return i;
    }
    return -1;
}

static bool fits_choice(const struct param *row, const struct value *v, struct error *why)
{
    if (choice_index(row, v) >= 0) return true;
    char names[256];
    struct buf b;
    buf_over(&b, names, sizeof names);
    for (size_t i = 0; row->choices[i]; i++) { /* an empty one means that none is chosen */
        if (row->choices[i][0]) buf_printf(&b, "%s%s", b.n ? ", " : "", row->choices[i]);
    }
    char shown[SHOWN];
    const char *near =
        v->kind == VALUE_TEXT ? str_suggest(v->source, row->choices, count_choices(row)) : NULL;
    return error_set(why, ERROR_INVALID, "must be one of %s (is %s%s%s%s)", names,
                     is_what(v, shown, sizeof shown), STR_MEANT(near));
}

bool param_has_max(const struct param *row)
{
    if (!isfinite(row->max)) return false;
    return row->max > row->min || (row->max == row->min && row->max != 0);
}

bool param_has_min(const struct param *row)
{
    return row->min != 0 || row->max > row->min;
}

/* A limit as its values are written: of a time span with its unit. */
static const char *limit_text(const struct param *row, double limit, char *text)
{
    return row->type == PARAM_SPAN ? human_value("s", limit, text)
                                   : json_format_real(limit, text);
}

/* `x` is the number that `v` stands for. */
static bool fits_range(const struct param *row, const struct value *v, double x,
                       struct error *why)
{
    char shown[SHOWN];
    char limit[HUMAN_SIZE];
    if (param_has_min(row) && (row->open ? x <= row->min : x < row->min)) {
        return error_set(why, ERROR_INVALID, "must be %s %s (is %s)",
                         row->open ? "above" : "at least", limit_text(row, row->min, limit),
                         is_what(v, shown, sizeof shown));
    }
    if (param_has_max(row) && (row->open ? x >= row->max : x > row->max)) {
        return error_set(why, ERROR_INVALID, "must be %s %s (is %s)",
                         row->open ? "below" : "at most", limit_text(row, row->max, limit),
                         is_what(v, shown, sizeof shown));
    }
    return true;
}

/* "5 %" and 0.05; of "duration_s=5%" in a list of shares the name too. NaN for what is
 * none. */
static double to_share(const struct value *v, bool is_named, struct str *name)
{
    double share = NAN;
    *name = (struct str){0};
    if (value_is_number(v)) return value_number(v);
    if (v->kind != VALUE_TEXT) return NAN;
    struct str text = v->source;
    if (is_named && text.n && memchr(text.p, '=', text.n)) *name = str_cut(&text, '=');
    bool is_percent = str_ends(text, S("%"));
    if (is_percent) text = str_trim((struct str){text.p, text.n - 1});
    if (!str_to_real(text, &share)) return NAN;
    return is_percent ? share / 100 : share;
}

static bool fits_share(const struct param *row, const struct value *v, struct error *why)
{
    struct str name;
    char shown[SHOWN];
    double share = to_share(v, row->type == PARAM_SHARE_LIST, &name);
    bool has_sign = v->kind == VALUE_TEXT && str_ends(v->source, S("%"));
    if (isnan(share)) {
        return error_set(why, ERROR_INVALID, "must be %s (is %s)", types[row->type].article,
                         is_what(v, shown, sizeof shown));
    }
    if (share > 1 && !has_sign) {
        return error_set(why, ERROR_INVALID, "must be a share (is %s): write %g %% or %g",
                         is_what(v, shown, sizeof shown), share, share / 100);
    }
    return fits_range(row, v, share, why);
}

static bool to_moment(const struct value *v, int64_t *ns)
{
    enum { DAY_SIZE = 10 };
    double seconds = 0;
    char stamp[CLOCK_STAMP_SIZE];
    if (v->kind != VALUE_TEXT || v->source.n >= sizeof stamp) return false;
    *ns = 0;
    if (str_is(v->source, "all")) return true;
    if (human_parse_span(v->source, &seconds) && seconds >= 0 && seconds < 1e9) {
        *ns = clock_unix_ns() - (int64_t)(seconds * 1e9);
        return true;
    }
    const char *rest = v->source.n == DAY_SIZE ? "T00:00:00Z" : "";
    snprintf(stamp, sizeof stamp, "%.*s%s", STR_ARG(v->source), rest);
    return clock_parse_stamp(stamp, ns);
}

static double to_span(const struct value *v)
{
    double seconds = NAN;
    if (v->kind != VALUE_TEXT || !human_parse_span(v->source, &seconds)) return NAN;
    return seconds;
}

/* 5.0 and 1e3 are integers to their authors. */
static bool to_int(const struct value *v, int64_t *out)
{
    if (v->kind == VALUE_INT) {
        *out = v->integer;
        return true;
    }
    if (v->kind != VALUE_REAL || v->real != floor(v->real) || fabs(v->real) >= 0x1p63) {
        return false;
    }
    *out = (int64_t)v->real;
    return true;
}

static bool is_scalar(const struct value *v)
{
    return v->kind != VALUE_NULL && v->kind != VALUE_LIST && v->kind != VALUE_MAP;
}

static bool is_command(const struct value *v)
{
    if (v->kind == VALUE_TEXT) return v->source.n > 0;
    if (v->kind != VALUE_LIST || v->list.count == 0) return false;
    for (size_t i = 0; i < v->list.count; i++) {
        if (!is_scalar(v->list.items[i])) return false;
    }
    return true;
}

static bool has_type(enum param_type type, const struct value *v)
{
    int64_t ignored;
    switch (type) {
    case PARAM_SPAN: return !isnan(to_span(v));
    case PARAM_MOMENT: return to_moment(v, &ignored);
    case PARAM_INT: return to_int(v, &ignored);
    case PARAM_REAL: return value_is_number(v);
    case PARAM_FLAG:
    case PARAM_BOOL: return v->kind == VALUE_BOOL;
    case PARAM_SELECTOR:
    case PARAM_TEXT: return is_scalar(v);
    case PARAM_COMMAND: return is_command(v);
    case PARAM_MAP: return v->kind == VALUE_MAP || v->kind == VALUE_NULL;
    default: return true;
    }
}

/* One item of a list parameter, or the value of any other. */
static bool item_fits(const struct param *row, const struct value *v, struct error *why)
{
    enum param_type type = types[row->type].item;
    if (type == PARAM_CHOICE) return fits_choice(row, v, why);
    if (type == PARAM_SHARE) return fits_share(row, v, why);
    if (!has_type(type, v)) {
        char shown[SHOWN];
        return error_set(why, ERROR_INVALID, "must be %s (is %s)", types[type].article,
                         is_what(v, shown, sizeof shown));
    }
    if (type == PARAM_SPAN) return fits_range(row, v, to_span(v), why);
    bool is_number = type == PARAM_INT || type == PARAM_REAL;
    return !is_number || fits_range(row, v, value_number(v), why);
}

bool param_needs_item(const struct param *row)
{
    bool has_default = row->fallback && strcmp(row->fallback, "[]") != 0;
    return param_is_list(row->type) && has_default && types[row->type].item != PARAM_TEXT;
}

static bool has_enough(const struct param *row, const struct value *list, struct error *why)
{
    if (list->list.count > 0 || !param_needs_item(row)) return true;
    return error_set(why, ERROR_INVALID, "must have at least one item (is an empty list)");
}

bool param_fits(const struct param *row, const struct value *item, struct error *why)
{
    if (!param_is_list(row->type) || item->kind != VALUE_LIST) return item_fits(row, item, why);
    if (!has_enough(row, item, why)) return false;
    for (size_t i = 0; i < item->list.count; i++) {
        if (!item_fits(row, item->list.items[i], why)) {
            return error_wrap(why, "item %zu", i + 1);
        }
    }
    return true;
}

bool param_check_value(const struct param *row, const struct value *v,
                       struct problems *problems)
{
    struct error why = {0};
    if (!param_is_list(row->type) || v->kind != VALUE_LIST) {
        if (item_fits(row, v, &why)) return true;
        return problems_add(problems, v->line, v->column, "'%s' %s", row->name, why.text);
    }
    bool all = has_enough(row, v, &why) ||
               problems_add(problems, v->line, v->column, "'%s' %s", row->name, why.text);
    for (size_t i = 0; i < v->list.count; i++) {
        const struct value *item = v->list.items[i];
        if (item_fits(row, item, &why)) continue;
        all = problems_add(problems, item->line, item->column, "item %zu of '%s' %s", i + 1,
                           row->name, why.text);
    }
    return all;
}

void param_unknown(struct param_table table, const struct value_pair *pair, const char *kind,
                   const char *what, struct problems *problems)
{
    struct arena scratch = arena_open();
    const char **names = arena_new(&scratch, const char *, table.count);
    char list[300];
    struct buf b;
    buf_over(&b, list, sizeof list);
    for (size_t i = 0; i < table.count; i++) {
        names[i] = table.rows[i].name;
        buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = str_suggest(pair->key, names, table.count);
    struct str key = pair->key;
    if (key.n > SHOWN) key.n = str_utf8_prefix((struct str){key.p, SHOWN});
    if (near) {
        problems_add(problems, pair->line, pair->column,
                     "unknown %s '%.*s' of %s; did you mean '%s'?", kind, STR_ARG(key), what,
                     near);
    } else {
        problems_add(problems, pair->line, pair->column, "unknown %s '%.*s' of %s; it takes %s",
                     kind, STR_ARG(key), what, table.count ? list : "none");
    }
    arena_close(&scratch);
}

bool param_check(struct param_table table, const struct value *map, const char *what,
                 struct problems *problems)
{
    if (map && map->kind != VALUE_MAP) {
        char shown[SHOWN];
        return problems_add(problems, map->line, map->column,
                            "the parameters of %s must be a mapping (is %s)", what,
                            is_what(map, shown, sizeof shown));
    }
    bool all = true;
    for (size_t i = 0; map && i < map->map.count; i++) {
        const struct value_pair *pair = &map->map.pairs[i];
        const struct param *row = param_find(table, pair->key);
        if (!row) {
            param_unknown(table, pair, "parameter", what, problems);
            all = false;
        } else if (!param_is_absent(row, pair->value) &&
                   !param_check_value(row, pair->value, problems)) {
            all = false;
        }
    }
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        if (!row->required || given(row, map)) continue;
        all = problems_add(problems, map ? map->line : 0, map ? map->column : 0,
                           "%s needs parameter '%s' (%s): %s", what, row->name,
                           param_type_name(row->type), row->help ? row->help : "");
    }
    return all;
}

const struct value *param_fallback(const struct param *row, struct arena *out)
{
    if (!row->fallback) return NULL;
    const struct value *v = NULL;
    struct error err = {0};
    CHECK(value_read_json(str_of(row->fallback), &value_limits_spec, out, &v, &err));
    return v;
}

static const char *to_text(const struct value *v, struct arena *out)
{
    if (v->kind == VALUE_TEXT) return str_cstr(out, v->source);
    struct buf b;
    buf_init(&b, value_limits_spec.max_bytes);
    spelling(v, &b);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* One value in the form that identifies a cell: what different spellings of it
 * have in common. */
static const struct value *normal_item(const struct param *row, const struct value *v,
                                       struct arena *out)
{
    struct value *n = arena_new(out, struct value, 1);
    *n = *v;
    switch (types[row->type].item) {
    case PARAM_INT:
        if (!to_int(v, &n->integer)) return v;
        n->kind = VALUE_INT;
        return n;
    case PARAM_TEXT:
    case PARAM_SELECTOR:
    case PARAM_CHOICE:
        if (!is_scalar(v)) return v;
        n->kind = VALUE_TEXT;
        n->source = str_of(to_text(v, out));
        return n;
    default: return v;
    }
}

const struct value *param_normal(const struct param *row, const struct value *item,
                                 struct arena *out)
{
    if (!param_is_list(row->type)) return normal_item(row, item, out);
    bool is_list = item->kind == VALUE_LIST;
    size_t count = is_list ? item->list.count : 1;
    const struct value **items = arena_new(out, const struct value *, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = normal_item(row, is_list ? item->list.items[i] : item, out);
    }
    struct value *list = value_new_list(out, items, count);
    list->line = item->line;
    list->column = item->column;
    return list;
}

const struct value *param_complete(struct param_table table, const struct value *map,
                                   struct arena *out)
{
    struct value_pair *pairs = arena_new(out, struct value_pair, table.count);
    size_t count = 0;
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        const struct value *v = given(row, map);
        if (!v) v = param_fallback(row, out);
        if (!v) continue;
        pairs[count++] = (struct value_pair){
            .key = str_of(row->name),
            .line = v->line,
            .column = v->column,
            .value = param_normal(row, v, out),
        };
    }
    return value_new_map(out, pairs, count);
}

static const char *const *to_texts(const struct value *list, struct arena *out)
{
    const char **items = arena_new(out, const char *, list->list.count + 1);
    for (size_t i = 0; i < list->list.count; i++) {
        items[i] = to_text(list->list.items[i], out);
    }
    return items;
}

static void store_list(const struct param *row, const struct value *v, void *at,
                       struct arena *out)
{
    size_t count = v->list.count;
    const struct value *const *from = v->list.items;
    if (row->type == PARAM_TEXT_LIST) {
        *(struct param_texts *)at = (struct param_texts){to_texts(v, out), count};
    } else if (row->type == PARAM_BOOL_LIST) {
        bool *items = arena_new(out, bool, count);
        for (size_t i = 0; i < count; i++) items[i] = from[i]->boolean;
        *(struct param_bools *)at = (struct param_bools){items, count};
    } else if (row->type == PARAM_SHARE_LIST) {
        struct param_share *items = arena_new(out, struct param_share, count);
        for (size_t i = 0; i < count; i++) {
            struct str name;
            items[i].share = to_share(from[i], true, &name);
            items[i].name = name.p ? str_cstr(out, name) : NULL;
        }
        *(struct param_shares *)at = (struct param_shares){items, count};
    } else if (row->type == PARAM_REAL_LIST) {
        double *items = arena_new(out, double, count);
        for (size_t i = 0; i < count; i++) items[i] = value_number(from[i]);
        *(struct param_reals *)at = (struct param_reals){items, count};
    } else {
        bool is_choice = row->type == PARAM_CHOICE_LIST;
        int64_t *items = arena_new(out, int64_t, count);
        for (size_t i = 0; i < count; i++) {
            items[i] = is_choice ? choice_index(row, from[i]) : from[i]->integer;
        }
        *(struct param_ints *)at = (struct param_ints){items, count};
    }
}

static void store_command(const struct value *v, void *at, struct arena *out)
{
    struct param_command command = {0};
    if (v->kind == VALUE_LIST) {
        command.argv = to_texts(v, out);
        command.argc = v->list.count;
    } else {
        command.shell = to_text(v, out);
    }
    *(struct param_command *)at = command;
}

void param_store(const struct param *row, const struct value *item, void *config,
                 struct arena *out)
{
    struct str ignored;
    void *at = (char *)config + row->offset;
    const struct value *v = param_normal(row, item, out);
    switch (row->type) {
    case PARAM_SPAN: *(double *)at = to_span(v); break;
    case PARAM_MOMENT: CHECK(to_moment(v, at)); break;
    case PARAM_SHARE: *(double *)at = to_share(v, false, &ignored); break;
    case PARAM_INT: *(int64_t *)at = v->integer; break;
    case PARAM_REAL: *(double *)at = value_number(v); break;
    case PARAM_BOOL: *(bool *)at = v->boolean; break;
    case PARAM_FLAG:
        *(enum param_flag *)at = v->boolean ? PARAM_FLAG_TRUE : PARAM_FLAG_FALSE;
        break;
    case PARAM_SELECTOR:
    case PARAM_TEXT: *(const char **)at = v->source.p; break;
    case PARAM_CHOICE: *(int *)at = choice_index(row, v); break;
    case PARAM_COMMAND: store_command(v, at, out); break;
    case PARAM_MAP: *(const struct value **)at = v->kind == VALUE_MAP ? v : NULL; break;
    case PARAM_ANY: *(const struct value **)at = v; break;
    default: store_list(row, v, at, out); break;
    }
}

bool param_read(struct param_table table, const struct value *map, void *config,
                struct arena *out, struct error *err)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        const struct value *v = given(row, map);
        if (!v) v = param_fallback(row, out);
        if (!v && row->required) {
            return error_set(err, ERROR_INVALID, "parameter '%s' is missing", row->name);
        }
        if (!v) continue;
        if (!param_fits(row, v, err)) return error_wrap(err, "'%s'", row->name);
        param_store(row, v, config, out);
    }
    return true;
}

static const struct value *scalar_of(enum param_type type, struct str text, struct arena *out)
{
    struct value *v = value_new_text(out, text);
    bool is_number = type == PARAM_INT || type == PARAM_REAL;
    if (is_number && str_to_int(text, &v->integer)) {
        v->kind = VALUE_INT;
    } else if (is_number && str_to_real(text, &v->real)) {
        v->kind = VALUE_REAL;
    } else if ((type == PARAM_BOOL || type == PARAM_FLAG) &&
               (str_is(text, "true") || str_is(text, "false"))) {
        v->kind = VALUE_BOOL;
        v->boolean = str_is(text, "true");
    }
    return v;
}

const struct value *param_from_text(const struct param *row, struct str text, struct arena *out)
{
    enum param_type type = types[row->type].item;
    if (!param_is_list(row->type) || type == PARAM_TEXT) return scalar_of(type, text, out);
    size_t count = 0;
    const struct value **items = arena_new(out, const struct value *, text.n + 1);
    do {
        items[count++] = scalar_of(type, str_trim(str_cut(&text, ',')), out);
    } while (text.p);
    return value_new_list(out, items, count);
}

const char *param_argument(const struct param *row, struct arena *out)
{
    static const char *const words[] = {
        [PARAM_INT] = "N",       [PARAM_REAL] = "X",           [PARAM_TEXT] = "TEXT",
        [PARAM_SPAN] = "SPAN",   [PARAM_MOMENT] = "WHEN",      [PARAM_TEXT_LIST] = "TEXT",
        [PARAM_SHARE] = "SHARE", [PARAM_SHARE_LIST] = "SHARE", [PARAM_SELECTOR] = "RUN",
    };
    if (row->argument) return row->argument;
    if (!row->choices) {
        const char *word = row->type < COUNT(words) ? words[row->type] : NULL;
        return word ? word : "VALUE";
    }
    char memory[300];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    for (size_t i = 0; row->choices[i]; i++) {
        buf_printf(&b, "%s%s", i ? "|" : "", row->choices[i]);
    }
    return str_cstr(out, buf_str(&b));
}

void param_remarks(const struct param *row, struct buf *out)
{
    char low[32];
    char high[32];
    const char *and = row->open ? " and below " : " to ";
    buf_text(out, row->help);
    if (row->unit) buf_printf(out, " [%s]", row->unit);
    bool is_any = row->min == 0 && !row->open && !param_has_max(row);
    if (is_any || row->type == PARAM_SPAN) return;
    if (param_has_min(row) && param_has_max(row)) {
        buf_printf(out, "; %s%s%s%s", row->open ? "above " : "",
                   json_format_real(row->min, low), and, json_format_real(row->max, high));
    } else if (param_has_min(row)) {
        buf_printf(out, "; %s %s", row->open ? "above" : "at least",
                   json_format_real(row->min, low));
    } else if (param_has_max(row)) {
        buf_printf(out, "; %s %s", row->open ? "below" : "at most",
                   json_format_real(row->max, high));
    }
}
