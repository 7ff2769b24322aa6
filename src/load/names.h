/* names.h - addresses of host names, each resolved once in a whole command.
 *
 * A table in memory that a command shares with every process it starts. Who needs the address
 * of a name first resolves it; everybody else gets the same one. So the address that was
 * consented to is the one that is loaded in every phase, even if the name has another by then
 * (DNS rebinding). A name that could not be resolved is asked for again. */
#ifndef LOAD_NAMES_H
#define LOAD_NAMES_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/socket.h>

enum { NAMES_MAX = 256, NAMES_LENGTH_MAX = 254 };

struct names_address {
    struct sockaddr_storage socket; /* without a port */
    socklen_t length;
    bool is_of_name; /* false: the host was an address already, and is not in the table */
};

/* 0, or what gai_strerror explains. */
typedef int names_resolver(const char *host, struct names_address *address);

struct names;

/* `resolver` NULL: the system's. */
MUST_USE bool names_open(struct names **names, names_resolver *resolver, struct error *err);
void names_close(struct names *names); /* NULL is closed already */

/* `names` NULL: for this call alone. ERROR_UNAVAILABLE where nobody knows the host;
 * ERROR_INVALID beyond NAMES_MAX names. */
MUST_USE bool names_find(struct names *names, const char *host, struct names_address *address,
                         struct error *err);

#endif
