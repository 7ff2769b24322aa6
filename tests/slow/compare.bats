#!/usr/bin/env bats
# A/A honesty through the program: files of the same noise, compared as a user
# would. tests/stats/honesty_test.c has the thousands; these go the whole way.
load ../helper

# files KIND N SEED: a and b, values of the same distribution from awk's seeded
# generator, those of b times SCALE.
files() {
    awk -v kind="$1" -v n="$2" -v seed="$3" -v scale="${4:-1}" '
        function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
        function draw() {
            if (kind == "normal") return 10 + 0.3 * normal()
            if (kind == "lognormal") return exp(0.3 * normal())
            return (rand() < 0.3 ? 12 : 10) + 0.2 * normal()
        }
        BEGIN {
            srand(seed)
            for (i = 0; i < n; i++) print draw() > "a"
            for (i = 0; i < n; i++) print draw() * scale > "b"
        }'
}

# count VERDICTS KIND N SCALE OPTION...: how many of 80 comparisons end in them.
count() {
    local wanted=$1 kind=$2 n=$3 scale=$4 hits=0
    shift 4
    for seed in $(seq 80); do
        files "$kind" "$n" "$((seed * 1009 + n))" "$scale"
        verdict=$(assay compare --samples a b --quiet "$@")
        [[ " $wanted " != *" $verdict "* ]] || hits=$((hits + 1))
    done
    echo "$hits"
}

@test "960 comparisons of nothing: at most 6.5 % better or worse" {
    local false=0 hits
    for kind in normal lognormal bimodal; do
        for n in 5 10 20 50; do
            hits=$(count "better worse" "$kind" "$n" 1)
            echo "# $kind n=$n: $hits of 80" >&3
            false=$((false + hits))
        done
    done
    echo "# all: $false of 960" >&3
    [ $((false * 1000)) -le $((960 * 65)) ]
}

@test "240 comparisons of values that differ by the margin: 5 % equivalent, as chance has it" {
    local false=0 hits
    for n in 10 20 50; do
        hits=$(count equivalent normal "$n" 1.03)
        echo "# n=$n: $hits of 80" >&3
        false=$((false + hits))
    done
    [ "$false" -le 22 ] # 5 % and 3 standard errors of 240
}

# Not all: where ten values resemble their neighbours by chance, it stays undecided.
@test "a difference of three standard deviations is found from n = 10, and never denied" {
    found=$(count worse normal 10 1.1)
    echo "# found $found of 80" >&3
    [ "$found" -ge 60 ]
    [ "$(count "better equivalent" normal 10 1.1)" = 0 ]
}
