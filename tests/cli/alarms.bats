#!/usr/bin/env bats
# ack, mute and the detector's own record.
load ../helper
load ../serve

teardown() { end_serve || true; }

# version VERSION SECONDS: one agent whose time is planted.
version() {
    cat > suite.yaml <<SPEC
suite: {id: arith, category: comprehensive}
agents: [{id: calc, version: "$1", process: {command: [sh, -c, 'read x; echo \$((x*2))']}}]
benchmarks:
  - id: doubles
    cases: [$(for i in 1 2 3 4 5 6 7 8 9 10; do printf "{input: '%d', expected: '%d'}, " $i $((i * 2)); done)]
    rubric: [{check: exact, weight: 1}]
    metrics_measured: [duration_s, accuracy]
    iterations: {warmup: 0, measured: 2}
SPEC
    assay run --quiet suite.yaml
    plant "$2"
}

@test "a muted alarm is named and fails nothing, in regressions and in the gate, until it ends" {
    version 1 0.002
    version 2 0.02
    echo '{policy: merge, block: [{slower_than: 10 %}]}' > gate.yaml
    run assay regressions --agent calc
    [ "$status" = 1 ]
    [[ $output == *$'\n           alarm 1\n'* ]]
    # What got worse is a sentence for people: no key, no rule.
    [[ ${lines[1]} =~ ^calc\ 2\ got\ worse:\ duration\ on\ doubles\ by\ [0-9]+\ %\ \[[0-9]+\ %,\ [0-9]+\ %\],\ from\ [0-9.]+\ ms\ to\ [0-9.]+\ ms\;\ 10\ cases$ ]]
    [ "$(assay regressions --agent calc --json | jq -r .sentence)" = "${lines[1]}" ]
    fails_with 1 "blocked" assay gate gate.yaml --agent calc
    assay mute 1 --reason 'known, ticket 7' --expires 30d --by ann --json > marked
    jq -e '.schema == "assay.marked/1" and (.alarms | length == 1) and .alarms[0].muted_by == "ann"' marked
    assay regressions --agent calc > text
    grep -q '^calc 2 against version 1: healthy. 1 regression (1 muted or judged false)' text
    grep -Eq 'alarm 1: muted until 20..-..-.. by ann \(known, ticket 7\)' text
    assay regressions --agent calc --json | jq -e '.quiet == 1 and .has_regressions and
        .sentence == "Nothing of calc 2 was found to be worse but what is muted or was judged false" and
        (.regressions[0] | .quiet and .alarm.muted_reason == "known, ticket 7")'
    assay gate gate.yaml --agent calc --junit j.xml --markdown m.md --annotations > text
    grep -Eq '^calc 2: passed \(merge; 0 block, 0 alert, 0 undecided, 1 muted, 1 checks\)' text
    grep -Eq '^  muted +block .*; alarm 1: muted until 20.*known, ticket 7' text
    grep -q '^::notice' text
    [ "$(grep -c '<failure' j.xml)" = 0 ]
    grep -q 'failures="0" skipped="1"' j.xml
    grep -q '| muted (block) |' m.md
    assay gate gate.yaml --agent calc --json | jq -e '.muted == 1 and .checks[0].state == "muted" and
        .checks[0].alarm.id == 1'
    # It ends by itself, and by hand.
    sqlite3 .assay/assay.db "UPDATE alarms SET muted_until = '2026-01-01T00:00:00.000Z'"
    fails_with 1 "" assay regressions --agent calc
    fails_with 1 "" assay gate gate.yaml --agent calc
    assay mute --agent calc --reason again
    assay regressions --agent calc --quiet | grep -qx healthy
    assay mute 1 --clear
    fails_with 1 "" assay regressions --agent calc
}

