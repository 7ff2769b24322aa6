/* assay/bench.h - benchmarks of a C program's own functions. Header only.
 *
 *     #include <assay/bench.h>
 *
 *     ASSAY_BENCH(sum)
 *     {
 *         long total = 0;
 *         for (int i = 0; i < 1000; i++) {
 *             total += i;
 *             ASSAY_KEEP(total); // in the loop: else the compiler works it out beforehand
 *         }
 *     }
 *
 *     ASSAY_BENCH_MAIN()
 *
 * As a program it prints every sample as a line that `assay record` and `assay
 * import` store:
 *
 *     cc -O2 -o bench bench.c && ./bench | assay record
 *
 * As a shared library it is an agent for assay's own runner, with its warm-up,
 * order, limits and isolation: a case whose input is "sum" calls that function
 * once.
 *
 *     cc -O2 -shared -fPIC -DASSAY_BENCH_PLUGIN -o bench.so bench.c
 *
 * Functions take turns, in an order that shifts by one each round, so that a
 * machine that becomes slower does so for all of them. A function faster than
 * --min-time is called several times per sample; the sample is the time of one
 * call and its metadata says of how many. ASSAY_BENCH_FAIL ends a call as failed:
 * its time is kept apart.
 */
#ifndef ASSAY_BENCH_H
#define ASSAY_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct assay_bench {
    const char *name;
    void (*body)(struct assay_bench *assay_bench);
    const char *failure; /* of the last call; NULL = it went well */
    long calls;          /* per sample */
    struct assay_bench *next;
};

#define ASSAY_BENCH(name)                                                                 \
    static void assay_bench_body_##name(struct assay_bench *assay_bench);                 \
    static struct assay_bench assay_bench_entry_##name = {#name, assay_bench_body_##name, \
                                                          NULL, 1, NULL};                 \
    __attribute__((constructor)) static void assay_bench_register_##name(void)            \
    {                                                                                     \
        assay_bench_add(&assay_bench_entry_##name);                                       \
    }                                                                                     \
    static void assay_bench_body_##name(__attribute__((unused)) struct assay_bench *assay_bench)

/* Inside a body: the value is used, the compiler must compute it. */
#define ASSAY_KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

/* Inside a body: this call failed. `why` must live on. */
#define ASSAY_BENCH_FAIL(why)         \
    do {                              \
        assay_bench->failure = (why); \
        return;                       \
    } while (0)

static inline struct assay_bench **assay_bench_list(void)
{
    static struct assay_bench *first;
    return &first;
}

/* At the end: benchmarks run in the order in which they are written. */
static inline void assay_bench_add(struct assay_bench *b)
{
    struct assay_bench **at = assay_bench_list();
    while (*at) at = &(*at)->next;
    *at = b;
}

static inline struct assay_bench *assay_bench_find(const char *name, size_t n)
{
    for (struct assay_bench *b = *assay_bench_list(); b; b = b->next) {
        if (strlen(b->name) == n && memcmp(b->name, name, n) == 0) return b;
    }
    return NULL;
}

#ifdef ASSAY_BENCH_PLUGIN

#include <assay/plugin.h>

static inline int assay_bench_answer(void *self, const struct assay_task *task,
                                     struct assay_answer *answer)
{
    (void)self;
    struct assay_bench *b = assay_bench_find(task->input.data, task->input.size);
    const char *failure = "no benchmark of that name";
    if (b) {
        b->failure = NULL;
        b->body(b);
        failure = b->failure;
    }
    answer->output.data = failure ? "failed" : "done";
    answer->output.size = strlen(answer->output.data);
    if (!failure) return ASSAY_OK;
    answer->error.data = failure;
    answer->error.size = strlen(failure);
    return ASSAY_ERROR;
}

#define ASSAY_BENCH_MAIN()                                     \
    const struct assay_plugin *assay_plugin(uint32_t host_abi) \
    {                                                          \
        static const struct assay_plugin plugin = {            \
            .abi = ASSAY_PLUGIN_ABI,                           \
            .struct_size = sizeof(struct assay_plugin),        \
            .name = "bench",                                   \
            .answer = assay_bench_answer,                      \
        };                                                     \
        return host_abi == ASSAY_PLUGIN_ABI ? &plugin : NULL;  \
    }

#else /* a program */

struct assay_bench_options {
    long samples;
    long warmup;
    double min_time_s;
    const char *version;
};

static inline double assay_bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call, over b->calls of them; a failure ends the sample. */
static inline double assay_bench_time(struct assay_bench *b)
{
    long done = 0;
    b->failure = NULL;
    double start = assay_bench_now();
    while (done < b->calls && !b->failure) {
        b->body(b);
        done++;
    }
    return (assay_bench_now() - start) / (double)done;
}

/* As many calls as take min_time_s together. */
static inline void assay_bench_calibrate(struct assay_bench *b, double min_time_s)
{
    for (b->calls = 1; b->calls < (1L << 30); b->calls *= 2) {
        if (assay_bench_time(b) * (double)b->calls >= min_time_s || b->failure) return;
    }
}

static inline void assay_bench_quote(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text >= 0x20) putchar(*text);
    }
    putchar('"');
}

