/* result_file.h - a result file as a view, read as `assay import` reads it.
 *
 * Ours (schema "assay.result/1") with units, directions and definitions; those
 * of AgentFarm (name, parameters, iteration_metrics) with what their names say:
 * a unit and a direction where the ending says so ("_s", "_per_sec"), and a
 * definition of its own, so that their clock is never compared with ours. Any
 * other JSON object is read as a summary: every number in it is one value of
 * the metric that its path names ("writes.total_time"), a list of numbers is
 * its samples, and each entry of `results` is a cell. The bare tokens NaN and Infinity, which JSON does not have but
 * Python writes, are values that are not there. */
#ifndef VIEW_RESULT_FILE_H
#define VIEW_RESULT_FILE_H

#include "view/view.h"

enum { RESULT_FILE_MAX_BYTES = 64 << 20 };

MUST_USE bool result_file_read(const char *path, struct arena *out, struct view **view,
                               struct error *err);

/* The same for bytes that are there already; `path` is for messages. */
MUST_USE bool result_file_parse(const char *path, struct str bytes, struct arena *out,
                                struct view **view, struct error *err);

#endif
