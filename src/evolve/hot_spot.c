#include "evolve/hot_spot.h"

#include "base/id.h"

struct hot_spot_chunk {
    uint64_t hash;
    size_t bytes;
    int64_t holders;
    struct hot_spot_chunk *next; /* in its slot */
    struct chunk_metrics metrics;
    struct outline_node *nodes;
};

struct hot_spot_code {
    size_t count;
    struct hot_spot_chunk *chunks[];
};

enum { FIRST_SLOTS = 64, DEPTH_MAX = 200, TAB = 8 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* --- cutting ------------------------------------------------------------- */

static size_t line_length(struct str code)
{
    const char *end = memchr(code.p, '\n', code.n);
    return end ? (size_t)(end - code.p) + 1 : code.n;
}

/* Something stands at the very beginning of the line. */
static bool is_top(struct str code)
{
    return code.p[0] != ' ' && code.p[0] != '\t' && code.p[0] != '\n' && code.p[0] != '\r';
}

size_t hot_spot_chunk_length(struct str code)
{
    size_t at = 0;
    bool is_decorated = true; /* the first line belongs to it in any case */
    while (at < code.n) {
        struct str rest = {code.p + at, code.n - at};
        if (is_top(rest)) {
            if (!is_decorated) return at;
            is_decorated = rest.p[0] == '@' || rest.p[0] == '#';
        }
        at += line_length(rest);
    }
    return at;
}

/* --- the outline ----------------------------------------------------------- */

/* One pass over a chunk; without `nodes` it only counts them. */
struct scan {
    struct str text;
    size_t at;
    uint32_t indents[DEPTH_MAX];
    size_t depth;
    struct outline_node *nodes;
    struct chunk_metrics metrics;
};

static void add_node(struct scan *s, size_t from, enum outline_kind kind)
{
    size_t length = s->at - from;
    if (s->nodes) {
        s->nodes[s->metrics.nodes] = (struct outline_node){
            (uint32_t)from, (uint16_t)(length < UINT16_MAX ? length : UINT16_MAX),
            (uint8_t)s->depth, (uint8_t)kind};
    }
    s->metrics.nodes++;
}

bool hot_spot_is_branch(struct str word)
{
    static const char *const branches[] = {"if",   "elif", "for", "while", "except",
                                           "with", "and",  "or",  "assert"};
    for (size_t i = 0; i < COUNT(branches); i++) {
        if (str_is(word, branches[i])) return true;
    }
    return false;
}

static void scan_word(struct scan *s)
{
    size_t from = s->at;
    while (s->at < s->text.n && (is_letter(s->text.p[s->at]) || is_digit(s->text.p[s->at]))) {
        s->at++;
    }
    bool branches = hot_spot_is_branch((struct str){s->text.p + from, s->at - from});
    if (branches) {
        s->metrics.branches++;
        s->metrics.cognitive += (uint32_t)s->depth;
    }
    add_node(s, from, branches ? OUTLINE_BRANCH : OUTLINE_WORD);
}

/* To the closing quotes, of which there are one or three. */
static void scan_string(struct scan *s)
{
    size_t from = s->at;
    const char *p = s->text.p;
    char quote = p[from];
    bool is_long = from + 2 < s->text.n && p[from + 1] == quote && p[from + 2] == quote;
    for (s->at += is_long ? 3 : 1; s->at < s->text.n; s->at++) {
        if (p[s->at] == '\\') {
            s->at++;
        } else if (!is_long && (p[s->at] == quote || p[s->at] == '\n')) {
            break;
        } else if (is_long && p[s->at] == quote && s->at + 2 < s->text.n &&
                   p[s->at + 1] == quote && p[s->at + 2] == quote) {
            s->at += 2;
            break;
        }
    }
    s->at = s->at < s->text.n ? s->at + 1 : s->text.n;
    add_node(s, from, OUTLINE_STRING);
}

static void scan_number(struct scan *s)
{
    size_t from = s->at;
    while (s->at < s->text.n && (is_digit(s->text.p[s->at]) || is_letter(s->text.p[s->at]) ||
                                 s->text.p[s->at] == '.')) {
        s->at++;
    }
    add_node(s, from, OUTLINE_NUMBER);
}

/* The indentation of the line at s->at sets the depth of its block. */
static void scan_indent(struct scan *s)
{
    uint32_t columns = 0;
    size_t at = s->at;
    for (; at < s->text.n && (s->text.p[at] == ' ' || s->text.p[at] == '\t'); at++) {
        columns = s->text.p[at] == ' ' ? columns + 1 : (columns / TAB + 1) * TAB;
    }
    s->at = at;
    if (at >= s->text.n || s->text.p[at] == '\n' || s->text.p[at] == '#') return;
    s->metrics.lines++;
    while (s->depth > 0 && s->indents[s->depth] > columns) s->depth--;
    if (columns > s->indents[s->depth] && s->depth + 1 < DEPTH_MAX) {
        s->indents[++s->depth] = columns;
        if (s->depth > s->metrics.nesting) s->metrics.nesting = (uint32_t)s->depth;
    }
}

static struct chunk_metrics outline(struct str text, struct outline_node *nodes)
{
    struct scan s = {.text = text, .nodes = nodes};
    for (bool is_line_start = true; s.at < text.n;) {
        if (is_line_start) {
            scan_indent(&s);
            is_line_start = false;
            continue;
        }
        char c = text.p[s.at];
        if (c == '#') {
            s.at += line_length((struct str){text.p + s.at, text.n - s.at});
            is_line_start = true;
        } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
            is_line_start = c == '\n';
            s.at++;
        } else if (is_letter(c)) {
            scan_word(&s);
        } else if (is_digit(c)) {
            scan_number(&s);
        } else if (c == '"' || c == '\'') {
            scan_string(&s);
        } else {
            s.at++;
            add_node(&s, s.at - 1, OUTLINE_MARK);
        }
    }
    return s.metrics;
}

