/* What a case costs in a whole `assay run` of a session-mode agent, scored and stored: 10,000
 * cases from a JSONL file, against the same cases put to the same agent (this program, started
 * again) by the same adapter, with nothing scored or stored, in alternated blocks.
 *
 * Wall and processor time are those of everything: the program's start, reading the cases,
 * namespaces, the agent itself, scores and their intervals, the last checkpoint. What of it is
 * there for one case, too, is shown apart. All run on one processor: what our processes do at
 * the same time counts in full. */
#include "bench/adapter.h"
#include "bench/ratio.h"
#include "store/store.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASES = 10000 };

static const double target = 2;

struct cost {
    double wall_us, cpu_us; /* of all cases together */
};

struct bench {
    struct arena arena;
    const char *self;
    const char *dir;
};

static void give_up(const char *why)
{
    printf("bench: a run of a session-mode agent: %s: MISSED\n", why);
    exit(1);
}

/* The number behind `key`; -1 without it. */
static long long number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* What the agent answers to the number i. */
static long long answer_to(long long i)
{
    return i * 7 + 3;
}

/* Cases that expect something else: one in a hundred, but never the first, so
 * that scores and their intervals have something to tell. */
static bool is_trap(int i)
{
    return i % 100 == 99;
}

/* ---- the agent ---- */

static int serve(void)
{
    char in[4096], out[256];
    size_t got = 0;
    for (ssize_t n; (n = read(0, in + got, sizeof in - 1 - got)) > 0;) {
        got += (size_t)n;
        if (in[got - 1] != '\n') continue;
        in[got] = '\0';
        int length =
            snprintf(out, sizeof out, "{\"id\":%lld,\"output\":\"%lld\"}\n",
                     number_after(in, "\"id\":"), answer_to(number_after(in, "\"input\":\"")));
        if (write(1, out, (size_t)length) != length) return 1;
        got = 0;
    }
    return 0;
}

/* ---- the peer ---- */

static int ask_all(const char *self)
{
    struct arena arena = arena_open();
    struct adapter a;
    adapter_open(&a, &arena,
                 arena_printf(&arena, "{command: ['%s', agent], mode: session}", self));
    for (int i = 0; i < CASES; i++) {
        char name[16], input[16];
        struct adapter_time unused;
        snprintf(name, sizeof name, "c%d", i);
        snprintf(input, sizeof input, "%d", i);
        struct str output = adapter_ask(&a, name, input, &unused);
        if (strtoll(output.p, NULL, 10) != answer_to(i)) return 1;
    }
    adapter_close(&a);
    arena_close(&arena);
    return 0;
}

/* ---- measuring ---- */

static struct cost run_program(const char *const *argv)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, null_fd, 0);
    posix_spawn_file_actions_adddup2(&actions, null_fd, 1);
    char **words;
    memcpy(&words, &argv, sizeof words); /* posix_spawn does not write to them */
    pid_t pid = 0;
    int status = 1;
    struct rusage r;
    int64_t begin_ns = clock_ns();
    if (posix_spawn(&pid, argv[0], &actions, NULL, words, environ) != 0) give_up(argv[0]);
    if (wait4(pid, &status, 0, &r) != pid || status != 0) give_up(argv[0]);
    int64_t end_ns = clock_ns();
    posix_spawn_file_actions_destroy(&actions);
    close(null_fd);
    return (struct cost){
        .wall_us = (double)(end_ns - begin_ns) / 1e3,
        .cpu_us = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
                  (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec),
    };
}

static struct cost run_peer(const struct bench *b)
{
    const char *argv[] = {b->self, "adapter", NULL};
    return run_program(argv);
}

static void write_file(const char *path, const struct buf *text)
{
    struct error err = {0};
    if (text->overflow || !os_write_file(path, buf_str(text), &err)) give_up(path);
}

static void write_suite(struct bench *b, const char *name, int cases)
{
    struct buf text;
    buf_init(&text, (size_t)4 << 20);
    for (int i = 0; i < cases; i++) {
        buf_printf(&text, "{\"id\":\"c%d\",\"input\":\"%d\",\"expected\":\"%lld\"}\n", i, i,
                   answer_to(i) + is_trap(i));
    }
    write_file(arena_printf(&b->arena, "%s/%s.jsonl", b->dir, name), &text);
    buf_clear(&text);
    buf_printf(
        &text,
        "suite: {id: %s, category: speed}\n"
        "agents: [{id: a, process: {command: ['%s', agent], mode: session}}]\n"
        "benchmarks:\n"
        "  - {id: b, dataset: {source: %s.jsonl}, iterations: {warmup: 0, measured: 1}}\n",
        name, b->self, name);
    write_file(arena_printf(&b->arena, "%s/%s.yaml", b->dir, name), &text);
    buf_release(&text);
}

