#include "run/intake.h"

#include "experiment/trial_histogram.h"
#include "tests/test.h"

#include <sys/mman.h>

static struct spec_instrument instruments[2];
static struct spec_entry entry;
static struct plan_cell cell;
static struct arena arena;
static struct intake in;

/* A cell with timing and resources: one outside instrument. */
static void begin_with(const char *experiment, bool is_watched)
{
    arena = arena_open();
    instruments[0] = (struct spec_instrument){.row = instrument_find(S("timing"))};
    instruments[1] = (struct spec_instrument){.row = instrument_find(S("resources"))};
    entry = (struct spec_entry){.experiment = experiment_find(str_of(experiment)),
                                .instruments = instruments,
                                .instrument_count = is_watched ? 2 : 1,
                                .case_count = 1};
    cell = (struct plan_cell){.entry = &entry, .label = "cell"};
    intake_init(&in, &cell, &arena);
}

static void begin(bool is_watched)
{
    begin_with("noop", is_watched);
}

static void end(void)
{
    intake_release(&in);
    arena_close(&arena);
}

/* A record as the ring hands it out: header, numbers, texts. */
static const struct record *make(struct record head, const double *values, const char *error)
{
    static _Alignas(8) char bytes[4096];
    head.error_bytes = error ? (uint16_t)strlen(error) : 0;
    memcpy(bytes, &head, sizeof head);
    if (values) memcpy(bytes + sizeof head, values, head.value_count * sizeof *values);
    if (error)
        memcpy(bytes + sizeof head + head.value_count * sizeof(double), error,
               head.error_bytes);
    return (const struct record *)(const void *)bytes;
}

static void take_ok(int64_t trial, double duration_s)
{
    double values[64];
    for (size_t i = 0; i < COUNT(values); i++) values[i] = (double)NAN;
    values[0] = duration_s;
    intake_take(&in,
                make((struct record){.kind = RECORD_TRIAL,
                                     .phase = PHASE_MEASURED,
                                     .trial = trial,
                                     .duration_s = duration_s,
                                     .start_ns = 1000 + trial,
                                     .value_count = (uint32_t)in.column_count},
                     values, NULL),
                &arena);
}

TEST(trials_become_columns_and_a_batch)
{
    begin(false);
    take_ok(0, 1e-6);
    take_ok(1, 2e-6);
    struct trial_batch b = intake_batch(&in, intake_ready(&in));
    assert_int_equal(b.count, 2);
    assert_int_equal(b.first, 0);
    assert_true(b.columns[0][0] == 1e-6 && b.columns[0][1] == 2e-6);
    assert_int_equal(in.record.counts.attempted, 2);
    assert_int_equal(in.primary_samples.count, 2);
    assert_false(in.has_long_one);
    intake_forget(&in, 1);
    assert_int_equal(in.count, 1);
    assert_int_equal(in.first, 1);
    assert_true(in.columns[0][0] == 2e-6);
    end();
}

TEST(a_failed_trial_is_no_latency_sample)
{
    begin(false);
    take_ok(0, 1e-6);
    intake_take(&in,
                make((struct record){.kind = RECORD_TRIAL,
                                     .phase = PHASE_MEASURED,
                                     .status = TRIAL_TIMED_OUT,
                                     .trial = 1,
                                     .duration_s = 0.5},
                     NULL, "too long"),
                &arena);
    assert_true(isnan(in.columns[0][1]));
    assert_int_equal(in.primary_samples.count, 1);
    assert_int_equal(in.record.counts.by_status[TRIAL_TIMED_OUT], 1);
    assert_int_equal(in.note_count, 1);
    assert_string_equal(in.notes[0].error, "too long");
    assert_string_equal(in.notes[0].detail, "{\"duration_s\":0.5}");
    assert_true(in.has_long_one);
    end();
}

TEST(a_watched_trial_waits_for_what_was_seen_from_outside)
{
    begin(true);
    take_ok(0, 1e-6);
    assert_int_equal(intake_ready(&in), 0);
    double values[64];
    for (size_t i = 0; i < COUNT(values); i++) values[i] = (double)NAN;
    values[in.column_count - 1] = 7;
    intake_take(&in,
                make((struct record){.kind = RECORD_WATCH,
                                     .phase = PHASE_MEASURED,
                                     .trial = 0,
                                     .value_count = (uint32_t)in.column_count},
                     values, NULL),
                &arena);
    assert_int_equal(intake_ready(&in), 1);
    assert_true(in.columns[in.metric_count - 1][0] == 7);
    assert_true(in.columns[0][0] == 1e-6);
    end();
}

