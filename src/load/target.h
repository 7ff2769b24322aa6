/* target.h - who is loaded: an address, resolved once a command (names.h), and whether that is
 * allowed.
 *
 * Addresses of this machine (loopback and its own interfaces) need no consent. Any other
 * needs the host's name in `allowed`: whoever writes it takes responsibility for the load
 * that follows. */
#ifndef LOAD_TARGET_H
#define LOAD_TARGET_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "load/names.h"

struct target {
    const char *url;
    const char *host;      /* without brackets */
    const char *path;      /* with the query; "/" at least */
    const char *authority; /* what the Host header says */
    bool is_tls;
    struct sockaddr_storage address;
    socklen_t address_len;
    bool is_local;
    bool has_name; /* `host` is not an address */
};

struct target_terms {
    const char *const *allowed; /* hosts of others that may be loaded */
    size_t allowed_count;
    struct names *names; /* NULL: the name is resolved for this target alone */
};

/* "http://127.0.0.1:8400/v1/chat"; fails with ERROR_INVALID for what is not an http or
 * https URL, ERROR_UNAVAILABLE where the name is not known, ERROR_INVALID naming
 * --allow-host for a host that is neither local nor allowed. */
MUST_USE bool target_open(struct target *target, const char *url,
                          const struct target_terms *terms, struct arena *out,
                          struct error *err);

/* Another path of the same server, whose name is not resolved again. ERROR_INVALID where it is
 * another server. */
MUST_USE bool target_open_beside(struct target *target, const char *url,
                                 const struct target *first, struct arena *out,
                                 struct error *err);

/* "name:port:address", so that others who ask the same server (http/curl.h) ask it at this
 * address; NULL where the host is an address. */
const char *target_pin(const struct target *target, struct arena *out);

struct target_request {
    const char *method;         /* NULL: GET, or POST with a body */
    const char *const *headers; /* "Name: value" */
    size_t header_count;
    struct str body;
};

/* The bytes to send. Fails (ERROR_INVALID) for a method or header with control characters, and for
 * a header that says how long the request is. */
MUST_USE bool target_write(const struct target *target, const struct target_request *request,
                           struct arena *out, struct str *bytes, struct error *err);

#endif