static inline void assay_bench_print(const struct assay_bench *b, double seconds,
                                     const char *version)
{
    printf("{\"task\":");
    assay_bench_quote(b->name);
    printf(",\"duration\":%.9g,\"success\":%s", seconds, b->failure ? "false" : "true");
    if (b->failure) {
        printf(",\"error\":");
        assay_bench_quote(b->failure);
    }
    if (version) {
        printf(",\"version\":");
        assay_bench_quote(version);
    }
    printf(",\"metadata\":{\"calls\":%ld}}\n", b->calls);
}

static inline int assay_bench_usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--list] [--samples N] [--warmup N] [--min-time SECONDS]"
            " [--version V] [NAME]...\n",
            program);
    return 2;
}

/* The option's number, at least `least`; exits with the usage if it is none. */
static inline double assay_bench_number(const char *program, const char *text, double least)
{
    char *end = NULL;
    double v = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !(v >= least)) exit(assay_bench_usage(program));
    return v;
}

static inline void assay_bench_run(struct assay_bench **chosen, long count,
                                   const struct assay_bench_options *o)
{
    for (long i = 0; i < count; i++) {
        assay_bench_calibrate(chosen[i], o->min_time_s);
        for (long w = 0; w < o->warmup; w++) assay_bench_time(chosen[i]);
    }
    for (long round = 0; round < o->samples; round++) {
        for (long i = 0; i < count; i++) {
            struct assay_bench *b = chosen[(i + round) % count];
            assay_bench_print(b, assay_bench_time(b), o->version);
        }
    }
}

static inline int assay_bench_main(int argc, char **argv)
{
    enum { CHOSEN_MAX = 1024 };
    static struct assay_bench *chosen[CHOSEN_MAX];
    struct assay_bench_options o = {30, 3, 1e-4, NULL};
    long count = 0;
    for (int i = 1; i < argc; i++) {
        const char *next = argv[i + 1];
        struct assay_bench *named = assay_bench_find(argv[i], strlen(argv[i]));
        if (strcmp(argv[i], "--list") == 0) {
            for (struct assay_bench *b = *assay_bench_list(); b; b = b->next) puts(b->name);
            return 0;
        } else if (strcmp(argv[i], "--samples") == 0) {
            o.samples = (long)assay_bench_number(argv[0], next, 1), i++;
        } else if (strcmp(argv[i], "--warmup") == 0) {
            o.warmup = (long)assay_bench_number(argv[0], next, 0), i++;
        } else if (strcmp(argv[i], "--min-time") == 0) {
            o.min_time_s = assay_bench_number(argv[0], next, 0), i++;
        } else if (strcmp(argv[i], "--version") == 0 && next) {
            o.version = next, i++;
        } else if (named && count < CHOSEN_MAX) {
            chosen[count++] = named;
        } else {
            return assay_bench_usage(argv[0]);
        }
    }
    struct assay_bench *all = count ? NULL : *assay_bench_list();
    for (; all && count < CHOSEN_MAX; all = all->next) chosen[count++] = all;
    if (count == 0) return fprintf(stderr, "%s: no benchmarks\n", argv[0]), 2;
    assay_bench_run(chosen, count, &o);
    return fflush(stdout) == 0 ? 0 : 1;
}

#define ASSAY_BENCH_MAIN()                   \
    int main(int argc, char **argv)          \
    {                                        \
        return assay_bench_main(argc, argv); \
    }

#endif

#endif
