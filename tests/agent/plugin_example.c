/* A whole plugin: answers with its input in capitals, behind a prefix that its
 * config states. */
#include "assay/plugin.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shout {
    int answers; /* that have not been released */
    int total;
};

static int shout_open(void **self, const char *config_json, char *why, size_t why_size)
{
    if (strstr(config_json, "\"broken\":true")) {
        snprintf(why, why_size, "config says broken");
        return 1;
    }
    *self = calloc(1, sizeof(struct shout));
    return *self ? 0 : 1;
}

static int shout_answer(void *self, const struct assay_task *task, struct assay_answer *answer)
{
    struct shout *s = self;
    s->answers++;
    s->total++;
    if (s->answers != 1) abort(); /* the host forgot a release */
    if (task->input.size == 0) {
        answer->error.data = "nothing to shout";
        answer->error.size = strlen(answer->error.data);
        return ASSAY_ERROR;
    }
    char *text = malloc(task->input.size);
    if (!text) return ASSAY_ERROR;
    for (size_t i = 0; i < task->input.size; i++) {
        text[i] = (char)toupper((unsigned char)task->input.data[i]);
    }
    answer->output.data = answer->owner = text;
    answer->output.size = task->input.size;
    answer->input_tokens = (double)task->input.size;
    answer->api_calls = s->total;
    return ASSAY_OK;
}

static void shout_release(void *self, struct assay_answer *answer)
{
    struct shout *s = self;
    s->answers--;
    free(answer->owner);
}

static void shout_close(void *self)
{
    free(self);
}

static const struct assay_plugin plugin = {
    .abi = ASSAY_PLUGIN_ABI,
    .struct_size = sizeof plugin,
    .name = "shout",
    .open = shout_open,
    .answer = shout_answer,
    .release = shout_release,
    .close = shout_close,
};

/* A host of another version gets nothing. The variable stands in for one. */
const struct assay_plugin *assay_plugin(uint32_t host_abi)
{
    if (getenv("ASSAY_PLUGIN_OLD")) host_abi++;
    return host_abi == ASSAY_PLUGIN_ABI ? &plugin : NULL;
}
