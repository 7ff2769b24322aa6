/* Head and tail are counts of bytes since the beginning, and only grow: what is free is
 * capacity - (head - tail), and no full ring looks empty. The producer alone moves the
 * head, after a record is whole; the consumer alone moves the tail. The consumer
 * copies a record before it checks its lengths against the published head: the producer can
 * still write to what it has published, and lengths that are read twice may be two. */
#include "run/ring.h"

#include "base/futex.h"

#include <sys/mman.h>

/* A record never straddles the end: the rest of the ring is skipped by a
 * record with this kind, or, when fewer bytes than a header are left, by
 * convention. */
enum { RECORD_SKIP = 0 };

static const size_t text_max = 1024; /* of an error */

_Static_assert(sizeof(struct record) % 8 == 0, "numbers follow it");

size_t ring_size(size_t capacity)
{
    return sizeof(struct ring) + capacity;
}

void ring_init(struct ring *r, size_t capacity)
{
    CHECK(capacity >= 4096 && (capacity & (capacity - 1)) == 0);
    memset(r, 0, sizeof *r);
    r->capacity = capacity;
}

void ring_populate(struct ring *r)
{
    madvise(r, ring_size(r->capacity), MADV_POPULATE_WRITE);
}

/* Waits until `need` bytes are free after `head`; false if nobody will ever
 * make room. */
static bool wait_for_room(struct ring *r, uint64_t head, uint64_t need)
{
    while (head + need - r->tail_seen > r->capacity) {
        r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
        if (head + need - r->tail_seen <= r->capacity) return true;
        if (r->parent != 0 && r->parent != getppid()) return false;
        uint32_t word = atomic_load(&r->full_word);
        atomic_store(&r->waiting, 1);
        r->tail_seen = atomic_load(&r->tail);
        if (head + need - r->tail_seen > r->capacity) {
            futex_wait(&r->full_word, word, 100000000);
        }
    }
    return true;
}

bool ring_has_room(const struct ring *r)
{
    uint64_t used =
        atomic_load(&r->head) - atomic_load_explicit(&r->tail, memory_order_acquire);
    return used + 4 * (sizeof(struct record) + text_max) <= r->capacity;
}

size_t ring_histograms_max(const struct ring *r)
{
    return r->capacity / 8;
}

static struct str cut(struct str s, size_t max)
{
    return s.n > max ? (struct str){s.p, max} : s;
}

static char *append(char *at, struct str s)
{
    if (s.n > 0) memcpy(at, s.p, s.n);
    return at + s.n;
}

static uint64_t padded(uint64_t n)
{
    return (n + 7) & ~(uint64_t)7;
}

/* Where `need` bytes in one piece can be written, after a wait if need be; NULL if nobody
 * will ever make room. The record is as long as that. */
static struct record *reserve(struct ring *r, uint64_t need)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    uint64_t offset = head & (r->capacity - 1);
    uint64_t rest = r->capacity - offset;
    uint64_t skipped = rest < need ? rest : 0;
    if (!wait_for_room(r, head, skipped + need)) return NULL;
    if (skipped >= sizeof(struct record)) {
        struct record skip = {.bytes = (uint32_t)skipped, .kind = RECORD_SKIP};
        memcpy(r->bytes + offset, &skip, sizeof skip);
    }
    struct record *record = (struct record *)(void *)(r->bytes + (skipped ? 0 : offset));
    record->bytes = (uint32_t)need;
    return record;
}

struct record *ring_open(struct ring *r, size_t value_count)
{
    return reserve(r, sizeof(struct record) + value_count * sizeof(double));
}

void ring_publish(struct ring *r, struct record *record)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    uint64_t offset = (uint64_t)((const char *)record - r->bytes);
    uint64_t skipped = (offset - head) & (r->capacity - 1);
    atomic_store_explicit(&r->head, head + skipped + record->bytes, memory_order_release);
}

