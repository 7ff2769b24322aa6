#!/usr/bin/env bats
# Agents that get away, limits that are not told, answers that are misread: the
# tests of agents and scores must notice.
load helper

@test "a process that survives" {
    with_build
    # Without the guard's sweep what hang.sh left is still there after the answer.
    breaks src/starter/starter_main.c 's/if (!reap(swept)) return true;/return true;/' agent/oneshot
    all_checked
}

@test "a limit that is not told" {
    with_build
    breaks src/sandbox/contain.c 's/^    return TRIAL_LIMIT_BREACHED;/    return TRIAL_OK;/' agent/oneshot
    breaks src/sandbox/contain.c 's/"needs more memory than the limit/"needs more memory than/' agent/oneshot
    breaks src/sandbox/contain.c 's/"wants more processes than the limit/"wants more processes than/' agent/oneshot
    breaks src/agent/oneshot.c 's/o->output.total_bytes > (int64_t)o->output.kept_max/o->output.total_bytes > 900000000/' agent/oneshot
    breaks src/agent/session.c 's/\[END_TIME\] = TRIAL_TIMED_OUT/[END_TIME] = TRIAL_FAILED/' agent/session
    breaks src/sandbox/contain.c 's/"Memory is checked every/"Memory every/' sandbox/contain
    all_checked
}

@test "a guard that can be held, changed or lost, and work that nobody counts" {
    with_build
    bats_breaks src/starter/starter_main.c 's/wait4(pid, &reply->status, WNOHANG, /wait4(pid, \&reply->status, 0, /' 'what traces' tests/slow/malice.bats
    bats_breaks src/sandbox/filter.c 's/{BY_PID, NUMBER(prlimit64/{BY_PID, NUMBER(sched_setattr/' 'limits cannot' tests/slow/malice.bats
    bats_breaks src/sandbox/filter.c 's/{BY_FLAGS, NUMBER(unshare, 310, 337)},//' 'counters cannot' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/, *"\/proc\/1"};/};/' 'limits cannot' tests/slow/malice.bats
    breaks src/agent/oneshot.c 's/if (!o->was_repeated) {/{/' agent/oneshot
    breaks src/agent/oneshot.c 's/o->began_ns + limit_ns - clock_ns()/limit_ns/' agent/oneshot
    breaks src/agent/oneshot.c 's/^    contain_charge(.*$//' agent/oneshot
    breaks src/sandbox/contain.c 's/if (!c->has_base) c->base_bytes/c->base_bytes/' agent/oneshot
    breaks src/sandbox/contain.c 's/is_unwaited && usage->group_peak/false \&\& usage->group_peak/' agent/oneshot
    all_checked
}

@test "a loss of ours that is charged to the agent, or one of its own that is not" {
    with_build
    bats_breaks src/run/lane.c 's/return is_apart ? TRIAL_HARNESS_ERROR : TRIAL_FAILED;/return TRIAL_FAILED;/' "assay's own process" tests/cli/failures.bats
    bats_breaks src/run/lane.c 's/return is_apart ? TRIAL_HARNESS_ERROR : TRIAL_FAILED;/return TRIAL_HARNESS_ERROR;/' "assay's own process" tests/cli/failures.bats
}

@test "a repository that runs programs, folders that are exchanged" {
    with_build
    breaks src/model/environment.c 's/^    add_setting(g, "core.fsmonitor=false");//' model/environment
    breaks src/model/environment.c 's/= turn_filters_off(&asked->git, out);/= true;/' model/environment
    bats_breaks src/sandbox/jail.c 's/^        fix(spec->fixed\[i\], said);//' 'configuration' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/^        pin(spec, spec->hidden\[i\], said);//' 'exchanged' tests/slow/malice.bats
    all_checked
}

