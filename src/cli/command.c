#include "cli/command.h"

#include "base/plain.h"

#include <stdarg.h>

int command_fail(const struct error *err)
{
    static const enum exit_code codes[ERROR_CODE_COUNT] = {
        [ERROR_NONE] = EXIT_FAILED,     [ERROR_INVALID] = EXIT_USAGE,
        [ERROR_NOT_FOUND] = EXIT_USAGE, [ERROR_UNAVAILABLE] = EXIT_UNAVAILABLE,
        [ERROR_IO] = EXIT_FAILED,       [ERROR_TIMEOUT] = EXIT_FAILED,
        [ERROR_FAILED] = EXIT_FAILED,
    };
    CHECK(err->code < ERROR_CODE_COUNT);
    char plain[sizeof err->text];
    struct buf b;
    buf_over(&b, plain, sizeof plain);
    plain_add(&b, str_of(err->text), SIZE_MAX);
    fprintf(stderr, "assay: %s\n", plain);
    return (int)codes[err->code];
}

static int weight_of(int code)
{
    switch (code) {
    case EXIT_DONE: return 0;
    case EXIT_UNDECIDED: return 1;
    case EXIT_FAILED: return 2;
    case EXIT_UNAVAILABLE: return 3;
    case EXIT_USAGE: return 4;
    default: return 5;
    }
}

int command_heavier(int a, int b)
{
    return weight_of(b) > weight_of(a) ? b : a;
}

int command_misused(const struct command *command, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "assay %s: %s\n'assay %s -h' shows how it is used.\n", command->name, text,
            command->name);
    return EXIT_USAGE;
}

int command_unknown(const char *name)
{
    if (name[0] == '-') {
        fprintf(stderr, "assay: unknown option '%s'; options come after a command\n", name);
        return EXIT_USAGE;
    }
    const char *meant = registry_near(command_entry, str_of(name));
    fprintf(stderr, "assay: '%s' is not a command%s%s%s\n'assay help' lists them.\n", name,
            STR_MEANT(meant));
    return EXIT_USAGE;
}
