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
        '["schema","policy","subject","commit","verdict","sentence","next","blocked","alerts","undecided","muted","checks","notes"]' ]
    jq -e '.schema == "assay.gate/1" and .verdict == "blocked" and .blocked == 1' out
    jq -e '.checks[0] | .state == "violated" and .level == "block" and .kind == "slower_than" and
        .limit == 0.1 and .low > 0.25 and .high < 0.35 and .baseline == "version 1" and
        .p_adjusted < 0.001 and (.sentence | contains("rule latency_s slower_than 10 %"))' out
    [ "$(assay gate gate.yaml --quiet || true)" = blocked ]
    policy 'block: [{metric: latency_s, slower_than: 0.5}]'
    [ "$(assay gate gate.yaml --quiet --decide)" = passed ]
}

# A metric's kind is its own, not what its values look like: the same loss, a thousand times
# as large, is the same loss.
@test "a speedup below 1 that falls by 16 % is worse by 16 %" {
    for scale in 1 1000; do
        rm -rf .assay
        for v in "1 0.498" "2 0.419"; do
            awk -v level="${v#* }" -v scale=$scale -v seed="${v% *}" 'BEGIN {
                srand(seed)
                print "speedup"
                for (i = 0; i < 30; i++) printf "%.9g\n", scale * level * (0.98 + 0.04 * rand())
            }' > s.csv
            assay import --quiet s.csv --format csv --name s --agent bot --version "${v% *}"
        done
        policy 'block: [{metric: speedup, worse_by: 10 %}]'
        run assay gate gate.yaml --json
        [ "$status" = 1 ]
        jq -e '.checks[0] | .state == "violated" and .low > 0.14 and .high < 0.18' <<< "$output"
        assay compare latest~1 latest --json | jq -e '.rows[0].effect.ratio | . > 0.82 and . < 0.86'
        assay show --json | jq -e '.. | objects | select(.definition == "generic/1") | .kind == "ratio"'
    done
    assay import --quiet s.csv --format csv --name s --kind share --agent bot --version 3
    assay show --json | jq -e '.. | objects | select(.definition == "generic/1") | .kind == "share"'
}

@test "a gate below its noise floor says so: exit 4 with --decide" {
    web 1 10 1 8 0.3
    web 2 10 2 8 0.3
    policy "$SLOWER"
    run assay gate gate.yaml
    [ "$status" = 0 ]
    [[ $output == *undecided*"below its noise floor: these data would show"*"measure about "*" trials on each side"* ]]
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
    grep -qF 'a\|b &lt;c\>' comment.md
    grep -q '^| violated (block) |' comment.md
    grep -qF 'tests="2" failures="1" skipped="1"' gate.xml
    grep -qF 'a|b &lt;c&gt;' gate.xml
    python3 -c 'import xml.dom.minidom as m; m.parse("gate.xml")'
    (assay gate gate.yaml --json --annotations 2> err || true) | jq -e .verdict
    grep -q '^::error' err
}

@test "a document that does not fit is an error, and no file is written" {
    web 1 10 1
    web 2 20 2
    policy "$SLOWER"
    for form in junit markdown; do
        ASSAY_FAULT=answer:1:EIO fails_with 1 "the answer would be larger than" assay gate gate.yaml --$form out
        [ ! -e out ]
    done
    ASSAY_FAULT=answer:1:EIO fails_with 1 "would be larger than" assay gate gate.yaml --json
    ASSAY_FAULT=answer:2:EIO fails_with 1 "would be larger than" assay gate gate.yaml --annotations
    [[ $output != *"::error"* ]]
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
    # A metric that can be measured and was not: violated, not passed.
    fails_with 1 "has values of cost_usd" assay gate gate.yaml
    # One that nothing measures is a mistake in the policy.
    policy 'block: [{metric: foo, above: 3}]'
    fails_with 2 "has values of 'foo'" assay gate gate.yaml
    policy 'block: [{metric: latency_s, above: 3, benchmark: /b}]'
    fails_with 2 "gate.yaml:1:" assay gate gate.yaml
    [[ $output == *"no benchmark '/b' in the store"* ]]
    policy 'block: [{metric: latency_s, above: 3, benchmark: /a}]'
    [ "$(assay gate gate.yaml --quiet)" = passed ]
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

# values COLUMN VERSION LEVEL SEED [OPTION...]: 30 values of a metric around a level, as a run.
values() {
    local column=$1 version=$2 level=$3 seed=$4
    shift 4
    awk -v column="$column" -v level="$level" -v seed="$seed" 'BEGIN {
        srand(seed)
        print "job," column
        for (i = 0; i < 30; i++) printf "/a,%.9g\n", level * (1 + 0.01 * (rand() - 0.5))
    }' > "$column-$version.csv"
    assay import --quiet "$column-$version.csv" --by job --column "$column" --agent a \
        --version "$version" "$@"
}

# sentence: the only check's sentence, whatever the verdict.
sentence() { (assay gate gate.yaml --json || true) | jq -re '.checks[0] | .state + ": " + .sentence'; }

# tells COLUMN OPTIONS RULE LIMIT BAD GOOD: with the cause the rule is violated, and its
# sentence has the rule, both values, the interval and the limit; without it, it passes.
tells() {
    rm -rf .assay
    # shellcheck disable=SC2086 # options are words
    values "$1" 1 10 1 $2
    # shellcheck disable=SC2086
    values "$1" 2 "$5" 2 $2
    policy "block: [{metric: $1, $3: $4}]"
    run sentence
    [[ $output == "violated: /a: $1 "*" -> "*"["*"]"*"than version 1: violated (rule $1 $3 $4, adjusted p "* ]] ||
        { echo "$output"; return 1; }
    # shellcheck disable=SC2086
    values "$1" 3 10 3 $2
    assay baseline set good latest --quiet
    # shellcheck disable=SC2086
    values "$1" 4 "$6" 4 $2
    policy "baseline: good" "block: [{metric: $1, $3: $4}]"
    run sentence
    [[ $output == "passed: "*"(rule $1 $3 $4"* ]] || { echo "$output"; return 1; }
}

@test "each kind against a baseline: its rule, values and limit, and silence without the cause" {
    tells latency_s '' slower_than '10 %' 13 10
    tells cost_usd '' cost_increase '5 %' 11 10
    tells tokens '--direction lower' worse_by '20 %' 13 10
    tells tokens '--direction higher' worse_by '20 %' 7 10
    tells latency_s '' improvement_below '20 %' 9 6
}

