#include "experiment/trial_histogram.h"

void trial_put_histogram(struct trial *t, const struct metric *what, const struct hdr *h)
{
    struct buf *b = t->histograms;
    size_t before = b->n;
    if (b->overflow) return;
    buf_text(b, what->name);
    buf_add_char(b, ' ');
    hdr_encode(h, b);
    buf_add_char(b, '\n');
    if (b->overflow) b->n = before; /* the flag stays: the arm reports it */
}

static const struct metric *find(const struct experiment *e, struct str name)
{
    for (size_t i = 0; i < e->histogram_count; i++) {
        if (str_is(name, e->histograms[i].name)) return &e->histograms[i];
    }
    return NULL;
}

const struct metric *trial_next_histogram(struct str *text, const struct experiment *e,
                                          struct arena *out, struct histogram_record *h,
                                          bool *damaged)
{
    while (text->n > 0) {
        struct str data = str_cut(text, '\n');
        const struct metric *m = find(e, str_cut(&data, ' '));
        struct arena scratch = arena_open();
        struct hdr decoded;
        bool is_sound = m && hdr_decode(&decoded, data, &scratch, NULL);
        int64_t total = is_sound ? decoded.total : 0;
        arena_close(&scratch);
        *damaged |= !is_sound;
        if (!is_sound) continue;
        *h = (struct histogram_record){.metric = m->name,
                                       .unit = m->unit,
                                       .definition = m->definition,
                                       .count = total,
                                       .encoding = HISTOGRAM_ENCODING,
                                       .data = str_copy(out, data)};
        return m;
    }
    return NULL;
}
