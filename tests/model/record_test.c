/* "gpt@1.2": names and versions of agents as people write them. */
#include "model/record.h"
#include "tests/test.h"

static void expect_split(const char *text, const char *name, const char *version)
{
    struct agent_name parts = agent_name_split(str_of(text));
    assert_true(str_is(parts.name, name));
    assert_true((parts.version.p != NULL) == (version != NULL));
    if (version) assert_true(str_is(parts.version, version));
}

TEST(a_version_follows_the_last_at_sign)
{
    expect_split("gpt", "gpt", NULL);
    expect_split("gpt@1.2", "gpt", "1.2");
    expect_split("team@home@2", "team@home", "2");
    expect_split("gpt@", "gpt", "");
    expect_split("@1", "@1", NULL);
    expect_split("@", "@", NULL);
    expect_split("", "", NULL);
}

TEST(a_name_fits_with_its_version_or_without_any)
{
    assert_true(agent_name_fits(S("gpt"), S("gpt"), "1"));
    assert_true(agent_name_fits(S("gpt"), S("gpt"), NULL));
    assert_true(agent_name_fits(S("gpt@1"), S("gpt"), "1"));
    assert_true(!agent_name_fits(S("gpt@1"), S("gpt"), "2"));
    assert_true(!agent_name_fits(S("gpt@1"), S("gpt"), NULL));
    assert_true(!agent_name_fits(S("gpt@1"), S("gp"), "1"));
    assert_true(agent_name_fits(S("gpt@1"), S("gpt@1"), "7"));
    assert_true(agent_name_fits(S("team@home@2"), S("team@home"), "2"));
}

TEST_MAIN(T(a_version_follows_the_last_at_sign), T(a_name_fits_with_its_version_or_without_any))
