#!/usr/bin/env bats
# trend: where a level changed, in plain files and in the store.
load ../helper

# Normal noise, 1 % wide, whose level is 10, and 11 from point $2 on.
steps() { # N AT SEED
    awk -v n="$1" -v at="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            z = 0
            for (k = 0; k < 12; k++) z += rand()
            printf "%.9g\n", (i < at ? 10 : 11) * (1 + 0.01 * (z - 6))
        }
    }'
}

@test "samples: the keys of assay.trend/1, the index of the first new point" {
    steps 60 40 1 > a
    for detector in assay otava potts; do
        assay trend --samples a --detector "$detector" --json > out
        jq -e '.schema == "assay.trend/1" and .n == 60' out
        [ "$(jq -c '.change_points[0]|keys_unsorted' out)" = \
            '["index","before","after","change","p","kind","run","commit"]' ]
        jq -e '.change_points | length == 1 and .[0].index == 40' out
        jq -e '.change_points[0].change | . > 0.09 and . < 0.11' out
    done
    jq -e '.change_points[0].p == null' out # Potts has no test
}

@test "samples: a level that moves by no step and no line is noted, noise is not" {
    for shape in 'i<30?100:120+.5*(i-30)' 'i<30?100:120-.3*i+9' '100+.2*i+(i<30?0:20)' \
        'i<30?100:100+(i-30)/2' '100+.7*(i<30?30-i:i-30)'; do
        awk "BEGIN { for (i = 0; i < 60; i++) print ($shape) + (i * 37 % 11 - 5) / 10 }" > a
        assay trend --samples a --json > out
        jq -e '(.change_points | length > 0) or .drift or
               (.moves | .low < .high and .from != null and .to != null)' out
        jq -e '.rates.missed[2].step == 0.1' out
        jq -e '.moves == null' out || assay trend --samples a | grep 'the level moves, from .* look at the plot'
    done
    awk 'BEGIN { for (i = 0; i < 60; i++) print 100 + (i * 37 % 11 - 5) / 10 }' > a
    assay trend --samples a --json | jq -e '.moves == null and .change_points == []'
}

@test "samples: noise alone has no change, nor have few points or none" {
    steps 80 80 2 > a
    assay trend --samples a --json | jq -e '.change_points == []'
    head -n 1 a > one
    : > none
    assay trend --samples one --json | jq -e '.n == 1 and .change_points == []'
    assay trend --samples none --json | jq -e '.n == 0 and .change_points == []'
    yes 3 | head -n 50 > constant
    assay trend --samples constant --json | jq -e '.change_points == []'
    assay trend --samples constant
    { cat a; echo nan; cat a; } > gap
    assay trend --samples gap --json | jq -e '.n == 161 and .change_points == []'
}

@test "samples: a line, the change marked and told, and the detector's own rates" {
    steps 60 40 1 > a
    run assay trend --samples a --direction lower
    [ "$status" = 0 ]
    [[ ${lines[0]} == "60 points, 1 change" ]]
    [[ ${lines[1]} == *▁* && ${lines[1]} == *█* ]]
    [[ ${lines[2]} == "                                          ^" ]]
    [[ ${lines[3]} == *"degradation at point 40: 1"*"-> 1"*"+"*"%"* ]]
    [[ $output == *"blocks of 8 points (longer memory is lost): false alarms in "*"misses a step of 3 % in "* ]]
    run assay trend --samples a --direction higher
    [[ $output == *"improvement at point 40"* ]]
    assay trend --samples a --json --rates > out
    jq -e '.rates.false_alarms <= 0.1 and (.rates.missed | length == 3)' out
    jq -e '.rates.missed[2] | .step == 0.1 and .share <= 0.1' out
}

