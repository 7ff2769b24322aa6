#include "evolve/playbook.h"

void playbook_write(const struct challenge *p, const struct genome *g, struct buf *out)
{
    buf_printf(out, "playbook %s\n", p->agent);
    for (size_t i = 0; i < p->segments; i++) {
        struct segment s = g->segments[i];
        if (s.line >= 0) buf_printf(out, "- %s @%d\n", p->lines[s.line].name, s.setting);
    }
}

static bool find_line(const struct challenge *p, struct str name, int16_t *line)
{
    for (size_t i = 0; i < p->line_count; i++) {
        if (!str_is(name, p->lines[i].name)) continue;
        *line = (int16_t)i;
        return true;
    }
    return false;
}

static bool parse_row(const struct challenge *p, struct str row, struct segment *s,
                      struct error *err)
{
    struct str rest = row;
    struct str name = str_trim(str_cut(&rest, '@'));
    int64_t setting = 0;
    if (rest.p && (!str_to_int(str_trim(rest), &setting) || setting < 0 ||
                   setting >= CHALLENGE_SETTINGS)) {
        return error_set(err, ERROR_INVALID, "the setting of '%.*s' must be 0 to %d",
                         STR_ARG(name), CHALLENGE_SETTINGS - 1);
    }
    s->setting = (uint8_t)setting;
    if (find_line(p, name, &s->line)) return true;
    return error_set(err, ERROR_INVALID, "the library has no line '%.*s'",
                     (int)(name.n < 60 ? name.n : 60), name.p ? name.p : "");
}

bool playbook_parse(const struct challenge *p, struct str text, struct genome *g,
                    struct error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < p->segments; i++) g->segments[i] = (struct segment){-1, 0};
    for (struct str rest = text; rest.p;) {
        struct str row = str_trim(str_cut(&rest, '\n'));
        if (!str_starts(row, S("- "))) continue;
        if (count == p->segments)
            return error_set(err, ERROR_INVALID, "a playbook of %s has at most %zu rows",
                             p->agent, p->segments);
        if (!parse_row(p, (struct str){row.p + 2, row.n - 2}, &g->segments[count], err))
            return error_wrap(err, "row %zu", count + 1);
        count++;
    }
    if (count == 0) return error_set(err, ERROR_INVALID, "no row that begins with '- '");
    return true;
}

void playbook_code(const struct challenge *p, const struct genome *g, struct buf *out)
{
    for (size_t i = 0; i < p->segments; i++) {
        struct segment s = g->segments[i];
        if (s.line < 0) continue;
        const struct library_line *line = &p->lines[s.line];
        buf_printf(out, "def %s_at_%d(task, notes):\n", line->name, s.setting);
        buf_printf(out, "    \"\"\"%.*s\"\"\"\n", STR_ARG(line->text));
        buf_printf(out, "    level = %d\n", s.setting);
        buf_text(out, "    for wish in task.wishes:\n"
                      "        if wish.level <= level and wish.name not in notes:\n");
        buf_printf(out, "            notes.append(\"%.*s\")\n", STR_ARG(line->text));
        buf_text(out, "    return notes\n\n\n");
    }
}
