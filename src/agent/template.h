/* template.h - {{field}} in requests, filled from the case.
 *
 * A field is looked up in the case ({{question}}, {{user.name}}); input,
 * case_id, conversation, turn and seed are always there. In JSON a field keeps
 * its type where it is the whole of a text ("{{n}}" becomes 3), and is escaped
 * where it is a part of one. */
#ifndef AGENT_TEMPLATE_H
#define AGENT_TEMPLATE_H

#include "agent/agent.h"

/* A text template. `is_json`: the text is JSON, fields are escaped to stand
 * within its strings, and what is no text is written as JSON. Fails for a field
 * that the case does not have. */
MUST_USE bool template_fill(struct str text, bool is_json, const struct agent_task *task,
                            struct buf *out, struct error *err);

/* A tree of which the texts are templates, written as JSON. */
MUST_USE bool template_write(const struct value *tree, const struct agent_task *task,
                             struct json *j, struct error *err);

/* A value as text: texts as they are, the rest as JSON. */
struct str template_text(const struct value *v, struct arena *arena);

#endif
