#!/usr/bin/env bats
# assay run: plans, turns, warm-up, until, jobs, resume, the event stream.
load ../helper

# The number of events of one kind in a stream on standard input.
events() { grep -c "\"event\":\"$1\"" || true; }

@test "every planned trial is announced, in the order of the stream" {
    assay run -n 7 -w 2 --json -- true > stream
    [ "$(events run_started < stream)" = 1 ]
    [ "$(events warmup < stream)" = 2 ]
    [ "$(events iteration < stream)" = 7 ]
    [ "$(events run_finished < stream)" = 1 ]
    jq -e . stream > /dev/null
    [ "$(jq -r 'select(.event=="iteration").iteration' stream | tr '\n' ' ')" = "0 1 2 3 4 5 6 " ]
    [ "$(jq -r 'select(.event=="iteration").metrics.duration_s > 0' stream | sort -u)" = true ]
}

@test "a cell's end, and its progress, tell what the report says of it" {
    assay run -n 12 --json -c true -c 'sleep 0.05' > stream
    assay show latest --json | jq -c '.cells[] | .trials.attempted as $a | .metrics[] | select(.name == "duration_s") |
        {attempted: $a, n, median, low: .median_low, high: .median_high}' > report
    jq -c 'select(.event == "cell_finished") | {attempted, n, median, low, high}' stream > told
    cmp report told
    jq -se 'map(select(.event == "cell_finished")) | all(.metric == "duration_s" and .unit == "s" and .right == null)' stream
    jq -se 'map(select(.event == "progress")) | length > 0 and all(.trials_planned == 24 and .attempted <= 12 and .n <= .attempted)' stream
}

@test "arms take turns: none runs twice before the others have run" {
    assay run -n 6 --json -c true -c 'true 2' -c 'true 3' > stream
    jq -r 'select(.event=="iteration") | "\(.start_s) \(.iteration) \(.arm)"' stream |
        sort -n | awk '{ if ($2 != round && NR > 1 && n != 3) exit 1
                         if ($2 != round) { n = 0; round = $2 } n++ }'
    order=$(jq -r 'select(.event=="iteration") | "\(.start_s) \(.arm)"' stream | sort -n |
        awk '{printf "%s", $2}')
    [[ $order != 012012012012012012 ]]
}

@test "a sweep of more arms than can take turns is several groups, and all of it is run" {
    printf 'experiment: spin\nsweep: {rounds: [%s]}\n' "$(seq -s, 1 70)" > long.yaml
    assay run long.yaml --json > stream
    [ "$(events iteration < stream)" = 70 ]
    [ "$(events cell_finished < stream)" = 70 ]
    assay run long.yaml -q > /dev/null
    assay regressions --json > regressions.json
    [ "$(jq .cells regressions.json)" = 70 ]
}

@test "--interleave no: one after the other" {
    assay run -n 4 --interleave no --json -c true -c 'true 2' > stream
    [ "$(jq -r 'select(.event=="iteration") | "\(.start_s) \(.cell)"' stream | sort -n |
        awk '{printf "%s", $2}')" = 00001111 ]
}

@test "until: enough when precise, and never more than the limit" {
    # It waits rather than works: a busy machine does not double what it takes.
    echo '{experiment: command, params: {command: [sleep, "0.05"]},
           until: {relative_ci: 1, max_iterations: 500}}' > s.yaml
    assay run s.yaml --json > stream
    [ "$(events iteration < stream)" = 10 ]
    echo '{experiment: spin, params: {rounds: 20000, jitter: 0.3},
           until: {relative_ci: 0.000001, max_iterations: 45}}' > s.yaml
    assay run s.yaml --json > stream
    [ "$(events iteration < stream)" = 45 ]
}

@test "until: seconds end it too" {
    echo '{experiment: command, params: {command: [sleep, "0.01"]},
           until: {relative_ci: 0.000001, max_iterations: 100000, max_seconds: 0.2}}' > s.yaml
    assay run s.yaml --json > stream
    n=$(events iteration < stream)
    [ "$n" -ge 2 ]
    [ "$n" -le 21 ]
}

@test "warm-up until steady ends, and says where" {
    echo '{experiment: spin, params: {work_us: 100}, iterations: {warmup: steady, measured: 3}}' > s.yaml
    assay run s.yaml --json > stream
    n=$(events warmup < stream)
    [ "$n" -ge 10 ]
    [ "$n" -le 500 ]
    run assay show --explain
    [[ $output == *steady* ]]
}

