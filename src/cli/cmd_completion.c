/* Completion scripts for shells, made from the tables: what help shows is what
 * a tab offers. Words are quoted for the shell at hand; everything quoted comes
 * from our own tables. */
#include "base/str.h"
#include "cli/options.h"

/* Text for between single quotes: '\'' for a quote, and a backslash before each
 * of `special`. */
static void write_quoted(const char *text, const char *special, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr(special, *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

/* The words that the name of an option's argument gives to choose from: those in small
 * letters; "yes|no|PARAM" has yes and no. A space follows each. */
static void write_choices(const char *argument, FILE *out)
{
    struct str rest = str_of(argument);
    while (rest.p) {
        struct str word = str_cut(&rest, '|');
        size_t small = 0;
        while (small < word.n && word.p[small] >= 'a' && word.p[small] <= 'z') small++;
        if (small == word.n) fprintf(out, "%.*s ", STR_ARG(word));
    }
}

static bool has_choices(const char *grammar)
{
    return strpbrk(grammar, "|") != NULL;
}

static bool is_flag(const struct param *row)
{
    return row->type == PARAM_BOOL;
}

/* Whether words or runs can be offered as its value. */
static bool has_values(const struct param *row)
{
    return row->choices || row->type == PARAM_SELECTOR ||
           (row->argument && has_choices(row->argument));
}

static void write_values(const struct param *row, const char *runs, FILE *out)
{
    for (size_t i = 0; row->choices && row->choices[i]; i++) {
        fprintf(out, "%s ", row->choices[i]);
    }
    if (!row->choices && row->argument) write_choices(row->argument, out);
    if (row->type == PARAM_SELECTOR) fputs(runs, out);
}

static void write_command_names(FILE *out)
{
    for (size_t i = 0; command_at(i); i++) fprintf(out, "%s ", command_at(i)->name);
}

/* What may follow a command, in words; the shell adds files where it finds none. */
static void write_arguments(const struct command *command, const char *runs, FILE *out)
{
    if (command->takes_commands) write_command_names(out);
    for (size_t i = 0; command->words && command->words[i]; i++)
        fprintf(out, "%s ", command->words[i]);
    if (command->takes_runs) fputs(runs, out);
}

static void write_bash_values(const struct command *command, FILE *out)
{
    for (size_t k = 0; options_at(command, k); k++) {
        const struct param *row = options_at(command, k);
        if (!has_values(row)) continue;
        fprintf(out, "    %s:--%s", command->name, row->name);
        if (row->letter) fprintf(out, " | %s:-%c", command->name, row->letter);
        fputs(") words=\"", out);
        write_values(row, "$(_assay_runs)", out);
        fputs("\" ;;\n", out);
    }
}

static void write_bash(FILE *out)
{
    fputs("# assay completion for bash: source <(assay completion bash)\n"
          "_assay_runs() {\n"
          "    echo latest\n"
          "    assay list --quiet 2> /dev/null | cut -d ' ' -f 1\n"
          "}\n"
          "_assay() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        words='",
          out);
    write_command_names(out);
    fputs("'\n    elif [[ $cur == -* ]]; then\n"
          "        case ${COMP_WORDS[1]} in\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        fprintf(out, "        %s) words='", command->name);
        for (size_t k = 0; options_at(command, k); k++) {
            const struct param *row = options_at(command, k);
            fprintf(out, "--%s ", row->name);
            if (row->letter) fprintf(out, "-%c ", row->letter);
        }
        fputs("' ;;\n", out);
    }
    fputs("        esac\n"
          "    else\n"
          "        case ${COMP_WORDS[1]} in\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "        %s) words=\"", command_at(i)->name);
        write_arguments(command_at(i), "$(_assay_runs)", out);
        fputs("\" ;;\n", out);
    }
    fputs("        esac\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD - 1]} in\n",
          out);
    for (size_t i = 0; command_at(i); i++) write_bash_values(command_at(i), out);
    fputs("    esac\n"
          "    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "}\n"
          "complete -o default -F _assay assay\n",
          out);
}

static void write_zsh_action(const struct param *row, FILE *out)
{
    if (row->type == PARAM_SELECTOR) {
        fputs(":_assay_runs", out);
    } else if (has_values(row)) {
        fputs(":(", out);
        write_values(row, "", out);
        fputs(")", out);
    } else {
        fputs(":_files", out);
    }
}

