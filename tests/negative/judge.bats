#!/usr/bin/env bats
# Comparisons and claims, made dishonest on purpose: their tests must notice.
load helper

@test "claims decided by the point, not the interval" {
    with_build
    breaks src/judge/claims.c 's/held->low >= c->min/held->value >= c->min/' judge/claims
}

@test "a claim that needs to hold in one cell only" {
    with_build
    breaks src/judge/claims.c 's/\[CLAIM_HOLDS\] = 1/[CLAIM_HOLDS] = 9/' judge/claims
}

@test "claims that decide in their own way" {
    with_build
    breaks src/judge/claims.c 's/if (f.used < 2) return true;/return true;/' judge/claims
    breaks src/judge/claims.c 's/? \&x->held : \&x->failed;/? \&x->held : \&x->held;/' judge/claims
    breaks src/judge/claims.c 's/c->margin \* fabs(a->arm\[0\].centre)/c->margin/' judge/claims
    breaks src/judge/claims_subject.c 's/.run_count = {p->run_count\[0\], p->run_count\[1\]}/.run_count = {0, 0}/' history/regress claims_and_regressions_take_the_same_runs_of_a_version
    breaks src/judge/claims_measure.c 's/units_bound(s->cell, s->of,/units_reach(\&s->ask.units[1], s->kind,/' history/gate
    breaks src/view/units.c 's/struct units_level level = units_reach(/struct units_level level = units_level(/' history/gate
    breaks src/judge/claims.c 's/^        if (n > 0) weigh_mean_level(c, r, family, n, alpha);//' history/gate
    breaks src/history/gate.c 's/w->alpha \/ (double)n, \*w->out/w->alpha, *w->out/' history/gate
    breaks src/history/gate.c 's/if (mean.n == 0 || /if (mean.n > 0 || /' history/gate
}

@test "a beaten band that always fails" {
    with_build
    breaks src/judge/claims.c 's/if (c->is_strict) \*far/*far/' judge/claims
}

@test "metrics of other definitions compared" {
    with_build
    breaks src/judge/compare.c 's/if (gap.code == COMPARE_FITS) return;/return;/' judge/compare
    breaks src/model/metric.c 's/strcmp(a->definition, b->definition) != 0/false/' judge/compare
}

@test "a kind that is guessed anew, or not stored" {
    with_build
    breaks src/experiment/declared.c 's/if (s->kind != KIND_UNSAID) return s->kind;//' experiment/declared
    breaks src/store/sqlite_append.c 's/kind_name(m->kind)};/NULL};/' interop/import
    breaks src/base/kind.c 's/\*are_flags &= values\[i\] == 0 || values\[i\] == 1;/*are_flags \&= values[i] >= 0 \&\& values[i] <= 1;/' base/kind
    breaks src/interop/import_write.c 's/^    imported_settle_kinds(in);//' interop/import
    all_checked
}

@test "recorded runs that do not count, and levels told for effects" {
    with_build
    breaks src/history/recorded_stats.c 's/runs\[subject->run_count\[side\]++\] = run;/runs[0] = run;/' history/recorded
    breaks src/history/recorded_stats.c 's/double change = a->effect.ratio - 1;/double change = (double)NAN;/' history/recorded
    breaks src/judge/ask.c 's/if (side->runs\[r\].count > 1) return false;/return false;/' history/recorded
    breaks src/stats/verdict.c 's/if (!are || verdict_between_runs(&w->q->runs).sd > 0) return false;/if (!are) return false;/' stats/verdict runs_that_differ_are_not_constants
    all_checked
}

@test "agents matched with other agents" {
    with_build
    breaks src/judge/compare.c 's/if (by_hand) compare_match/compare_match/' judge/compare
}

@test "a cell known by its place, not by its parameters" {
    with_build
    breaks src/model/cell.c 's/put_settings(&j, e, but, &scratch);/json_null(\&j);/' model/cell
}

@test "many comparisons without adjustment" {
    with_build
    breaks src/stats/family.c 's/ask_at(c, holm_level(&steps, order\[i\].p, alpha), scratch, err)/ask_at(c, alpha, scratch, err)/' judge/compare
}

@test "repeats of a case counted as evidence" {
    with_build
    breaks src/view/units.c 's/known == count \&\& count > 0/known > count/' judge/compare
}

@test "miss rates measured without a step" {
    with_build
    breaks src/history/trend_rates.c 's/missed\[s\] += !is_found/missed[s] += is_found/' history/trend
}

