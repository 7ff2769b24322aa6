#!/usr/bin/env bats
# assay profile: planted bottlenecks are found and named, and go with their cause.
load ../helper

# One session agent that answers every line with the given phases and usage.
agent() {
    cat > agent.sh <<SH
while read -r line; do
    id=\${line#*\"id\":}; id=\${id%%,*}
    sleep 0.02
    echo "{\"id\":\$id,\"output\":\"4\",\"usage\":$1,\"phases\":$2}"
done
SH
    cat > s.yaml <<YAML
suite: {id: p, name: P, category: speed, version: "1"}
agents: [{id: a, version: "1", process: {command: [sh, "$PWD/agent.sh"], mode: session}}]
benchmarks:
  - id: plus
    cases: [{id: a, input: "2+2", expected: "4"}, {id: b, input: "1+3", expected: "4"}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 3}
YAML
    assay run s.yaml --quiet
    assay profile --json > p
}
rules() { jq -r '[.profiles[0].profile_data.bottlenecks[].rule] | sort | join(" ")' p; }

plain='{\"input_tokens\":100,\"output_tokens\":10}'

@test "a slow phase" {
    agent "$plain" '[{\"name\":\"plan\",\"start_ms\":0,\"ms\":4},{\"name\":\"search\",\"start_ms\":4,\"ms\":15}]'
    [ "$(rules)" = slow-phase ]
    [ "$(jq -r '.profiles[0].profile_data.bottlenecks[0].location' p)" = search ]
    [ "$(jq -r '.profiles[0].profile_data.execution_phases[0].phase_name' p)" = search ]
    [ "$(jq -r '.profiles[0].profile_data.execution_phases[0].duration_ms | round' p)" = 15 ]
    [[ $(jq -r '.profiles[0].optimization_opportunities[0].potential_improvement' p) == *"rule slow-phase"*threshold* ]]
}

@test "a serial section" {
    agent "$plain" '[{\"name\":\"tool\",\"start_ms\":0,\"ms\":5},{\"name\":\"tool\",\"start_ms\":5,\"ms\":5},{\"name\":\"say\",\"start_ms\":10,\"ms\":5}]'
    [[ $(rules) == *serial-phases* ]]
    agent "$plain" '[{\"name\":\"tool\",\"start_ms\":0,\"ms\":5},{\"name\":\"tool\",\"start_ms\":0,\"ms\":5},{\"name\":\"say\",\"start_ms\":5,\"ms\":5}]'
    [[ $(rules) != *serial-phases* ]]
}

@test "wasted tokens" {
    agent '{\"input_tokens\":100,\"output_tokens\":10,\"cache_read_tokens\":90}' '[]'
    [ "$(rules)" = "" ]
    sed -i 's/expected: "4"/expected: "4"/; s/time_limit_ms/time_limit_ms/' s.yaml
    sed -i 's/"output\\":\\"4\\"/"error\\":\\"no\\",\\"output\\":\\"4\\"/' agent.sh
    assay run s.yaml --quiet || true
    assay profile --json > p
    [[ $(rules) == *wasted-tokens* ]]
}

@test "cache misses" {
    agent '{\"input_tokens\":1000,\"output_tokens\":10,\"cache_read_tokens\":100}' '[]'
    [ "$(rules)" = cache-misses ]
    [ "$(jq -r '.profiles[0].profile_data.token_analysis.cache_hits' p)" = 600 ]
    agent '{\"input_tokens\":1000,\"output_tokens\":10,\"cache_read_tokens\":900}' '[]'
    [ "$(rules)" = "" ]
}

@test "sampled stacks: functions, and a flame graph" {
    assay run --quiet -n 2 --instrument profile -- awk 'BEGIN { for (i = 0; i < 2000000; i++) s += i }' ||
        skip "this user may not sample"
    assay profile --flame f.svg > text
    grep -q '</svg>' f.svg
    grep -q 'samples' text
    assay run --quiet -n 1 -- true
    fails_with 2 "no sampled stacks" assay profile --flame f.svg
}

@test "what a phase used, as the agent reports it, and what the whole used, as we see it" {
    agent "$plain" '[{\"name\":\"plan\",\"start_ms\":0,\"ms\":10,\"cpu_ms\":5,\"memory_mb\":30,\"io_operations\":7},{\"name\":\"say\",\"start_ms\":10,\"ms\":2}]'
    phase() { jq -c ".profiles[0].profile_data.execution_phases[$1].resource_usage" p; }
    [ "$(phase 0)" = '{"cpu_percent":50,"memory_mb":30,"io_operations":42}' ]
    [ "$(phase 1)" = '{"cpu_percent":null,"memory_mb":null,"io_operations":null}' ]
    [ "$(jq '.profiles[0].profile_data.resource_utilization.io_efficiency | . > 0 and . < 1' p)" = true ]
    [ "$(jq '.profiles[0].profile_data.resource_utilization.memory_efficiency | . > 0 and . <= 1' p)" = true ]
    agent "$plain" '[]'
    [ "$(jq -r '.profiles[0].profile_data.phases_from' p)" = assay ]
    [ "$(jq '[.profiles[0].profile_data.execution_phases[].resource_usage[] | . > 0] | all and length == 3' p)" = true ]
    [ "$(rules)" = "" ]
}

# Sampled from the processes that stay: the planted function has nearly all of the samples.
@test "a session is sampled, and the function that is hot is named" {
    "$ASSAY_BIN" doctor 2>&1 | grep -q 'perf.*not\|perf_event.*refused' && skip "no perf events here"
    cat > hot.c <<'C'
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) void burn(void) { for (int i = 0; i < 150000000; i++) sink += i; }
int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        burn();
        printf("{\"id\":%d,\"output\":\"4\"}\n", atoi(strstr(line, "\"id\":") + 5));
        fflush(stdout);
    }
}
C
    "${CC:-cc}" -O1 -fno-omit-frame-pointer -o hot hot.c
    cat > h.yaml <<YAML
suite: {id: h}
agents: [{id: hot, process: {command: [$PWD/hot], mode: session}}]
benchmarks:
  - {id: b, cases: [{input: x, expected: "4"}], instrumentation: [profile], iterations: {warmup: 1, measured: 2}}
YAML
    assay run h.yaml --quiet
    assay profile --json > p
    [ "$(jq '.profiles[0].profile_data.samples > 50' p)" = true ]
    [ "$(jq -r '.profiles[0].profile_data.functions[0].function' p)" = burn ]
    jq -e ".profiles[0].profile_data | ([.stacks[].samples] | add) == .samples and (.stacks | any(.stack | contains(\"burn\")))" p
    [ "$(jq -r '.profiles[0].profile_data.bottlenecks[] | select(.rule == "hot-function") | .location' p)" = burn ]
}
