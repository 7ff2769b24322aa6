/* command.h - the commands of the program: the contract.
 *
 * git-style: `assay <command> [options] [arguments]`. Options are parameters
 * (base/param.h), rows of one table per command: types, ranges, choices and
 * defaults are declared there and nowhere else, and parsing, `-h`, shell
 * completion and the reference page are made from them. Every command also
 * takes --json, --store URL, --workspace NAME, --quiet, --no-color and -h.
 *
 * To add one: write src/cli/cmd_<name>.c ending in `const struct command
 * command_<name>`, and name it in the list in command_registry.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/arena.h"
#include "base/registry.h"

#include <stdio.h>

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,      /* a cell could not be run, a regression, a claim or gate failed */
    EXIT_USAGE = 2,       /* usage or spec */
    EXIT_UNAVAILABLE = 3, /* this machine cannot, with the reason */
    EXIT_UNDECIDED = 4,   /* undecided where a decision was demanded */
};

struct command;
struct question;

/* What every command gets. */
struct context {
    const struct command *command;
    struct arena *arena; /* lives as long as the process */
    FILE *out;           /* our output: a private copy of descriptor 1 */
    bool json;
    bool quiet;
    bool color;
    const char *store_url;
    const char *workspace;            /* of that store */
    const void *options;              /* the command's options struct, defaults filled in */
    const struct param *const *given; /* the options that stood on the command line */
    size_t given_count;
    const char *const *args; /* what is left: NULL-terminated */
    size_t arg_count;
    size_t dashes; /* args[dashes...] came after "--"; arg_count without one */
    const char *const *command_line; /* the whole argv, for the record */
    size_t command_line_count;
};

/* Where in the options an argument goes: the offset of a const char *. */
struct command_argument {
    size_t offset;
    bool is_optional;     /* as are all after it, */
    const char *fallback; /* and it is then this, or NULL */
};

struct command {
    REGISTRY_ENTRY;           /* params: the options, named as written, less the -- */
    const char *usage;        /* "SPEC... [options]" */
    const char *const *words; /* arguments to choose from, NULL-terminated; or NULL */
    bool takes_runs;          /* an argument may be a run, */
    bool takes_commands;      /* or a command */
    const char *takes;        /* "two agents", "no arguments"; NULL: it counts itself */
    const struct command_argument *arguments; /* that it takes */
    size_t argument_count;
    const struct question *asks;   /* what asked_plain asks; or NULL */
    const char *examples;          /* lines, each a command that works */
    int (*run)(struct context *c); /* returns an exit code */
};

REGISTRY(struct command, command)

/* Prints "assay: <text>" to standard error and returns the exit code for the
 * error's kind: 2 what the user wrote, 3 what this machine cannot, 1 the rest. */
int command_fail(const struct error *err);

/* The exit code of a command that did several things which ended with these. The heaviest is
 * the one to act on first, not the largest number:
 *
 *     2 usage        no other machine or later attempt helps: what was written is wrong
 *     3 unavailable  part of it was not done, so that the rest cannot speak for all
 *     1 failed       known, and nothing that is still open can change it
 *     4 undecided    more trials may decide it
 *     0 done         only where all are
 *
 * What is none of these is heavier than all. */
int command_heavier(int a, int b);

/* For a command line that asks for something else than the command does: prints
 * "assay <name>: <text>" and how to get help; returns EXIT_USAGE. */
int command_misused(const struct command *command, const char *fmt, ...) PRINTF(2, 3);

/* For a name that is not a command: says so, with a suggestion; EXIT_USAGE. */
int command_unknown(const char *name);

#endif
