/* Cases x agents. Of each answer the first 200 characters are in the page as they are, so that
 * it can be read and searched without scripts; the whole of longer ones is kept once each, in
 * one gzip block that a small script opens where somebody asks for it. A page that is sent
 * around stays small: where the whole answers would make it larger than REPORT_PAGE_BYTES,
 * those of right answers are left out first, then all (REPORT_ANSWERS_FIT), and the page says
 * so. With many agents the grid has the first few and the cases that tell them apart; the marks
 * of all are in the table beside it. */
#include "base/base64.h"
#include "base/gzip.h"
#include "base/human.h"
#include "base/id.h"
#include "base/json.h"
#include "rank/casebook.h"
#include "report/chart.h"
#include "report/format_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    SHORT_CHARACTERS = 200,
    WHY_BYTES = 90,
    ANSWERS_MAX = 2600, /* cells of the grid */
    AGENTS_MAX = 6,     /* of a grid that has to be cut */
    PART_ROWS = 25,
    COLUMN_PIXELS = 122,
    MARKS_MAX = 60000, /* cells of the table of marks */
};

/* Bytes of the first `most` characters. */
static size_t prefix(struct str s, size_t most)
{
    size_t i = 0;
    size_t n = 0;
    for (; i < s.n && n < most; n++) {
        i++;
        while (i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80) i++;
    }
    return i;
}

static bool is_cut(struct str s)
{
    return prefix(s, SHORT_CHARACTERS) < s.n;
}

/* ---- what the grid shows ---- */

struct grid {
    const struct casebook *book;
    size_t agents; /* the first so many */
    size_t judged; /* of them those that rank: a stand-in is wrong where all others are right */
    bool is_whole; /* all cases, all agents */
    size_t shown;
};

static bool tells_apart(const struct grid *g, const struct casebook_case *c)
{
    bool has_right = false;
    bool has_wrong = false;
    for (size_t i = 0; i < g->judged; i++) {
        if (c->answers[i].try_count == 0) continue;
        has_right |= c->answers[i].of->state == CASE_RIGHT;
        has_wrong |= c->answers[i].of->state == CASE_WRONG;
    }
    return has_right && has_wrong;
}

static bool has_failed(const struct grid *g, const struct casebook_case *c)
{
    for (size_t i = 0; i < g->judged; i++) {
        const struct casebook_answer *a = &c->answers[i];
        if (a->try_count > 0 && a->of->state == CASE_WRONG) return true;
    }
    return false;
}

static bool is_slow(const struct grid *g, const struct casebook_case *c)
{
    for (size_t i = 0; i < g->judged; i++) {
        if (c->answers[i].try_count > 0 && c->answers[i].is_slow) return true;
    }
    return false;
}

static struct grid grid_of(const struct casebook *book)
{
    size_t agents = book->outcome->agent_count;
    struct grid g = {.book = book, .agents = agents};
    g.is_whole = agents * book->count <= ANSWERS_MAX;
    if (!g.is_whole && agents > AGENTS_MAX) g.agents = AGENTS_MAX;
    size_t ranked = book->outcome->ranked_count;
    g.judged = ranked > 0 && ranked < g.agents ? ranked : g.agents;
    return g;
}

/* Whether the case has a row. Of a grid that is cut: those that tell agents apart, as many as
 * there is room for. */
static bool takes(struct grid *g, const struct casebook_case *c)
{
    if (!g->is_whole && (!tells_apart(g, c) || (g->shown + 1) * g->agents > ANSWERS_MAX))
        return false;
    g->shown++;
    return true;
}

/* ---- cells ---- */

static const char *const marks[] = {
    [CASE_RIGHT] = "✓", [CASE_WRONG] = "✗", [CASE_UNJUDGED] = "–"};

/* What agrees with the expected answer, then the rest underlined; only if something agrees. */
static void put_difference(struct buf *out, struct str text, struct str expected)
{
    size_t same = 0;
    while (same < text.n && same < expected.n && text.p[same] == expected.p[same]) same++;
    while (same > 0 && same < text.n && ((unsigned char)text.p[same] & 0xc0) == 0x80) same--;
    html_text(out, (struct str){text.p, same});
    bool is_told = same > 0 && same < text.n;
    if (is_told) buf_text(out, "<u>");
    html_text(out, (struct str){text.p + same, text.n - same});
    if (is_told) buf_text(out, "</u>");
}

