/* note.h - what the result of a run or an execution should state besides its numbers.
 *
 * A kind, by which programs choose, and a sentence for people. Nobody looks for
 * words in the sentence. Stored as [{"kind":"missing","text":".."}]; a plain text in
 * the list is one of a store that is older than the kinds. */
#ifndef MODEL_NOTE_H
#define MODEL_NOTE_H

#include "base/str.h"

enum note_kind {
    NOTE_REMARK,   /* anything else: limits not enforced, where answers came from */
    NOTE_MISSING,  /* why a column has no value: shown on request, made again by a rescore */
    NOTE_BASIS,    /* what a number rests on: shown on request */
    NOTE_UNSTEADY, /* the warm-up never became steady */
    NOTE_STOPPED,  /* stop_early ended it */
    NOTE_TEARDOWN, /* the experiment's end failed */
    NOTE_LOST,  /* an optional instrument did not open, or a trial's histogram was not kept */
    NOTE_AGAIN, /* of a run: the same was imported before; its start is the last import */
    NOTE_DISTURBED, /* of a run: other work took too much of its CPUs; no baseline */
    NOTE_KIND_COUNT
};

struct note {
    enum note_kind kind;
    const char *text;
};

enum { NOTE_LIST_MAX = 500 }; /* of one execution: further ones are dropped */

struct note_list {
    const struct note *items;
    size_t count;
};

/* Adds it, unless the list has it already. The text is copied to `out`. */
void note_add(struct note_list *list, struct arena *out, enum note_kind kind, struct str text);

bool note_has(const struct note_list *list, enum note_kind kind);

/* As stored; NULL for none. What is not a list was written by another program: one
 * remark. */
const char *note_write(const struct note_list *list, struct arena *out);
struct note_list note_read(const char *text, struct arena *out);

/* The sentences, a line each; NULL for none. */
const char *note_lines(const struct note_list *list, struct arena *out);

/* The sentences alone, as documents have them: a JSON list. */
struct json;
void note_put_texts(struct json *j, const struct note_list *list);

#endif