@test "the alarm of all cells together is one, whichever comes first, and muting it opens the gate" {
    for v in 1 2; do
        cat > suite.yaml <<SPEC
suite: {id: two, category: comprehensive}
agents: [{id: calc, version: "$v", process: {command: [cat]}}]
metrics_measured: [duration_s, accuracy]
iterations: {warmup: 0, measured: 2}
benchmarks:
  - {id: alpha, cases: [$(for i in 1 2 3 4 5 6 7 8 9 10; do printf "{input: '%d', expected: '%d'}, " $i $i; done)]}
  - {id: omega, cases: [$(for i in 21 22 23 24 25 26 27 28 29 30; do printf "{input: '%d', expected: '%d'}, " $i $i; done)]}
SPEC
        assay run --quiet suite.yaml
        plant 0.00$((v * 2)) 0.00$((v * 3))
    done
    echo '{policy: merge, block: [{slower_than: 10 %}]}' > gate.yaml
    fails_with 1 "" assay regressions --agent calc
    fails_with 1 "" assay regressions latest
    [ "$(assay regressions --stats --json | jq '.alarms | length')" = 3 ]
    assay regressions --stats | grep -q 'calc 2 on all its cells: duration_s, whole'
    fails_with 1 "" assay gate gate.yaml latest --baseline 1
    assay mute --agent calc --reason known
    assay regressions latest
    for which in "latest --baseline 1" "--agent calc"; do
        assay gate gate.yaml $which > text
        grep -Eq 'passed \(merge; 0 block, 0 alert, 0 undecided, 3 muted' text
    done
    # One that is not quiet goes on failing.
    assay mute 1 --clear
    fails_with 1 "" assay gate gate.yaml latest --baseline 1
}

@test "what is said of one version is not said of the next" {
    version 1 0.002
    version 2 0.02
    fails_with 1 "" assay regressions --agent calc
    assay ack 1 --false --reason 'a busy machine'
    assay regressions --agent calc | grep -q 'judged false on .* (a busy machine)'
    version 3 0.2
    fails_with 1 "" assay regressions --agent calc
    assay regressions --stats --json | jq -e '[.alarms[] | [.agent_version, .judgement]] ==
        [["3", null], ["2", "false"]]'
    assay regressions --stats --agent calc@2 --json | jq -e '[.alarms[].agent_version] == ["2"]'
    id=$(assay agents --all --json | jq -r '.agents[] | select(.name == "calc").id')
    assay regressions --stats --agent "$id" --json | jq -e '.alarms | length == 2'
    # A real one goes on failing until it is fixed or muted.
    assay ack --version 3 --agent calc --real
    fails_with 1 "" assay regressions --agent calc
    # Other workspaces know nothing of it.
    assay run --quiet suite.yaml --workspace other
    [ "$(assay regressions --stats --workspace other --json | jq .count)" = 0 ]
    fails_with 2 "no alarm 1" assay ack 1 --real --workspace other
}

@test "the detector's record: nothing from nothing, then precision and time to detect with n" {
    version 1 0.002
    assay regressions --stats | grep -q '^no alarm has been raised yet: .assay regressions. '
    version 2 0.02
    fails_with 1 "" assay regressions --agent calc
    assay regressions --stats --json > out
    jq -e '.count == 1 and .unjudged == 1 and .precision == {"estimate":null,"low":null,"high":null} and
        .detect_s == {"median":null,"low":null,"high":null}' out
    assay regressions --stats | grep -q '^none of 1 alarm has been judged: `assay ack'
    # Eight real ones, reported 1 to 8 hours after their version first ran, and two false ones.
    for i in 2 3 4 5 6 7 8 9 10; do
        sqlite3 .assay/assay.db "INSERT INTO alarms SELECT $i, workspace_id, agent_id, benchmark_id,
            cell, metric, rule, '$i', execution_id, severity, amount, runs, changed_at, raised_at,
            last_at, judgement, judged_reason, judged_by, judged_at, muted_until, muted_reason,
            muted_by, muted_at FROM alarms WHERE id = 1"
    done
    sqlite3 .assay/assay.db "UPDATE alarms SET changed_at = '2026-11-01T00:00:00.000Z',
        raised_at = '2026-11-01T0' || (id % 10) || ':00:00.000Z', runs = id"
    assay ack --quiet 1 2 3 4 5 6 7 8 --real
    assay ack --quiet '#9' 10 --false
    assay regressions --stats --json > out
    jq -e '.real == 8 and .false == 2 and .unjudged == 0 and .confidence == 0.95' out
    # Wilson's interval of 8 in 10, by R: prop.test(8, 10, correct = FALSE)
    jq -e '.precision | .estimate == 0.8 and (.low - 0.4901625 | fabs < 1e-6) and
        (.high - 0.9433178 | fabs < 1e-6)' out
    # Order statistics 1 and 8 of 8 enclose the median with 99.2 %, 2 and 7 with 93.0 %.
    jq -e '.detect_s == {"median":16200,"low":3600,"high":28800} and .detect_runs.median == 4.5' out
    assay regressions --stats | head -1 | grep -q '^8 of 10 judged alarms were real: precision 80 % \[49 %, 94 %\]; .*(medians of 8); 0 not judged'
    assay ack 1 --clear
    assay regressions --stats --agent calc --json | jq -e '.real == 7 and .unjudged == 1 and .agent == "calc"'
}

