#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t clock_unix_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

const char *clock_stamp(int64_t unix_ns, char *out)
{
    int64_t seconds = unix_ns / 1000000000;
    int64_t rest_ns = unix_ns % 1000000000;
    if (rest_ns < 0) {
        rest_ns += 1000000000;
        seconds--;
    }
    time_t t = (time_t)seconds;
    struct tm utc;
    gmtime_r(&t, &utc);
    size_t n = strftime(out, CLOCK_STAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + n, CLOCK_STAMP_SIZE - n, ".%03dZ", (int)(rest_ns / 1000000));
    return out;
}

bool clock_parse_stamp(const char *text, int64_t *unix_ns)
{
    struct tm utc = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &utc);
    if (!rest) return false;
    int64_t fraction_ns = 0;
    if (*rest == '.') {
        int64_t unit_ns = 100000000;
        for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
            fraction_ns += unit_ns * (*rest - '0');
            unit_ns /= 10;
        }
    }
    if (strcmp(rest, "Z") != 0) return false;
    int64_t seconds_ns;
    if (__builtin_mul_overflow((int64_t)timegm(&utc), (int64_t)1000000000, &seconds_ns))
        return false;
    return !__builtin_add_overflow(seconds_ns, fraction_ns, unix_ns);
}

int64_t clock_after(int64_t unix_ns, double seconds)
{
    int64_t at_ns;
    double ns = seconds * 1e9;
    if (isnan(ns)) return unix_ns;
    if (ns >= 0x1p63 || ns < -0x1p63 || __builtin_add_overflow(unix_ns, (int64_t)ns, &at_ns)) {
        return seconds > 0 ? INT64_MAX : INT64_MIN;
    }
    return at_ns;
}

void clock_sleep_until(int64_t until_ns)
{
    for (;;) {
        int64_t left_ns = until_ns - clock_ns();
        if (left_ns <= 0) return;
        struct timespec t = {left_ns / 1000000000, left_ns % 1000000000};
        nanosleep(&t, NULL);
    }
}
