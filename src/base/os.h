/* os.h - files and processes, with reasons when they fail.
 *
 * The only door to the file system for everything above base (SQLite has its
 * own). Each call passes a fault point (base/fault.h) of its own name, so that
 * tests can make it fail: "write", "open", "mkdir", "rename", "spawn". */
#ifndef BASE_OS_H
#define BASE_OS_H

#include "base/error.h"
#include "base/str.h"

#include <sys/types.h>

/* The whole file, at most max_bytes (more is ERROR_INVALID naming the limit). A pipe only
 * where the shell made it: <(command). */
MUST_USE bool os_read_file(const char *path, size_t max_bytes, struct arena *out,
                           struct str *bytes, struct error *err);

/* All of a descriptor until its end, at most max_bytes. */
MUST_USE bool os_read_all(int fd, size_t max_bytes, struct arena *out, struct str *bytes,
                          struct error *err);

/* Readers see the old content or the new, never half: written to a new file of an
 * unforeseeable name next to it, synced, renamed. What is not a file (a pipe, a device) is
 * written as it is; of a link, its target. */
MUST_USE bool os_write_file(const char *path, struct str bytes, struct error *err);

/* Whole buffer or failure; retries short writes and EINTR. */
MUST_USE bool os_write_all(int fd, struct str bytes, struct error *err);

MUST_USE bool os_make_dirs(const char *path, struct error *err); /* like mkdir -p */

/* Makes a folder that was not there; false with *exists set if something was. */
MUST_USE bool os_make_new_dir(const char *path, bool *exists, struct error *err);
bool os_exists(const char *path);

/* folder/name; `name` itself if it is absolute or `folder` is NULL. */
const char *os_path_below(const char *folder, struct str name, struct arena *out);
bool os_is_dir(const char *path);

/* The folder that this program was started from; NULL where /proc does not say. */
const char *os_program_folder(struct arena *out);

/* May files be made in this folder? Says why not. */
MUST_USE bool os_can_write(const char *folder, struct error *err);

/* The system's temporary folder: TMPDIR, else /tmp. */
const char *os_temp_base(void);

/* A fresh folder below it; remove with os_remove_tree. */
MUST_USE bool os_make_temp_dir(const char *prefix, struct arena *out, const char **path,
                               struct error *err);
void os_remove_tree(const char *path);

/* Removes folders of os_make_temp_dir with these prefixes (NULL-terminated) whose makers
 * are gone, with all that was forked from them. */
void os_sweep_temp_dirs(const char *const *prefixes);

/* The program file that execvp would run for `name`, or NULL. */
const char *os_find_program(const char *name, struct arena *out);

/* Runs words, the first of which may be NAME=value as in a shell: what is set for this program
 * alone. Waits at most timeout_ms, keeps at most max_bytes of its standard
 * output. Standard input and error are /dev/null. For small helpers (git,
 * nvidia-smi), never for what is measured. */
struct os_output {
    struct str text;
    int exit_code; /* 128 + signal if killed */
    bool timed_out;
};
MUST_USE bool os_capture(const char *const *words, int timeout_ms, size_t max_bytes,
                         struct arena *out, struct os_output *result, struct error *err);

/* The same in two steps, with other work between them. What has begun must be ended: nothing
 * else reaps it. */
struct os_capture {
    pid_t pid; /* 0 = none */
    int fd;
    int64_t deadline_ns;
};
MUST_USE bool os_capture_begin(const char *const *words, int timeout_ms, struct os_capture *c,
                               struct error *err);
void os_capture_end(struct os_capture *c, size_t max_bytes, struct arena *out,
                    struct os_output *result);

/* From now on this process, when it is woken, does not push aside what runs on that
 * processor (Linux wakes a process where the one runs that woke it); false: it does again.
 * Children inherit it. */
void os_step_back(bool does);

/* The first line of a small file such as those in /proc and /sys, trimmed;
 * empty if it cannot be read. */
struct str os_read_line(const char *path, struct arena *out);

#endif
