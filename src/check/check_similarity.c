/* How near the answer's embedding is to an expected answer's: their cosine, 0
 * where it is negative. Embeddings come from an agent, from a file of texts and
 * vectors, or from our own small embedder, whichever the rubric names: which one
 * it was is most of what the number means. The result says from where. The same
 * text is 1 whatever the embedder makes of it, and nobody is asked. */
#include "base/near.h"
#include "check/check.h"
#include "check/embed.h"
#include "vec/dot.h"

#include "base/os.h"

#include <math.h>

enum { EMBEDDING_MAX = 16384, FILE_BYTES_MAX = 256 << 20 };

enum precision { PRECISION_FLOAT, PRECISION_INT8 };
static const char *const precisions[] = {"float", "int8", NULL};

/* Where embeddings come from; "agent" and "file" are said by naming one. */
enum embedder { EMBEDDER_NAMED, EMBEDDER_NGRAM };
static const char *const embedders[] = {"named", "ngram", NULL};

struct config {
    const char *agent;
    const char *file;
    int embedder;
    int precision;
    double at_least;
};

struct vector {
    const float *values;
    size_t size;
};

struct entry {
    struct str text;
    struct vector vector;
};

struct state {
    const struct config *config;
    struct check_env env;
    struct dot_kernels kernels;
    struct entry *entries; /* of the file, by text */
    size_t count;
    const char *source;
};

static const struct param params[] = {
    {"agent", PARAM_TEXT, .offset = offsetof(struct config, agent),
     .help = "id of an agent that answers a text with its embedding (a JSON list of numbers)"},
    {"file", PARAM_TEXT, .offset = offsetof(struct config, file),
     .help = "JSON lines of {text, embedding}"},
    {"embedder", PARAM_CHOICE, .offset = offsetof(struct config, embedder),
     .fallback = "\"named\"", .choices = embedders,
     .help = "named: the agent or file; ngram: built in, finds shared words but not meaning"},
    {"precision", PARAM_CHOICE, .offset = offsetof(struct config, precision),
     .fallback = "\"float\"", .choices = precisions,
     .help = "compare as floats, or rounded to int8"},
    {"at_least", PARAM_REAL, .offset = offsetof(struct config, at_least), .fallback = "0",
     .min = 0, .max = 1,
     .help = "1 from this cosine on and 0 below; 0 = the cosine is the score"},
};

static const char *agent_of(const void *config)
{
    return ((const struct config *)config)->agent;
}

static bool similarity_check(const void *config, const struct value *options,
                             struct problems *problems)
{
    const struct config *c = config;
    int named = (c->agent != NULL) + (c->file != NULL) + (c->embedder == EMBEDDER_NGRAM);
    if (named == 1) return true;
    check_problem(problems, options, c->file ? "file" : "embedder",
                  named
                      ? "give only one of 'agent', 'file' and 'embedder: ngram'"
                      : "'similarity' needs a source of embeddings: 'agent: ID', 'file: PATH', "
                        "or 'embedder: ngram' (built in, finds shared words but not meaning)");
    return false;
}