static void put_text(struct page *p, struct str text, const struct str *expected)
{
    struct str shown = {text.p, prefix(text, SHORT_CHARACTERS)};
    buf_text(p->out, "<code>");
    if (expected && expected->n > 0) {
        put_difference(p->out, shown, *expected);
    } else {
        html_text(p->out, shown);
    }
    buf_text(p->out, shown.n < text.n ? "…</code>" : "</code>");
}

/* The check that it failed (what was wrong with it is seen above), or why there is no answer;
 * of a right one its time. */
static void put_remark(struct page *p, const struct casebook_answer *a, struct arena scratch)
{
    const struct suite_case *c = a->of;
    const struct trial_note *note = a->tries[c->telling].note;
    const struct casebook_check *checks = NULL;
    char time[HUMAN_SIZE];
    if (c->values.passed > 0 && c->state == CASE_WRONG)
        buf_printf(p->out, "%" PRId64 " of %" PRId64 " passes; ", c->values.passed,
                   c->values.attempted);
    if (c->state == CASE_UNJUDGED) buf_text(p->out, "not judged; ");
    if (!c->why) {
        if (!isnan(a->median_s)) buf_text(p->out, human_value("s", a->median_s, time));
        return;
    }
    size_t count = note->error ? 0 : casebook_checks(note, &scratch, &checks);
    struct str why = str_of(c->why);
    for (size_t i = count; i > 0; i--) {
        if (checks[i - 1].score < 1)
            why = str_of(arena_printf(&scratch, "failed %s", checks[i - 1].name));
    }
    struct str first = {why.p, why.n <= WHY_BYTES ? why.n : prefix(why, WHY_BYTES)};
    html_text(p->out, first);
    if (first.n < why.n) buf_text(p->out, "…");
}

static void put_answer(struct page *p, const struct casebook_answer *a, struct str expected,
                       struct arena scratch)
{
    const struct outcome *o = p->options->outcome;
    if (a->try_count == 0) {
        buf_text(p->out, "<td>");
        return;
    }
    /* One that does not rank is shown, but not compared with the others. */
    bool is_left_out = !o->agents[outcome_agent_of(o, a->cell)].entry;
    enum case_state state = a->of->state;
    buf_text(p->out, is_left_out           ? "<td class=o>"
                     : state == CASE_WRONG ? "<td class=x>"
                                           : "<td>");
    buf_printf(p->out, "<i>%s</i> ", marks[state]);
    const struct trial_note *note = a->tries[a->of->telling].note;
    struct str text = casebook_output(note, &scratch);
    bool is_wanted = p->options->answers != REPORT_ANSWERS_NONE;
    if (is_wanted && text.n > 0) put_text(p, text, state == CASE_WRONG ? &expected : NULL);
    if (is_wanted && text.n == 0)
        buf_text(p->out,
                 note->status == TRIAL_OK ? "<em>empty answer</em>" : "<em>no answer</em>");
    buf_text(p->out, "<small>");
    put_remark(p, a, scratch);
    buf_text(p->out, "</small>");
}

static void put_row(struct page *p, const struct grid *g, const struct casebook_case *c)
{
    struct arena scratch = arena_open();
    struct str expected = casebook_plain(c->expected, &scratch);
    buf_printf(p->out, "<tr data-f=\"%s%s%s\"><td>", has_failed(g, c) ? "f" : "",
               tells_apart(g, c) ? "d" : "", is_slow(g, c) ? "s" : "");
    html_say(p, "<button type=\"button\">%s</button><br>", c->name);
    put_text(p, casebook_plain(c->input, &scratch), NULL);
    buf_text(p->out, "</td><td>");
    put_text(p, expected, NULL);
    buf_text(p->out, "</td>");
    for (size_t i = 0; i < g->agents; i++) {
        put_answer(p, &c->answers[i], expected, scratch);
        buf_text(p->out, "</td>");
    }
    buf_text(p->out, "</tr>\n");
    arena_close(&scratch);
}

static void put_chips(struct page *p, const struct grid *g)
{
    size_t counts[4] = {0};
    struct grid again = *g;
    for (size_t i = 0; i < g->book->count; i++) {
        const struct casebook_case *c = &g->book->cases[i];
        if (!takes(&again, c)) continue;
        counts[0]++;
        counts[1] += tells_apart(g, c);
        counts[2] += has_failed(g, c);
        counts[3] += is_slow(g, c);
    }
    static const char *const names[] = {"All", "Tell agents apart", "Not passed by one",
                                        "Slow, over 2 ×"};
    static const char *const keys[] = {"", "d", "f", "s"};
    buf_text(p->out, "<div class=\"chips\" role=\"group\" aria-label=\"filter cases\">");
    for (size_t i = 0; i < COUNT(names); i++) {
        buf_printf(p->out,
                   "<button class=\"chip\" type=\"button\" data-k=\"%s\" aria-pressed=\"%s\">"
                   "%s <b>%zu</b></button>",
                   keys[i], i ? "false" : "true", names[i], counts[i]);
    }
    buf_text(p->out, "</div>\n");
}

