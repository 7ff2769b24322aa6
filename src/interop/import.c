/* What importers share: cells that grow, JSON as tools write it, units. */
#include "interop/import.h"

#include "base/clock.h"
#include "base/json.h"
#include "experiment/declared.h"

#include <ctype.h>
#include <math.h>

static const struct metric failure_duration = {.name = "failure_duration_s",
                                               .unit = "s",
                                               .direction = DIRECTION_NONE,
                                               .definition = "duration.failed/1",
                                               .summary = "how long failed trials took",
                                               .of_failures = true};

static bool same_text(const char *a, struct str b)
{
    return a ? str_is(b, a) && b.p : !b.p;
}

static const char *copy_or_null(struct imported *in, struct str text)
{
    return text.p ? str_cstr(in->arena, text) : NULL;
}

enum { SLOTS = 4 * 8192 };
_Static_assert(2 * IMPORT_CELLS_MAX < SLOTS, "a free slot is near");

/* The slot of the cell, or the free one that it would take. */
static uint16_t *find_slot(struct imported *in, struct str name, struct str agent,
                           struct str version)
{
    if (!in->slots) in->slots = arena_new(in->arena, uint16_t, SLOTS);
    size_t at = id_hash(name) + 31 * id_hash(agent) + 961 * id_hash(version);
    for (;; at++) {
        uint16_t *slot = &in->slots[at % SLOTS];
        if (*slot == 0) return slot;
        const struct imported_cell *c = in->cells[*slot - 1];
        if (same_text(c->name, name) && same_text(c->agent, agent) &&
            same_text(c->version, version)) {
            return slot;
        }
    }
}

struct imported_cell *imported_cell(struct imported *in, struct str name, struct str agent,
                                    struct str version, struct error *err)
{
    uint16_t *slot = find_slot(in, name, agent, version);
    if (*slot) return in->cells[*slot - 1];
    if (in->cell_count == IMPORT_CELLS_MAX) {
        error_set(err, ERROR_INVALID, "more than %d benchmarks; split the file",
                  IMPORT_CELLS_MAX);
        return NULL;
    }
    if (name.n == 0 || !str_is_utf8(name)) {
        error_set(err, ERROR_INVALID, "a benchmark's name must be UTF-8 text, not empty");
        return NULL;
    }
    size_t longest = name.n > agent.n ? name.n : agent.n;
    if (version.n > longest) longest = version.n;
    if (longest > IMPORT_NAME_MAX) {
        error_set(err, ERROR_INVALID, "a name of %zu bytes ('%.40s...'); names have at most %d",
                  longest, str_cstr(in->arena, name), IMPORT_NAME_MAX);
        return NULL;
    }
    in->cells = arena_grow(in->arena, in->cells, in->cell_count, sizeof *in->cells);
    struct imported_cell *c = arena_new(in->arena, struct imported_cell, 1);
    c->name = str_cstr(in->arena, name);
    c->agent = copy_or_null(in, agent);
    c->version = copy_or_null(in, version);
    in->cells[in->cell_count++] = c;
    *slot = (uint16_t)in->cell_count;
    return c;
}

static void grow_trials(struct imported *in, struct imported_cell *c)
{
    size_t old = c->trial_capacity;
    size_t more = old ? 2 * old : 16;
    double *starts = arena_new(in->arena, double, more);
    uint8_t *statuses = arena_new(in->arena, uint8_t, more);
    if (old) memcpy(starts, c->starts_s, old * sizeof *starts);
    if (old) memcpy(statuses, c->statuses, old);
    for (size_t m = 0; m < c->metric_count; m++) {
        double *values = arena_new(in->arena, double, more);
        memcpy(values, c->metrics[m].values, old * sizeof *values);
        for (size_t i = old; i < more; i++) values[i] = NAN;
        c->metrics[m].values = values;
    }
    c->starts_s = starts;
    c->statuses = statuses;
    c->trial_capacity = more;
}

size_t imported_trial(struct imported *in, struct imported_cell *c)
{
    if (c->trial_count == c->trial_capacity) grow_trials(in, c);
    c->starts_s[c->trial_count] = NAN;
    c->statuses[c->trial_count] = TRIAL_OK;
    return c->trial_count++;
}

