#include "load/target.h"

#include "base/buf.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

static bool is_own_interface(const struct sockaddr_storage *a)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) return false;
    bool found = false;
    for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != a->ss_family) continue;
        if (a->ss_family == AF_INET) {
            const struct sockaddr_in *x = (const struct sockaddr_in *)(const void *)i->ifa_addr;
            const struct sockaddr_in *y = (const struct sockaddr_in *)(const void *)a;
            found = x->sin_addr.s_addr == y->sin_addr.s_addr;
        } else if (a->ss_family == AF_INET6) {
            const struct sockaddr_in6 *x =
                (const struct sockaddr_in6 *)(const void *)i->ifa_addr;
            const struct sockaddr_in6 *y = (const struct sockaddr_in6 *)(const void *)a;
            found = memcmp(&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
        }
    }
    freeifaddrs(all);
    return found;
}

static bool is_local(const struct sockaddr_storage *a)
{
    if (a->ss_family == AF_INET) {
        const struct sockaddr_in *x = (const struct sockaddr_in *)(const void *)a;
        if ((ntohl(x->sin_addr.s_addr) >> 24) == 127) return true;
    } else if (a->ss_family == AF_INET6) {
        const struct sockaddr_in6 *x = (const struct sockaddr_in6 *)(const void *)a;
        if (IN6_IS_ADDR_LOOPBACK(&x->sin6_addr)) return true;
    }
    return is_own_interface(a);
}

/* A byte that may stand in a URL, a method or a header's line. */
static bool has_only_visible(struct str s, bool spaces)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x20 || c == 0x7F || (c == ' ' && !spaces)) return false;
    }
    return true;
}

/* Cuts "host:port" or "[v6]:port" into its parts. */
static bool split_authority(struct str authority, struct str *host, struct str *port)
{
    *port = (struct str){0};
    if (authority.n && authority.p[0] == '[') {
        const char *end = memchr(authority.p, ']', authority.n);
        if (!end) return false;
        *host = (struct str){authority.p + 1, (size_t)(end - authority.p) - 1};
        struct str rest = {end + 1, authority.n - (size_t)(end + 1 - authority.p)};
        if (rest.n == 0) return true;
        if (rest.p[0] != ':') return false;
        *port = (struct str){rest.p + 1, rest.n - 1};
        return true;
    }
    const char *colon = memchr(authority.p, ':', authority.n);
    *host = authority;
    if (!colon) return true;
    host->n = (size_t)(colon - authority.p);
    *port = (struct str){colon + 1, authority.n - host->n - 1};
    return true;
}

static bool resolve(struct target *t, const char *service, struct names *names,
                    struct error *err)
{
    struct names_address found;
    int64_t port = 0;
    if (!str_to_int(str_of(service), &port) || port < 1 || port > UINT16_MAX) {
        return error_set(err, ERROR_INVALID, "'%s': '%s' is not a port (1 to %d)", t->url,
                         service, UINT16_MAX);
    }
    if (!names_find(names, t->host, &found, err)) return error_wrap(err, "%s", t->url);
    t->address = found.socket;
    t->address_len = found.length;
    t->has_name = found.is_of_name;
    in_port_t *to = t->address.ss_family == AF_INET6
                        ? &((struct sockaddr_in6 *)(void *)&t->address)->sin6_port
                        : &((struct sockaddr_in *)(void *)&t->address)->sin_port;
    *to = htons((uint16_t)port);
    t->is_local = is_local(&t->address);
    return true;
}

/* Its parts; `service` gets the port. */
static bool cut_url(struct target *t, const char *url, const char **service, struct arena *out,
                    struct error *err)
{
    *t = (struct target){.url = url};
    struct str rest = str_of(url);
    t->is_tls = str_starts(rest, S("https://"));
    if (!t->is_tls && !str_starts(rest, S("http://"))) {
        return error_set(err, ERROR_INVALID, "'%s' is not an http:// or https:// URL", url);
    }
    size_t scheme = t->is_tls ? 8 : 7;
    rest = (struct str){rest.p + scheme, rest.n - scheme};
    size_t end = 0;
    while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?' && rest.p[end] != '#') {
        end++;
    }
    struct str authority = {rest.p, end};
    struct str path = {rest.p + end, rest.n - end};
    const char *hash = memchr(path.p, '#', path.n);
    if (hash) path.n = (size_t)(hash - path.p);
    struct str host, port;
    bool is_right = authority.n > 0 && !memchr(authority.p, '@', authority.n) &&
                    has_only_visible(rest, false) && split_authority(authority, &host, &port) &&
                    host.n > 0;
    if (!is_right) return error_set(err, ERROR_INVALID, "'%s' is not a valid URL", url);
    t->host = str_cstr(out, host);
    t->authority = str_cstr(out, authority);
    bool has_slash = path.n && path.p[0] == '/';
    t->path = arena_printf(out, "%s%.*s", has_slash ? "" : "/", STR_ARG(path));
    *service = port.n ? str_cstr(out, port) : t->is_tls ? "443" : "80";
    return true;
}

