#include "base/human.h"

#include <math.h>
#include <stdio.h>

/* Units that grow and shrink by prefixes, each with its size in the family's
 * first unit. Bytes are decimal, as the names kB and MB say. */
struct prefix {
    const char *name;
    double size;
};

static const struct prefix time_units[] = {{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
static const struct prefix byte_units[] = {
    {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
static const struct prefix byte_rates[] = {
    {"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}};
static const struct prefix plain_units[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
static const struct prefix plain_rates[] = {
    {"/s", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}};

static const struct family {
    const struct prefix *units;
    size_t count;
} families[] = {
    {time_units, COUNT(time_units)},   {byte_units, COUNT(byte_units)},
    {byte_rates, COUNT(byte_rates)},   {plain_units, COUNT(plain_units)},
    {plain_rates, COUNT(plain_rates)},
};

/* Other spellings of the names above. */
static const char *const aliases[][2] = {{"1", ""},         {"count", ""}, {"us", "µs"},
                                         {"bytes", "B"},    {"KB", "kB"},  {"1/s", "/s"},
                                         {"bytes/s", "B/s"}};

static const char *known_name(const char *unit)
{
    for (size_t i = 0; i < COUNT(aliases); i++) {
        if (strcmp(unit, aliases[i][0]) == 0) return aliases[i][1];
    }
    return unit;
}

static const struct prefix *find_unit(const char *unit, struct family *family)
{
    for (size_t i = 0; i < COUNT(families); i++) {
        for (size_t k = 0; k < families[i].count; k++) {
            if (strcmp(families[i].units[k].name, unit) != 0) continue;
            *family = families[i];
            return &families[i].units[k];
        }
    }
    return NULL;
}

static bool has_size(double v)
{
    return isfinite(v) && v != 0;
}

static struct human_scale scale_with(const char *unit, double low, double high, int digits)
{
    const char *name = known_name(unit ? unit : "");
    struct human_scale scale = {.factor = 1, .unit = name};
    if (!has_size(high)) high = low;
    if (!has_size(low)) low = high;
    if (!has_size(low)) return scale;
    low = fabs(low);
    high = fabs(high);
    if (low > high) low = high;

    /* 999.96 must not become "1000.0": round before unit and decimals are chosen. */
    double round_up = 1 + 0.5 * pow(10, -digits);
    struct family family = {0};
    const struct prefix *from = find_unit(name, &family);
    if (from) {
        double size = high * from->size * round_up;
        const struct prefix *to = &family.units[0];
        for (size_t i = 1; i < family.count; i++) {
            if (size >= family.units[i].size) to = &family.units[i];
        }
        scale.factor = from->size / to->size;
        scale.unit = to->name;
    }
    double shown = low * scale.factor;
    if (shown < 1e-4 || high * scale.factor >= 1e12) {
        scale.decimals = -1;
        return scale;
    }
    double exponent = floor(log10(shown * round_up));
    scale.decimals = (int)fmin(fmax(digits - 1 - exponent, 0), 9);
    return scale;
}

struct human_scale human_scale(const char *unit, double low, double high)
{
    return scale_with(unit, low, high, 4);
}

const char *human_number(const struct human_scale *scale, double value, char *out)
{
    double shown = value * scale->factor;
    if (isnan(shown)) {
        snprintf(out, HUMAN_SIZE, "-");
    } else if (isinf(shown)) {
        snprintf(out, HUMAN_SIZE, "%s", shown > 0 ? "∞" : "-∞");
    } else if (scale->decimals < 0 || fabs(shown) >= 1e15) {
        snprintf(out, HUMAN_SIZE, "%.4g", shown);
    } else if (scale->factor == 1 && scale->unit[0] == '\0' && shown == floor(shown)) {
        snprintf(out, HUMAN_SIZE, "%.0f", shown);
    } else {
        snprintf(out, HUMAN_SIZE, "%.*f", scale->decimals, shown);
    }
    bool is_zero = out[0] == '-' && out[1] && strspn(out + 1, "0.") == strlen(out + 1);
    if (is_zero) memmove(out, out + 1, strlen(out)); /* nothing below it is shown */
    return out;
}

const char *human_value(const char *unit, double value, char *out)
{
    struct human_scale scale = scale_with(unit, value, value, 3);
    human_number(&scale, value, out);
    size_t n = strlen(out);
    bool glued = scale.unit[0] == '/' || scale.unit[0] == '\0'; /* "12/s" */
    snprintf(out + n, HUMAN_SIZE - n, "%s%.24s", glued ? "" : " ", scale.unit);
    return out;
}

const char *human_p_cell(double p, char *out)
{
    const double least = 1e-16;
    snprintf(out, HUMAN_SIZE, isnan(p) ? "-" : p < least ? "< %.0e" : "%.2g", fmax(p, least));
    return out;
}

const char *human_p(double p, char *out)
{
    char cell[HUMAN_SIZE];
    human_p_cell(p, cell);
    snprintf(out, HUMAN_SIZE, "p %s%.40s", cell[0] == '<' ? "" : "= ", cell);
    return out;
}

const char *human_span(double seconds, char *out)
{
    static const struct {
        const char *name, *rest;
        double size, rest_size;
    } pairs[] = {{"d", "h", 86400, 3600}, {"h", "min", 3600, 60}, {"min", "s", 60, 1}};

    if (!isfinite(seconds) || seconds < 0) {
        snprintf(out, HUMAN_SIZE, "-");
        return out;
    }
    for (size_t i = 0; i < COUNT(pairs); i++) {
        double whole = round(seconds / pairs[i].rest_size) * pairs[i].rest_size;
        if (whole < pairs[i].size) continue;
        double big = floor(whole / pairs[i].size);
        double rest = (whole - big * pairs[i].size) / pairs[i].rest_size;
        int n = snprintf(out, HUMAN_SIZE, "%.0f %s", big, pairs[i].name);
        if (rest > 0) {
            snprintf(out + n, HUMAN_SIZE - (size_t)n, " %.0f %s", rest, pairs[i].rest);
        }
        return out;
    }
    if (seconds >= 9.95) {
        snprintf(out, HUMAN_SIZE, "%.0f s", seconds);
        return out;
    }
    return seconds == 0 ? memcpy(out, "0 s", sizeof "0 s") : human_value("s", seconds, out);
}

bool human_parse_span(struct str text, double *seconds)
{
    static const struct prefix units[] = {{"", 1},      {"ms", 1e-3},      {"s", 1},
                                          {"m", 60},    {"min", 60},       {"h", 3600},
                                          {"d", 86400}, {"w", 7 * 86400.0}};
    text = str_trim(text);
    size_t digits = 0;
    while (digits < text.n && strchr("0123456789.", text.p[digits])) digits++;
    struct str unit = str_trim((struct str){text.p + digits, text.n - digits});
    double number = 0;
    if (!str_to_real((struct str){text.p, digits}, &number)) return false;
    for (size_t i = 0; i < COUNT(units); i++) {
        if (!str_is(unit, units[i].name)) continue;
        *seconds = number * units[i].size;
        return true;
    }
    return false;
}
