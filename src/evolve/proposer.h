/* proposer.h - somebody else makes the change: a model behind an agent adapter.
 *
 * The search chooses operator and parents as ever and asks for the child instead of computing
 * it. The reply is text with a playbook in it (evolve/playbook.h). A reply that has none, or
 * one that the library does not know, is a refused proposal: it is counted, and the iteration
 * goes on with a copy of the first parent, which improves nothing. */
#ifndef EVOLVE_PROPOSER_H
#define EVOLVE_PROPOSER_H

#include "base/buf.h"
#include "base/error.h"

struct proposer {
    void *state;

    /* Asks; the reply goes into `answer`. False: nobody answered, which ends the search. */
    bool (*propose)(void *state, struct str question, struct buf *answer, struct error *err);
};

#endif
