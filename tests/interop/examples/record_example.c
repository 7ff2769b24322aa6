/* A program that records its own executions: records FILE COUNT of them. */
#include <assay/record.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    for (long i = 0; i < count && argc > 1; i++) {
        static const char *const metadata[] = {"git_commit", "abc\"123", NULL};
        struct assay_record r = ASSAY_RECORD_INIT;
        char why[200];
        r.task = "Create \"landing\" page\n\xFF";
        r.duration_s = 3.456 + (double)i;
        r.success = i % 4 != 3;
        r.version = "v2.0";
        r.agent = "builder_agent";
        r.cost_usd = 0.00012;
        r.difficulty = 0.2;
        r.metadata = metadata;
        if (assay_record_append(argv[1], &r, why, sizeof why) != 0) {
            fprintf(stderr, "%s\n", why);
            return 1;
        }
    }
    return argc > 1 ? 0 : 2;
}
