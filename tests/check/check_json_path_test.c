#include "tests/check/bench.h"

#define DOC "{\"a\":{\"b\":[1,{\"c\":\"x\"},null]},\"a.b\":2,\"m/n\":3,\"t~\":4,\"0\":5}"

static const struct check_case cases[] = {
    {"path: /a/b/0, equals: 1", "", DOC, 1, NULL},
    {"path: /a/b/0, equals: 1.0", "", DOC, 1, NULL},
    {"path: /a/b/0, equals: 2", "", DOC, 0, "/a/b/0 is '1', which is not expected"},
    {"path: /a/b/1/c, equals: x", "", DOC, 1, NULL},
    {"path: '$.a.b[1].c', equals: x", "", DOC, 1, NULL},
    {"path: 'a.b[1].c', equals: x", "", DOC, 1, NULL},
    {"path: 'a.b[-1]', equals: ~", "", DOC, 1, NULL},
    {"path: \"$['a.b']\", equals: 2", "", DOC, 1, NULL},
    {"path: /m~1n, equals: 3", "", DOC, 1, NULL},
    {"path: /t~0, equals: 4", "", DOC, 1, NULL},
    {"path: /0, equals: 5", "", DOC, 1, NULL},
    {"path: '$', exists: true", "", DOC, 1, NULL},
    {"path: /a/b/3, exists: true", "", DOC, 0, "nothing at /a/b/3"},
    {"path: /a/b/-1, exists: true", "", DOC, 0, NULL}, /* a pointer counts from the front */
    {"path: 'a.b[-4]', exists: true", "", DOC, 0, NULL},
    {"path: /a/b/x, exists: true", "", DOC, 0, NULL},
    {"path: /a/b/0/z, exists: true", "", DOC, 0, NULL},
    {"path: /a/b/0", "1", DOC, 1, NULL},
    {"path: /a/b/0", "[7, 1]", DOC, 1, NULL},
    {"path: /a/b/0", "'1'", DOC, 1, NULL}, /* CSV has texts only */
    {"path: /a/b", "[1, {c: x}, ~]", DOC, 1, NULL},
    {"path: /a/b/0", "", DOC, NAN, NULL},
    {"path: /a, exists: true", "", "no json", 0, "the answer is not JSON"},
    {"path: /a, exists: true", "", "", 0, "the answer is empty"},
    {"path: /a, equals: 1", "", "```\n{\"a\":1}\n```", 0, NULL},
    {"path: /a, equals: 1, unfence: true", "", "```\n{\"a\":1}\n```", 1, NULL},
    {"path: /a, exists: true", "", "{\"a\":1,\"a\":2}", 0, "duplicate"},
    {"path: /a/01, exists: true", "", "{\"a\":[1,2]}", 0, "nothing at /a/01"}, /* RFC 6901, 4 */
};

static const struct problem_case wrong[] = {
    {"path: '$.a[*]'",
     "1:20: 'path' $.a[*]: [*] is not an index; wildcards and filters are not supported"},
    {"path: '$..a'",
     "1:20: 'path' $..a: a name is missing; wildcards and '..' are not supported"},
    {"path: 'a['", "1:20: 'path' a[: '[' without its ']'"},
    {"path: '/a~2'",
     "1:20: 'path' /a~2: JSON pointer '/a~2': ~ must be written ~0, and / in a key ~1"},
    {"path: '$a'", "1:20: 'path' $a: '.' or '[' expected at 'a'"},
    {"path: /a, exists: true, equals: 3", "1:32: 'exists' and 'equals' exclude each other"},
};

TEST(answers)
{
    BENCH("json_path", cases);
}

TEST(wrong_paths)
{
    PROBLEMS("json_path", wrong);
}

TEST_MAIN(T(answers), T(wrong_paths))