@test "files, processes and folders that an agent must not see or leave" {
    with_build
    breaks src/sandbox/jail.c 's/{"\/tmp", "\/var\/tmp", "\/dev\/shm"}/{"\/var\/tmp", "\/dev\/shm"}/' sandbox/contain
    bats_breaks src/agent/process.c 's/^    say_replaced(p);//' 'saved during' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/if (folders->count == 0) find_folders(folders);//' 'sockets of others' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/if (str_is(key, "file")) hide_file.*$//' 'replays read' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/if (is_result && pass == 1) hide(p, folder);//' 'replays read' tests/slow/malice.bats
    bats_breaks src/run/workdirs.c 's/return is_free(i, base_dir, what) && /return /' 'program that judges it' tests/slow/malice.bats
    bats_breaks src/run/workdirs.c 's/ && check_command(i, folders, command, whose);/;/' 'program that judges it' tests/slow/malice.bats
    bats_breaks src/run/workdirs.c 's/ && check_rivals(&i);/;/' 'a rival' tests/slow/malice.bats
    bats_breaks src/run/workdirs.c 's/if (!has_no_links(&i, .*$//' 'a link in place' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/ || is_own(p, named);/;/' 'honest checks' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/if (realpath(output_dir, real)) fix(p, real);//' 'results are written to' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/store ? workdirs_settled(store, out) : NULL;/store;/' 'reached by a link' tests/slow/malice.bats
    bats_breaks src/agent/process.c 's/if (p->env.is_judge) spec.memory = work_dir;//' 'keeps of its questions' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/S_ISDIR(st.st_mode) || S_ISREG/S_ISREG/' 'checks of one case' tests/slow/malice.bats
    bats_breaks src/check/check_command.c 's/if (link) return check_say.*$//' 'led elsewhere' tests/slow/malice.bats
    bats_breaks src/check/links.c 's/if (is_proc || begins_in_proc(folder, name))/if (false)/' 'led elsewhere' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/^    take_cases(p, b);//' 'checks of one case' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/if (str_is(key, "include")) fix_inputs.*$//' 'included agents' tests/slow/malice.bats
    breaks src/model/environment.c 's/if (memchr(key.p, .=., key.n)) return false;.*//' model/environment
    breaks src/model/environment.c 's/^ *"--ignore-submodules=dirty",.*//' model/environment
    all_checked
}

@test "a program that cannot be started, charged to the agent" {
    with_build
    breaks src/sandbox/startable.c 's/int reason = child_probe(&plan);/int reason = 0;/' sandbox/startable
    breaks src/sandbox/startable.c 's/if (ask(q, argv) != 127) return true;/if (ask(q, argv) != 126) return true;/' sandbox/startable
    breaks src/sandbox/startable.c 's/strpbrk(argv\[2\], "|&;/strpbrk(argv[2], "\&;/' sandbox/startable
    bats_breaks src/run/run_group.c 's/if (in->is_unavailable) r->outcome->cells_unavailable++;//' 'cannot be started' tests/cli/failures.bats
    bats_breaks src/agent/process.c 's/if (!startable(&alone, env->arena, err)) return false;//' 'cannot be started' tests/cli/failures.bats
    all_checked
}

@test "a session that mixes up its answers" {
    with_build
    breaks src/agent/session.c 's/if (!ready_is_free(&s->ready, err)) return false;//' agent/session
    breaks src/agent/message.c 's/name->source.n > AGENT_PHASE_NAME_MAX/name->source.n > 1000000/' agent/message
    breaks src/agent/session.c 's/if (s->got > s->line_bytes) {/if (s->got > s->line_max) {/' agent/session
    breaks src/agent/session.c 's/ && !s->has_others//' agent/session
    breaks src/agent/session.c 's/says_so ? clock_ns() : await_rest(p)/clock_ns()/' agent/session
    breaks src/agent/message.c 's/if (v->integer == id) return true;/return true;/' agent/session
    all_checked
}

@test "times that are 3 ms late, gaps that begin at the request, tools that are lost" {
    export ASSAY_SOAK=1 # these tests are about the wall clock
    with_build
    breaks src/http/chat_reply.c 's/if (r->is_done) return TRIAL_OK;//' http/chat_reply
    breaks src/http/chat_reply.c 's/ && index->integer == 0//' http/chat_reply
    breaks src/http/chat_reply.c 's/reply->first_ns = at_ns;/reply->first_ns = at_ns + 3000000;/' agent/openai
    breaks src/http/chat_reply.c 's/(double)(at_ns - reply->last_ns)/(double)(at_ns - reply->first_ns)/' agent/openai
    breaks src/http/chat_reply.c 's/buf_add(&call->arguments, arguments);/buf_clear(\&call->arguments);\n        &/' agent/openai
    breaks src/http/call.c 's/answer->retries = (double)(c->attempt_count - 1)/answer->retries = 0/' agent/openai
    all_checked
}

