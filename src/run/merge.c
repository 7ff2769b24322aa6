#include "run/merge.h"

const struct record *merge_next(struct ring_reader *readers, const uint64_t *heads,
                                size_t count, const int64_t next[PHASE_COUNT],
                                struct ring_reader **from)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *r = ring_peek(&readers[i], heads[i]);
        while (r && r->kind == RECORD_TRIAL &&
               (r->phase >= PHASE_COUNT || r->trial < next[r->phase])) {
            ring_take(&readers[i], r);
            r = ring_peek(&readers[i], heads[i]);
        }
        bool waits = r && r->kind == RECORD_TRIAL && r->trial > next[r->phase];
        if (!r || waits) continue;
        *from = &readers[i];
        return r;
    }
    return NULL;
}
