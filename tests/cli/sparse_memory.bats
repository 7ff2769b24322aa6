#!/usr/bin/env bats
# Requirement 000: fifteen scenarios on a search that really runs.
load ../helper

@test "the shipped spec is found by its name, and has fifteen claims in four groups" {
    run assay check sparse_memory
    [ "$status" = 0 ]
    [ "$(grep -c '      - name: ' "$ROOT/specs/sparse_memory.yaml")" = 15 ]
    for group in convergence memory accuracy components; do
        run assay check sparse_memory --only $group
        [ "$status" = 0 ]
    done
    fails_with 2 "no-such-spec" assay run no-such-spec
    mkdir specs
    echo 'experiment: noop' > specs/sparse_memory.yaml # not the shipped one: a path is a path
    run assay check specs/sparse_memory.yaml
    [[ ${lines[0]} == *": 1 cell"* ]]
}

@test "a claim about false stops names its horizon, one about operators holds for the rule in use" {
    assay run sparse_memory --only components -n 10 -q || true
    assay claims > claims || true
    grep -q '^ *holds  *Adaptive Operators' claims
    grep -q 'level of false_stop_by_twice' claims
}

# numbers FILE: what a run measured, without times and places.
numbers() {
    jq -c 'select(.event == "iteration") | [.cell, .iteration,
        (.metrics | del(.duration_s, .rss_mb) | to_entries | map([.key, .value]))]' "$1" | sort
}

@test "the same seed gives the same numbers, whatever the order and --jobs" {
    assay run sparse_memory --only convergence -n 3 --set cap=40 --json > one
    assay run sparse_memory --only convergence -n 3 --set cap=40 --json --jobs 2 > two
    assay run sparse_memory --only convergence -n 3 --set cap=40 --json --seed 7 > three
    numbers one > a
    numbers two > b
    numbers three > c
    [ "$(wc -l < a)" = 18 ]
    cmp a b
    run cmp -s a c
    [ "$status" = 1 ]
}

@test "a planted effect is found, and a copy of an arm shows none" {
    cat > aa.yaml <<'YAML'
experiment: sparse_memory
params: {cap: 40, difficulty: 0.3}
iterations: {measured: 20}
sweep: {planted: [0, 0.1]}
claims:
  - name: the planted loss is found
    metric: quality
    compare: {param: planted, from: 0, to: 0.1}
    expect: {reduction: {min: 0.05, max: 0.15}}
YAML
    assay run aa.yaml -q
    run assay claims
    [[ $output == *"1 of 1 claim holds"* ]]
    [ "$(assay show latest --json | jq -r '[.cells[].provenance] | join(" ")')" = "measured simulated" ]
    sed -e '/^claims/,$d' -e 's/sweep:.*/sweep: {copy: [a, b]}/' aa.yaml > copies.yaml
    assay run copies.yaml -q
    run assay show latest
    [[ $output != *" better"* ]]
    [[ $output != *" worse"* ]]
}

