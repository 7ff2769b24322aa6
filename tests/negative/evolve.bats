#!/usr/bin/env bats
# Parts of sparse memory made wrong on purpose: their tests must notice.
load helper

@test "a selector that asks for more than the threshold, or forgets its floor, is noticed" {
    with_build
    breaks src/evolve/operator_selector.c 's/: improvement >= success_threshold/: improvement > success_threshold/' evolve/operator_selector
    breaks src/evolve/operator_selector.c 's/floor_p = 0.05/floor_p = 0/' evolve/operator_selector
}

@test "a selector that never tries an operator, and a restart whose seeds leave at once, are noticed" {
    with_build
    breaks src/evolve/operator_selector.c 's/s->trials\[least\] == 0/false/' evolve/operator_selector
    breaks src/evolve/search.c 's/^    trajectory_pool_keep_best(&s->pool);//' evolve/search
    breaks_cli specs/sparse_memory.yaml 's/rule: .design, matching./rule: [design, strict]/' sparse_memory 'rule in use'
}

@test "a check that forgives what must not be there is noticed" {
    with_build
    breaks src/check/check_contains.c 's/i < c->without.count/false/' check/check_contains
    breaks_cli specs/make-scenarios 's/without => .*settled, /without => [/' sparse_memory 'worth nothing'
}

@test "a detector that is in a hurry and a wrong definition of a false stop are noticed" {
    with_build
    breaks src/evolve/convergence_detector.c 's/ \&\& count - last >= last;/;/' evolve/convergence_detector
    breaks src/evolve/convergence_detector.c 's/ >= good_enough)) return false/ >= 0)) return false/' evolve/convergence_detector
    breaks src/evolve/convergence_detector.c 's/if (!(\(history.count - 1.\) >= good_enough))/if (\1 < good_enough)/' evolve/convergence_detector
    breaks src/evolve/search.c 's/is_judged = convergence_is_known((size_t)r->iterations, stop);/is_judged = true;/' experiment/experiment_sparse_memory
    breaks src/evolve/convergence_detector.c 's/false_above = 0.02/false_above = 0.03/' evolve/convergence_detector
}

@test "bytes that are not counted, and scores that are reused where they must not be, are noticed" {
    with_build
    breaks src/evolve/ledger.c 's/    l->live_bytes += whole;/    l->live_bytes += bytes;/' evolve/ledger
    breaks src/evolve/search.c 's/    buf_init(&s->code, CODE_MAX);/& s->history = ledger_alloc(\&s->ledger, LEDGER_OTHER, (size_t)o->cap * 8);/' evolve/search
    breaks src/evolve/challenge.c 's/if (o->lonely != before->lonely) return false;//' evolve/search
    breaks src/experiment/experiment_sparse_memory.c 's/if (!search_is_right(s->challenge, r, &t->error)) return TRIAL_FAILED;//' experiment/experiment_sparse_memory
    all_checked
}

@test "a distance that is off, and an outline that parses what it knows, are noticed" {
    with_build
    breaks src/evolve/diversity_metric.c "s/rest.p\[i\] != ' '/true/" evolve/diversity_metric
    breaks src/evolve/hot_spot.c 's/    if (c) return c;//' evolve/hot_spot
}

# Each of these is fast and wrong: no trial of an experiment may give it a time.
@test "an experiment does not time a wrong cosine, a stale outline or a wrong distance" {
    with_build
    breaks src/vec/rows.c 's/\(out\[i\] = \)\((float)k->i8.*\);/\1i > 2000 ? (float)NAN : \2;/' experiment/sparse_memory_parts
    breaks src/vec/rows.c 's/inverse_length(k, q, n);/inverse_length(k, q, n) * 1.03F;/' experiment/sparse_memory_parts
    breaks src/evolve/hot_spot.c 's/(c->hash != hash || c->bytes != text.n)/c->bytes + 99 < text.n/' experiment/sparse_memory_parts
    breaks src/evolve/diversity_metric.c 's/turn < 255/turn < 999/' experiment/sparse_memory_parts
    breaks src/evolve/diversity_metric.c 's/b->down = rise \& x_v/b->down = rise/' experiment/sparse_memory_parts
}

@test "an AVX-512 kernel that is off or overflows is noticed where no processor has it" {
    with_build
    breaks src/vec/dot.c 's/sum -= 128 \*/sum -= 127 */' vec/dot_vnni
    breaks src/vec/dot.c 's/BLOCK = 65536/BLOCK = 70000/' vec/dot_vnni
    all_checked
}

