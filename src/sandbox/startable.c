/* Three questions, each to who knows:
 *
 *   - the kernel: the program is started, where it would be, and ended before its first
 *     instruction (STARTER_PROBE);
 *   - its loader, for shared libraries: `ld.so --list PROGRAM` loads what the program needs
 *     and runs none of it (glibc and musl);
 *   - its shell, for the first word of a text that is one simple command: `command -v`. A
 *     text with more in it (`a || b`) may well work without its first word.
 *
 * A script leads to its interpreter, and `#!/usr/bin/env NAME` to that name. */
#include "sandbox/startable.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

enum { SAID_MAX = 4096, HEAD_MAX = 4096, DEPTH_MAX = 5, HEADERS_MAX = 64 };

static const int64_t limit_ns = 10000000000;

struct question {
    const struct child_spec *spec;
    struct arena *arena;
    struct child_output said;
    int depth;
};

/* ---- asking ---- */

/* The exit code of an argv in the program's place, its words in q->said; -1 = unknown. */
static int ask(struct question *q, const char *const *argv)
{
    struct child_spec spec = *q->spec;
    struct child_plan plan;
    struct child_result r;
    spec.argv = argv;
    spec.stdout_fd = spec.stderr_fd = q->said.write_fd;
    spec.extra_fd = 0;
    child_output_clear(&q->said);
    if (!child_plan_init(&plan, &spec, q->arena, NULL)) return -1;
    child_run(&plan, limit_ns, &q->said, &r);
    child_settle(&r);
    child_plan_release(&plan);
    bool is_known = !r.is_lost && !r.start_errno && !r.timed_out;
    return is_known ? child_exit_code(r.status) : -1;
}

static struct str said(const struct question *q)
{
    return str_trim((struct str){q->said.kept, q->said.kept_bytes});
}

static bool lack(struct error *err, const char *name, const char *why)
{
    return error_set(err, ERROR_UNAVAILABLE, "'%s' cannot be started: %s", name, why);
}

/* A shell takes what the kernel knows nothing of for a script of its own. */
static bool ask_kernel(const struct question *q, const char *const *argv, bool is_of_shell,
                       struct error *err)
{
    struct child_spec spec = *q->spec;
    struct child_plan plan;
    spec.argv = argv;
    if (!child_plan_init(&plan, &spec, q->arena, err)) return false;
    const char *name = argv[0];
    int reason = child_probe(&plan);
    child_plan_release(&plan);
    switch (reason) {
    case ENOENT:
        return lack(err, name,
                    "its interpreter (named in its first line, or its loader) does not exist");
    case ENOEXEC:
        return is_of_shell || lack(err, name,
                                   "not a program for this machine and not a script: begin it "
                                   "with #!/bin/sh, or use the command [sh, FILE]");
    case EACCES: return lack(err, name, "permission denied (chmod +x FILE; a noexec mount)");
    case ELIBBAD: return lack(err, name, "its loader is damaged");
    default: return true; /* trials show the rest: memory, processes */
    }
}

/* ---- files ---- */

static bool check_file(struct question *q, const char *path, struct error *err);

/* Names that a shell takes for nothing else. */
static bool is_plain(struct str word)
{
    for (size_t i = 0; i < word.n; i++) {
        unsigned char c = (unsigned char)word.p[i];
        bool is_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || strchr("_./+-", c);
        if (!c || !is_name) return false;
    }
    return word.n > 0 && word.p[0] != '-';
}

static bool check_word(struct question *q, const char *shell, struct str word,
                       struct error *err)
{
    const char *const argv[] = {shell, "-c",
                                arena_printf(q->arena, "command -v %.*s", STR_ARG(word)), NULL};
    int code = ask(q, argv);
    if (code < 0) return true;
    if (code != 0) {
        return error_set(err, ERROR_UNAVAILABLE,
                         "command '%.*s' not found: give its full path, or a PATH in 'env'",
                         STR_ARG(word));
    }
    const char *found[] = {str_cstr(q->arena, said(q)), NULL};
    return !strchr(found[0], '/') ||
           (ask_kernel(q, found, true, err) && check_file(q, found[0], err));
}

