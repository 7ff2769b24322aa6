/* What measuring a command costs, and whether the reading is right: `assay run`
 * with storing on, against the bare posix_spawn + wait4 loop and hyperfine -N.
 *
 * "Reading" is the median duration that a tool reports in a block; "wall" is the
 * whole time the tool took for a block, its own start and end included, over the
 * number of iterations; the store is there before, as a user's is.
 *
 * Every tool is a program that is started anew for its turn, the bare loop too
 * (this one with --bare). It has two turns: what it reads against itself is what
 * the machine does to any of them.
 *
 * The reading of `true` is held against hyperfine's from above only: hyperfine
 * opens /dev/null three times, searches PATH and resets every signal between
 * its two clock reads, and its reading of a command this short is therefore
 * above the bare loop's by what the line "hyperfine -N / bare loop" says. Longer
 * commands must agree from both sides. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/os.h"
#include "base/value.h"
#include "bench/ratio.h"
#include "store/store.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum tool { BARE, BARE_AGAIN, ASSAY, HYPERFINE, TOOL_COUNT };

struct job {
    const char *name;
    const char *const *argv; /* what is measured */
    const char *line;        /* the same as one text, for hyperfine */
    size_t runs;             /* per slice */
    size_t slices; /* per block: the tools change places this often, so that drift of the
                      machine meets all of them */
};

struct result {
    double reading[TOOL_COUNT][BLOCKS];
    double wall[TOOL_COUNT][BLOCKS];
};

struct bench {
    struct arena arena; /* emptied after every block */
    char dir[64];
};

static void give_up(const char *what)
{
    printf("%s: MISSED\n", what);
    exit(1);
}

/* Both ends on /dev/null, as hyperfine and assay have them. */
static pid_t spawn(const char *const *argv, int null_fd)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; fd++) posix_spawn_file_actions_adddup2(&actions, null_fd, fd);
    char **words;
    memcpy(&words, &argv, sizeof words); /* posix_spawn does not write to them */
    pid_t pid = -1;
    if (posix_spawnp(&pid, argv[0], &actions, NULL, words, environ) != 0) give_up(argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void finish(pid_t pid, const char *what)
{
    int status = 0;
    struct rusage usage;
    if (wait4(pid, &status, 0, &usage) != pid || status != 0) give_up(what);
}

/* --bare FILE RUNS COMMAND...: writes the times to the file. */
static int bare_main(const char *file, size_t runs, const char *const *argv)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    double *times = calloc(runs, sizeof *times);
    if (!times) give_up("out of memory");
    for (size_t i = 0; i < runs; i++) {
        int64_t begin = clock_ns();
        finish(spawn(argv, null_fd), argv[0]);
        times[i] = (double)(clock_ns() - begin) * 1e-9;
    }
    struct error err = {0};
    struct str bytes = {(const char *)times, runs * sizeof *times};
    if (!os_write_file(file, bytes, &err)) give_up(err.text);
    free(times);
    return 0;
}

static void run_tool(const char *const *argv)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    finish(spawn(argv, null_fd), argv[0]);
    close(null_fd);
}

static void run_bare(struct bench *b, const struct job *job, const char *file)
{
    const char *argv[32] = {"/proc/self/exe", "--bare", file,
                            arena_printf(&b->arena, "%zu", job->runs)};
    size_t n = 4;
    for (size_t i = 0; job->argv[i]; i++) argv[n++] = job->argv[i];
    run_tool(argv);
}

static void read_bare(struct bench *b, const struct job *job, const char *file, double *times)
{
    struct error err = {0};
    struct str bytes;
    size_t want = job->runs * sizeof *times;
    if (!os_read_file(file, want, &b->arena, &bytes, &err)) give_up(err.text);
    if (bytes.n != want) give_up("the bare loop made another number of runs");
    memcpy(times, bytes.p, want);
}

/* The samples of a metric of the only execution of the store's newest run. */
static struct series_record stored(struct bench *b, const char *url, const char *metric)
{
    struct store *store = NULL;
    struct error err = {0};
    const struct store_options options = {.read_only = true};
    struct run_record run;
    struct execution_record *executions = NULL;
    struct series_record *series = NULL;
    size_t count = 0;
    if (!store_open(url, &options, &store, &err) ||
        !store_find_run(store, "latest", &b->arena, &run, &err) ||
        !store_list_executions(store, run.id, &b->arena, &executions, &count, &err) ||
        !store_list_series(store, executions[0].id, &b->arena, &series, &count, &err)) {
        give_up(err.text);
    }
    store_close(store);
    for (size_t i = 0; i < count; i++) {
        if (series[i].phase == PHASE_MEASURED && strcmp(series[i].metric, metric) == 0) {
            return series[i];
        }
    }
    give_up("no samples in the store");
    return (struct series_record){0};
}