@test "instruments that look from outside give their numbers, and a curve" {
    echo '{experiment: command, params: {command: "sleep 0.08"}, iterations: {warmup: 1, measured: 3},
           instrumentation: [{name: psutil, interval_ms: 10}]}' > s.yaml
    assay run s.yaml --json --out results > stream
    [ "$(jq -r 'select(.event=="iteration").metrics.rss_mean_mb > 0' stream | sort -u)" = true ]
    [ "$(jq -r 'select(.event=="iteration").metrics.samples >= 3' stream | sort -u)" = true ]
    [ "$(find results -name '*.jsonl' | wc -l)" = 3 ]
}

@test "an instrument that this machine lacks: exit 3 and why, unless it is optional" {
    command -v nvidia-smi > /dev/null && skip "this machine has a GPU"
    echo '{experiment: noop, instrumentation: [gpu]}' > s.yaml
    run assay run s.yaml
    [ "$status" = 3 ]
    [[ $output == *nvidia* ]]
    echo '{experiment: noop, instrumentation: [{name: gpu, optional: true}]}' > s.yaml
    assay run s.yaml
}

@test "seeded sweeps: no id is shared, no result is overwritten" {
    echo '{experiment: noop, sweep: {}, seed: 42}' > s.yaml
    echo '{experiment: spin, params: {work_us: 1}, seed: 42, output_dir: out,
           sweep: {jitter: [0, 0.1, 0.2, 0.3, 0.4, 0.5]}}' > s.yaml
    for _ in 1 2 3; do assay run s.yaml --quiet & done
    wait
    [ "$(ls out | wc -l)" = 3 ]
    [ "$(find out -name 'cell-*.json' | wc -l)" = 18 ]
    [ "$(cat out/*/cell-*.json | jq -r .assay.execution_id | sort -u | wc -l)" = 18 ]
    [ "$(cat out/*/cell-*.json | jq -r .run_id | sort -u | wc -l)" = 3 ]
}

@test "the same seed gives the same work, whatever the order and the jobs" {
    echo '{experiment: spin, params: {rounds: 1000, jitter: 0.5}, seed: 5,
           iterations: {measured: 4}, sweep: {rounds: [1000, 2000, 3000]}}' > s.yaml
    assay run s.yaml --json | jq -c 'select(.event=="iteration") | [.cell, .iteration, .metrics.rounds]' |
        sort > a
    assay run s.yaml --json --jobs 3 --interleave no 2> /dev/null |
        jq -c 'select(.event=="iteration") | [.cell, .iteration, .metrics.rounds]' | sort > b
    cmp a b
    [ "$(wc -l < a)" = 12 ]
}

@test "--jobs says that groups disturb each other" {
    echo '{experiment: noop, sweep: {}, iterations: {measured: 2}}' > s.yaml
    echo '{experiments: [{experiment: noop}, {experiment: noop, seed: 1}]}' > s.yaml
    run assay run s.yaml --jobs 2
    [ "$status" = 0 ]
    [[ $output == *"disturb each other"* ]]
}

@test "Ctrl-C stores what is done and says how to go on; --resume completes it" {
    echo '{experiment: command, params: {command: "echo >> carried_out; exec sleep 0.0501"},
           iterations: {measured: 12}}' > s.yaml
    "$ASSAY_BIN" run s.yaml --json > stream 2> err &
    pid=$!
    until [ "$(events iteration < stream)" -ge 3 ]; do sleep 0.01; done
    kill -INT $pid
    status=0; wait $pid || status=$?
    [ "$status" = 130 ]
    grep -q 'To continue: assay run s.yaml --resume' err
    "$ASSAY_BIN" run -n 40 -- sleep 0.0503 2> err &
    pid=$!
    sleep 1
    kill -9 $pid
    wait $pid || true
    [[ $(assay list -n 1) == *killed* ]]
    [[ $(assay show 2>&1) == *"was killed"* ]]
    assay forget latest --quiet
    [ "$(jq -r 'select(.event=="run_finished").status' stream)" = partial ]
    assay run s.yaml --json --resume > rest
    [ $(($(events iteration < stream) + $(events iteration < rest))) = 12 ]
    [ "$(jq -r 'select(.event=="run_started").run_id' stream rest | sort -u | wc -l)" = 1 ]
    [ "$(jq -r 'select(.event=="run_finished").status' rest)" = success ]
    # What is stored is not carried out again; what Ctrl-C met is.
    [ "$(wc -l < carried_out)" -ge 12 ]
    [ "$(wc -l < carried_out)" -le 13 ]
    run pgrep -f 'sleep 0.0501'
    [ "$status" = 1 ]
}