@test "samples: wrong options are named" {
    steps 20 20 1 > a
    fails_with 2 "--detector must be" assay trend --samples a --detector magic
    fails_with 2 "--p must be" assay trend --samples a --p 2
    fails_with 2 "--window must be" assay trend --samples a --window 1
    fails_with 2 "--by must be" assay trend --by month
    fails_with 2 "takes one file" assay trend --samples
    fails_with 2 "--since asks the store, --samples a file" assay trend --samples a --since 7d
    fails_with 2 "--by asks the store" assay trend --samples a --by week
    fails_with 2 "--column goes with --samples" assay trend duration_s --column x
    fails_with 2 "--direction goes with --samples" assay trend duration_s --direction lower
    fails_with 2 "there is no store" assay trend duration_s
}

@test "samples: real noise of unchanged code stays quiet, its steps are seen" {
    local file=$ROOT/../shared/data/series/azure_vm_noise_first120.csv flagged=0
    [ -e "$file" ] || skip "no ../shared/data"
    for series in $(seq 1 81); do
        awk -F, -v s="$series" '$1 == s && $8 < 100 { print $10 }' "$file" > one
        count=$(assay trend --samples one --json | jq '.change_points | length')
        [ "$count" = 0 ] || flagged=$((flagged + 1))
    done
    echo "flagged $flagged of 81"
    [ "$flagged" -le 4 ]
}

# history FILE: 40 days of a benchmark, three values a day; from day 25 on 20 % slower.
history() {
    steps 120 75 7 | awk 'BEGIN { print "name,when,took" }
        { d = int((NR - 1) / 3); m = 8 + int(d / 30)
          printf "sums,2026-%02d-%02dT0%d:00:00Z,%s\n", m + 1, d % 30 + 1, NR % 3, $1 }' > "$1"
}

@test "store: by day, by week, with the change told as a degradation" {
    history h.csv
    assay import h.csv --by name --time when --column took --unit ms --direction lower --quiet
    assay trend --by day --json --rates > out
    jq -e '.schema == "assay.trend/1" and .by == "day" and (.series | length == 1)' out
    [ "$(jq -c '.series[0]|keys_unsorted' out)" = '["label","experiment","metric","unit",'\
'"direction","host","n","change_points","drift","moves","too_few","rates","expected","note","sentence","points"]' ]
    jq -e '.series[0] | .n == 40 and (.points[0] | .n == 3 and .at == "2026-09-01T00:00:00.000Z")' out
    # three values have no interval; a sentence says what was found
    jq -e '.series[0].points[0] | .low == null and .high == null' out
    jq -e '.series[0].sentence | test("^[a-z_]+ changed by [+-][0-9.]+ % on 2026-09-[0-9]+")' out
    jq -e '.series[0].change_points | length == 1 and (.[0] | .index == 25 and
        .kind == "degradation" and .change > 0.08)' out
    jq -e '.series[0].rates.false_alarms <= 0.1' out
    run assay trend --by week
    [[ $output == *"too few points to see a change (6; needs 10)"* && $output != *reshuffl* ]]
    run assay trend --by day
    [[ $output == *"^ degradation at point 25 (2026-09-26, run "* ]]
    [[ $output == *"false alarms in "* ]]
}

@test "store: by run, one series a cell; improvements are told too" {
    for i in $(seq 24); do
        n=$((i < 13 ? 20 : 10))
        jq -n --argjson n "$n" --argjson i "$i" '{name: "flow", run_id: "R\($i)", parameters: {n: 1},
            iterations: {warmup: 0, measured: 5}, metrics: {}, tags: [], notes: "",
            iteration_metrics: [range(5) | {index: ., duration_s: ($n + (. * 7 + $i * 3) % 5 * 0.1),
            metrics: {}}], environment: {}, vcs: {commit: "", branch: "", dirty: false},
            artifacts: [], status: "success"}' > "r$i.json"
        assay import "r$i.json" --format agentfarm --quiet
    done
    assay trend duration_s --json > out
    jq -e '.by == "run" and .series[0].n == 24' out
    jq -e '.series[0].change_points | length == 1 and (.[0] | .index == 12 and
        .kind == "improvement" and .run != null)' out
    fails_with 2 "has a history of 'speed'" assay trend speed
    fails_with 2 "no run is of experiment 'other'" assay trend duration_s --experiment other
    fails_with 2 "no cell has 'zzz' in its label" assay trend duration_s --label zzz
    fails_with 2 "no benchmark 'nothing'" assay trend --benchmark nothing
    fails_with 2 "--since must be a time" assay trend --since soon
}