@test "absolute limits: above and below, violated and passed, with the limit said" {
    values latency_s 1 10 1
    policy 'block: [{metric: latency_s, above: 9}]'
    [[ $(sentence) == "violated: /a: latency_s is 10"*"["*"], n = 30; limit: not above 9 s (rule latency_s above 9)" ]]
    policy 'block: [{metric: latency_s, above: 11}]'
    [[ $(sentence) == "passed: "*"limit: not above 11 s"* ]]
    policy 'block: [{metric: latency_s, below: 11}]'
    [[ $(sentence) == "violated: "*"limit: not below 11 s (rule latency_s below 11)" ]]
    policy 'block: [{metric: latency_s, below: 9}]'
    [[ $(sentence) == "passed: "* ]]
    policy 'block: [{metric: latency_s, below: 10}]' # within its interval
    [[ $(sentence) == "undecided: "*"limit: not below 10 s"* ]]
}

@test "a rule's own name does not hide its limit" {
    web 1 10 1
    web 2 13 2
    policy 'block: [{metric: latency_s, slower_than: 10 %, name: be quick}]'
    [[ $(sentence) == *"(rule be quick: latency_s slower_than 10 %, adjusted p "* ]]
    (assay gate gate.yaml --json || true) | jq -e '.checks[0].rule == "be quick"'
    policy 'block: [{metric: latency_s, above: 9, name: in time}]'
    [[ $(sentence) == *"(rule in time: latency_s above 9)" ]]
}

@test "what keeps a rule from being decided is said, and goes when it is mended" {
    web 1 10 1
    policy "$SLOWER"
    [[ $(sentence) == "undecided: /a: no baseline: "*"(rule latency_s slower_than 10 %)" ]]
    web 2 10 2
    [[ $(sentence) == "passed: "* ]]
    # Another unit: not the same metric.
    values speed 1 10 1 --unit gadgets --direction lower
    values speed 2 10 2 --unit widgets --direction lower
    policy 'block: [{metric: speed, worse_by: 10 %}]'
    [[ $(sentence) == "undecided: /a: speed cannot be compared: its unit is"*"(rule speed worse_by 10 %)" ]]
    values speed 3 10 3 --unit widgets --direction lower
    [[ $(sentence) == "passed: "* ]]
    # Neither side is the good one.
    values level 1 10 1
    values level 2 10 2
    policy 'block: [{metric: level, worse_by: 10 %}]'
    [[ $(sentence) == *"cannot be compared: neither lower nor higher is better (rule level worse_by 10 %)" ]]
    # A metric, or a benchmark, that nothing has.
    policy 'block: [{metric: lavel, worse_by: 10 %}]'
    fails_with 2 "has values of 'lavel'; did you mean 'level'? (rule lavel worse_by 10 %)" assay gate gate.yaml
    policy 'block: [{metric: level, above: 11, benchmark: other}]'
    fails_with 2 "no benchmark 'other' in the store (rule level above 11)" assay gate gate.yaml
    policy 'block: [{metric: level, above: 11, benchmark: /a}]'
    [[ $(sentence) == "passed: "* ]]
}

@test "what is undecided for one reason in many cells is counted, not listed" {
    echo '{experiment: spin, sweep: {rounds: [1, 2, 3, 4, 5, 6, 7, 8]}, iterations: {measured: 2}}' > s.yaml
    echo '{policy: p, block: [{slower_than: 10 %}]}' > p.yaml
    assay run s.yaml --quiet
    run assay gate p.yaml
    [ "$(grep -c 'no baseline' <<< "$output")" = 5 ]
    [[ $output == *"and 3 more cells"* && $output == *"8 undecided, 8 checks"* ]]
    [ "$(assay gate p.yaml --json | jq '.checks | length')" = 8 ]
}