TEST(notices_become_the_record)
{
    begin(false);
    intake_take(&in,
                make((struct record){.kind = RECORD_NOTICE,
                                     .status = NOTICE_SETUP_DONE,
                                     .duration_s = 3e-8},
                     NULL, NULL),
                &arena);
    intake_take(
        &in,
        make((struct record){.kind = RECORD_NOTICE, .status = NOTICE_WARMUP_DONE, .trial = -1},
             NULL, NULL),
        &arena);
    intake_take(&in,
                make((struct record){.kind = RECORD_NOTICE, .status = NOTICE_SETUP_FAILED},
                     NULL, "first"),
                &arena);
    intake_take(&in,
                make((struct record){.kind = RECORD_NOTICE, .status = NOTICE_SETUP_FAILED},
                     NULL, "second"),
                &arena);
    assert_true(in.record.overhead_s == 3e-8);
    assert_int_equal(in.record.steady_at, -1);
    assert_int_equal(in.record.notes.count, 1);
    assert_int_equal(in.record.notes.items[0].kind, NOTE_UNSTEADY);
    assert_string_equal(in.record.error_details, "first");
    end();
}

/* A trial of `pauses` that counted `total` values. */
static void take_counted(int64_t trial, enum trial_status status, int64_t total)
{
    static _Alignas(8) char bytes[8192];
    const struct experiment *e = experiment_find(S("pauses"));
    struct buf text;
    struct hdr h;
    struct error err = {0};
    buf_init(&text, 4096);
    assert_true(hdr_init(&h, 1, 1000000, 3, &arena, &err) && hdr_record(&h, 17, total));
    struct trial t = {.histograms = &text};
    trial_put_histogram(&t, &e->histograms[0], &h);
    struct record head = {.kind = RECORD_TRIAL,
                          .phase = PHASE_MEASURED,
                          .status = (uint8_t)status,
                          .trial = trial,
                          .histogram_bytes = (uint32_t)text.n};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, text.p, text.n);
    intake_take(&in, (const struct record *)(const void *)bytes, &arena);
    buf_release(&text);
}

TEST(a_histogram_waits_and_goes_with_its_trial)
{
    begin_with("pauses", false);
    take_counted(0, TRIAL_OK, 5);
    take_counted(1, TRIAL_FAILED, 6); /* gives no values */
    take_counted(2, TRIAL_OK, 7);
    struct trial_batch b = intake_batch(&in, 2);
    assert_int_equal(b.histogram_count, 1);
    assert_int_equal(b.histograms[0].trial, 0);
    assert_int_equal(b.histograms[0].count, 5);
    assert_int_equal(b.histograms[0].phase, PHASE_MEASURED);
    assert_string_equal(b.histograms[0].metric, "gap");
    assert_string_equal(b.histograms[0].unit, "ns");
    struct hdr h;
    struct error err = {0};
    assert_true(hdr_decode(&h, b.histograms[0].data, &arena, &err));
    assert_int_equal(h.total, 5);
    intake_forget(&in, 2);
    b = intake_batch(&in, 1);
    assert_int_equal(b.histogram_count, 1);
    assert_int_equal(b.histograms[0].trial, 2);
    assert_int_equal(b.histograms[0].count, 7);
    assert_int_equal(in.record.notes.count, 0);
    end();
}

TEST(what_is_not_a_histogram_is_not_kept_and_said)
{
    static const char *const texts[] = {"gap HISTFAAAnot", "gap", "other HISTFAAA", "\n\n "};
    for (size_t i = 0; i < COUNT(texts); i++) {
        static _Alignas(8) char bytes[4096];
        begin_with("pauses", false);
        struct record head = {.kind = RECORD_TRIAL,
                              .phase = PHASE_MEASURED,
                              .histogram_bytes = (uint32_t)strlen(texts[i])};
        memcpy(bytes, &head, sizeof head);
        memcpy(bytes + sizeof head, texts[i], strlen(texts[i]));
        intake_take(&in, (const struct record *)(const void *)bytes, &arena);
        assert_int_equal(in.histogram_count, 0);
        assert_int_equal(in.count, 1);
        assert_int_equal(in.record.notes.count, 1);
        assert_int_equal(in.record.notes.items[0].kind, NOTE_LOST);
        end();
    }
}

TEST_MAIN(T(a_histogram_waits_and_goes_with_its_trial),
          T(what_is_not_a_histogram_is_not_kept_and_said), T(trials_become_columns_and_a_batch),
          T(a_failed_trial_is_no_latency_sample),
          T(a_watched_trial_waits_for_what_was_seen_from_outside), T(notices_become_the_record))