static struct imported_metric *find_metric(struct imported *in, struct imported_cell *c,
                                           const struct metric *m)
{
    for (size_t i = 0; i < c->metric_count; i++) {
        if (strcmp(c->metrics[i].metric.name, m->name) == 0) return &c->metrics[i];
    }
    if (c->metric_count == IMPORT_METRICS_MAX) {
        imported_remark(in, c, "the source has more metrics than are kept");
        return NULL;
    }
    c->metrics = arena_grow(in->arena, c->metrics, c->metric_count, sizeof *c->metrics);
    struct imported_metric *made = &c->metrics[c->metric_count++];
    made->metric = *m;
    made->metric.name = str_cstr(in->arena, str_of(m->name));
    made->metric.unit = str_cstr(in->arena, str_of(m->unit));
    made->metric.definition = str_cstr(in->arena, str_of(m->definition));
    made->metric.summary = NULL;
    made->values = arena_new(in->arena, double, c->trial_capacity);
    for (size_t i = 0; i < c->trial_capacity; i++) made->values[i] = NAN;
    return made;
}

void imported_sample(struct imported *in, struct imported_cell *c, size_t trial,
                     const struct metric *m, double value)
{
    if (!isfinite(value)) return;
    struct imported_metric *found = find_metric(in, c, m);
    if (found) found->values[trial] = value;
}

struct trial_note *imported_note(struct imported *in, struct imported_cell *c, size_t trial)
{
    bool is_last = c->note_count && c->notes[c->note_count - 1].trial == (int64_t)trial;
    if (!is_last) {
        c->notes = arena_grow(in->arena, c->notes, c->note_count, sizeof *c->notes);
        c->notes[c->note_count++] =
            (struct trial_note){.trial = (int64_t)trial,
                                .iteration = (int64_t)trial,
                                .phase = PHASE_MEASURED,
                                .status = (enum trial_status)c->statuses[trial]};
    }
    return &c->notes[c->note_count - 1];
}

void imported_failure(struct imported *in, struct imported_cell *c, size_t trial,
                      double duration_s, const char *error)
{
    c->statuses[trial] = TRIAL_FAILED;
    imported_sample(in, c, trial, &failure_duration, duration_s);
    struct trial_note *n = imported_note(in, c, trial);
    n->status = TRIAL_FAILED;
    n->error = error;
}

void imported_remark(struct imported *in, struct imported_cell *c, const char *sentence)
{
    for (size_t i = 0; i < c->remark_count; i++) {
        if (strcmp(c->remarks[i], sentence) == 0) return;
    }
    enum { REMARKS_MAX = 16 };
    if (!c->remarks) c->remarks = arena_new(in->arena, const char *, REMARKS_MAX);
    if (c->remark_count < REMARKS_MAX) {
        c->remarks[c->remark_count++] = str_cstr(in->arena, str_of(sentence));
    }
}

/* ---- kinds ---- */

struct unsettled {
    struct metric *metric;
    enum kind kind; /* by the values of its cell */
};

static int by_name(const void *a, const void *b)
{
    const struct unsettled *x = a;
    const struct unsettled *y = b;
    return strcmp(x->metric->name, y->metric->name);
}

static enum kind kind_in(const struct imported_cell *c, const struct imported_metric *m)
{
    enum kind declared = declared_kind(m->metric.name, m->metric.definition);
    return declared != KIND_UNSAID
               ? declared
               : metric_guess_kind(m->metric.unit, m->values, c->trial_count);
}

void imported_settle_kinds(struct imported *in)
{
    struct arena scratch = arena_open();
    struct unsettled *list = NULL;
    size_t count = 0;
    for (size_t c = 0; c < in->cell_count; c++) {
        const struct imported_cell *cell = in->cells[c];
        for (size_t m = 0; m < cell->metric_count; m++) {
            if (cell->metrics[m].metric.kind != KIND_UNSAID) continue;
            list = arena_grow(&scratch, list, count, sizeof *list);
            list[count++] =
                (struct unsettled){&cell->metrics[m].metric, kind_in(cell, &cell->metrics[m])};
        }
    }
    if (count) qsort(list, count, sizeof *list, by_name);
    for (size_t first = 0, end = 0; first < count; first = end) {
        enum kind kind = list[first].kind;
        for (; end < count && by_name(&list[first], &list[end]) == 0; end++)
            kind = kind_common(kind, list[end].kind);
        for (size_t i = first; i < end; i++) list[i].metric->kind = kind;
    }
    arena_close(&scratch);
}

