/* id.h - hashes and UUIDs: how things are distinguished.
 *
 * SHA-256 names contents (specs, cases, suites). UUIDv7 (RFC 9562) names
 * events: it sorts by time. UUIDv5 names things people named. The digests are
 * OpenSSL's, loaded by id.c alone when first needed. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/str.h"

enum { UUID_SIZE = 37, SHA256_HEX_SIZE = 65 }; /* with the NUL */

/* 64 lower-case hex digits into `out`; returns out. */
const char *id_sha256(struct str bytes, char *out);

/* A fast 64-bit hash (FNV-1a, mixed) for tables and streams. Not for contents. */
uint64_t id_hash(struct str bytes);

/* "018f...-7...": time-ordered, random in the rest. */
const char *id_uuid7(char *out);

/* The last 12 digits of a UUIDv7, which are random: what is shown of a run's id, since no two
 * runs of a store share them. (The first 13 characters are the millisecond.) */
const char *id_short(const char *uuid);

/* The same for the same workspace, kind and name, whatever the machine. */
const char *id_uuid5(struct str workspace, const char *kind, struct str name, char *out);

#endif
