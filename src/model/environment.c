#include "model/environment.h"

#include "base/clock.h"
#include "base/os.h"
#include "model/worktree.h"

#include <stdio.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { WARNINGS_MAX = 8 };

struct machine {
    struct utsname names;
    struct str cpu_model;
    bool is_virtual;
    int cpus;
    double memory_mb;
    double load_1m;
    struct str governor;
    struct str turbo; /* "on", "off" or empty */
    struct str clock_source;
    struct str boot_id;
    const char *warnings[WARNINGS_MAX];
    const char *kinds[WARNINGS_MAX]; /* of each: what it is about */
    size_t warning_count;
};

static struct str line_after(struct str text, const char *key)
{
    while (text.p) {
        struct str line = str_cut(&text, '\n');
        if (!str_starts(line, str_of(key))) continue;
        str_cut(&line, ':');
        return str_trim(line);
    }
    return (struct str){0};
}

static void look_at_processor(struct machine *m, struct arena *out)
{
    struct str text = {0};
    if (os_read_file("/proc/cpuinfo", (size_t)4 << 20, out, &text, NULL)) {
        m->cpu_model = line_after(text, "model name");
        struct str flags = line_after(text, "flags");
        while (flags.p) {
            if (str_is(str_cut(&flags, ' '), "hypervisor")) m->is_virtual = true;
        }
    }
    m->cpus = get_nprocs();
    m->governor = os_read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", out);
    struct str no_turbo = os_read_line("/sys/devices/system/cpu/intel_pstate/no_turbo", out);
    if (no_turbo.n > 0) m->turbo = str_is(no_turbo, "1") ? S("off") : S("on");
    m->clock_source =
        os_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", out);
}

static void look_at_system(struct machine *m, struct arena *out)
{
    uname(&m->names);
    m->boot_id = os_read_line("/proc/sys/kernel/random/boot_id", out);
    struct sysinfo info;
    if (sysinfo(&info) == 0) {
        m->memory_mb = (double)info.totalram * info.mem_unit / 1e6;
        m->load_1m = (double)info.loads[0] / (1 << SI_LOAD_SHIFT);
    }
}

static void warn(struct machine *m, const char *kind, const char *text)
{
    if (m->warning_count >= WARNINGS_MAX) return;
    m->kinds[m->warning_count] = kind;
    m->warnings[m->warning_count++] = text;
}

static void judge(struct machine *m, struct arena *out)
{
    if (m->governor.n > 0 && !str_is(m->governor, "performance")) {
        warn(m, "governor",
             arena_printf(out,
                          "the CPU governor is '%.*s', not 'performance': the clock "
                          "rate follows the load",
                          STR_ARG(m->governor)));
    }
    if (str_is(m->turbo, "on")) {
        warn(m, "turbo", "turbo is on: the clock rate depends on heat and on the other cores");
    }
    if (m->load_1m > 0.25 * m->cpus) {
        warn(m, "load",
             arena_printf(out,
                          "the load was %.2f on %d CPUs at the start: other work "
                          "disturbs the measurements",
                          m->load_1m, m->cpus));
    }
    if (m->is_virtual) {
        warn(m, MACHINE_VIRTUAL,
             "this is a virtual machine: its neighbours can take time from it");
    }
    bool is_slow_clock = m->clock_source.n > 0 && !str_is(m->clock_source, "tsc") &&
                         !str_is(m->clock_source, "kvm-clock") &&
                         !str_is(m->clock_source, "arch_sys_counter");
    if (is_slow_clock) {
        warn(m, "clock",
             arena_printf(out, "the clock source is '%.*s': reading it is slow",
                          STR_ARG(m->clock_source)));
    }
}

/* A map being made. */
struct facts {
    struct arena *out;
    struct value_pair pairs[24];
    size_t count;
};

static void add(struct facts *f, const char *key, const struct value *v)
{
    CHECK(f->count < COUNT(f->pairs));
    f->pairs[f->count++] = (struct value_pair){.key = str_of(key), .value = v};
}