size_t imported_trials(const struct imported *in)
{
    size_t count = 0;
    for (size_t i = 0; i < in->cell_count; i++) count += in->cells[i]->trial_count;
    return count;
}

/* ---- JSON ---- */

/* The length of the bare word at p that stands for no number, 0 if there is none. */
static size_t bare_word(const char *p, size_t n)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    for (size_t w = 0; w < COUNT(words); w++) {
        size_t length = strlen(words[w]);
        if (n >= length && memcmp(p, words[w], length) == 0) return length;
    }
    return 0;
}

/* Python's json module writes NaN, Infinity and -Infinity, which no JSON reader
 * takes: null in their place. "NaN" has no room for it, and 0 would be a lie: there
 * an empty list does, which is not a number either. */
static struct str without_bare_words(struct str bytes, struct arena *out)
{
    char *copy = NULL;
    bool in_text = false;
    for (size_t i = 0; i < bytes.n; i++) {
        if (bytes.p[i] == '"') in_text = !in_text;
        if (in_text && bytes.p[i] == '\\') i++;
        size_t n = in_text ? 0 : bare_word(bytes.p + i, bytes.n - i);
        if (n == 0) continue;
        if (!copy) copy = arena_copy(out, bytes.p, bytes.n);
        memset(copy + i, ' ', n);
        memcpy(copy + i, n >= 4 ? "null" : "[]", n >= 4 ? 4 : 2);
        i += n - 1;
    }
    return copy ? (struct str){copy, bytes.n} : bytes;
}

bool import_json(struct str bytes, struct arena *out, const struct value **root,
                 struct error *err)
{
    static const struct value_limits limits = {IMPORT_MAX_BYTES, 64, 5000000};
    if (str_starts(bytes, S("\xEF\xBB\xBF"))) bytes = (struct str){bytes.p + 3, bytes.n - 3};
    return value_read_json(without_bare_words(bytes, out), &limits, out, root, err);
}

const char *import_json_text(const struct value *v, struct arena *out)
{
    return v && v->kind != VALUE_NULL ? json_of(v, out).p : NULL;
}

struct str import_text(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? v->source : (struct str){0};
}

double import_number(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && value_is_number(v) ? value_number(v) : (double)NAN;
}

/* ---- times ---- */

static int64_t digits_at(struct str s, size_t at, size_t n)
{
    int64_t v = 0;
    for (size_t i = at; i < at + n; i++) {
        if (i >= s.n || !isdigit((unsigned char)s.p[i])) return -1;
        v = 10 * v + (s.p[i] - '0');
    }
    return v;
}

