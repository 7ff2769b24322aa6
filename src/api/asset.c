/* The files of the page, as web/build made them, inside of the program. WEB_DIR is the
 * Makefile's; without it (make WEB=0), and where the page could not be built, there are none.
 * One tag stands for all of them: they are of one build. */
#include "api/asset.h"

#ifdef WEB_DIR
#include WEB_ETAG_FILE
#endif

#ifdef WEB_ETAG
/* clang-format off */
#define ASSETS(X) \
    X(index_html, "/",         "index.html", "text/html; charset=utf-8") \
    X(app_js,     "/app.js",   "app.js",     "text/javascript; charset=utf-8") \
    X(app_css,    "/app.css",  "app.css",    "text/css; charset=utf-8") \
    X(logo_svg,   "/logo.svg", "logo.svg",   "image/svg+xml")
/* clang-format on */

#define EMBED(symbol, file)                                   \
    __asm__(".pushsection .rodata, \"a\", @progbits\n"        \
            ".balign 16\n"                                    \
            ".globl web_" #symbol "\n"                        \
            "web_" #symbol ": .incbin \"" WEB_DIR file "\"\n" \
            ".globl web_" #symbol "_end\n"                    \
            "web_" #symbol "_end: .byte 0\n"                  \
            ".popsection\n");                                 \
    extern const char web_##symbol[];                         \
    extern const char web_##symbol##_end[];

#define EMBED_BOTH(symbol, path, file, type) EMBED(symbol, file) EMBED(symbol##_gz, file ".gz")
ASSETS(EMBED_BOTH)

const struct asset *asset_at(size_t i)
{
    static struct asset rows[] = {
#define ROW(symbol, path_, file, type_) {.path = (path_), .type = (type_), .etag = WEB_ETAG},
        ASSETS(ROW)};
    if (i >= COUNT(rows)) return NULL;
    /* where a symbol ends is known when the program is linked, not when this is compiled */
    static const char *const places[][4] = {
#define PLACES(symbol, path, file, type) \
    {web_##symbol, web_##symbol##_end, web_##symbol##_gz, web_##symbol##_gz_end},
        ASSETS(PLACES)};
    const char *const *p = places[i];
    rows[i].plain = (struct str){p[0], (size_t)(p[1] - p[0])};
    rows[i].gzip = (struct str){p[2], (size_t)(p[3] - p[2])};
    return &rows[i];
}
#else
const struct asset *asset_at(size_t i)
{
    (void)i;
    return NULL;
}
#endif

const struct asset *asset_find(struct str path)
{
    for (size_t i = 0; asset_at(i); i++) {
        if (str_is(path, asset_at(i)->path)) return asset_at(i);
    }
    return NULL;
}
