#include "base/os.h"
#include "sandbox/startable.h"
#include "tests/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    struct arena arena;
    struct error err;
    struct starter starter;
    int null_fd;
    const char *folder;
};

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){.arena = arena_open()};
    f->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(child_adopt(&f->err));
    assert_true(starter_open(&f->starter, NULL, NULL, &f->err));
    assert_true(os_make_temp_dir("assay-startable", &f->arena, &f->folder, &f->err));
}

static void close_fixture(struct fixture *f)
{
    starter_close(&f->starter);
    os_remove_tree(f->folder);
    close(f->null_fd);
    arena_close(&f->arena);
}

static void make_file(struct fixture *f, const char *name, const char *text, mode_t mode)
{
    const char *path = arena_printf(&f->arena, "%s/%s", f->folder, name);
    assert_true(os_write_file(path, str_of(text), &f->err));
    assert_int_equal(chmod(path, mode), 0);
}

static bool can_start(struct fixture *f, const char *const *argv)
{
    struct child_spec spec = {
        .argv = argv,
        .workdir = f->folder,
        .stdin_fd = f->null_fd,
        .stdout_fd = f->null_fd,
        .stderr_fd = f->null_fd,
        .starter = &f->starter,
    };
    f->err = (struct error){0};
    return startable(&spec, &f->arena, &f->err);
}

#define CAN(f, ...) assert_true(can_start(f, (const char *const[]){__VA_ARGS__, NULL}))
#define CANNOT(f, why, ...)                                                   \
    do {                                                                      \
        assert_false(can_start(f, (const char *const[]){__VA_ARGS__, NULL})); \
        assert_int_equal((f)->err.code, ERROR_UNAVAILABLE);                   \
        if (!strstr((f)->err.text, why)) fail_msg("'%s'", (f)->err.text);     \
    } while (0)

TEST(what_is_there_and_what_is_not)
{
    struct fixture f;
    open_fixture(&f);
    make_file(&f, "plain", "#!/bin/sh\n", 0644);
    make_file(&f, "script", "#!/bin/sh\n", 0755);
    make_file(&f, "orphan", "#!/no/such/interpreter\n", 0755);
    make_file(&f, "by-env", "#!/usr/bin/env no-such-thing\n", 0755);
    make_file(&f, "by-env-too", "#!/usr/bin/env -S sh -e\n", 0755);
    make_file(&f, "broken", "\177ELF and nothing behind it", 0755);
    CAN(&f, "true");
    CAN(&f, "./script");
    CAN(&f, "./by-env-too");
    CANNOT(&f, "not found on PATH", "no-such-program-at-all");
    CANNOT(&f, "not found", "/no/such/program");
    CANNOT(&f, "not executable", "./plain");
    CANNOT(&f, "interpreter", "./orphan");
    CANNOT(&f, "'no-such-thing' not found", "./by-env");
    CANNOT(&f, "not a program for this machine", "./broken");
    close_fixture(&f);
}

TEST(a_text_is_asked_for_its_first_word_only_where_it_is_one_command)
{
    struct fixture f;
    open_fixture(&f);
    make_file(&f, "orphan", "#!/no/such/interpreter\n", 0755);
    make_file(&f, "bare", "exit 0\n", 0755);
    CANNOT(&f, "'no-such-word' not found", "/bin/sh", "-c", "no-such-word -x 'a b' > out");
    CANNOT(&f, "interpreter", "/bin/sh", "-c", "./orphan");
    CAN(&f, "/bin/sh", "-c", "./bare"); /* a shell runs it */
    CAN(&f, "/bin/sh", "-c", "exit 3");
    CAN(&f, "/bin/sh", "-c", "A=1 no-such-word");
    CAN(&f, "/bin/sh", "-c", "no-such-word || true");
    CAN(&f, "/bin/sh", "-c", "f() { true; }; f");
    CAN(&f, "/bin/sh", "-c", "$X y");
    close_fixture(&f);
}

/* It would leave a file if any of it were carried out. */
TEST(nothing_is_carried_out)
{
    struct fixture f;
    open_fixture(&f);
    make_file(&f, "script", "#!/bin/sh\ntouch trace\n", 0755);
    CAN(&f, "./script");
    CAN(&f, "/bin/sh", "-c", "./script");
    CAN(&f, "touch", "trace");
    assert_false(os_exists(arena_printf(&f.arena, "%s/trace", f.folder)));
    close_fixture(&f);
}

/* A program that needs a library which has gone, and finds it by LD_LIBRARY_PATH. */
TEST(a_shared_library_that_is_missing)
{
    struct fixture f;
    open_fixture(&f);
    if (!os_find_program("cc", &f.arena)) {
        close_fixture(&f);
        skip();
    }
    const char *make = arena_printf(
        &f.arena,
        "cd %s && mkdir lib && echo 'int gone(void) { return 0; }' > gone.c && "
        "echo 'int gone(void); int main(void) { return gone(); }' > main.c && "
        "cc -shared -fPIC -o lib/libgone.so gone.c && cc -o needs main.c -Llib -lgone && "
        "printf '#!%s/needs\\n' > script && chmod +x script",
        f.folder, f.folder);
    assert_int_equal(system(make), 0); /* NOLINT(cert-env33-c): a test's own words */
    CANNOT(&f, "libgone.so", "./needs");
    CANNOT(&f, "libgone.so", "/bin/sh", "-c", "./needs");
    CANNOT(&f, "libgone.so", "./script");
    setenv("LD_LIBRARY_PATH", arena_printf(&f.arena, "%s/lib", f.folder), 1);
    CAN(&f, "./needs");
    unsetenv("LD_LIBRARY_PATH");
    close_fixture(&f);
}

TEST_MAIN(T(what_is_there_and_what_is_not),
          T(a_text_is_asked_for_its_first_word_only_where_it_is_one_command),
          T(nothing_is_carried_out), T(a_shared_library_that_is_missing))