static double *copy_of(struct bench *b, struct series_record s)
{
    double *values = arena_new(&b->arena, double, s.count);
    memcpy(values, s.samples, s.count * sizeof *values);
    return values;
}

static const char *store_url(struct bench *b)
{
    return arena_printf(&b->arena, "sqlite:%s/bench.db", b->dir);
}

static const char *assay_program(void)
{
    const char *program = getenv("ASSAY_BIN");
    return program ? program : "build/release/assay";
}

static void run_assay(struct bench *b, const struct job *job, const char *url)
{
    const char *argv[32] = {assay_program(),
                            "run",
                            "-q",
                            "--store",
                            url,
                            "-n",
                            arena_printf(&b->arena, "%zu", job->runs),
                            "-w",
                            "0",
                            "--"};
    size_t n = 10;
    for (size_t i = 0; job->argv[i]; i++) argv[n++] = job->argv[i];
    run_tool(argv);
}

static void read_assay(struct bench *b, const struct job *job, const char *url, double *times)
{
    struct series_record s = stored(b, url, "duration_s");
    if (s.count != job->runs) give_up("assay stored another number of trials");
    memcpy(times, s.samples, s.count * sizeof *times);
}

static void run_hyperfine(struct bench *b, const struct job *job, const char *file)
{
    const char *argv[] = {"hyperfine", "-N",      "--style",
                          "none",      "--runs",  arena_printf(&b->arena, "%zu", job->runs),
                          "--warmup",  "0",       "--export-json",
                          file,        job->line, NULL};
    run_tool(argv);
}

static void read_hyperfine(struct bench *b, const struct job *job, const char *file, double *to)
{
    const struct value_limits limits = {64 << 20, 64, 4000000};
    struct error err = {0};
    struct str bytes;
    const struct value *root = NULL;
    if (!os_read_file(file, limits.max_bytes, &b->arena, &bytes, &err) ||
        !value_read_json(bytes, &limits, &b->arena, &root, &err)) {
        give_up(err.text);
    }
    const struct value *results = value_get(root, "results");
    const struct value *times = value_get(results->list.items[0], "times");
    if (times->list.count != job->runs) give_up("hyperfine made another number of runs");
    for (size_t i = 0; i < job->runs; i++) to[i] = value_number(times->list.items[i]);
}

/* One turn of one tool; its times go to `times`. Returns the wall time. */
static double take_turn(struct bench *b, const struct job *job, enum tool tool, double *times)
{
    const char *file = arena_printf(&b->arena, "%s/times", b->dir);
    const char *url = store_url(b);
    int64_t begin = clock_ns();
    switch (tool) {
    case BARE:
    case BARE_AGAIN: run_bare(b, job, file); break;
    case ASSAY: run_assay(b, job, url); break;
    case HYPERFINE: run_hyperfine(b, job, file); break;
    case TOOL_COUNT: break;
    }
    double wall = (double)(clock_ns() - begin) * 1e-9;
    if (tool == BARE || tool == BARE_AGAIN) read_bare(b, job, file, times);
    if (tool == ASSAY) read_assay(b, job, url, times);
    if (tool == HYPERFINE) read_hyperfine(b, job, file, times);
    return wall;
}

static void run_block(struct bench *b, const struct job *job, int block, struct result *r)
{
    size_t all = job->runs * job->slices;
    double *times[TOOL_COUNT];
    for (int tool = 0; tool < TOOL_COUNT; tool++) {
        times[tool] = arena_new(&b->arena, double, all);
        r->wall[tool][block] = 0;
    }
    for (size_t slice = 0; slice < job->slices; slice++) {
        for (int turn = 0; turn < TOOL_COUNT; turn++) {
            enum tool tool = (enum tool)(((size_t)(block + turn) + slice) % TOOL_COUNT);
            r->wall[tool][block] +=
                take_turn(b, job, tool, times[tool] + slice * job->runs) / (double)all;
        }
    }
    for (int tool = 0; tool < TOOL_COUNT; tool++) {
        r->reading[tool][block] = ratio_median(times[tool], all);
    }
}

static void run_job(struct bench *b, const struct job *job, struct result *r)
{
    for (int block = 0; block < BLOCKS; block++) {
        run_block(b, job, block, r);
        arena_reset(&b->arena);
    }
    double ours[BLOCKS];
    memcpy(ours, r->reading[ASSAY], sizeof ours);
    printf("\n%s: %zu runs a block in %zu slices, %d blocks; reading %.3f ms\n", job->name,
           job->runs * job->slices, job->slices, BLOCKS, 1e3 * ratio_median(ours, BLOCKS));
}