@test "a run that was killed: list, show and --resume say what there is and what changed" {
    echo '{experiment: command, params: {command: sleep 0.0505}, iterations: {measured: 40}}' > s.yaml
    "$ASSAY_BIN" run s.yaml --json > stream 2> err &
    pid=$!
    until [ "$(events iteration < stream)" -ge 1 ]; do sleep 0.01; done
    kill -9 $pid
    wait $pid || true
    [ "$(assay list --json | jq -r '.runs[0].status')" = killed ]
    [ "$(assay report --format json | jq -r '.run.status, .cells[0].status' | sort -u)" = killed ]
    for format in text markdown html; do
        [[ $(assay report --format $format) == *killed* ]]
        [[ $(assay report --format $format) != *running* ]]
    done
    [[ $(assay show 2>&1) == *"assay run s.yaml --resume"* ]]
    [[ $(assay show --reproduce 2> /dev/null) != *"changed since"* ]]
    sed -i s/40/41/ s.yaml
    [[ $(assay show --reproduce 2> /dev/null) == *"# not here, or changed since: s.yaml"* ]]
    fails_with 2 "no unfinished run of 's.yaml' with this text and these options is in the store; run" \
        assay run s.yaml --resume
    fails_with 2 "--resume goes after the spec or the command" assay run --resume s.yaml
}

@test "a command given like a spec file is told how commands are given" {
    fails_with 2 "'sleep 0.02' is neither a spec file nor a registered suite; a command is timed with -c 'sleep 0.02', or after --" \
        assay run 'sleep 0.02' 'sleep 0.03'
    fails_with 2 "cannot open 'nowhere.yaml'" assay run nowhere.yaml
}

@test "the cells of a sweep can be told apart in a table of 80 columns" {
    assay run -n 1 -L n 1,2,3,4,5,6,7 -c 'exit 0 && echo a command that has a rather long line {n}' \
        2> /dev/null | grep -o '^exit 0 .* [1-7] ' > labels
    [ "$(sort -u labels | wc -l)" = 7 ]
}

@test "progress is shown from the start, and what is left does not grow while waiting" {
    script -qec "TERM=xterm '$ASSAY_BIN' run -n 2 -c 'sleep 0.4'" /dev/null | tr '\r' '\n' > log
    grep -q 'trial 0/2 .* so far' log
    grep -o 'trial 1/2 .* about .* ms left' log | grep -o '[0-9.]* ms left' > left
    sort -rnc left
}

@test "--resume refuses a changed spec, and a finished run" {
    echo '{experiment: noop, iterations: {measured: 2}}' > s.yaml
    assay run s.yaml --quiet
    id=$(assay list --json | jq -r '.runs[0].id // .[0].id' 2> /dev/null | head -1)
    run assay run s.yaml --resume
    [ "$status" = 2 ]
    [[ $output == *"no unfinished run"* ]]
    run assay run s.yaml --resume "$id"
    [ "$status" = 2 ]
    [[ $output == *"has finished"* ]]
    echo '{experiment: noop, iterations: {measured: 3}}' > s.yaml
    run assay run s.yaml --resume "$id"
    [ "$status" = 2 ]
    [[ $output == *"spec has changed"* ]]
}

@test "the one-liner is a spec: saved, it runs the same" {
    assay run --quiet -n 3 -w 1 -L x 1,2 --save-spec one.yaml -- sleep '0.00{x}'
    assay check one.yaml > /dev/null
    assay run one.yaml --json > stream
    [ "$(events iteration < stream)" = 6 ]
    [ "$(events warmup < stream)" = 2 ]
}

@test "reports are written by their file's ending" {
    assay run --quiet -n 3 --report r.html --report r.md --report r.csv --report r.json -- true
    grep -q '<svg' r.html
    jq -e .schema r.json > /dev/null
    [ -s r.md ]
    [ -s r.csv ]
    run assay run -n 1 --report r.xyz -- true
    [ "$status" = 2 ]
}

