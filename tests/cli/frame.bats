#!/usr/bin/env bats
# The frame around every command: dispatch, options, help, exit codes.
load ../helper

@test "assay alone gets a newcomer going" {
    run assay
    [ "$status" = 0 ]
    [[ $output == *"start here:"* && $output == *"assay run -- "* ]]
    [ "${#lines[@]}" -lt 60 ]
}

@test "every command explains itself, with an example" {
    for name in $(commands); do
        assay "$name" -h > help
        grep -q "^usage: assay $name" help
        grep -q '^examples:' help
        grep -q '^  assay ' help
        assay help "$name" | cmp - help
    done
}

commands() {
    assay help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

@test "an unknown command gets a suggestion and exit 2" {
    fails_with 2 "'verison' is not a command; did you mean 'version'?" assay verison
    fails_with 2 "'zzzz' is not a command" assay zzzz
    fails_with 2 "unknown option '--zzzz'; options come after a command" assay --zzzz
}

@test "an unknown option gets a suggestion and exit 2" {
    fails_with 2 "unknown option '--stroe'; did you mean '--store'?" assay version --stroe x
    fails_with 2 "'assay version -h' shows how it is used" assay version -Z
    fails_with 2 "--store needs URL" assay version --store
}

@test "what hyperfine calls otherwise is answered with our name" {
    fails_with 2 "hyperfine's -r is -n here" assay run -r 10 -- true
    fails_with 2 "hyperfine's --export-json is --report FILE.json here" \
        assay run --export-json out.json -- true
    fails_with 2 "hyperfine's --parameter-list is -L here" \
        assay run --parameter-list n 1,2 -- 'echo {n}'
    # Only `run` times commands.
    fails_with 2 "unknown option '-r'" assay list -r 10
    run ! assay list -r 10
    [[ $output != *hyperfine* ]]
}

@test "defaults, ranges and choices are in help, describe and completion from one row" {
    assay compare -h > help
    tr -s ' \n' ' ' < help > line
    grep -q -- "--adjust holm|none" line
    grep -q "over the cells of a metric (default holm)" line
    grep -q "above 0 and below 0.5 (default 0.05)" line
    assay describe compare --json | jq -e '.entries[0].options |
        (.[] | select(.name == "adjust") | .type == "choice" and .default == "holm" and
            .choices == ["holm", "none"]) and
        (.[] | select(.name == "alpha") | .type == "share" and .default == 0.05 and .max == 0.5)'
    assay completion bash | grep -q 'compare:--adjust) words="holm none "'
}

@test "errors go to standard error, results to standard output" {
    assay zzzz > out 2> err || true
    [ ! -s out ]
    [ -s err ]
    assay version > out 2> err
    [ -s out ]
    [ ! -s err ]
}

# The median of 20 starts, in microseconds.
median_start() {
    local begin
    for _ in $(seq 20); do
        begin=${EPOCHREALTIME/./}
        "$@" > /dev/null
        echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n | sed -n 10p
}

# On a machine that is busy even /bin/true takes long; then what counts is how
# much longer we take.
@test "--version answers within 10 ms (median of 20)" {
    [ -z "$ASSAY_SAN" ] || skip "a sanitizer is slow to start"
    needs_wall_clock
    for _ in 1 2 3; do
        others=$(median_start /bin/true)
        ours=$(median_start "$ASSAY_BIN" --version)
        echo "# median $ours us; /bin/true $others us" >&2
        [ "$ours" -ge 10000 ] || return 0
        [ $((ours - others)) -ge 5000 ] || return 0
    done
    false
}

@test "a closed pipe is no error, a full disk is" {
    run bash -c "exec 3> >(true); wait \$!; '$ASSAY_BIN' help >&3"
    [ "$status" = 0 ]
    [ "$output" = "" ]
    run bash -c "'$ASSAY_BIN' help > /dev/full"
    [ "$status" = 1 ]
    [ "$output" = "assay: writing the output: No space left on device" ]
    # Found by a flush long before the end.
    run bash -c "'$ASSAY_BIN' run -n 1 -- true > /dev/full"
    [ "$status" = 1 ]
    [[ $output == *"assay: writing the output: No space left on device" ]]
}

@test "missing standard descriptors do no harm" {
    run bash -c "'$ASSAY_BIN' version >&-"
    [ "$status" = 1 ] # what it had to say is lost
    [ "$output" = "assay: writing the output: Bad file descriptor" ]
    run bash -c "'$ASSAY_BIN' run -n 1 -- true > /dev/null && '$ASSAY_BIN' show >&-"
    [ "$status" = 1 ]
    [[ $output == *"assay: writing the output: Bad file descriptor" ]]
    run bash -c "'$ASSAY_BIN' baseline set -q mine >&-" # it has nothing to say
    [ "$status" = 0 ]
    run bash -c "'$ASSAY_BIN' version <&- 2>&-"
    [[ $output == assay* ]]
}

@test "control characters of an argument are not printed" {
    bad=$(printf 'a\033[31mb')
    assay run -q -n 1 -- true
    for words in "$bad" "-$bad" "describe $bad" "baseline set $bad" "baseline clear $bad" "tokens new $bad" "show $bad" \
        "show --$bad"; do
        run assay $words
        [ "$status" = 2 ]
        [[ $output == *'a?[31mb'* ]]
        [[ $output != *$'\033'* ]]
    done
    [ "$(sqlite3 .assay/assay.db 'SELECT count(*) FROM baselines')" = 0 ]
}

@test "completion scripts are right for their shells" {
    assay completion bash > a.bash && bash -n a.bash
    assay completion zsh > a.zsh && zsh -n a.zsh
    assay completion fish > a.fish && fish --no-execute a.fish
    fails_with 2 "no completion for 'tcsh'" assay completion tcsh
}

@test "bash completion offers commands and options" {
    assay completion bash > a.bash
    run bash -c 'source ./a.bash; COMP_WORDS=(assay versi); COMP_CWORD=1; _assay; echo "${COMPREPLY[@]}"'
    [ "$output" = version ]
    run bash -c 'source ./a.bash; COMP_WORDS=(assay version --js); COMP_CWORD=2; _assay; echo "${COMPREPLY[@]}"'
    [ "$output" = --json ]
}

# completes SHELL LINE: what that shell offers behind it.
completes() {
    if [ "$1" = bash ]; then
        bash -c 'source ./a.bash; PATH=$1; read -ra COMP_WORDS <<< "$2"
            [[ $2 != *" " ]] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _assay; echo "${COMPREPLY[@]}"' \
            - "$BUILD_DIR:$PATH" "$2"
    else
        PATH=$BUILD_DIR:$PATH fish --no-config -c 'source a.fish; complete -C "$argv[1]"' "$2" |
            cut -f 1 | tr '\n' ' '
    fi
}

@test "completion offers runs where a run may stand, and what an argument may be" {
    assay completion bash > a.bash
    assay completion fish > a.fish
    assay run -n 1 -q -- true
    id=$(assay list -q | cut -d ' ' -f 1)
    for shell in bash fish; do
        [[ $(completes $shell "assay show ${id:0:3}") == *"$id"* ]]
        [[ $(completes $shell 'assay forget l') == *latest* ]]
        [[ $(completes $shell 'assay run --rescore ') == *"$id"* ]]
        [[ $(completes $shell 'assay report --format m') == *markdown* ]]
        [[ $(completes $shell 'assay completion z') == *zsh* ]]
        [[ $(completes $shell 'assay agents r') == *remove* ]]
        [[ $(completes $shell 'assay help lea') == *leaderboard* ]]
        [[ $(completes $shell 'assay record s') == *stats* ]]
        [[ $(completes $shell 'assay record f') != *false* ]]
        [[ $(completes $shell 'assay version ') != *"$id"* ]]
    done
}

@test "fish completion offers commands and options" {
    assay completion fish > a.fish
    run fish --no-config -c 'source a.fish; complete -C "assay versi"'
    [[ $output == version* ]]
    run fish --no-config -c 'source a.fish; complete -C "assay version --js"'
    [[ $output == --json* ]]
}

@test "colours are for terminals only" {
    assay help > out
    [ -z "$(tr -dc '\033' < out)" ]
}

@test "the explanations of options fit into 80 columns" {
    for name in run compare regressions import stub; do
        [ "$(assay "$name" -h | sed -n '/^options:/,/^examples:/p' | awk 'length > 80' | wc -l)" = 0 ]
    done
}
