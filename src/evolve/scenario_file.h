/* scenario_file.h - a challenge from files: scenarios that a suite also asks its agents, and the
 * library that playbooks for them are made of.
 *
 * Scenarios are the cases of a benchmark, one JSON object a line; of each, `id` (once in a file)
 * and those checks of its `rubric` are read that say {"check": "contains", "weight": W, "text":
 * [..]}: a group of wishes. At most three, their weights are scaled to 1. What `without` names a
 * playbook leaves to its agent, which does not say what is settled; other options of that check
 * (`absent`, `ignore_case`) are refused. Every third scenario is held out.
 *
 * The library has a line `name: text` for each line of a playbook. At setting 1 an agent says all
 * of the text, at setting 0 its first sentence. A line provides a wish if what it says contains
 * it, as the check would find it. */
#ifndef EVOLVE_SCENARIO_FILE_H
#define EVOLVE_SCENARIO_FILE_H

#include "base/buf.h"
#include "base/error.h"
#include "evolve/challenge.h"

enum { SCENARIO_FILE_SEGMENTS = 8 }; /* places in a playbook */

/* Fails with ERROR_INVALID and the line. `agent` and both texts must outlive the challenge. */
MUST_USE bool scenario_file_read(const char *agent, struct str scenarios, struct str library,
                                 struct arena *out, struct challenge **challenge,
                                 struct error *err);

/* How many of the scenarios from `from` on have a score of at least 0.7. */
size_t scenario_file_passed(const struct challenge *c, const struct genome *g, size_t from);

#endif
