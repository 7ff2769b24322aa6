/* question.h - what a store can be asked: the contract.
 *
 * A question is a table of parameters and a function that reads a store and gives an answer
 * (report/answers.h). The command of that name and the route of the API both ask it here, so
 * that `assay leaderboard --json` and GET /benchmarks/leaderboard are the same bytes: they
 * differ in where the parameters come from and where the answer goes.
 *
 * Parameters are named as options of commands ("min-coverage"); routes write them with
 * underscores. A command that has options of its own besides begins its struct with the
 * question's and its table with the question's rows (the macro X_ROWS of question_x.h). What
 * commands take as arguments ("RUN") are the parameters that stand first in the table.
 *
 * Nothing here writes to the store, measures, or starts anything.
 *
 * To add one: write src/question/question_<name>.[ch] ending in `const struct question
 * question_<name>`, and name it in the list QUESTIONS at the end of this file. */
#ifndef QUESTION_QUESTION_H
#define QUESTION_QUESTION_H

#include "base/registry.h"
#include "report/answers.h"
#include "store/store.h"

struct question {
    REGISTRY_ENTRY;
    const struct answer *answer;
    /* The answer depends on more than the parameters, what the store holds and the UTC day:
     * on the moment, or on processes that live. It is not to be kept. */
    bool is_live;
    /* `params` is the struct that the table fills. The answer lives in `out`. */
    bool (*ask)(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err);
};

REGISTRY(struct question, question)

/* The parameter of questions about one run. */
#define QUESTION_RUN(owner)                                                                   \
    {                                                                                         \
        .name = "run", .type = PARAM_SELECTOR, .offset = offsetof(owner, run),                \
        .fallback = "\"latest\"", .help = "a run by its id, latest, an agent, or branch:NAME" \
    }

#define QUESTIONS(X) \
    X(agents)        \
    X(alarms)        \
    X(cases)         \
    X(claims)        \
    X(compare)       \
    X(cost)          \
    X(leaderboard)   \
    X(matrix)        \
    X(outcome)       \
    X(profile)       \
    X(regressions)   \
    X(results)       \
    X(run)           \
    X(runs)          \
    X(stress)        \
    X(suite)         \
    X(suites)        \
    X(trend)         \
    X(versus)        \
    X(why)

#define DECLARE(id) extern const struct question question_##id;
QUESTIONS(DECLARE)
#undef DECLARE

#endif