/* One argument of zsh's _arguments: '*--set[help]:K=V: '. */
static void write_zsh_spec(const struct param *row, const char *dashes, const char *name,
                           FILE *out)
{
    fprintf(out, " \\\n            '%s%s%s[", param_is_list(row->type) ? "*" : "", dashes,
            name);
    struct arena scratch = arena_open();
    write_quoted(row->help, "[]:\\", out);
    fputc(']', out);
    size_t values = is_flag(row) ? 0 : row->takes ? row->takes : 1;
    for (size_t i = 0; i < values; i++) {
        fputs(row->is_optional ? "::" : ":", out);
        write_quoted(param_argument(row, &scratch), "[]:\\", out);
        write_zsh_action(row, out);
    }
    fputc('\'', out);
    arena_close(&scratch);
}

static void write_zsh(FILE *out)
{
    fputs("#compdef assay\n"
          "# assay completion for zsh: source <(assay completion zsh)\n"
          "_assay_runs() {\n"
          "    compadd latest ${(f)\"$(assay list --quiet 2> /dev/null | cut -d ' ' -f 1)\"}\n"
          "}\n"
          "_assay() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "        '%s:", command_at(i)->name);
        write_quoted(command_at(i)->summary, ":\\", out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        fprintf(out, "    %s)\n        _arguments -s", command->name);
        for (size_t k = 0; options_at(command, k); k++) {
            const struct param *row = options_at(command, k);
            write_zsh_spec(row, "--", row->name, out);
            if (row->letter) write_zsh_spec(row, "-", (char[]){row->letter, 0}, out);
        }
        fputs(" \\\n            '*:argument:{compadd ", out);
        write_arguments(command, "; _assay_runs", out);
        fputs("; _files}'\n        ;;\n", out);
    }
    fputs("    esac\n"
          "}\n"
          "# Autoloaded from a folder of functions, this file is _assay's first call.\n"
          "if [[ $funcstack[1] = _assay ]]; then\n"
          "    _assay \"$@\"\n"
          "else\n"
          "    compdef _assay assay\n"
          "fi\n",
          out);
}

static void write_fish(FILE *out)
{
    fputs("# assay completion for fish: assay completion fish | source\n"
          "function __assay_runs\n"
          "    echo latest\n"
          "    assay list --quiet 2> /dev/null | cut -d ' ' -f 1\n"
          "end\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        const struct command *command = command_at(i);
        fprintf(out, "complete -c assay -n __fish_use_subcommand -a %s -d '", command->name);
        write_quoted(command->summary, "\\", out);
        fprintf(out, "'\ncomplete -c assay -n '__fish_seen_subcommand_from %s' -a '",
                command->name);
        write_arguments(command, "(__assay_runs)", out);
        fputs("'\n", out);
        for (size_t k = 0; options_at(command, k); k++) {
            const struct param *row = options_at(command, k);
            fprintf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -l %s",
                    command->name, row->name);
            if (row->letter) fprintf(out, " -s %c", row->letter);
            if (!is_flag(row) && !row->is_optional) fputs(" -r", out);
            if (has_values(row)) {
                fputs(" -f -a '", out);
                write_values(row, "(__assay_runs)", out);
                fputs("'", out);
            }
            fputs(" -d '", out);
            write_quoted(row->help, "\\", out);
            fputs("'\n", out);
        }
    }
}

static const struct shell {
    const char *name;
    void (*write)(FILE *out);
} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static int run(struct context *c)
{
    if (c->arg_count != 1) {
        return command_misused(c->command, "needs one shell: bash, zsh or fish");
    }
    for (size_t i = 0; i < COUNT(shells); i++) {
        if (strcmp(shells[i].name, c->args[0]) != 0) continue;
        shells[i].write(c->out);
        return EXIT_DONE;
    }
    return command_misused(c->command, "no completion for '%s'; bash, zsh or fish", c->args[0]);
}

static const char *const words[] = {"bash", "zsh", "fish", NULL};

const struct command command_completion = {
    .name = "completion",
    .summary = "prints a completion script for bash, zsh or fish",
    .usage = "bash|zsh|fish",
    .words = words,
    .examples = "assay completion bash > ~/.local/share/bash-completion/completions/assay\n"
                "assay completion zsh > ~/.zfunc/_assay\n"
                "assay completion fish > ~/.config/fish/completions/assay.fish",
    .run = run,
};
