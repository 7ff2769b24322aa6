/* Replies as they come: whole, cut, streamed, wrong. */
#include "load/reply.h"

#include "tests/test.h"

#include <time.h>

/* All of it in pieces of `step` bytes. */
static enum reply_progress read_in_steps(struct reply *r, const char *text, size_t step)
{
    struct str rest = str_of(text);
    enum reply_progress p = REPLY_MORE;
    while (p == REPLY_MORE && rest.n > 0) {
        struct str piece = {rest.p, rest.n < step ? rest.n : step};
        rest = (struct str){rest.p + piece.n, rest.n - piece.n};
        p = reply_take(r, piece);
    }
    return p;
}

#define HEAD_OF_STREAM                                       \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" \
    "Connection: close\r\n\r\n"

TEST(what_is_asked_of_a_reply_wherever_it_is_cut)
{
    static const struct {
        const char *text;
        enum reply_progress progress;
        int status;
        bool can_stay;
        double retry_after_s; /* -1: none */
    } rows[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", REPLY_DONE, 200, true, -1},
        {"HTTP/1.1 204 No Content\r\n\r\n", REPLY_DONE, 204, true, -1},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
         REPLY_DONE, 200, true, -1},
        {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", REPLY_DONE, 200,
         false, -1},
        {"HTTP/1.1 429 No\r\nRetry-After: 2.5\r\nContent-Length: 0\r\n\r\n", REPLY_DONE, 429,
         true, 2.5},
        {"HTTP/1.1 503 No\r\nretry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n"
         "Content-Length: 0\r\n\r\n",
         REPLY_DONE, 503, true, 0}, /* at once */
        {"HTTP/1.1 429 No\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", REPLY_DONE, 429,
         true, -1},
        {"HTTP/1.1 429 No\r\nRetry-After: -1\r\nContent-Length: 0\r\n\r\n", REPLY_DONE, 429,
         true, -1},
        {"HTTP/1.1 429 No\r\nRetry-After:\r\nContent-Length: 0\r\n\r\n", REPLY_DONE, 429, true,
         -1},
        /* An interim reply is not the reply. */
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n",
         REPLY_DONE, 201, true, -1},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", REPLY_MORE, 200, false, -1},
        {"HTTP/1.1 200 OK\r\n\r\nuntil the end", REPLY_MORE, 200, false, -1},
        {"SSH-2.0-x\r\n", REPLY_BAD, 0, false, -1},
        {"HTTP/1.1 00 OK\r\nContent-Length: 0\r\n\r\n", REPLY_BAD, 0, false, -1},
        {"HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n", REPLY_BAD, 999, false, -1},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok", REPLY_BAD, 0,
         false, -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t step = 1; step < 100; step++) {
            struct reply r;
            reply_begin(&r, false, NULL);
            enum reply_progress p = read_in_steps(&r, rows[i].text, step);
            bool said = !isnan(r.retry_after_s);
            if (p != rows[i].progress || r.status != rows[i].status ||
                r.can_stay != rows[i].can_stay || said != (rows[i].retry_after_s >= 0) ||
                (said && r.retry_after_s != rows[i].retry_after_s)) {
                fail_msg("row %zu in steps of %zu: progress %d, status %d, stays %d, after %g",
                         i, step, p, r.status, r.can_stay, r.retry_after_s);
            }
            assert_int_equal(r.tokens, 0);
        }
    }
}

/* RFC 9110, 5.6.7: three forms, all in GMT. */
TEST(when_to_come_back_may_be_a_date)
{
    char dates[3][48];
    time_t then = time(NULL) + 600;
    struct tm parts;
    gmtime_r(&then, &parts);
    strftime(dates[0], sizeof dates[0], "%a, %d %b %Y %H:%M:%S GMT", &parts);
    char day[24], hour[12];
    strftime(day, sizeof day, "%A, %d-%b-", &parts);
    strftime(hour, sizeof hour, "%H:%M:%S", &parts);
    snprintf(dates[1], sizeof dates[1], "%s%02d %s GMT", day, parts.tm_year % 100, hour);
    strftime(dates[2], sizeof dates[2], "%a %b %e %H:%M:%S %Y", &parts);
    for (size_t i = 0; i < COUNT(dates); i++) {
        char text[256];
        struct reply r;
        snprintf(text, sizeof text,
                 "HTTP/1.1 429 No\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", dates[i]);
        reply_begin(&r, false, NULL);
        assert_int_equal(read_in_steps(&r, text, 7), REPLY_DONE);
        assert_true(r.retry_after_s > 500 && r.retry_after_s <= 600);
    }
}

