#!/usr/bin/env bats
# Lint must notice what it is there for.
load helper

@test "the tree as it is passes the quick checks" {
    tools/check-layers
    tools/check-source
    tools/check-words
}

@test "an upward include" {
    echo '#include "cli/command.h"' >> src/base/str.h
    notices "src/base/str.h:$(wc -l < src/base/str.h): base may not include cli" tools/check-layers
}

@test "memory from the heap outside base" {
    echo 'void *f(void) { return malloc(3); }' >> src/model/metric.c
    notices "src/model/metric.c:$(wc -l < src/model/metric.c)" tools/check-source
}

@test "ending the program outside cli" {
    echo 'void f(void) { exit(3); }' >> src/model/metric.c
    notices "only cli/ ends the program" tools/check-source
}

@test "a thread that ThreadSanitizer would not see" {
    echo 'int start(void) { return pthread_create(&t, 0, f, 0); }' >> src/model/metric.c
    notices "threads are in load/ alone" tools/check-source
}

@test "printing outside cli" {
    echo 'void f(void) { fprintf(stderr, "x"); }' >> src/model/metric.c
    notices "only cli/ prints" tools/check-source
}

@test "JSON written by a command, not by a row of report" {
    echo 'void f(struct buf *b) { struct json j; json_init(&j, b, 0); }' >> src/cli/cmd_list.c
    notices "src/cli/cmd_list.c:$(wc -l < src/cli/cmd_list.c)" tools/check-source
}

@test "a sentence made below report" {
    echo 'static const char *const why = "it got worse since yesterday";' >> src/history/trend.c
    notices "src/history/trend.c:$(wc -l < src/history/trend.c): \"it got worse since" \
        tools/check-source
    sed -i '$d' src/history/trend.c
    echo 'bool f(struct error *e) { return error_set(e, 1, "it got worse since %s", "then"); }' \
        >> src/history/trend.c
    tools/check-source
}

@test "checks in a test whose failure the shell passes over" {
    printf '%s\n' '@test "x" {' '    ! grep -q y z | wc' '    true' '}' > tests/cli/x.bats
    notices "tests/cli/x.bats:2" tools/check-source
    printf '%s\n' '@test "x" {' '    [ 1 = 2 ] && [ 1 = 1 ]' '    true' '}' > tests/cli/x.bats
    notices "tests/cli/x.bats:2" tools/check-source
}

@test "a banned function does not compile" {
    echo 'int f(const char *s); int f(const char *s) { return atoi(s); }' >> src/model/metric.c
    notices "banned_use_str_to_int" make -s build/release/src/model/metric.o
}

@test "a word that readers stumble over, in a document and in a message" {
    echo 'The baseline is held against the run.' >> docs/compare.md
    notices "held against the run.   <- write: compared with" tools/check-words
    echo 'static const char text[] = "leave --paired away";' >> src/model/metric.c
    notices 'metric.c:'"$(wc -l < src/model/metric.c)"':"leave --paired away"   <- write: omit' \
        tools/check-words
}

@test "a header that says it is another one" {
    sed -i '1s/metric\.h/measure.h/' src/model/metric.h
    notices "src/model/metric.h:1: a header opens with its name" tools/check-source
}

@test "a file of 801 lines" {
    yes '/* a line */' | head -n 801 > src/model/long.h
    notices "src/model/long.h: 801 lines, at most 800" tools/check-source
}

@test "a header that does not stand alone" {
    printf '%s\n' '#ifndef MODEL_X_H' '#define MODEL_X_H' 'struct x { struct str s; };' \
        '#endif' > src/model/x.h
    notices "src/model/x.h" make lint-headers
}

@test "a file that is not formatted" {
    echo 'int   f(void);' >> src/model/metric.h
    notices "clang-format" make lint-format
}

@test "a finding of clang-tidy" {
    printf '%s\n' '#include "model/metric.h"' '' 'int f(int a);' 'int f(int a)' '{' \
        '    if (a = 3) return 1;' '    return 0;' '}' > src/model/x.c
    notices "src/model/x.c:6" make build/lint/src/model/x.tidy
}

@test "an unused static, by either compiler" {
    echo 'static int unused(void) { return 3; }' >> src/model/metric.c
    notices "unused" make -s build/release/src/model/metric.o
    notices "unused" make -s CC=clang build/release-clang/src/model/metric.o
}

@test "a shell script with a mistake" {
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nrm -rf $1/*\n' > tools/mistake
    notices "tools/mistake" make lint-shell
}

@test "an include that reaches a forbidden folder through another header" {
    echo '#include "run/run.h"' >> src/view/view.h
    sed -i 's/^view: .*/& run/' LAYERS
    notices "report may not include run (run/run.h, through" tools/check-layers
}

@test "two files of one name" {
    cp src/base/str.h src/model/str.h
    notices "file names that occur twice in src/: str.h" tools/check-layers
}

@test "a control whose line has moved" {
    sed -i 's/if (who->role < needs)/if (needs > who->role)/' src/api/access.c
    notices "tests/negative/access.bats:7: the edit changes nothing in src/api/access.c" \
        tools/check-controls
}
