/* Runs of the real program are killed with SIGKILL, at instants spread over
 * the run and at named fault points. Every trial that was announced must be in
 * the store with its id and start time, the store must be sound, nothing may
 * survive, and --resume must complete the plan: each planned trial once.
 *
 * ASSAY_KILLS sets the number of timed kills of each kind (default 4; the slow
 * tests ask for 30). */
#include "base/clock.h"
#include "base/os.h"
#include "base/value.h"
#include "store/store.h"
#include "tests/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANNOUNCED_MAX = 100000 };

struct announced {
    char execution[UUID_SIZE];
    int64_t trial;
    double start_s;
};

struct session {
    char run_id[UUID_SIZE];
    size_t count;
    bool has_finished;
    int status;
};

struct scene {
    const char *name;
    const char *spec;
    int64_t planned; /* trials of each execution */
    size_t executions;
    int64_t length_ms;  /* about how long it takes */
    const char *marker; /* in the command line of what it starts */
    const char *lanes;  /* --concurrency=N, or NULL */
};

static const struct scene slow_trials = {
    .name = "processes",
    .spec = "experiment: command\n"
            "params: {command: [sleep, \"{x}\"]}\n"
            "sweep: {parameters.x: [0.00312301, 0.00312302]}\n"
            "iterations: {warmup: 1, measured: 12}\n",
    .planned = 12,
    .executions = 2,
    .length_ms = 140,
    .marker = "0.0031230",
};

static const struct scene fast_trials = {
    .name = "short trials",
    .spec = "experiment: noop\niterations: {warmup: 5, measured: 30000}\n",
    .planned = 30000,
    .executions = 1,
    .length_ms = 60,
    .marker = "no such process",
};

/* Cases that take unlike times, so that trials end out of order. */
static const struct scene lanes = {
    .name = "cases in flight at once",
    .spec = "suite: {id: kill}\n"
            "agents:\n"
            "  - {id: a, process: {command: 'read x; sleep 0.0${x}312303; echo $x'}}\n"
            "  - {id: b, process: {command: 'read x; sleep 0.0${x}312303; echo $x'}}\n"
            "benchmarks:\n"
            "  - id: waits\n"
            "    rubric: contains\n"
            "    iterations: {warmup: 1, measured: 3}\n"
            "    cases:\n"
            "      - {input: '0', expected: '0'}\n"
            "      - {input: '1', expected: '1'}\n"
            "      - {input: '0', id: c, expected: '0'}\n"
            "      - {input: '2', expected: '2'}\n"
            "      - {input: '0', id: d, expected: '0'}\n",
    .planned = 15,
    .executions = 2,
    .length_ms = 200,
    .marker = "312303",
    .lanes = "--concurrency=3",
};

/* Trials that hand up a histogram each. */
static const struct scene counted = {
    .name = "histograms",
    .spec = "experiment: pauses\nparams: {length_ms: 1.5}\n"
            "iterations: {warmup: 1, measured: 40}\n",
    .planned = 40,
    .executions = 1,
    .length_ms = 90,
    .marker = "no such process",
};

static struct announced *announced; /* of all sessions of one run */
static size_t announced_count;
static const char *folder;
static const char *concurrency = "--concurrency=1";
static struct arena arena;

static const char *path_of(const char *file)
{
    return arena_printf(&arena, "%s/%s", folder, file);
}

static void copy_id(const struct value *line, const char *key, char *out)
{
    const struct value *v = value_get(line, key);
    assert_true(v && v->source.n == UUID_SIZE - 1);
    snprintf(out, UUID_SIZE, "%.*s", STR_ARG(v->source));
}

static void note_line(struct session *s, struct str line)
{
    static const struct value_limits limits = {1 << 20, 16, 10000};
    const struct value *v = NULL;
    struct error err = {0};
    struct arena scratch = arena;
    if (!value_read_json(line, &limits, &scratch, &v, &err)) fail_msg("%s", err.text);
    struct str event = value_get(v, "event")->source;
    if (str_is(event, "run_started")) {
        copy_id(v, "run_id", s->run_id);
    }
    if (str_is(event, "run_finished")) s->has_finished = true;
    if (!str_is(event, "iteration")) return;
    assert_true(announced_count < ANNOUNCED_MAX);
    struct announced *a = &announced[announced_count++];
    copy_id(v, "execution", a->execution);
    a->trial = value_get(v, "trial")->integer;
    a->start_s = value_number(value_get(v, "start_s"));
    s->count++;
}

