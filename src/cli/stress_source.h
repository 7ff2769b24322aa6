/* stress_source.h - whom `assay stress` loads: an address, a registered agent, or the agents of
 * a suite, with its cases as requests. */
#ifndef CLI_STRESS_SOURCE_H
#define CLI_STRESS_SOURCE_H

#include "cli/command.h"
#include "study/stress_asked.h"

struct stress_source_options {
    const char *name;          /* file, registered suite or registered agent */
    struct param_texts agents; /* of a suite: only these */
    struct param_texts only;   /* of a suite: this benchmark */
    const char *input;         /* of a registered agent: what it is asked; or NULL */
    const char *cases;         /* the same: a file; or NULL */
    int64_t seed;
};

/* One agent to load. */
struct stress_job {
    const struct value *agent;
    struct stress_asked asked;
    const char *spec_path;             /* NULL: there is no file */
    bool is_named;                     /* the suite: spec.h */
    const struct suite_stress *stress; /* of the suite; NULL: it says nothing */
    struct param_texts scenarios;      /* that the suite asks for; none: one load */
    const char *stub_name, *stub_url;  /* of a stand-in: spec.h */
};

/* EXIT_DONE with the jobs in `jobs` (in the context's arena), or what went wrong, said. */
int stress_source_read(struct context *c, const struct stress_source_options *options,
                       struct stress_job **jobs, size_t *count);

/* The benchmarks of a checked suite that are stress tests (`test_type: stress`), each with
 * its agents. */
void stress_source_of_run(const struct spec *spec, struct arena *out, struct stress_job **jobs,
                          size_t *count);

/* A program that assay starts: its memory can be squeezed and it can be killed. */
bool stress_job_is_process(const struct stress_job *job);

#endif