static bool check_script(struct question *q, struct str line, struct error *err)
{
    struct str rest = str_trim(line);
    struct str interpreter = str_cut(&rest, ' ');
    struct str word = str_cut(&rest, ' ');
    bool is_env = str_ends(interpreter, S("/env"));
    if (is_env && str_is(word, "-S")) word = str_cut(&rest, ' ');
    if (is_env && is_plain(word)) return check_word(q, "/bin/sh", word, err);
    return check_file(q, str_cstr(q->arena, interpreter), err);
}

static bool check_libraries(struct question *q, const char *loader, const char *path,
                            struct error *err)
{
    const char *const argv[] = {loader, "--list", path, NULL};
    if (ask(q, argv) != 127) return true;
    struct str words = said(q);
    return error_set(err, ERROR_UNAVAILABLE,
                     "a shared library is missing: %.*s (install it, or give its folder in "
                     "env: LD_LIBRARY_PATH)",
                     STR_ARG(words));
}

/* The loader of a program of our own kind; NULL = none. */
static const char *loader_of(int fd, const ElfW(Ehdr) * head, struct arena *arena)
{
    ElfW(Phdr) part;
    bool is_ours = head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
                   head->e_phentsize == sizeof part;
    for (size_t i = 0; is_ours && i < head->e_phnum && i < HEADERS_MAX; i++) {
        char name[256];
        off_t at = (off_t)(head->e_phoff + i * sizeof part);
        if (pread(fd, &part, sizeof part, at) != (ssize_t)sizeof part) break;
        if (part.p_type != PT_INTERP || part.p_filesz < 2 || part.p_filesz > sizeof name)
            continue;
        ssize_t n = pread(fd, name, part.p_filesz, (off_t)part.p_offset);
        if (n != (ssize_t)part.p_filesz || name[n - 1] != '\0') break;
        const char *base = strrchr(name, '/');
        return base && strncmp(base, "/ld", 3) == 0 ? arena_printf(arena, "%s", name) : NULL;
    }
    return NULL;
}

/* `path` is as the program would have it: below its folder. */
static bool check_file(struct question *q, const char *path, struct error *err)
{
    union {
        char text[HEAD_MAX];
        ElfW(Ehdr) elf;
    } head;
    const char *folder = path[0] != '/' && q->spec->workdir ? q->spec->workdir : NULL;
    const char *file = folder ? arena_printf(q->arena, "%s/%s", folder, path) : path;
    if (++q->depth > DEPTH_MAX) return true;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? pread(fd, head.text, sizeof head.text, 0) : -1;
    bool is_elf = n >= (ssize_t)sizeof head.elf && memcmp(head.text, ELFMAG, SELFMAG) == 0;
    const char *loader = is_elf ? loader_of(fd, &head.elf, q->arena) : NULL;
    if (fd >= 0) close(fd);
    if (loader) return check_libraries(q, loader, path, err);
    if (n < 2 || memcmp(head.text, "#!", 2) != 0) return true;
    struct str rest = {head.text + 2, (size_t)n - 2};
    return check_script(q, str_cut(&rest, '\n'), err);
}

/* ---- all of it ---- */

/* `sh -c TEXT`. */
static bool check_text(struct question *q, struct error *err)
{
    const char *const *argv = q->spec->argv;
    bool is_shell = str_ends(str_of(argv[0]), S("sh")) && argv[1] &&
                    strcmp(argv[1], "-c") == 0 && argv[2] && !argv[3];
    if (!is_shell || strpbrk(argv[2], "|&;\n(){}`")) return true;
    struct str rest = str_trim(str_of(argv[2]));
    struct str word = str_cut(&rest, ' ');
    return !is_plain(word) || check_word(q, argv[0], word, err);
}

bool startable(const struct child_spec *spec, struct arena *arena, struct error *err)
{
    struct question q = {.spec = spec, .arena = arena};
    if (!child_output_open(&q.said, SAID_MAX, err)) return false;
    bool done = ask_kernel(&q, spec->argv, false, err);
    if (done) {
        const char *name = spec->argv[0];
        const char *file = strchr(name, '/') ? name : os_find_program(name, arena);
        done = (!file || check_file(&q, file, err)) && check_text(&q, err);
    }
    child_output_close(&q.said);
    if (!done && err && err->code == ERROR_NOT_FOUND) err->code = ERROR_UNAVAILABLE;
    return done;
}
