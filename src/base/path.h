/* path.h - where in a JSON value: a JSON pointer (base/pointer.h) or a simple path.
 *
 *     /choices/0/text      ~1 stands for /, ~0 for ~
 *     $.choices[0].text    or without $.; ['a.b'] for keys that need quotes;
 *                          [-1] is the last item
 *
 * A path has one place: there are no wildcards and filters. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/error.h"
#include "base/value.h"

enum { PATH_STEPS_MAX = 64 };

struct path_step {
    struct str key;
    bool is_index; /* of a list: `index` */
    int64_t index;
};

struct path {
    struct path_step *steps; /* NULL: `pointer` says where */
    size_t count;
    struct str pointer;
};

/* The text must outlive the path. */
MUST_USE bool path_parse(struct str text, struct arena *out, struct path *path,
                         struct error *err);

const struct value *path_find(const struct path *path, const struct value *root); /* or NULL */

#endif