@test "a baseline keeps every cell of a run: a command 20 times slower blocks" {
    printf 'policy: merge\nblock: [{slower_than: 5 %%}]\n' > gate.yaml
    printf '#!/bin/sh\nsleep 0.01\n' > fast.sh
    cp fast.sh other.sh
    chmod +x ./*.sh
    printf 'experiment: command\nsweep: {command: [[./fast.sh], [./other.sh]]}\niterations: {measured: 12}\n' > bench.yaml
    assay run -q bench.yaml
    assay baseline set main latest
    assay baseline list --json | jq -e '[.baselines[].cell] | unique | length == 2'
    sed -i s/0.01/0.2/ fast.sh
    assay run -q bench.yaml
    run assay gate gate.yaml latest --baseline main
    [ "$status" = 1 ]
    [[ $output == *fast.sh* ]]
    [[ $output != *"no baseline"* ]]
    run assay regressions latest --baseline main --json
    [ "$status" = 1 ]
}

@test "several files of one command are judged and pinned together; latest is the last alone" {
    printf 'policy: merge\nblock: [{slower_than: 5 %%}]\n' > gate.yaml
    printf '#!/bin/sh\nsleep 0.01\n' > one.sh
    cp one.sh two.sh
    chmod +x ./*.sh
    for k in one two; do
        printf 'experiment: command\nparams: {command: [./%s.sh]}\niterations: {measured: 12}\n' $k > $k.yaml
    done
    assay run -q one.yaml two.yaml
    assay baseline set main | grep -q 'and .* now, for 2 cells'
    assay baseline list --json | jq -e '[.baselines[].run] | unique | length == 2'
    sed -i s/0.01/0.1/ one.sh
    assay run -q one.yaml two.yaml
    for baseline in "" "--baseline main"; do
        run assay gate gate.yaml $baseline
        [ "$status" = 1 ]
        [[ $output == *"2 runs up to run"*one.sh* ]]
        run assay regressions $baseline
        [ "$status" = 1 ]
        [[ $output == *one.sh* ]]
        run assay gate gate.yaml latest $baseline
        [[ $output != *one.sh* ]]
    done
    assay run -q two.yaml
    run assay gate gate.yaml --json
    jq -e '.subject | test("runs up to") | not' <<< "$output"
    sed -i '1i baseline: main' one.yaml
    assay run -q one.yaml two.yaml
    run assay gate gate.yaml
    [ "$status" = 2 ]
    [[ $output == *"name different baselines"* ]]
}

@test "an accuracy floor goes by the mean over cases; undecided: fail" {
    seq 0 29 | awk '{printf "{\"id\":\"c%02d\",\"input\":\"q%d\",\"expected\":\"x\"}\n",$1,$1}' > cases.jsonl
    for k in 0 9; do
        seq 0 29 | awk -v k=$k '{printf "{\"case\":\"c%02d\",\"output\":\"%s\"}\n",$1,($1<k?"wrong":"x")}' > ans$k.jsonl
        printf 'suite: {id: acc}\nagents: [{id: bot, version: "%s", replay: {answers: ans%s.jsonl}}]\nbenchmarks: [{id: one, dataset: {source: cases.jsonl}, iterations: {warmup: 0, measured: 1}}]\n' $k $k > acc$k.yaml
        assay run acc$k.yaml -q
    done
    policy 'block: [{metric: accuracy, below: 0.95}]'
    fails_with 1 "accuracy is 0.7" assay gate gate.yaml --agent bot --version 9
    fails_with 1 worse assay compare bot@0 bot@9 --metric accuracy --fail-on worse --quiet
    # 30 of 30 do not prove 0.95: a warning, or exit 4 if the policy wants to know.
    assay gate gate.yaml --agent bot --version 0
    printf 'undecided: fail\nblock: [{metric: accuracy, below: 0.95}]\n' > gate.yaml
    # Every format says what the exit code says.
    run assay gate gate.yaml --agent bot --version 0 --junit j.xml --annotations
    [ "$status" = 4 ]
    [[ $output == *"::error title="* ]]
    grep -q 'tests="1" failures="1" skipped="0"' j.xml
    grep -q "<failure message=" j.xml
    sed -i /^undecided/d gate.yaml
    for option in "" --decide; do
        # shellcheck disable=SC2086 # none or one
        run assay gate gate.yaml --agent bot --version 0 --junit j.xml --annotations $option
        if [ -n "$option" ]; then level=error tag=failure code=4; else level=warning tag=skipped code=0; fi
        [ "$status" = $code ]
        [[ $output == *"::$level title="* ]]
        grep -q "<$tag message=" j.xml
    done
    echo 'undecided: pass' >> gate.yaml
    run assay gate gate.yaml --agent bot --version 0 --annotations
    [ "$status" = 0 ]
    [[ $output == *"::notice title="* ]]
}

@test "a cell that vanished blocks, unless it is retired" {
    printf 'experiment: noop\niterations: {measured: 8}\n' > one.yaml
    printf 'experiments: [{experiment: noop}, {experiment: spin, params: {rounds: 10}}]\niterations: {measured: 8}\n' > two.yaml
    assay run -q two.yaml
    assay baseline set main latest
    assay run -q one.yaml
    policy 'block: [{slower_than: 900 %}]'
    run assay gate gate.yaml latest --baseline main
    [ "$status" = 1 ]
    name=$(grep -o 'spin[^:]* is in the baseline' <<< "$output" | head -n 1)
    [ -n "$name" ]
    printf 'retired: ["%s"]\nblock: [{slower_than: 900 %%}]\n' "${name% is in the baseline}" > gate.yaml
    assay gate gate.yaml latest --baseline main
}

# suite VERSION CASES COMMAND [BENCHMARK KEYS] [PASSES]: one agent on one benchmark.
suite() {
    printf 'suite: {id: s, version: "1"}\nagents: [{id: bot, version: "%s", process: {command: %s}}]\n' \
        "$1" "'$3'"
    printf 'benchmarks:\n  - id: b\n    iterations: {warmup: 0, measured: %s}\n%s\n    cases:\n' \
        "${5:-1}" "$4"
    for i in $(seq "$2"); do
        echo "      - {id: c$i, input: \"$i\", expected: \"$i\"}"
    done
}

@test "nothing of the baseline is left: it blocks, and regressions do not call it healthy" {
    assay run -n 8 --quiet -c 'true 1'
    assay baseline set main
    assay run -n 8 --quiet -c 'true 2'
    policy 'block: [{slower_than: 900 %}]'
    fails_with 1 "true 1 is in the baseline and not in run" assay gate gate.yaml --baseline main
    fails_with 4 "run what is missing: 1 of the baseline's cells" \
        assay regressions latest --baseline main --decide
    assay regressions latest --baseline main --json |
        jq -e '.overall_health == "unknown"'
}

@test "a spec file whose every cell is another now has lost the old ones, pinned or not" {
    spec() { printf 'experiment: spin\nparams: {rounds: %s}\niterations: {measured: 8}\n' "$1" > "$2.yaml"; }
    policy 'block: [{slower_than: 900 %}]'
    spec 10 one
    assay run -q one.yaml
    spec 20 one
    assay run -q one.yaml
    fails_with 1 "is in the baseline and not in run" assay gate gate.yaml
    assay regressions --json | jq -e '.overall_health == "unknown"'
    # Another command is another thing, and so is one that the same thing is asked with.
    spec 30 two
    assay run -q two.yaml
    assay gate gate.yaml
    assay run -q two.yaml --set rounds=40
    assay gate gate.yaml
}

@test "a vanished benchmark is retired by its id; an entry that fits nothing is said" {
    { suite 1 6 cat | sed 's/id: b$/id: one/'; suite 1 6 cat | sed -n 's/id: b$/id: two/;4,$p'; } > a.yaml
    suite 2 6 cat | sed 's/id: b$/id: one/' > b.yaml
    assay run -q a.yaml
    assay baseline set main
    assay run -q b.yaml
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    fails_with 1 "list 'two' under \`retired:\`" assay gate gate.yaml latest --baseline main
    run assay regressions latest --baseline main
    [[ $output == *"1 of 2 cells compared"*"two, bot 1 was in the baseline"* ]]
    policy 'block: [{metric: accuracy, worse_by: 5 %}]' 'retired: [two, three]'
    run assay gate gate.yaml latest --baseline main
    [ "$status" = 0 ]
    [[ $output != *"two"* ]]
    [[ $output == *"gate.yaml:2: retired: 'three' is not a missing benchmark or cell"* ]]
}

@test "a pinned run is not forgotten by accident, and a forgotten baseline is exit 2" {
    assay run -n 8 --quiet -- true
    assay baseline set main
    assay run -n 8 --quiet -- true
    policy 'block: [{slower_than: 900 %}]'
    fails_with 2 "is pinned as baseline 'main'" assay forget latest~1
    assay gate gate.yaml latest --baseline main
    assay forget --force latest~1
    fails_with 2 "the run pinned as 'main' was forgotten: pin another" \
        assay gate gate.yaml latest --baseline main
    fails_with 2 "was forgotten" assay regressions latest --baseline main
}

@test "a run is not its own baseline, whoever asks" {
    assay run -n 8 --quiet -- true
    assay baseline set main
    policy 'block: [{slower_than: 900 %}]'
    fails_with 2 "is its own baseline" assay gate gate.yaml latest --baseline latest
    fails_with 2 "is its own baseline" assay gate gate.yaml latest --baseline main
    fails_with 2 "is its own baseline" assay regressions latest --baseline main
    assay compare latest latest --json | jq -e '.notes | any(contains("compared with itself"))'
}

@test "an interrupted run blocks, does not rank, is no baseline and holds no claim" {
    suite 1 20 cat > a.yaml
    suite 2 20 'read k; sleep 0.5; echo $k' > b.yaml
    echo 'claims: [{name: right, metric: accuracy, expect: {at_least: 0.1}}]' >> b.yaml
    assay run -q a.yaml
    assay baseline set main
    "$ASSAY_BIN" run -q b.yaml &
    pid=$!
    for _ in $(seq 100); do # until a case is stored
        n=$(assay show --json | jq 'select(.run.spec_path == "b.yaml") | .cells[0].trials.attempted // 0')
        [ "${n:-0}" -lt 1 ] || break
        sleep 0.1
    done
    kill -INT $pid
    wait $pid || true
    n=$(assay show --json | jq '.cells[0].trials.attempted')
    [ "$n" -ge 1 ]
    [ "$n" -lt 20 ]
    policy 'block: [{metric: accuracy, worse_by: 90 %}]'
    fails_with 1 "b: the run is not complete, interrupted: $n of 20 trials were made" \
        assay gate gate.yaml latest --baseline main
    run assay show
    [[ $output == *"partial: interrupted after $n of 20 trials"* ]]
    assay leaderboard --json | jq -e '[.rows[].agent_version] == ["1"]'
    fails_with 2 "cannot be a baseline, interrupted" assay baseline set part
    assay claims latest --json | jq -e '.claims[0] | .outcome == "undecided" and
        (.reason | contains("interrupted"))'
    assay regressions latest --baseline main --json | jq -e '.overall_health == "unknown"'
}

@test "what was not judged passes no rule, no claim and no --fail-under" {
    suite 1 40 cat '    rubric: {check: command, command: "grep -q BAD && exit 3; echo 1"}' > a.yaml
    suite 2 40 'read k; [ $k -le 20 ] && echo $k || echo BAD' \
        '    rubric: {check: command, command: "grep -q BAD && exit 3; echo 1"}' > b.yaml
    echo 'claims: [{name: right, metric: accuracy, expect: {at_least: 0.8}}]' >> b.yaml
    assay run -q a.yaml
    assay baseline set main
    assay run -q b.yaml --allow-failures 100%
    policy 'block: [{metric: accuracy, worse_by: 20 %}, {metric: accuracy, below: 0.8}, {failure_rate_increase: 0}]'
    fails_with 4 "20 of 40 cases were not judged" assay gate gate.yaml latest --baseline main --decide
    assay gate gate.yaml latest --baseline main --json | jq -e '[.checks[].state] | all(. == "undecided")'
    assay claims latest --json | jq -e '.claims[0] | .outcome == "undecided" and
        (.reason | contains("20 of 40 outcomes were not judged"))'
    assay regressions latest --baseline main --json | jq -e '.overall_health == "unknown"'
    assay compare latest~1 latest --json | jq -e '.rows[] | select(.metric == "accuracy") |
        .verdict == "undecided" and .effect.shift_high >= 0 and .effect.shift_low < -0.3'
    fails_with 4 "between 0.500 and 1.000, which includes 0.8: 20 of 40 cases were not judged" \
        assay run -q b.yaml --allow-failures 100% --fail-under 0.8
    assay run -q b.yaml --allow-failures 100% --fail-under 0.45
    policy 'block: [{metric: accuracy, below: 0.2}]' # passes whatever they are
    assay gate gate.yaml latest --decide
}

@test "an agent that always fails is wrong everywhere, and its cases are named" {
    suite 1 12 cat > a.yaml
    suite 2 12 'exit 1' > b.yaml
    assay run -q a.yaml
    assay baseline set main
    assay run -q b.yaml
    policy 'block: [{metric: accuracy, worse_by: 5 %}, {metric: accuracy, below: 0.9}]'
    fails_with 1 "accuracy 1 -> 0, worse by 100 points" assay gate gate.yaml latest --baseline main
    [[ $output == *"accuracy is 0 [0, 0.2"* ]]
    run assay regressions latest --baseline main --all
    [[ $output == *"accuracy: 100.0 % -> 0.0 %"*"failure_rate: 0.0 % -> 100.0 %"*"12 of 12 cases are worse"* ]]
    [[ $output == *"duration_s: undecided: 12 of 12 cases failed and have no duration_s"* ]]
    [[ $output != *"the baseline has no values"* ]]
    assay compare latest~1 latest --json |
        jq -e '.rows[] | select(.metric == "accuracy") | .verdict == "worse" and .n == [12, 12]'
}

@test "passes of five cases decide nothing, here as in regressions; undecided is shown, worst first" {
    suite 1 5 cat '' 5 > a.yaml
    suite 2 5 'exit 1' '' 5 > b.yaml
    assay run -q a.yaml
    assay baseline set main
    assay run -q b.yaml
    policy 'block: [{failure_rate_increase: 0}]'
    fails_with 4 "5 cases are too few for any verdict: 6 could" \
        assay gate gate.yaml latest --baseline main --decide
    run assay regressions latest --baseline main
    [ "$status" = 0 ]
    [[ $output != *new_failure* ]]
    [[ $output == *"perhaps worse"*"accuracy: 100.0 % -> 0.0 %"*"6 could"*"measure more: accuracy of b"* ]]
}

@test "a limit that no share can pass is refused" {
    suite 1 6 cat > a.yaml
    assay run -q a.yaml
    assay baseline set main
    assay run -q a.yaml
    policy 'block: [{metric: accuracy, worse_by: 150 %}]'
    fails_with 2 "gate.yaml:1: 'accuracy' is a share" assay gate gate.yaml latest --baseline main
    policy 'block: [{metric: accuracy, worse_by: 5}]'
    fails_with 2 "must be a share (is 5): write 5 % or 0.05" assay gate gate.yaml latest --baseline main
}

@test "the shipped policy does not block commands that did not change" {
    assay run -n 20 --quiet -- true
    plant 1
    assay baseline set main
    assay run -n 20 --quiet -- true
    plant 1
    run assay gate "$ROOT/specs/policies/gate.yaml" latest --baseline main
    [ "$status" = 0 ]
    [[ $output == *"undecided"*"no cell of run"*"can have values of cost_usd"* ]]
    [[ $output == *"undecided  alert"*"coverage_percent"* ]]
}

# ---- clocks ----

# An agent that was right and is now wrong; a policy that blocks that.
answers() {
    printf '%s\n' "$1" > answer
    cat > s.yaml <<YAML
suite: {id: s}
agents: [{id: a, version: "1", process: {command: "cat $PWD/answer"}}]
benchmarks: [{id: b, iterations: {warmup: 0, measured: 1}, cases: [$(printf '{input: %s, expected: ok},' {1..12})]}]
YAML
}

@test "neither a clock that goes back nor a bundle of the future chooses the run that is gated" {
    policy 'block: [{metric: accuracy, below: 0.5}]'
    answers ok
    assay run -q s.yaml
    [ "$(assay gate gate.yaml --quiet)" = passed ]
    # The run as if the clock had been a year ahead, and as a bundle.
    python3 - <<'PY'
import sqlite3
db = sqlite3.connect(".assay/assay.db")
year = 365 * 86400 * 10**9
db.execute("UPDATE runs SET started_ns = started_ns + ?, ended_ns = ended_ns + ?", (year, year))
db.execute("UPDATE benchmark_executions SET start_ns = start_ns + ?, end_ns = end_ns + ?", (year, year))
db.commit()
PY
    assay export latest -q --bundle future.assay
    run assay list
    [[ $output == *"! starts in the future: a clock is or was wrong"* ]]
    [[ $(assay gate gate.yaml) == *"! run "*" starts in the future ("*"): a clock is or was wrong"* ]]
    answers wrong
    assay run -q s.yaml || true
    fails_with 1 violated assay gate gate.yaml
    # Elsewhere it is imported, first or last.
    for store in first last; do
        export ASSAY_STORE=sqlite:$store.db
        [ $store = last ] || assay import future.assay > said
        assay run -q s.yaml || true
        [ $store = first ] || assay import future.assay > said
        grep -q '^! 1 run starts in the future: a clock is or was wrong$' said
        fails_with 1 violated assay gate gate.yaml
        [ "$(assay list --json | jq -c '[.runs[].in_future]')" = '[false,true]' ]
    done
}

@test "a benchmark that ran in another way is not called vanished, and never to be retired" {
    cat > s.yaml <<'YAML'
suite: {id: s, name: S, category: accuracy, version: "1"}
agents: [{id: bot, version: "1", process: {command: [cat]}}]
benchmarks:
  - {id: one, cases: [{id: a, input: "1", expected: "1"}], rubric: [{check: exact, weight: 1}]}
YAML
    assay run --quiet s.yaml
    assay baseline set main latest
    assay run --quiet s.yaml --concurrency 4
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    fails_with 1 "it ran with concurrency 4 instead of 1, which is another cell" \
        assay gate gate.yaml latest --baseline main
    [[ $output != *retired* ]]
    run assay regressions latest --baseline main
    [[ $output == *"missing now: it ran with concurrency 4 instead of 1"* ]]
    sed -i 's/expected: "1"/expected: "2"/' s.yaml
    assay run --quiet s.yaml
    fails_with 1 "it ran with other cases or scoring" assay gate gate.yaml latest --baseline main
    [[ $output != *retired* ]]
}

# quiz VERSION COMMAND [BENCHMARK] [CASES] [PREFIX]: a suite in which the right answer to n is
# an; cases are called by the prefix, which is part of their content only as their name.
quiz() {
    printf 'suite: {id: %s}\nagents:\n' "${SUITE:-s}"
    printf "  - {id: bot, version: '%s', process: {command: '%s'}}\n" "$1" "$2"
    printf 'benchmarks:\n  - id: %s\n    iterations: {warmup: 0, measured: 1}\n    cases:\n' "${3:-b}"
    for i in $(seq "${4:-20}"); do
        printf "      - {id: %s%d, input: '%d', expected: 'a%d'}\n" "${5:-c}" "$i" "$i" "$i"
    done
}
RIGHT='read n; echo a$n'

@test "where every cell changed, the version before is missed as it is where one did" {
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    quiz 1 "$RIGHT" > s.yaml
    assay run -q s.yaml
    assay gate gate.yaml > out # the first run ever has nothing to be held against
    grep -q "no earlier version of the agent was run on it" out
    quiz 2 'echo no' b 20 other > s.yaml
    assay run -q s.yaml
    fails_with 1 "it ran with other cases or scoring, which is another cell" \
        assay gate gate.yaml
    [[ $output == *"violated"*"b, bot 1 is in the baseline; in run "* ]]
    [[ $output == *"version 1 ran it in another way; here it ran with other cases or scoring"* ]]
    [[ $output != *"no earlier version"* && $output != *retired* ]]
    fails_with 4 "run what is missing" assay regressions --decide
    quiz 2 'echo no' > s.yaml
    assay run -q s.yaml --concurrency 2
    fails_with 1 "it ran with concurrency 2 instead of 1" assay gate gate.yaml
    quiz 2 'echo no' new > s.yaml # under another name it is not there
    assay run -q s.yaml
    fails_with 1 "list 'b' under \`retired:\`" assay gate gate.yaml
    policy 'block: [{metric: accuracy, worse_by: 5 %}]' 'retired: [b]'
    assay gate gate.yaml
    # Of another suite nobody asked.
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    SUITE=t quiz 2 'echo no' > s.yaml
    assay run -q s.yaml
    assay gate gate.yaml > out
    grep -q "no earlier version of the agent was run on it" out
}

@test "a version that ran other cases is a version, and says what differs" {
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    quiz 1 "$RIGHT" > s.yaml
    assay run -q s.yaml
    quiz 2 'echo no' b 20 other > s.yaml
    assay run -q s.yaml
    fails_with 1 "it ran with other cases or scoring" assay gate gate.yaml --baseline 1
    [[ $output != *"neither a pinned name nor a version"* ]]
    SUITE=t quiz 2 'echo no' > s.yaml
    assay run -q s.yaml
    assay gate gate.yaml --baseline 1 > out
    grep -q "no baseline: version 1 was never run on it" out
    fails_with 2 "neither a pinned name nor a version" assay gate gate.yaml --baseline 7
}

@test "what is pinned as default is missed as well, where no cell is the same" {
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    quiz 1 "$RIGHT" > s.yaml
    assay run -q s.yaml
    assay baseline set default
    assay run -q s.yaml --concurrency 2
    fails_with 1 "it ran with concurrency 2 instead of 1" assay gate gate.yaml
}

@test "a run of some of the cases says so, and does not pass for the whole" {
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    quiz 1 "$RIGHT" > s.yaml
    assay run -q s.yaml
    quiz 2 'read n; test $n -gt 3 && echo a$n || echo no' > s.yaml
    assay run -q s.yaml
    assay run -q s.yaml --only-failed latest
    fails_with 1 "it ran with some of its cases only (a subset)" assay gate gate.yaml
    # As a baseline it is none: what it lacks is not what a whole run is held against.
    quiz 3 "$RIGHT" > s.yaml
    assay run -q s.yaml
    assay gate gate.yaml > out
    grep -q "than version 2" out
}

@test "a version is all that it ran: its benchmarks, and of an agent its suites" {
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    { quiz 1 "$RIGHT" one; quiz 1 "$RIGHT" two | sed '1,/^benchmarks:/d'; } > s.yaml
    assay run -q s.yaml
    assay run -q s.yaml --only one # newer, and without `two`
    quiz 2 "$RIGHT" one > s.yaml
    assay run -q s.yaml
    fails_with 1 "two, bot 1 is in the baseline and not in run" assay gate gate.yaml
    rm -r .assay
    for suite in s t; do
        SUITE=$suite quiz 1 "$RIGHT" "of-$suite" > s.yaml
        assay run -q s.yaml
    done
    quiz 2 "$RIGHT" of-s > s.yaml
    assay run -q s.yaml
    fails_with 1 "of-t, bot 1 is in the baseline and not in bot 2" \
        assay gate gate.yaml --agent bot --baseline 1
    assay gate gate.yaml # a run is held against its own suite
}

@test "a change that makes failures count no more does not pass" {
    assay run --quiet -n 8 --name prog -- true
    assay run --quiet -n 8 --name prog --ignore-failure -- false
    policy 'block: [{failure_rate_increase: 0}]'
    fails_with 1 "ignore_failure is true in the current run alone" assay gate gate.yaml
    [[ $output == *"has other parameters than in the baseline: "*"ignore_failure is true and was "* ]]
    run assay regressions
    [[ $output == *"failure_rate was not compared: ignore_failure is true"* ]]
    [[ $output != *": healthy."* && $output == *"ignore_failure is true and was "* ]]
    # Both ignore them: nothing to say.
    assay run --quiet -n 8 --name prog --ignore-failure -- false
    [ "$(assay gate gate.yaml --quiet --decide)" = passed ]
}

@test "who was stopped because it failed is not told to resume" {
    assay run --quiet -n 20 --name prog -- true
    assay run --quiet -n 20 --name prog -- false || true
    policy 'block: [{failure_rate_increase: 0}]'
    fails_with 1 "(stopped after 3 failures in a row); fix that, and run it again" \
        assay gate gate.yaml
    [[ $output != *"--resume"* ]]
    fails_with 1 "failures in a row" assay regressions
    assay ack --agent assay --false --reason 'so that only what is missing fails'
    fails_with 1 "0 improved" assay regressions
    [[ $output != *"alarm "*"judged real"* && $output == *"judged false"* ]]
    [[ $output != *"--resume"* ]]
}

@test "an agent that was stopped or not started, and a version that was killed, are called so" {
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    quiz 1 "$RIGHT" > s.yaml
    assay run -q s.yaml
    quiz 2 'exit 1' | sed 's/    iterations:/    stop_early: {failures_in_a_row: 3}\n&/' > s.yaml
    assay run -q s.yaml || true
    fails_with 1 "stopped early: 3 of 20 trials were made (stopped after 3 failures in a row)" \
        assay gate gate.yaml
    [[ $output != *"--resume"* && $output != *interrupted* ]]
    quiz 3 x | sed "s|command: 'x'|command: [/nonexistent/x]|" > s.yaml
    assay run -q s.yaml || true
    fails_with 1 "failed: 0 of 20 trials were made: it could not be started (" \
        assay gate gate.yaml --baseline 1
    [[ $output != *"failures in a row"* ]]
    rm -r .assay
    quiz 1 'read n; sleep 1; echo a$n' > s.yaml
    "$ASSAY_BIN" run -q s.yaml &
    pid=$!
    for _ in $(seq 100); do
        [ "$(assay show --json 2> /dev/null | jq '.cells | length')" != 1 ] || break
        sleep 0.1
    done
    kill -9 $pid
    wait $pid || true
    quiz 2 "$RIGHT" > s.yaml
    assay run -q s.yaml
    assay gate gate.yaml > out
    grep -q "no baseline: version 1 was run on it, but did not finish" out
}

@test "a share that is no worse passes, and says what could hide" {
    assay run --quiet -n 8 --name prog -- true
    assay run --quiet -n 8 --name prog -- true
    policy 'block: [{failure_rate_increase: 5 %}]'
    run assay gate gate.yaml --decide
    [ "$status" = 0 ]
    [[ $output == *"passed (rule failure_rate"*"; no worse than before, but these data could hide 37 points"* ]]
    policy 'block: [{failure_rate_increase: 50 %}]'
    run assay gate gate.yaml --decide
    [[ $status = 0 && $output == *"passed (rule"* && $output != *"could hide"* ]]
}

# reports VERSION FROM: an agent that reports its cost from case FROM of 30 on.
reports() {
    {
        echo 'suite: {id: s, version: "1"}'
        echo "agents: [{id: bot, version: \"$1\", process: {command: 'read n; echo \$n; [ \$n -lt $2 ] || echo \"{\\\"cost_usd\\\": 0.0\$n}\" >&\$ASSAY_USAGE_FD'}}]"
        echo 'benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: ['
        for n in $(seq 101 130); do echo "  {input: '$n', expected: '$n'},"; done
        echo ']}]'
    } > s.yaml
    assay run --quiet s.yaml
}

@test "a cost that is no longer reported in some cases does not pass, and is said" {
    policy 'block: [{cost_increase: 5 %}]'
    reports 1 0
    reports 2 0
    assay gate gate.yaml --agent bot | grep -q 'cost_usd .*: passed'
    reports 3 111
    assay gate gate.yaml --agent bot --json > gate.json
    jq -e '.verdict == "undecided" and .checks[0].state == "undecided"' gate.json
    jq -r '.checks[0].sentence' gate.json | grep -q '; 10 of 30 cases no longer report cost_usd$'
    assay regressions --agent bot --json | jq -e '(.undecided[] | select(.metric == "cost_usd") | .sentence
        | contains("undecided: 10 of 30 cases no longer report cost_usd")) and
        ([.notes[] | select(. == "b: 10 of 30 cases no longer report cost_usd")] | length == 1)'
    assay compare bot@2 bot@3 | grep -q '^! 10 of 30 cases of B do not report cost_usd, which A does'
    # One is left: the baseline has 30.
    reports 4 130
    assay gate gate.yaml --agent bot --baseline 2 --json | jq -r '.checks[0] | .state, .sentence' > said
    [ "$(head -1 said)" = undecided ]
    grep -q '^b: cost_usd: 29 of 30 cases no longer report cost_usd (rule' said
    # What the baseline did not report either is not missed.
    reports 5 111
    assay gate gate.yaml --agent bot --baseline 3 | grep -q 'cost_usd .*: passed'
}

@test "a limit on cost is not passed by reporting the cheap cases alone" {
    policy 'block: [{metric: cost_usd, above: 0.2}]'
    reports 1 125 # 6 of 30
    fails_with 4 undecided assay gate gate.yaml --decide
    assay gate gate.yaml | grep -q 'undecided .*cost_usd is 0\.0.* n = 6; .*; 24 of 30 trials do not report cost_usd$'
    # Those that report are beyond it, whatever the others cost.
    policy 'block: [{metric: cost_usd, above: 0.001}]'
    reports 2 105
    fails_with 1 violated assay gate gate.yaml
    policy 'block: [{metric: cost_usd, above: 0.2}]'
    reports 3 0
    assay gate gate.yaml --decide | grep -q 'passed .*cost_usd'
}

# passes VERSION COUNT: an agent that reports its cost in the first COUNT of 3 passes of each case.
passes() {
    {
        echo 'suite: {id: s, version: "1"}'
        echo "agents: [{id: bot, version: \"$1\", process: {command: 'read n; echo \$n; echo >> $PWD/seen.$1.\$n; [ \$(wc -l < $PWD/seen.$1.\$n) -gt $2 ] || echo \"{\\\"cost_usd\\\": 0.0\$n}\" >&\$ASSAY_USAGE_FD'}}]"
        echo 'benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 3}, cases: ['
        for n in $(seq 101 112); do echo "  {input: '$n', expected: '$n'},"; done
        echo ']}]'
    } > s.yaml
    assay run --quiet s.yaml
}

@test "a cost that is no longer reported in some passes of each case does not pass" {
    policy 'block: [{cost_increase: 5 %}]'
    passes 1 3
    passes 2 3
    assay gate gate.yaml --agent bot --decide | grep -q 'cost_usd .*: passed'
    passes 3 1
    fails_with 4 undecided assay gate gate.yaml --agent bot --decide
    assay gate gate.yaml --agent bot | grep -q '12 of 12 cases no longer report cost_usd'
    passes 4 1 # nor did the baseline
    assay gate gate.yaml --agent bot --baseline 3 --decide | grep -q 'cost_usd .*: passed'
}

@test "a cell that lacks what a limit is on does not pass it unseen" {
    for v in 1 2; do
        {
            echo 'suite: {id: s}'
            echo 'agents:'
            echo "- {id: dear, version: \"$v\", process: {command: 'cat; echo \"{\\\"cost_usd\\\": 0.01}\" >&\$ASSAY_USAGE_FD'}}"
            echo "- {id: mute, version: \"$v\", process: {command: 'cat$([ $v = 2 ] || echo "; echo \"{\\\"cost_usd\\\": 0.01}\" >&\$ASSAY_USAGE_FD")'}}"
            echo 'benchmarks:'
            echo '- {id: b, iterations: {warmup: 0, measured: 1}, cases: [{input: a, expected: a}, {input: b, expected: b},'
            echo '   {input: c, expected: c}, {input: d, expected: d}, {input: e, expected: e}, {input: f, expected: f}]}'
        } > s$v.yaml
    done
    policy 'block: [{metric: cost_usd, above: 0.02}]'
    assay run -q s2.yaml --store only.db > /dev/null
    fails_with 1 "mute: cost_usd has no values" assay gate gate.yaml --store only.db
    assay run -q s1.yaml > /dev/null
    assay run -q s2.yaml > /dev/null
    fails_with 1 "mute: cost_usd has no values" assay gate gate.yaml
    # What another tool measured: whether it could have had the metric is not known.
    cat > gb.json <<'X'
{"context": {}, "benchmarks": [
 {"name": "a", "run_name": "a", "run_type": "iteration", "iterations": 9, "real_time": 1, "cpu_time": 1, "time_unit": "ms", "hits": 7},
 {"name": "b", "run_name": "b", "run_type": "iteration", "iterations": 9, "real_time": 1, "cpu_time": 1, "time_unit": "ms"}]}
X
    assay import -q gb.json --store gb.db
    policy 'block: [{metric: hits, below: 5}]'
    run assay gate gate.yaml --store gb.db
    [[ $output == *"undecided"*"b: hits has no values"* ]]
}

@test "agents that did not change hide no regression of one that did" {
    python3 - <<'PY'
import json
for name, right in ("v1", 40), ("v2", 30), ("other", 36):
    with open(name + ".jsonl", "w") as f:
        for i in range(40): print(json.dumps({"case": f"c{i}", "output": str(i) if i < right else "x"}), file=f)
for v in "12":
    others = "".join(f'- {{id: o{k}, version: "1", replay: {{answers: other.jsonl}}}}\n' for k in range(5))
    for benchmarks in 1, 2:
        cases = "".join(f'  - {{id: c{i}, input: q{i}, expected: "{i}"}}\n' for i in range(40))
        body = "".join(f"- id: b{b}\n  iterations: {{warmup: 0, measured: 1}}\n  cases:\n{cases}" for b in range(benchmarks))
        with open(f"{v}-{benchmarks}.yaml", "w") as f:
            f.write(f'suite: {{id: s{benchmarks}}}\nagents:\n- {{id: bot, version: "{v}", replay: {{answers: v{v}.jsonl}}}}\n{others}benchmarks:\n{body}')
PY
    policy 'block: [{metric: accuracy, worse_by: 5 %}]'
    for benchmarks in 1 2; do
        for v in 1 2; do assay run -q $v-$benchmarks.yaml --store $benchmarks.db > /dev/null; done
        for how in "latest" "--agent bot"; do
            # shellcheck disable=SC2086 # two words
            run assay gate gate.yaml $how --baseline 1 --json --store $benchmarks.db
            [ "$status" = 1 ]
            jq -r '.checks[] | select(.sentence | contains("violated")) | .sentence' <<< "$output" |
                sed 's/ of bot: /: /; s/\[.*\] //' | sort > "said-${how##* }" # of equal p, one is the first
        done
        diff said-latest said-bot # bot's answer does not depend on who else ran
        run assay regressions latest --baseline 1 --threshold 0.05 --store $benchmarks.db
        [ "$status" = 1 ]
        run assay compare bot@1 bot@2 --metric accuracy --fail-on worse --store $benchmarks.db
        [ "$status" = 1 ]
    done
    grep -q '^all 2 cells: accuracy' said-bot
}

@test "a rule on times or costs does not pass by the trials that did not fail" {
    for v in 1 2; do
        for i in {1..20}; do
            if [ $v = 2 ] && [ "$i" -le 8 ]; then
                echo '{"task":"t","duration":0.01,"success":false,"version":"v2","agent":"bot"}'
            else
                echo "{\"task\":\"t\",\"duration\":$((3 - v)).0$i,\"success\":true,\"version\":\"v$v\",\"agent\":\"bot\"}"
            fi
        done
    done > all.jsonl
    assay record -q < all.jsonl
    policy 'block: [{slower_than: 10 %}]' 'undecided: fail'
    run assay gate gate.yaml --agent bot --version v2 --baseline v1
    [ "$status" = 4 ]
    [[ $output == *"8 of 20 trials failed and have no duration_s"* ]]
}

@test "agents within a limit hide nobody who is not" {
    for agent in bot g1 g2 g3; do
        for task in {1..10}; do
            for i in {1..20}; do
                ok=true
                [ $agent != bot ] || [ "$i" -gt 3 ] || ok=false
                echo "{\"task\":\"t$task\",\"duration\":1.0$i,\"success\":$ok,\"version\":\"v\",\"agent\":\"$agent\"}"
            done
        done
    done > all.jsonl
    assay record -q < all.jsonl
    policy 'block: [{metric: failure_rate, above: 0.05}]'
    fails_with 1 "all 10 cells of bot: failure_rate is 0.150" assay gate gate.yaml latest
    policy 'alert: [{metric: success_rate, below: 0.95}]'
    run assay gate gate.yaml latest
    [ "$status" = 0 ]
    [[ $output == *"violated   alert  all 10 cells of bot: success_rate is 0.850"* ]]
}

# Four runs of version 1 cost 13 and 10 in turn: 12.5 is within what its own runs differ by.
@test "what runs of one version cost differs by is part of the verdict" {
    local at cost
    for at in 1:0.013 1:0.010 1:0.013 1:0.010 2:0.0125; do
        cost=${at#*:}
        cat > s.yaml <<Y
suite: {id: s}
agents:
  - {id: bot, version: "${at%:*}", process: {command: 'read n; echo "{\"cost_usd\": $cost}" >&\$ASSAY_USAGE_FD; echo \$n'}}
benchmarks:
  - id: b
    iterations: {warmup: 0, measured: 1}
    cases: [{input: "1"}, {input: "2"}, {input: "3"}, {input: "4"}, {input: "5"}, {input: "6"}, {input: "7"}, {input: "8"}]
Y
        assay run -q s.yaml > /dev/null
    done
    assay gate <(echo '{policy: p, block: [{cost_increase: 5 %}]}') --agent bot --json > out
    # t with 3 degrees of freedom on logarithms: 1.10 [0.64, 1.88]
    jq -e '.checks[0].state == "undecided" and .checks[0].low < -0.3 and .checks[0].high > 0.8' out
}

# Of b2 nothing could be judged, in either version: no rule of the policy sees the cell.
@test "a cell of which nothing could be judged blocks, and so it does in regressions and compare" {
    versions() {
        for v in 1 2; do
            for i in $(seq 12); do echo "{\"benchmark\": \"b1\", \"case\": \"c$i\", \"output\": \"1\"}"; done > $v.jsonl
            [ $v = 2 ] || [ "$1" = lost ] ||
                for i in $(seq 12); do echo "{\"benchmark\": \"b2\", \"case\": \"c$i\", \"output\": \"1\"}"; done >> $v.jsonl
            {
                printf "suite: {id: s}\nagents: [{id: bot, version: '$v', replay: {answers: $v.jsonl}}]\nbenchmarks:\n"
                for b in b1 b2; do
                    printf -- "- id: $b\n  iterations: {warmup: 0, measured: 1}\n  cases:\n"
                    for i in $(seq 12); do echo "  - {id: c$i, input: '$b $i', expected: '1'}"; done
                done
            } > s.yaml
            assay run s.yaml --quiet > /dev/null 2>&1 || [ $? = 1 ]
        done
    }
    policy 'block: [{metric: accuracy, worse_by: 10 %}]'
    versions lost
    fails_with 1 "b2: the run is not complete, failed: 12 of 12 trials were made" assay gate gate.yaml
    fails_with 1 "b2 of the current run is not complete" assay regressions
    [[ $output == *": unknown. "* ]]
    rm -r .assay
    versions kept
    fails_with 1 "b2: accuracy is missing" assay gate gate.yaml
    run assay regressions --all
    [ "$status" = 1 ]
    [[ $output != *nan* ]]
    run assay compare latest~1 latest --metric accuracy --fail-on worse
    [ "$status" = 4 ]
}

@test "of an agent that vanished its cell is to be retired, not the benchmark that others still run" {
    suite() {
        printf "suite: {id: s}\nagents:\n"
        for a in "${@:2}"; do echo "- {id: $a, version: '$1', process: {command: cat}}"; done
        printf 'benchmarks:\n- id: b\n  iterations: {warmup: 0, measured: 1}\n  cases: [{input: x, expected: x}]\n'
    }
    suite 1 bot helper > s.yaml && assay run s.yaml --quiet > /dev/null
    suite 2 bot > s.yaml && assay run s.yaml --quiet > /dev/null
    policy 'block: [{metric: accuracy, worse_by: 10 %}]'
    fails_with 1 "list 'b, helper 1' under \`retired:\`" assay gate gate.yaml
    policy 'retired: ["b, helper 1"]' 'block: [{metric: accuracy, worse_by: 10 %}]'
    assay gate gate.yaml
}