static void add_str(struct facts *f, const char *key, struct str s)
{
    add(f, key, s.n ? value_new_text(f->out, str_copy(f->out, s)) : value_new_null(f->out));
}

static const struct value *list_of(const char *const *texts, size_t count, struct arena *out)
{
    const struct value **items = arena_new(out, const struct value *, count + 1);
    for (size_t i = 0; i < count; i++) items[i] = value_new_text(out, str_of(texts[i]));
    return value_new_list(out, items, count);
}

const struct value *environment_now(struct arena *out)
{
    struct machine m = {0};
    look_at_processor(&m, out);
    look_at_system(&m, out);
    judge(&m, out);
    struct facts f = {.out = out};
    add_str(&f, "os",
            str_of(arena_printf(out, "%s-%s-%s", m.names.sysname, m.names.release,
                                m.names.machine)));
    add_str(&f, "machine", str_of(m.names.machine));
    add_str(&f, "processor", m.cpu_model);
    add_str(&f, "hostname", str_of(m.names.nodename));
    add_str(&f, "kernel", str_of(m.names.release));
    add_str(&f, "cpu_model", m.cpu_model);
    add(&f, "cpus", value_new_int(out, m.cpus));
    add(&f, "memory_mb", value_new_int(out, (int64_t)m.memory_mb));
    add(&f, "load_1m", value_new_real(out, (double)(int64_t)(m.load_1m * 100) / 100));
    add_str(&f, "governor", m.governor);
    add_str(&f, "turbo", m.turbo);
    add_str(&f, "clock_source", m.clock_source);
    add_str(&f, "clock", S("CLOCK_MONOTONIC_RAW"));
    add(&f, "virtual", value_new_bool(out, m.is_virtual));
    add(&f, "pid", value_new_int(out, getpid()));
    add_str(&f, "boot_id", m.boot_id);
    add(&f, "warnings", list_of(m.warnings, m.warning_count, out));
    add(&f, "warning_kinds", list_of(m.kinds, m.warning_count, out));
    return value_new_map(out, f.pairs, f.count);
}

enum { STATUS_MAX = 4 << 20 };

struct vcs {
    struct worktree tree;
    bool is_looked_at; /* the tree's changes are known */
    struct str committed_at;
    struct str parent; /* the first one; empty: none */
};

/* A repository's own configuration names programs that git runs, and an agent may have
 * written it: with its rights kept inside the jail, it would have ours by our next
 * question. So git is asked with all of them off: the monitor of files, hooks, the check of
 * signatures, and (by the transport) the fetching of missing objects. Filters have names
 * that only the configuration knows; reading it runs nothing. Those of the user's own
 * configuration stay. */
enum { GIT_WORDS = 256 };

struct git {
    const char *argv[GIT_WORDS];
    size_t count;
};

static void add_word(struct git *g, const char *word)
{
    if (g->count + 1 < GIT_WORDS) g->argv[g->count++] = word;
}

static void add_setting(struct git *g, const char *setting)
{
    add_word(g, "-c");
    add_word(g, setting);
}

static void begin_git(struct git *g)
{
    *g = (struct git){0};
    static const char *const words[] = {"GIT_ALLOW_PROTOCOL=none", "git", "--no-pager",
                                        "--no-optional-locks"};
    for (size_t i = 0; i < COUNT(words); i++) add_word(g, words[i]);
    add_setting(g, "core.fsmonitor=false");
    add_setting(g, "core.hooksPath=/dev/null");
    add_setting(g, "log.showSignature=false");
}

/* Starts `git <arguments>`. */
static void begin_asking(const struct git *base, const char *const *arguments,
                         struct os_capture *c)
{
    struct git g = *base;
    for (size_t i = 0; arguments[i]; i++) add_word(&g, arguments[i]);
    if (!os_capture_begin(g.argv, 2000, c, NULL)) *c = (struct os_capture){0};
}

