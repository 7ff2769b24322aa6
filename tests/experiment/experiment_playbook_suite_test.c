#include "base/os.h"
#include "evolve/playbook.h"
#include "evolve/scenario_file.h"
#include "tests/experiment/harness.h"

enum { ROLES = 3 };
static const char *const roles[ROLES] = {"qa", "seo", "legal"};
static const char shipped[] = "scenarios: specs/cases/playbooks, libraries: "
                              "specs/data/playbooks, roles: [qa, seo, legal]";

static struct str file(const char *folder, const char *role, const char *ending,
                       struct arena *a)
{
    struct str bytes;
    struct error err = {0};
    const char *path = arena_printf(a, "specs/%s/playbooks/%s.%s", folder, role, ending);
    if (!os_read_file(path, 1 << 20, a, &bytes, &err)) fail_msg("%s", err.text);
    return bytes;
}

/* Of the scenarios of a role, those that an answer passes: by the texts of their rubrics, and
 * without the features that a search works with. */
static double passed_by(struct str answer, const char *role, double *count, struct arena *a)
{
    double passed = 0;
    struct str rest = file("cases", role, "jsonl", a);
    while (rest.p) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (line.n == 0) continue;
        const struct value *v;
        struct error err = {0};
        assert_true(value_read_json(line, &value_limits_spec, a, &v, &err));
        const struct value *rubric = value_get(v, "rubric");
        double score = 0;
        double weights = 0;
        for (size_t i = 0; i < rubric->list.count; i++) {
            const struct value *check = rubric->list.items[i];
            if (!str_is(value_text(check, "check"), "contains")) continue;
            const struct value *texts = value_get(check, "text");
            double found = 0;
            for (size_t k = 0; k < texts->list.count; k++) {
                struct str text = texts->list.items[k]->source;
                found += memmem(answer.p, answer.n, text.p, text.n) != NULL;
            }
            weights += value_real(check, "weight");
            score += value_real(check, "weight") * found / (double)texts->list.count;
        }
        passed += score / weights >= 0.7 - 1e-9;
        ++*count;
    }
    return passed;
}

/* What the playbooks that a trial gave out are worth, computed without the experiment. */
struct worth {
    double pass_rate, by_answer, score, held_out;
};

/* What an agent with this playbook says: lines of its library, or their first sentences. */
static void say(const struct challenge *c, const struct genome *g, struct buf *out)
{
    for (size_t i = 0; i < c->segments; i++) {
        struct segment s = g->segments[i];
        if (s.line < 0) continue;
        struct str text = c->lines[s.line].text;
        const char *end = s.setting == 1 ? NULL : memmem(text.p, text.n, ". ", 2);
        buf_add(out, end ? (struct str){text.p, (size_t)(end - text.p) + 1} : text);
        buf_add_char(out, '\n');
    }
}

static struct worth worth_of(struct str output, struct arena *a)
{
    struct worth w = {0};
    double count = 0;
    const char *rest = str_cstr(a, output);
    for (size_t i = 0; i < ROLES; i++) {
        const char *at = strstr(rest, arena_printf(a, "playbook %s\n", roles[i]));
        assert_non_null(at);
        const char *end = strstr(at + 1, "playbook ");
        struct str book = {at, end ? (size_t)(end - at) : strlen(at)};
        struct challenge *c;
        struct genome g;
        struct error err = {0};
        assert_true(scenario_file_read(roles[i], file("cases", roles[i], "jsonl", a),
                                       file("data", roles[i], "library", a), a, &c, &err));
        if (!playbook_parse(c, book, &g, &err)) fail_msg("%s: %s", roles[i], err.text);
        struct buf answer;
        buf_init(&answer, 1 << 20);
        say(c, &g, &answer);
        w.by_answer += passed_by(buf_str(&answer), roles[i], &count, a);
        buf_release(&answer);
        w.pass_rate += (double)scenario_file_passed(c, &g, 0);
        w.score += challenge_fitness(c, &g) / ROLES;
        w.held_out += challenge_held_out(c, &g) / ROLES;
    }
    assert_true(count >= 18 * ROLES);
    w.by_answer /= count;
    w.pass_rate /= count;
    return w;
}

