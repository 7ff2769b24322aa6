/* What commands share that read the store: opening it, loading a run, and printing an answer
 * by its row (text, JSON, or one of its formats) with its plots. Text from outside is
 * printed without control characters; "latest" in a command to repeat becomes the run's id,
 * as another run will be the latest then. */
#include "cli/stored.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "base/plain.h"
#include "cli/options.h"
#include "judge/claims.h"
#include "judge/summary.h"
#include "rank/casebook.h"
#include "report/answer_outcome.h"
#include "view/source.h"

#include <stdlib.h>
#include <sys/ioctl.h>

bool stored_open(const struct context *c, bool read_only, struct store **store,
                 struct error *err)
{
    struct store_options options = {.read_only = read_only, .workspace = c->workspace};
    if (store_open(c->store_url, &options, store, err)) return true;
    if (!err || err->code != ERROR_NOT_FOUND) return false;
    return error_set(err, ERROR_NOT_FOUND,
                     "there is no store at '%s'; `assay run` makes one, --store names another",
                     c->store_url);
}

bool stored_view(const struct context *c, const char *selector, const struct view **view,
                 struct error *err)
{
    struct store *store = NULL;
    struct source source;
    bool done = (select_is_file(selector) || stored_open(c, true, &store, err)) &&
                source_load(store, selector, c->arena, &source, err);
    if (done) *view = source.view;
    if (done && source.is_run) {
        struct view *with_claims = arena_new(c->arena, struct view, 1);
        *with_claims = *source.view;
        *view = with_claims;
        done = summary_complete(store, with_claims, c->arena, err);
    }
    store_close(store);
    return done;
}

int stored_width(FILE *out)
{
    struct winsize size;
    bool is_terminal = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_terminal ? size.ws_col : 80;
}

/* "latest", "latest~1:0": the run that it means now, by its id; another run will be the
 * latest when the command is given again. Other words are themselves. */
static const char *lasting_word(const struct context *c, const char *word)
{
    const char *cell = strchr(word, ':');
    size_t length = cell ? (size_t)(cell - word) : strlen(word);
    const char *run_part = str_cstr(c->arena, (struct str){word, length});
    if (!store_is_latest(run_part)) return word;
    struct store *store = NULL;
    struct run_record run;
    bool is_found = stored_open(c, true, &store, NULL) &&
                    store_find_run(store, run_part, c->arena, &run, NULL);
    store_close(store);
    return is_found ? arena_printf(c->arena, "%s%s", run.id, cell ? cell : "") : word;
}

const struct value *stored_command_line(const struct context *c)
{
    const struct value **words =
        arena_new(c->arena, const struct value *, c->command_line_count + 1);
    for (size_t i = 0; i < c->command_line_count; i++) {
        bool is_ours = i < 2 || strcmp(c->command_line[1], "run") != 0;
        const char *word = is_ours ? lasting_word(c, c->command_line[i]) : c->command_line[i];
        words[i] = value_new_text(c->arena, str_of(word));
    }
    return value_new_list(c->arena, words, c->command_line_count);
}

/* Names and labels may hold anything; line ends are kept. */
static void put_plain(struct str text, FILE *out)
{
    struct buf plain;
    buf_init(&plain, SIZE_MAX / 2);
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        plain_add(&plain, line, SIZE_MAX);
        if (text.p) buf_add_char(&plain, '\n');
    }
    fwrite(plain.p ? plain.p : "", 1, plain.n, out);
    buf_release(&plain);
}

static int print(const struct buf *text, bool is_raw, FILE *out)
{
    struct error err = {0};
    if (!answer_is_whole(text, &err)) return command_fail(&err);
    if (is_raw) {
        fwrite(text->p ? text->p : "", 1, text->n, out);
    } else {
        put_plain(buf_str(text), out);
    }
    return EXIT_DONE;
}

bool stored_write(const char *path, const struct buf *text, struct error *err)
{
    return answer_is_whole(text, err) && os_write_file(path, buf_str(text), err);
}

int stored_print_raw(const struct context *c, const struct buf *text)
{
    return print(text, true, c->out);
}

