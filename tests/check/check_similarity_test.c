/* The shipped set: specs/data/similarity/triples.jsonl has sentences of our own,
 * each with a paraphrase and with one that has nothing to do with it;
 * embeddings.jsonl has the int8 embedding of each by the method of embed.h.
 * With UPDATE_EMBEDDINGS set, this test writes the second file anew. */
#include "base/os.h"
#include "check/embed.h"
#include "tests/check/bench.h"
#include "vec/dot.h"

#define FOLDER "specs/data/similarity/"

enum { TRIPLES_MAX = 64 };

struct set {
    struct str texts[TRIPLES_MAX][3]; /* text, paraphrase, unrelated */
    size_t count;
};

static struct set read_set(struct arena *a)
{
    static const char *const keys[] = {"text", "paraphrase", "unrelated"};
    struct set set = {0};
    struct str rest;
    struct error err = {0};
    if (!os_read_file(FOLDER "triples.jsonl", 1 << 20, a, &rest, &err))
        fail_msg("%s", err.text);
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        const struct value *v = NULL;
        if (line.n == 0) continue;
        assert_true(check_read_json(line, false, a, &v, &err));
        for (int i = 0; i < 3; i++) set.texts[set.count][i] = value_get(v, keys[i])->source;
        set.count++;
    }
    assert_true(set.count >= 20);
    return set;
}

static void embed_i8(struct str text, int8_t *out, struct arena *a)
{
    float values[EMBED_SIZE];
    embed_text(text, values, *a);
    dot_quantise(values, out, EMBED_SIZE);
}

static struct str embeddings_of(const struct set *set, struct arena *a)
{
    struct buf b;
    struct json j;
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < set->count; i++) {
        for (int k = 0; k < 3; k++) {
            int8_t vector[EMBED_SIZE];
            embed_i8(set->texts[i][k], vector, a);
            json_init(&j, &b, 0);
            json_object(&j);
            json_key(&j, "text");
            json_str(&j, set->texts[i][k]);
            json_key(&j, "embedding");
            json_list(&j);
            for (int n = 0; n < EMBED_SIZE; n++) json_int(&j, vector[n]);
            json_end(&j);
            json_end(&j);
            buf_add_char(&b, '\n');
        }
    }
    assert_false(b.overflow);
    struct str text = str_copy(a, buf_str(&b));
    buf_release(&b);
    return text;
}

TEST(the_shipped_embeddings_are_what_the_method_gives)
{
    struct arena a = arena_open();
    struct set set = read_set(&a);
    struct str made = embeddings_of(&set, &a);
    struct error err = {0};
    struct str shipped;
    if (getenv("UPDATE_EMBEDDINGS")) {
        assert_true(os_write_file(FOLDER "embeddings.jsonl", made, &err));
    }
    if (!os_read_file(FOLDER "embeddings.jsonl", 1 << 20, &a, &shipped, &err))
        fail_msg("%s", err.text);
    assert_true(str_equal(made, shipped));
    arena_close(&a);
}

static double similarity(const char *options, struct str a, struct str b, struct arena *arena)
{
    const struct check_case c = {options, "", "", 0, NULL};
    struct problems p;
    const struct rubric *r = bench_rubric(arena, "similarity", c.options, &p);
    struct check_env env = {.arena = arena, .base_dir = FOLDER};
    struct rubric_session *s;
    struct error err = {0};
    if (!rubric_open(r, &env, &s, &err)) fail_msg("%s", err.text);
    struct check_input in = {.output = a, .expected = value_new_text(arena, b)};
    struct rubric_result result;
    if (!rubric_evaluate(s, &in, arena, &result, &err)) fail_msg("%s", err.text);
    rubric_close(s);
    return result.score;
}

/* Not only each with its own: every paraphrase pair above every unrelated one. */
static void paraphrases_outrank(const char *options)
{
    struct arena a = arena_open();
    struct set set = read_set(&a);
    double least = 1;
    double most = 0;
    for (size_t i = 0; i < set.count; i++) {
        double near = similarity(options, set.texts[i][1], set.texts[i][0], &a);
        double far = similarity(options, set.texts[i][2], set.texts[i][0], &a);
        if (!(near > far)) fail_msg("%.*s: %f, %f", STR_ARG(set.texts[i][0]), near, far);
        least = fmin(least, near);
        most = fmax(most, far);
    }
    print_message("# %s: paraphrases from %.3f, unrelated up to %.3f\n", options, least, most);
    assert_true(least > most);
    arena_close(&a);
}

TEST(paraphrases_outrank_unrelated_pairs)
{
    paraphrases_outrank("embedder: ngram");
    paraphrases_outrank("embedder: ngram, precision: int8");
    paraphrases_outrank("file: embeddings.jsonl, precision: int8");
}