@test "a history that leaves out who does not answer, hangs, or costs more" {
    with_build
    breaks src/history/trend.c 's/if (isnan(e->units.values\[k\])) continue;/if (!isfinite(cell_value(e, k))) continue;/; s/^static size_t take_samples/static double cell_value(const struct entry *e, size_t k) { return e->units.values[k] > 0 ? e->units.values[k] : (double)NAN; }\n&/' history/trend an_agent_that_stops_answering_is_less_right
    breaks src/history/trend_analyse.c 's/is_beyond ? 2 \* longest : values/values/' history/trend
    breaks src/history/trend.c 's/units_level(&u, s->kind,/units_level(\&u, KIND_RATIO,/' history/trend
    breaks src/history/trend.c 's/ && is_of_one_source(a, b);/ \&\& (is_of_one_source(a, b) || true);/' history/trend
}

@test "another machine called a drift" {
    with_build
    breaks src/history/trend.c 's/(l->q->any_host || strcmp(a->host, b->host) == 0)/true/' history/regress another_machine_is_no_drift
}

@test "a bill compared by its typical task" {
    with_build
    breaks src/history/recorded_stats.c 's/"recorded.cost\/1", .kind = KIND_SUM/"recorded.cost\/1"/' history/recorded
}

@test "growth of memory across two processes" {
    with_build
    breaks src/view/view_growth.c 's/cell->segments\[end\] == cell->segments\[from\]/true/' \
        view/view_growth
}

@test "a key that is cut in the middle is shown" {
    with_build
    breaks src/base/secret.c 's/at < value.n \&\& w.count < SECRET_PIECE;/at < value.n;/' base/secret
}

@test "a key in capitals, or percent-encoded, is shown" {
    with_build
    breaks src/base/secret.c "s/c = (unsigned char)(c - 'A' + 'a');/(void)c;/" base/secret
    breaks src/base/secret.c 's/next = at + 3;/next = at + 1;/' base/secret
}

@test "a function called hot after three samples" {
    with_build
    breaks src/judge/profile_rules.c 's/p->samples < PROFILE_HOT_LEAST/false/' judge/profile_rules
}

@test "a bare threshold of 5 taken for 500 %, and limits that are not held" {
    with_build
    breaks src/base/param.c 's/if (share > 1 \&\& !has_sign)/if (false)/' cli/options
    breaks src/base/param.c 's/row->open ? x <= row->min : x < row->min/false/' cli/options
}

@test "patterns that show another interval than decided, cases and failures that are left out" {
    with_build
    breaks src/history/regress.c 's/count > 1 \&\& !ask_at/count > 99 \&\& !ask_at/' history/regress patterns_show_the_interval_that_decided
    breaks src/history/regress_impact.c 's/!isnan(b.values\[k\])/isfinite(b.values[k])/' history/regress a_case_that_was_timed_out_is_the_worst
    breaks src/history/regress_shape.c 's/cell->statuses\[i\] == status;/cell->statuses[i] != TRIAL_OK;/' history/regress new_kinds_of_failure
}

@test "askers that decide in their own way" {
    with_build
    breaks src/history/gate.c 's/if (x->verdict == VERDICT_WORSE) c->state/if (x->amount > 0) c->state/' judge/agreement
    breaks src/history/regress.c 's/if (x->verdict == VERDICT_WORSE) return REGRESS_FOUND;/if (x->amount > row->threshold) return REGRESS_FOUND;/' judge/agreement
    breaks src/judge/versus_compare.c 's/.margin = v->question.margin/.margin = 10 * v->question.margin/' judge/agreement
}

@test "shares compared by medians, and tests that are not exact" {
    with_build
    breaks src/stats/share.c 's/return share_fisher(hits, n);/return 0;/' stats/verdict shares_are_compared_by_means
    breaks src/stats/share.c 's/correlation(to, from)/correlation(s->to.mean, s->from.mean)/' stats/verdict a_share_that_all_pairs_lose_is_worse
    breaks src/stats/share.c 's/fmax(high, -STEP)/high/' stats/verdict a_share_that_all_pairs_lose_is_worse
    breaks src/stats/share.c 's/    leave_zero(q, alpha, \&d);//' stats/verdict what_the_signs_show_leaves_zero_out
    breaks src/view/units.c 's/.of_share = metric->kind == KIND_SHARE || is_sum/.of_share = false/' judge/claims
}

