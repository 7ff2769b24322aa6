/* assay doctor: is this machine fit to measure? */
#include "cli/progress.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "judge/doctor.h"
#include "study/doctor_noise.h"

struct doctor_options {
    int64_t sessions;
    bool no_noise;
    const char *plot;
};

static const struct param options[] = {
    {"sessions", PARAM_INT, .offset = offsetof(struct doctor_options, sessions),
     .fallback = "3", .min = 1, .max = 100, .help = "runs of the A/A test, 100 pairs each"},
    {"checks-only", PARAM_BOOL, .offset = offsetof(struct doctor_options, no_noise),
     .help = "look, but measure nothing"},
    STORED_PLOT(struct doctor_options),
};

static bool measure(struct context *c, struct nursery *nursery, struct doctor_noise *noise,
                    size_t count, struct error *err)
{
    static const char *const workloads[] = {"spin", "command"};
    const struct doctor_options *o = c->options;
    for (size_t i = 0; i < count; i++) {
        struct doctor_request request = {.nursery = nursery,
                                         .workload = workloads[i],
                                         .sessions = (size_t)o->sessions,
                                         .assay_version = version_text};
        bool is_live = !c->json && !c->quiet && progress_can_be_live();
        if (is_live) {
            fprintf(stderr, "measuring the noise of '%s' ...", workloads[i]);
        }
        bool done = doctor_measure(&request, c->arena, &noise[i], err);
        if (is_live) fputs("\r\033[K", stderr);
        if (!done) return false;
    }
    return true;
}

static int run(struct context *c)
{
    const struct doctor_options *o = c->options;
    struct nursery nursery = {0}; /* first, while this process is small */
    struct error err = {0};
    struct doctor_check checks[DOCTOR_CHECKS_MAX];
    struct doctor_noise noise[2];
    struct doctor_report report = {.checks = checks, .noise = noise};
    if (!nursery_start(&nursery, &err)) return command_fail(&err);
    report.check_count = doctor_check(c->arena, checks);
    report.noise_count = o->no_noise ? 0 : COUNT(noise);
    bool done = measure(c, &nursery, noise, report.noise_count, &err);
    nursery_end(&nursery);
    if (!done) return command_fail(&err);
    return stored_answer(c, &answer_doctor, &report);
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "is this machine fit to measure? Checks, noise floor, smallest visible change",
    .usage = "[options]",
    .takes = "no arguments",
    .examples = "assay doctor\n"
                "assay doctor --sessions 10 --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct doctor_options),
    .run = run,
};
