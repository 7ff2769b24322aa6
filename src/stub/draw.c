#include "stub/draw.h"

#include "base/str.h"

#include <math.h>

static const struct {
    const char *name;
    enum draw_kind kind;
    size_t numbers;
    bool has_mean; /* the first number is the mean, not the median */
} forms[] = {
    {"uniform", DRAW_UNIFORM, 2},     {"normal", DRAW_NORMAL, 2},
    {"lognormal", DRAW_LOGNORMAL, 2}, {"lognormal-mean", DRAW_LOGNORMAL, 2, true},
    {"exp", DRAW_EXPONENTIAL, 1},
};

static bool read_numbers(struct str text, size_t count, struct draw *d)
{
    double numbers[2] = {0};
    for (size_t i = 0; i < count; i++) {
        if (!text.p || !str_to_real(str_cut(&text, ','), &numbers[i]) || numbers[i] < 0) {
            return false;
        }
    }
    d->a = numbers[0];
    d->b = numbers[1];
    return text.p == NULL && (d->kind != DRAW_UNIFORM || d->a <= d->b);
}

bool draw_parse(const char *text, const char *what, struct draw *out, struct error *err)
{
    struct str rest = str_of(text);
    *out = (struct draw){.kind = DRAW_SET};
    if (read_numbers(rest, 1, out)) return true;
    struct str name = str_cut(&rest, ':');
    for (size_t i = 0; i < COUNT(forms); i++) {
        out->kind = forms[i].kind;
        if (str_is(name, forms[i].name) && read_numbers(rest, forms[i].numbers, out)) {
            if (forms[i].has_mean) out->a *= exp(-out->b * out->b / 2);
            return true;
        }
    }
    return error_set(err, ERROR_INVALID,
                     "%s '%s' is neither a number from 0 nor a distribution; write 50, "
                     "uniform:10,90, normal:50,10, lognormal:50,0.5, "
                     "lognormal-mean:50,0.5 or exp:50",
                     what, text);
}

double draw_next(const struct draw *d, struct rng *r)
{
    switch (d->kind) {
    case DRAW_UNIFORM: return d->a + (d->b - d->a) * rng_real(r);
    case DRAW_NORMAL: return fmax(d->a + d->b * rng_normal(r), 0);
    case DRAW_LOGNORMAL: return d->a * exp(d->b * rng_normal(r));
    case DRAW_EXPONENTIAL: return d->a * rng_exponential(r);
    default: return d->a;
    }
}

/* Of a normal that is cut at 0: a P(Z < a/b) + b phi(a/b). */
static double mean_of_cut_normal(double a, double b)
{
    if (b == 0) return a;
    double z = a / b;
    return a * erfc(-z / sqrt(2)) / 2 + b * exp(-z * z / 2) / sqrt(2 * acos(-1));
}

double draw_mean(const struct draw *d)
{
    switch (d->kind) {
    case DRAW_UNIFORM: return (d->a + d->b) / 2;
    case DRAW_NORMAL: return mean_of_cut_normal(d->a, d->b);
    case DRAW_LOGNORMAL: return d->a * exp(d->b * d->b / 2);
    default: return d->a;
    }
}
