/* nanoflann_peer.h - nanoflann for C; see nanoflann_peer.cc. */
#ifndef BENCH_NANOFLANN_PEER_H
#define BENCH_NANOFLANN_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nanoflann_peer nanoflann_peer;

nanoflann_peer *nanoflann_peer_new(void);

/* x, y, x, y, ...: used in place, so they must stay until the next build. */
void nanoflann_peer_build(nanoflann_peer *p, const double *places, size_t count);

/* How many are within it; `sum` (or NULL) gains their numbers. */
size_t nanoflann_peer_radius(nanoflann_peer *p, const double *centre, double radius,
                             uint64_t *sum);
uint32_t nanoflann_peer_nearest(const nanoflann_peer *p, const double *centre);
void nanoflann_peer_free(nanoflann_peer *p);

#ifdef __cplusplus
}
#endif

#endif
