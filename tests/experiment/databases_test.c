#include "experiment/databases.h"
#include "tests/experiment/harness.h"

#include <sys/vfs.h>

/* What the setup of an experiment remarks when its files are in `folder`. */
static void set_up(const char *experiment, const char *yaml, const char *folder,
                   struct buf *remarks)
{
    const struct experiment *e = experiment_find(str_of(experiment));
    struct arena arena = arena_open();
    struct error err = {0};
    struct experiment_env env = {
        .arena = &arena,
        .work_dir = folder,
        .config = bench_config(&arena, e->params, e->config_size, yaml),
        .remarks = remarks,
    };
    void *state = arena_alloc(&arena, 1, e->state_size, 16);
    if (!e->setup(&env, state, &err) || !e->teardown(state, &err)) fail_msg("%s", err.text);
    arena_close(&arena);
}

TEST(a_tmpfs_is_remarked_by_every_experiment_that_writes_files)
{
    enum { TMPFS = 0x01021994 };
    static const struct {
        const char *name, *yaml;
        bool writes;
    } cases[] = {
        {"pragma_profile", "{workloads: mixed}", true},
        {"memory_db", "{}", true},
        {"database_profiler", "{}", true},
        {"database_profiler", "{store: memory}", false},
        {"system_profiler", "{use_in_memory_db: false}", true},
        {"system_profiler", "{persist_db_on_completion: true}", true},
        {"system_profiler", "{}", false},
    };
    struct statfs fs;
    bool is_there = statfs("/dev/shm", &fs) == 0 && fs.f_type == TMPFS;
    if (!is_there) print_message("# skip: /dev/shm is no tmpfs\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf remarks;
        buf_init(&remarks, 1 << 16);
        set_up(cases[i].name, cases[i].yaml, "/proc", &remarks);
        assert_int_equal(remarks.n, 0);
        if (is_there) {
            set_up(cases[i].name, cases[i].yaml, "/dev/shm", &remarks);
            assert_int_equal(remarks.n > 0, cases[i].writes);
        }
        buf_release(&remarks);
    }
}

TEST_MAIN(T(a_tmpfs_is_remarked_by_every_experiment_that_writes_files))