@test "scores by other formulas, and intervals that are too narrow" {
    with_build
    breaks src/score/scores.c 's/.confidence = q->confidence,/.confidence = 0.8,/' score/scores
    breaks src/score/scores_formula.c 's/1 \/ (1 + used \/ target)/fmin(1, target \/ used)/' score/scores
    breaks src/score/scores_formula.c 's/pow(product, 1.0 \/ parts)/product/' score/scores
    breaks src/score/scores_formula.c 's/SCORE_COST: return cost_score(mean_of/SCORE_COST: return cost_score(median_of/' score/scores
    breaks src/score/scores_formula.c 's/SCORE_ACCURACY: return mean_of/SCORE_ACCURACY: return median_of/' score/scores
    breaks src/score/scores.c 's/\[SCORE_ACCURACY\] = 0.30/[SCORE_ACCURACY] = 0.25/; s/\[SCORE_COST\] = 0.15/[SCORE_COST] = 0.20/' score/scores
}

# bats_breaks FILE SED FILTER BATS: the same for tests that go through the program.
bats_breaks() {
    edit "$1" "$2" || return
    make -s WERROR=-Wno-error build/release/assay || return
    ASSAY_BIN=$PWD/build/release/assay run timeout -s KILL 60 bats -f "$3" "$4"
    cp saved "$1"
    [ "$status" = 0 ] || return 0
    echo "$4 did not notice: $2"
    [[ $output == *"# skip"* ]] || return 1
    UNCHECKED="$4 skips here what would notice"
}

@test "a cleanup that runs what the agent wrote, folders that stay" {
    with_build
    breaks src/suite/suite_environment.c 's/if (p->copy && (is_copied/if (p->copy \&\& (false/' suite/suite_environment
    breaks src/suite/suite_environment.c 's/O_DIRECTORY | O_NOFOLLOW/O_DIRECTORY/' suite/suite_environment
    breaks src/suite/suite_environment.c 's/is_home ? arena_printf/false ? arena_printf/' suite/suite_environment
    breaks src/base/os.c 's/DEPTH_MAX = 64/DEPTH_MAX = 6400/' base/os
    breaks src/base/os.c 's/flock(fd, LOCK_EX | LOCK_NB) == 0/true/' base/os
    breaks src/base/os.c 's/st.st_mtime > TEMP_AGE_S/st.st_mtime > -1/' base/os
}

@test "a starter that is gone for good, and its trial with it" {
    with_build
    guard() { bats_breaks "$1" "$2" 'starts the agents is killed' tests/cli/reliability.bats; }
    guard src/agent/oneshot.c 's/if (r->is_lost \&\& !ask_again(p)) return/if (r->is_lost) return/'
    guard src/agent/session.c 's/is_lost(p) \&\& start_again(p)/false/'
    guard src/sandbox/contain.c 's/bool done = starter_open(&c->starter, &c->jail, &said, err);/bool done = false;/'
}

@test "an answer that states its own score, and a judge that is missed too late" {
    with_build
    breaks src/check/check_judge.c 's/isnan(v->score) || one.score < v->score/isnan(v->score)/' check/check_judge
    breaks src/check/check_judge.c 's/isnan(v->score) || one.score < v->score/true/' check/check_judge
    breaks src/check/check_judge.c 's/PATTERN_IGNORE_CASE | PATTERN_WHOLE/PATTERN_IGNORE_CASE/' check/check_judge
    bats_breaks src/suite/suite_judge.c 's/suite_judges_open(&s->judges, err)/true/' 'a judge that cannot' tests/cli/failures.bats
}

@test "a stream of one read that has gaps" {
    with_build
    breaks src/http/curl.c 's/if (c->read_ns == 0) c->read_ns =/c->read_ns =/' agent/openai
    all_checked
}

@test "a peak whose floor nobody knows" {
    with_build
    bats_breaks src/run/arm.c 's/if (a.memory_floor > 0) tell/if (false) tell/' 'least peak' tests/cli/run.bats
}

@test "a key that is shown where it comes back" {
    with_build
    bats_breaks src/base/secret.c 's/    return is_found;/    return false;/' 'key' tests/cli/keys.bats
}