/* What --plot names; NULL without it. */
static const char *plot_file(const struct context *c)
{
    const char *file = NULL;
    for (size_t i = 0; i < c->given_count; i++) {
        const struct param *row = c->given[i];
        if (strcmp(row->name, "plot") == 0)
            file = *(const char *const *)((const char *)c->options + row->offset);
    }
    return file;
}

static void put_texts(struct plot_list plots, struct arena scratch, struct buf *out)
{
    for (size_t i = 0; i < plots.count; i++) {
        if (i) buf_add_char(out, '\n');
        plot_text(&plots.items[i], STORED_PLOT_COLUMNS, scratch, out);
    }
}

/* The kind of file follows from its name. */
static bool write_plots(const struct context *c, const struct answer *row, const void *answer,
                        const char *file, struct error *err)
{
    struct str name = str_of(file);
    bool is_json = str_ends(name, S(".json"));
    bool is_svg = str_ends(name, S(".svg"));
    if (!is_json && !is_svg && !str_ends(name, S(".txt"))) {
        return error_set(err, ERROR_INVALID,
                         "--plot: '%s' should end in .svg, .txt, or .json for the data", file);
    }
    struct plot_list plots = row->plots(answer, c->arena);
    if (plots.count == 0 && !is_json) {
        return error_set(err, ERROR_NOT_FOUND, "--plot: there is nothing to draw");
    }
    struct buf out;
    buf_init(&out, ANSWER_MAX_BYTES);
    if (is_json) {
        answer_plots_json(row, answer, &out);
    } else if (is_svg) {
        plot_svg(plots, STORED_PLOT_PIXELS, &out);
    } else {
        put_texts(plots, *c->arena, &out);
    }
    bool done = stored_write(file, &out, err);
    buf_release(&out);
    return done;
}

/* By the first of these that is set, as programs of the C library do. */
static bool shows_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !value[0]) continue;
        return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

static struct answer_look look_of(const struct context *c, FILE *out)
{
    return (struct answer_look){.quiet = c->quiet,
                                .all = options_has(c, "all"),
                                .color = c->color,
                                .is_rich = c->color && shows_unicode(),
                                .width = stored_width(out)};
}

static int print_answer(const struct context *c, const struct answer *row, const void *answer,
                        FILE *text_out)
{
    struct error err = {0};
    const char *file = plot_file(c);
    if (file && !write_plots(c, row, answer, file, &err)) return command_fail(&err);
    struct buf out;
    buf_init(&out, ANSWER_MAX_BYTES);
    if (c->json) {
        answer_json(row, answer, &out);
    } else {
        const struct answer_look look = look_of(c, text_out);
        row->text(answer, &look, &out);
    }
    int code = print(&out, c->json, c->json ? c->out : text_out);
    buf_release(&out);
    return code;
}

int stored_answer(const struct context *c, const struct answer *row, const void *answer)
{
    return print_answer(c, row, answer, c->out);
}

int stored_tell(const struct context *c, const struct answer *row, const void *answer)
{
    return print_answer(c, row, answer, stderr);
}

int stored_outcome(const struct context *c, struct store *store, const struct view *view,
                   const char *run, bool is_end)
{
    struct error err = {0};
    struct answer_outcome answer = {.run = run, .is_end = is_end};
    if (!outcome_make(store, view, c->arena, &answer.outcome, &err)) return command_fail(&err);
    if (c->json) return stored_answer(c, &answer_outcome, &answer);
    struct buf out;
    const struct answer_look look = look_of(c, c->out);
    buf_init(&out, ANSWER_MAX_BYTES);
    outcome_text(&answer, &look, &out);
    int code = stored_print_raw(c, &out);
    buf_release(&out);
    return code;
}

bool stored_complete(const struct context *c, struct store *store, const struct view *view,
                     struct report_options *how, struct error *err)
{
    struct outcome *outcome = arena_new(c->arena, struct outcome, 1);
    if (!outcome_make(store, view, c->arena, outcome, err)) return false;
    how->outcome = outcome;
    if (!store || view->suite_count == 0) return true;
    struct casebook *book = arena_new(c->arena, struct casebook, 1);
    how->book = book;
    return casebook_make(store, outcome, c->arena, book, err);
}