@test "versions that are known to be worse as baselines" {
    with_build
    breaks src/view/baseline.c 's/        if (!worse) {/        if (true) {/' history/regress a_version_that_is_known_to_be_worse_is_no_baseline
    breaks src/view/alarmed.c 's/(is_open && was_real_before(alarmed, a, e, &cell))/false/' history/regress a_version_that_is_known_to_be_worse_is_no_baseline
    breaks src/view/alarmed.c 's/                     !alarm_is_muted(a, alarmed->now);/                     true;/' history/regress a_version_that_is_known_to_be_worse_is_no_baseline
}

@test "a gate that lets pass what was not measured" {
    with_build
    breaks src/history/gate.c 's/if (is_retired(w->gate->policy, lost)) continue;/continue;/' history/gate
    breaks src/history/gate.c 's/if (!p->cut\[k\]) continue;/continue;/' history/gate
    breaks src/history/gate.c 's/bool is_whole = !ask_is_short(&c->ask);/bool is_whole = true;/' history/gate
    breaks src/judge/ask.c 's/if (more\[DONE\] > 0) ask->gone/ask->gone/' history/gate
    breaks src/view/units.c 's/fmax(level.high, u->values\[i\])/fmax(level.high, level.centre)/' history/gate
    breaks src/view/view.c 's/bool was_ended = /bool was_ended = true || /' history/gate
}

@test "outcomes that nobody knows left out, and no answer that is no wrong one" {
    with_build
    breaks src/view/units.c 's/ends\[0\]\[i\] = is_ours ? 0 : v;/ends[0][i] = v;/' judge/agreement
    breaks src/judge/versus_compare.c 's/k < 2 \&\& is_open/k < 0/' judge/agreement
    breaks src/judge/versus_compare.c 's/k < 2 \&\& open > 0/k < 0/' judge/versus outcomes_that_nobody_knows_leave_the_overall_open
    breaks src/stats/hull.c 's/are_one ? against->verdict : VERDICT_UNDECIDED/against->verdict/' judge/agreement
    breaks src/judge/worsening.c 's/x.worst <= 0/x.amount <= 0/' judge/agreement
    breaks src/view/units.c 's/if (isnan(v) \&\& is_accuracy \&\& has_failed) v = 0;//' judge/agreement
    breaks src/history/regress_shape.c 's/m.samples = samples;/m.samples = samples, m.is_of_trials = true;/' judge/agreement
}

@test "ranks told apart though no verdict says so" {
    with_build
    breaks src/rank/ranking_units.c 's/d->is_told = d->answer.p < d->level/d->is_told = d->answer.p < 2/' rank/ranking clear_differences_are_told_and_small_ones_are_not
}

@test "an answer about other values taken for this one" {
    with_build
    breaks src/base/memo.c 's/e->hash != hash || !str_equal(e->key, key)/e->key.n != key.n/' rank/ranking
    breaks src/base/memo.c 's/e->hash != hash || !str_equal(e->key, key)/e->key.n != key.n/' base/memo
}

@test "a time-out that hides what other cases lost" {
    with_build
    breaks src/stats/verdict_values.c 's/if (!w->is_of_cases) return beyond_all(is_log);/return beyond_all(is_log);/' stats/verdict_cases
    breaks src/stats/verdict.c 's/margin > 0 \&\& !w->is_cut_apart/margin > 0/' stats/verdict_cases
}

@test "a change named by its sign alone" {
    with_build
    breaks src/history/trend_analyse.c 's/\.higher_is_better =$/.limit = 0.5, .higher_is_better =/' judge/agreement
}

@test "a breaking point that is placed without queues, roughly, or at the first look" {
    with_build
    breaks src/judge/breaking.c 's/growth - growth_limit/-1/' judge/breaking the_mode_has_its_evidence
    breaks src/judge/breaking.c 's/^#define PRECISION .*/#define PRECISION 1.5/' judge/breaking a_break_stands_without_the_flood
    breaks src/judge/breaking.c 's/return p < level ? side : LEVEL_OPEN/return side/' judge/breaking near_the_limit_more_blocks_are_asked_for
    breaks src/judge/breaking.c 's/if (is_void || block->is_spoiled) {/if (is_void) {/' judge/breaking spoiled_blocks_do_not_count
}

@test "a server that is said to break before it does" {
    with_build
    breaks src/judge/breaking.c 's/excess->mean > 0 ?/excess->mean > -0.5 ?/' judge/breaking
}

