/* Checks read what the kernel says of itself, below /proc and /sys, and time two things
 * (reading the clock, a synced write). A file that is not there is no fault: its check is
 * unknown. The noise test takes pairs of trials of the same work, so that every difference
 * is noise: its sessions are judged one by one (the floor), in blocks (false verdicts, what
 * n pairs could show), and all together. */
#include "judge/doctor.h"

#include "base/clock.h"
#include "base/os.h"
#include "spec/spec.h"
#include "stats/quantile.h"

#include <math.h>
#include <sys/sysinfo.h>
#include <unistd.h>

struct patient {
    struct arena *out;
    struct doctor_check *checks;
    size_t count;
};

const char *doctor_status_name(enum doctor_status status)
{
    static const char *const names[] = {"ok", "warning", "unknown"};
    return names[status];
}

static void add(struct patient *p, enum doctor_item item, enum doctor_status status,
                double value, double other)
{
    p->checks[p->count++] = (struct doctor_check){item, status, value, other, NULL};
}

/* Empty: what it would say is not known. */
static void add_text(struct patient *p, enum doctor_item item, bool is_bad, struct str text)
{
    enum doctor_status status = is_bad ? DOCTOR_WARNING : DOCTOR_OK;
    if (text.n == 0) status = DOCTOR_UNKNOWN;
    add(p, item, status, NAN, NAN);
    if (text.n) p->checks[p->count - 1].text = str_cstr(p->out, text);
}

static double number_in(const char *path, struct arena *out)
{
    double v = NAN;
    bool is_number = str_to_real(os_read_line(path, out), &v);
    return is_number ? v : (double)NAN;
}

static enum doctor_status warn_if(bool is_bad)
{
    return is_bad ? DOCTOR_WARNING : DOCTOR_OK;
}

/* ---- processor ---- */

static void check_cpus(struct patient *p)
{
    int cpus = get_nprocs();
    double load = NAN;
    struct str line = os_read_line("/proc/loadavg", p->out);
    bool is_known = str_to_real(str_cut(&line, ' '), &load);
    add(p, DOCTOR_CPUS, warn_if(cpus < 2), cpus, NAN);
    add(p, DOCTOR_LOAD, is_known ? warn_if(load > 0.25 * cpus) : DOCTOR_UNKNOWN, load, cpus);
}

static void check_frequency(struct patient *p)
{
    struct str governor =
        os_read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", p->out);
    add_text(p, DOCTOR_GOVERNOR, !str_is(governor, "performance"), governor);
    struct str no_turbo = os_read_line("/sys/devices/system/cpu/intel_pstate/no_turbo", p->out);
    struct str boost = os_read_line("/sys/devices/system/cpu/cpufreq/boost", p->out);
    bool is_known = no_turbo.n > 0 || boost.n > 0;
    bool is_on = str_is(no_turbo, "0") || str_is(boost, "1");
    add(p, DOCTOR_TURBO, is_known ? warn_if(is_on) : DOCTOR_UNKNOWN, is_on, NAN);
    double throttled =
        number_in("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", p->out);
    double heat = number_in("/sys/class/thermal/thermal_zone0/temp", p->out);
    bool has_heat = !isnan(heat) || !isnan(throttled);
    add(p, DOCTOR_THERMAL, has_heat ? warn_if(throttled > 0 || heat > 85000) : DOCTOR_UNKNOWN,
        isnan(throttled) ? 0 : throttled, isnan(heat) ? 0 : heat / 1000);
    struct str smt = os_read_line("/sys/devices/system/cpu/smt/active", p->out);
    bool is_smt = str_is(smt, "1");
    if (smt.n > 0) add(p, DOCTOR_SMT, warn_if(is_smt), is_smt, NAN);
}

/* ---- clock ---- */

enum { CLOCK_READS = 2000 };