@test "a spec that is not there, and no store to look for its name: exit 2, not a crash" {
    run assay run nowhere.yaml
    [ "$status" = 2 ]
    [[ $output == *nowhere.yaml*"No such file"* ]]
}

@test "we step back for trials of our own, and commands run as the shell would run them" {
    policy() { sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 39; }
    assay run -q -n 1 -- sh -c "sed 's/.*) //' /proc/self/stat | cut -d ' ' -f 39 > $PWD/mine" > /dev/null
    [ "$(cat mine)" = "$(policy self)" ]
    [ "$(policy self)" = 0 ] || skip "another scheduling policy"
    echo '{experiment: spin, params: {rounds: 1000000}, iterations: {measured: 100000}}' > s.yaml
    "$ASSAY_BIN" run s.yaml --json > stream 2> /dev/null &
    pid=$!
    until [ "$(events iteration < stream)" -ge 1 ]; do sleep 0.01; done
    theirs=$(policy $pid)
    kill -9 $pid
    wait $pid || true
    [ "$theirs" = 3 ]
}

@test "the peak of a program of 2 MB is what time(1) says of it" {
    [ -z "$ASSAY_SAN" ] || skip "a sanitized keeper is not small"
    for _ in $(seq 31); do
        command time -f %M dd if=/dev/zero of=/dev/null bs=400K count=1 status=none
    done 2> theirs
    assay run -q -n 31 -- dd if=/dev/zero of=/dev/null bs=400K count=1 status=none
    sort -n theirs | awk 'NR == 16 { printf "%.6f\n", $1 * 1024 / 1e6 }' > their_mb
    assay report --format json |
        jq '.cells[0].metrics[] | select(.name == "memory_peak_mb").median' > our_mb
    echo "ours $(cat our_mb) MB, theirs $(cat their_mb) MB"
    awk '{ getline theirs < "their_mb"; exit !($1 > 0.94 * theirs && $1 < 1.06 * theirs) }' our_mb
}

@test "a terminal gets one line that is written over, with estimate and time left" {
    command -v script > /dev/null || skip "no script(1), package bsdutils"
    TERM=xterm script -qec "stty cols 70; '$ASSAY_BIN' run -n 60 -- sleep 0.01" /dev/null > seen < /dev/null
    tr '\r' '\n' < seen | grep "^$(printf '\033')\[K\[1/1\] sleep 0.01  trial " > live
    grep -Eq 'trial [0-9]+/60  1[0-9.]+ ms ± [0-9.]+ %  about .* left$|trial [0-9]+/60  .*…$' live
    [ "$(awk 'length($0) > 74' live | wc -l)" = 0 ]
    # taken away before the result comes
    grep -q 'duration_s' seen
    [ "$(tr '\r' '\n' < seen | sed -n '/duration_s/,$p' | grep -c 'trial [0-9]*/60')" = 0 ]
    TERM=dumb script -qec "'$ASSAY_BIN' run -n 60 -- sleep 0.01" /dev/null > plain < /dev/null
    [ "$(grep -c 'trial [0-9]*/60' plain)" = 0 ]
}

@test "a long parameter leaves every line of the stream whole" {
    printf 'experiment: command\nparams: {command: ["true", "%s"]}\n' "$(printf '%0100000d' 0 | sed 's/0/\\a\\a/g')" > s.yaml
    assay run s.yaml --json > stream 2> said || true
    jq -es '[.[].event] | index("cell_started") != null and .[-1] == "run_finished"' stream
    [ "$(wc -c < stream)" -gt 1048576 ]
    [ "$(grep -c "$(printf '\a')" said)" = 0 ]
}

@test "a command longer than a spec may be is said" {
    long=$(printf '%0100000d' 7)
    fails_with 2 "the command is longer than a spec may be (512 kB): put it into a script" \
        assay run -n 1 -- true "$long" "$long" "$long" "$long" "$long" "$long"
}

@test "a resumed run knows the peak and the processor time of what came before" {
    echo '{experiment: command, params: {command: ["true"]}, iterations: {measured: 3}}' > a.yaml
    ASSAY_FAULT=fold:1:kill assay run a.yaml || true
    assay run a.yaml --resume latest --quiet
    [ "$(sqlite3 .assay/assay.db "SELECT trials_attempted, memory_peak_mb > 0, cpu_usage_percent > 0 FROM benchmark_executions WHERE status = 'success'")" = "3|1|1" ]
}

