/* folder.h - names inside a result folder. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include "report/report.h"

enum { FOLDER_PATH_SIZE = 256 };

/* Where the i-th artifact of a cell is below the folder:
 * "artifacts/cell-002-0000_resources_iter_0.jsonl". Unique, and made of plain
 * characters whatever the artifact is called. Returns out. */
const char *folder_artifact_path(const struct view_cell *cell, size_t i, char *out);

#endif
