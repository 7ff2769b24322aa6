#!/usr/bin/env bats
# Experiments of the simulated world, from spec to report.
load ../helper

@test "a sweep is drawn: lines over the parameter that the experiment names, one for each contender" {
    cat > s.yaml <<'YAML'
experiment: perception_metrics
params: {agent_counts: [4, 8, 16], storage_modes: [hybrid, dense], steps: 2}
iterations: {measured: 6}
YAML
    assay run s.yaml -q
    assay report latest --format html > page.html
    grep -q 'By parameter' page.html
    grep -q 'storage_modes=dense' page.html
    assay report latest --format markdown > page.md
    grep -q '^## By parameter' page.md
    grep -q 'Observations a second' page.md
}

@test "pictures: curves of the arms, labels that tell them apart, levels as in the tables" {
    cat > s.yaml <<'YAML'
iterations: {measured: 6}
experiments:
  - {experiment: sparse_memory, params: {agent: Marketing, difficulty: 0.3, cap: 40}, sweep: {parts: [none, all]}}
  - {experiment: sparse_memory, params: {agent: QA, difficulty: 0.8, cap: 60}, sweep: {parts: [none, all]}}
YAML
    assay run s.yaml -q
    assay report latest --format html > page.html
    assay report latest --format markdown > page.md
    for agent in Marketing QA; do # difficulty and cap follow from it
        grep -q "Held-out quality by iteration, agent=$agent: quality<" page.html
        for parts in none all; do
            grep -q ">trajectory_bytes, parts=$parts, agent=$agent<" page.html
            grep -q " trajectory_bytes, parts=$parts, agent=$agent " page.md
        done
    done
    [ "$(grep -o '>parts=all</text>' page.html | wc -l)" = 2 ]
    grep -q '<th class="n">value</th>' page.html
}

# The whole is in tests/slow/specs.bats.
@test "the peer's spec files are all right as they are; the small ones run" {
    dir=${ASSAY_SHARED:-$ROOT/../shared}/data/agentfarm/specs
    [ -d "$dir" ] || skip "$dir is not there"
    for spec in "$dir"/*.yaml; do assay check "$spec" > plan; done
    for name in observation_baseline perception_metrics_baseline redis_memory_baseline; do
        run assay run "$dir/$name.yaml" -q
        echo "$name: exit $status: $output"
        [ "$status" = 0 ] || { [ "$status" = 3 ] && [ $name = redis_memory_baseline ]; }
    done
    assay run "$dir/memory_db_baseline.yaml" -q --set num_steps=3 -n 1 -w 0
    assay run "$dir/pragma_profile_baseline.yaml" -q --set num_records=100 --set db_size_mb=1 --set kills=1
    assay run "$dir/system_profiler_baseline.yaml" -q --set steps=5 -n 1 -w 0
    assay run "$dir/historic_comprehensive_profiling_sweep.yaml" -q --only database \
        --set num_records=100 --set db_size_mb=1 --set num_steps=3 -n 1 -w 0
}

@test "result files hold what trials found besides numbers, and can be read back" {
    cat > s.yaml <<'YAML'
experiment: pragma_profile
params: {num_records: 20, db_size_mb: 1, kills: 1, workloads: mixed}
iterations: {measured: 2}
YAML
    assay run s.yaml -q --out results
    file=$(ls results/*/cell-000.json results/cell-000.json 2> /dev/null | head -n 1)
    jq -e '.iteration_metrics | length == 2 and all(.detail |
        .raw_results.safety.mixed > 0 and .pragmas.safety.journal_mode == "wal" and
        .durability.memory.kills == 1)' "$file"
    assay import "$file"
}

