#include "evolve/scenario_file.h"

#include "base/value.h"

#include <math.h>

static const double pass_at = 0.7;

struct reader {
    struct arena *out;
    struct str features[CHALLENGE_FEATURES_MAX];
    size_t feature_count;
    struct scenario *scenarios;
    size_t scenario_count;
    struct library_line *lines;
    size_t line_count;
};

static bool feature_of(struct reader *r, struct str text, size_t *feature, struct error *err)
{
    for (*feature = 0; *feature < r->feature_count; ++*feature) {
        if (str_equal(r->features[*feature], text)) return true;
    }
    if (r->feature_count == CHALLENGE_FEATURES_MAX)
        return error_set(err, ERROR_INVALID, "more than %d different wishes",
                         CHALLENGE_FEATURES_MAX);
    r->features[r->feature_count++] = text;
    return true;
}

/* An option of the check that this does not know would make the search work for another thing
 * than the suite asks for: `absent` for the very opposite. */
static bool knows_options(const struct value *check, struct error *err)
{
    static const char *const known[] = {"check", "weight", "text", "without"};
    for (size_t i = 0; i < check->map.count; i++) {
        struct str key = check->map.pairs[i].key;
        size_t k = 0;
        while (k < COUNT(known) && !str_is(key, known[k])) k++;
        if (k == COUNT(known))
            return error_set(err, ERROR_INVALID,
                             "a search cannot follow '%.*s' of 'contains', only 'text', "
                             "'weight' and 'without'",
                             STR_ARG(key));
    }
    return true;
}

static bool read_group(struct reader *r, const struct value *check, struct scenario *s,
                       size_t group, struct error *err)
{
    const struct value *texts = value_get(check, "text");
    double weight = value_real(check, "weight");
    if (!knows_options(check, err)) return false;
    if (!texts || texts->kind != VALUE_LIST || texts->list.count == 0)
        return error_set(err, ERROR_INVALID, "'contains' needs 'text', a list of texts");
    if (!(weight > 0) || !isfinite(weight))
        return error_set(err, ERROR_INVALID, "'contains' needs a 'weight' above 0");
    s->weights[group] = weight;
    for (size_t i = 0; i < texts->list.count; i++) {
        const struct value *text = texts->list.items[i];
        size_t feature;
        if (text->kind != VALUE_TEXT || text->source.n == 0)
            return error_set(err, ERROR_INVALID, "a wish must be a text");
        if (!feature_of(r, text->source, &feature, err)) return false;
        if (feature_has(&s->wants[group], feature))
            return error_set(err, ERROR_INVALID, "the wish '%.*s' is there twice",
                             STR_ARG(text->source));
        feature_add(&s->wants[group], feature);
    }
    return true;
}

static bool read_id(const struct reader *r, const struct value *v, struct scenario *s,
                    struct error *err)
{
    struct str id = value_text(v, "id");
    if (id.n == 0) return error_set(err, ERROR_INVALID, "a scenario needs an 'id'");
    for (const struct scenario *other = r->scenarios; other < s; other++) {
        if (str_is(id, other->id))
            return error_set(err, ERROR_INVALID, "the id '%.*s' is there twice", STR_ARG(id));
    }
    s->id = str_cstr(r->out, id);
    return true;
}

static bool read_scenario(struct reader *r, struct str line, struct error *err)
{
    static const struct value_limits limits = {1 << 20, 16, 10000};
    const struct value *v;
    if (!value_read_json(line, &limits, r->out, &v, err)) return false;
    if (r->scenario_count == CHALLENGE_SCENARIOS_MAX)
        return error_set(err, ERROR_INVALID, "more than %d scenarios", CHALLENGE_SCENARIOS_MAX);
    struct scenario *s = &r->scenarios[r->scenario_count++];
    if (!read_id(r, v, s, err)) return false;
    const struct value *rubric = value_get(v, "rubric");
    size_t groups = 0;
    double sum = 0;
    for (size_t i = 0; rubric && rubric->kind == VALUE_LIST && i < rubric->list.count; i++) {
        const struct value *check = rubric->list.items[i];
        if (!str_is(value_text(check, "check"), "contains")) continue;
        if (groups == CHALLENGE_GROUPS)
            return error_set(err, ERROR_INVALID, "more than %d groups of wishes",
                             CHALLENGE_GROUPS);
        if (!read_group(r, check, s, groups, err)) return false;
        sum += s->weights[groups++];
    }
    if (groups == 0) return error_set(err, ERROR_INVALID, "no check 'contains' in its rubric");
    if (!isfinite(sum))
        return error_set(err, ERROR_INVALID, "its weights are too large to add");
    for (size_t g = 0; g < groups; g++) s->weights[g] /= sum;
    return true;
}