void ring_write(struct ring *r, const struct record *head, const double *values,
                const struct record_texts *texts)
{
    struct record_texts t = texts ? *texts : (struct record_texts){0};
    t.error = cut(t.error, text_max);
    t.case_hash = cut(t.case_hash, 256);
    t.output = cut(t.output, r->capacity / 4);
    CHECK(t.histograms.n <= ring_histograms_max(r));
    /* More than half a ring may never find room in one piece. */
    uint64_t others = sizeof *head + head->value_count * sizeof(double) + t.error.n +
                      t.case_hash.n + t.histograms.n;
    if (others + t.detail.n > r->capacity / 4) t.detail = (struct str){0};
    struct record whole = *head;
    whole.error_bytes = (uint16_t)t.error.n;
    whole.case_bytes = (uint16_t)t.case_hash.n;
    whole.detail_bytes = (uint32_t)t.detail.n;
    whole.histogram_bytes = (uint32_t)t.histograms.n;
    whole.output_bytes = (uint32_t)t.output.n;
    struct str numbers = {(const char *)values, head->value_count * sizeof(double)};
    uint64_t need = padded(others + t.detail.n + t.output.n);
    struct record *record = reserve(r, need);
    if (!record) return;
    whole.bytes = record->bytes;
    *record = whole;
    char *p = append(append((char *)(record + 1), numbers), t.error);
    p = append(append(append(p, t.case_hash), t.detail), t.histograms);
    append(p, t.output);
    ring_publish(r, record);
}

uint64_t ring_head(const struct ring *r)
{
    return atomic_load_explicit(&r->head, memory_order_acquire);
}

/* True if the record at `at` lies inside what the producer has published. */
static bool is_sound(const struct record *r, uint64_t at, uint64_t rest, uint64_t upto)
{
    uint64_t content = sizeof *r + (uint64_t)r->value_count * sizeof(double) + r->error_bytes +
                       r->case_bytes + r->detail_bytes + r->histogram_bytes + r->output_bytes;
    bool is_skip = r->kind == RECORD_SKIP;
    return r->bytes % 8 == 0 && r->bytes >= sizeof *r && r->bytes <= rest &&
           at + r->bytes <= upto && (is_skip ? r->bytes == rest : content <= r->bytes);
}

/* The rest of the record, of which the head is sound. */
static const struct record *copy_record(struct ring_reader *reader, const struct record *head,
                                        const char *from)
{
    if (head->bytes > reader->copy_room) {
        reader->copy_room = 4096;
        while (reader->copy_room < head->bytes) reader->copy_room *= 2;
        reader->copy = arena_alloc(reader->arena, 1, reader->copy_room, _Alignof(max_align_t));
    }
    memcpy(reader->copy, from, head->bytes);
    *reader->copy = *head; /* as it was checked */
    reader->copied_at = reader->next;
    reader->is_copied = true;
    return reader->copy;
}

const struct record *ring_peek(struct ring_reader *reader, uint64_t upto)
{
    struct ring *r = reader->ring;
    if (reader->broken) reader->next = upto; /* so that the producer does not wait */
    /* What was handed out before is done with: give its room back. */
    atomic_store_explicit(&r->tail, reader->next, memory_order_release);
    if (atomic_exchange(&r->waiting, 0)) {
        atomic_fetch_add(&r->full_word, 1);
        futex_wake(&r->full_word);
    }
    bool is_known = reader->is_copied && reader->copied_at == reader->next;
    if (is_known && !reader->broken && reader->next < upto) return reader->copy;
    while (!reader->broken && reader->next < upto) {
        uint64_t offset = reader->next & (reader->capacity - 1);
        uint64_t rest = reader->capacity - offset;
        if (rest < sizeof(struct record)) {
            reader->next += rest;
            continue;
        }
        struct record head;
        memcpy(&head, r->bytes + offset, sizeof head);
        atomic_signal_fence(memory_order_acq_rel); /* or the compiler may read it again */
        if (upto - reader->next > reader->capacity ||
            !is_sound(&head, reader->next, rest, upto)) {
            reader->broken = true;
            return NULL;
        }
        if (head.kind != RECORD_SKIP) return copy_record(reader, &head, r->bytes + offset);
        reader->next += head.bytes;
    }
    return NULL;
}

void ring_take(struct ring_reader *reader, const struct record *record)
{
    reader->next += record->bytes;
}

const struct record *ring_next(struct ring_reader *reader, uint64_t upto)
{
    const struct record *record = ring_peek(reader, upto);
    if (record) ring_take(reader, record);
    return record;
}

const double *record_values(const struct record *r)
{
    return (const double *)(const void *)(r + 1);
}

double *record_numbers(struct record *r)
{
    return (double *)(void *)(r + 1);
}

static struct str take(const char **p, size_t n)
{
    struct str s = {*p, n};
    *p += n;
    return s;
}

struct record_texts record_texts(const struct record *r)
{
    const char *p = (const char *)(record_values(r) + r->value_count);
    struct record_texts t;
    t.error = take(&p, r->error_bytes);
    t.case_hash = take(&p, r->case_bytes);
    t.detail = take(&p, r->detail_bytes);
    t.histograms = take(&p, r->histogram_bytes);
    t.output = take(&p, r->output_bytes);
    return t;
}
