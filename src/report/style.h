/* style.h - the look of the page: calm, one accent colour, light and dark. */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

extern const char *const style_css[]; /* NULL-terminated */

#endif