@test "until: what is profiled is profiled after the time is over, too" {
    echo '{experiment: spin, until: {max_seconds: 0.2, max_iterations: 1000000}, instrumentation: [{name: profile, optional: true}]}' > a.yaml
    assay run a.yaml --json > stream 2> err
    if grep -q "without instrument 'profile'" err; then
        echo "# skip: $(cat err)" >&3
        return
    fi
    [ "$(jq -r 'select(.event=="profiled").status' stream | sort -u)" = ok ]
}

@test "what Ctrl-C says to type goes on with the same plan, and no other spec is begun" {
    echo '{experiment: command, params: {command: "exec sleep 0.0504"}}' > s.yaml
    cp s.yaml other.yaml
    "$ASSAY_BIN" run s.yaml other.yaml -n 12 --set 'env={A: "b c"}' --json > stream 2> err &
    pid=$!
    until [ "$(events iteration < stream)" -ge 3 ]; do sleep 0.01; done
    kill -INT $pid
    wait $pid || true
    [ "$(events run_started < stream)" = 1 ]
    again=$(sed -n 's/.*To continue: //p' err)
    [[ $again == "assay run s.yaml -n 12 --set 'env={A: \"b c\"}' --resume "* ]]
    PATH="${ASSAY_BIN%/*}:$PATH" sh -c "$again --json" > rest
    [ "$(($(events iteration < stream) + $(events iteration < rest)))" = 12 ]
    [ "$(sqlite3 .assay/assay.db 'SELECT group_concat(status) FROM runs')" = success ]
}

@test "--until that is not reached is said, in text, --explain and JSON" {
    assay run --until '{relative_ci: 0.000001, max_iterations: 12}' -- sleep 0.001 > text
    grep -q "until was not reached" text
    assay show --explain | grep -q "until was not reached"
    assay show --json | jq -e '.cells[0].notes | tostring | contains("until was not reached")'
    # Reached, it is not said.
    printf 'experiment: command\nparams: {command: [sleep, "0.2"]}\nuntil: {relative_ci: 1, max_iterations: 10}\n' > u.yaml
    assay run u.yaml > text
    [ "$(grep -c "until was not reached" text)" = 0 ]
}

@test "an option that is one for all commands is not given twice" {
    fails_with 2 "--prepare is given 2 times" assay run -n 1 -p true -p false -c true
    fails_with 2 "--setup is given 2 times" assay run -n 1 -s true -s false -c true
    assay run -n 1 -q -p 'touch prepared' -c true
    [ -e prepared ]
}

@test "-q: the result without progress" {
    assay run -q -n 3 -- true > out 2> err
    grep -q "3 of 3 ok" out
    [ ! -s err ]
}

@test "a run that compared the latest names it by its id" {
    assay run -q -n 12 -c true -c 'true ;'
    id=$(assay list --json | jq -r '.runs[0].id')
    assay compare latest:0 latest:1 --until-decided --budget 10 > /dev/null || true
    assay show --reproduce | grep -q "compare $id:0 $id:1"
    [ "$(assay show --reproduce | grep -c latest)" = 0 ]
}

@test "readers leave no files next to the store" {
    assay run -q -n 3 --store s.db -- true
    assay show --store s.db > /dev/null
    assay list --store s.db > /dev/null
    [ "$(ls s.db*)" = s.db ]
    fails_with 2 "there is no store at" assay list --store no/such/folder/x.db
    [ ! -e no ]
}

@test "a detached checkout in CI: the branch is the one that the service names" {
    git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
    git checkout -q --detach
    GITHUB_HEAD_REF=feature/x GITHUB_REF_NAME=12/merge assay run -q -n 1 -- true
    [ "$(assay show --json | jq -r '.run.vcs.branch // .vcs.branch')" = feature/x ]
    env -u GITHUB_HEAD_REF -u GITHUB_REF_NAME -u CI_COMMIT_REF_NAME "$ASSAY_BIN" run -q -n 1 -- true
    [ "$(assay show --json | jq -r '.run.vcs.branch // .vcs.branch')" = HEAD ]
}