# differs A B: the metrics in which two cells of the stream differ, but for times and places.
differs() {
    jq -rs "map(select(.event == \"iteration\") | .metrics |= del(.duration_s, .rss_mb)) |
        [.[] | select(.cell == $1)] as \$a | [.[] | select(.cell == $2)] as \$b |
        [\$a[] as \$x | \$b[] | select(.iteration == \$x.iteration) as \$y |
            (\$x.metrics + \$y.metrics | keys[]) as \$k |
            select(\$x.metrics[\$k] != \$y.metrics[\$k]) | \$k] | unique | join(\" \")" stream
}

@test "a part changes what it should and nothing else, alone and next to the other four" {
    assay run "$ROOT/specs/sparse_memory_ablation.yaml" -n 6 --set cap=40 --json > stream || true
    [ "$(differs 0 2)" = "evaluations parsed_bytes peak_bytes syntax_bytes" ] # hot spots
    [ "$(differs 7 11)" = "evaluations parsed_bytes peak_bytes syntax_bytes" ]
    stopping="false_stop_by_cap false_stop_by_twice iterations quality"
    [ "$(differs 0 4)" = "$stopping" ]
    [ "$(differs 9 11)" = "$stopping" ]
    for pair in "0 1" "0 3" "0 5" "6 11" "8 11" "10 11"; do # the others work
        [ -n "$(differs $pair)" ]
    done
    assay claims > claims || true
    [ "$(grep -c '^holds .*search is the same\|^holds .*do not change the search' claims)" = 3 ]
    [ "$(grep -c '^holds .* save' claims)" = 4 ]
}

@test "the evolved playbook passes more of the 270 scenarios than the plain one" {
    assay run playbooks > out
    grep -q 'evolved-playbook: .* 270 of 270 right' out
    grep -q 'plain-playbook: .* 264 of 270 right' out
    run assay claims
    [[ $output == *"1 of 1 claim holds"* ]]
}

@test "naming everything, refusing and silence are worth nothing on the 270 scenarios" {
    "$ROOT/specs/make-scenarios" made
    cat > answers.pl <<'PERL'
use strict;
use warnings;
use lib '.';
use Session;
use JSON::PP;
my ($kind) = @ARGV;
my %things;
open my $file, '<', 'things' or die;
while (<$file>) { chomp; my ($role, $thing) = split /:/; push @{$things{$role}}, $thing }
Session::serve(sub {
    my ($task) = @_;
    my %settled = map { $_ => 1 } @{$task->{inputs}{settled}};
    my @all = @{$things{$task->{agent}}};
    return '' if $kind eq 'silent';
    return 'I will not provide: ' . join(', ', grep { !$settled{$_} } @all) if $kind eq 'refusing';
    return join(', ', @all);
});
PERL
    for role in made/cases/playbooks/*.jsonl; do
        jq -r '.input.agent as $a | .rubric[].text[] | "\($a):\(.)"' "$role" | sort -u
    done > things
    sed -e "s|from: |from: $ROOT/specs/|" -e "s|source: |source: $PWD/made/|" \
        -e '/^agents:/,/^environment:/{/ - /d}' -e '/^claims:/,/^benchmarks:/{/^benchmarks:/!d}' \
        "$ROOT/specs/playbooks.yaml" > gaming.yaml
    for kind in silent refusing everything; do
        sed -i "/^agents:/a\\  - {id: $kind, version: \"1\", process: {command: [perl, answers.pl, $kind], mode: session}}" gaming.yaml
    done
    sed -i "/^  files:/a\\    answers.pl: {from: $PWD/answers.pl}\\n    things: {from: $PWD/things}" gaming.yaml
    assay run gaming.yaml > out || true
    for kind in silent refusing everything; do
        grep -q "$kind: .* 0 of 270 right" out
    done
}

@test "the scenarios that ship are those of their table" {
    "$ROOT/specs/make-scenarios" made
    for folder in cases data; do
        for file in "made/$folder/playbooks"/*; do
            cmp "$file" "$ROOT/specs/$folder/playbooks/$(basename "$file")"
        done
    done
    [ "$(cat made/cases/playbooks/*.jsonl | wc -l)" = 270 ]
    [ "$(cat made/cases/playbooks/*.jsonl | jq -r .id | sort -u | wc -l)" = 270 ]
}

@test "an agent proposes the changes: a program improves, a stub that talks is refused" {
    cat > si.yaml <<YAML
experiment: self_improving
params: {cap: 15}
iterations: {measured: 3}
agents:
  - {id: program, process: {command: [perl, $ROOT/specs/agents/improve.pl], mode: session}}
YAML
    assay run si.yaml --json > out
    jq -es '[.[] | select(.event == "iteration").metrics] | length == 3 and
        all(.asked == 45 and .refused == 0 and .quality > 0.3)' out
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 --ttft-ms 0 --gap-ms 0 > stub.out 2> stub.err 3>&- &
    pid=$!
    until grep -qoE '127.0.0.1:[0-9]+' stub.out stub.err; do sleep 0.05; done
    port=$(grep -hoE '127.0.0.1:[0-9]+' stub.out stub.err | head -n 1)
    sed -e 's/iterations: .*/iterations: {measured: 1}/' -e '/  - {id: program/d' si.yaml > model.yaml
    echo "  - {id: model, openai: {url: \"http://$port/v1\", model: stub}}" >> model.yaml
    assay run model.yaml --json > out
    kill $pid
    jq -es '[.[] | select(.event == "iteration").metrics][0] | .asked == 45 and .refused == 45' out
}

# flaky YAML COMMAND: an agent that counts its asks in $n and carries out COMMAND.
flaky() {
    cat > flaky.sh <<SH
cat > /dev/null
n=\$((\$(cat "$PWD/n" 2> /dev/null || echo 0) + 1))
echo \$n > "$PWD/n"
$2
echo "- line_001 @1"
SH
    rm -f n
    cat > flaky.yaml <<YAML
experiment: self_improving
params: {$1}
iterations: {warmup: 0, measured: 1}
agents: [{id: flaky, process: {command: [sh, $PWD/flaky.sh]}}]
YAML
}

@test "one failed ask of many is a refused change, and five in a row end the trial" {
    flaky 'cap: 5' '[ $n != 14 ] || exit 1
[ $n != 3 ] || printf "\377\n"'
    assay run flaky.yaml --json > out
    jq -es '[.[] | select(.event == "iteration")][0] | .status == "ok" and .metrics.asked == 15 and
        .metrics.failed_asks == 2 and .metrics.refused == 2' out
    flaky 'cap: 5' '[ $n -le 6 ] || exit $n'
    fails_with 1 "the agent gave none: failed: exit code 11" assay run flaky.yaml
    flaky 'cap: 1' 'exit $n' # too few for five, and not one good answer
    fails_with 1 "the agent gave none: failed: exit code 3" assay run flaky.yaml
}

# take CSV: the table as the latest run.
take() { assay import "$1" --format csv --by test --column passed --kind shift; }

@test "no regressions: a gate over the tests of the search" {
    policy=$ROOT/specs/policies/search_tests.yaml
    "$ROOT/tools/search-tests" "$BUILD_DIR" > tests.csv
    count=$(($(wc -l < tests.csv) - 1))
    [ "$count" -ge 40 ]
    [ "$(grep -c ',1$' tests.csv)" = "$count" ]
    take tests.csv
    assay baseline set search latest
    assay gate "$policy" latest --decide > out
    grep -q ": passed (no regressions in the search; 0 block, 0 alert, 0 undecided, $count checks)" out
    sed '5s/,1$/,0/' tests.csv > failed.csv
    take failed.csv
    fails_with 1 "passed is 0" assay gate "$policy" latest
    take tests.csv
    assay gate "$policy" latest --baseline search > out
    take failed.csv
    fails_with 1 "passed is 0" assay gate "$policy" latest --baseline search
    sed 5d tests.csv > lost.csv
    take lost.csv
    fails_with 1 "(rule no cell vanishes)" assay gate "$policy" latest --baseline search
}

@test "a program of the tests that dies is a failed test" {
    mkdir -p built/tests/evolve
    printf '#!/bin/sh\necho 1..2\necho "ok 1 - one"\nkill -9 $$\n' > built/tests/evolve/dying_test
    chmod +x built/tests/evolve/dying_test
    [ "$("$ROOT/tools/search-tests" "$PWD/built")" = "test,passed
dying: one,1
dying: ends,0" ]
    fails_with 3 "has no tests" "$ROOT/tools/search-tests" "$PWD"
}

@test "a grammar that is broken is refused with the reason, and does not end assay" {
    ldconfig -p | grep -q libtree-sitter.so.0 || skip "libtree-sitter0 is not installed"
    echo 'experiment: syntax_tree' > g.yaml
    echo 'const void *tree_sitter_python(void); const void *tree_sitter_python(void) { return 0; }' > null.c
    ${CC:-cc} -shared -fPIC -o null.so null.c
    export ASSAY_GRAMMAR=$PWD/null.so
    fails_with 3 "libtree-sitter does not take this grammar or its version" assay run g.yaml
    head -c 5000 null.so > cut.so
    export ASSAY_GRAMMAR=$PWD/cut.so
    fails_with 3 "cut.so is cut off: build it again" assay run g.yaml
    echo "no library, but text" > text.so
    export ASSAY_GRAMMAR=$PWD/text.so
    fails_with 3 "text.so: " assay run g.yaml
    export ASSAY_GRAMMAR=$PWD/none.so
    fails_with 3 "there is no grammar of Python" assay run g.yaml
}