@test "store: one run is a history of one point" {
    assay run --quiet -n 2 -- true
    run assay trend
    [ "$status" = 0 ]
    [[ ${lines[0]} == "duration_s (lower is better) of command"*"too few points to see a change (1; needs 10)" ]]
}

@test "samples: a drift is told with its slope and interval, noise is not" {
    seq 1000 1300 > rising
    [[ $(assay trend --samples rising) == *"it drifts: +0.08"*" % a point [+"*"in all (p = "* ]]
    assay trend --samples rising --json > out
    jq -e '.change_points == [] and (.drift | .low <= .slope and .slope <= .high and
        .total > 0.25 and .total < 0.35)' out
    seq 1 60 | awk '{ print 10 + ($1 * 37 % 10) / 50 }' > still
    [[ $(assay trend --samples still) != *drifts* ]]
    assay trend --samples still --json | jq -e '.drift == null and .too_few == false'
}

@test "samples: few points are said to be too few, and the newest value is judged" {
    seq 1 5 > few
    [[ $(assay trend --samples few) == "too few points to see a change (5; needs 10)"* ]]
    assay trend --samples few --json | jq -e '.too_few and .change_points == []'
    { yes 100 | head -n 24; echo 108; } > n1
    [[ $(assay trend --samples n1) == *"the newest value, 108, is outside"* ]]
    awk 'BEGIN { for (i = 0; i < 14; i++) print (i % 2 ? 2.3 : 3.4) + i % 3 / 100 }' > turns
    [[ $(assay trend --samples turns) != *outside* ]]
}

@test "samples: a large step is found before a small one, and never a point too early" {
    awk 'BEGIN { for (i = 0; i < 36; i++) { l = i < 12 ? 100 : i < 24 ? 108 : 105.5
        print l + ((i * 37) % 10 - 4.5) / 12 } }' > two
    assay trend --samples two --json | jq -e '.change_points | length == 1 and .[0].index == 12'
    for bad in 1 2 3 4 5; do
        awk -v k="$bad" 'BEGIN { for (i = 0; i < 24 + k; i++)
            print (i < 24 ? 100 : 108) + ((i * 37) % 10 - 4.5) / 12 }' > late
        assay trend --samples late --json | jq -e --argjson k "$bad" \
            '[.change_points[].index] == (if $k < 5 then [] else [24] end)'
    done
}

# measured NAME HOST COMMIT WHEN VALUE: imports one run of that commit.
measured() {
    jq -n --arg h "$2" --arg c "$3" --arg w "$4" --argjson v "$5" '{name: "flow", run_id: "R\($c)\($h)",
        parameters: {n: 1}, iterations: {warmup: 0, measured: 3}, metrics: {}, tags: [], notes: "",
        iteration_metrics: [range(3) | {index: ., duration_s: $v, metrics: {}}],
        environment: {hostname: $h}, vcs: {commit: $c, branch: "b", dirty: false, committed_at: $w},
        artifacts: [], status: "success"}' > "$1.json"
    assay import "$1.json" --format agentfarm --quiet
}

@test "store: points stand in the order of commits, hosts apart" {
    measured 1 one ccc 2026-01-03T00:00:00.000Z 3
    measured 2 one aaa 2026-01-01T00:00:00.000Z 1
    measured 3 one bbb 2026-01-02T00:00:00.000Z 2
    measured 4 two aaa 2026-01-01T00:00:00.000Z 9
    assay trend duration_s --json > out
    jq -e '[.series[] | select(.host == "one").points[].commit] == ["aaa", "bbb", "ccc"]' out
    jq -e '[.series[].n] | sort == [1, 3]' out
    [[ $(assay trend duration_s) == *"on one, too few points"* ]]
    assay trend duration_s --any-host --json | jq -e '.series | length == 1 and .[0].n == 4'
}

