#include "cli/help.h"

#include "base/str.h"
#include "cli/options.h"
#include "cli/stored.h"

enum { HELP_COLUMN = 30 }; /* where the explanations of options begin */

/* Words from `column` on, broken at the width of the terminal. */
static void write_wrapped(const char *text, int column, FILE *out)
{
    int width = stored_width(out);
    int used = column;
    struct str rest = str_of(text);
    while (rest.p) {
        struct str word = str_cut(&rest, ' ');
        bool is_first = used == column;
        if (!is_first && used + 1 + (int)word.n > width) {
            fprintf(out, "\n%*s", column, "");
            used = column;
            is_first = true;
        }
        used += fprintf(out, "%s%.*s", is_first ? "" : " ", STR_ARG(word));
    }
    fputc('\n', out);
}

/* "  -n, --measured N", padded, then its explanation. */
static void write_option(const struct param *row, FILE *out)
{
    char left[200];
    char right[600];
    struct arena scratch = arena_open();
    bool is_flag = row->type == PARAM_BOOL;
    const char *argument = is_flag ? "" : param_argument(row, &scratch);
    const char *open = row->is_optional ? " [" : is_flag ? "" : " ";
    snprintf(left, sizeof left, "  %c%c%c --%s%s%s%s", row->letter ? '-' : ' ',
             row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name, open,
             argument, row->is_optional ? "]" : "");
    if (strlen(left) > HELP_COLUMN - 2) {
        fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    } else {
        fprintf(out, "%-*s", HELP_COLUMN, left);
    }
    struct buf b;
    buf_over(&b, right, sizeof right);
    param_remarks(row, &b);
    options_put_default(row, &b);
    write_wrapped(right, HELP_COLUMN, out);
    arena_close(&scratch);
}

static void write_indented(const char *lines, FILE *out)
{
    struct str rest = str_of(lines);
    while (rest.n) {
        struct str line = str_cut(&rest, '\n');
        fprintf(out, "  %.*s\n", STR_ARG(line));
    }
}

void help_command(const struct command *command, FILE *out)
{
    fprintf(out, "assay %s - %s\n\nusage: assay %s %s\n", command->name, command->summary,
            command->name, command->usage);
    if (command->params.count) fputs("\noptions:\n", out);
    for (size_t i = 0; i < command->params.count; i++) {
        write_option(&command->params.rows[i], out);
    }
    fputs("\noptions of every command:\n", out);
    for (size_t i = 0; i < options_common.count; i++) {
        write_option(&options_common.rows[i], out);
    }
    fputs("\nexamples:\n", out);
    write_indented(command->examples, out);
}

void help_overview(FILE *out)
{
    fputs("assay benchmarks commands, programs and agents, and says what the numbers\n"
          "are worth.\n"
          "\n"
          "start here:\n"
          "  assay run -- sleep 0.1            measure a command\n"
          "  assay run -c 'grep -c / /etc/passwd' -c 'wc -l /etc/passwd'\n"
          "                                    compare commands: they take turns\n"
          "  assay show latest --explain       what each number rests on\n"
          "  assay init command                write a commented spec, then: assay run "
          "command.yaml\n"
          "  assay init suite                  the same for agents: assay run suite.yaml\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "  %-12s %s\n", command_at(i)->name, command_at(i)->summary);
    }
    fputs("\n'assay COMMAND -h' explains one; 'assay describe' lists what can be measured.\n",
          out);
}
