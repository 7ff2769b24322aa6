#!/usr/bin/env bats
# A load that counts in its own favour must be noticed.
load helper

@test "loads that lose requests, or count from the send" {
    with_build
    breaks src/load/worker.c 's/c->due_ns = due_ns ? due_ns : now;/c->due_ns = now;/' load/load
    breaks src/load/worker.c 's/s->w->counts.timed_out++;//' load/load
    breaks src/load/worker.c 's/bool is_good = c->status < 400;/bool is_good = true;/' load/load
    breaks src/load/worker.c 's/c->header_bytes > LOAD_HEADER_MAX/false/' load/load
    breaks src/load/schedule.c 's/return rng_exponential(&s->rng);/return 1;/' load/schedule
    breaks src/load/target.c 's/    t->is_local = is_local(&t->address);/    t->is_local = true;/' load/target
}