/* "+01:00" or "-0500" after the time, in seconds. */
static bool read_offset(struct str s, int64_t *offset_s)
{
    *offset_s = 0;
    if (s.n == 0 || str_is(s, "Z")) return true;
    bool has_colon = s.n == 6 && s.p[3] == ':';
    if ((s.p[0] != '+' && s.p[0] != '-') || (s.n != 5 && !has_colon)) return false;
    int64_t hours = digits_at(s, 1, 2);
    int64_t minutes = digits_at(s, has_colon ? 4 : 3, 2);
    if (hours < 0 || minutes < 0) return false;
    *offset_s = (s.p[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/* ISO 8601 as tools write it: 'T' or a space, any number of decimals, an offset
 * or none (then UTC: what else could be known). */
bool import_stamp(struct str text, int64_t *unix_ns)
{
    text = str_trim(text);
    if (text.n < 19 || text.n > 40 || digits_at(text, 0, 4) < 0) return false;
    size_t end = 19;
    if (end < text.n && (text.p[end] == '.' || text.p[end] == ',')) {
        end++;
        while (end < text.n && isdigit((unsigned char)text.p[end])) end++;
    }
    int64_t offset_s = 0;
    if (!read_offset((struct str){text.p + end, text.n - end}, &offset_s)) return false;
    char plain[CLOCK_STAMP_SIZE];
    snprintf(plain, sizeof plain, "%.10sT%.8sZ", text.p, text.p + 11);
    if (!clock_parse_stamp(plain, unix_ns)) return false;
    int64_t scale = 100000000;
    int64_t more_ns = -offset_s * 1000000000;
    for (size_t i = 20; i < end && scale > 0; i++, scale /= 10) {
        more_ns += (text.p[i] - '0') * scale;
    }
    return !__builtin_add_overflow(*unix_ns, more_ns, unix_ns);
}

bool import_time(const struct value *v, int64_t *unix_ns)
{
    if (!v) return false;
    if (v->kind == VALUE_TEXT) return import_stamp(v->source, unix_ns);
    if (!value_is_number(v)) return false;
    double seconds = value_number(v);
    if (!(seconds > 0 && seconds < 9e9)) return false;
    *unix_ns = (int64_t)(seconds * 1e9);
    return true;
}

/* ---- units ---- */

double import_scaled(double value, double factor)
{
    double whole = round(1 / factor);
    bool is_whole = factor < 1 && fabs(whole * factor - 1) < 1e-12;
    return is_whole ? value / whole : value * factor;
}

double import_unit(struct str written, const char **unit)
{
    static const struct {
        const char *name;
        const char *normal;
        double factor;
    } units[] = {
        {"s", "s", 1},
        {"sec", "s", 1},
        {"seconds", "s", 1},
        {"ms", "s", 1e-3},
        {"milliseconds", "s", 1e-3},
        {"us", "s", 1e-6},
        {"\xC2\xB5s", "s", 1e-6},
        {"microseconds", "s", 1e-6},
        {"ns", "s", 1e-9},
        {"nanoseconds", "s", 1e-9},
        {"min", "s", 60},
        {"h", "s", 3600},
        {"B", "MB", 1e-6},
        {"bytes", "MB", 1e-6},
        {"kB", "MB", 1e-3},
        {"KB", "MB", 1e-3},
        {"KiB", "MB", 1024e-6},
        {"MB", "MB", 1},
        {"MiB", "MB", 1048576e-6},
        {"GB", "MB", 1e3},
        {"GiB", "MB", 1073741824e-6},
    };
    for (size_t i = 0; i < COUNT(units); i++) {
        if (!str_is(written, units[i].name)) continue;
        *unit = units[i].normal;
        return units[i].factor;
    }
    return 1;
}

void import_guess(const char *name, struct metric *metric)
{
    static const struct {
        const char *ending;
        const char *unit;
        enum direction direction;
    } endings[] = {
        {"_per_second", "1/s", DIRECTION_HIGHER},
        {"_per_sec", "1/s", DIRECTION_HIGHER},
        {"_per_s", "1/s", DIRECTION_HIGHER},
        {"_ops", "1/s", DIRECTION_HIGHER},
        {"throughput", "1/s", DIRECTION_HIGHER},
        {"speedup", "1", DIRECTION_HIGHER},
        {"_s", "s", DIRECTION_LOWER},
        {"_sec", "s", DIRECTION_LOWER},
        {"_seconds", "s", DIRECTION_LOWER},
        {"_time", "s", DIRECTION_LOWER},
        {"duration", "s", DIRECTION_LOWER},
        {"_ms", "ms", DIRECTION_LOWER},
        {"_us", "us", DIRECTION_LOWER},
        {"_ns", "ns", DIRECTION_LOWER},
        {"_mb", "MB", DIRECTION_LOWER},
        {"_bytes", "B", DIRECTION_LOWER},
        {"_usd", "USD", DIRECTION_LOWER},
        {"_percent", "%", DIRECTION_NONE},
    };
    metric->unit = "1";
    metric->direction = DIRECTION_NONE;
    for (size_t i = 0; i < COUNT(endings); i++) {
        if (!str_ends(str_of(name), str_of(endings[i].ending))) continue;
        metric->unit = endings[i].unit;
        metric->direction = endings[i].direction;
        return;
    }
}
