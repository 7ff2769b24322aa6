/* Requests that the stub answers in a second of one core: short answers, not
 * streamed, no delays, 16 connections kept open by wrk. Counted per second of
 * the stub's CPU time, so that what else the machine does has no say; the rate
 * by the clock, best of the blocks, stands beside it. */
#include "stub/stub.h"
#include "base/clock.h"
#include "base/os.h"

enum { BLOCKS = 5, TARGET = 20000 };

static double cpu_s(pid_t pid)
{
    clockid_t clock;
    struct timespec t = {0};
    if (clock_getcpuclockid(pid, &clock) == 0) clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* "  23965 requests in 3.02s, 9.89MB read", and no line of errors. */
static bool read_count(struct str text, int64_t *count)
{
    const char *end = memmem(text.p, text.n, " requests in", 12);
    if (!end || memmem(text.p, text.n, "Non-2xx", 7)) return false;
    const char *from = end;
    while (from > text.p && from[-1] >= '0' && from[-1] <= '9') from--;
    return str_to_int((struct str){from, (size_t)(end - from)}, count);
}

int main(void)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct stub_options options = stub_options_default;
    struct stub_process stub;
    options.listen = "127.0.0.1:0";
    if (!os_find_program("wrk", &a)) {
        printf("bench: stub requests/s: skipped, there is no wrk\n");
        return 0;
    }
    if (!stub_start(&stub, &options, &err)) {
        printf("bench: stub requests/s: %s MISSED\n", err.text);
        return 1;
    }
    const char *url = arena_printf(&a, "http://127.0.0.1:%d/v1/chat/completions", stub.port);
    const char *argv[] = {"wrk", "-t1", "-c16", "-d1", "-s", "bench/stub.lua", url, NULL};
    double best_per_s = 0;
    double before_s = cpu_s(stub.pid);
    int64_t total = 0;
    for (int i = 0; i < BLOCKS; i++) {
        struct os_output out = {0};
        int64_t count = 0;
        int64_t start_ns = clock_ns();
        if (!os_capture(argv, 20000, 1 << 16, &a, &out, &err) ||
            !read_count(out.text, &count)) {
            printf("bench: stub requests/s: wrk failed: %s%.*s MISSED\n", err.text,
                   STR_ARG(out.text));
            stub_stop(&stub);
            return 1;
        }
        double per_s = (double)count / ((double)(clock_ns() - start_ns) / 1e9);
        if (per_s > best_per_s) best_per_s = per_s;
        total += count;
    }
    double rate = (double)total / (cpu_s(stub.pid) - before_s);
    stub_stop(&stub);
    printf("bench: stub requests/s: ours %.0f (by the clock %.0f) target %d %s\n", rate,
           best_per_s, TARGET, rate >= TARGET ? "ok" : "MISSED");
    arena_close(&a);
    return rate >= TARGET ? 0 : 1;
}
