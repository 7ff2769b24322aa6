/* Run with arguments, this program is the tree that it measures:
 *     resources_test tree COUNT CPU_US   COUNT children one after the other
 *     resources_test hold MB MS THREADS  memory held for a while               */
#include "tests/experiment/harness.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifdef __SANITIZE_ADDRESS__
static const double program_mb = 150;
enum { processes_at_exit = 2 }; /* the search for leaks is one of its own */
#else
static const double program_mb = 15;
enum { processes_at_exit = 1 };
#endif

static void spend_cpu(int64_t cpu_ns)
{
    struct timespec t = {0};
    while ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < cpu_ns) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    }
}

static int be_a_tree(int64_t count, int64_t cpu_us)
{
    for (int64_t i = 0; i < count; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            spend_cpu(cpu_us * 1000);
            _exit(0);
        }
        if (pid < 0 || waitpid(pid, NULL, 0) != pid) return 1;
    }
    return 0;
}

static void *wait_for_end(void *end_ns)
{
    clock_sleep_until(*(int64_t *)end_ns);
    return NULL;
}

static int hold(int64_t mb, int64_t ms, int64_t threads)
{
    size_t size = (size_t)mb * 1000000;
    char *p = malloc(size);
    if (!p) return 1;
    memset(p, 1, size);
    int64_t end_ns = clock_ns() + ms * 1000000;
    pthread_t others[16];
    for (int64_t i = 1; i < threads; i++) {
        if (pthread_create(&others[i], NULL, wait_for_end, &end_ns) != 0) return 1;
    }
    for (int64_t i = 1; i < threads; i++) pthread_join(others[i], NULL);
    clock_sleep_until(end_ns);
    bool is_kept = p[size - 1] == 1;
    free(p);
    return is_kept ? 0 : 1;
}

/* An arm in a process of its own, watched from here as the runner does. */
struct watched {
    double arm[BENCH_VALUES];
    double runner[BENCH_VALUES];
    double duration_s;
    double kernel_cpu_s; /* of the arm and all that it has waited for */
    struct buf curve;
};

static void be_the_arm(const char *experiment, const char *yaml, int go_fd, int result_fd)
{
    struct watched w = {0};
    struct bench b;
    char byte;
    bench_open(&b, experiment, yaml, 0);
    bench_attach(&b, "resources", "{}");
    if (write(result_fd, "r", 1) != 1 || read(go_fd, &byte, 1) != 1) _exit(1);
    if (bench_trial(&b) != TRIAL_OK) _exit(1);
    memcpy(w.arm, b.instrument_values, sizeof w.arm);
    w.duration_s = b.duration_s;
    if (write(result_fd, &w, sizeof w) != sizeof w) _exit(1);
    _exit(read(go_fd, &byte, 1) == 0 && bench_close(&b) ? 0 : 1); /* stay to be looked at */
}

