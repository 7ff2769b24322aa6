#!/usr/bin/env bats
# A/A honesty, the long form: 2000 runs a combination in the engine, and 200 of
# each through the program, files of the same noise compared as a user would.
load ../helper

RUNS=200
LIMIT=19 # of 200: 5 % and three standard errors

@test "2000 runs a combination in the engine, 6.5 % at most" {
    cd "$ROOT"
    ASSAY_HONESTY_RUNS=2000 run "$BUILD_DIR/tests/stats/honesty_test"
    grep '^# ' <<< "$output" >&3
    [ "$status" = 0 ]
    # 12 of independent noise, unpaired and paired; AR: 4 unpaired, 12 interleaved
    [ "$(grep -c 'false better/worse' <<< "$output")" = 40 ]
}

@test "4000 BCa intervals of the mean of a lognormal cover 92 % from n = 30" {
    cd "$ROOT"
    ASSAY_LONG=1 run "$BUILD_DIR/tests/stats/bootstrap_test"
    grep sigma <<< "$output" >&3
    [ "$status" = 0 ]
}

# files KIND ORDER N SCALE: RUNS pairs of files, 1.a and 1.b and so on, of the
# same noise from awk's seeded generator; the values of b times SCALE. Noise with
# memory (ar0.3) runs through both arms in turns if ORDER is interleaved.
files() {
    awk -v kind="$1" -v order="$2" -v n="$3" -v scale="$4" -v runs="$RUNS" '
        function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
        function draw() {
            if (kind == "normal") return 10 + 0.3 * normal()
            if (kind == "lognormal") return exp(0.3 * normal())
            if (kind == "bimodal") return (rand() < 0.3 ? 12 : 10) + 0.2 * normal()
            level = rho * level + sqrt(1 - rho * rho) * normal()
            return 10 * exp(0.05 * level)
        }
        function put(arm, value) {
            printf "%.12g\n", arm == "b" ? value * scale : value > (run "." arm)
        }
        BEGIN {
            srand(1009 * n + length(kind order))
            rho = substr(kind, 1, 2) == "ar" ? substr(kind, 3) : 0
            for (run = 1; run <= runs; run++) {
                level = normal()
                if (order == "interleaved") {
                    for (i = 0; i < n; i++) { put("a", draw()); put("b", draw()) }
                } else {
                    for (i = 0; i < n; i++) put("a", draw())
                    level = normal()
                    for (i = 0; i < n; i++) put("b", draw())
                }
                close(run ".a"); close(run ".b")
            }
        }'
}

# answers KIND ORDER N SCALE OPTION...: "verdict low high" of each comparison.
answers() {
    local order=$2 pairs=()
    files "$1" "$2" "$3" "$4"
    shift 4
    [ "$order" != interleaved ] || pairs=(--paired)
    for i in $(seq "$RUNS"); do
        assay compare --samples "$i.a" "$i.b" "${pairs[@]}" --json "$@"
    done | jq -r '[.verdict, .effect.low, .effect.high] | join(" ")'
}

# wrong TRUTH VERDICTS FILE: how many say one of VERDICTS, and how many intervals
# do not hold TRUTH.
wrong() {
    awk -v truth="$1" -v wanted=" $2 " '
        index(wanted, " " $1 " ") { said++ }
        NF == 3 && (truth < $2 || truth > $3) { missed++ }
        END { if (NR != '"$RUNS"') exit 1; print said + 0, missed + 0 }' "$3"
}

# honest < COMBINATIONS: each of them, one a line, may be wrong in LIMIT of RUNS;
# all together in 5 % and three standard errors.
honest() {
    local all=0 asked=0 said missed
    while read -r kind order n; do
        answers "$kind" "$order" "$n" 1 --equivalence 0 > same
        read -r said missed <<< "$(wrong 1 "better worse" same)"
        echo "# $kind $order n=$n: $said better or worse, $missed intervals missed" >&3
        [ "$said" -le "$LIMIT" ]
        [ "$missed" -le "$LIMIT" ]
        all=$((all + said)) asked=$((asked + RUNS))
        answers "$kind" "$order" "$n" 1.03 > edge
        read -r said missed <<< "$(wrong 1.03 equivalent edge)"
        echo "# $kind $order n=$n, 3 % apart: $said equivalent, $missed intervals missed" >&3
        [ "$said" -le "$LIMIT" ]
        [ "$missed" -le "$LIMIT" ]
    done
    echo "# all: $all of $asked better or worse" >&3
    awk -v all="$all" -v asked="$asked" \
        'BEGIN { exit !(all <= asked * 0.05 + 3 * sqrt(asked * 0.05 * 0.95)) }'
}

@test "independent noise through the program" {
    honest < <(for kind in normal lognormal bimodal; do
        printf "$kind unpaired %s\n" 5 10 20 50
    done)
}

@test "noise with memory through the program" {
    honest <<'END'
ar0.3 unpaired 50
ar0.6 unpaired 50
ar0.3 interleaved 10
ar0.3 interleaved 20
ar0.3 interleaved 50
ar0.6 interleaved 10
ar0.6 interleaved 20
ar0.6 interleaved 50
END
}

@test "the count notices a program that is wrong one time in five" {
    answers normal unpaired 20 1 --equivalence 0 --alpha 0.2 > same
    read -r said missed <<< "$(wrong 1 "better worse" same)"
    echo "# $said of $RUNS, $missed missed" >&3
    [ "$said" -gt "$LIMIT" ]
    [ "$missed" -gt "$LIMIT" ]
}

# Not all: where ten values resemble their neighbours by chance, it stays undecided.
@test "a difference of three standard deviations is found from n = 10, and never denied" {
    answers normal unpaired 10 1.1 > apart
    read -r found _ <<< "$(wrong 1.1 worse apart)"
    read -r denied _ <<< "$(wrong 1.1 "better equivalent" apart)"
    echo "# found $found of $RUNS" >&3
    [ "$found" -ge 150 ]
    [ "$denied" = 0 ]
}