TEST(a_trial_gives_what_its_playbooks_are_worth)
{
    static const char *const parts[] = {"none", "all"};
    struct arena a = arena_open();
    int differ = 0; /* a perfect playbook has 1 in both */
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct bench b;
        bench_open(&b, "playbook_suite",
                   arena_printf(&a, "{%s, cap: 10, parts: %s}", shipped, parts[i]), 0);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(bench_trial(&b), TRIAL_OK);
            struct worth w = worth_of(buf_str(&b.output), &a);
            assert_close(bench_value(&b, "pass_rate"), w.pass_rate, 1e-12);
            assert_close(bench_value(&b, "pass_rate"), w.by_answer, 1e-12);
            assert_close(bench_value(&b, "score"), w.score, 1e-12);
            assert_close(bench_value(&b, "held_out"), w.held_out, 1e-12);
            differ += w.score != w.held_out;
        }
        assert_true(bench_close(&b));
    }
    assert_true(differ > 0);
    arena_close(&a);
}

static double mean_pass_rate(const char *yaml)
{
    struct bench b;
    bench_open(&b, "playbook_suite", yaml, 0);
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        sum += bench_value(&b, "pass_rate");
    }
    assert_true(bench_close(&b));
    return sum / 5;
}

/* Libraries without the lines of which the shipped, evolved playbooks are made. */
static void write_poor_libraries(const char *folder, struct arena *a)
{
    for (size_t i = 0; i < ROLES; i++) {
        struct str evolved = file("data", roles[i], "evolved", a);
        struct str rest = file("data", roles[i], "library", a);
        struct buf poor;
        buf_init(&poor, 1 << 20);
        while (rest.p) {
            struct str line = str_cut(&rest, '\n');
            struct str text = line;
            struct str name = str_cut(&text, ':');
            if (name.n && memmem(evolved.p, evolved.n, name.p, name.n)) continue;
            buf_add(&poor, line);
            buf_add_char(&poor, '\n');
        }
        struct error err = {0};
        const char *path = arena_printf(a, "%s/%s.library", folder, roles[i]);
        assert_true(os_write_file(path, buf_str(&poor), &err));
        buf_release(&poor);
    }
}

TEST(an_arm_that_has_less_to_work_with_loses)
{
    struct arena a = arena_open();
    const char *folder;
    struct error err = {0};
    assert_true(os_make_temp_dir("assay-poor", &a, &folder, &err));
    write_poor_libraries(folder, &a);
    double whole = mean_pass_rate(arena_printf(&a, "{%s, cap: 60}", shipped));
    double poor = mean_pass_rate(arena_printf(
        &a,
        "{scenarios: specs/cases/playbooks, libraries: %s, roles: [qa, seo, legal], "
        "cap: 60}",
        folder));
    print_message("# pass rates: %.3f, and with poor libraries %.3f\n", whole, poor);
    assert_true(poor < whole - 0.1); /* the claim allows 0.02 */
    os_remove_tree(folder);
    arena_close(&a);
}

TEST(files_that_are_missing_are_named)
{
    struct bench b;
    assert_false(bench_try_open(&b, "playbook_suite", "{roles: [nobody]}", 0));
    assert_non_null(strstr(b.error.text, "role 'nobody'"));
    bench_close(&b);
    assert_false(bench_try_open(&b, "playbook_suite", "{roles: []}", 0));
    assert_non_null(strstr(b.error.text, "roles: 1 to 64 are possible"));
    bench_close(&b);
}

TEST_MAIN(T(a_trial_gives_what_its_playbooks_are_worth),
          T(an_arm_that_has_less_to_work_with_loses), T(files_that_are_missing_are_named))
