/* The entry: descriptors and signals put in order, then the command.
 *
 * libRmath prints its warnings to standard output. So that they cannot get into
 * ours, descriptor 1 is pointed at standard error and our output goes to a
 * private copy of what it was. */
#include "base/str.h"
#include "cli/help.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A descriptor 0, 1 or 2 that we were started without would be given to the
 * next file we open: a database as standard error. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1) continue;
        if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd) abort();
    }
}

/* What is written to an output that was closed is lost: under the stream there is then a
 * file that cannot be written to, so that the end reports it as for a full disk. */
static FILE *keep_output(bool was_closed)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    FILE *out = fd == -1 ? NULL : fdopen(fd, "w");
    if (out && was_closed) {
        int unwritable = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (unwritable == -1 || dup3(unwritable, fd, O_CLOEXEC) == -1) abort();
        close(unwritable);
    }
    if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) == -1) {
        fputs("assay: cannot keep a copy of standard output\n", stderr);
        exit(EXIT_FAILED);
    }
    return out;
}

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

/* A run goes on when `| head` has seen enough, and a file that may not grow (`ulimit -f`)
 * is a write that failed, with its reason. Handlers, not SIG_IGN: exec gives the commands
 * we start the default back, which `yes | head` needs. */
static void survive_failed_writes(void)
{
    struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

/* A run that a signal ended leaves it pending (run.h): now we die of it, as whoever sent it
 * expects. A shell ends its loop only if Ctrl-C ended the command in it. */
static void let_signals_in(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct rlimit no_core = {0};
    sigset_t pending;
    sigset_t ending;
    sigpending(&pending);
    sigemptyset(&ending);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (sigismember(&pending, numbers[i]) == 1) signal(numbers[i], SIG_DFL);
        sigaddset(&ending, numbers[i]);
    }
    if (sigismember(&pending, SIGQUIT) == 1) setrlimit(RLIMIT_CORE, &no_core);
    sigprocmask(SIG_UNBLOCK, &ending, NULL);
}

/* Why an earlier write failed: errno has been used since, and a further write fails too. */
static int cause_of(FILE *out)
{
    return write(fileno(out), "\n", 1) < 0 ? errno : EIO;
}

static int finish_output(FILE *out, int code)
{
    int cause = ferror(out) ? cause_of(out) : 0;
    if (fclose(out) != 0 && !cause) cause = errno;
    if (!cause || cause == EPIPE) return code;
    struct error err;
    error_set_errno(&err, cause, "writing the output");
    int worse = command_fail(&err);
    return code == EXIT_DONE ? worse : code;
}

static int run_command(const struct command *command, const char *const *argv, size_t argc,
                       size_t first, FILE *out)
{
    struct arena arena = arena_open();
    struct context c = {.command = command,
                        .arena = &arena,
                        .out = out,
                        .command_line = argv,
                        .command_line_count = argc};
    bool wants_help = false;
    struct error err = {0};
    int code = EXIT_DONE;
    if (!options_parse(command, argv + first, argc - first, &c, &wants_help, &err)) {
        code = command_misused(command, "%s", err.text);
    } else if (wants_help) {
        help_command(command, out);
    } else {
        code = command->run(&c);
    }
    arena_close(&arena);
    return code;
}

static int dispatch(const char *const *argv, size_t argc, FILE *out)
{
    const char *word = argc > 1 ? argv[1] : "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) word = "version";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) word = "help";
    const struct command *command = command_find(str_of(word));
    if (!command) return command_unknown(word);
    return run_command(command, argv, argc, argc > 1 ? 2 : 1, out);
}

/* Whatever the file is called: others tell by this name whether a run is still going on
 * (environment_is_alive), and a server starts runs as /proc/self/exe. */
static void take_name(void)
{
    prctl(PR_SET_NAME, "assay");
}

int main(int argc, char **argv)
{
    take_name();
    bool has_no_output = fcntl(STDOUT_FILENO, F_GETFD) == -1;
    fill_standard_descriptors();
    FILE *out = keep_output(has_no_output);
    survive_failed_writes();
    int code = dispatch((const char *const *)argv, (size_t)argc, out);
    code = finish_output(out, code);
    let_signals_in();
    return code;
}
