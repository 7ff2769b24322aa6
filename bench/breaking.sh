#!/bin/sh
# The breaking point of real servers on the wall clock: three draws of each way to fail. The stub is
# given its capacity, so the truth is known:
#
#   queue_growth      servers / service time
#   error_cliff       the same, with room for some 20 that wait
#   throughput_falls  the peak of N / (service (1 + coherence N (N - 1))), N = 1 / sqrt(coherence)
#   memory            it ends after n requests: a level of five blocks of half a second has as many at n / 2.5
#
# Right is a point within 10 % of it and the way named; 11 of 12 are demanded. What the generator
# spoiled says nothing about the search: all of it, or levels next to the point, so that it is known
# less precisely than was sought. Then the row is undecided.
set -u
assay=${ASSAY_BIN:-build/release/assay}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
body='{"model": "m", "stream": false, "messages": [{"role": "user", "content": "hi"}]}'

# draw SEED MODE: "truth options of the stub".
draw() {
    awk -v seed="$1" -v mode="$2" 'BEGIN {
        srand(seed)
        servers = 2 + int(7 * rand()); service = servers * 1000 / (150 + 300 * rand())
        capacity = servers * 1000 / service
        line = sprintf("--servers %d --service-ms %.4f", servers, service)
        if (mode == "queue_growth") print capacity, line
        if (mode == "error_cliff") print capacity, line, "--queue-limit", 15 + int(11 * rand())
        if (mode == "throughput_falls") {
            k = 0.0004 + 0.0003 * rand(); n = 1 / sqrt(k); service = 20 + 10 * rand()
            print n / (service / 1000 * (1 + k * n * (n - 1))), "--servers 1000 --service-ms", service, "--coherence", k
        }
        if (mode == "memory") {
            requests = int(500 + 600 * rand())
            print requests / 2.5, "--servers 1000 --service-ms 10 --at-limit die --memory-kb 100 --memory-limit-mb", requests * 100 / 1024
        }
    }'
}

right=0 spoiled=0 port=8580
for mode in queue_growth error_cliff throughput_falls memory; do
    for seed in 1 2 3; do
        drawn=$(draw "$seed" "$mode")
        truth=${drawn%% *}
        port=$((port + 1))
        "$assay" stress --url "http://127.0.0.1:$port/v1/chat/completions" --body "$body" \
            --serve "'$assay' stub --listen 127.0.0.1:$port ${drawn#* }" --factor 60 --quick --scenario high_load \
            --store "sqlite:$folder/store.db" --json > "$folder/out" 2> "$folder/err"
        found=$(tail -n 1 "$folder/out" | jq -r '"\(.breaking_point.load // 0) \(.breaking_point.failure_mode // "none") \(if .breaking_point.load and .breaking_point.breaks > .breaking_point.holds * .breaking_point.precision * 1.001 then "spoiled" else .stress_test_results[0].outcome end)"')
        [ -n "$found" ] || found="0 none spoiled"
        [ "${found##* }" != spoiled ] || spoiled=$((spoiled + 1))
        is_right=$(echo "$found" | awk -v truth="$truth" -v mode="$mode" '{
            print ($1 > truth / 1.1 && $1 < truth * 1.1 && $2 == mode) ? 1 : 0 }')
        right=$((right + is_right))
        echo "  $mode: breaks at $(printf '%.0f' "${found%% *}"), true $(printf '%.0f' "$truth"), $(echo "$found" | cut -d' ' -f2)"
    done
done
if [ "$right" -ge 11 ]; then
    verdict=met
elif [ "$spoiled" -gt 0 ]; then
    verdict="UNDECIDED: the generator was too busy in $spoiled"
else
    verdict=MISSED
fi
printf '%-58s %s\n' "breaking point on the wall clock: $right of 12 right; 11:" "$verdict"
