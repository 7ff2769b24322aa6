#!/usr/bin/env bats
# A load that counts in its own favour must be noticed.
load helper

@test "loads that lose requests, or count from the send" {
    with_build
    breaks src/load/worker.c 's/c->due_ns = due_ns ? due_ns : now;/c->due_ns = now;/' load/load
    breaks src/load/worker.c 's/s->w->counts.timed_out++;//' load/load
    breaks src/load/worker.c 's/load_record(&s->w->response, now - c->due_ns);//' load/load
    breaks src/load/pool.c 's/c->timed_out++;/c->timed_out++; return;/' load/pool
    breaks src/judge/load_summary.c 's/if (limit->is_above && load_limit_is_unknown.*//' judge/load_summary
    breaks src/judge/load_summary.c 's/if (is_counted) count_rates(.*//' judge/load_summary
    breaks src/judge/load_summary.c 's/bool is_counted = is_told \&\& s->keeps_up \&\&/bool is_counted = is_told \&\&/' judge/load_summary
    breaks src/stats/share.c 's/((double)n \* worth)/(double)n/' stats/verdict
    breaks src/stats/share.c 's/p.is_binary &= worth == 1;//' stats/verdict
    breaks src/judge/ask.c 's/return of_blocks.count > 0 ? of_blocks.mean : 1;/return 1;/' history/gate
    breaks src/load/load.c 's/(r->length_s + over_s)/(r->length_s + 0 * over_s)/' load/load
    breaks src/load/load.c 's/r->counts.again >= AGAIN_MIN/false/' load/load
    breaks src/load/load.c 's/c->again_ok += is_good;/c->again_ok++;/' load/load
    breaks src/load/pool.c 's/p->result->counts.over_ns += .*//' load/pool
    breaks src/load/worker.c 's/bool is_good = r->status >= 200 \&\& r->status < 300;/bool is_good = true;/' load/load
    breaks src/load/reply.c 's/r->header_bytes > REPLY_HEADER_MAX/false/' load/load
    breaks src/load/worker.c 's/w->counts.tokens += r->tokens;//' load/load
    breaks src/load/pool.c 's/load_record(&p->response, end_ns - due_ns);/load_record(\&p->response, end_ns - sent_ns);/' load/pool
    breaks src/load/pool.c 's/    c->unsent = c->scheduled - c->sent;//' load/pool
    breaks src/load/pool.c 's/case TRIAL_FAILED: return LOAD_RESET;/case TRIAL_FAILED: return LOAD_BAD_STATUS;/' load/pool
    breaks src/load/pool.c 's/} while (is_over .*/} while (false);/' load/pool
    breaks src/judge/breaking.c 's/ l->blocks + l->spoiled >= most;/ l->blocks + l->spoiled >= BREAKING_BLOCKS_MAX;/' judge/breaking
    breaks src/judge/breaking.c 's/a->holds = fmin(.*//' judge/breaking
    breaks src/judge/stress_scenarios.c 's/FLOOD_FACTOR     1.5/FLOOD_FACTOR     2.0/; s/REST_SHARE       0.25/REST_SHARE       1/' judge/stress
    breaks src/judge/stress_scenarios.c 's/ \&\& is_back_at_once(p);/;/' judge/stress
    breaks src/judge/stress_scenarios.c 's/c->terms->cuts_off ? fmax/false ? fmax/' judge/stress
    breaks src/load/cpu_tally.c 's/return found \&\& found->start_ticks == .*/return found;/' load/cpu_tally
    breaks src/load/cpu_tally.c 's/if (!before) before = &unseen;/if (!before) before = p;/' load/cpu_tally
    breaks src/load/cpu_tally.c 's/reaped_s -= gone_s.*;/(void)gone_s;/' load/cpu_tally
    breaks src/load/kept.c 's/a->is_whole = is_good \&\&/a->is_whole =/' load/pool
    breaks src/load/kept.c 's/if (at >= k->max) at = .*/if (at >= k->max) return NULL;/' load/pool
    breaks src/load/kept.c 's/at < k->used \&\& a->is_flying/false/' load/pool
    breaks src/load/load.c 's/ \&\& rate \* GAP_LEAST_NS <= 1e9;/;/' load/load
    breaks src/load/load.c 's/if (gaps.p < GAP_LIMIT_P .*/if (false)/' load/load
    breaks src/load/load.c 's/sends > 1 \&\& sends < 100 ?/false ?/' load/load
    breaks src/load/load.c 's/if (lag_ns > limit_ns) {/if (false) {/' load/load
    breaks src/load/load.c 's/if (r->verdict != GENERATOR_SATURATED \&\& /if (schedule \&\& /' load/load
    breaks src/load/load.c 's/(r->counts.sent - drawn)/(r->counts.scheduled - drawn)/' load/load
    breaks src/load/worker.c 's/    if (now < s->w->begin_ns) wait = .*//' load/load
    breaks src/load/course.c 's/if (s->bad > 0) return false;//' load/course
    breaks src/load/course.c 's/upper((double)slow - 1,/upper((double)slow - 9,/' load/course
    breaks src/load/course.c 's/i = (size_t)(back \* COURSE_SLOTS);/i = (size_t)(back * COURSE_SLOTS) + 1;/' load/course
    breaks src/load/course.c 's/n += c->ended\[i\]\[bucket\];/n += c->slots[i].by_time[bucket];/' load/course
    breaks src/load/course.c 's/return n >= COURSE_BASELINE_MIN;/return n > 0;/' load/course
    breaks src/load/course.c 's/double back = fmax(span.end, span.back);/double back = span.end;/' load/course
    breaks src/load/course.c 's/ \&\& e->sent_ns >= e->fault_ns//' load/course
    breaks src/load/course.c 's/ || e->end_ns < e->fault_ns) return;/ || e->due_ns < e->fault_ns) return;/' load/course
    breaks src/load/schedule.c 's/return rng_exponential(&s->rng);/return 1;/' load/schedule
    breaks src/load/worker.c 's/c->reply.can_stay \&\& is_asked/c->reply.can_stay/' load/load
    breaks src/load/reply.c 's/double)timegm(&when) - /double)timegm(\&when) - 300 - /' load/reply
    breaks src/judge/load_summary.c 's/ || !(m->samples\[trial\] > 0);/ || true;/' judge/load_summary
    breaks src/judge/load_summary.c 's/return limit->is_above \&\& !(sent.error_share > limit->value);/return true;/' judge/load_summary
    breaks src/judge/load_summary.c 's/return s->error_share - (s->unsent > 0 .*/return s->error_share;/' judge/load_summary
    breaks src/load/load.c 's/double most = .*/double most = (double)INFINITY;/' load/pool
    breaks src/judge/ask.c 's/bool are_blocks = .*/bool are_blocks = false;/' judge/compare
    breaks src/view/view.c 's/if (found \&\& generator \&\& generator != found)/if (false)/' view/view
    breaks src/view/units.c 's/bool is_spoiled = generator \&\& .*/bool is_spoiled = generator \&\& false;/' judge/compare
    breaks src/judge/stress.c 's/isnan(b->error_share); .*/false;/' judge/stress
    breaks src/judge/stress.c 's/t->block_max_s), least);/t->block_max_s), 0 * least);/' judge/stress
    breaks src/judge/stress_scenarios.c 's/else if (s.estimate > STILL_SHARE .*/else/' judge/stress
    breaks src/judge/breaking.c 's/OUTRUN           1.05/OUTRUN           1.00/' judge/breaking the_mode_has_its_evidence
    breaks src/load/target.c 's/ || t->is_tls != first->is_tls) {/) {/' load/target
    breaks src/load/target.c 's/    t->is_local = is_local(&t->address);/    t->is_local = true;/' load/target
}