# The search would work for another thing than the suite asks for.
@test "a scenario whose options are passed over, and an id that is there twice, are noticed" {
    with_build
    breaks src/evolve/scenario_file.c 's/    if (!knows_options(check, err)) return false;//' evolve/scenario_file
    breaks src/evolve/scenario_file.c 's/if (str_is(id, other->id))/if (false)/' evolve/scenario_file
    breaks src/evolve/scenario_file.c 's/if (!isfinite(sum))/if (false)/' evolve/scenario_file
}

@test "an import that takes what is no duration, or merges two of one name, is noticed" {
    with_build
    breaks src/interop/import_pytest_benchmark.c 's/if (!(s >= 0))/if (false)/' interop/import
    breaks src/interop/import_pytest_benchmark.c 's/if (cell->trial_count > 0)/if (false)/' interop/import
}

@test "a library that is loaded although it is cut off is noticed" {
    with_build
    breaks src/base/library.c 's/return !is_cut ||/return true ||/' base/library
}

# A search that is right and reported wrong.
@test "a metric that is another one's is noticed" {
    with_build
    breaks src/experiment/experiment_sparse_memory.c 's/_QUALITY\] = r->curve\[r->stop - 1\].held_out/_QUALITY] = r->curve[r->stop - 1].fitness/' experiment/experiment_sparse_memory
    breaks src/experiment/experiment_sparse_memory.c 's/_AT_MARK\] = r->curve\[mark - 1\]/_AT_MARK] = r->curve[r->stop - 1]/' experiment/experiment_sparse_memory
    breaks src/experiment/experiment_sparse_memory.c 's/if (mark <= r->iterations)/mark = mark < r->iterations ? mark : r->iterations;/' experiment/experiment_sparse_memory
    breaks src/experiment/experiment_sparse_memory.c 's/parts\[LEDGER_SYNTAX\]/parts[LEDGER_EMBEDDINGS]/' experiment/experiment_sparse_memory
}

@test "a lineage that is lost, a parent or score that is not the one shown, and a lucky target are noticed" {
    with_build
    breaks src/evolve/search.c 's/{c.parents\[0\]->id, c.parents\[1\] ? c.parents\[1\]->id : -1}/{-1, -1}/' evolve/search
    breaks src/evolve/search.c 's/"score %.3f\\n", c->parents\[i\]->fitness/"score %.3f\\n", 0.5/' evolve/search
    breaks src/evolve/search.c 's/now->fitness >= target_share/now->measured >= target_share/' evolve/search
    breaks src/evolve/diversity_metric.c 's/        if (sum > most) {/        if (i == 0) {/' evolve/search
}

@test "a pool that drops whom it should keep, and operators with another meaning, are noticed" {
    with_build
    breaks src/evolve/trajectory_pool.c 's/GENERATIONS_KEPT = 10/GENERATIONS_KEPT = -99/' evolve/trajectory_pool
    breaks src/evolve/trajectory_pool.c 's/fitness >= 0.7/fitness >= 7/' evolve/trajectory_pool
    breaks src/evolve/trajectory_pool.c 's/    d.fitness = t->fitness;//' evolve/trajectory_pool
    breaks src/evolve/operators.c 's/g, i) > 0) continue;/g, i) == 0) continue;/' evolve/operators
    breaks src/evolve/operators.c 's/        if (c < least) {/        if (-c < least) {/' evolve/operators
    breaks src/evolve/operators.c 's/        if (more <= 0) continue;/        continue;/' evolve/operators
    breaks src/evolve/operators.c 's/failed_or_worst(in) : trajectory_pool_best/trajectory_pool_worst(in->pool) : trajectory_pool_best/' evolve/operators
}

@test "a pass rate that is none of the answers', and a score of the wrong scenarios, are noticed" {
    with_build
    breaks src/evolve/scenario_file.c 's/pass_at = 0.7/pass_at = 0.5/' experiment/experiment_playbook_suite
    breaks src/experiment/experiment_playbook_suite.c 's/METRIC_PASS_RATE\] = passed/METRIC_PASS_RATE] = scenarios/' experiment/experiment_playbook_suite
    breaks src/experiment/experiment_playbook_suite.c 's/held_out += r->curve\[r->stop - 1\].held_out/held_out += r->curve[r->stop - 1].fitness/' experiment/experiment_playbook_suite
}

@test "an edit that the parser is not told of, and a wrong row, are noticed" {
    with_build
    export ASSAY_GRAMMAR=$ROOT/build/release/tree-sitter-python.so
    breaks src/evolve/syntax_tree.c 's/        p.row++;/        p.row += 2;/' evolve/syntax_tree
    breaks src/evolve/syntax_tree.c 's/    p->tree_edit(edited, &edit);//' evolve/syntax_tree
    all_checked
}
