/* call.h - one task asked over HTTP, again where that may help: what the
 * adapters `http` and `openai` have in common.
 *
 * A reply of 408, 429 or 5xx and a broken connection are tried again, after the
 * back-off (doubled each time) or the server's Retry-After, whichever is longer.
 * All of it lies between the clock reads: waiting for a busy server is part of
 * what its user gets. */
#ifndef HTTP_CALL_H
#define HTTP_CALL_H

#include "base/secret.h"
#include "http/curl.h"
#include "model/task.h"

enum { CALL_RETRIES_MAX = 10, CALL_PHASES_MAX = 4 };

struct call_options { /* as the parameter tables of both adapters have them */
    const char *url;
    const char *method;
    const char *api_key_env;
    const char *api_key_header;  /* with {{key}} */
    const char *content_type;    /* unless `headers` has one */
    const struct value *headers; /* map; may be NULL */
    const struct value *retry;   /* map {max, backoff_ms}; may be NULL */
};

struct call {
    struct curl *curl;
    const char *const *headers; /* as sent */
    size_t header_count;
    struct secrets secrets; /* those of the environment, and the key */
    int64_t retries_max;
    int64_t backoff_ns;
    int64_t time_ns;   /* limit of one task */
    size_t output_max; /* of an answer's text */
    size_t wire_max;   /* of a reply's bytes */
    int64_t begin_ns;
    struct curl_reply attempts[CALL_RETRIES_MAX + 1];
    size_t attempt_count;
    double gave_up_s; /* the wait that did not fit the time limit; 0 = none */
    struct agent_phase phases[CALL_PHASES_MAX];
};

/* Whether this machine can: libcurl, the key. Also that `retry` is right. */
MUST_USE bool call_available(const struct call_options *options, struct error *err);

/* Fails, after the usual retries, where nobody listens at the address: better said once
 * than of every case. An address with {{fields}} is not known yet. */
MUST_USE bool call_open(struct call *call, const struct call_options *options,
                        const struct agent_env *env, struct error *err);
void call_close(struct call *call); /* a zeroed one is closed already */

/* `url` NULL = the one of the options; `body` must stay until call_send. */
void call_prepare(struct call *call, const char *url, struct str body);

/* The timed call. TRIAL_OK = a reply below 300 is there. */
enum trial_status call_send(struct call *call);

/* A status below 300 came: the body is, or begins, an answer. */
bool call_is_answer(const struct curl_reply *reply);

/* The attempt that counts. */
const struct curl_reply *call_reply(const struct call *call);

/* Attempts, retries, connections and phases; the reason where the status is not
 * TRIAL_OK. `first_ns`: when the answer began, 0 = with the reply's first byte. */
void call_conclude(struct call *call, enum trial_status status, int64_t first_ns,
                   struct agent_answer *answer);

/* Takes the key out of everything that an answer says. */
void call_redact(const struct call *call, struct agent_answer *answer, struct arena *arena);

#endif
