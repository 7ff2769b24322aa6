#!/usr/bin/env bats
# Two versions with identical results, one sample, no variance, NaN, other units:
# a clear answer from every command that judges, never a crash or a false verdict.
load ../helper

# version N VALUE...: a run of agent web, version N, with these latencies.
version() {
    local n=$1
    shift
    { echo route,latency_ms; printf '/a,%s\n' "$@"; } > "v$n.csv"
    assay import --quiet "v$n.csv" --by route --column latency_ms --agent web --version "$n"
}

# asked COMMAND...: it answers with an exit code of its own and says something.
asked() {
    run "$@"
    [ "$status" -le 4 ] || { echo "# exit $status: $*"; return 1; }
    [ -n "$output" ] || { echo "# nothing said: $*"; return 1; }
}

noise() { awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); for (i = 0; i < n; i++) print 10 + rand() }'; }

@test "identical results are never a regression, whatever their shape" {
    local shape n=0
    for shape in "11 11 11 11 11 11 11 11" "0 0 0 0 0 0 0 0" "-1 -2 -3 -1 -2 -3 -4 -5" \
        "1 1000 1 1000 1 1000 1 1000 1" "7" "7 8" "1e-300 2e-300 3e-300 1e-300 2e-300 4e-300" \
        "1 nan 2 3 nan 1 2 3" "0 0 0 0 0 0 0 5" "$(noise 1 6 | tr '\n' ' ')" "$(noise 2 60 | tr '\n' ' ')"; do
        rm -rf .assay
        # shellcheck disable=SC2086 # one word a value
        version 1 $shape
        # shellcheck disable=SC2086
        version 2 $shape
        assay regressions --agent web --threshold 0.000001 --json > out
        jq -e '.has_regressions == false and .regressions == [] and .improvements == []' out > /dev/null ||
            { echo "# $shape"; cat out; return 1; }
        verdict=$(assay compare latest~1 latest --quiet --metric latency_s)
        [[ $verdict == equivalent || $verdict == undecided ]] || { echo "# $shape: $verdict"; return 1; }
        n=$((n + 1))
    done
    [ "$n" = 11 ]
}

@test "one sample, no variance, NaN, no baseline: told, and by every command" {
    # shellcheck disable=SC2046
    version 1 $(noise 1 20)
    run assay regressions --agent web
    [ "$status" = 0 ]
    [[ $output == *"no earlier version"* ]]
    version 2 50
    assay regressions --agent web --json > out
    jq -e '.has_regressions == false and (.undecided[0].sentence | contains("one value"))' out
    version 3 11 nan 11.2 inf 10.5 nan 10.7
    assay regressions --agent web --baseline 1 --json > out
    jq -e '.has_regressions == false' out
    fails_with 2 "has no number in it" version 4 nan nan nan
    version 5 11 11 11 11 11 11 11 11
    version 6 13 13 13 13 13 13 13 13
    run assay regressions --agent web --baseline 5 --json
    jq -e '.regressions[0] | .metric == "latency_s" and .low > 0.1' <<< "$output"
    for command in "compare latest~4 latest" "compare latest~3 latest~4" "trend --agent web" \
        "regressions --agent web --baseline 2" "leaderboard" "matrix" "doctor --help" "report" \
        "show --explain" "export latest" "cost" "profile latest" "versus web@1 web@2"; do
        # shellcheck disable=SC2086
        asked assay $command
        [[ $output != *"internal error"* ]] || { echo "# $command: $output"; return 1; }
        [[ ${output,,} != *" nan"* ]] || { echo "# $command: $output"; return 1; }
    done
}
