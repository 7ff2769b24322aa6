#include "model/environment.h"

#include "base/os.h"
#include "model/record.h"
#include "tests/json.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(the_machine_is_described)
{
    struct arena arena = arena_open();
    const struct value *root = environment_now(&arena);
    static const char *const texts[] = {"os",     "machine", "hostname",
                                        "kernel", "clock",   "boot_id"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct value *v = value_get(root, texts[i]);
        if (!v || v->kind != VALUE_TEXT) fail_msg("%s is missing", texts[i]);
    }
    assert_int_equal(value_get(root, "cpus")->integer, sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(value_get(root, "pid")->integer, getpid());
    assert_true(value_number(value_get(root, "memory_mb")) > 16);
    assert_int_equal(value_get(root, "warnings")->kind, VALUE_LIST);
    arena_close(&arena);
}

TEST(a_process_that_is_gone_is_not_alive)
{
    struct arena arena = arena_open();
    int64_t pid = 0;
    /* Ourselves: not another process, so nobody to wait for. */
    assert_false(environment_is_alive(environment_now(&arena), &pid));
    static const char *const others[] = {"{\"pid\": 1, \"boot_id\": \"another boot\"}",
                                         "{\"pid\": 1}", "{\"pid\": \"1\", \"boot_id\": 2}",
                                         "[1]"};
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(environment_is_alive(from_json(others[i]), &pid));
    }
    assert_false(environment_is_alive(NULL, &pid));
    arena_close(&arena);
}

/* A child that is called assay, waits or has ended, and that nobody has waited for. */
static bool is_child_alive(bool ends)
{
    struct arena arena = arena_open();
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "assay");
        if (ends) _exit(0);
        if (write(pipes[1], "x", 1) == 1) pause();
        _exit(1);
    }
    char byte;
    siginfo_t info;
    if (ends) assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    if (!ends) assert_int_equal(read(pipes[0], &byte, 1), 1);
    struct str boot = os_read_line("/proc/sys/kernel/random/boot_id", &arena);
    int64_t pid = 0;
    bool is_alive = environment_is_alive(
        from_json(arena_printf(&arena, "{\"pid\": %d, \"boot_id\": \"%.*s\"}", (int)child,
                               STR_ARG(boot))),
        &pid);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipes[0]);
    close(pipes[1]);
    arena_close(&arena);
    return is_alive;
}

TEST(a_process_that_ended_and_was_not_waited_for_is_not_alive)
{
    assert_true(is_child_alive(false));
    assert_false(is_child_alive(true));
}

static void in_shell(const char *command)
{
    if (system(command) != 0) fail_msg("%s", command);
}

/* What is said of the folder `repo` below here. */
static const struct value *vcs_of(const char *prepare, struct arena *arena)
{
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    in_shell(prepare);
    assert_int_equal(chdir("repo"), 0);
    const struct value *vcs = environment_vcs(arena);
    assert_int_equal(chdir(before), 0);
    return vcs;
}

