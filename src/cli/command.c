#include "cli/command.h"

#include "base/plain.h"

#include <stdarg.h>

/* Messages quote arguments and files, which may hold anything. */
static void say(const char *who, const char *text)
{
    char plain[1024];
    struct buf b;
    buf_over(&b, plain, sizeof plain);
    plain_add(&b, str_of(text), SIZE_MAX);
    fprintf(stderr, "%s: %s\n", who, plain);
}

int command_fail(const struct error *err)
{
    static const enum exit_code codes[ERROR_CODE_COUNT] = {
        [ERROR_NONE] = EXIT_FAILED,     [ERROR_INVALID] = EXIT_USAGE,
        [ERROR_NOT_FOUND] = EXIT_USAGE, [ERROR_UNAVAILABLE] = EXIT_UNAVAILABLE,
        [ERROR_IO] = EXIT_FAILED,       [ERROR_TIMEOUT] = EXIT_FAILED,
        [ERROR_FAILED] = EXIT_FAILED,
    };
    CHECK(err->code < ERROR_CODE_COUNT);
    say("assay", err->text);
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
    char text[600], who[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    snprintf(who, sizeof who, "assay %s", command->name);
    say(who, text);
    fprintf(stderr, "'%s -h' shows how it is used.\n", who);
    return EXIT_USAGE;
}

int command_unknown(const char *name)
{
    char text[600];
    if (name[0] == '-') {
        snprintf(text, sizeof text, "unknown option '%s'; options come after a command", name);
        say("assay", text);
        return EXIT_USAGE;
    }
    const char *meant = registry_near(command_entry, str_of(name));
    snprintf(text, sizeof text, "'%s' is not a command%s%s%s", name, STR_MEANT(meant));
    say("assay", text);
    fputs("'assay help' lists them.\n", stderr);
    return EXIT_USAGE;
}
