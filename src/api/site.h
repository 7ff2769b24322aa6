/* site.h - the page with its answers as files: a folder that any file server shows.
 *
 *     index.html app.js app.css logo.svg   the page, with a <meta> that says it is a copy
 *     site.json                            assay.site/1: which request is answered by which file
 *     data/<hash of the request>.json      what the server sends to it, byte for byte
 *
 * What is asked is what the views of the page ask (web/src/views): a view that asks for
 * something new adds it to the lists of site.c, or its reader sees that the copy does
 * not hold it. A request that the server refuses is in site.json with the reason. */
#ifndef API_SITE_H
#define API_SITE_H

#include "base/error.h"
#include "store/store.h"

enum { SITE_PAIRED_AGENTS = 8 }; /* the first of each suite are compared with one another */

struct site_options {
    const char *folder;
    size_t runs; /* the newest */
    const char *assay_version;
};

struct site_counts {
    size_t answers;
    size_t runs;
    size_t agents;
    size_t suites;
};

/* All answers are of one moment of the store. An earlier site in the folder is replaced, and
 * files that are not its own stay; a folder with anything else in it is refused
 * (ERROR_INVALID). ERROR_UNAVAILABLE: the program was built without the page. */
MUST_USE bool site_write(const struct site_options *how, struct store *store,
                         struct site_counts *counts, struct error *err);

#endif
