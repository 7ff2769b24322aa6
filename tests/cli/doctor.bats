#!/usr/bin/env bats
# doctor: checks with advice, and an A/A test through the real runner.
load ../helper

@test "doctor: every key of assay.doctor/1; it leaves nothing behind" {
    begin=$SECONDS
    TMPDIR=$PWD assay doctor --json > out
    within 10 "$begin"
    [ "$(ls)" = out ]
    [ "$(jq -c 'keys_unsorted' out)" = '["schema","warnings","checks","noise"]' ]
    [ "$(jq -c '[.checks[]|keys_unsorted]|unique' out)" = \
        '[["name","status","value","advice"]]' ]
    [ "$(jq -c '.noise[0]|keys_unsorted' out)" = '["workload","sessions","pairs","median_s",'\
'"cv","session_spread","floor","aa","mde"]' ]
    jq -e '.warnings == ([.checks[] | select(.status == "warning")] | length)' out
    jq -e '[.checks[] | select(.status == "warning") | .advice | length > 0] | all' out
    for name in cpus load governor turbo thermal "clock source" "clock read" virtualisation \
        ASLR swap "perf counters" cgroup "disk sync"; do
        jq -e --arg name "$name" '[.checks[].name] | index($name)' out > /dev/null ||
            { echo "no check of $name"; false; }
    done
    jq -e '[.noise[].workload] == ["spin","command"]' out
    jq -e '[.noise[] | .pairs == 300 and .aa.blocks == 30 and .floor >= 0] | all' out
    jq -e '[.noise[] | .mde | [.[].n] == [10,30,100] and .[0].relative > .[2].relative] | all' out
}

@test "doctor: in words" {
    run assay doctor --sessions 1
    [ "$status" = 0 ]
    [[ $output == *"clock read"*" ns (CLOCK_MONOTONIC_RAW)"* ]]
    [[ $output == *"A/A test, spin"*"noise floor"*"with 100 trials a side"* ]]
    [[ $output == *"A/A test, command"* ]]
    run assay doctor --checks-only
    [[ $output != *"A/A test"* ]]
    fails_with 2 "--sessions must be at least 1 (is 0)" assay doctor --sessions 0
    fails_with 2 "takes no arguments" assay doctor please
}
