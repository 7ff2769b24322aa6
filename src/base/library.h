/* library.h - shared libraries that are loaded when they are first needed: who never needs
 * one need not have it, and its tables are no part of our size. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/error.h"
#include "base/invariant.h"

struct library_symbol {
    const char *name;
    void *function; /* where a pointer to the function goes */
};

/* Fills in every symbol. Fails with ERROR_UNAVAILABLE: `missing` where there is no such
 * library, what is wrong with a file given by its path (cut off, no library), or that it is
 * too old. The handle is for dlclose. */
MUST_USE bool library_load(const char *file, const char *missing,
                           const struct library_symbol *symbols, size_t count, void **handle,
                           struct error *err);

#endif
