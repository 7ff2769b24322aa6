/* symbols.h - names of functions in program files.
 *
 * Reads the symbol tables of 64-bit ELF files: .symtab, else .dynsym. Files are
 * whatever the profiled program had mapped, so every offset in them is checked
 * before it is followed. */
#ifndef INSTRUMENT_SYMBOLS_H
#define INSTRUMENT_SYMBOLS_H

#include "base/arena.h"

struct symbols; /* of one file */

/* NULL if it cannot be read or is not such a file. Lives in `out`. */
struct symbols *symbols_load(const char *path, struct arena *out);

/* The function at `file_offset` of the file; NULL if none is known. */
const char *symbols_find(const struct symbols *s, uint64_t file_offset);

#endif