@test "alarms travel in bundles, and ack and mute refuse what they cannot do" {
    version 1 0.002
    version 2 0.02
    fails_with 1 "" assay regressions --agent calc
    assay ack --quiet 1 --real --reason indeed
    assay export --quiet --bundle b.assay
    assay import --quiet b.assay --store other.db
    assay regressions --stats --store other.db --json | jq -e '.alarms[0].judged_reason == "indeed"'
    fails_with 2 "one of --real, --false and --clear" assay ack 1
    fails_with 2 "one of --real, --false and --clear" assay ack 1 --real --false
    fails_with 2 "needs --reason" assay mute 1
    fails_with 2 "takes numbers" assay mute calc --reason x
    fails_with 2 "needs an alarm" assay ack --real
    fails_with 2 "no alarm 7" assay ack 7 --real
    fails_with 2 "no agent 'nobody'" assay ack --agent nobody --real
    fails_with 2 "no alarm 2" assay ack 1 2 --false
    assay regressions --stats --json | jq -e '.alarms[0].judgement == "real"'
    fails_with 2 "takes no run" assay regressions --stats latest
}

# forge KEY VALUE: b.assay as forged.assay, its alarm muted, with that in it, and every checksum right.
forge() {
    python3 - "$@" <<'PY'
import gzip, hashlib, json, sys
lines = gzip.open("b.assay").read().decode().splitlines()
head, rows = json.loads(lines[0]), [json.loads(l) for l in lines[1:]]
count = head["baselines"]["rows"]
for r in rows[-count:]:
    if "alarms" in r: r["alarms"].update({"muted_until": "2999-01-01T00:00:00.000Z", sys.argv[1]: sys.argv[2]})
text = lambda rows: "".join(json.dumps(r, separators=(",", ":"), ensure_ascii=False) + "\n" for r in rows)
head["baselines"]["sha256"] = hashlib.sha256(text(rows[-count:]).encode()).hexdigest()
open("forged.assay", "wb").write(gzip.compress((json.dumps(head) + "\n" + text(rows)).encode()))
PY
}

@test "nobody mutes in advance or for others by a bundle" {
    version 1 0.002
    version 2 0.02
    fails_with 1 "" assay regressions --agent calc
    assay export --quiet --bundle b.assay
    is=$(sqlite3 .assay/assay.db 'SELECT agent_version FROM alarms LIMIT 1')
    forge agent_version "$is"
    assay import --quiet forged.assay --store sqlite:own.db
    [ "$(sqlite3 own.db "SELECT count(*) > 0 FROM alarms WHERE muted_until > '2900'")" = 1 ]
    other=$(sqlite3 .assay/assay.db "SELECT id FROM benchmark_executions WHERE agent_version = '1'")
    for what in "agent_version 3${is#2}" "agent_version " "execution_id $other" \
        "execution_id nothing" "benchmark_id $other" "agent_id $other"; do
        forge "${what%% *}" "${what#* }"
        fails_with 2 "a row of alarms does not belong where the bundle has it" assay import forged.assay --store sqlite:other.db
    done
    forge workspace_id "$other"
    fails_with 2 "of another workspace" assay import forged.assay --store sqlite:other.db
    [ "$(sqlite3 other.db 'SELECT count(*) FROM alarms')" = 0 ]
    fails_with 2 "of another workspace" assay import b.assay --workspace team --store sqlite:other.db
}

@test "the API takes the same answers: with a reason, of an alarm that exists, by a token's name" {
    version 1 0.002
    version 2 0.02
    fails_with 1 "alarm 1" assay regressions --agent calc
    token=$(assay tokens new --quiet --role run ann)
    serve
    say() { curl -sS -o body -w '%{http_code}' -X POST -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -d "$2" "$URL/benchmarks/regressions/$1"; }
    [ "$(say 1/mute '{}')" = 400 ]
    jq -e '.errors[0].name == "reason" or (.detail | length > 0)' body
    [ "$(say 7/mute '{"reason": "no"}')" = 404 ]
    [ "$(say 1/acknowledge '{"judgement": "perhaps", "reason": "x"}')" = 400 ]
    [ "$(say 1/acknowledge '{"judgement": "false", "reason": "a busy machine"}')" = 200 ]
    jq -e '.schema == "assay.marked/1" and (.alarms[0] | .judgement == "false" and .judged_by == "ann")' body
    [ "$(say 1/mute '{"reason": "known", "expires": "30d"}')" = 200 ]
    assay regressions --stats --json | jq -e '.false == 1 and .muted == 1 and .alarms[0].judged_reason == "a busy machine"'
    [ "$(say 1/acknowledge '{"clear": true}')" = 200 ]
    assay regressions --stats --json | jq -e '.unjudged == 1 and .muted == 1'
}