@test "ways of breaking that are mixed up" {
    with_build
    breaks src/judge/breaking.c 's/^#define FLOOD  .*/#define FLOOD 1.0/' judge/breaking a_break_stands_without_the_flood
    breaks src/judge/breaking.c 's/highest = lowest = x->rate.mean;/highest = x->rate.mean;/' judge/breaking a_break_stands_without_the_flood
    breaks src/judge/breaking.c 's/^#define FALLS_BELOW .*/#define FALLS_BELOW 0.1/' judge/breaking the_mode_has_its_evidence
    breaks src/judge/breaking.c 's/^#define MEMORY_SHARE .*/#define MEMORY_SHARE 1.2/' judge/breaking the_mode_has_its_evidence
    breaks src/judge/breaking.c 's/if (a->mode != BREAKING_QUEUE_GROWTH || .*/if (false) return;/' judge/breaking a_way_back_longer_than_its_queue_is_the_failure
    breaks src/judge/breaking.c 's/^#define SLOW_FACTOR .*/#define SLOW_FACTOR 1.0/' judge/breaking a_way_back_longer_than_its_queue_is_the_failure
    breaks src/judge/stress_scenarios.c 's/> KNEES_APART)/> 1e9)/' judge/stress
    breaks src/judge/breaking.c 's/flood->refused_share.mean > flood->error_share.mean/flood->refused_share.mean < flood->error_share.mean/' judge/breaking the_mode_has_its_evidence
}

@test "scenarios that pass what they should not" {
    with_build
    f=src/judge/stress_scenarios.c
    breaks $f 's/growth->p < LEAK_P \&\& relative > GROWTH_SHARE/false/' judge/stress
    breaks $f 's/if (isnan(s.estimate))/if (false)/' judge/stress
    breaks $f 's/STILL_BLOCKS = 5/STILL_BLOCKS = 8/' judge/stress
    breaks src/judge/breaking.c 's/error_share = t->error_share;/error_share = fmax(0.01, t->error_share);/' judge/breaking
    breaks src/judge/stress_spike.c 's/else if (least >= allowed)/else if (false)/' judge/stress
    breaks src/judge/stress_spike.c 's/if (isfinite(recovery) \&\& !(recovery > allowed))/if (isfinite(recovery))/' judge/stress
    breaks src/judge/stress_spike.c 's/if (c->count == 1) return ask_longer_tail(c, ask);//' judge/stress
    breaks src/judge/stress_spike.c 's/SLOW_DRAIN  2.0/SLOW_DRAIN  0.5/' judge/stress
    breaks src/judge/stress_spike.c 's/else if (rate < STALL_SHARE)/else if (false)/' judge/stress
    breaks $f 's/if (a->step != BREAKING_DONE) {/if (a->step == BREAKING_SPOILED) {/' judge/stress
    breaks $f 's/if (p->blocks\[i\].is_spoiled) continue;//' judge/stress
    breaks src/judge/stress.c 's/return !b->is_spoiled && !(isnan(b->recovery_s)/return !(isnan(b->recovery_s)/' judge/stress
    breaks src/judge/stress.c 's/ && !(isnan(b->recovery_s) && b->baseline < STRESS_BASELINE_MIN);/;/' judge/stress
    breaks $f 's/(double)held . (double)all/1/' judge/stress
    breaks $f 's/r->rule.name = strcmp(r->rule.name, "p95_beyond_objective") == 0/r->outcome = STRESS_HELD, &/' judge/stress
    breaks $f 's/r->outcome = STRESS_NOT_APPLICABLE;/r->outcome = STRESS_HELD;/' judge/stress
    breaks $f 's/        r->reason = STRESS_NO_LEAK;/        return;/' judge/stress
    breaks $f 's/if (isnan(of_p95.estimate))/if (false)/' judge/stress
    breaks $f 's/if (isnan(retry_s)) {/if (false) {/' judge/stress
    breaks $f 's/final_rate < RETROGRADE_SHARE \* best \&\& is_below(last, peak)/false/' judge/stress
    breaks $f 's/final_rate < RETROGRADE_SHARE \* best \&\& is_below(last, peak)/true/' judge/stress
    breaks src/judge/stress.c 's/ || !stress_is_spoiled(p))/ || true)/' judge/stress
    breaks src/judge/stress.c 's/if (told.count == c->count || .*/if (told.count > 0) return;/' judge/stress
    breaks src/judge/stress.c 's/if (isnan(s->results\[i\].score)) continue;//' judge/stress
    breaks src/judge/stress.c 's/#define NORMAL_SHARE .*/#define NORMAL_SHARE 1/' judge/stress
}

