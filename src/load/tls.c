#include "load/tls.h"

#include "base/library.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

/* What OpenSSL 3 promises to keep (openssl/ssl.h, x509_vfy.h); declared here, so that its
 * headers are not needed to build. */
enum {
    SSL_VERIFY_NONE = 0,
    SSL_VERIFY_PEER = 1,
    SSL_CTRL_MODE = 33,
    SSL_MODE_PARTIAL_WRITE = 1,
    SSL_MODE_MOVING_BUFFER = 2,
    SSL_CTRL_HOST_NAME = 55,
    SSL_CTRL_MIN_VERSION = 123,
    SSL_TLS_1_2 = 0x0303,
    SSL_ERROR_WANT_READ = 2,
    SSL_ERROR_WANT_WRITE = 3,
    SSL_ERROR_ZERO_RETURN = 6,
    X509_OK = 0,
};

struct tls {
    void *context;
    const char *host;
    bool is_address;
    bool trusts_everybody;

    const void *(*TLS_client_method)(void);
    void *(*SSL_CTX_new)(const void *method);
    void (*SSL_CTX_free)(void *context);
    long (*SSL_CTX_ctrl)(void *context, int what, long number, void *more);
    void (*SSL_CTX_set_verify)(void *context, int mode, void *callback);
    int (*SSL_CTX_set_default_verify_paths)(void *context);
    int (*SSL_CTX_load_verify_locations)(void *context, const char *file, const char *folder);
    struct tls_session *(*SSL_new)(void *context);
    void (*SSL_free)(struct tls_session *s);
    int (*SSL_set_fd)(struct tls_session *s, int fd);
    void (*SSL_set_connect_state)(struct tls_session *s);
    long (*SSL_ctrl)(struct tls_session *s, int what, long number, void *more);
    int (*SSL_set1_host)(struct tls_session *s, const char *host);
    void *(*SSL_get0_param)(struct tls_session *s);
    int (*SSL_do_handshake)(struct tls_session *s);
    int (*SSL_read_ex)(struct tls_session *s, void *bytes, size_t n, size_t *got);
    int (*SSL_write_ex)(struct tls_session *s, const void *bytes, size_t n, size_t *put);
    int (*SSL_get_error)(const struct tls_session *s, int code);
    long (*SSL_get_verify_result)(const struct tls_session *s);

    int (*X509_VERIFY_PARAM_set1_ip_asc)(void *param, const char *address);
    const char *(*X509_verify_cert_error_string)(long code);
    unsigned long (*ERR_peek_last_error)(void);
    const char *(*ERR_reason_error_string)(unsigned long code);
    void (*ERR_clear_error)(void);
};

/* The libraries stay loaded: OpenSSL does not want to be unloaded, and says so to the
 * loader. */
static bool load(struct tls *t, struct error *err)
{
#define SYMBOL(name)    \
    {                   \
#name, &t->name \
    }
    const struct library_symbol ssl[] = {SYMBOL(TLS_client_method),
                                         SYMBOL(SSL_CTX_new),
                                         SYMBOL(SSL_CTX_free),
                                         SYMBOL(SSL_CTX_ctrl),
                                         SYMBOL(SSL_CTX_set_verify),
                                         SYMBOL(SSL_CTX_set_default_verify_paths),
                                         SYMBOL(SSL_CTX_load_verify_locations),
                                         SYMBOL(SSL_new),
                                         SYMBOL(SSL_free),
                                         SYMBOL(SSL_set_fd),
                                         SYMBOL(SSL_set_connect_state),
                                         SYMBOL(SSL_ctrl),
                                         SYMBOL(SSL_set1_host),
                                         SYMBOL(SSL_get0_param),
                                         SYMBOL(SSL_do_handshake),
                                         SYMBOL(SSL_read_ex),
                                         SYMBOL(SSL_write_ex),
                                         SYMBOL(SSL_get_error),
                                         SYMBOL(SSL_get_verify_result)};
    const struct library_symbol crypto[] = {
        SYMBOL(X509_VERIFY_PARAM_set1_ip_asc), SYMBOL(X509_verify_cert_error_string),
        SYMBOL(ERR_peek_last_error), SYMBOL(ERR_reason_error_string), SYMBOL(ERR_clear_error)};
#undef SYMBOL
    static const char missing[] = "https needs libssl.so.3; install libssl3";
    void *handle = NULL;
    return library_load("libssl.so.3", missing, ssl, COUNT(ssl), &handle, err) &&
           library_load("libcrypto.so.3", missing, crypto, COUNT(crypto), &handle, err);
}

