/* bootstrap.c - a BCa interval of the mean, 10 000 resamples of 1000 values,
 * one thread, against the resampling alone of R's boot(); alternated blocks, in
 * CPU time, so that a busy machine does not decide.
 * Both sides' mean of the resampled means is compared, so that neither can be
 * fast by not doing it. */
#include "stats/bootstrap.h"
#include "base/buf.h"
#include "base/os.h"
#include "base/rng.h"
#include "stats/quantile.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { VALUES = 1000, RESAMPLES = 10000, BLOCKS = 7 };
static const double target = 20;

struct peer {
    FILE *in;
    FILE *out;
    pid_t pid;
};

static bool peer_start(struct peer *p, const char *data)
{
    int to[2];
    int from[2];
    if (pipe(to) != 0 || pipe(from) != 0) return false;
    p->pid = fork();
    if (p->pid < 0) return false;
    if (p->pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        execlp("Rscript", "Rscript", "bench/bootstrap.R", data, "10000", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    p->in = fdopen(to[1], "w");
    p->out = fdopen(from[0], "r");
    return p->in && p->out;
}

/* Seconds of one boot(); 0 if R or its package is not there. */
static double peer_run(struct peer *p, double *mean)
{
    char line[128];
    fputs("go\n", p->in);
    fflush(p->in);
    if (!fgets(line, sizeof line, p->out)) return 0;
    char *rest;
    double seconds = strtod(line, &rest);
    *mean = strtod(rest, NULL);
    return seconds;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double ours_run(const double *x, struct arena scratch, struct bootstrap_interval *i)
{
    struct bootstrap_plan plan = {
        .values = x, .n = VALUES, .method = BOOTSTRAP_BCA, .resamples = RESAMPLES, .seed = 1};
    struct error err = {0};
    double start = cpu_seconds();
    bool ok = bootstrap_interval(&plan, scratch, i, &err);
    double end = cpu_seconds();
    CHECK(ok);
    return end - start;
}

static bool compare(const double *x, struct peer *p, struct arena scratch)
{
    double ours[BLOCKS];
    double peers[BLOCKS];
    struct bootstrap_interval i = {0};
    for (int b = 0; b < BLOCKS; b++) {
        ours[b] = ours_run(x, scratch, &i);
        double mean = 0;
        peers[b] = peer_run(p, &mean);
        if (peers[b] <= 0) {
            printf("# skip: bootstrap against R: Rscript or its package boot is not there "
                   "(script/setup packages-bench.txt installs them)\n");
            return true;
        }
        /* The mean of 10 000 resampled means is the estimate to se / 100. */
        CHECK(fabs(mean - i.estimate) < 0.06 * i.se);
    }
    stats_sort_inplace(ours, BLOCKS);
    stats_sort_inplace(peers, BLOCKS);
    double ratio = quantile_median(peers, BLOCKS) / quantile_median(ours, BLOCKS);
    bool ok = ratio >= target;
    printf("bench: bootstrap BCa, 10000 resamples of 1000, one thread, R's boot: ours %.4f s "
           "peer %.4f s ratio %.1f target >=%.0f %s\n",
           quantile_median(ours, BLOCKS), quantile_median(peers, BLOCKS), ratio, target,
           ok ? "ok" : "MISSED");
    return ok;
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* R may not be there */
    struct arena a = arena_open();
    struct error err = {0};
    const char *folder;
    if (!os_make_temp_dir("assay-bench", &a, &folder, &err)) {
        printf("# %s\n", err.text);
        return 1;
    }
    double x[VALUES];
    struct rng r = rng_seeded(42);
    struct buf text;
    buf_init(&text, (size_t)1 << 20);
    for (size_t i = 0; i < VALUES; i++) {
        x[i] = exp(rng_normal(&r));
        buf_printf(&text, "%.17g\n", x[i]);
    }
    const char *data = arena_printf(&a, "%s/values.txt", folder);
    struct peer p = {0};
    bool ok =
        os_write_file(data, buf_str(&text), &err) && peer_start(&p, data) && compare(x, &p, a);
    if (p.in) fclose(p.in);
    if (p.out) fclose(p.out);
    if (p.pid > 0) waitpid(p.pid, NULL, 0);
    os_remove_tree(folder);
    buf_release(&text);
    arena_close(&a);
    return ok ? 0 : 1;
}
