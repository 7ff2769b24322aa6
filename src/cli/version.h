/* version.h - which assay this is. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

extern const char version_text[]; /* "0.1.0+4a3bba3" */

#endif
