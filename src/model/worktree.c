#include "model/worktree.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/os.h"

#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 16 << 20, FILES_MAX = 10000, SHOWN = 16 };

static const char *const source_endings[] = {
    ".c",   ".h",   ".cc",    ".cpp", ".cxx",   ".hh",    ".hpp",     ".hxx",
    ".rs",  ".go",  ".py",    ".pyx", ".js",    ".mjs",   ".cjs",     ".ts",
    ".tsx", ".jsx", ".rb",    ".pl",  ".pm",    ".php",   ".java",    ".kt",
    ".cs",  ".fs",  ".scala", ".clj", ".swift", ".m",     ".mm",      ".zig",
    ".nim", ".d",   ".lua",   ".r",   ".R",     ".jl",    ".hs",      ".ml",
    ".mli", ".ex",  ".exs",   ".erl", ".sh",    ".bash",  ".sql",     ".asm",
    ".s",   ".S",   ".cu",    ".f90", ".mk",    ".cmake", "Makefile", "CMakeLists.txt",
};

const char *worktree_root(struct arena *out)
{
    char folder[4096];
    if (!getcwd(folder, sizeof folder)) return NULL;
    for (;;) {
        if (os_exists(arena_printf(out, "%s/.git", folder)))
            return arena_printf(out, "%s", folder);
        char *slash = strrchr(folder, '/');
        if (!slash || !folder[0]) return NULL;
        *slash = '\0'; /* the last time: "", which is / */
    }
}

static bool is_source(struct str path, const char *full)
{
    for (size_t i = 0; i < COUNT(source_endings); i++) {
        if (str_ends(path, str_of(source_endings[i]))) return true;
    }
    struct stat st;
    return stat(full, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0;
}

/* Its content; of one that is too large when it was written, of others that it is gone. */
static void add_file(struct buf *b, struct str path, const char *full)
{
    struct arena scratch = arena_open();
    struct str bytes = {0};
    struct stat st;
    char hash[SHA256_HEX_SIZE] = "gone";
    if (os_read_file(full, FILE_MAX, &scratch, &bytes, NULL)) {
        id_sha256(bytes, hash);
    } else if (stat(full, &st) == 0) {
        snprintf(hash, sizeof hash, "%lld bytes of %lld", (long long)st.st_size,
                 (long long)st.st_mtime);
    }
    buf_add(b, path);
    buf_add_char(b, '\0');
    buf_text(b, hash);
    buf_add_char(b, '\n');
    arena_close(&scratch);
}

/* The path after `fields` words. */
static struct str path_behind(struct str entry, int fields)
{
    for (int i = 0; i < fields; i++) str_cut(&entry, ' ');
    return entry;
}

static void read_header(struct str line, struct worktree *w)
{
    struct str key = str_cut(&line, ' ');
    if (str_is(key, "branch.oid")) w->commit = line;
    if (str_is(key, "branch.head")) w->branch = str_is(line, "(detached)") ? S("HEAD") : line;
}

/* Where the path of an entry of this kind stands (git-status(1), porcelain version 2). */
static int fields_before(struct str kind)
{
    if (str_is(kind, "1")) return 7;
    if (str_is(kind, "2")) return 8;
    return str_is(kind, "u") ? 9 : 0;
}

void worktree_read(struct str status, bool is_whole, const char *root, struct arena *out,
                   struct worktree *w)
{
    struct buf b;
    size_t files = 0;
    *w = (struct worktree){0};
    buf_init(&b, 64 << 20);
    while (status.n > 0) {
        struct str entry = str_cut(&status, '\0');
        struct str kind = str_cut(&entry, ' ');
        if (str_is(kind, "#")) {
            read_header(entry, w);
            continue;
        }
        bool is_untracked = str_is(kind, "?");
        struct str path = path_behind(entry, fields_before(kind));
        if (str_is(kind, "2")) str_cut(&status, '\0'); /* what it was called before */
        const char *full = root ? arena_printf(out, "%s/%.*s", root, STR_ARG(path)) : NULL;
        if (path.n == 0 || (is_untracked && !(full && is_source(path, full)))) continue;
        w->is_changed = true;
        if (full && ++files <= FILES_MAX) add_file(&b, path, full);
    }
    bool is_known = w->is_changed && is_whole && root && files <= FILES_MAX && !b.overflow;
    char hash[SHA256_HEX_SIZE];
    if (is_known) w->changes = arena_printf(out, "%.*s", SHOWN, id_sha256(buf_str(&b), hash));
    buf_release(&b);
}
