/* libassay_record: see include/assay/record.h. Includes nothing of ours, so that it
 * can be linked into anything; `assay record --file` uses the same code.
 *
 * The lock is on the file itself. Writing a list replaces the file, so a lock that
 * was waited for may be on a file that is no longer there under its name: then the
 * new one is opened and locked. */
#include <assay/record.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static int fail(char *error, size_t size, const char *fmt,
                                                      ...)
{
    va_list args;
    va_start(args, fmt);
    if (error && size) vsnprintf(error, size, fmt, args);
    va_end(args);
    return -1;
}

static int fail_errno(char *error, size_t size, const char *what, const char *path)
{
    char reason[128];
    int cause = errno;
    const char *text = strerror_r(cause, reason, sizeof reason);
    return fail(error, size, "%s '%s': %s", what, path, text);
}

/* ---- the record as JSON ---- */

struct text {
    char *p;
    size_t n;
    size_t size;
    int overflow;
};

static void add(struct text *t, const char *bytes, size_t n)
{
    if (t->overflow || n >= t->size - t->n) {
        t->overflow = 1;
        return;
    }
    memcpy(t->p + t->n, bytes, n);
    t->n += n;
    t->p[t->n] = '\0';
}

static void add_text(struct text *t, const char *s)
{
    add(t, s, strlen(s));
}

/* Bytes of the well-formed UTF-8 sequence at s (RFC 3629), 0 if there is none. */
static size_t sequence(const unsigned char *s)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (s[0] > 0xF4) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    int is_overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    int is_beyond = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return is_overlong || is_beyond ? 0 : n;
}

static void add_quoted(struct text *t, const char *s)
{
    add_text(t, "\"");
    while (*s) {
        unsigned char c = (unsigned char)*s;
        size_t n = sequence((const unsigned char *)s);
        char escape[8];
        if (c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", c);
            add_text(t, escape);
        } else if (c < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            add_text(t, escape);
        } else if (n == 0) {
            add_text(t, "\xEF\xBF\xBD");
        } else {
            add(t, s, n);
        }
        s += n ? n : 1;
    }
    add_text(t, "\"");
}

static void add_key(struct text *t, const char *key)
{
    if (t->n > 1 && t->p[t->n - 1] != '{') add_text(t, ",");
    add_quoted(t, key);
    add_text(t, ":");
}

/* The shortest that reads back; a program's locale may write a comma. */
static void add_number(struct text *t, const char *key, double v)
{
    char number[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, v);
        if (strtod(number, NULL) == v) break;
    }
    char *comma = strchr(number, ',');
    if (comma) *comma = '.';
    add_key(t, key);
    add_text(t, number);
}

static void add_optional(struct text *t, const char *key, const char *s)
{
    if (!s) return;
    add_key(t, key);
    add_quoted(t, s);
}

static void add_stamp(struct text *t, double timestamp_s)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (timestamp_s > 0) ms = (int64_t)(timestamp_s * 1000);
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    char stamp[64];
    size_t n = strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(stamp + n, sizeof stamp - n, ".%03dZ", (int)(ms % 1000));
    add_optional(t, "timestamp", stamp);
}

int assay_record_json(const struct assay_record *r, char *out, size_t size, char *error,
                      size_t error_size)
{
    if (!r->task || !r->task[0]) return fail(error, error_size, "a record needs a task");
    if (!isfinite(r->duration_s) || r->duration_s < 0) {
        return fail(error, error_size, "the duration must be at least 0 (is %g)",
                    r->duration_s);
    }
    if (!isfinite(r->timestamp_s) || r->timestamp_s < 0 || r->timestamp_s > 9e9) {
        return fail(error, error_size, "the timestamp must be in seconds since 1970");
    }
    if (size == 0) return fail(error, error_size, "no room for the record");
    struct text t = {.size = size};
    t.p = out;
    add_text(&t, "{");
    add_stamp(&t, r->timestamp_s);
    add_optional(&t, "task", r->task);
    add_number(&t, "duration", r->duration_s);
    add_key(&t, "success");
    add_text(&t, r->success ? "true" : "false");
    add_optional(&t, "version", r->version);
    add_optional(&t, "agent", r->agent);
    add_optional(&t, "error", r->error);
    if (isfinite(r->cost_usd) && r->cost_usd >= 0) add_number(&t, "cost", r->cost_usd);
    if (isfinite(r->difficulty) && r->difficulty >= 0) {
        add_number(&t, "difficulty", r->difficulty);
    }
    if (r->metadata && r->metadata[0]) {
        add_key(&t, "metadata");
        add_text(&t, "{");
        for (size_t i = 0; r->metadata[i] && r->metadata[i + 1]; i += 2) {
            add_optional(&t, r->metadata[i], r->metadata[i + 1]);
        }
        add_text(&t, "}");
    }
    add_text(&t, "}");
    if (t.overflow) return fail(error, error_size, "the record is larger than %zu bytes", size);
    return (int)t.n;
}

/* ---- the file ---- */

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        bytes += done;
        n -= (size_t)done;
    }
    return 0;
}