@test "store: a benchmark is meant in every suite that has one of that name" {
    for suite in one two; do
        printf 'suite: {id: %s}\nagents: [{id: cat, process: {command: [cat]}}]\nbenchmarks: [{id: lines, iterations: {warmup: 0, measured: 2}, cases: [{input: %s, expected: %s}]}, {id: others, iterations: {warmup: 0, measured: 1}, cases: [{input: x, expected: x}]}]\n' \
            $suite $suite $suite > "$suite.yaml"
        assay run -q "$suite.yaml"
        assay run -q "$suite.yaml"
    done
    assay trend accuracy --benchmark lines --json > out
    jq -e '[.series[].n] == [2, 2]' out || { cat out; return 1; }
    fails_with 2 "no benchmark 'nothing'" assay trend accuracy --benchmark nothing
}

@test "store: an empty one is said to be empty" {
    assay run --quiet -n 2 -- true
    assay forget latest
    fails_with 2 "the store has no run" assay trend
}

@test "store: a point of right and wrong answers is the share that is right" {
    seq 0 9 | awk '{ printf "{\"id\":\"c%d\",\"input\":\"q\",\"expected\":\"x\"}\n", $1 }' > cases.jsonl
    for k in 0 3; do
        seq 0 9 | awk -v k=$k '{ printf "{\"case\":\"c%d\",\"output\":\"%s\"}\n", $1, ($1 < k ? "no" : "x") }' > "ans$k.jsonl"
        printf 'suite: {id: acc}\nagents: [{id: bot, version: "%s", replay: {answers: ans%s.jsonl}}]\nbenchmarks: [{id: one, dataset: {source: cases.jsonl}, iterations: {warmup: 0, measured: 1}}]\n' $k $k > "acc$k.yaml"
        assay run "acc$k.yaml" -q
    done
    assay trend accuracy --json > out
    jq -e '[.series[0].points[].value] == [1, 0.7]' out || { cat out; return 1; }
}

@test "store: what takes longer than a second says on a terminal how far it is" {
    command -v script > /dev/null || skip "script(1) is not here"
    for r in $(seq 200); do
        awk -v r=$r 'BEGIN { srand(r); for (c = 0; c < 20; c++) printf "%s{\"command\":\"cell %d\",\"times\":[%.6f]}", c ? "," : "{\"results\":[", c, 1 + rand() / 10; print "]}" }' > r$r.json
    done
    assay import -q r*.json > /dev/null
    TERM=xterm script -qec "'$ASSAY_BIN' trend" /dev/null > seen
    grep -qE '(execution [0-9]+ of 4000|series [0-9]+).*\[K' seen
    assay trend > plain 2> errors
    [ ! -s errors ]
}

@test "a level without noise predicts itself" {
    { for _ in 1 2 3 4 5 6; do echo 0.01; done; for _ in 1 2 3 4 5 6; do echo 0.015; done; } > s.txt
    assay trend --samples s.txt > out
    grep -q "1 change" out
    run grep -c "outside of what" out
    [ "$output" = 0 ]
}

@test "store: where no change was found the sentence says that, and not that there is none" {
    for v in $(seq 12); do
        awk -v v="$v" 'BEGIN { srand(v); print "route,ms"; for (i = 0; i < 9; i++) printf "a,%.3f\n", 8 + 0.2 * rand() }' > "v$v.csv"
        assay import "v$v.csv" --by route --column ms --agent steady --version "$v" > /dev/null
    done
    assay trend ms --agent steady --json | jq -e '.series[0] | .change_points == [] and
        (.sentence | test("^No change of ms was found in 12 points"))'
}

@test "a window that no run falls into has no history" {
    assay run -q -n 2 -c true > /dev/null
    sleep 1.1
    run assay trend duration_s --since 1s
    echo "$output"
    [ "$status" -le 2 ]
    [[ $output != *"runtime error"* && $output != *change* ]]
}