/* Only whole lines count: half a line is not announced. */
static void read_lines(int fd, struct session *s)
{
    static char text[1 << 16];
    size_t n = 0;
    for (;;) {
        ssize_t got = read(fd, text + n, sizeof text - n);
        if (got <= 0) return;
        n += (size_t)got;
        struct str rest = {text, n};
        for (char *end = memchr(rest.p, '\n', rest.n); end;
             end = memchr(rest.p, '\n', rest.n)) {
            note_line(s, str_cut(&rest, '\n'));
            if (rest.n == 0) break;
        }
        memmove(text, rest.p, rest.n);
        n = rest.n;
    }
}

/* Starts the program; kills it after kill_ms (< 0: never, or a fault does). */
static struct session run_program(int64_t kill_ms, const char *fault, const char *resume)
{
    struct session s = {0};
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    const char *program = getenv("ASSAY_BIN") ? getenv("ASSAY_BIN") : "build/release/assay";
    const char *store = path_of("store.db");
    const char *spec = path_of("spec.yaml");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], 1);
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        if (fault) setenv("ASSAY_FAULT", fault, 1);
        execl(program, program, "run", spec, "--json", "--store", store, concurrency, resume,
              NULL);
        _exit(127);
    }
    close(fds[1]);
    pid_t killer = 0;
    if (kill_ms >= 0) {
        killer = fork();
        if (killer == 0) {
            clock_sleep_until(clock_ns() + kill_ms * 1000000);
            kill(pid, SIGKILL);
            _exit(0);
        }
    }
    read_lines(fds[0], &s);
    close(fds[0]);
    waitpid(pid, &s.status, 0);
    if (killer > 0) waitpid(killer, NULL, 0);
    return s;
}