static struct str first_sentence(struct str text)
{
    const char *end = memmem(text.p, text.n, ". ", 2);
    return end ? (struct str){text.p, (size_t)(end - text.p) + 1} : text;
}

static void find_features(const struct reader *r, struct str text, struct feature_set *set)
{
    for (size_t i = 0; i < r->feature_count; i++) {
        if (memmem(text.p, text.n, r->features[i].p, r->features[i].n)) feature_add(set, i);
    }
}

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool fits = (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9') ||
                    s.p[i] == '_';
        if (!fits) return false;
    }
    return s.n > 0 && s.n <= 60;
}

static bool read_library_line(struct reader *r, struct str line, struct error *err)
{
    struct str text = line;
    struct str name = str_cut(&text, ':');
    text = str_trim(text);
    if (!is_name(name) || text.n == 0 || text.n > 2000 || !str_is_utf8(text))
        return error_set(err, ERROR_INVALID,
                         "a line of a library is 'name: text', the name of a-z, 0-9 and _");
    if (r->line_count == CHALLENGE_LINES_MAX)
        return error_set(err, ERROR_INVALID, "more than %d lines", CHALLENGE_LINES_MAX);
    for (size_t i = 0; i < r->line_count; i++) {
        if (str_is(name, r->lines[i].name))
            return error_set(err, ERROR_INVALID, "'%.*s' is there twice", STR_ARG(name));
    }
    struct library_line *l = &r->lines[r->line_count++];
    *l = (struct library_line){
        .name = str_cstr(r->out, name), .text = text, .setting = 1, .partner = -1};
    find_features(r, text, &l->all);
    find_features(r, first_sentence(text), &l->half);
    return true;
}

static bool each_line(struct reader *r, struct str text, const char *what,
                      bool (*take)(struct reader *, struct str, struct error *),
                      struct error *err)
{
    size_t number = 0;
    for (struct str rest = text; rest.p;) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        number++;
        if (line.n > 0 && !take(r, line, err)) return error_wrap(err, "%s:%zu", what, number);
    }
    return true;
}

/* Training first: every third of the file goes to the end. */
static const struct scenario *split(const struct reader *r, size_t *train_count)
{
    struct scenario *ordered = arena_new(r->out, struct scenario, r->scenario_count);
    size_t held_out = r->scenario_count / 3;
    size_t next[2] = {0, *train_count = r->scenario_count - held_out};
    for (size_t i = 0; i < r->scenario_count; i++) {
        ordered[next[i % 3 == 2]++] = r->scenarios[i];
    }
    return ordered;
}

bool scenario_file_read(const char *agent, struct str scenarios, struct str library,
                        struct arena *out, struct challenge **challenge, struct error *err)
{
    struct reader *r = arena_new(out, struct reader, 1);
    r->out = out;
    r->scenarios = arena_new(out, struct scenario, CHALLENGE_SCENARIOS_MAX);
    r->lines = arena_new(out, struct library_line, CHALLENGE_LINES_MAX);
    if (!each_line(r, scenarios, "scenarios", read_scenario, err)) return false;
    if (!each_line(r, library, "library", read_library_line, err)) return false;
    if (r->scenario_count < 3 || r->line_count == 0)
        return error_set(err, ERROR_INVALID,
                         "%s needs at least 3 scenarios and a line in its library", agent);
    struct challenge *c = *challenge = arena_new(out, struct challenge, 1);
    *c = (struct challenge){
        .agent = agent,
        .segments = SCENARIO_FILE_SEGMENTS,
        .lines = r->lines,
        .line_count = r->line_count,
        .scenario_count = r->scenario_count,
        .segment_cost = 0.05,
        .best_known = 1 - 0.05,
    };
    c->scenarios = split(r, &c->train_count);
    return true;
}

size_t scenario_file_passed(const struct challenge *c, const struct genome *g, size_t from)
{
    struct offer o = challenge_offer(c, g);
    size_t passed = 0;
    for (size_t i = from; i < c->scenario_count; i++) {
        passed += challenge_score(c, i, &o, false) >= pass_at - 1e-9;
    }
    return passed;
}
