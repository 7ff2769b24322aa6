/* template.h - {{field}} in requests, filled from the case.
 *
 * A field is looked up in the case ({{question}}, {{user.name}}); input,
 * case_id, conversation, turn and seed are always there. In JSON a field keeps
 * its type where it is the whole of a text ("{{n}}" becomes 3), and is escaped
 * where it is a part of one. */
#ifndef MODEL_TEMPLATE_H
#define MODEL_TEMPLATE_H

#include "model/task.h"

enum template_form {
    TEMPLATE_TEXT, /* fields as they are; what is not a text, as JSON */
    TEMPLATE_JSON, /* escaped, to stand within the strings of a JSON text */
    TEMPLATE_URL,  /* percent-encoded (RFC 3986) */
};

/* A text template. Fails for a field that the case does not have. */
MUST_USE bool template_fill(struct str text, enum template_form form,
                            const struct agent_task *task, struct buf *out, struct error *err);

bool template_has_fields(struct str text);

/* Whether a case with these fields has all that `tree` (texts in it) asks for. */
MUST_USE bool template_check(const struct value *tree, const struct value *fields,
                             struct error *err);

/* A tree of which the texts are templates, written as JSON. */
MUST_USE bool template_write(const struct value *tree, const struct agent_task *task,
                             struct json *j, struct error *err);

/* A value as text: texts as they are, the rest as JSON. */
struct str template_text(const struct value *v, struct arena *arena);

#endif