static void check_sound(void)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    assert_int_equal(sqlite3_open(path_of("store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(q, 0), "ok");
    sqlite3_finalize(q);
    sqlite3_close(db);
}

static const struct series_record *find_series(const struct series_record *series, size_t count,
                                               const char *metric)
{
    for (size_t i = 0; i < count; i++) {
        bool is_it = series[i].phase == PHASE_MEASURED && strcmp(series[i].metric, metric) == 0;
        if (is_it) return &series[i];
    }
    return NULL;
}

/* Every announced trial of one execution is there, at its place. */
static void check_execution(struct store *store, const char *id, int64_t exactly)
{
    struct error err = {0};
    struct series_record *series = NULL;
    size_t count = 0;
    struct arena scratch = arena;
    if (!store_list_series(store, id, &scratch, &series, &count, &err))
        fail_msg("%s", err.text);
    const struct series_record *starts = find_series(series, count, "trial.start_s");
    const struct series_record *durations = find_series(series, count, "duration_s");
    size_t stored = starts ? starts->count : 0;
    if (exactly >= 0) assert_int_equal(stored, exactly);
    for (size_t i = 0; i < announced_count; i++) {
        const struct announced *a = &announced[i];
        if (strcmp(a->execution, id) != 0) continue;
        if (a->trial >= (int64_t)stored) fail_msg("trial %ld is lost", (long)a->trial);
        assert_true(starts->samples[a->trial] == a->start_s);
        assert_false(isnan(durations->samples[a->trial]));
    }
}

/* A histogram for each stored trial, of as many values as the trial counted, and none of a
 * trial that is not stored. */
static void check_histograms(struct store *store, const char *id)
{
    struct error err = {0};
    struct series_record *series = NULL;
    struct histogram_record *list = NULL;
    size_t count = 0;
    size_t measured = 0;
    struct arena scratch = arena;
    if (!store_list_series(store, id, &scratch, &series, &count, &err))
        fail_msg("%s", err.text);
    const struct series_record *gaps = find_series(series, count, "gaps");
    if (!store_list_histograms(store, id, &scratch, &list, &count, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++) {
        if (list[i].phase != PHASE_MEASURED) continue;
        assert_int_equal(list[i].trial, measured);
        if (!gaps || measured >= gaps->count) fail_msg("a histogram without its trial");
        assert_int_equal(list[i].count, (int64_t)gaps->samples[measured++]);
    }
    if (gaps && measured != gaps->count) fail_msg("trial %zu has lost its histogram", measured);
}

static void check_store(const struct scene *scene, const char *run_id, bool is_complete)
{
    struct error err = {0};
    struct store *store = NULL;
    struct store_options how = {.read_only = true};
    if (!store_open(path_of("store.db"), &how, &store, &err)) fail_msg("%s", err.text);
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_list_executions(store, run_id, &arena, &executions, &count, &err)) {
        fail_msg("%s", err.text);
    }
    if (is_complete) assert_int_equal(count, scene->executions);
    for (size_t i = 0; i < count; i++) {
        check_execution(store, executions[i].id, is_complete ? scene->planned : -1);
        if (scene == &counted) check_histograms(store, executions[i].id);
        if (is_complete) {
            assert_int_equal(executions[i].status, RUN_SUCCESS);
            assert_int_equal(executions[i].counts.attempted, scene->planned);
        }
    }
    store_close(store);
}

static int by_trial(const void *a, const void *b)
{
    const struct announced *x = a;
    const struct announced *y = b;
    int order = strcmp(x->execution, y->execution);
    return order ? order : (x->trial > y->trial) - (x->trial < y->trial);
}

static void check_none_twice(void)
{
    qsort(announced, announced_count, sizeof *announced, by_trial);
    for (size_t i = 1; i < announced_count; i++) {
        if (by_trial(&announced[i - 1], &announced[i]) == 0) {
            fail_msg("trial %ld was announced twice", (long)announced[i].trial);
        }
    }
}

static bool is_running(const char *marker)
{
    DIR *dir = opendir("/proc");
    bool found = false;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[300];
        char text[4096] = "";
        if (e->d_name[0] < '0' || e->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        int fd = open(path, O_RDONLY);
        if (fd < 0) continue;
        ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        if (n > 0 && memmem(text, (size_t)n, marker, strlen(marker))) found = true;
    }
    closedir(dir);
    return found;
}

static void check_nothing_survives(const struct scene *scene)
{
    int64_t deadline_ns = clock_ns() + 3000000000;
    while (is_running(scene->marker)) {
        if (clock_ns() > deadline_ns) fail_msg("a process outlives the run");
        usleep(2000);
    }
}

static void kill_once(const struct scene *scene, int64_t kill_ms, const char *fault)
{
    struct error err = {0};
    arena = arena_open();
    announced_count = 0;
    concurrency = scene->lanes ? scene->lanes : "--concurrency=1";
    if (!os_make_temp_dir("assay-kill", &arena, &folder, &err)) fail_msg("%s", err.text);
    if (!os_write_file(path_of("spec.yaml"), str_of(scene->spec), &err))
        fail_msg("%s", err.text);

    struct session first = run_program(kill_ms, fault, NULL);
    if (fault) assert_true(WIFSIGNALED(first.status) && WTERMSIG(first.status) == SIGKILL);
    check_nothing_survives(scene);
    if (first.run_id[0]) {
        check_sound();
        check_store(scene, first.run_id, false);
    }
    /* Killed before the run was stored, there is nothing to go on with. A run
     * that ended before the kill came is complete as it is. */
    if (!first.has_finished) {
        struct session second = run_program(-1, NULL, first.run_id[0] ? "--resume" : NULL);
        assert_int_equal(second.status, 0);
        assert_true(second.has_finished);
        if (first.run_id[0]) assert_string_equal(first.run_id, second.run_id);
        first = second;
    }
    check_sound();
    check_store(scene, first.run_id, true);
    check_none_twice();
    os_remove_tree(folder);
    arena_close(&arena);
}

static void kill_at_spread_instants(const struct scene *scene)
{
    const char *setting = getenv("ASSAY_KILLS");
    int64_t kills = 4;
    if (setting && !str_to_int(str_of(setting), &kills)) fail_msg("ASSAY_KILLS: '%s'", setting);
    announced = calloc(ANNOUNCED_MAX, sizeof *announced);
    for (int64_t i = 0; i < kills; i++) {
        kill_once(scene, 5 + i * scene->length_ms / kills, NULL);
    }
    free(announced);
}

TEST(killed_between_and_in_trials_of_processes)
{
    kill_at_spread_instants(&slow_trials);
}

TEST(killed_while_short_trials_stream_in)
{
    kill_at_spread_instants(&fast_trials);
}

TEST(killed_while_histograms_are_handed_up)
{
    kill_at_spread_instants(&counted);
}

TEST(killed_with_cases_in_flight_at_once)
{
    kill_at_spread_instants(&lanes);
}

TEST(killed_at_named_fault_points)
{
    static const char *const faults[] = {
        "migration:1:kill", "setup:1:kill",     "commit:1:kill", "commit:3:kill",
        "commit:7:kill",    "committed:9:kill", "fold:1:kill",   "fold:2:kill"};
    announced = calloc(ANNOUNCED_MAX, sizeof *announced);
    for (size_t i = 0; i < COUNT(faults); i++) kill_once(&slow_trials, -1, faults[i]);
    for (size_t i = 0; i < COUNT(faults); i++) kill_once(&lanes, -1, faults[i]);
    free(announced);
}

TEST_MAIN(T(killed_between_and_in_trials_of_processes), T(killed_while_short_trials_stream_in),
          T(killed_while_histograms_are_handed_up), T(killed_with_cases_in_flight_at_once),
          T(killed_at_named_fault_points))
