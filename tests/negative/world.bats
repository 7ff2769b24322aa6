#!/usr/bin/env bats
# The world, its observations and its stores made wrong on purpose.
load helper

@test "a storage that forgets to move, to fade or to place is noticed" {
    with_build
    breaks src/world/observation.c 's/p.value > 0 && shift_cell(&p.cell, lens, dx, dy)/p.value > 0/' world/observation
    breaks src/world/observation.c 's/if (dx || dy) shift_plane/if (dx) shift_plane/' world/observation
    breaks src/world/observation.c 's/v \* fx \* fy/v * fx/' world/observation
    breaks src/world/observation.c 's/lens->fov_radius + 0.7072/lens->fov_radius/' world/observation
}

@test "experiments notice an index and a placement that are wrong for everybody" {
    with_build
    breaks src/experiment/looking.c 's/if (!perception_verify(&l->perception, &l->arenas\[1\], &t->error)) status = TRIAL_FAILED;/(void)!perception_verify(\&l->perception, \&l->arenas[1], \&t->error);/' experiment/looking
    breaks src/world/observation.c 's/v \* fx \* fy/v * fx/' experiment/looking
    breaks src/world/observation.c 's/v \* fx \* fy/v * fx/' experiment/profilers
    breaks src/index/spatial_slots.h 's/out += dx1 \* dx1 + dy1 \* dy1 <= radius2;/out += 0;/' experiment/looking
    breaks src/world/observation.c 's/if (w->event_count) see_events/if (false) see_events/' experiment/looking
    breaks src/index/spatial_hash.c 's/^    double radius2 = radius \* radius;/    if (centre.x < 50) return;\n&/' experiment/profilers every_index_sees_the_same_and_the_shares_add_up
    breaks src/index/spatial_hash.c 's/^    double radius2 = radius \* radius;/    if (centre.x < 50) return;\n&/' experiment/experiment_memory_db
}

@test "other rules are another life: the digests of seeds notice" {
    with_build
    breaks src/world/world.c 's/stride = 1.5/stride = 1.6/' world/world
    breaks src/world/world.c 's/growth_chance = 0.1/growth_chance = 0.2/' world/world
}

@test "rows that are lost, other pragmas and a writer that does not commit are noticed" {
    with_build
    breaks src/world/simulation.c 's/if (!world_db_flush(s->db, err)) return false;//' world/world_db
    breaks src/world/sql.c 's/PRAGMA synchronous=%lld;/PRAGMA synchronous=%lld;PRAGMA synchronous=1;/' world/world_db
    breaks src/world/simulation.c 's/s->config->store == SIMULATION_DISK/0/' world/world_db
    breaks src/experiment/experiment_system_profiler.c 's/    struct sample .x = &s->samples.s->sample_count.;/    if (s->is_thinned) return;\n&/' experiment/profilers
    breaks src/world/sql_workload.c 's/sql_prepare(sql, insert_row, &insert, &err);/& (void)!sql_exec(sql, "BEGIN", \&err);/' world/sql_workload
}

@test "spatial experiments that do not ask for one, for edges and for ties are noticed" {
    with_build
    breaks src/experiment/spatial_workload.c 's/return (spatial_nearest(judge->index, c, 1, found)/return true || (spatial_nearest(judge->index, c, 1, found)/' experiment/experiment_spatial
    breaks src/experiment/spatial_workload.c 's/i < SPATIAL_EDGES/i < 0/' experiment/experiment_spatial
}

