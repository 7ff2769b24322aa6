#!/usr/bin/env bats
# Negative controls of the API: a route that answers otherwise than its command, parameters
# that are not checked, answers that outlive what they are about.
load helper

# fails FILE SED NAME: with that edit the test of that name in tests/cli/serve.bats fails.
fails() {
    cp "$1" saved
    sed -i "$2" "$1"
    if cmp -s "$1" saved; then
        echo "the edit changed nothing: $2"
        return 1
    fi
    make -s WERROR=-Wno-error build/release/assay || return
    notices "not ok" env ASSAY_BIN="$COPY/build/release/assay" BUILD_DIR="$COPY/build/release" \
        bats -f "$3" tests/cli/serve.bats
    cp saved "$1"
}

@test "a route whose bytes are not its command's" {
    with_build
    fails src/api/endpoint.c 's/answer_json(q->answer, answer, out);/&\n        buf_add_char(out, 32);/' \
        'a route sends'
    fails src/question/question_results.c 's/c->frame.is_latest \&\& is_met/false \&\& is_met/' \
        'results of an agent'
}

@test "files that are written through links" {
    with_build
    breaks src/base/outdir.c 's/O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC/O_DIRECTORY | O_CLOEXEC/' base/outdir
    breaks src/base/outdir.c 's/O_RDONLY | O_NOFOLLOW | O_NONBLOCK/O_RDONLY | O_NONBLOCK/' base/outdir
    breaks src/base/outdir.c "s/path\[n - 1\] == '\/'/false/" base/outdir
}

@test "parameters that are not checked, and files that are taken for runs" {
    with_build
    fails src/api/endpoint.c 's/if (!param_fits(row, item, &why))/if (false)/' 'a request that is wrong'
    fails src/api/endpoint.c 's/|| !select_is_file(v->source.p)/|| true/' 'files of the machine'
}

@test "answers that are kept too long, or freed while they are sent" {
    with_build
    breaks src/api/cache.c 's/e->age.generation != age.generation/false/' api/cache
    breaks src/api/cache.c 's/e->age.day != age.day/false/' api/cache
    breaks src/api/cache.c 's/if (e->body->users == 0) free_body/free_body/' api/cache
    fails src/api/api.c 's/looked_ns > look_ns/looked_ns > 1000 * INT64_C(1000000000)/' 'who has the answer'
}

@test "a request that was begun and is cut off, and one that is not counted" {
    with_build
    fails src/api/api.c 's/DRAIN_S = [0-9]*/DRAIN_S = 0/' 'what was begun'
    fails src/api/traffic.c 's/    t->buckets\[bucket\]++;//' 'requests are counted'
}
