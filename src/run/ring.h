/* ring.h - records from one process to another through shared memory.
 *
 * One producer, one consumer, bytes in a power-of-two ring. A record is whole
 * or not there: the producer writes it and then moves the head; a producer
 * that dies in the middle leaves nothing behind. No system call on the way,
 * except when the ring is full: then the producer sleeps until the consumer
 * has made room. A producer whose parent is gone does not wait for anybody:
 * what it writes to a full ring is dropped.
 *
 * The consumer does not trust the producer, which may be a crashing
 * experiment: each record is copied before its lengths are checked, and a
 * broken ring reads as empty with `broken` set. */
#ifndef RUN_RING_H
#define RUN_RING_H

#include "base/arena.h"
#include "base/invariant.h"
#include "base/str.h"

#include <stdatomic.h>

enum record_kind {
    RECORD_TRIAL = 1, /* one trial's numbers and texts */
    RECORD_WATCH,     /* numbers that the runner saw from outside, for a trial of an arm */
    RECORD_NOTICE,    /* something about an arm: enum notice_kind in `status` */
};

enum notice_kind {
    NOTICE_SETUP_DONE,      /* duration_s: the reading of an empty trial on this path */
    NOTICE_SETUP_FAILED,    /* error says why; trial = its error_code, or 0 */
    NOTICE_MEMORY_FLOOR,    /* trial: the least peak that can be told, bytes */
    NOTICE_WARMUP_DONE,     /* trial: where steady was found (-1 never, -2 not asked) */
    NOTICE_TEARDOWN_FAILED, /* error says why */
    NOTICE_INSTRUMENT_LOST, /* error says why: an optional one that did not open */
    NOTICE_STOPPED,         /* stop_early: error says why */
    NOTICE_SIMULATED,       /* the answers are a stand-in's */
    NOTICE_REMARK,          /* error: a sentence that the result should state */
};

/* A trial this long is announced, committed and shown by itself; shorter ones together. */
#define RECORD_ALONE_NS 5000000

/* Followed by value_count doubles, then the bytes of error, case, detail,
 * histograms and output. */
struct record {
    uint32_t bytes; /* of the whole record, a multiple of 8 */
    uint8_t kind;
    uint8_t status; /* enum trial_status or notice_kind */
    uint8_t phase;
    uint8_t arm;
    int64_t trial;
    int64_t start_ns;
    double duration_s;
    uint32_t value_count;
    uint32_t case_index;
    uint16_t error_bytes;
    uint16_t case_bytes;
    uint32_t detail_bytes;
    uint32_t histogram_bytes;
    uint32_t output_bytes;
};

struct ring {
    _Alignas(64) _Atomic uint64_t head; /* producer's */
    uint64_t tail_seen;
    int32_t parent;                     /* of the producer; 0 = it waits whatever happens */
    _Alignas(64) _Atomic uint64_t tail; /* consumer's */
    _Atomic uint32_t full_word;         /* bumped by the consumer when the producer waits */
    _Atomic uint32_t waiting;
    _Alignas(64) uint64_t capacity; /* bytes, a power of two */
    _Alignas(64) char bytes[];
};

/* Bytes of memory for a ring of this capacity. */
size_t ring_size(size_t capacity);
void ring_init(struct ring *r, size_t capacity);

/* Makes its pages present in this process, so that no record meets a page fault.
 * Where the kernel cannot (before 5.14) they come as they are written. */
void ring_populate(struct ring *r);

struct record_texts {
    struct str error;
    struct str case_hash; /* of the case that the trial was about, or empty */
    struct str detail;
    struct str histograms; /* at most ring_histograms_max */
    struct str output;
};

/* Bytes of histograms that one record may have. */
size_t ring_histograms_max(const struct ring *r);

/* True if a record of a few hundred bytes can be written without a wait. */
bool ring_has_room(const struct ring *r);

/* A record without texts, filled in where it lies: what ring_open gives is to be written
 * whole, numbers included, but for its `bytes`, which are set; ring_publish then shows it to
 * the consumer. Blocks while the ring is full; NULL: nobody will ever read it. */
struct record *ring_open(struct ring *r, size_t value_count);
void ring_publish(struct ring *r, struct record *record);

/* Any record. Blocks while the ring is full. `texts` may be NULL. An output above a
 * quarter of the ring is cut there; a detail that makes the rest longer than that is
 * dropped. Histograms are never cut. */
void ring_write(struct ring *r, const struct record *head, const double *values,
                const struct record_texts *texts);

/* `upto` is a head taken earlier with ring_head: what came later waits. */
struct ring_reader {
    struct ring *ring;
    uint64_t capacity; /* as the consumer made it, not as the ring says */
    uint64_t next;     /* where the record after the current one begins */
    bool broken;
    struct arena *arena; /* for the copy */
    struct record *copy; /* of the record at copied_at; NULL: none yet */
    size_t copy_room;
    uint64_t copied_at;
    bool is_copied;
};
uint64_t ring_head(const struct ring *r);

/* A copy of the next record, which nobody else can change; ring_take then steps over it. */
const struct record *ring_peek(struct ring_reader *reader, uint64_t upto);
void ring_take(struct ring_reader *reader, const struct record *record);

/* Both: the next record, or NULL; valid until the ring is looked at again. */
const struct record *ring_next(struct ring_reader *reader, uint64_t upto);

const double *record_values(const struct record *r);
double *record_numbers(struct record *r); /* the same, to write */
struct record_texts record_texts(const struct record *r);

#endif