@test "experiments that do not look at the rows that were left are noticed" {
    with_build
    breaks src/experiment/experiment_memory_db.c 's/if (s->is_wanted\[i\] && !simulation_holds/if (false \&\& !simulation_holds/' experiment/experiment_memory_db
    breaks src/experiment/experiment_system_profiler.c 's/if (status == TRIAL_OK && !is_right(s, &content, &t->error)) status = TRIAL_FAILED;/(void)!is_right(s, \&content, \&t->error);/' experiment/profilers
    breaks src/experiment/experiment_database_profiler.c 's/if (status == TRIAL_OK && !is_right(s, &t->error)) status = TRIAL_FAILED;/(void)!is_right(s, \&t->error);/' experiment/profilers
    breaks src/experiment/experiment_pragma_profile.c 's/ && !sql_work_verify(&s->works\[i\], &t->error))/ \&\& false)/' experiment/experiment_pragma_profile
    breaks src/world/sql_workload.c 's/sql_bind_int(insert, 4, timestamp + id);/sql_bind_int(insert, 4, 0);/' experiment/experiment_pragma_profile
    breaks src/world/world_db.c 's/i < db->buffered_count; i++/i < 0; i++/' experiment/profilers
    breaks src/world/world_db.c 's/sql_bind_real(s, 5, deed->reward)/sql_bind_real(s, 5, 0)/' experiment/profilers
    breaks src/world/world_db.c 's/sql_bind_real(s, 6, a->resources)/sql_bind_real(s, 6, a->health)/' experiment/experiment_memory_db
    breaks src/world/world_db.c 's/put_summary(db, w, err) &&/(w->step % 2 || put_summary(db, w, err)) \&\&/' experiment/experiment_memory_db
}

@test "a time that leaves out what is still in the log is noticed" {
    with_build
    breaks src/experiment/experiment_pragma_profile.c 's/workload != SQL_READ_HEAVY) sql_work_close/workload > SQL_MIXED) sql_work_close/' experiment/experiment_pragma_profile
    breaks src/experiment/experiment_database_profiler.c 's/    if (c->store == STORE_DISK) {/    if (false) {/' experiment/profilers
}

@test "durability that is not probed in every trial, or not within a commit, is noticed" {
    with_build
    breaks src/world/sql_workload.c 's/writes.fatal = 1 + .*/kill(getpid(), SIGKILL);/' world/sql_workload
    breaks src/world/sql_workload.c 's/if (out->found % BATCH != 0) out->is_intact = false;//; s/is_ok == 1;/true;/; s/out->is_intact = false;/{}/' world/sql_workload
    breaks src/experiment/experiment_pragma_profile.c 's/ \&\& !probe_all(s, t->private_seed, \&t->error)/ \&\& t->iteration == 0 \&\& !probe_all(s, 1, \&t->error)/' experiment/experiment_pragma_profile
}

@test "a cleanup that removes the wrong entries is noticed, where there is a Redis" {
    with_build
    breaks src/world/agent_memory.c 's/(unsigned long long)clock_ns()/0ULL/' world/agent_memory
    breaks src/experiment/experiment_redis_memory.c 's/if (kept) note_time/note_time/' experiment/experiment_redis_memory
    breaks src/world/agent_memory.c 's/(int64_t\[\]){0, n - 1}/(int64_t[]){1, n}/' world/agent_memory
    all_checked
}

@test "redis_memory without one of its checks is noticed, where there is a Redis" {
    with_build
    breaks src/experiment/experiment_redis_memory.c 's/if (!str_equal(json, expected))/if (false)/' experiment/experiment_redis_memory
    breaks src/experiment/experiment_redis_memory.c 's/if (!is_right(s, &s->searches\[i\], err)) return false;//' experiment/experiment_redis_memory
    breaks src/experiment/experiment_redis_memory.c 's/return is_written(s, err) && clean_up(s, err) && is_cleaned(s, err);/return clean_up(s, err) \&\& is_cleaned(s, err);/' experiment/experiment_redis_memory
    breaks src/experiment/experiment_redis_memory.c 's/ && is_cleaned(s, err);/;/' experiment/experiment_redis_memory
    breaks src/experiment/experiment_redis_memory.c 's/!will_be_forgotten(s, i, err))/false)/' experiment/experiment_redis_memory
    breaks src/world/agent_memory.c 's/if (m->writes\[e->agent\]++ > 0) continue;/continue;/' experiment/experiment_redis_memory
    breaks src/world/redis.c 's/r->set_timeout(r->context, timeout);//' experiment/experiment_redis_memory
    all_checked
}