TEST(neighbours_of_another_sentence_are_unrelated_too)
{
    /* All pairs of different triples: 24 * 23 of them. */
    struct arena a = arena_open();
    struct set set = read_set(&a);
    struct dot_kernels k = dot_kernels_best();
    static int8_t vectors[TRIPLES_MAX][2][EMBED_SIZE];
    for (size_t i = 0; i < set.count; i++) {
        embed_i8(set.texts[i][0], vectors[i][0], &a);
        embed_i8(set.texts[i][1], vectors[i][1], &a);
    }
    for (size_t i = 0; i < set.count; i++) {
        double own = dot_cosine_i8(&k, vectors[i][0], vectors[i][1], EMBED_SIZE);
        for (size_t o = 0; o < set.count; o++) {
            double other = dot_cosine_i8(&k, vectors[i][0], vectors[o][1], EMBED_SIZE);
            if (o != i && other >= own) fail_msg("%.*s", STR_ARG(set.texts[i][0]));
        }
    }
    arena_close(&a);
}

static const struct check_case cases[] = {
    {"embedder: ngram", "The cat sat.", "the CAT sat", 1, "builtin ngram/1, float"},
    {"embedder: ngram, precision: int8", "The cat sat.", "the CAT sat", 1,
     "builtin ngram/1, int8"},
    {"embedder: ngram", "The cat sat.", "", 0, "cosine 0.000000"},
    {"embedder: ngram", "[dogs bark, the cat sat]", "the cat sat", 1, NULL},
    {"embedder: ngram, at_least: 0.5", "the black cat sat", "the cat sat", 1, NULL},
    {"embedder: ngram, at_least: 0.9", "the black cat sat", "shares fell", 0, NULL},
    {"file: embeddings.jsonl", "Water boils at one hundred degrees Celsius.", "unknown text", 0,
     "embeddings.jsonl has no embedding of 'unknown text'"},
    {"file: embeddings.jsonl", "unknown text", "another", HARNESS_ERROR,
     "embeddings.jsonl has no embedding of 'unknown text'"},
    {"file: none.jsonl", "x", "x", HARNESS_ERROR, "none.jsonl"},
    {"embedder: ngram", "", "x", NAN, NULL},
};

static const struct problem_case wrong[] = {
    {"agent: a, file: f", "1:31: give only one of 'agent', 'file' and 'embedder: ngram'"},
    {"agent: a, embedder: ngram",
     "1:35: give only one of 'agent', 'file' and 'embedder: ngram'"},
    {"at_least: 0.5",
     "1:14: 'similarity' needs a source of embeddings: 'agent: ID', 'file: PATH', or "
     "'embedder: ngram' (built in, finds shared words but not meaning)"},
};

TEST(answers_and_settings)
{
    struct check_env env = {.base_dir = FOLDER};
    bench_cases("similarity", cases, COUNT(cases), &env);
    PROBLEMS("similarity", wrong);
}

static bool ask(void *context, const char *agent_id, struct str prompt, struct arena *out,
                struct check_reply *reply, struct error *err)
{
    (void)agent_id;
    (void)out;
    (void)err;
    const char *const *replies = context;
    reply->output = str_of(replies[!str_is(prompt, "answer")]);
    reply->cost_usd = 0.001;
    return true;
}

static bool refuse(void *context, const char *agent_id, struct str prompt, struct arena *out,
                   struct check_reply *reply, struct error *err)
{
    (void)context, (void)agent_id, (void)prompt, (void)out, (void)reply;
    return error_set(err, ERROR_UNAVAILABLE, "asked");
}

TEST(embeddings_of_an_agent)
{
    static const struct {
        const char *replies[2]; /* of the answer, of the expected one */
        double score;
        const char *why;
    } table[] = {
        {{"[1, 0]", "[1, 0]"}, 1, "agent emb, float"},
        {{"[0.1, 0.2, 0.3, 0.7]", "[0.1, 0.2, 0.3, 0.7]"}, 1, NULL}, /* not 1 - 2e-16 */
        {{"[1, 0]", "[0, 1]"}, 0, NULL},
        {{"[1, 0]", "[-1, 0]"}, 0, "cosine -1.000000"},
        {{"{\"embedding\": [3, 4]}", "{\"data\":[{\"embedding\":[3,4]}]}"}, 1, NULL},
        {{"[1, 0]", "[1, 0, 0]"}, HARNESS_ERROR, "embeddings of 2 and 3 numbers"},
        {{"no", "[1]"}, HARNESS_ERROR, "embedding of agent 'emb'"},
        {{"[]", "[1]"}, HARNESS_ERROR, "a list of 1 to"},
        {{"[\"x\"]", "[1]"}, HARNESS_ERROR, "is not a number"},
        {{"{}", "[1]"}, HARNESS_ERROR, NULL},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const char *const *replies = table[i].replies;
        struct check_env env = {.ask = ask};
        memcpy(&env.ask_context, &replies, sizeof replies);
        struct check_case c = {"agent: emb", "expected", "answer", table[i].score,
                               table[i].why};
        bench_cases("similarity", &c, 1, &env);
    }
    /* The same bytes are 1, whatever is made of them, and nobody is asked. */
    struct check_env silent = {.ask = refuse};
    struct check_case same = {"agent: emb", "caf\xc3\xa9", "caf\xc3\xa9", 1, "the same text"};
    bench_cases("similarity", &same, 1, &silent);
}

TEST_MAIN(T(the_shipped_embeddings_are_what_the_method_gives),
          T(paraphrases_outrank_unrelated_pairs),
          T(neighbours_of_another_sentence_are_unrelated_too), T(answers_and_settings),
          T(embeddings_of_an_agent))
