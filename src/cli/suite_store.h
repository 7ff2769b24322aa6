/* suite_store.h - what commands need of the agents and suites in a store. */
#ifndef CLI_SUITE_STORE_H
#define CLI_SUITE_STORE_H

#include "cli/command.h"
#include "spec/spec.h"
#include "store/store.h"

/* For spec_override.find_agent; the context is a struct context. Looks into the
 * store if there is one, without making it. */
bool suite_store_find_agent(void *context, const char *name, struct arena *out,
                            const struct value **agent, struct error *err);

/* The text and source of a registered suite. ERROR_NOT_FOUND if there is no
 * store or no such suite. */
MUST_USE bool suite_store_find(const struct context *c, const char *name,
                               struct suite_record *suite, struct error *err);

/* Warns of benchmarks of `spec`, loaded from the text of a registered suite, whose
 * files have changed since: their results are another content's. */
void suite_store_warn(const struct context *c, const struct suite_record *suite,
                      const struct spec *spec);

/* --fail-under: EXIT_FAILED if the overall score of an execution of the run is below,
 * EXIT_UNDECIDED if it may be, by what was not judged; each is printed. */
MUST_USE bool suite_store_reaches(const struct context *c, struct store *store,
                                  const char *run_id, double least, enum exit_code *code,
                                  struct error *err);

/* --only-failed RUN: keeps the cases that an agent of that run has wrong, and those that could
 * not be judged (score_case_state). */
MUST_USE bool suite_store_keep_failed(const struct context *c, struct store *store,
                                      const char *selector, struct spec *spec,
                                      struct error *err);

#endif