@test "cases that a run was stopped before, left out of --fail-under" {
    with_build
    sed -i 's/return was_ended || left < 0 ? 0 : (size_t)left;/return was_ended || left < 99 ? 0 : 1;/' src/suite/scoring.c
    make -s WERROR=-Wno-error build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f "stopped before count" tests/cli/exits.bats
}

@test "an answer that the file of embeddings lacks, called our failure" {
    with_build
    breaks src/check/check_similarity.c 's/if (s->config->file && !entry_of(s, input->output)) {/if (false) {/' \
        check/check_similarity
}

@test "a gate's rule on a benchmark that nothing has, taken" {
    with_build
    sed -i 's/bool is_known = !rule->benchmark || !rule->is_block;/bool is_known = true;/' src/history/gate.c
    make -s WERROR=-Wno-error build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f "problems of a policy" tests/cli/gate.bats
}

@test "a load judged by the length and the failures of its blocks" {
    with_build
    breaks src/history/gate.c 's/return is_time ? primary : rule->metric;/return is_time ? rule->metric : rule->metric;/' history/gate
    breaks src/history/gate.c 's/rule->kind != GATE_FAILURES || rule->is_chosen/rule->kind != GATE_FAILURES || true/' history/gate
}

@test "health without what must be known" {
    with_build
    breaks src/history/regress.c 's/return is_grave(metric) || strcmp(metric, "cost_usd") == 0;/return is_grave(metric);/' history/regress a_cost_that_may_have_grown_is_not_healthy
    breaks src/history/regress.c 's/is_chosen(chosen, now->name) || is_vital(now->name);/is_chosen(chosen, now->name);/' history/regress what_must_be_known_is_not_turned_off
    breaks src/history/regress.c 's/p->cut\[1\] || !is_known/p->cut[1]/' history/regress what_must_be_known_is_not_turned_off
}

@test "a list of metrics that only one name of a key finds, and a gate that says two things" {
    with_build
    breaks_cli src/spec/spec_suite.c 's/item = with_our_names(&r, list->list.items\[i\]);/item = list->list.items[i];/' regressions 'whichever names'
    breaks_cli src/history/gate.c 's/if (is_block \&\& gate->must_decide)/if (false)/' gate 'accuracy floor'
}

@test "failures that are ignored taken for none" {
    with_build
    breaks src/judge/compare.c 's/if (is_ignored\[0\] != is_ignored\[1\])/if (is_ignored[0] \&\& !is_ignored[1])/' history/gate
}

@test "a lead with an interval that did not decide, speeds compared by scores, other runs in a run" {
    with_build
    breaks src/rank/ranking_units.c 's/ask_pair(w, m, d->agent, d->level, /ask_pair(w, m, d->agent, VERDICT_ALPHA, /' rank/ranking a_lead_is_decided_by_the_interval_that_is_shown
    breaks src/stats/share.c 's/if (total > 1) qsort/if (total > 9999999) qsort/' rank/ranking_versus
    breaks src/model/score_id.c 's/score == SCORE_SPEED ? KIND_RATIO : KIND_SHARE/KIND_SHARE/' rank/ranking speed_is_compared_by_times
    breaks src/store/sqlite_rank.c 's/WHERE be.run_id = ?7 AND/WHERE ?7 IS NOT NULL AND/' rank/ranking a_run_is_ranked_by_its_own_executions
    breaks_cli src/rank/ranking.c 's/w->latest.i..prompt : ""/w->latest[i].category : ""/' ranked 'with versions merged'
    breaks src/store/sqlite_schema_rank.c 's/" row ".parameters, / /' store/sqlite_rank rollups_agree_with_executions_whatever_happens
}

@test "a level of trials where there are cases" {
    with_build
    breaks_cli src/view/view.c 's/m->centre = level.centre;/m->centre = m->kind == KIND_RATIO ? m->median : level.centre;/' score 'have one level'
}

@test "rows of an agent that are kept though it changed" {
    with_build
    breaks src/store/sqlite_schema.c 's/AFTER INSERT ON benchmark_executions/& WHEN 0/' store/sqlite_rank
    breaks src/store/sqlite_schema.c 's/AFTER UPDATE ON benchmark_executions/& WHEN 0/' store/sqlite_rank
    breaks src/store/sqlite_schema.c 's/AFTER DELETE ON benchmark_executions/& WHEN 0/' store/sqlite_rank
    breaks src/store/sqlite_schema.c 's/SET stamp = random(); END/SET stamp = stamp; END/' store/sqlite_rank
    breaks src/rank/ranking_units.c 's/buf_add_bytes(&bytes, one->scores, sizeof one->scores);//' rank/ranking
    breaks src/base/memo.c 's/, .numbers = memo->numbers//' base/memo
}

