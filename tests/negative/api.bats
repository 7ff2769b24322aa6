#!/usr/bin/env bats
# Negative controls of the API: a route that answers otherwise than its command, parameters
# that are not checked, answers that outlive what they are about.
load helper

@test "a route whose bytes are not its command's" {
    with_build
    breaks_cli src/api/endpoint.c 's/answer_json(q->answer, answer, out);/&\n        buf_add_char(out, 32);/' \
        serve 'a route sends'
    breaks_cli src/question/question_results.c 's/c->frame.is_latest \&\& is_met/false \&\& is_met/' \
        serve 'results of an agent'
}

@test "files that are written through links" {
    with_build
    breaks src/base/outdir.c 's/O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC/O_DIRECTORY | O_CLOEXEC/' base/outdir
    breaks src/base/outdir.c 's/O_RDONLY | O_NOFOLLOW | O_NONBLOCK/O_RDONLY | O_NONBLOCK/' base/outdir
    breaks src/base/outdir.c "s/path\[n - 1\] == '\/'/false/" base/outdir
}

@test "parameters that are not checked, and files that are taken for runs" {
    with_build
    breaks_cli src/api/endpoint.c 's/if (!param_fits(row, item, &why))/if (false)/' serve 'a request that is wrong'
    breaks_cli src/api/endpoint.c 's/if (row) refusal_add/if (row \&\& !row->name) refusal_add/' serve 'is blamed on its parameter'
    breaks_cli src/rank/ranking.c 's/\.suite = q->filter.suite,//' alarms 'leaderboard --stale --fail'
    breaks_cli src/api/api.c 's/\.is_served = true/.is_served = false/' serve 'files of the machine'
}

@test "a change that is answered by 304, an id of another log, places that all share, a run that had ended" {
    with_build
    breaks_cli src/api/api.c 's/is_known = is_get(r) \&\& /is_known = /' serve 'executions are recorded'
    breaks_cli src/api/feed.c 's/str_is(epoch, log->epoch) \&\& //' queue 'a server that is told to stop'
    breaks_cli src/api/queue.c 's/n += strcmp(e->r.workspace, workspace) == 0;/n++;/' queue 'leaves those of the others free'
    breaks_cli src/api/queue.c 's/if (has_ended) return REQUEST_DONE;//' queue 'had ended when'
    breaks src/api/feed.c 's/drop_half(log, true);//' api/feed
    breaks_cli src/api/queue.c 's/!is_alone || //' queue 'a second server'
    breaks_cli src/api/api.c 's/setrlimit(RLIMIT_NOFILE, &ours) != 0/true/' queue 'limit of open files'
}

@test "answers that are kept too long, or freed while they are sent" {
    with_build
    breaks src/api/cache.c 's/e->age.generation != age.generation/false/' api/cache
    breaks src/api/cache.c 's/e->age.day != age.day/false/' api/cache
    breaks src/api/cache.c 's/if (e->body->users == 0) free_body/free_body/' api/cache
    breaks_cli src/api/api.c 's/looked_ns > look_ns/looked_ns > 1000 * INT64_C(1000000000)/' serve 'who has the answer'
}

@test "a request that was begun and is cut off, and one that is not counted" {
    with_build
    breaks_cli src/api/api.c 's/DRAIN_S = [0-9]*/DRAIN_S = 0/' serve 'what was begun'
    breaks src/http/server.c 's/    hang_up(l->server, l->connection);//' http/server
    breaks src/http/server.c 's/^    allow_seconds(x, s->options.idle_s.*//' http/server
    breaks_cli src/api/traffic.c 's/    t->buckets\[bucket\]++;//' serve 'requests are counted'
    breaks_cli src/api/traffic.c 's/16 << 10/4096/' serve 'too strange for the log'
}
