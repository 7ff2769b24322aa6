#include "load/cpu_tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_pid(const void *a, const void *b)
{
    const struct cpu_process *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct cpu_process *find(const struct cpu_process *list, size_t count, pid_t pid)
{
    struct cpu_process key = {.pid = pid};
    return bsearch(&key, list, count, sizeof *list, by_pid);
}

/* NULL: there is none, or another one of that number. */
static const struct cpu_process *find_same(const struct cpu_process *list, size_t count,
                                           const struct cpu_process *p)
{
    const struct cpu_process *found = find(list, count, p->pid);
    return found && found->start_ticks == p->start_ticks ? found : NULL;
}

/* Time of children of `pid` that has been counted, and that it has now perhaps waited for. */
static double gone_s(const struct cpu_tally *t, const struct cpu_process *now, size_t count,
                     pid_t pid)
{
    double sum_s = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpu_process *p = &t->seen[i];
        if (p->parent == pid && !find_same(now, count, p)) sum_s += p->own_s + p->reaped_s;
    }
    return sum_s;
}

static void remember(struct cpu_tally *t, const struct cpu_process *processes, size_t count)
{
    CHECK(count <= CPU_TALLY_MAX);
    memcpy(t->seen, processes, count * sizeof *processes);
    t->count = count;
}

void cpu_tally_begin(struct cpu_tally *t, struct cpu_process *processes, size_t count)
{
    qsort(processes, count, sizeof *processes, by_pid);
    remember(t, processes, count);
    t->used_s = 0;
}

void cpu_tally_look(struct cpu_tally *t, struct cpu_process *processes, size_t count)
{
    static const struct cpu_process unseen = {0};
    qsort(processes, count, sizeof *processes, by_pid);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_process *p = &processes[i];
        const struct cpu_process *before = find_same(t->seen, t->count, p);
        if (!before) before = &unseen;
        double reaped_s = p->reaped_s - before->reaped_s;
        if (reaped_s > 0) reaped_s -= gone_s(t, processes, count, p->pid);
        t->used_s += fmax(0, p->own_s - before->own_s) + fmax(0, reaped_s);
    }
    remember(t, processes, count);
}