static bool read_vector(const struct value *v, struct arena *out, struct vector *vector,
                        struct error *err)
{
    if (!v || v->kind != VALUE_LIST || v->list.count == 0 || v->list.count > EMBEDDING_MAX) {
        return error_set(err, ERROR_INVALID, "an embedding is a list of 1 to %d numbers",
                         EMBEDDING_MAX);
    }
    float *values = arena_new(out, float, v->list.count);
    for (size_t i = 0; i < v->list.count; i++) {
        const struct value *item = v->list.items[i];
        if (!value_is_number(item) || fabs(value_number(item)) > 1e18) {
            return error_set(err, ERROR_INVALID, "item %zu of an embedding is not a number", i);
        }
        values[i] = (float)value_number(item);
    }
    *vector = (struct vector){values, v->list.count};
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    return str_compare(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

static bool read_entry(struct str line, struct arena *out, struct entry *entry,
                       struct error *err)
{
    struct arena scratch = arena_open();
    const struct value *v = NULL;
    bool done = check_read_json(line, false, &scratch, &v, err);
    const struct value *text = done ? value_get(v, "text") : NULL;
    if (done && (!text || text->kind != VALUE_TEXT)) {
        done = error_set(err, ERROR_INVALID, "has no 'text'");
    } else if (done) {
        entry->text = str_copy(out, str_trim(text->source));
        done = read_vector(value_get(v, "embedding"), out, &entry->vector, err);
    }
    arena_close(&scratch);
    return done;
}

static bool read_file(struct state *s, struct error *err)
{
    struct arena *out = s->env.arena;
    const char *path = os_path_below(s->env.base_dir, str_of(s->config->file), out);
    struct arena scratch = arena_open();
    struct str rest;
    bool done = os_read_file(path, FILE_BYTES_MAX, &scratch, &rest, err);
    size_t lines = 1;
    for (size_t i = 0; done && i < rest.n; i++) lines += rest.p[i] == '\n';
    s->entries = arena_new(out, struct entry, done ? lines : 0);
    for (size_t line = 1; done && rest.p; line++) {
        struct str text = str_cut(&rest, '\n');
        if (str_trim(text).n == 0) continue;
        struct entry *entry = &s->entries[s->count];
        done = read_entry(text, out, entry, err);
        if (done && entry->vector.size != s->entries[0].vector.size) {
            done = error_set(err, ERROR_INVALID, "%zu numbers, the first embedding has %zu",
                             entry->vector.size, s->entries[0].vector.size);
        }
        if (!done) error_wrap(err, "%s:%zu", path, line);
        s->count += done;
    }
    arena_close(&scratch);
    if (done && s->count) qsort(s->entries, s->count, sizeof *s->entries, compare_entries);
    return done;
}

static bool similarity_open(void *state, const void *config, const struct check_env *env,
                            struct error *err)
{
    struct state *s = state;
    s->config = config;
    s->env = *env;
    s->kernels = dot_kernels_best();
    const char *precision = precisions[s->config->precision];
    if (s->config->agent) {
        s->source = arena_printf(env->arena, "agent %s, %s", s->config->agent, precision);
        return true;
    }
    if (s->config->file) {
        s->source = arena_printf(env->arena, "file %s, %s", s->config->file, precision);
        return read_file(s, err);
    }
    s->source = arena_printf(env->arena, "builtin " EMBED_NAME ", %s", precision);
    return true;
}

/* A list, {"embedding": [...]} or what OpenAI's embeddings endpoint says. */
static bool ask_agent(struct state *s, struct str text, struct arena *out,
                      struct vector *vector, struct check_result *result, struct error *err)
{
    struct check_reply reply = {.cost_usd = NAN, .tokens = NAN};
    result->calls++;
    if (!s->env.ask(s->env.ask_context, s->config->agent, text, out, &reply, err)) {
        return error_wrap(err, "asking agent '%s' for an embedding", s->config->agent);
    }
    result->cost_usd += reply.cost_usd;
    const struct value *v;
    if (!check_read_json(reply.output, true, out, &v, err)) {
        return error_wrap(err, "embedding of agent '%s'", s->config->agent);
    }
    const struct value *data = value_get(v, "data");
    if (data && data->kind == VALUE_LIST && data->list.count) v = data->list.items[0];
    if (v->kind == VALUE_MAP) v = value_get(v, "embedding");
    if (read_vector(v, out, vector, err)) return true;
    return error_wrap(err, "agent '%s'", s->config->agent);
}

static const struct entry *entry_of(const struct state *s, struct str text)
{
    struct entry wanted = {.text = str_trim(text)};
    return s->count
               ? bsearch(&wanted, s->entries, s->count, sizeof *s->entries, compare_entries)
               : NULL;
}

static bool find_entry(const struct state *s, struct str text, struct vector *vector,
                       struct arena *out, struct error *err)
{
    const struct entry *found = entry_of(s, text);
    if (!found) {
        return error_set(err, ERROR_NOT_FOUND,
                         "%s has no embedding of '%s'; name an 'agent' that makes them",
                         s->config->file, check_shown(str_trim(text), out));
    }
    *vector = found->vector;
    return true;
}

static bool embedding_of(struct state *s, struct str text, struct arena *out,
                         struct vector *vector, struct check_result *result, struct error *err)
{
    if (s->config->agent) return ask_agent(s, text, out, vector, result, err);
    if (s->config->file) return find_entry(s, text, vector, out, err);
    float *values = arena_new(out, float, EMBED_SIZE);
    embed_text(text, values, *out);
    *vector = (struct vector){values, EMBED_SIZE};
    return true;
}

static double cosine_of(const struct state *s, struct vector a, struct vector b,
                        struct arena scratch)
{
    if (s->config->precision == PRECISION_FLOAT) {
        return dot_cosine_f32(&s->kernels, a.values, b.values, a.size);
    }
    int8_t *x = arena_new(&scratch, int8_t, a.size);
    int8_t *y = arena_new(&scratch, int8_t, b.size);
    dot_quantise(a.values, x, a.size);
    dot_quantise(b.values, y, b.size);
    return dot_cosine_i8(&s->kernels, x, y, a.size);
}

static bool similarity_score(void *state, const struct check_input *input, struct arena *out,
                             struct check_result *result, struct error *err)
{
    struct state *s = state;
    result->source = s->source;
    for (size_t i = 0; i < check_expected_count(input); i++) {
        struct str text = check_text_of(check_expected_at(input, i), out);
        if (str_equal(text, input->output)) {
            return check_say(result, out, 1, "the same text");
        }
    }
    /* An agent chooses its answer: one that the file lacks is not like what it has, and not
     * our failure, which would count in no score. */
    if (s->config->file && !entry_of(s, input->output)) {
        struct vector known = {0};
        for (size_t i = 0; i < check_expected_count(input); i++) {
            struct str text = check_text_of(check_expected_at(input, i), out);
            if (!embedding_of(s, text, out, &known, result, err)) return false;
        }
        return check_say(result, out, 0, "%s has no embedding of '%s'", s->config->file,
                         check_shown(str_trim(input->output), out));
    }
    struct vector answer = {0};
    if (!embedding_of(s, input->output, out, &answer, result, err)) return false;
    double best = -1;
    for (size_t i = 0; i < check_expected_count(input); i++) {
        struct vector expected = {0};
        struct str text = check_text_of(check_expected_at(input, i), out);
        if (!embedding_of(s, text, out, &expected, result, err)) return false;
        if (expected.size != answer.size) {
            return error_set(err, ERROR_INVALID, "embeddings of %zu and %zu numbers",
                             answer.size, expected.size);
        }
        best = fmax(best, cosine_of(s, answer, expected, *out));
    }
    double at_least = s->config->at_least;
    double score =
        at_least > 0 ? near_reaches(best, at_least) : near_share(fmin(fmax(best, 0), 1));
    return check_say(result, out, score, "cosine %.6f", best);
}

const struct check_kind check_similarity = {
    .name = "similarity",
    .summary = "similarity of the embeddings of the answer and of the expected answer",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .agent_of = agent_of,
    .needs_expected = check_always,
    .check = similarity_check,
    .open = similarity_open,
    .score = similarity_score,
};
