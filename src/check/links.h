/* links.h - links that an agent has put into its work folder.
 *
 * A program that checks `work/out.txt` follows a link there, with rights that the agent has
 * not: to the expected answer, which then equals itself, or into /proc, where a program finds
 * its own words and its input. So a link that leads to what is hidden from the agent, to a
 * folder that has it inside or into /proc is the agent's attempt at a score. */
#ifndef CHECK_LINKS_H
#define CHECK_LINKS_H

#include "base/arena.h"

/* A link below `folder` (absolute, without links) that leads to one of `hidden`
 * (NULL-terminated, likewise) or into /proc, as "its path, which leads to ..."; NULL = none.
 * A folder that is too deep or too full to be looked through is named, too. */
const char *links_to_hidden(const char *folder, const char *const *hidden, struct arena *out);

#endif
