/* curl.h - requests to one address over a connection that is kept: the one
 * boundary to libcurl, which is loaded when first used.
 *
 * curl_set and curl_send are apart because only the second is timed. The reply's
 * body goes into memory mapped at the start, and each piece of it is stamped
 * when it is handed over by libcurl, right after it was read from the socket.
 *
 * HTTP/1.1 only: reuse of HTTP/2 connections is broken in Debian's 7.88.1.
 * Redirects are not followed; addresses on this machine bypass proxies. */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#include "base/error.h"
#include "base/str.h"

/* What `assay stub` sends with every reply. */
#define CURL_STUB_HEADER "X-Assay-Stub"

enum { CURL_CHUNKS_MAX = 40000, CURL_KEPT_BYTES = 1 << 18, CURL_KEPT_CHUNKS = 2000 };

struct curl;

struct curl_options {
    const char *url;
    const char *method;
    const char *const *headers; /* "Name: value" */
    size_t header_count;
    size_t body_max; /* of a reply */
    const char *pin; /* "name:port:address": not resolved, no proxy; NULL = none */
    bool is_judge;   /* refused where what is being measured would answer (base/peer.h) */
    size_t retries;  /* how many times at most curl_send follows a curl_send */
};

enum curl_end {
    CURL_END_DONE,
    CURL_END_TIMED_OUT,
    CURL_END_TOO_LARGE, /* more than body_max: cut off there */
    CURL_END_BROKEN,    /* the network: trying again may work */
    CURL_END_REFUSED,   /* what trying again will not mend: a certificate, a wrong URL */
};

struct curl_chunk {
    size_t end; /* bytes of the body that had come by then */
    int64_t at_ns;
};

struct curl_reply {
    enum curl_end end;
    int status; /* 0 = none came */
    struct str body;
    const struct curl_chunk *chunks;
    size_t chunk_count;
    int64_t start_ns;
    int64_t ready_ns; /* the connection was there, nothing was sent yet */
    int64_t end_ns;
    double retry_after_s; /* 0 = not said */
    bool is_new_connection;
    bool is_stub;       /* it came from `assay stub` */
    char location[256]; /* where a redirect points; empty = nowhere */
    char reason[256];   /* unless CURL_END_DONE */
};

/* Says why libcurl cannot be used here. */
MUST_USE bool curl_available(struct error *err);

MUST_USE bool curl_open(struct curl **curl, const struct curl_options *options,
                        struct arena *arena, struct error *err);
void curl_close(struct curl *curl); /* NULL is closed already */

/* The request to come; `url` NULL = the one of the options; `body` must stay
 * until curl_send. Forgets the replies that were kept. */
void curl_set(struct curl *curl, const char *url, struct str body);

/* From now on curl_send only opens a connection and closes it again, or not any more. */
void curl_only_connects(struct curl *curl, bool does);

/* Sends it and waits for the end of the reply. The timed call. Of earlier
 * replies since curl_set the first CURL_KEPT_BYTES and CURL_KEPT_CHUNKS of each
 * stay readable: curl_cut makes a reply so. */
void curl_cut(struct curl_reply *reply);
void curl_send(struct curl *curl, int64_t deadline_ns, struct curl_reply *reply);

#endif