/* An empty body through `assay run`, against a loop of two clock reads. */
static void bench_empty(struct bench *b)
{
    enum { TRIALS = 200000 };
    double reading[2][BLOCKS];
    double trial[2][BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        double *times = arena_new(&b->arena, double, TRIALS);
        int64_t begin = clock_ns();
        for (size_t i = 0; i < TRIALS; i++) {
            int64_t t = clock_ns();
            times[i] = (double)(clock_ns() - t) * 1e-9;
        }
        trial[0][block] = (double)(clock_ns() - begin) * 1e-9 / TRIALS;
        reading[0][block] = ratio_median(times, TRIALS);

        const char *url = store_url(b);
        const char *spec = arena_printf(&b->arena, "%s/noop.yaml", b->dir);
        struct error err = {0};
        const char *text = arena_printf(
            &b->arena, "experiment: noop\niterations: {warmup: 1000, measured: %d}\n", TRIALS);
        if (!os_write_file(spec, str_of(text), &err)) give_up(err.text);
        run_tool(
            (const char *const[]){assay_program(), "run", "-q", "--store", url, spec, NULL});
        struct series_record s = stored(b, url, "duration_s");
        reading[1][block] = ratio_median(copy_of(b, s), s.count);
        struct series_record starts = stored(b, url, "trial.start_s");
        trial[1][block] =
            (starts.samples[starts.count - 1] - starts.samples[0]) / (double)(starts.count - 1);
        arena_reset(&b->arena);
    }
    printf("\nempty body: %d trials a block, %d blocks; two clock reads %.1f ns\n", TRIALS,
           BLOCKS, 1e9 * reading[0][0]);
    ratio_at_most("reading / two clock reads", reading[1], reading[0], 1.2);
    ratio_at_most("whole trial, amortised / two clock reads", trial[1], trial[0], 2);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define COUNT_LINE "BEGIN { for (i = 0; i < 500000; i++) s += i; exit s < 0 }"

int main(int argc, char **argv)
{
    if (argc > 4 && strcmp(argv[1], "--bare") == 0) {
        return bare_main(argv[2], strtoul(argv[3], NULL, 10), (const char *const *)&argv[4]);
    }
    struct bench b = {.arena = arena_open()};
    struct error err = {0};
    const char *dir = NULL;
    if (!os_make_temp_dir("assay-bench", &b.arena, &dir, &err)) give_up(err.text);
    snprintf(b.dir, sizeof b.dir, "%s", dir);

    struct result r;
    const struct job job_true = {"true", WORDS("true"), "true", 40, 40};
    run_job(&b, &job_true, &r);
    struct ratio noise = ratio_of(r.reading[BARE_AGAIN], r.reading[BARE]);
    ratio_note("bare loop / bare loop", r.reading[BARE_AGAIN], r.reading[BARE]);
    ratio_bound_at_most("reading of true / bare loop", r.reading[ASSAY], r.reading[BARE], 1.03,
                        noise);
    ratio_bound_at_most("reading of true / hyperfine -N", r.reading[ASSAY],
                        r.reading[HYPERFINE], 1.03, noise);
    ratio_note("hyperfine -N / bare loop", r.reading[HYPERFINE], r.reading[BARE]);
    /* The wall clock holds the tool's start and end too: long turns. */
    const struct job job_wall = {"true", WORDS("true"), "true", 1000, 4};
    run_job(&b, &job_wall, &r);
    ratio_at_most("wall per iteration of true / bare loop", r.wall[ASSAY], r.wall[BARE], 1.10);
    ratio_at_most("wall per iteration of true / hyperfine -N", r.wall[ASSAY], r.wall[HYPERFINE],
                  1.05);

    const struct job job_sleep = {"sleep 0.05", WORDS("sleep", "0.05"), "sleep 0.05", 2, 5};
    run_job(&b, &job_sleep, &r);
    ratio_within("reading of sleep 0.05 / hyperfine -N", r.reading[ASSAY], r.reading[HYPERFINE],
                 0.01);

    const struct job job_cpu = {"awk loop", WORDS("awk", COUNT_LINE), "awk '" COUNT_LINE "'", 3,
                                20};
    run_job(&b, &job_cpu, &r);
    ratio_within("reading of a CPU-bound command / hyperfine -N", r.reading[ASSAY],
                 r.reading[HYPERFINE], 0.01);

    bench_empty(&b);
    os_remove_tree(b.dir);
    arena_close(&b.arena);
    return 0;
}
