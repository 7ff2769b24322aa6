/* Everything is relative to the descriptor of the folder (openat and its kin) with
 * O_NOFOLLOW: a path that is renamed or replaced by a link meanwhile leads nowhere else. */
#include "base/outdir.h"

#include "base/arena.h"
#include "base/fault.h"
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_dir(struct outdir *folder, int above, const char *name, struct error *err)
{
    int fault = fault_at("mkdir");
    errno = fault;
    folder->fd = -1;
    if (fault || (mkdirat(above, name, 0777) != 0 && errno != EEXIST)) {
        return error_set_errno(err, errno, "cannot make folder '%s'", folder->path);
    }
    folder->fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->fd >= 0) return true;
    if (errno == ELOOP || errno == ENOTDIR) {
        return error_set(err, ERROR_INVALID, "'%s' is a link or a file; name a folder",
                         folder->path);
    }
    return error_set_errno(err, errno, "cannot open folder '%s'", folder->path);
}

bool outdir_open(struct outdir *folder, const char *path, struct error *err)
{
    char bare[PATH_MAX];
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--; /* "link/" would be what the link means */
    folder->path = path;
    folder->fd = -1;
    if (n == 0 || n >= sizeof bare) {
        return error_set(err, ERROR_INVALID, "folder name is empty or too long");
    }
    memcpy(bare, path, n);
    bare[n] = '\0';
    return open_dir(folder, AT_FDCWD, bare, err);
}

static void check_name(const char *name)
{
    CHECK(*name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
}

bool outdir_open_in(struct outdir *folder, const struct outdir *above, const char *name,
                    struct error *err)
{
    check_name(name);
    folder->path = name;
    return open_dir(folder, above->fd, name, err) || error_wrap(err, "in '%s'", above->path);
}

void outdir_close(struct outdir *folder)
{
    if (folder->fd >= 0) close(folder->fd);
    folder->fd = -1;
}

bool outdir_write(const struct outdir *folder, const char *name, struct str bytes,
                  struct error *err)
{
    char part[NAME_MAX + 1];
    check_name(name);
    CHECK(snprintf(part, sizeof part, ".%s.%ld.part", name, (long)getpid()) < NAME_MAX);
    unlinkat(folder->fd, part, 0); /* of a process of our number that was killed */
    int fault = fault_at("open");
    errno = fault;
    int fd = fault ? -1
                   : openat(folder->fd, part,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool done = fd >= 0 ? os_write_all(fd, bytes, err) : error_set_errno(err, errno, "opening");
    if (fd >= 0) close(fd);
    if (done && renameat(folder->fd, part, folder->fd, name) != 0) {
        done = error_set_errno(err, errno, "renaming");
    }
    if (!done) unlinkat(folder->fd, part, 0);
    return done || error_wrap(err, "cannot write '%s' in '%s'", name, folder->path);
}

bool outdir_read(const struct outdir *folder, const char *name, size_t max_bytes,
                 struct arena *out, struct str *bytes, struct error *err)
{
    struct stat st;
    check_name(name);
    /* not blocking: it may be a pipe without a writer */
    int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return error_set_errno(err, errno, "cannot open '%s' in '%s'", name, folder->path);
    }
    bool done = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
                    ? os_read_all(fd, max_bytes, out, bytes, err)
                    : error_set(err, ERROR_INVALID, "'%s' is not a file", name);
    close(fd);
    return done;
}

bool outdir_list(const struct outdir *folder, struct arena *out, const char ***names,
                 size_t *count, struct error *err)
{
    *names = NULL;
    *count = 0;
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        if (fd >= 0) close(fd);
        return error_set_errno(err, errno, "cannot list '%s'", folder->path);
    }
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        *names = arena_grow(out, *names, *count, sizeof **names);
        (*names)[(*count)++] = arena_copy(out, e->d_name, strlen(e->d_name));
    }
    closedir(dir);
    return true;
}

bool outdir_remove(const struct outdir *folder, const char *name, struct error *err)
{
    check_name(name);
    return unlinkat(folder->fd, name, 0) == 0 || errno == ENOENT ||
           error_set_errno(err, errno, "cannot remove '%s' in '%s'", name, folder->path);
}
