/* How work is counted: the pattern is compiled with a callout before each of
 * its items. Each callout costs 1 plus the distance that the position has moved
 * since the one before, which is what the item between them has read. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include "base/buf.h"

#include <pcre2.h>

enum { MATCH_HEAP_KIB = 20480 };

struct pattern {
    pcre2_code *code;
};

static void *take(size_t size, void *arena)
{
    return arena_alloc(arena, 1, size, _Alignof(max_align_t));
}

static void leave(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

static bool failed(struct error *err, int code, const char *what)
{
    PCRE2_UCHAR text[160];
    pcre2_get_error_message(code, text, sizeof text);
    return error_set(err, ERROR_FAILED, "%s: %s", what, (const char *)text);
}

bool pattern_compile(struct str text, unsigned flags, struct arena *out,
                     const struct pattern **pattern, struct error *err)
{
    if (text.n > PATTERN_BYTES_MAX) {
        return error_set(err, ERROR_INVALID, "a pattern of %zu bytes; at most %d are read",
                         text.n, PATTERN_BYTES_MAX);
    }
    static const struct {
        unsigned flag;
        uint32_t option;
    } options[] = {
        {PATTERN_IGNORE_CASE, PCRE2_CASELESS},
        {PATTERN_MULTILINE, PCRE2_MULTILINE},
        {PATTERN_DOTALL, PCRE2_DOTALL},
        {PATTERN_WHOLE, PCRE2_ANCHORED | PCRE2_ENDANCHORED},
    };
    uint32_t asked =
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
    for (size_t i = 0; i < COUNT(options); i++) {
        if (flags & options[i].flag) asked |= options[i].option;
    }
    pcre2_general_context *general = pcre2_general_context_create(take, leave, out);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    int code = 0;
    PCRE2_SIZE at = 0;
    struct pattern *p = arena_new(out, struct pattern, 1);
    p->code =
        pcre2_compile((PCRE2_SPTR)(text.p ? text.p : ""), text.n, asked, &code, &at, context);
    if (!p->code) {
        PCRE2_UCHAR why[160];
        pcre2_get_error_message(code, why, sizeof why);
        return error_set(err, ERROR_INVALID, "at %zu: %s", at, (const char *)why);
    }
    *pattern = p;
    return true;
}

struct work {
    size_t left;
    size_t position;
};

static int count_work(pcre2_callout_block *at, void *context)
{
    struct work *w = context;
    size_t moved = at->current_position > w->position ? at->current_position - w->position
                                                      : w->position - at->current_position;
    w->position = at->current_position;
    if (w->left <= moved) return PCRE2_ERROR_CALLOUT;
    w->left -= moved + 1;
    return 0;
}

static struct str first_group(pcre2_match_data *data, struct str text)
{
    const PCRE2_SIZE *spans = pcre2_get_ovector_pointer(data);
    size_t count = pcre2_get_ovector_count(data);
    size_t chosen = 0;
    for (size_t i = count - 1; i > 0; i--) {
        if (spans[2 * i] != PCRE2_UNSET) chosen = i;
    }
    PCRE2_SIZE begin = spans[2 * chosen];
    PCRE2_SIZE end = spans[2 * chosen + 1];
    /* \K can put the end before the begin. */
    return (struct str){text.p + begin, end > begin ? end - begin : 0};
}

/* `scratch` is the caller's copy: whatever PCRE2 takes is free on return. */
static bool find(const struct pattern *pattern, struct str text, struct arena scratch,
                 bool *found, struct str *match, struct error *err)
{
    struct work work = {.left = PATTERN_WORK};
    pcre2_general_context *general = pcre2_general_context_create(take, leave, &scratch);
    pcre2_match_context *context = pcre2_match_context_create(general);
    pcre2_set_callout(context, count_work, &work);
    pcre2_set_heap_limit(context, MATCH_HEAP_KIB);
    pcre2_set_match_limit(context, PATTERN_WORK);
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(pattern->code, general);
    if (!text.p) text.p = "";
    int code = pcre2_match(pattern->code, (PCRE2_SPTR)text.p, text.n, 0, 0, data, context);
    *found = code >= 0;
    *match = code >= 0 ? first_group(data, text) : (struct str){0};
    if (code >= 0 || code == PCRE2_ERROR_NOMATCH) return true;
    if (code == PCRE2_ERROR_CALLOUT || code == PCRE2_ERROR_MATCHLIMIT ||
        code == PCRE2_ERROR_HEAPLIMIT || code == PCRE2_ERROR_DEPTHLIMIT) {
        return error_set(err, ERROR_FAILED,
                         "the pattern needs more than %d steps on a text of %zu bytes; make it "
                         "simpler (nested repeats, .* in the middle)",
                         PATTERN_WORK, text.n);
    }
    return failed(err, code, "matching");
}

bool pattern_find(const struct pattern *pattern, struct str text, bool *found,
                  struct str *match, struct error *err)
{
    struct arena scratch = arena_open();
    bool done = find(pattern, text, scratch, found, match, err);
    arena_close(&scratch);
    return done;
}

static struct str with_replacements(struct str text, struct arena *out)
{
    struct buf b;
    buf_init(&b, 3 * text.n);
    for (;;) {
        size_t good = str_utf8_prefix(text);
        buf_add(&b, (struct str){text.p, good});
        if (good == text.n) break;
        buf_text(&b, "\xEF\xBF\xBD");
        text.p += good + 1;
        text.n -= good + 1;
    }
    struct str clean = str_copy(out, buf_str(&b));
    buf_release(&b);
    return clean;
}

static bool lower_ascii(struct str text, struct arena *out, struct str *lower)
{
    char *to = arena_alloc(out, text.n + 1, 1, 1);
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c >= 0x80 || c == '\0') return false;
        to[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    *lower = (struct str){to, text.n};
    return true;
}

struct str pattern_lower(struct str text, struct arena *out)
{
    struct str plain;
    if (lower_ascii(text, out, &plain)) return plain;
    if (str_utf8_prefix(text) < text.n) text = with_replacements(text, out);
    struct arena scratch = arena_open();
    pcre2_general_context *general = pcre2_general_context_create(take, leave, &scratch);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    int code = 0;
    PCRE2_SIZE at = 0;
    pcre2_code *all =
        pcre2_compile((PCRE2_SPTR) ".+", 2, PCRE2_UTF | PCRE2_DOTALL, &code, &at, context);
    CHECK(all);
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(all, general);
    /* A lower-case letter may need more bytes than its capital: U+023A has 2, its
     * other case 3. */
    PCRE2_SIZE size = 2 * text.n + 1;
    char *lower = arena_alloc(out, size, 1, 1);
    code = pcre2_substitute(all, (PCRE2_SPTR)text.p, text.n, 0,
                            PCRE2_SUBSTITUTE_EXTENDED | PCRE2_NO_UTF_CHECK, data, NULL,
                            (PCRE2_SPTR) "\\L$0", 4, (PCRE2_UCHAR *)lower, &size);
    CHECK(code == 1);
    arena_close(&scratch);
    return (struct str){lower, size};
}