@test "parts of an effect that do not add up to it" {
    with_build
    breaks_cli src/judge/why.c 's|weights\[i\] /= (double)used \* (double)count;|weights[i] /= (double)v->case_count;|' why 'planted wrong answer'
    breaks_cli src/judge/why.c 's|prompts ? 1 / (double)prompts : 0|prompts ? 1 : 0|' why 'levels are those'
    breaks_cli src/judge/why.c 's/if (is_score) f->value/if (is_score \&\& !f->name) f->value/' why 'levels are those'
}

@test "a mean over cases that have no value" {
    with_build
    breaks_cli src/judge/why.c 's|(k->weight / f->valued);|k->weight;|' why 'values are means'
}

@test "agents that are told apart in one tie group" {
    with_build
    breaks_cli src/rank/ranking_units.c 's/!entries.i..told.last./entries[last].rank_low <= entries[i].rank_high/' ties 'who is told apart'
}

@test "a failure whose cost nobody counts" {
    with_build
    breaks_cli src/agent/oneshot.c 's/if (read_usage(p, &reported, &ignored)) .a = reported;//' cost 'a failed attempt'
}

@test "a sentence that decides by itself" {
    with_build
    breaks src/report/outcome_words.c 's/if (is_best_better(o))/if (o->top.answer.effect.high < 1)/' rank/outcome
    breaks src/report/phrase_arms.c 's/answer->verdict == VERDICT_BETTER/answer->effect.high < 1/' rank/outcome
    breaks src/rank/outcome.c 's/if (!is_theirs) continue;/continue;/' rank/outcome
    breaks src/report/phrase_arms.c 's/is_narrow ? 2 \* a->alpha : a->alpha/VERDICT_ALPHA/' rank/outcome
}

@test "a cheaper agent chosen by points, or by weights of its own" {
    with_build
    breaks src/rank/cost_choice.c 's/is_no_worse(&answers\[ACCURACY\])/to->accuracy >= from->accuracy/' rank/cost right_and_dear_right_and_cheap_wrong_and_cheapest
    breaks src/rank/cost_choice.c 's/bool would_do = is_better(&answers\[COST\])/bool would_do = saves/' rank/cost
    breaks src/rank/cost.c 's/sum += s->value;/sum += s->value * (double)e->parts[i].count;/' rank/cost
}

@test "a case passed in most attempts though its reducer wants all" {
    with_build
    breaks src/score/score_cases.c 's/c->judged > 0 ? CASE_RIGHT : CASE_UNJUDGED/CASE_RIGHT/' score/scores
    breaks src/score/score_cases.c 's/ || c->ok < c->attempted) return CASE_WRONG;/) return CASE_WRONG;/' score/scores
    breaks src/score/score_cases.c 's/reduce_passes(reducer, true, values, (size_t)c->judged)/reduce_passes(REDUCER_MEAN, true, values, (size_t)c->judged)/' score/scores
    breaks src/score/score_cases.c 's/is_share || is_money, values, kept/is_share, values, kept/' score/scores a_case_is_one_value_of_its_passes
}

@test "a page whose numbers are not those of the JSON" {
    with_build
    breaks_cli src/report/html_outcome.c 's|put_value(p, 3, e->overall);|put_value(p, 3, e->overall + 0.001);|' report 'numbers are those'
}

@test "what was imported again is not the latest" {
    with_build
    breaks src/store/sqlite_rows.c 's/max(0, (SELECT max(rowid) FROM runs))"/max(0, (SELECT min(rowid) FROM runs))"/' store/contract
    breaks src/interop/bundle.c 's/note_has(&run->notes, NOTE_AGAIN) ||/false ||/' interop/bundle
}

@test "claims that do not see what failed" {
    with_build
    breaks src/view/units.c 's/samples\[i\] = is_filled ? end_of(m, end) : m->samples\[i\];/samples[i] = m->samples[i];/' judge/claims
    breaks src/judge/claims.c 's/if (t.outcome == CLAIM_HOLDS && a && is_short(s))/if (false)/' judge/claims
}