@test "names that are resolved again in each phase" {
    with_build
    breaks src/load/names.c 's/if (strcasecmp(n->items\[i\].host, host) != 0) continue;/continue;/' load/names
    breaks src/load/names.c 's/    n->count++;//' load/names
    breaks src/load/names.c 's/    if (code == EOWNERDEAD) .*//' load/names
    breaks src/load/names.c 's/MAP_SHARED | MAP_ANONYMOUS/MAP_PRIVATE | MAP_ANONYMOUS/' load/names
    breaks src/load/target.c 's/names_find(names, t->host/names_find(NULL, t->host/' load/names
    breaks_cli src/run/arm.c 's/.names = a->group->names,//' stress_agents 'resolved once'
    breaks_cli src/suite/load_agent.c 's/.pin = a->target.url ? .*/.pin = NULL,/' stress_agents 'resolved once'
}

@test "memory that is not squeezed, or squeezed for good" {
    with_build
    breaks src/load/subject.c 's/s->is_squeezed = limit_groups(s, share_of_limit(s));/s->is_squeezed = true;/' load/subject
    breaks src/load/subject.c 's/s->memory_limit_bytes \/ (int64_t)s->groups.count;/s->memory_limit_bytes;/' load/subject
    breaks src/load/subject.c 's/!limit_groups(s, s->groups.usual_bytes)/false/' load/subject
    breaks src/load/subject.c 's/if (n > most) most = n;/most = n > 0 ? (n + most) \/ 2 : 0;/' load/subject
    breaks src/load/subject.c 's/    s->use.memory_kills += .*//' load/subject
    breaks src/load/subject.c 's/return usual > 0 \&\& usual < share ? usual : share;/return share;/' load/subject
    breaks src/sandbox/cgroup.c 's/{CGROUP_MEMORY, "memory.events", "oom_kill", 1}/{CGROUP_MEMORY, "memory.events", "oom", 1}/' sandbox/cgroup
    breaks src/sandbox/cgroup.c 's/"memory.max", bytes ? text : "max"/"memory.max", text/' sandbox/cgroup
    breaks src/judge/stress.c 's/c->has_groups = c->usual_memory_mb > 0;/c->has_groups = false;/' judge/stress
    breaks src/judge/stress_scenarios.c 's/if (!c->has_groups) r->reason = STRESS_WATCHED;//' judge/stress
}

