#!/usr/bin/env bats
# The tests, and what counts them, must notice.
load helper

@test "a wrong expectation fails make test and is counted" {
    with_build
    rm -f tests/*/*.bats tests/*/*_test.c fuzz/*.c
    mkdir -p tests/base
    cat > tests/base/wrong_test.c <<'EOF'
#include "tests/test.h"
TEST(right) { assert_int_equal(1, 1); }
TEST(wrong) { assert_int_equal(1, 2); }
TEST_MAIN(T(right), T(wrong))
EOF
    notices "Result: FAIL" make test
    [ "$(tools/count-tap build/release/tap)" = "1 1 0" ]
}

@test "a test that dies is counted for every result it owes" {
    with_build
    rm -f tests/*/*.bats tests/*/*_test.c fuzz/*.c
    mkdir -p tests/base
    cat > tests/base/dies_test.c <<'EOF'
#include "tests/test.h"
int main(void)
{
    printf("1..3\nok 1 - one\n");
    fflush(stdout);
    abort();
}
EOF
    notices "Result: FAIL" make test
    [ "$(tools/count-tap build/release/tap)" = "1 2 0" ]
}

@test "script/test ends with what failed" {
    # shellcheck disable=SC2016 # for the script in the copy
    sed -i 's/^step .*//; s/^script\/setup.*//' script/test
    sed -i '/^echo "logs are/i step one - true\nstep two - false' script/test
    notices "1 passed, 1 failed" script/test
}

@test "a skipped test is not a passed one" {
    mkdir tap
    printf '1..2\nok 1 - a\nok 2 - b # skip no machine\n' > tap/x.tap
    echo 0 > tap/x.code
    [ "$(tools/count-tap tap)" = "1 0 1" ]
}

@test "a row that is listed twice fails the registry test, in every registry" {
    with_build
    for registry in src/*/*_registry.c; do
        folder=$(basename "$(dirname "$registry")")
        [ -e "tests/$folder/registry_test.c" ] || { echo "$folder has no registry test"; false; }
        list=$registry # but for answers and questions, which commands name: it is in the header
        grep -qE 'X\([a-z0-9_]+\)' "$list" ||
            list=$(grep -lE "X\([a-z0-9_]+\)" "src/$folder"/*.h)
        cp "$list" saved
        row=$(grep -oE 'X\([a-z0-9_]+\)' "$list" | head -n 1)
        sed -i "s/$row/$row $row/" "$list"
        make -s "build/release/tests/$folder/registry_test"
        notices "is there twice" "build/release/tests/$folder/registry_test"
        cp saved "$list"
    done
}

@test "a command option without help fails the registry test" {
    with_build
    sed -i 's/\.help = "print JSON, for programs"/.help = ""/' src/cli/options.c
    make -s build/release/tests/cli/registry_test
    notices "json: help" build/release/tests/cli/registry_test
}

@test "a slow start fails the test of --version" {
    printf '#!/bin/sh\nsleep 0.03\nexec %s "$@"\n' "$ASSAY_BIN" > slow
    chmod +x slow
    export ASSAY_SOAK=1
    ASSAY_BIN=$PWD/slow run bats -f 'within 10 ms' tests/cli/frame.bats
    [ "$status" != 0 ]
    run bats -f 'within 10 ms' tests/cli/frame.bats
    [ "$status" = 0 ]
}

@test "an overrun of an arena's object fails under AddressSanitizer" {
    with_build san-address-undefined
    cat > tests/base/overrun_test.c <<'EOF'
#include "base/arena.h"
#include "tests/test.h"
TEST(overrun)
{
    struct arena a = arena_open();
    volatile char *p = arena_alloc(&a, 1, 13, 1);
    p[14] = 1;
    arena_close(&a);
}
TEST_MAIN(T(overrun))
EOF
    make -s -j2 SAN=address,undefined build/san-address-undefined/tests/base/overrun_test
    notices "use-after-poison" build/san-address-undefined/tests/base/overrun_test
}

@test "a data race fails under ThreadSanitizer" {
    with_build san-thread
    cat > tests/base/race_test.c <<'EOF'
#include "tests/test.h"
#include <pthread.h>
static int shared;
static void *add(void *unused)
{
    for (int i = 0; i < 1000; i++) shared++;
    return unused;
}
TEST(race)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
TEST_MAIN(T(race))
EOF
    make -s -j2 SAN=thread build/san-thread/tests/base/race_test
    notices "data race" build/san-thread/tests/base/race_test
}

@test "bench fails when a ratio is missed or a benchmark dies" {
    printf '#!/bin/sh\necho "ratio 0.9: met"\n' > good.sh
    printf '#!/bin/sh\necho "ratio 1.3 > 1.1: MISSED"\n' > missed.sh
    printf '#!/bin/sh\nexit 3\n' > dies.sh
    chmod +x ./*.sh
    tools/run-bench ./good.sh
    notices "some targets were MISSED" tools/run-bench ./missed.sh ./good.sh
    notices "ended with exit code 3" tools/run-bench ./good.sh ./dies.sh
}

@test "a document whose command does not do what it says" {
    printf '%s\n' '```sh' '$ true' '$ false  # exits 1' '$ false' '```' > wrong.md
    notices "wrong.md:4: exit 1, the text promises 0: false" tests/docs/run-commands wrong.md
    printf '%s\n' '```sh' '$ test -e a.yaml' '```' > missing.md
    notices "missing.md:2: exit 1" tests/docs/run-commands missing.md
    printf '%s\n' '```yaml a.yaml' 'x: 1' '```' '```sh' '$ grep -q \' '> "x: 1" a.yaml' '```' > right.md
    tests/docs/run-commands right.md
}