/* Every answer is there, and scored as it should be. */
static void check(const char *url, int cases)
{
    struct arena scratch = arena_open();
    struct store *store = NULL;
    struct error err = {0};
    struct run_record run;
    struct execution_record *e = NULL;
    struct trial_note *notes = NULL;
    size_t count = 0, right = 0;
    if (!store_open(url, &(struct store_options){.read_only = true}, &store, &err) ||
        !store_find_run(store, "latest", &scratch, &run, &err) ||
        !store_list_executions(store, run.id, &scratch, &e, &count, &err) ||
        !store_list_notes(store, e[0].id, &scratch, &notes, &count, &err)) {
        give_up(err.text);
    }
    bool seen[CASES] = {0};
    for (size_t i = 0; i < count; i++) {
        long long answer = strtoll(str_cstr(&scratch, notes[i].output), NULL, 10);
        long long of = number_after(notes[i].detail, "\"case\":\"c");
        if (of < 0 || of >= cases || seen[of] || answer != answer_to(of)) continue;
        seen[of] = true;
        right++;
    }
    double accuracy = 1 - (double)(cases / 100) / cases;
    if (right != (size_t)cases || fabs(e[0].scores[SCORE_ACCURACY] - accuracy) > 1e-12) {
        give_up("wrong answers or scores stored");
    }
    store_close(store);
    arena_close(&scratch);
}

static struct cost run_ours(struct bench *b, const char *name, int cases)
{
    const char *program = getenv("ASSAY_BIN");
    const char *path = arena_printf(&b->arena, "%s/store.db", b->dir);
    const char *url = arena_printf(&b->arena, "sqlite:%s", path);
    const char *argv[] = {
        program ? program : "build/release/assay",           "run", "-q", "--store", url,
        arena_printf(&b->arena, "%s/%s.yaml", b->dir, name), NULL};
    struct cost cost = run_program(argv);
    check(url, cases);
    unlink(path);
    return cost;
}

/* ---- reports ---- */

static void compare(struct bench *b)
{
    double wall[2][BLOCKS], cpu[2][BLOCKS];
    double start_wall[BLOCKS], start_cpu[BLOCKS];
    for (int i = -1; i < BLOCKS; i++) {
        struct cost ours = {0}, peer = {0};
        if (i % 2) peer = run_peer(b);
        ours = run_ours(b, "many", CASES);
        if (i % 2 == 0) peer = run_peer(b);
        struct cost start = run_ours(b, "one", 1);
        if (i < 0) continue;
        wall[0][i] = ours.wall_us / CASES;
        wall[1][i] = peer.wall_us / CASES;
        cpu[0][i] = ours.cpu_us / CASES;
        cpu[1][i] = peer.cpu_us / CASES;
        start_wall[i] = start.wall_us;
        start_cpu[i] = start.cpu_us;
    }
    ratio_at_most("case of a session in a run / by its adapter alone, wall", wall[0], wall[1],
                  target);
    ratio_at_most("case of a session in a run / by its adapter alone, CPU", cpu[0], cpu[1],
                  target);
    printf("# wall %.1f us and %.1f us, CPU %.1f us and %.1f us\n",
           ratio_median(wall[0], BLOCKS), ratio_median(wall[1], BLOCKS),
           ratio_median(cpu[0], BLOCKS), ratio_median(cpu[1], BLOCKS));
    printf("# of that a run of one case, over %d: %.1f us wall, %.1f us CPU\n", CASES,
           ratio_median(start_wall, BLOCKS) / CASES, ratio_median(start_cpu, BLOCKS) / CASES);
}

int main(int argc, char **argv)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) give_up("/proc/self/exe");
    self[n] = '\0';
    if (argc > 1 && strcmp(argv[1], "agent") == 0) return serve();
    if (argc > 1 && strcmp(argv[1], "adapter") == 0) return ask_all(self);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    struct bench b = {.arena = arena_open(), .self = self};
    struct error err = {0};
    if (!os_make_temp_dir("assay-bench", &b.arena, &b.dir, &err)) give_up(err.text);
    write_suite(&b, "many", CASES);
    write_suite(&b, "one", 1);
    compare(&b);
    os_remove_tree(b.dir);
    arena_close(&b.arena);
    return 0;
}