@test "a run that other work disturbed is nobody's baseline, unless it is named" {
    version 1 0.02
    version 2 0.002
    sqlite3 .assay/assay.db "UPDATE runs SET notes = '[{\"kind\":\"disturbed\",\"text\":\"other work\"}]'
        WHERE id = (SELECT max(id) FROM runs)"
    assay list --json | jq -e '[.runs[].disturbed] == [true, false]'
    version 3 0.02
    assay regressions --agent calc | grep -q '^calc 3 against version 1: '
    fails_with 1 "calc 3 against version 2: critical" assay regressions --agent calc --baseline 2
}

@test "leaderboard --stale --fail tells cron that an agent has no recent result" {
    version 1 0.002
    assay leaderboard --stale 30d --fail > /dev/null
    assay leaderboard --stale 30d | grep -q .
    sqlite3 .assay/assay.db "INSERT INTO agents (id, workspace_id, name, is_registered)
        SELECT '00000000-0000-0000-0000-000000000001', id, 'idle', 1 FROM workspaces"
    fails_with 1 "not: idle, never" assay leaderboard --stale 30d --fail
    fails_with 2 "goes with --stale" assay leaderboard --fail
    # Only of what is asked for: a result of another suite does not make an agent recent.
    assay leaderboard --stale 30d --fail --agent calc --suite arith > /dev/null
    sqlite3 .assay/assay.db "DELETE FROM agents WHERE name = 'idle'"
    sed 's/id: arith/id: other/; s/id: calc/id: busy/' suite.yaml > other.yaml
    assay run -q other.yaml
    assay leaderboard --stale 30d --fail > /dev/null
    fails_with 1 "not: busy, never" assay leaderboard --stale 30d --fail --suite arith
    fails_with 1 "not: calc, never" assay leaderboard --stale 30d --fail --agent calc@9
    fails_with 1 "1 of 2 agents" assay leaderboard --stale 30d --fail --suite other
    # A name that nobody has is a slip, and no reason to say that all is well.
    fails_with 2 "no agent 'clac'" assay leaderboard --stale 30d --fail --agent clac
    fails_with 2 "no suite 'arit'" assay leaderboard --stale 30d --fail --suite arit
}

@test "a version with a real alarm is nobody's baseline until it is muted; an open one is named" {
    echo '{policy: merge, block: [{slower_than: 10 %}]}' > gate.yaml
    version 1 0.002
    version 2 0.01
    fails_with 1 "alarm 1" assay regressions --agent calc
    version 3 0.01
    # Nobody judged it: it is what the next one is compared with, and that is said.
    assay gate gate.yaml --agent calc > text
    grep -Eq 'than version 2: passed' text
    grep -Eq 'the baseline has an alarm that is open \(alarm 1, duration_s worse by [0-9.]+ %; the version before it: version 1\)' text
    assay regressions --agent calc --json | jq -e '[.notes[] | select(contains("assay ack 1 --real"))] | length == 1'
    assay ack 1 --real
    fails_with 1 "than version 1: violated" assay gate gate.yaml --agent calc
    [[ $output == *"version 2 was passed over as baseline, as it is known to be worse (alarm 1, duration_s worse by "* ]]
    fails_with 1 "alarm 2" assay regressions --agent calc
    # The same again in the next version, whether that alarm was judged or not.
    version 4 0.01
    fails_with 1 "than version 1: violated" assay gate gate.yaml --agent calc
    # A baseline that is named is used as it is.
    assay gate gate.yaml --agent calc --baseline 3 | grep -q 'than version 3: passed'
    # Muted: accepted.
    assay mute 2 --reason accepted
    assay gate gate.yaml --agent calc | grep -q 'than version 3: passed'
    assay mute 2 --clear
    fails_with 1 "alarm 3" assay regressions --agent calc
    # Mended: passed, against the last that was good.
    version 5 0.002
    assay gate gate.yaml --agent calc | grep -q 'than version 1: passed'
}
