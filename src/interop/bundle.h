/* bundle.h - runs carried from store to store, whole.
 *
 * A bundle is one gzip file of JSON lines: a manifest, then the rows of the store
 * as they are (store.h, "rows"), in sections: what the runs refer to, each run,
 * baselines. The manifest has the number of rows and the SHA-256 of every section.
 * A store that a bundle was read into gives the same bundle again.
 *
 * Reading is all or nothing: everything is checked before the first row is put,
 * and the rows are one transaction. A run that is there already is left alone if
 * it is the same; replaces one that was not finished, unless that has more trials or is
 * still running; and is otherwise refused. */
#ifndef INTEROP_BUNDLE_H
#define INTEROP_BUNDLE_H

#include "base/buf.h"
#include "store/store.h"

#define BUNDLE_MAX_BYTES ((size_t)1 << 30) /* unpacked */

/* The packed file into `out`. `runs` in any order; it does not show. */
MUST_USE bool bundle_write(struct store *store, const struct run_record *runs, size_t count,
                           const char *assay_version, struct buf *out, struct error *err);

struct bundle_result {
    size_t runs;      /* in the bundle */
    size_t added;     /* new here */
    size_t replaced;  /* were not finished here, and had no more trials */
    size_t kept;      /* were not finished here, but had more trials than the bundle's */
    size_t rows;      /* put */
    size_t in_future; /* of the runs that were put: run_is_in_future */
    size_t marks;     /* baselines, and alarms with what people said of them, that came along */
};

bool bundle_is(struct str bytes); /* by its beginning */
MUST_USE bool bundle_read(struct store *store, struct str bytes, struct bundle_result *result,
                          struct error *err);

/* The runs alone: of a bundle of others, whose marks would pin and mute here. */
MUST_USE bool bundle_read_runs(struct store *store, struct str bytes,
                               struct bundle_result *result, struct error *err);

#endif