static void watch_trial(struct watched *w, const char *experiment, const char *yaml,
                        const char *options)
{
    const struct instrument *it = instrument_find(S("psutil"));
    struct arena arena = arena_open();
    int go[2], result[2];
    assert_int_equal(pipe2(go, O_CLOEXEC), 0);
    assert_int_equal(pipe2(result, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(go[1]);
        be_the_arm(experiment, yaml, go[0], result[1]);
    }
    close(result[1]);
    void *config = bench_config(&arena, it->params, it->config_size, options);
    void *state = arena_alloc(&arena, 1, it->state_size, 16);
    struct instrument_subject subject = {pid, experiment_find(str_of(experiment))->spawns};
    struct error err = {0};
    char byte;
    assert_int_equal(read(result[0], &byte, 1), 1);
    assert_true(it->watch_open(state, config, &subject, &err));
    it->watch_begin(state);
    assert_int_equal(write(go[1], "g", 1), 1);
    struct pollfd p = {.fd = result[0], .events = POLLIN};
    int interval_ms = (int)(it->watch_interval_ns(config) / 1000000);
    while (poll(&p, 1, interval_ms) == 0) it->watch_tick(state);
    for (size_t i = 0; i < BENCH_VALUES; i++) w->runner[i] = NAN;
    struct watched from_arm;
    assert_int_equal(read(result[0], &from_arm, sizeof from_arm), sizeof from_arm);
    memcpy(w->arm, from_arm.arm, sizeof w->arm);
    w->duration_s = from_arm.duration_s;
    buf_init(&w->curve, 1 << 20);
    it->watch_end(state, w->runner, &w->curve);
    it->watch_close(state);
    close(go[1]);
    int status = 1;
    struct rusage used;
    assert_int_equal(wait4(pid, &status, 0, &used), pid);
    assert_int_equal(status, 0);
    w->kernel_cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                      (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    close(go[0]);
    close(result[0]);
    arena_close(&arena);
}

static double arm_value(const struct watched *w, const char *metric)
{
    return instrument_value(instrument_find(S("resources")), w->arm, metric);
}

static double runner_value(const struct watched *w, const char *metric)
{
    return instrument_value(instrument_find(S("resources")), w->runner, metric);
}

static const char *self_command(struct arena *arena, const char *arguments)
{
    char path[400] = {0};
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    return arena_printf(arena, "{command: [%s, %s]}", path, arguments);
}

/* No sampler sees a child of 2 ms; the kernel counts every one of them. What forking them
 * costs differs tenfold between machines and builds, so the measure is what the kernel says
 * when the arm is waited for: that and the arm's own work, which is next to nothing. */
TEST(a_thousand_children_of_2_ms_are_counted_in_full)
{
    struct arena arena = arena_open();
    struct watched w;
    watch_trial(&w, "command", self_command(&arena, "tree, 1000, 2000"), "{interval_ms: 50}");
    double cpu_s = arm_value(&w, "cpu_s");
    print_message("# cpu_s %.3f in %.3f s, %g looks\n", cpu_s, w.duration_s,
                  runner_value(&w, "samples"));
    assert_true(cpu_s > 1.98);
    assert_true(cpu_s > 0.95 * w.kernel_cpu_s && cpu_s < w.kernel_cpu_s + 0.01);
    assert_close(arm_value(&w, "cpu_percent"), cpu_s / w.duration_s * 100, 1e-9);
    double seen = runner_value(&w, "processes_max");
    assert_true(seen >= 1 && seen <= 3); /* the tree, and the child that was there */
    assert_true(runner_value(&w, "samples") > 10);
    buf_release(&w.curve);
    arena_close(&arena);
}

/* The curve is read back as JSON: its own sums must agree with the totals. */
TEST(the_curve_shows_memory_threads_and_time)
{
    NEEDS_PLAIN_MEMORY();
    struct arena arena = arena_open();
    struct watched w;
    watch_trial(&w, "command", self_command(&arena, "hold, 50, 200, 4"), "{interval_ms: 20}");
    assert_true(runner_value(&w, "rss_max_mb") > 50);
    assert_true(runner_value(&w, "rss_max_mb") < 50 + program_mb);
    assert_true(runner_value(&w, "rss_mean_mb") <= runner_value(&w, "rss_max_mb"));
    assert_true(arm_value(&w, "memory_peak_mb") > 50);
    assert_close(runner_value(&w, "threads_max"), 4, 0);
    assert_in_range((long)runner_value(&w, "processes_max"), 1, processes_at_exit);
    assert_true(runner_value(&w, "fds_max") >= 3);
    struct str rest = str_trim(buf_str(&w.curve));
    double lines = 0, last_ts = 0;
    while (rest.p) {
        const struct value *v = NULL;
        struct error err = {0};
        struct str line = str_cut(&rest, '\n');
        assert_true(value_read_json(line, &value_limits_spec, &arena, &v, &err));
        assert_int_equal(v->map.count, 7);
        double ts = value_number(value_get(v, "ts"));
        assert_true(ts > last_ts && ts < w.duration_s + 1);
        assert_true(value_number(value_get(v, "cpu_percent")) >= 0);
        last_ts = ts;
        lines++;
    }
    assert_close(lines, runner_value(&w, "samples"), 0);
    buf_release(&w.curve);
    arena_close(&arena);
}

TEST(bytes_read_and_written_are_those_of_the_processes)
{
    struct bench b;
    bench_open(&b, "command", "{command: 'head -c 3000000 /dev/zero | cat > /dev/null'}", 0);
    bench_attach(&b, "resources", "{}");
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    /* head reads and writes them, and so does cat; starting a program reads a
     * little more. */
    double read_mb = bench_reading(&b, "io_read_mb"),
           write_mb = bench_reading(&b, "io_write_mb");
    assert_true(read_mb >= 6 && read_mb < 6.3);
    assert_true(write_mb >= 6 && write_mb < 6.01);
    assert_true(bench_close(&b));
}

TEST(work_in_the_arm_itself_is_the_arms)
{
    struct watched w;
    watch_trial(&w, "spin", "{work_us: 60000}", "{interval_ms: 10}");
    assert_true(arm_value(&w, "cpu_s") > 0.03);
    assert_close(arm_value(&w, "io_write_mb"), 0, 0.001);
    assert_true(runner_value(&w, "samples") >= 2);
    assert_close(runner_value(&w, "processes_max"), 1, 0);
    assert_true(runner_value(&w, "rss_max_mb") > 0.5);
    buf_release(&w.curve);
    watch_trial(&w, "noop", "{}", "{}"); /* over before the first look */
    assert_close(runner_value(&w, "samples"), 1, 0);
    buf_release(&w.curve);
}

TEST(a_long_trial_is_thinned_out_and_not_cut_off)
{
    const struct instrument *it = instrument_find(S("resources"));
    struct arena arena = arena_open();
    void *config = bench_config(&arena, it->params, it->config_size, "{max_samples: 8}");
    void *state = arena_alloc(&arena, 1, it->state_size, 16);
    struct instrument_subject subject = {getpid(), false};
    struct error err = {0};
    assert_true(it->watch_open(state, config, &subject, &err));
    it->watch_begin(state);
    for (int i = 0; i < 100; i++) it->watch_tick(state);
    double values[BENCH_VALUES];
    struct buf curve;
    buf_init(&curve, 1 << 16);
    it->watch_end(state, values, &curve);
    assert_close(instrument_value(it, values, "samples"), 100, 0);
    size_t lines = 0;
    for (size_t i = 0; i < curve.n; i++) lines += curve.p[i] == '\n';
    assert_in_range(lines, 4, 8);
    it->watch_close(state);
    buf_release(&curve);
    arena_close(&arena);
}

static int64_t argument(const char *text)
{
    int64_t v = 0;
    return str_to_int(str_of(text), &v) ? v : 0;
}

int main(int argc, char **argv)
{
    if (argc == 4) return be_a_tree(argument(argv[2]), argument(argv[3]));
    if (argc == 5) return hold(argument(argv[2]), argument(argv[3]), argument(argv[4]));
    const struct CMUnitTest tests[] = {
        T(a_thousand_children_of_2_ms_are_counted_in_full),
        T(the_curve_shows_memory_threads_and_time),
        T(bytes_read_and_written_are_those_of_the_processes),
        T(work_in_the_arm_itself_is_the_arms),
        T(a_long_trial_is_thinned_out_and_not_cut_off),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