/* What it printed; false if it failed or took too long. */
static bool end_asking(struct os_capture *c, struct arena *out, struct str *answer,
                       bool *timed_out)
{
    struct os_output got = {0};
    if (c->pid == 0) return false;
    os_capture_end(c, STATUS_MAX, out, &got);
    *timed_out = got.timed_out;
    *answer = got.text;
    return got.exit_code == 0 && !got.timed_out;
}

static bool ask_git(const struct git *base, const char *const *arguments, struct arena *out,
                    struct str *answer, bool *timed_out)
{
    struct os_capture c;
    begin_asking(base, arguments, &c);
    return end_asking(&c, out, answer, timed_out);
}

/* False if there are more than can be turned off: then git is not to look at files. */
static bool turn_filters_off(struct git *g, struct arena *out)
{
    static const char *const argv[] = {
        "config", "--null", "--show-scope", "--get-regexp", "^filter\\..*\\.(clean|process)$",
        NULL};
    struct str rest;
    bool timed_out = false;
    if (!ask_git(g, argv, out, &rest, &timed_out)) return !timed_out; /* none */
    while (rest.n > 0) { /* scope NUL key LF value NUL */
        struct str scope = str_cut(&rest, '\0');
        struct str value = str_cut(&rest, '\0');
        struct str key = str_cut(&value, '\n');
        if (str_is(scope, "system") || str_is(scope, "global")) continue;
        if (g->count + 16 > GIT_WORDS) return false;
        if (memchr(key.p, '=', key.n)) return false; /* -c would end the name there */
        add_setting(g, arena_printf(out, "%.*s=", STR_ARG(key)));
        struct str name = {key.p, (size_t)((char *)memrchr(key.p, '.', key.n) - key.p)};
        add_setting(g, arena_printf(out, "%.*s.required=false", STR_ARG(name)));
    }
    return true;
}

/* Everything by one call: most of git's time is its start. */
static const char *const status_of[] = {
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-ahead-behind", /* nobody asks, and counting reads the history */
    "--untracked-files=all",
    "--ignore-submodules=dirty", /* they have a configuration of their own */
    "-z",
    NULL};

static bool take_status(struct os_capture *c, struct arena *out, struct vcs *v, bool *timed_out)
{
    struct str status;
    if (!end_asking(c, out, &status, timed_out)) return false;
    worktree_read(status, status.n < STATUS_MAX - 65536, worktree_root(out), out, &v->tree);
    v->is_looked_at = true;
    return !str_is(v->tree.commit, "(initial)");
}

/* Where looking at every file takes too long: without the changes. */
static bool ask_head(const struct git *g, struct arena *out, struct vcs *v)
{
    static const char *const commit_of[] = {"rev-parse", "HEAD", NULL};
    static const char *const branch_of[] = {"rev-parse", "--abbrev-ref", "HEAD", NULL};
    bool timed_out = false;
    bool done = ask_git(g, commit_of, out, &v->tree.commit, &timed_out) &&
                ask_git(g, branch_of, out, &v->tree.branch, &timed_out);
    v->tree.commit = str_trim(v->tree.commit);
    v->tree.branch = str_trim(v->tree.branch);
    return done;
}

/* A detached checkout, as CI makes it: the service says which branch it is of. */
static void name_branch(struct vcs *v)
{
    static const char *const services[] = {"GITHUB_HEAD_REF", "GITHUB_REF_NAME",
                                           "CI_COMMIT_REF_NAME"};
    bool is_detached = str_is(v->tree.branch, "HEAD") || str_is(v->tree.branch, "(detached)");
    for (size_t i = 0; i < COUNT(services) && is_detached; i++) {
        const char *name = getenv(services[i]);
        if (!name || !*name) continue;
        v->tree.branch = str_of(name);
        return;
    }
}

/* When the commit was made and what it follows: what puts runs in the order of the
 * history. Neither is known where git is too slow. */
static const char *const commit_of_head[] = {"show", "-s", "--format=%ct %P", "HEAD", NULL};