/* Rows stand in tables of PART_ROWS with columns of the same width: a part that is not on the
 * screen is not laid out, so that a page of 400 cases opens as fast as one of 30. */
static void open_part(struct page *p, const struct grid *g, bool is_next)
{
    buf_text(p->out, is_next ? "</tbody></table></div>\n" : "");
    buf_printf(p->out,
               "<div class=\"part\"><table class=\"grid\" style=\"min-width:%zupx\"><tbody>\n",
               (g->agents + 2) * COLUMN_PIXELS);
}

static void put_rows(struct page *p, struct grid *g)
{
    const char *benchmark = NULL;
    size_t in_part = 0;
    for (size_t i = 0; i < g->book->count; i++) {
        const struct casebook_case *c = &g->book->cases[i];
        if (!takes(g, c)) continue;
        bool is_new = !benchmark || strcmp(benchmark, c->benchmark) != 0;
        if (is_new || in_part == PART_ROWS) {
            open_part(p, g, benchmark != NULL);
            in_part = 0;
        }
        if (is_new) {
            buf_printf(p->out, "<tr class=\"g\"><td colspan=\"%zu\">", g->agents + 2);
            html_say(p, "<b>%s</b></td></tr>\n", c->benchmark);
        }
        benchmark = c->benchmark;
        in_part++;
        put_row(p, g, c);
    }
    if (benchmark) buf_text(p->out, "</tbody></table></div>\n");
}

/* A stand-in's answers are not the agent's: its name says so wherever they are. */
static void put_agent_head(struct page *p, const struct outcome_agent *a)
{
    html_say(p, "<th>%s", a->name);
    if (a->left_out) html_say(p, " <span class=\"tag\">%s</span>", a->left_out);
    buf_text(p->out, "</th>");
}

static void put_grid(struct page *p, struct grid g)
{
    const struct outcome *o = g.book->outcome;
    buf_text(p->out,
             "<section class=\"card flush\"><div class=\"head\"><h2>Cases × agents</h2><p>"
             "the first attempt that did not pass, else the first; ✗ failed its check, "
             "the part that differs underlined; – could not be judged</p></div>\n");
    put_chips(p, &g);
    buf_printf(p->out,
               "<div class=\"grid-wrap\" tabindex=\"0\"><table class=\"grid top\" "
               "style=\"min-width:%zupx\"><thead><tr><th>case, input</th><th>expected</th>",
               (g.agents + 2) * COLUMN_PIXELS);
    for (size_t i = 0; i < g.agents; i++) put_agent_head(p, &o->agents[i]);
    buf_text(p->out, "</tr></thead></table>\n");
    put_rows(p, &g);
    buf_text(p->out, "</div>\n");
    if (!g.is_whole) {
        buf_printf(
            p->out,
            "<p class=\"note\">%zu of %zu cases: those that separate the first %zu agents. "
            "<code>assay cases %s</code> has all.</p>\n",
            g.shown, g.book->count, g.agents, id_short(g.book->outcome->view->run.id));
    }
    buf_text(p->out, "</section>\n");
}

/* ---- marks ---- */

static void put_marks(struct page *p, const struct casebook *book)
{
    const struct outcome *o = book->outcome;
    const char *benchmark = NULL;
    if (book->count * o->agent_count > MARKS_MAX) return;
    buf_text(p->out, "<section class=\"card flush\"><div class=\"head\"><h2>All cases</h2><p>✓ "
                     "passed in every attempt, ✗ not, – could not be judged</p></div><div "
                     "class=\"grid-wrap\" "
                     "tabindex=\"0\"><table class=\"marks\"><thead><tr><th>case</th>");
    for (size_t i = 0; i < o->agent_count; i++) put_agent_head(p, &o->agents[i]);
    buf_text(p->out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < book->count; i++) {
        const struct casebook_case *c = &book->cases[i];
        bool is_new = !benchmark || strcmp(benchmark, c->benchmark) != 0;
        if (is_new) html_say(p, "<tr><td><b class=\"soft\">%s</b>\n", c->benchmark);
        benchmark = c->benchmark;
        html_say(p, "<tr><td>%s", c->name);
        for (size_t k = 0; k < o->agent_count; k++) {
            const struct casebook_answer *a = &c->answers[k];
            bool is_wrong = a->of && a->of->state == CASE_WRONG;
            buf_printf(p->out, "<td%s>%s", is_wrong ? " class=x" : "",
                       a->of ? marks[a->of->state] : "");
        }
        buf_add_char(p->out, '\n');
    }
    buf_text(p->out, "</tbody></table></div></section>\n");
}