@test "a calibrated server that is not what it says" {
    with_build
    f=src/stub/capacity.c
    breaks $f 's/if (free_ns > begin_ns) begin_ns = free_ns;//' stub/capacity
    breaks $f 's/(size_t)(p->servers + p->queue_limit)/(size_t)(p->servers + p->queue_limit + 1)/' stub/capacity
    breaks $f 's/in_flight >= (size_t)p->cliff_in_flight/in_flight > (size_t)p->cliff_in_flight/' stub/capacity
    breaks $f 's/at_ns - \*slot < 1000000000/at_ns - *slot < 500000000/' stub/capacity
    breaks $f 's/p->coherence \* n \* (n - 1)/p->coherence * n/' stub/capacity
    breaks $f 's/int64_t stalls = 1 + more/int64_t stalls = more/' stub/capacity
    breaks $f 's/works -= /works += /' stub/capacity
    breaks src/stub/draw.c 's/if (forms\[i\].has_mean) .*;//' stub/draw
}

@test "replies and traces that are read wrongly" {
    with_build
    breaks src/load/reply.c 's/return r->has_no_body ? 1 : 0;/return 0;/' load/reply
    breaks src/load/reply.c 's/if (r->status < 100 || r->status > 599)/if (false)/' load/reply
    breaks src/load/reply.c 's/r->status \/ 100 == 1/r->status == 1/' load/reply
    breaks src/load/reply.c 's/r->is_stream &= r->status < 300;//' load/reply
    breaks src/load/reply.c 's/ && !has_more;/;/' load/reply
    breaks src/load/reply.c 's/return has_more ? REPLY_BAD : REPLY_DONE;/return REPLY_DONE;/' load/reply
    breaks src/load/token_scan.c 's/t->has_token |= c != .".;/t->has_token = true;/' load/reply
    breaks src/load/token_scan.c 's/case TOKEN_SCAN_ESCAPE: t->state = TOKEN_SCAN_STRING; return;/case TOKEN_SCAN_ESCAPE: take_in_string(t, c); return;/' load/reply
    breaks src/load/trace.c 's/    qsort(ns.*//' load/trace
    breaks src/load/trace.c 's/time_scale \* 1e-9/1e-9/' load/trace
    breaks src/load/trace.c 's/} else if (row > 1) {/} else if (false) {/' load/trace
}

@test "certificates that nobody checks" {
    with_build
    breaks src/load/tls.c 's/o->trusts_everybody ? SSL_VERIFY_NONE : SSL_VERIFY_PEER/SSL_VERIFY_NONE/' load/tls
    breaks src/load/tls.c 's/return t->X509_VERIFY_PARAM_set1_ip_asc.*/return true;/' load/tls
    breaks src/load/tls.c 's/t->SSL_set1_host(s, t->host) == 1/true/' load/tls
    all_checked
}