@test "--set chooses the store of any spec: one, or a list of them" {
    spec=$ROOT/specs/memory_db_baseline.yaml
    assay run "$spec" --dry-run --set 'use_in_memory_db=[false,true]' > plan
    grep -q 'cell 4: num_agents=100, use_in_memory_db=true' plan
    run assay run "$spec" --dry-run --set 'use_in_memory_db=[false,3]'
    [ "$status" = 2 ]
    [[ $output == *"--set use_in_memory_db=[false,3]: 'use_in_memory_db' must be true or false (is 3)"* ]]
    # a claim about both has nothing to compare then, and says so
    assay run "$ROOT/specs/recommended.yaml" -q -n 1 -w 0 --set use_in_memory_db=true \
        --set num_steps=3 --set num_agents=3 > out
    grep -q "no two cells that differ in 'use_in_memory_db'" out
}

@test "a seed is a workload, at any number of jobs" {
    cat > s.yaml <<'YAML'
experiment: perception_metrics
params: {agent_counts: [3, 5], radii: [2, 3], storage_modes: [hybrid, dense], steps: 3}
iterations: {measured: 2}
YAML
    for jobs in 1 4; do
        assay run s.yaml -q --jobs $jobs
        sqlite3 .assay/assay.db "SELECT e.label, c.trial, json_extract(c.detail, '\$.runs[0].workload_digest')
            FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id
            WHERE e.run_id = (SELECT id FROM runs ORDER BY id DESC LIMIT 1) ORDER BY 1, 2" > digests.$jobs
    done
    [ "$(wc -l < digests.1)" = 16 ]
    cmp digests.1 digests.4
    # contenders have the same world: 2 agent counts x 2 radii x 2 trials
    [ "$(cut -d '|' -f 3 digests.1 | sort -u | wc -l)" = 8 ]
}

@test "what is watched, and how often, changes nothing of what is done" {
    cat > s.yaml <<'YAML'
experiments:
  - experiment: system_profiler
    params: {num_agents: 5, steps: 3, sampling_interval: [0.001, 1], monitor_disk: [true, false]}
  - experiment: spatial_memory_profiler
    params: {agent_counts: 20, steps: 2, track_memory_usage: [true, false]}
  - experiment: spatial_performance_analyzer
    params: {agent_counts: [20], steps: 10, analyze_complexity: [true, false]}
iterations: {measured: 1}
YAML
    assay run s.yaml -q --out out
    [ "$(jq -r '.name + " " + (.iteration_metrics[].detail |
        .content_hash // .workload_digest // .results[0].workload_digest)' out/*/cell-*.json |
        sort | uniq -c | awk '{print $1}' | tr '\n' ' ')" = "2 2 4 " ]
}

@test "batches of all sizes write the same entries into Redis, in turns" {
    command -v redis-server > /dev/null || skip "no redis-server"
    cat > s.yaml <<'YAML'
experiment: redis_memory
params: {num_agents: 2, memory_entries: 5, batch_size: [1, 3, 10]}
iterations: {measured: 2}
YAML
    assay check s.yaml | grep -q '3 cells in 1 group'
    assay run s.yaml -q --out out
    [ "$(jq -r '.iteration_metrics[].detail.workload_digest' out/*/cell-*.json | sort | uniq -c |
        awk '{print $1}' | tr '\n' ' ')" = "3 3 " ]
    sed -i 's/batch_size: .*}/memory_limit: [3, 9], cleanup_interval: [2, 4]}/' s.yaml
    assay run s.yaml -q --out limits
    [ "$(jq -r '.iteration_metrics[].detail.workload_digest' limits/*/cell-*.json | sort | uniq -c |
        awk '{print $1}' | tr '\n' ' ')" = "4 4 " ]
}

@test "without a server Redis is unavailable, with the reason, and the run goes on" {
    cat > s.yaml <<'YAML'
experiments:
  - experiment: redis_memory
    params: {server: /nowhere/redis.sock}
  - experiment: noop
YAML
    run assay run s.yaml
    echo "$output"
    [[ $output == *"no Redis server at /nowhere/redis.sock"* || $output == *"no Redis client library"* ]]
    [[ $output == *"noop: 1 of 1 trials ok"* ]]
    printf 'experiment: redis_memory\nparams: {server: /nowhere/redis.sock}\n' > s.yaml
    run assay run s.yaml
    [ "$status" = 3 ]
}