static struct hot_spot_chunk *parse_chunk(struct hot_spots *h, struct str text)
{
    struct hot_spot_chunk *c = ledger_alloc(h->ledger, LEDGER_SYNTAX, sizeof *c);
    c->metrics = outline(text, NULL);
    c->nodes = ledger_alloc(h->ledger, LEDGER_SYNTAX, c->metrics.nodes * sizeof *c->nodes);
    c->metrics = outline(text, c->nodes);
    c->bytes = text.n;
    return c;
}

static void free_chunk(struct hot_spots *h, struct hot_spot_chunk *c)
{
    ledger_free(h->ledger, c->nodes);
    ledger_free(h->ledger, c);
}

/* --- the cache --------------------------------------------------------------- */

struct hot_spots hot_spots_new(struct ledger *ledger, bool is_focused)
{
    return (struct hot_spots){.ledger = ledger, .is_focused = is_focused};
}

void hot_spots_release(struct hot_spots *h)
{
    CHECK(h->count == 0);
    ledger_free(h->ledger, h->table);
    h->table = NULL;
}

static void grow_table(struct hot_spots *h)
{
    size_t slots = h->slots ? 2 * h->slots : FIRST_SLOTS;
    struct hot_spot_chunk **table =
        ledger_alloc(h->ledger, LEDGER_SYNTAX, slots * sizeof(void *));
    for (size_t i = 0; i < h->slots; i++) {
        for (struct hot_spot_chunk *c = h->table[i], *next; c; c = next) {
            next = c->next;
            c->next = table[c->hash % slots];
            table[c->hash % slots] = c;
        }
    }
    ledger_free(h->ledger, h->table);
    h->table = table;
    h->slots = slots;
}

/* The chunk with these bytes. Two texts of one hash (2^-64) and one length count as one. */
static struct hot_spot_chunk *find_chunk(struct hot_spots *h, struct str text,
                                         struct code_metrics *m)
{
    if (h->count >= h->slots) grow_table(h);
    uint64_t hash = id_hash(text);
    struct hot_spot_chunk *c = h->table[hash % h->slots];
    while (c && (c->hash != hash || c->bytes != text.n)) c = c->next;
    if (c) return c;
    c = parse_chunk(h, text);
    c->hash = hash;
    c->next = h->table[hash % h->slots];
    h->table[hash % h->slots] = c;
    h->count++;
    m->chunks_parsed++;
    m->bytes_parsed += text.n;
    return c;
}

static void forget_chunk(struct hot_spots *h, struct hot_spot_chunk *c)
{
    struct hot_spot_chunk **at = &h->table[c->hash % h->slots];
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    h->count--;
    free_chunk(h, c);
}

static void add_metrics(struct code_metrics *m, const struct chunk_metrics *c)
{
    m->sum.branches += c->branches;
    m->sum.cognitive += c->cognitive;
    m->sum.lines += c->lines;
    m->sum.nodes += c->nodes;
    if (c->nesting > m->sum.nesting) m->sum.nesting = c->nesting;
    m->score +=
        0.4 * (1 + c->branches) + 0.3 * c->cognitive + 0.2 * c->nesting + 0.1 * c->lines;
}

struct hot_spot_code *hot_spots_add(struct hot_spots *h, struct str code,
                                    struct code_metrics *metrics)
{
    *metrics = (struct code_metrics){0};
    size_t count = 0;
    for (size_t at = 0; at < code.n; count++) {
        at += hot_spot_chunk_length((struct str){code.p + at, code.n - at});
    }
    struct hot_spot_code *c =
        ledger_alloc(h->ledger, LEDGER_SYNTAX, sizeof *c + count * sizeof(void *));
    for (size_t at = 0; at < code.n;) {
        struct str text = {code.p + at, code.n - at};
        text.n = hot_spot_chunk_length(text);
        at += text.n;
        struct hot_spot_chunk *chunk =
            h->is_focused ? find_chunk(h, text, metrics) : parse_chunk(h, text);
        if (!h->is_focused) {
            metrics->chunks_parsed++;
            metrics->bytes_parsed += text.n;
        }
        chunk->holders++;
        c->chunks[c->count++] = chunk;
        add_metrics(metrics, &chunk->metrics);
    }
    metrics->chunks = (uint32_t)count;
    if (count > 0) metrics->score /= (double)count;
    return c;
}

bool hot_spots_same(const struct hot_spot_code *a, const struct hot_spot_code *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct hot_spot_chunk *x = a->chunks[i];
        const struct hot_spot_chunk *y = b->chunks[i];
        if (x->bytes != y->bytes || memcmp(&x->metrics, &y->metrics, sizeof x->metrics) != 0 ||
            memcmp(x->nodes, y->nodes, x->metrics.nodes * sizeof *x->nodes) != 0)
            return false;
    }
    return true;
}

void hot_spots_drop(struct hot_spots *h, struct hot_spot_code *code)
{
    if (!code) return;
    for (size_t i = 0; i < code->count; i++) {
        struct hot_spot_chunk *c = code->chunks[i];
        if (--c->holders > 0) continue;
        if (h->is_focused) {
            forget_chunk(h, c);
        } else {
            free_chunk(h, c);
        }
    }
    ledger_free(h->ledger, code);
}
