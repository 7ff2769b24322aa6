/* message.h - the JSON lines spoken with a session agent, and usage objects.
 *
 *   -> {"id":1,"case":"c1","conversation":null,"turn":0,"input":"2+2","config":{},"seed":7}
 *   <- {"id":1,"output":"4","usage":{"input_tokens":12,...},
 *       "phases":[{"name":"plan","start_ms":0,"ms":3.5,"cpu_ms":3}],"error":null}
 *
 * One line each, UTF-8. `id` comes back as it was sent. `output` may be any
 * JSON; what is not a text is kept as JSON. Fields of a reply that are not
 * known are passed over. */
#ifndef AGENT_MESSAGE_H
#define AGENT_MESSAGE_H

#include "agent/agent.h"

/* With the newline. The seed is cut to 53 bits, which every JSON reader keeps. */
void message_write_task(struct buf *out, int64_t id, const struct agent_task *task,
                        const struct value *config);

/* Reads one reply, without its newline, into `answer` (initialised), whose
 * texts live in `arena`. TRIAL_OK, TRIAL_INVALID_OUTPUT or TRIAL_AGENT_ERROR,
 * the reason in answer->error. */
enum trial_status message_read_reply(struct str line, int64_t id, struct arena *arena,
                                     struct agent_answer *answer);

/* The same of an object that has been read already, without its id. */
enum trial_status message_read_answer(const struct value *from, struct arena *arena,
                                      struct agent_answer *answer);

/* One usage object as JSON text, as in a reply. */
MUST_USE bool message_read_usage(struct str text, struct arena *arena,
                                 struct agent_answer *answer, struct error *err);

#endif
