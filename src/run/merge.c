#include "run/merge.h"

static bool is_trial(const struct record *r)
{
    return r && r->kind == RECORD_TRIAL && r->phase < PHASE_COUNT &&
           r->status < TRIAL_STATUS_COUNT;
}

const struct record *merge_next(struct ring_reader *readers, const uint64_t *heads,
                                size_t count, const int64_t next[PHASE_COUNT],
                                struct ring_reader **from)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *r = ring_peek(&readers[i], heads[i]);
        while (is_trial(r) && r->trial < next[r->phase]) {
            ring_take(&readers[i], r);
            r = ring_peek(&readers[i], heads[i]);
        }
        if (r && r->kind == RECORD_TRIAL && !is_trial(r)) readers[i].broken = true;
        bool waits = readers[i].broken || (is_trial(r) && r->trial > next[r->phase]);
        if (!r || waits) continue;
        *from = &readers[i];
        return r;
    }
    return NULL;
}
