/* peer.h - who is at the other end of a connection on this machine?
 *
 * A server that lets everybody here in must not let in what is being measured: its agents
 * could ask it for the expected answers. The kernel does not say who has connected; its table
 * of sockets says which socket, and /proc which processes hold that. Nor must we ask what is
 * being measured to judge it: an agent can take connections at another address of the judge's
 * name (::1), or share its port (SO_REUSEPORT). */
#ifndef BASE_PEER_H
#define BASE_PEER_H

#include "base/arena.h"

/* Whether a process below a guard (proc.h) holds the socket that is bound to `port` and
 * connected to `own_port`; also where that cannot be known, because its holder hides from us
 * or has closed it. False at once where nothing is measured. */
bool peer_is_measured(int port, int own_port, struct arena scratch);

/* Whether such a process takes connections at `port`, or holds the other end of ours from
 * `own_port`; also where its holder is not to be found among all processes. */
bool peer_server_is_measured(int port, int own_port, struct arena scratch);

#endif
