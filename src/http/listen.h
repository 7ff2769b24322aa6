/* listen.h - a listening socket for "host:port". */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include "base/error.h"

/* "127.0.0.1:8400", "[::1]:0" or "localhost:0". Fails with the address and the
 * reason: "cannot listen on 127.0.0.1:8400: Address already in use". */
MUST_USE bool listen_open(const char *address, int *fd, struct error *err);
int listen_port(int fd);

#endif