void html_cases(struct page *p)
{
    const struct casebook *book = p->options->book;
    if (!book || book->count == 0) return;
    struct grid g = grid_of(book);
    put_grid(p, g);
    if (!g.is_whole) put_marks(p, book);
}

/* ---- whole answers ---- */

enum keep { KEEP_ALL, KEEP_WRONG, KEEP_NONE };

/* A list of rows: for each row of the grid a list with what is longer than shown (input,
 * expected, each agent's answer) as a place in `texts`, or -1. Equal texts are kept once. */
struct texts {
    struct json j;
    struct buf list;
    uint64_t *hashes;
    size_t count, room;
    struct arena arena;
};

static int64_t keep_text(struct texts *t, struct str text)
{
    uint64_t hash = id_hash(text);
    for (size_t i = 0; i < t->count; i++) {
        if (t->hashes[i] == hash) return (int64_t)i;
    }
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 256;
        uint64_t *grown = arena_new(&t->arena, uint64_t, room);
        if (t->count) memcpy(grown, t->hashes, t->count * sizeof *grown);
        t->hashes = grown;
        t->room = room;
    }
    json_str(&t->j, text);
    t->hashes[t->count] = hash;
    return (int64_t)t->count++;
}

static void keep_row(struct texts *t, struct json *rows, const struct grid *g,
                     const struct casebook_case *c, enum keep keep)
{
    struct arena scratch = arena_open();
    json_list(rows);
    const struct str asked[] = {casebook_plain(c->input, &scratch),
                                casebook_plain(c->expected, &scratch)};
    for (int i = 0; i < 2; i++) json_int(rows, is_cut(asked[i]) ? keep_text(t, asked[i]) : -1);
    for (size_t i = 0; i < g->agents; i++) {
        const struct casebook_answer *a = &c->answers[i];
        struct str text =
            a->try_count ? casebook_output(a->tries[a->of->telling].note, &scratch) : S("");
        bool is_kept = is_cut(text) && (keep == KEEP_ALL || a->of->state != CASE_RIGHT);
        json_int(rows, is_kept ? keep_text(t, text) : -1);
    }
    json_end(rows);
    arena_close(&scratch);
}

/* The block as it stands in the page; nothing if no text was cut. */
static void pack(const struct casebook *book, enum keep keep, struct buf *out)
{
    struct texts t = {.arena = arena_open()};
    struct buf list;
    struct buf raw;
    struct buf packed;
    struct json rows;
    struct grid g = grid_of(book);
    buf_init(&t.list, (size_t)512 << 20);
    buf_init(&list, (size_t)64 << 20);
    buf_init(&raw, (size_t)512 << 20);
    buf_init(&packed, (size_t)512 << 20);
    json_init(&t.j, &t.list, 0);
    json_init(&rows, &list, 0);
    json_list(&t.j);
    json_list(&rows);
    for (size_t i = 0; i < book->count; i++) {
        if (takes(&g, &book->cases[i])) keep_row(&t, &rows, &g, &book->cases[i], keep);
    }
    json_end(&t.j);
    json_end(&rows);
    if (t.count > 0) {
        buf_text(&raw, "{\"texts\":");
        buf_add(&raw, buf_str(&t.list));
        buf_text(&raw, ",\"rows\":");
        buf_add(&raw, buf_str(&list));
        buf_text(&raw, "}");
        gzip_pack(buf_str(&raw), &packed);
        base64_add(out, packed.p, packed.n);
    }
    buf_release(&packed);
    buf_release(&raw);
    buf_release(&list);
    buf_release(&t.list);
    arena_close(&t.arena);
}