bool target_open(struct target *t, const char *url, const struct target_terms *terms,
                 struct arena *out, struct error *err)
{
    const char *service = NULL;
    if (!cut_url(t, url, &service, out, err) || !resolve(t, service, terms->names, err))
        return false;
    for (size_t i = 0; i < terms->allowed_count; i++) {
        if (strcasecmp(terms->allowed[i], t->host) == 0) return true;
    }
    return t->is_local ||
           error_set(
               err, ERROR_INVALID,
               "'%s' is not this machine: load on others needs their consent; if you have "
               "it, add --allow-host %s (allow_hosts in a spec)",
               t->host, t->host);
}

bool target_open_beside(struct target *t, const char *url, const struct target *first,
                        struct arena *out, struct error *err)
{
    const char *service = NULL;
    if (!cut_url(t, url, &service, out, err)) return false;
    if (strcmp(t->authority, first->authority) != 0 || t->is_tls != first->is_tls) {
        return error_set(err, ERROR_INVALID,
                         "one is asked at %s, others at %s: a load has one "
                         "server",
                         t->authority, first->authority);
    }
    t->address = first->address;
    t->address_len = first->address_len;
    t->is_local = first->is_local;
    t->has_name = first->has_name;
    return true;
}

const char *target_pin(const struct target *t, struct arena *out)
{
    char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], port[6];
    if (!t->has_name ||
        getnameinfo((const struct sockaddr *)&t->address, t->address_len, host, sizeof host,
                    port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return NULL;
    bool is_v6 = t->address.ss_family == AF_INET6;
    return arena_printf(out, is_v6 ? "%s:%s:[%s]" : "%s:%s:%s", t->host, port, host);
}

static bool sets_length(struct str header)
{
    static const char *const names[] = {"Content-Length", "Transfer-Encoding"};
    const char *colon = memchr(header.p, ':', header.n);
    size_t n = colon ? (size_t)(colon - header.p) : header.n;
    while (n > 0 && header.p[n - 1] == ' ') n--;
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strlen(names[i]) == n && strncasecmp(names[i], header.p, n) == 0) return true;
    }
    return false;
}

bool target_write(const struct target *t, const struct target_request *r, struct arena *out,
                  struct str *bytes, struct error *err)
{
    const char *method = r->method ? r->method : r->body.n ? "POST" : "GET";
    if (!*method || !has_only_visible(str_of(method), false)) {
        return error_set(err, ERROR_INVALID, "method '%s' is not one word", method);
    }
    struct buf b;
    buf_init(&b, (size_t)1 << 30);
    buf_printf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, t->path, t->authority);
    for (size_t i = 0; i < r->header_count; i++) {
        struct str h = str_of(r->headers[i]);
        if (!memchr(h.p, ':', h.n) || h.p[0] == ':' || !has_only_visible(h, true)) {
            buf_release(&b);
            return error_set(err, ERROR_INVALID, "header '%s' is not 'Name: value'", h.p);
        }
        if (sets_length(h)) {
            buf_release(&b);
            return error_set(err, ERROR_INVALID,
                             "header '%s': the length of a request follows from its body", h.p);
        }
        buf_add(&b, h);
        buf_text(&b, "\r\n");
    }
    if (r->body.n || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
        buf_printf(&b, "Content-Length: %zu\r\n", r->body.n);
    }
    buf_text(&b, "\r\n");
    buf_add(&b, r->body);
    *bytes = str_copy(out, buf_str(&b));
    buf_release(&b);
    return true;
}