/* Opened and locked, and still what the name stands for. */
static int open_locked(const char *path)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd == -1) return -1;
        int rc;
        while ((rc = flock(fd, LOCK_EX)) == -1 && errno == EINTR) continue;
        struct stat ours;
        struct stat named;
        if (rc == -1 || fstat(fd, &ours) != 0) {
            close(fd);
            return -1;
        }
        if (stat(path, &named) == 0 && named.st_ino == ours.st_ino &&
            named.st_dev == ours.st_dev) {
            return fd;
        }
        close(fd);
    }
}

/* Behind a last line that another program left without a newline. What could not
 * be written wholly is taken back. */
static int append_line(int fd, const char *json, size_t n)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char last = '\n';
    if (end > 0 && pread(fd, &last, 1, end - 1) != 1) return -1;
    char line[ASSAY_RECORD_MAX + 2];
    size_t at = 0;
    if (last != '\n') line[at++] = '\n';
    if (n > sizeof line - 3) { /* several: not in one write, but in order */
        if ((at && write_all(fd, "\n", 1)) || write_all(fd, json, n) ||
            write_all(fd, "\n", 1)) {
            if (ftruncate(fd, end) != 0) return -1;
            return -1;
        }
        return 0;
    }
    memcpy(line + at, json, n);
    line[at + n] = '\n';
    if (write_all(fd, line, at + n + 1) == 0) return 0;
    int cause = errno;
    if (ftruncate(fd, end) != 0) cause = errno;
    errno = cause;
    return -1;
}

/* How many bytes of a list come before its closing bracket; *is_empty: no item
 * yet. -1 if it is not a list. */
static off_t list_end(int fd, int *is_empty)
{
    char tail[256];
    struct stat st;
    *is_empty = 1;
    if (fstat(fd, &st) != 0) return -1;
    if (st.st_size == 0) return 0;
    off_t start = st.st_size > (off_t)sizeof tail ? st.st_size - (off_t)sizeof tail : 0;
    ssize_t n = pread(fd, tail, sizeof tail, start);
    if (n <= 0) return -1;
    while (n > 0 && strchr(" \t\r\n", tail[n - 1])) n--;
    if (n == 0 || tail[n - 1] != ']') return -1;
    n--;
    while (n > 0 && strchr(" \t\r\n", tail[n - 1])) n--;
    if (n == 0) return -1;
    *is_empty = tail[n - 1] == '[';
    return *is_empty && start + n == 1 ? 0 : start + n;
}

static int copy_start(int from, int to, off_t n)
{
    char block[16384];
    for (off_t at = 0; at < n;) {
        size_t want = n - at < (off_t)sizeof block ? (size_t)(n - at) : sizeof block;
        ssize_t got = pread(from, block, want, at);
        if (got <= 0 || write_all(to, block, (size_t)got) != 0) return -1;
        at += got;
    }
    return 0;
}

/* Writes the new list next to the old one, then renames it. */
static int replace_list(const char *path, int fd, const char *json, size_t n)
{
    int is_empty;
    off_t keep = list_end(fd, &is_empty);
    if (keep < 0) {
        errno = EINVAL;
        return -1;
    }
    char beside[4096];
    int length = snprintf(beside, sizeof beside, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof beside) {
        errno = ENAMETOOLONG;
        return -1;
    }
    /* We hold the lock, so what is there was left by a writer that was killed. */
    unlink(beside);
    int to = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to == -1) return -1;
    struct stat st;
    const char *start = keep == 0 ? "[\n" : is_empty ? "\n" : ",\n";
    int rc = fstat(fd, &st) != 0 || fchmod(to, st.st_mode & 07777) != 0 ||
             copy_start(fd, to, keep) != 0 || write_all(to, start, strlen(start)) != 0 ||
             write_all(to, json, n) != 0 || write_all(to, "\n]\n", 3) != 0 || fsync(to) != 0 ||
             rename(beside, path) != 0;
    int cause = errno;
    if (rc) unlink(beside);
    close(to);
    errno = cause;
    return rc ? -1 : 0;
}

static int ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path);
    size_t m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

int assay_record_append_json(const char *path, const char *json, size_t n, char *error,
                             size_t error_size)
{
    int fd = open_locked(path);
    if (fd == -1) return fail_errno(error, error_size, "cannot open", path);
    int is_lines = ends_in(path, ".jsonl") || ends_in(path, ".ndjson");
    int rc = is_lines ? append_line(fd, json, n) : replace_list(path, fd, json, n);
    int cause = errno;
    close(fd);
    errno = cause;
    if (rc == 0) return 0;
    if (!is_lines && errno == EINVAL) {
        return fail(error, error_size,
                    "'%s' is not a list of records: it must begin with [ and end with ]", path);
    }
    return fail_errno(error, error_size, "cannot append to", path);
}

int assay_record_append(const char *path, const struct assay_record *record, char *error,
                        size_t error_size)
{
    char json[ASSAY_RECORD_MAX];
    int n = assay_record_json(record, json, sizeof json, error, error_size);
    if (n < 0) return -1;
    return assay_record_append_json(path, json, (size_t)n, error, error_size);
}