@test "a command against itself: two names, one group, no verdict" {
    assay run -q -n 12 -c 'sleep 0.001' -c 'sleep 0.001' > /dev/null
    assay check - <<< '{"experiment":"command","sweep":{"command":["true","true"]}}' > out 2>&1 && false
    grep "sweeps over \"true\" twice" out
    assay compare latest --json > out
    jq -e '.cells[0] | .label == "sleep 0.001" and .label_b == "sleep 0.001 #2"' out
    jq -e '.rows[] | select(.primary) | .paired and .n == [12, 12]' out
    # The same numbers on both sides have no verdict, whatever the machine did meanwhile.
    sqlite3 .assay/assay.db "UPDATE series SET samples = (SELECT s.samples FROM series s WHERE s.metric = series.metric AND s.phase = series.phase ORDER BY s.rowid LIMIT 1)"
    assay compare latest --json | jq -e '[.rows[] | .verdict == "undecided" or .verdict == "equivalent"] | all'
}

@test "the label of -L is the command that was run" {
    assay run -n 1 -L n 1,2 -c 'sleep 0.00{n}' -c 'true {n}' --json > stream
    assay show --json | jq -r '.cells[].label' > labels
    printf '%s\n' 'sleep 0.001' 'sleep 0.002' 'true 1' 'true 2' | sort > wanted
    sort labels | cmp - wanted
    # A name of its own keeps the value beside it.
    assay run -n 1 -L n 1,2 --name nap -c 'sleep 0.00{n}' -q > /dev/null
    assay show --json | jq -r '.cells[].label' > labels
    printf '%s\n' 'nap, n=1' 'nap, n=2' | cmp - labels
}

@test "the least peak of memory is stored with the result, and --explain tells it" {
    assay run -q -n 3 -- true > out
    [ "$(grep -c "is at least" out)" = 0 ]
    assay show --explain | tr -s ' \n' ' ' | grep -q "memory_peak_mb is at least 0\.[0-9]* MB, the peak of the process that starts the program"
    floor=$(assay show --json | jq -r '.. | objects | .notes? | arrays | .[]' | grep -o 'at least [0-9.]*' | cut -d' ' -f3)
    # It is ours, of a few hundred kB, and no peak is below it.
    jq -en --argjson f "$floor" '$f > 0.1 and $f < 1.5'
    assay export latest --format csv | awk -F, -v f="$floor" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "memory_peak_mb") c = i} NR > 1 && c && $c + 0.0005 < f {exit 1}'
}

@test "a page is called by what was measured, and one comparison is told once" {
    assay run -q -n 5 -c 'sleep 0.001' -c true --report r.html --report r.md > text
    grep -q '<title>sleep 0.001, true</title>' r.html
    [ "$(grep -c 'Effect of parameters' r.html)" = 0 ]
    [ "$(grep -c 'Effect of parameters' r.md)" = 0 ]
    [ "$(grep -c '^## Comparison' r.md)" = 1 ]
    assay run -q -n 5 -L a 1,2 -L b 3,4 --report many.html -- echo {a}{b} > text
    grep -q '<title>echo 13, echo 1[34]*[^<]* and 1 more</title>' many.html
    grep -q 'Effect of parameters' many.html
}

@test "p95 and p99 are shown where there are values for them" {
    seq 1 200 | awk '{ printf "%s%s", (NR > 1) ? "," : "{\"results\":[{\"command\":\"c\",\"times\":[", $1 } END { print "]}]}" }' > h.json
    assay import -q h.json > /dev/null
    assay show | grep -q 'p95 190.0, p99 198.0'
    assay run -q -n 19 -- true > text
    [ "$(grep -c p95 text)" = 0 ]
}

@test "a command's level counts what was timed out, as the gate that judges it does" {
    # Every third of 12 trials takes longer than it may.
    run assay run -n 12 --quiet --time-limit 0.2 --name a -c \
        'c=$(cat k 2>/dev/null || echo 0); echo $((c + 1)) > k; [ $((c % 3)) != 2 ] || sleep 3'
    [ "$status" = 1 ]
    [[ $output == *"duration_s"*"∞]"* ]]
    echo '{policy: p, block: [{metric: duration_s, above: 0.1}]}' > g.yaml
    assay gate g.yaml --json > gate
    assay show --json > show
    jq -e '.checks[0] | .state == "undecided" and (.sentence | contains("∞ s], n = 12;"))' gate
    jq -e --slurpfile gate gate '[.. | objects | select(.name? == "duration_s" and has("level"))][0] |
        .level == $gate[0].checks[0].value and .level_n == 12 and .level_low < 0.1 and
        .level_high == null and .n == 8' show
    assay show --explain | tr -s ' \n' ' ' | grep -q '4 trials that were timed out'
}
