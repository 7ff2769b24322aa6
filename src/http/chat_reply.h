/* chat_reply.h - reads what /chat/completions answers, whole or as a stream.
 *
 * Foreign bytes: anything may be missing, of another type, or cut off. A reply
 * to a request for a stream that is a JSON object after all is read as one. */
#ifndef HTTP_CHAT_REPLY_H
#define HTTP_CHAT_REPLY_H

#include "http/curl.h"
#include "model/task.h"

/* What `assay stub` calls itself, in every reply. */
#define CHAT_STUB_FINGERPRINT "assay-stub"

struct chat_reply {
    struct str text;
    struct str tool_calls; /* JSON list as the protocol has it, or empty */
    struct str finish_reason;
    double input_tokens; /* as reported, even below 0; NaN if the server reports none */
    double output_tokens;
    double cache_read_tokens;
    size_t deltas;    /* events with text or a part of a tool call */
    int64_t first_ns; /* when the first of them came; 0 = none */
    int64_t last_ns;
    double *gaps_s; /* between them, at most AGENT_GAPS_MAX */
    size_t gap_count;
    bool has_ended; /* a finish reason or the end mark came */
    bool is_stub;   /* it says that it is `assay stub` */
};

/* TRIAL_OK, TRIAL_INVALID_OUTPUT or TRIAL_AGENT_ERROR with the reason in `err`;
 * what was read until then is in `reply` anyway. */
enum trial_status chat_reply_read(const struct curl_reply *raw, struct arena *arena,
                                  struct chat_reply *reply, struct error *err);

#endif
