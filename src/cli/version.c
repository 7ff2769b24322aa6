#include "cli/version.h"

#ifndef ASSAY_VERSION /* set by the Makefile */
#define ASSAY_VERSION "unknown"
#endif

const char version_text[] = ASSAY_VERSION;