TEST(the_sources_are_described)
{
    struct arena arena = arena_open();
    if (!os_find_program("git", &arena)) {
        arena_close(&arena);
        print_message("# skip: there is no git\n");
        skip();
    }
    char dir[] = "/tmp/environment_test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    assert_null(vcs_of("mkdir repo", &arena));
    assert_null(vcs_of("git init -q -b first repo", &arena)); /* nothing committed */
    const struct value *v = vcs_of("cd repo && echo 1 > a && git add a && git -c user.name=n "
                                   "-c user.email=e@x commit -q -m 'one file'",
                                   &arena);
    const struct value *commit = value_get(v, "commit");
    assert_int_equal(commit->source.n, 40);
    assert_true(str_is(value_get(v, "branch")->source, "first"));
    assert_false(value_get(v, "dirty")->boolean);
    assert_int_equal(value_get(v, "parent")->kind, VALUE_NULL);
    v = vcs_of("cd repo && GIT_COMMITTER_DATE='2026-01-02T03:04:05 +0100' git -c user.name=n "
               "-c user.email=e@x commit -q --allow-empty -m two",
               &arena);
    assert_true(str_equal(value_get(v, "parent")->source, commit->source));
    assert_true(str_is(value_get(v, "committed_at")->source, "2026-01-02T02:04:05.000Z"));
    struct run_record run = {.vcs = v};
    assert_true(str_equal(run_vcs(&run).parent, commit->source));
    assert_int_equal(run_vcs(&run).committed_ns, INT64_C(1767319445000000000));
    assert_false(run_vcs(&run).is_dirty);
    commit = value_get(v, "commit");
    assert_true(str_equal(run_vcs(&run).commit, commit->source));
    v = vcs_of("echo 2 > repo/untracked", &arena); /* no source of ours */
    assert_false(value_get(v, "dirty")->boolean);
    assert_int_equal(value_get(v, "changes")->kind, VALUE_NULL);
    v = vcs_of("echo 2 > repo/a", &arena);
    assert_true(value_get(v, "dirty")->boolean);
    /* The same changes are the same version, others are another. */
    struct str first = value_get(v, "changes")->source;
    assert_int_equal(first.n, 16);
    v = vcs_of("touch repo/a && echo 3 > repo/report.html && git -C repo add a", &arena);
    assert_true(str_equal(value_get(v, "changes")->source, first));
    v = vcs_of("echo 3 > repo/a", &arena);
    assert_false(str_equal(value_get(v, "changes")->source, first));
    v = vcs_of("echo 2 > repo/a && mkdir repo/sub && echo x > repo/sub/new.c", &arena);
    assert_false(str_equal(value_get(v, "changes")->source, first));
    v = vcs_of("rm -r repo/sub && echo x > repo/tool && chmod +x repo/tool", &arena);
    assert_false(str_equal(value_get(v, "changes")->source, first));
    v = vcs_of("rm repo/tool", &arena);
    assert_true(str_equal(value_get(v, "changes")->source, first));
    v = vcs_of("rm repo/a", &arena);
    assert_false(str_equal(value_get(v, "changes")->source, first));
    v = vcs_of("cd repo && git reset -q --hard && git checkout -q --detach", &arena);
    assert_true(str_is(value_get(v, "branch")->source, "HEAD"));
    assert_true(str_equal(value_get(v, "commit")->source, commit->source));
    assert_false(value_get(v, "dirty")->boolean);
    assert_int_equal(chdir("/"), 0);
    in_shell(arena_printf(&arena, "rm -rf %s", dir));
    arena_close(&arena);
}

/* Each of these would run a program of whoever wrote the configuration. */
TEST(nothing_that_a_repository_names_is_run)
{
    struct arena arena = arena_open();
    if (!os_find_program("git", &arena)) {
        arena_close(&arena);
        print_message("# skip: there is no git\n");
        return;
    }
    char before[4096], place[] = "/tmp/assay-vcs-XXXXXX";
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(place));
    assert_int_equal(chdir(place), 0);
    in_shell("git init -q repo && cd repo && echo 1 > a && echo 2 > b && git add . && "
             "git -c user.name=n -c user.email=e commit -qm c");
    static const char *const ways[] = {
        "git config core.fsmonitor \"touch $PWD/../run; false\"",
        "echo '* filter=x' > .gitattributes && git config filter.x.clean \"touch $PWD/../run; "
        "cat\"",
        "echo '* filter=x.y' > .gitattributes && git config filter.x.y.process \"touch "
        "$PWD/../run\" && git config filter.x.y.required true",
        "echo '* filter=z' > .gitattributes && printf '[filter \"z\"]\\n clean = touch "
        "%s/../run; cat\\n' \"$PWD\" > more && git config include.path ../more",
        "printf '#!/bin/sh\\ntouch %s/../run\\n' \"$PWD\" > .git/hooks/post-index-change && "
        "chmod +x .git/hooks/*",
        "echo '* filter=a=b' > .gitattributes && printf '[filter \"a=b\"]\\n clean = touch "
        "%s/../run; cat\\n' \"$PWD\" >> .git/config",
        "rm -f .git/hooks/post-index-change && git config --remove-section filter.a=b && "
        "rm -f .gitattributes && git init -q sub && cd sub && echo 1 > f && git add . && "
        "git -c user.name=n -c user.email=e commit -qm c && cd .. && git -c "
        "core.fsmonitor=false add sub && cd sub && "
        "echo '* filter=s' > .git/info/attributes && git config filter.s.clean \"touch "
        "$PWD/../../run; cat\" && sleep 0.01 && echo 2 > f && cd ..",
    };
    for (size_t i = 0; i < COUNT(ways); i++) {
        const char *prepare = arena_printf(
            &arena, "cd repo && %s && sleep 0.01 && echo 1 > a && touch b", ways[i]);
        const struct value *v = vcs_of(prepare, &arena);
        if (os_exists("run")) fail_msg("was run: %s", ways[i]);
        assert_non_null(v);
        assert_int_equal(value_text(v, "commit").n, 40);
    }
    assert_int_equal(chdir(before), 0);
    os_remove_tree(place);
    arena_close(&arena);
}

TEST_MAIN(T(the_sources_are_described), T(the_machine_is_described),
          T(a_process_that_is_gone_is_not_alive),
          T(a_process_that_ended_and_was_not_waited_for_is_not_alive),
          T(nothing_that_a_repository_names_is_run))
