/* The file may be anybody's, and anything: one that is no plain file is not opened for long. */
#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

bool machine_take(const char *path, struct error *err)
{
    int fd = open(path, HOW);
    if (fd < 0) fd = open(path, HOW | O_CREAT, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        return error_set_errno(err, errno, "waiting for the machine by '%s'", path);
    return true;
}

bool machine_is_free(const char *path)
{
    int fd = open(path, HOW);
    if (fd < 0) return true;
    bool is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return is_free;
}

/* A lock of this kind is changed from exclusive to shared in one step, which flock() does not
 * promise: nobody else finds itself alone in between. */
bool machine_join(const char *path, int *fd, bool *is_alone, struct error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (*fd < 0) return error_set_errno(err, errno, "cannot open '%s'", path);
    *is_alone = fcntl(*fd, F_OFD_SETLK, &lock) == 0;
    lock.l_type = F_RDLCK;
    return fcntl(*fd, F_OFD_SETLKW, &lock) == 0 ||
           error_set_errno(err, errno, "locking '%s'", path);
}
