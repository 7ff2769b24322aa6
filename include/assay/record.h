/* assay/record.h - records executions from inside a program.
 *
 *     struct assay_record r = ASSAY_RECORD_INIT;
 *     r.task = "Create landing page";
 *     r.duration_s = 3.456;
 *     r.success = 1;
 *     r.version = "v2.0";
 *     char why[200];
 *     if (assay_record_append("metrics.json", &r, why, sizeof why) != 0) ...
 *
 *     cc -o program program.c -lassay_record
 *
 * The file is what `assay record --file` writes: `assay record stats --file` reads
 * it, `assay import` puts it into a store. Many threads and processes may append
 * to one file at once: nothing is lost (flock), and whoever reads sees the old
 * content or the new (rename). A file whose name ends in ".jsonl" gets a line
 * appended instead, which costs the same however long it is; a ".json" file is one
 * JSON list and is written anew each time.
 *
 * Needs nothing but libc; allocates nothing.
 */
#ifndef ASSAY_RECORD_H
#define ASSAY_RECORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A record with all its texts has at most this many bytes as JSON. */
#define ASSAY_RECORD_MAX 65536

struct assay_record {
    const char *task;            /* what was done; must not be empty */
    double duration_s;           /* at least 0 */
    int success;                 /* 0: it failed; its duration is kept apart */
    const char *version;         /* NULL = not said, as are the next */
    const char *agent;           /* who was chosen to do it */
    const char *error;           /* why it failed */
    double cost_usd;             /* negative = not known, as is the next */
    double difficulty;           /* 0 easy .. 1 hard */
    double timestamp_s;          /* since 1970; 0 = now */
    const char *const *metadata; /* "key", "value", ..., NULL; or NULL */
};

#define ASSAY_RECORD_INIT                              \
    {                                                  \
        0, 0, 0, 0, 0, 0, -1, -1, 0, 0 /* see above */ \
    }

/* The record as one JSON object without a newline. Returns its length, or -1 with
 * the reason in `error` (which may be NULL). Bytes that are not UTF-8 become
 * U+FFFD. */
int assay_record_json(const struct assay_record *record, char *out, size_t size, char *error,
                      size_t error_size);

/* Appends one record to the file, which is made if it does not exist (its folder
 * must). 0, or -1 with the reason in `error`. */
int assay_record_append(const char *path, const struct assay_record *record, char *error,
                        size_t error_size);

/* The same for `n` bytes of JSON objects, which are not looked at. Several are
 * separated by ",\n" in a list and by "\n" in a file of lines. */
int assay_record_append_json(const char *path, const char *json, size_t n, char *error,
                             size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
