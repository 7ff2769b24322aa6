#include "base/os.h"
#include "evolve/playbook.h"
#include "evolve/scenario_file.h"
#include "evolve/search.h"
#include "tests/test.h"

static const char scenarios[] =
    "{\"id\":\"a\",\"rubric\":[{\"check\":\"contains\",\"weight\":0.35,\"text\":[\"red\","
    "\"blue\"]},"
    "{\"check\":\"contains\",\"weight\":0.35,\"text\":[\"green\"]},"
    "{\"check\":\"max_length\",\"weight\":0.3,\"words\":9}]}\n"
    "\n"
    "{\"id\":\"b\",\"rubric\":[{\"check\":\"contains\",\"weight\":1,\"text\":[\"blue\"]}]}\n"
    "{\"id\":\"c\",\"rubric\":[{\"check\":\"contains\",\"weight\":1,\"text\":[\"green\"]}]}\n";
static const char library[] = "warm: Say red. Say green.\ncold: Say blue\nair: Say nothing\n";

static struct challenge *read_ok(struct arena *a)
{
    struct challenge *c;
    struct error err = {0};
    if (!scenario_file_read("painter", str_of(scenarios), str_of(library), a, &c, &err))
        fail_msg("%s", err.text);
    return c;
}

TEST(wishes_and_weights_come_from_the_rubric)
{
    struct arena a = arena_open();
    struct challenge *c = read_ok(&a);
    assert_int_equal(c->scenario_count, 3);
    assert_int_equal(c->train_count, 2);
    assert_string_equal(c->scenarios[2].id, "c"); /* held out */
    assert_close(c->scenarios[0].weights[0], 0.5, 1e-12);
    struct genome g;
    struct error err = {0};
    assert_true(playbook_parse(c, S("- warm @1\n- air @1"), &g, &err));
    struct offer o = challenge_offer(c, &g);
    assert_close(challenge_score(c, 0, &o, false), 0.5 * 0.5 + 0.5, 1e-12);
    assert_close(challenge_score(c, 1, &o, false), 0, 0);
    assert_int_equal(scenario_file_passed(c, &g, 0), 2);
    assert_int_equal(scenario_file_passed(c, &g, c->train_count), 1);
    assert_true(playbook_parse(c, S("- warm @0"), &g, &err)); /* the first sentence */
    o = challenge_offer(c, &g);
    assert_close(challenge_score(c, 0, &o, false), 0.25, 1e-12);
    arena_close(&a);
}

TEST(what_is_wrong_is_named_with_its_line)
{
#define GROUP(weight, more) \
    "{\"check\":\"contains\",\"weight\":" weight ",\"text\":[\"x\"]" more "}"
#define CONTAINS(id, weight, more) "{\"id\":\"" id "\",\"rubric\":[" GROUP(weight, more) "]}"
    static const struct {
        const char *scenarios, *library, *text;
    } cases[] = {
        {"{", library, "scenarios:1: "},
        {"{\"id\":\"a\"}", library, "scenarios:1: no check 'contains' in its rubric"},
        {"{\"id\":\"a\",\"rubric\":[{\"check\":\"contains\",\"weight\":1,\"text\":[]}]}",
         library, "scenarios:1: 'contains' needs 'text', a list of texts"},
        {"{\"id\":\"a\",\"rubric\":[{\"check\":\"contains\",\"weight\":-1,\"text\":[\"x\"]}]}",
         library, "scenarios:1: 'contains' needs a 'weight' above 0"},
        {"{\"rubric\":[]}", library, "scenarios:1: a scenario needs an 'id'"},
        {CONTAINS("a", "1", "") "\n" CONTAINS("a", "1", ""), library,
         "scenarios:2: the id 'a' is there twice"},
        {CONTAINS("a", "1", ",\"absent\":true"), library,
         "scenarios:1: a search cannot follow 'absent' of 'contains', only 'text', 'weight'"},
        {CONTAINS("a", "1", ",\"ignore_case\":true"), library, "cannot follow 'ignore_case'"},
        {"{\"id\":\"a\",\"rubric\":[{\"check\":\"contains\",\"weight\":1,\"text\":[\"x\","
         "\"x\"]}]}",
         library, "scenarios:1: the wish 'x' is there twice"},
        {"{\"id\":\"a\",\"rubric\":[" GROUP("1e308", "") "," GROUP("1e308", "") "]}", library,
         "scenarios:1: its weights are too large to add"},
        {scenarios, "ok: x\nno text", "library:2: a line of a library is"},
        {scenarios, "a: x\na: y", "library:2: 'a' is there twice"},
        {scenarios, "", "painter needs at least 3 scenarios and a line in its library"},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct challenge *c;
        struct error err = {0};
        assert_false(scenario_file_read("painter", str_of(cases[i].scenarios),
                                        str_of(cases[i].library), &a, &c, &err));
        if (!strstr(err.text, cases[i].text)) fail_msg("%zu: %s", i, err.text);
    }
    arena_close(&a);
}

static struct str file(const char *folder, const char *role, const char *ending,
                       struct arena *a)
{
    struct str bytes;
    struct error err = {0};
    const char *path = arena_printf(a, "specs/%s/playbooks/%s.%s", folder, role, ending);
    if (!os_read_file(path, 1 << 20, a, &bytes, &err)) fail_msg("%s", err.text);
    return bytes;
}

/* All 270 that ship: every role can be solved, and the evolved playbooks pass. */
TEST(every_shipped_role_reads_and_its_evolved_playbook_beats_the_plain_one)
{
    static const char *const roles[] = {"analyst",   "billing",    "builder", "content",
                                        "deploy",    "email",      "legal",   "maintenance",
                                        "marketing", "onboarding", "qa",      "security",
                                        "seo",       "spec",       "support"};
    struct arena a = arena_open();
    double passed[2] = {0};
    size_t scenario_count = 0;
    for (size_t i = 0; i < COUNT(roles); i++) {
        struct challenge *c;
        struct error err = {0};
        if (!scenario_file_read(roles[i], file("cases", roles[i], "jsonl", &a),
                                file("data", roles[i], "library", &a), &a, &c, &err))
            fail_msg("%s", err.text);
        scenario_count += c->scenario_count;
        static const char *const kinds[] = {"plain", "evolved"};
        for (size_t k = 0; k < 2; k++) {
            struct genome g;
            if (!playbook_parse(c, file("data", roles[i], kinds[k], &a), &g, &err))
                fail_msg("%s: %s", roles[i], err.text);
            passed[k] += (double)scenario_file_passed(c, &g, 0);
        }
    }
    assert_int_equal(scenario_count, 270);
    assert_close(passed[0], 264, 1e-6);
    assert_close(passed[1], 270, 1e-6);
    arena_close(&a);
}

TEST_MAIN(T(wishes_and_weights_come_from_the_rubric), T(what_is_wrong_is_named_with_its_line),
          T(every_shipped_role_reads_and_its_evolved_playbook_beats_the_plain_one))