TEST(the_end_of_the_connection_ends_a_reply_without_a_length_only)
{
    struct reply r;
    reply_begin(&r, false, NULL);
    assert_int_equal(reply_take(&r, S("HTTP/1.1 200 OK\r\n\r\nok")), REPLY_MORE);
    assert_int_equal(reply_end(&r), REPLY_DONE);
    reply_begin(&r, false, NULL);
    assert_int_equal(reply_take(&r, S("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok")),
                     REPLY_MORE);
    assert_int_equal(reply_end(&r), REPLY_MORE);
}

TEST(a_reply_to_head_has_no_body)
{
    struct reply r;
    struct str text = S("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    reply_begin(&r, false, NULL);
    assert_int_equal(reply_take(&r, text), REPLY_MORE);
    reply_begin(&r, true, NULL);
    assert_int_equal(reply_take(&r, text), REPLY_DONE);
    assert_true(r.can_stay);
}

TEST(a_reply_that_another_follows_unasked_is_bad)
{
    struct reply r;
    reply_begin(&r, false, NULL);
    struct str text = S("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n");
    assert_int_equal(reply_take(&r, text), REPLY_BAD);
    assert_string_equal(r.why, "more than one reply to a request");
    assert_false(r.can_stay);
}

TEST(tokens_are_events_with_text)
{
    static const struct {
        const char *body;
        int64_t tokens;
    } rows[] = {
        {"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n", 0},
        {"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n", 1},
        {"data: {\"choices\":[{\"delta\":{\"content\" : \"Hi\"}}]}\r\n\r\n", 1},
        {"data: {\"a\":1}\n\ndata: {\"content\":\"x\"}\n\ndata: {\"content\":\"y\"}\n\n"
         "data: [DONE]\n\n",
         2},
        {"data: {\"content\":\"not ended\"}\n", 0},
        {"data: {\"content\":null,\"tool_calls\":[{\"function\":{\"arguments\":\"{\"}}]}\n\n",
         1},
        {"data: {\"delta\":{},\"finish_reason\":\"stop\"}\n\n", 0},
        {"event: x\rdata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\r\r", 1},
        {"data: {\"delta\":{\"type\":\"text\",\"text\":\"\"}}\n\n", 0},
        /* One that quotes a key: one token, not two; and a value that is named like one. */
        {"data: {\"x\":\"\\\"content\\\":\\\"y\\\"\"}\n\n", 0},
        {"data: {\"x\":\"a\\\"\",\"content\":\"y\"}\n\n", 1},
        {"data: {\"role\":\"content\",\"n\":\"y\"}\n\n", 0},
        {"data: {\"text\":\"content\"}\n\n: ping\n\n", 1},
        /* Two lines of data are one event. */
        {"data: {\"content\":\"a\",\ndata: \"text\":\"b\"}\n\n", 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t step = 1; step < 60; step++) {
            char text[1024];
            struct reply r;
            snprintf(text, sizeof text, "%s%s", HEAD_OF_STREAM, rows[i].body);
            reply_begin(&r, false, NULL);
            assert_int_equal(read_in_steps(&r, text, step), REPLY_MORE);
            if (r.tokens != rows[i].tokens)
                fail_msg("row %zu in steps of %zu: %d tokens", i, step, (int)r.tokens);
            assert_int_equal(r.first_token_ns > 0, r.tokens > 0);
        }
    }
}

/* Not of an error, and not of an answer that is not a stream. */
TEST(only_good_streams_have_tokens)
{
    static const char event[] = "data: {\"content\":\"x\"}\n\n";
    static const char *const heads[] = {
        "HTTP/1.1 500 No\r\nContent-Type: text/event-stream\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
    };
    for (size_t i = 0; i < COUNT(heads); i++) {
        char text[512];
        struct reply r;
        snprintf(text, sizeof text, "%s%s", heads[i], event);
        reply_begin(&r, false, NULL);
        assert_int_equal(reply_take(&r, str_of(text)), REPLY_MORE);
        assert_int_equal(r.tokens, 0);
    }
}

TEST(gaps_are_one_less_than_tokens)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr gaps;
    struct reply r;
    assert_true(hdr_init(&gaps, 1000, 3600000000000, 3, &a, &err));
    reply_begin(&r, false, &gaps);
    assert_int_equal(reply_take(&r, str_of(HEAD_OF_STREAM)), REPLY_MORE);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(reply_take(&r, S("data: {\"content\":\"x\"}\n\n")), REPLY_MORE);
    }
    assert_int_equal(r.tokens, 5);
    assert_int_equal(gaps.total, 4);
    assert_int_equal(reply_end(&r), REPLY_DONE);
    arena_close(&a);
}

TEST_MAIN(T(what_is_asked_of_a_reply_wherever_it_is_cut), T(when_to_come_back_may_be_a_date),
          T(the_end_of_the_connection_ends_a_reply_without_a_length_only),
          T(a_reply_to_head_has_no_body), T(a_reply_that_another_follows_unasked_is_bad),
          T(tokens_are_events_with_text), T(only_good_streams_have_tokens),
          T(gaps_are_one_less_than_tokens))
