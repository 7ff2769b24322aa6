/* asset.h - the files of the page, in the program.
 *
 * `make` puts what web/dist holds here (src/api/assets.S and a table made from the files);
 * `make WEB=0` leaves the table empty, and then `/` says so. */
#ifndef API_ASSET_H
#define API_ASSET_H

#include "base/str.h"

struct asset {
    const char *path;  /* "/", "/app.4f2a.js" */
    const char *type;  /* "text/html; charset=utf-8" */
    struct str plain;  /* the bytes */
    struct str gzip;   /* the same compressed; {0}: not there */
    const char *etag;  /* of the content, with its quotes */
    bool is_immutable; /* its name changes with its content */
};

const struct asset *asset_at(size_t i); /* NULL past the end */
const struct asset *asset_find(struct str path);

#endif
