/* outdir.h - files in one folder, and never anywhere else.
 *
 * For output that replaces what an earlier call wrote, among files that are not ours. All
 * names are plain ("app.js", not "a/b" nor ".."), the folder is held open, and links are
 * neither followed nor written through: a file replaces a link of its name, a folder refuses
 * to be one. */
#ifndef BASE_OUTDIR_H
#define BASE_OUTDIR_H

#include "base/error.h"
#include "base/str.h"

struct outdir {
    int fd;
    const char *path; /* for messages; the caller's */
};

/* Makes the folder if it is not there; what is above it must be. Close it either way. */
MUST_USE bool outdir_open(struct outdir *folder, const char *path, struct error *err);
/* The folder of that name inside of it. */
MUST_USE bool outdir_open_in(struct outdir *folder, const struct outdir *above,
                             const char *name, struct error *err);
void outdir_close(struct outdir *folder); /* fd -1 is closed already */

/* Readers see the old content or the new, never half. */
MUST_USE bool outdir_write(const struct outdir *folder, const char *name, struct str bytes,
                           struct error *err);
/* At most max_bytes; ERROR_NOT_FOUND if there is no such file. */
MUST_USE bool outdir_read(const struct outdir *folder, const char *name, size_t max_bytes,
                          struct arena *out, struct str *bytes, struct error *err);

/* Every name in it but "." and "..". */
MUST_USE bool outdir_list(const struct outdir *folder, struct arena *out, const char ***names,
                          size_t *count, struct error *err);
/* A file, or a link itself. */
MUST_USE bool outdir_remove(const struct outdir *folder, const char *name, struct error *err);

#endif