static bool is_address(const char *host)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

static bool trust(struct tls *t, const struct tls_options *o, struct error *err)
{
    t->SSL_CTX_set_verify(t->context, o->trusts_everybody ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                          NULL);
    if (o->trusts_everybody) return true;
    if (!o->ca_file) {
        t->SSL_CTX_set_default_verify_paths(t->context);
        return true;
    }
    if (t->SSL_CTX_load_verify_locations(t->context, o->ca_file, NULL) == 1) return true;
    return error_set(err, ERROR_INVALID, "no certificate in PEM form in '%s'", o->ca_file);
}

bool tls_open(struct tls **tls, const struct tls_options *options, struct arena *out,
              struct error *err)
{
    struct tls *t = arena_new(out, struct tls, 1);
    *tls = NULL;
    t->host = options->host;
    t->is_address = is_address(options->host);
    t->trusts_everybody = options->trusts_everybody;
    if (!load(t, err)) return false;
    t->context = t->SSL_CTX_new(t->TLS_client_method());
    if (!t->context) return error_set(err, ERROR_UNAVAILABLE, "OpenSSL does not start");
    t->SSL_CTX_ctrl(t->context, SSL_CTRL_MODE, SSL_MODE_PARTIAL_WRITE | SSL_MODE_MOVING_BUFFER,
                    NULL);
    t->SSL_CTX_ctrl(t->context, SSL_CTRL_MIN_VERSION, SSL_TLS_1_2, NULL);
    if (!trust(t, options, err)) {
        tls_close(t);
        return false;
    }
    *tls = t;
    return true;
}

void tls_close(struct tls *t)
{
    if (t && t->context) t->SSL_CTX_free(t->context);
    if (t) t->context = NULL;
}

/* An address is compared with the addresses of the certificate, and is not sent as a name
 * (RFC 6066, section 3). */
static bool expect_host(const struct tls *t, struct tls_session *s)
{
    union { /* it is taken without const, and not written to */
        const char *in;
        void *out;
    } name = {.in = t->host};
    if (t->is_address) {
        return t->X509_VERIFY_PARAM_set1_ip_asc(t->SSL_get0_param(s), t->host) == 1;
    }
    return t->SSL_ctrl(s, SSL_CTRL_HOST_NAME, 0, name.out) == 1 &&
           t->SSL_set1_host(s, t->host) == 1;
}

struct tls_session *tls_begin(struct tls *t, int fd)
{
    struct tls_session *s = t->SSL_new(t->context);
    if (s && t->SSL_set_fd(s, fd) == 1 && expect_host(t, s)) {
        t->SSL_set_connect_state(s);
        return s;
    }
    tls_end(t, s);
    return NULL;
}

void tls_end(struct tls *t, struct tls_session *s)
{
    if (s) t->SSL_free(s);
}

static enum tls_progress progress(const struct tls *t, const struct tls_session *s, int code)
{
    if (code == 1) return TLS_DONE;
    int error = t->SSL_get_error(s, code);
    switch (error) {
    case SSL_ERROR_WANT_READ: return TLS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE: return TLS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN: return TLS_CLOSED;
    default: return TLS_FAILED;
    }
}

/* The library keeps errors in a queue of the thread, and an old one would be taken for a
 * new one. */
enum tls_progress tls_shake_hands(struct tls *t, struct tls_session *s)
{
    t->ERR_clear_error();
    return progress(t, s, t->SSL_do_handshake(s));
}

enum tls_progress tls_read(struct tls *t, struct tls_session *s, char *bytes, size_t room,
                           size_t *moved)
{
    t->ERR_clear_error();
    return progress(t, s, t->SSL_read_ex(s, bytes, room, moved));
}

enum tls_progress tls_write(struct tls *t, struct tls_session *s, const char *bytes,
                            size_t count, size_t *moved)
{
    t->ERR_clear_error();
    return progress(t, s, t->SSL_write_ex(s, bytes, count, moved));
}

const char *tls_why(struct tls *t, struct tls_session *s, char *out, size_t size)
{
    long verified = t->SSL_get_verify_result(s);
    unsigned long code = t->ERR_peek_last_error();
    const char *reason = code ? t->ERR_reason_error_string(code) : NULL;
    if (verified != X509_OK && !t->trusts_everybody) {
        snprintf(out, size, "certificate: %s", t->X509_verify_cert_error_string(verified));
    } else {
        snprintf(out, size, "TLS: %s", reason ? reason : "the connection broke");
    }
    return out;
}