static const char script[] =
    "document.documentElement.classList.add('js');\n"
    "(()=>{const $=(s,e=document)=>[...e.querySelectorAll(s)];\n"
    "const rows=[],groups=[];$('table.grid tbody tr').forEach(r=>{if(r.matches('.g')){r.of=[];"
    "groups.push(r)}else{rows.push(r);groups.at(-1).of.push(r)}});\n"
    "const show=k=>{rows.forEach(r=>r.hidden=!!k&&!r.dataset.f.includes(k));\n"
    "groups.forEach(g=>g.hidden=g.of.every(r=>r.hidden))};\n"
    "$('.chip').forEach(c=>c.onclick=()=>{$('.chip').forEach(o=>o.setAttribute('aria-pressed',"
    "o===c));show(c.dataset.k)});\n"
    "let whole;const load=async()=>{if(whole)return whole;const e=document.getElementById("
    "'answers');if(!e)return whole={texts:[],rows:[]};const b=Uint8Array.from(atob(JSON.parse("
    "e.textContent).gzip),c=>c.charCodeAt(0));const s=new Blob([b]).stream().pipeThrough(new "
    "DecompressionStream('gzip'));return whole=JSON.parse(await new Response(s).text())};\n"
    "const heads=$('table.grid th').map(t=>t.textContent);\n"
    "const d=document.createElement('dialog');document.body.append(d);\n"
    "const open=async i=>{const w=await load();const "
    "r=rows[i],at=w.rows[i]||[];d.replaceChildren("
    ");const h=document.createElement('header');const n=document.createElement('b');"
    "n.textContent=$('button',r)[0].textContent;const x=document.createElement('button');"
    "x.className='chip';x.textContent='Close';x.onclick=()=>d.close();h.append(n,x);d.append(h)"
    ";\n"
    "[...r.cells].forEach((c,k)=>{const code=$('code',c)[0];const t=at[k]>=0?w.texts[at[k]]:"
    "code?code.textContent:'';const a=document.createElement('h3');const m=$('i',c)[0];const s="
    "$('small',c)[0];a.textContent=(m?m.textContent+' ':'')+(k?heads[k]:'input')+(s?': '+"
    "s.textContent:'');const p=document.createElement('pre');p.textContent=t;d.append(a,p)});\n"
    "if(!d.open)d.showModal();cur=i};let cur=-1;\n"
    "rows.forEach((r,i)=>$('button',r)[0].onclick=()=>open(i));\n"
    "d.onclick=e=>{if(e.target===d)d.close()};\n"
    "addEventListener('keydown',e=>{if(!d.open||!'jk'.includes(e.key))return;const "
    "s=e.key==='j'"
    "?1:-1;let i=cur+s;while(rows[i]&&rows[i].hidden)i+=s;if(rows[i])open(i)});\n"
    "})();\n";

/* Names in a report are other people's: should one get past the escaping, it still runs
 * nothing but this script and fetches nothing. */
void html_policy(struct buf *out)
{
    char hex[SHA256_HEX_SIZE];
    unsigned char digest[SHA256_HEX_SIZE / 2];
    struct buf text;
    buf_init(&text, sizeof script + 1);
    buf_printf(&text, "\n%s", script);
    id_sha256(buf_str(&text), hex);
    buf_release(&text);
    for (size_t i = 0; i < sizeof digest; i++) {
        const char pair[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        digest[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    buf_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "script-src 'sha256-");
    base64_add(out, digest, sizeof digest);
    buf_text(out, "'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
                  "form-action 'none'\">\n");
}

void html_answers(struct page *p)
{
    const struct casebook *book = p->options->book;
    enum report_answers how = p->options->answers;
    if (!book || book->count == 0) return;
    struct buf block;
    buf_init(&block, (size_t)512 << 20);
    bool is_wanted = how == REPORT_ANSWERS_FIT || how == REPORT_ANSWERS_FULL;
    for (enum keep keep = KEEP_ALL; is_wanted && keep < KEEP_NONE; keep++) {
        buf_clear(&block);
        pack(book, keep, &block);
        bool fits = p->out->n + block.n + sizeof script + 1024 < REPORT_PAGE_BYTES;
        if (how == REPORT_ANSWERS_FULL || fits) {
            if (keep == KEEP_WRONG) {
                buf_text(p->out,
                         "<p class=\"sub\">Whole answers: of those that did not pass; the "
                         "others have their first 200 characters (--answers full has "
                         "all).</p>\n");
            }
            break;
        }
        buf_clear(&block);
    }
    if (block.n > 0) {
        buf_text(p->out, "<script type=\"application/json\" id=\"answers\">{\"gzip\":\"");
        buf_add(p->out, buf_str(&block));
        buf_text(p->out, "\"}</script>\n");
    }
    buf_printf(p->out, "<script>\n%s</script>\n", script);
    buf_release(&block);
}