static void check_clock(struct patient *p)
{
    struct str source = os_read_line(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource", p->out);
    bool is_fast = str_is(source, "tsc") || str_is(source, "kvm-clock") ||
                   str_is(source, "arch_sys_counter") ||
                   str_is(source, "hyperv_clocksource_tsc_page");
    add_text(p, DOCTOR_CLOCK_SOURCE, !is_fast, source);
    double *steps = arena_new(p->out, double, CLOCK_READS);
    for (size_t i = 0; i < CLOCK_READS; i++) {
        int64_t begin_ns = clock_ns();
        steps[i] = (double)(clock_ns() - begin_ns);
    }
    stats_sort_inplace(steps, CLOCK_READS);
    double cost_ns = quantile_median(steps, CLOCK_READS);
    add(p, DOCTOR_CLOCK_READ, warn_if(cost_ns > 200), cost_ns, NAN);
}

/* ---- system ---- */

static bool has_hypervisor(struct arena *out)
{
    struct str text = {0};
    if (!os_read_file("/proc/cpuinfo", (size_t)4 << 20, out, &text, NULL)) return false;
    while (text.p) {
        struct str line = str_cut(&text, '\n');
        if (!str_starts(line, S("flags"))) continue;
        while (line.p) {
            if (str_is(str_cut(&line, ' '), "hypervisor")) return true;
        }
        return false;
    }
    return false;
}

/* Of /proc/stat's first line: user nice system idle iowait irq softirq steal. */
static double steal_share(struct arena *out)
{
    struct str line = os_read_line("/proc/stat", out);
    double total = 0;
    double steal = NAN;
    str_cut(&line, ' ');
    for (int i = 0; line.p && i < 8;) {
        double v = 0;
        struct str word = str_cut(&line, ' ');
        if (word.n == 0) continue;
        if (!str_to_real(word, &v)) return NAN;
        total += v;
        if (i == 7) steal = v;
        i++;
    }
    return total > 0 ? steal / total : (double)NAN;
}

static void check_virtual(struct patient *p)
{
    bool is_virtual = has_hypervisor(p->out);
    add(p, DOCTOR_VIRTUALISATION, warn_if(is_virtual), is_virtual, NAN);
    double share = steal_share(p->out);
    add(p, DOCTOR_STOLEN_TIME, isnan(share) ? DOCTOR_UNKNOWN : warn_if(share > 0.005), share,
        NAN);
    struct str aslr = os_read_line("/proc/sys/kernel/randomize_va_space", p->out);
    bool is_off = str_is(aslr, "0");
    add(p, DOCTOR_ASLR, aslr.n ? warn_if(is_off) : DOCTOR_UNKNOWN, !is_off, NAN);
}

static void check_memory(struct patient *p)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0) return;
    double unit = info.mem_unit;
    double used_mb = (double)(info.totalswap - info.freeswap) * unit / 1e6;
    add(p, DOCTOR_SWAP, warn_if(used_mb > 1), used_mb, (double)info.totalswap * unit / 1e6);
    double free_mb = (double)(info.freeram + info.bufferram) * unit / 1e6;
    double total_mb = (double)info.totalram * unit / 1e6;
    add(p, DOCTOR_MEMORY, warn_if(free_mb < 0.02 * total_mb), free_mb, total_mb);
}

static void check_perf(struct patient *p)
{
    const struct instrument *perf = instrument_find(S("perf"));
    CHECK(perf != NULL);
    struct error why = {0};
    void *config = arena_alloc(p->out, 1, perf->config_size + 1, _Alignof(max_align_t));
    bool can = param_read(perf->params, NULL, config, p->out, &why) &&
               (!perf->available || perf->available(config, &why));
    bool can_all = can;
    const struct value *cycles = NULL;
    if (can && value_read_json(S("{\"events\": [\"cycles\"]}"), &value_limits_spec, p->out,
                               &cycles, NULL)) {
        can_all = param_read(perf->params, cycles, config, p->out, &why) &&
                  perf->available(config, &why);
    }
    double paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", p->out);
    add(p, DOCTOR_PERF, can_all ? DOCTOR_OK : DOCTOR_UNKNOWN, can + can_all, paranoid);
    if (!can_all) p->checks[p->count - 1].text = arena_printf(p->out, "%s", why.text);
}

