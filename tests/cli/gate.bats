#!/usr/bin/env bats
# gate: policies against runs with known samples.
load ../helper

# web VERSION LEVEL SEED [N] [WIDTH]: latencies around a level, as a run.
web() {
    awk -v level="$2" -v seed="$3" -v n="${4:-30}" -v width="${5:-0.02}" 'BEGIN {
        srand(seed)
        print "route,latency_ms"
        for (i = 0; i < n; i++) {
            z = 0
            for (k = 0; k < 12; k++) z += rand()
            printf "/a,%.9g\n", level * (1 + width * (z - 6))
        }
    }' > "v$1.csv"
    assay import --quiet "v$1.csv" --by route --column latency_ms --agent web --version "$1"
}

policy() { printf '%s\n' "$@" > gate.yaml; }

SLOWER='block: [{metric: latency_s, slower_than: 10 %}]'

@test "slower than allowed blocks with exit 1; every key of assay.gate/1" {
    web 1 10 1
    web 2 13 2
    policy "$SLOWER"
    run assay gate gate.yaml --json
    [ "$status" = 1 ]
    echo "$output" > out
    [ "$(jq -c 'keys_unsorted' out)" = \
        '["schema","policy","subject","verdict","blocked","alerts","undecided","checks"]' ]
    jq -e '.schema == "assay.gate/1" and .verdict == "blocked" and .blocked == 1' out
    jq -e '.checks[0] | .state == "violated" and .level == "block" and .kind == "slower_than" and
        .limit == 0.1 and .low > 0.25 and .high < 0.35 and .baseline == "version 1" and
        .p_adjusted < 0.001 and (.sentence | contains("rule latency_s slower_than 10 %"))' out
    [ "$(assay gate gate.yaml --quiet || true)" = blocked ]
    policy 'block: [{metric: latency_s, slower_than: 0.5}]'
    [ "$(assay gate gate.yaml --quiet --decide)" = passed ]
}

@test "a gate below its noise floor says so: exit 4 with --decide" {
    web 1 10 1 8 0.3
    web 2 10 2 8 0.3
    policy "$SLOWER"
    run assay gate gate.yaml
    [ "$status" = 0 ]
    [[ $output == *undecided*"below its noise floor: these data would show"*"times as many values"* ]]
    fails_with 4 "noise floor" assay gate gate.yaml --decide
    assay gate gate.yaml --json | jq -e '.checks[0] | .below_noise_floor and .mde > .limit'
    web 3 10 3 80 0.005
    web 4 10 4 80 0.005
    run assay gate gate.yaml --decide
    [ "$status" = 0 ]
    [[ $output != *"noise floor"* ]]
}

@test "too small an improvement alerts, absolute limits need no baseline" {
    web 1 10 1
    web 2 9 2
    policy 'alert: [{metric: latency_s, improvement_below: 20 %}]'
    [ "$(assay gate gate.yaml --quiet)" = alert ]
    web 3 6 3
    [ "$(assay gate gate.yaml --quiet)" = passed ]
    printf 'coverage_percent\n88.5\n' > c.csv
    assay import --quiet c.csv --format csv --column coverage_percent --direction higher --name unit
    policy 'alert: [{metric: coverage_percent, below: 90}]'
    run assay gate gate.yaml
    [ "$status" = 0 ]
    [[ $output == *violated*alert*"coverage_percent is 88.5"*"not below 90"* ]]
    policy 'block: [{metric: coverage_percent, below: 85}]'
    [ "$(assay gate gate.yaml --quiet --decide)" = passed ]
    policy 'block: [{metric: coverage_percent, above: 80}]'
    fails_with 1 violated assay gate gate.yaml
}

@test "failures: more than chance explains block, none more pass" {
    assay run --quiet -n 30 -- sh -c 'exit $(cat code 2> /dev/null || echo 0)'
    assay run --quiet -n 30 -- sh -c 'exit $(cat code 2> /dev/null || echo 0)'
    policy 'block: [{failure_rate_increase: 0}]'
    [ "$(assay gate gate.yaml --quiet --decide)" = passed ]
    echo 1 > code
    assay run --quiet -n 30 -- sh -c 'exit $(cat code 2> /dev/null || echo 0)' || true
    fails_with 1 failure_rate assay gate gate.yaml
}

@test "comment, JUnit and annotations; text of others stays text" {
    web 1 10 1
    web 2 13 2
    policy 'policy: "a|b <c>"' "$SLOWER" 'alert: [{metric: latency_s, improvement_below: 20 %}]'
    run assay gate gate.yaml --markdown comment.md --junit gate.xml --annotations
    [ "$status" = 1 ]
    [[ $output == *"::error title=latency_s slower_than 10 %25::/a: latency_s"* ]]
    [[ $output == *"::warning title="* ]]
    grep -qF '### assay gate: blocked' comment.md
    grep -qF 'a\|b &lt;c>' comment.md
    grep -q '^| violated (block) |' comment.md
    grep -qF 'tests="2" failures="1" skipped="1"' gate.xml
    grep -qF 'a|b &lt;c&gt;' gate.xml
    python3 -c 'import xml.dom.minidom as m; m.parse("gate.xml")'
    (assay gate gate.yaml --json --annotations 2> err || true) | jq -e .verdict
    grep -q '^::error' err
}

@test "problems of a policy have places; what is not there is said" {
    fails_with 2 "No such file" assay gate none.yaml
    policy 'block: [{slower_then: 10 %}]'
    fails_with 2 "gate.yaml:1:10: unknown" assay gate gate.yaml
    policy "$SLOWER"
    fails_with 2 "no store" assay gate gate.yaml
    web 1 10 1
    run assay gate gate.yaml
    [[ $status = 0 && $output == *"no baseline: no earlier version"* ]]
    fails_with 4 "no baseline" assay gate gate.yaml --decide
    policy 'block: [{cost_increase: 5 %}]'
    fails_with 4 "has values of cost_usd" assay gate gate.yaml --decide
    fails_with 2 "takes a policy" assay gate
}

@test "the workflow of the manual uses commands that are there" {
    sed -n '/^```yaml .github/,/^```$/p' "$ROOT/docs/ci.md" | grep -oE 'assay [a-z]+' | sort -u > used
    [ "$(wc -l < used)" -ge 6 ]
    while read -r _ name; do assay "$name" -h > /dev/null; done < used
}

# GitHub's `on` is a key, whatever YAML 1.1 takes it for.
lint_workflow() {
    yamllint --strict -d '{extends: default, rules: {document-start: disable,
        truthy: {check-keys: false}}}' "$1"
}

@test "the workflow of the manual is what linters of YAML and of shells want" {
    sed -n '/^```yaml .github/,/^```$/p' "$ROOT/docs/ci.md" | sed '1d;$d' > bench.yaml
    lint_workflow bench.yaml
    # Each step's script, with a word in place of what GitHub fills in. yamllint brings
    # the reader.
    python3 - bench.yaml <<'END'
import re, sys, yaml
jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]
steps = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
for i, text in enumerate(steps):
    open("step-%d.sh" % i, "w").write(re.sub(r"\$\{\{.*?\}\}", "word", text))
END
    [ "$(ls step-*.sh | wc -l)" -ge 5 ]
    shellcheck --shell=bash step-*.sh
    # It would be noticed.
    sed 's/^jobs:/permissions: {}\njobs:/' bench.yaml > twice.yaml
    fails_with 1 "duplication of key" lint_workflow twice.yaml
    sed 's/^    steps:/   steps:/' bench.yaml > slanted.yaml
    fails_with 1 "syntax error" lint_workflow slanted.yaml
}
