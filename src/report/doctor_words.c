#include "report/doctor_words.h"

/* Of an item: its name, and what to do where it warns. */
static const struct {
    const char *name;
    const char *advice;
} items[DOCTOR_ITEM_COUNT] = {
    [DOCTOR_CPUS] = {"cpus",
                     "with one CPU assay and what it measures take turns: use a machine "
                     "with two or more"},
    [DOCTOR_LOAD] = {"load",
                     "other work is running: end it, or wait until `uptime` shows a load "
                     "near 0"},
    [DOCTOR_GOVERNOR] = {"governor", "the clock rate follows the load: sudo cpupower "
                                     "frequency-set -g performance"},
    [DOCTOR_TURBO] = {"turbo",
                      "the clock rate depends on heat and on the other cores: echo 1 | "
                      "sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo (or 0 to "
                      "cpufreq/boost)"},
    [DOCTOR_THERMAL] = {"thermal", "it was slowed down by heat: cool it, or measure shorter"},
    [DOCTOR_SMT] = {"smt", "two threads share a core and slow each other: echo off | sudo tee "
                           "/sys/devices/system/cpu/smt/control"},
    [DOCTOR_CLOCK_SOURCE] = {"clock source", "reading it is slow: boot with clocksource=tsc if "
                                             "the processor allows"},
    [DOCTOR_CLOCK_READ] = {"clock read",
                           "this is added to every trial: make trials longer than "
                           "1000 times that"},
    [DOCTOR_VIRTUALISATION] = {"virtualisation", "its neighbours take time from it unseen: "
                                                 "compare interleaved arms of one run only, "
                                                 "never runs of different days"},
    [DOCTOR_STOLEN_TIME] = {"stolen time",
                            "the host gives this machine's CPUs to others: use a "
                            "quieter one"},
    [DOCTOR_ASLR] = {"ASLR",
                     "every run has the same memory layout, which can favour one side by "
                     "chance: sudo sysctl kernel.randomize_va_space=2"},
    [DOCTOR_SWAP] = {"swap", "memory that was swapped out comes back slowly: sudo swapoff -a "
                             "while measuring"},
    [DOCTOR_MEMORY] = {"memory", "little memory is left for the page cache: end what uses it"},
    [DOCTOR_PERF] = {"perf counters", NULL},
    [DOCTOR_CPU_LIMIT] = {"CPU limit", "the cgroup stops this machine's work when its share is "
                                       "used up, in the middle of trials: lift cpu.max"},
    [DOCTOR_CGROUP] = {"cgroup",
                       "memory limits of agents fall back to rlimits and polling: run "
                       "as root, or delegate a cgroup (systemd-run --user -p "
                       "Delegate=yes)"},
    [DOCTOR_DISK_SYNC] = {"disk sync",
                          "storing with --durable waits this long for every commit: "
                          "put the store on a faster disk"},
};

const char *doctor_words_name(const struct doctor_check *c)
{
    return items[c->item].name;
}

const char *doctor_words_advice(const struct doctor_check *c)
{
    if (c->status == DOCTOR_WARNING) return items[c->item].advice;
    if (c->status == DOCTOR_OK) return NULL;
    if (c->item == DOCTOR_GOVERNOR) {
        return "if this is a virtual machine, the host decides about clock rates";
    }
    bool is_locked = c->item == DOCTOR_PERF && c->other > 2;
    return is_locked ? "sudo sysctl kernel.perf_event_paranoid=1 lets users count" : NULL;
}

static const char *perf_text(const struct doctor_check *c, struct arena *out)
{
    if (c->value >= 2) return "available";
    return c->value >= 1 ? arena_printf(out, "software events only: %s", c->text) : c->text;
}

const char *doctor_words_value(const struct doctor_check *c, struct arena *out)
{
    if (c->item == DOCTOR_PERF) return perf_text(c, out);
    if (c->status == DOCTOR_UNKNOWN) return "not visible here";
    bool is_on = c->value > 0;
    switch (c->item) {
    case DOCTOR_CPUS: return arena_printf(out, "%.0f", c->value);
    case DOCTOR_LOAD:
        return arena_printf(out, "%.2f on %.0f CPUs in the last minute", c->value, c->other);
    case DOCTOR_GOVERNOR:
    case DOCTOR_CLOCK_SOURCE: return c->text;
    case DOCTOR_TURBO:
    case DOCTOR_SMT: return is_on ? "on" : "off";
    case DOCTOR_THERMAL:
        return arena_printf(out, "%.0f throttlings since the start, %.0f degrees", c->value,
                            c->other);
    case DOCTOR_CLOCK_READ: return arena_printf(out, "%.0f ns (CLOCK_MONOTONIC_RAW)", c->value);
    case DOCTOR_VIRTUALISATION: return is_on ? "a virtual machine" : "none";
    case DOCTOR_STOLEN_TIME:
        return arena_printf(out, "%.2f %% of all time since the start", 100 * c->value);
    case DOCTOR_ASLR:
        return is_on ? "on: memory layout is part of the noise, as it should be" : "off";
    case DOCTOR_SWAP:
        return c->other > 0 ? arena_printf(out, "%.0f MB in use", c->value) : "none";
    case DOCTOR_MEMORY: return arena_printf(out, "%.0f MB free of %.0f MB", c->value, c->other);
    case DOCTOR_CPU_LIMIT:
        return c->text ? arena_printf(out, "%s us in every period", c->text) : "none";
    case DOCTOR_CGROUP:
        if (!is_on) return "none";
        return arena_printf(out, "v%.0f, %s", c->value,
                            c->other > 0 ? "writable" : "read only");
    case DOCTOR_DISK_SYNC:
        return arena_printf(out, "%.2f ms for a synced 4 KiB write", 1e3 * c->value);
    case DOCTOR_PERF:
    case DOCTOR_ITEM_COUNT: break;
    }
    return "";
}