# gone PID: waits until there is no such process.
gone() {
    for _ in $(seq 600); do
        kill -0 "$1" 2> /dev/null || return 0
        sleep 0.1
    done
    return 1
}

@test "an interrupt removes the keys from the user's Redis" {
    command -v redis-server redis-cli > /dev/null || skip "no redis-server"
    redis-server --port 0 --unixsocket "$PWD/r.sock" --save '' --dir "$PWD" > redis.log 3>&- &
    server=$!
    until [ "$(redis-cli -s r.sock ping)" = PONG ]; do sleep 0.1; done
    printf 'experiment: redis_memory\nparams: {memory_entries: 100000, server: %s}\n' "$PWD/r.sock" > s.yaml
    "$ASSAY_BIN" run s.yaml -q > out 2>&1 3>&- &
    run=$!
    until [ "$(redis-cli -s r.sock dbsize)" -gt 500 ] || ! kill -0 $run; do sleep 0.1; done
    kill -INT $run
    wait $run || true
    left=$(redis-cli -s r.sock dbsize)
    kill $server
    cat out
    [ "$left" = 0 ]
}

@test "an experiment does not outlive a killed assay" {
    printf 'experiment: memory_db\nparams: {num_steps: 100000, use_in_memory_db: true}\n' > s.yaml
    mkdir tmp
    TMPDIR=$PWD/tmp "$ASSAY_BIN" run s.yaml -q > out 2>&1 3>&- &
    run=$!
    until compgen -G 'tmp/assay-arm*/trial' > /dev/null; do sleep 0.1; done
    arm=$run
    for _ in nursery runner arm; do arm=$(pgrep -P "$arm"); done
    kill -9 $run
    gone "$arm"
}

@test "what cannot be read without /proc is not there; it is not 0" {
    [ -z "$ASSAY_SAN" ] || skip "sanitizers read /proc"
    unshare -m umount -l /proc 2> /dev/null || skip "no right to hide /proc"
    printf 'experiment: system_profiler\nparams: {num_agents: 3, steps: 3, monitor_network: true}\n' > s.yaml
    unshare -m sh -c 'umount -l /proc && "$0" run s.yaml -q --out out' "$ASSAY_BIN"
    jq -e '.iteration_metrics[0] | .metrics.steps_per_second > 0 and ([.metrics | .network_mb, .disk_read_mb,
        .memory_before_mb, .memory_growth_over_run_mb] + [.detail.samples[0] | .memory_rss_mb, .memory_vms_mb,
        .num_threads] | all(. == null))' out/*/cell-000.json
    for name in sparse_memory spatial_memory_profiler memory_db; do
        echo "experiment: $name" > s.yaml
        unshare -m sh -c 'umount -l /proc && "$0" run s.yaml -q -n 1 -w 0 --out "$1" $2' "$ASSAY_BIN" $name \
            "$([ $name = memory_db ] && echo --set num_steps=2)"
        jq -e '.status == "success" and ([.iteration_metrics[0].metrics | to_entries[] |
            select(.key | test("rss")).value] | length > 0 and all(. == null))' $name/*/cell-000.json
    done
}

@test "a spec that takes more than the machine has is refused with how much and why" {
    printf 'experiment: observation_flow\nparams: {num_agents: 100000, radius: 100, fov_radius: 100}\n' > s.yaml
    fails_with 3 "it takes about 210 GB of memory" assay run s.yaml
    [[ $output == *"lower num_agents or radius"* ]] || [[ $(tr -s ' \n' ' ' <<< "$output") == *"lower num_agents or radius"* ]]
}

@test "a trial that gets no memory says so" {
    [ -z "$ASSAY_SAN" ] || skip "a sanitizer takes its own"
    printf 'experiment: observation_flow\nparams: {num_agents: 2000, radius: 60, fov_radius: 60, steps: 1, storage: dense}\n' > s.yaml
    fails_with 1 "it could not allocate memory" bash -c 'ulimit -v 1000000; "$0" run s.yaml --json' "$ASSAY_BIN"
}
