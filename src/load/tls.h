/* tls.h - encrypted connections under load; the boundary to OpenSSL, which is loaded when
 * the first https target is.
 *
 * The server's certificate and its name are checked, by the machine's list of authorities or
 * by `ca_file` alone. One context serves all threads; a session belongs to one connection.
 * Sessions are made once for a connection: nothing of ours is allocated for a request.
 *
 * OpenSSL writes to the socket itself: who calls must have SIGPIPE blocked or ignored. */
#ifndef LOAD_TLS_H
#define LOAD_TLS_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

struct tls_options {
    const char *host;      /* name or address that the certificate must have */
    const char *ca_file;   /* PEM: those that may have signed it; NULL: the machine's */
    bool trusts_everybody; /* check nothing */
};

struct tls;
struct tls_session;

/* Fails with ERROR_UNAVAILABLE without the library, ERROR_INVALID for a file that has no
 * certificate. */
MUST_USE bool tls_open(struct tls **tls, const struct tls_options *options, struct arena *out,
                       struct error *err);
void tls_close(struct tls *tls); /* NULL is closed already */

/* On a connected socket, which stays the caller's. NULL: out of memory. */
struct tls_session *tls_begin(struct tls *tls, int fd);
void tls_end(struct tls *tls, struct tls_session *session); /* NULL is ended already */

enum tls_progress {
    TLS_DONE,
    TLS_WANTS_READ, /* again when the socket can be read */
    TLS_WANTS_WRITE,
    TLS_CLOSED, /* by the server */
    TLS_FAILED, /* tls_why */
};

enum tls_progress tls_shake_hands(struct tls *tls, struct tls_session *session);

/* *moved: bytes, of which there is at least one where it is done. */
enum tls_progress tls_read(struct tls *tls, struct tls_session *session, char *bytes,
                           size_t room, size_t *moved);
enum tls_progress tls_write(struct tls *tls, struct tls_session *session, const char *bytes,
                            size_t count, size_t *moved);

/* Of the last failure of this session on this thread: "certificate: self-signed
 * certificate"; static or in `out`. */
const char *tls_why(struct tls *tls, struct tls_session *session, char *out, size_t size);

#endif