static void check_cgroup(struct patient *p)
{
    struct str line = os_read_line("/sys/fs/cgroup/cpu.max", p->out);
    struct str quota = str_cut(&line, ' ');
    bool is_limited = quota.n > 0 && !str_is(quota, "max");
    add(p, DOCTOR_CPU_LIMIT, warn_if(is_limited), NAN, NAN);
    if (is_limited) p->checks[p->count - 1].text = str_cstr(p->out, quota);
    bool is_v2 = os_exists("/sys/fs/cgroup/cgroup.controllers");
    bool is_v1 = os_exists("/sys/fs/cgroup/memory");
    bool is_writable = access(is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", W_OK) == 0;
    double version = is_v2 ? 2 : is_v1 ? 1 : 0;
    add(p, DOCTOR_CGROUP, warn_if(!is_writable), version, is_writable);
}

enum { SYNCS = 7 };

/* What a durable commit costs: a block written, synced and renamed. */
static void check_disk(struct patient *p)
{
    const char *dir = NULL;
    if (!os_make_temp_dir("assay-doctor-", p->out, &dir, NULL)) return;
    char block[4096];
    memset(block, 'x', sizeof block);
    const char *path = arena_printf(p->out, "%s/block", dir);
    double took_s[SYNCS];
    size_t n = 0;
    for (size_t i = 0; i < SYNCS; i++) {
        int64_t begin_ns = clock_ns();
        if (!os_write_file(path, (struct str){block, sizeof block}, NULL)) break;
        took_s[n++] = (double)(clock_ns() - begin_ns) / 1e9;
    }
    os_remove_tree(dir);
    if (n == 0) return;
    stats_sort_inplace(took_s, n);
    double median_s = quantile_median(took_s, n);
    add(p, DOCTOR_DISK_SYNC, warn_if(median_s > 0.02), median_s, NAN);
}

size_t doctor_check(struct arena *out, struct doctor_check checks[DOCTOR_CHECKS_MAX])
{
    struct patient p = {.out = out, .checks = checks};
    check_cpus(&p);
    check_frequency(&p);
    check_clock(&p);
    check_virtual(&p);
    check_memory(&p);
    check_perf(&p);
    check_cgroup(&p);
    check_disk(&p);
    return p.count;
}

/* ---- the noise test ---- */

static bool compare(const double *a, const double *b, size_t n, struct arena *out,
                    struct verdict_answer *answer, struct error *err)
{
    struct verdict_question q = {
        .a = a, .a_count = n, .b = b, .b_count = n, .is_paired = true, .is_alternating = true};
    return verdict_compare(&q, *out, answer, err);
}

/* The median of what the engine says of blocks of n pairs. */
static bool judge_budget(const double *a, const double *b, size_t pairs, size_t k,
                         struct arena *out, struct doctor_noise *noise, struct error *err)
{
    size_t n = noise->budgets[k];
    size_t blocks = pairs / n;
    double *mdes = arena_new(out, double, blocks + 1);
    for (size_t i = 0; i < blocks; i++) {
        struct verdict_answer answer;
        if (!compare(a + i * n, b + i * n, n, out, &answer, err)) return false;
        mdes[i] = answer.mde;
        if (k > 0) continue;
        noise->blocks++;
        noise->false_verdicts +=
            answer.verdict == VERDICT_BETTER || answer.verdict == VERDICT_WORSE;
    }
    noise->mde[k] = stats_median(*out, mdes, blocks);
    return true;
}

bool doctor_judge(const double *a, const double *b, size_t sessions, size_t trials,
                  struct arena *out, struct doctor_noise *noise, struct error *err)
{
    static const size_t budgets[DOCTOR_BUDGETS] = {10, 30, 100};
    size_t pairs = sessions * trials;
    memcpy(noise->budgets, budgets, sizeof budgets);
    noise->sessions = sessions;
    noise->pairs = pairs;
    noise->blocks = noise->false_verdicts = 0;
    double *all = arena_new(out, double, 2 * pairs + 1);
    memcpy(all, a, pairs * sizeof *all);
    memcpy(all + pairs, b, pairs * sizeof *all);
    size_t kept = 0;
    const double *sorted = stats_sort(out, all, 2 * pairs, &kept);
    noise->median_s = quantile_median(sorted, kept);
    noise->cv = MAD_TO_SIGMA * quantile_mad(*out, sorted, kept) / noise->median_s;
    struct moments spread = {0};
    double *reach = arena_new(out, double, sessions + 1);
    for (size_t s = 0; s < sessions; s++) {
        struct verdict_answer answer;
        const double *of_a = a + s * trials;
        if (!compare(of_a, b + s * trials, trials, out, &answer, err)) return false;
        const struct verdict_effect *e = &answer.effect; /* fmax passes a NaN over */
        reach[s] = fmax(fabs(e->ratio - 1), fmax(fabs(e->low - 1), fabs(e->high - 1)));
        moments_add(&spread, stats_median(*out, of_a, trials));
    }
    /* A typical session: the largest of many grows with how many there are. */
    noise->floor = stats_median(*out, reach, sessions);
    noise->session_spread = moments_sd(&spread) / noise->median_s;
    for (size_t k = 0; k < DOCTOR_BUDGETS; k++) {
        if (!judge_budget(a, b, pairs, k, out, noise, err)) return false;
    }
    return compare(a, b, pairs, out, &noise->answer, err);
}