@test "what agents leave and break, through the program" {
    with_build
    bats_breaks src/sandbox/jail.c 's/{"\/tmp", "\/var\/tmp", "\/dev\/shm"}/{"\/tmp", "\/var\/tmp"}/;s/if (!set_read_only("\/"))/if (false)/' 'contained' tests/slow/contain.bats
    bats_breaks src/sandbox/jail.c 's/if (hide(spec->hidden\[i\])) continue;/continue;/' 'answers in files' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/if (!set_read_only("\/"))/if (false)/' 'files elsewhere' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/"tty", *"shm",/"tty", "shm", "mqueue",/; s/^    mount("mqueue", .*$//' 'queues of others' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV/MOUNT_ATTR_RDONLY/' 'FIFOs' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/LANDLOCK_WRITE | LANDLOCK_REFER}/LANDLOCK_REFER}/' 'FIFOs' tests/slow/malice.bats
    bats_breaks src/sandbox/contain.c 's/PROCESSES_USUAL = 512/PROCESSES_USUAL = 0/' 'no more for others' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/allow_reading(spec, rules, "");/allow_below(rules, LANDLOCK_READ, "\/");/' 'without namespaces' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/^    hide_sockets(spec, found);//' 'sockets of others' tests/slow/malice.bats
    bats_breaks src/sandbox/jail.c 's/"newinstance,ptmxmode=0666,mode=0620") != 0/"") == 0/;s/if (!make_devices()) buf_text/if (false) buf_text/' 'terminal' tests/slow/malice.bats
    bats_breaks src/run/protection.c 's/^    hide_history(p, /    if (false) &/' 'history' tests/slow/malice.bats
    rm -f /dev/shm/assay-wild-*
    bats_breaks src/sandbox/contain.c 's/"Memory is checked every/"Memory every/' 'without namespaces' tests/slow/contain.bats
}

@test "bottlenecks that profile does not name" {
    with_build
    bats_breaks src/judge/profile_rules.c '/"slow-phase"/,/find/s/= 0.4/= 1.4/' 'a slow phase' tests/cli/profile.bats
    bats_breaks src/judge/profile_rules.c '/"serial-phases"/,/find/s/= 0.1/= 1.1/' 'a serial section' tests/cli/profile.bats
    bats_breaks src/judge/profile_rules.c '/"wasted-tokens"/,/find/s/= 0.05/= 1.05/' 'wasted tokens' tests/cli/profile.bats
    bats_breaks src/judge/profile_rules.c '/"cache-misses"/,/find/s/= 0.5/= -0.5/' 'cache misses' tests/cli/profile.bats
}

@test "what a phase used, misread or mixed up" {
    with_build
    used() { bats_breaks "$1" "$2" 'what a phase used' tests/cli/profile.bats; }
    used src/agent/message.c 's/read_count(v, "cpu_ms", 1e-3/read_count(v, "cpu_ms", 1/'
    used src/report/answer_profile.c 's/100 \* x->cpu_s \/ x->total_s/100 * x->cpu_s/'
    used src/judge/profile.c 's/add(&x->io_operations, p->io_operations);//'
    used src/judge/profile.c 's/x->io_operations = p->io_operations;/x->io_operations = NAN;/'
}

@test "a regression that the interval does not show" {
    with_build
    breaks src/history/regress.c 's/if (x->verdict == VERDICT_WORSE) return REGRESS_FOUND;/if (x->amount > row->threshold) return REGRESS_FOUND;/' history/regress
    breaks src/history/regress.c 's/x->is_within ? REGRESS_NONE : REGRESS_UNDECIDED/x->is_within ? REGRESS_NONE : REGRESS_FOUND/' history/regress
}

@test "a profile that counts every stack once does not know the shares" {
    with_build
    breaks src/instrument/stacks.c 's/slot->count++;/slot->count = 1;/' instrument/instrument_profile
}

@test "answers scored again by their neighbour's number are not the same bytes" {
    with_build
    sed -i 's/size_t t = (size_t)note->trial;/size_t t = (size_t)note->trial ^ 1;/' src/run/rescore.c
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f rescore tests/cli/suite.bats
}

@test "an answer without its choices is no answer to the openai client" {
    with_build
    [ ! -d "$ROOT/build/interop" ] || cp -a "$ROOT/build/interop" build/
    why=$(tests/interop/setup) || skip "$why"
    sed -i 's/"choices"/"choice"/' src/stub/chat.c
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" \
        bats -f 'a whole answer' tests/interop/client.bats
}

@test "an open server that answers what is being measured" {
    with_build
    bats_breaks src/api/access.c 's/ || !peer_is_measured(port, rules->port, rules->scratch)/ || true/' 'open to everybody' tests/slow/malice.bats
    breaks src/base/peer.c 's/if (is_below_guard(all, p)) return HOLDER_MEASURED;//' base/peer
    bats_breaks src/http/curl.c 's/^    if (o->is_judge) {/    if (false) {/' 'place of the judge' tests/slow/malice.bats
    all_checked
}