static void take_commit(struct os_capture *c, struct arena *out, struct vcs *v)
{
    bool timed_out = false;
    struct str answer;
    if (!end_asking(c, out, &answer, &timed_out)) return;
    answer = str_trim(answer);
    int64_t seconds;
    if (!str_to_int(str_cut(&answer, ' '), &seconds) || seconds < 0 || seconds > INT32_MAX)
        return;
    char stamp[CLOCK_STAMP_SIZE];
    v->committed_at = str_of(arena_printf(out, "%s", clock_stamp(seconds * 1000000000, stamp)));
    v->parent = str_cut(&answer, ' ');
}

struct environment_vcs {
    struct arena *out;
    struct git git;
    struct os_capture status;
    struct os_capture commit;
    bool are_filters_off;
};

/* As git finds it, but for the limits that it keeps: then it is asked in vain. */
static bool is_in_repository(struct arena *out)
{
    return getenv("GIT_DIR") || worktree_root(out);
}

struct environment_vcs *environment_vcs_begin(struct arena *out)
{
    struct environment_vcs *asked = arena_new(out, struct environment_vcs, 1);
    asked->out = out;
    if (!is_in_repository(out)) return asked;
    begin_git(&asked->git);
    begin_asking(&asked->git, commit_of_head, &asked->commit);
    asked->are_filters_off = turn_filters_off(&asked->git, out);
    if (asked->are_filters_off) begin_asking(&asked->git, status_of, &asked->status);
    return asked;
}

const struct value *environment_vcs_end(struct environment_vcs *asked)
{
    struct arena *out = asked->out;
    struct vcs v = {0};
    if (asked->git.count == 0) return NULL;
    bool timed_out = !asked->are_filters_off;
    bool is_seen = !timed_out && take_status(&asked->status, out, &v, &timed_out);
    take_commit(&asked->commit, out, &v);
    if (!is_seen && !(timed_out && ask_head(&asked->git, out, &v))) return NULL;
    name_branch(&v);
    struct facts f = {.out = out};
    add_str(&f, "commit", v.tree.commit);
    add_str(&f, "branch", v.tree.branch);
    add(&f, "dirty",
        v.is_looked_at ? value_new_bool(out, v.tree.is_changed) : value_new_null(out));
    add_str(&f, "changes", str_of(v.tree.changes));
    add_str(&f, "committed_at", v.committed_at);
    add_str(&f, "parent", v.parent);
    return value_new_map(out, f.pairs, f.count);
}

const struct value *environment_vcs(struct arena *out)
{
    return environment_vcs_end(environment_vcs_begin(out));
}

/* A process that ended and that nobody has waited for is still listed: state Z or X, the
 * first letter after the name's bracket. */
static bool is_running(int64_t pid, struct arena *scratch)
{
    const char *path = arena_printf(scratch, "/proc/%lld/stat", (long long)pid);
    struct str stat = os_read_line(path, scratch);
    const char *end = stat.n ? memrchr(stat.p, ')', stat.n) : NULL;
    bool has_state = end && end + 2 < stat.p + stat.n;
    return has_state && end[2] != 'Z' && end[2] != 'X';
}

bool environment_is_alive(const struct value *environment, int64_t *pid)
{
    struct arena scratch = arena_open();
    const struct value *id = value_get(environment, "pid");
    struct str boot = value_text(environment, "boot_id");
    struct str boot_now = os_read_line("/proc/sys/kernel/random/boot_id", &scratch);
    bool is_alive = false;
    if (id && id->kind == VALUE_INT && boot.n > 0 && str_equal(boot, boot_now)) {
        const char *path = arena_printf(&scratch, "/proc/%lld/comm", (long long)id->integer);
        is_alive = str_is(os_read_line(path, &scratch), "assay") && id->integer != getpid() &&
                   is_running(id->integer, &scratch);
        *pid = id->integer;
    }
    arena_close(&scratch);
    return is_alive;
}
