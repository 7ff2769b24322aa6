#include "instrument/stacks.h"

#include "base/id.h"
#include "base/os.h"
#include "instrument/symbols.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILES_MAX = 512, DEPTH_MAX = 128, FOLDED_SLOTS = 1 << 14, STACK_TEXT_MAX = 1 << 15 };

struct file { /* a program or library, read once */
    const char *path;
    const char *base_name;
    struct symbols *symbols;
};

struct map {
    uint64_t address;
    uint64_t length;
    uint64_t file_offset;
    size_t file;      /* FILES_MAX = one of those that there was no room for */
    struct map *next; /* newest first: a later mapping hides an earlier one */
};

struct process {
    pid_t pid;
    const char *name;
    struct map *maps;
    struct process *next;
};

struct folded {
    uint64_t hash;
    const char *text;
    int64_t count;
};

struct stacks {
    struct arena files_arena; /* lives long */
    struct arena arena;       /* samples and processes */
    struct file files[FILES_MAX];
    size_t file_count;
    struct process *processes;
    struct folded folded[FOLDED_SLOTS];
    size_t folded_count;
    int64_t overflow; /* samples of stacks beyond the table */
};

struct stacks *stacks_open(void)
{
    struct arena files_arena = arena_open();
    struct stacks *s = arena_new(&files_arena, struct stacks, 1);
    s->files_arena = files_arena;
    s->arena = arena_open();
    return s;
}

void stacks_close(struct stacks *s)
{
    if (!s) return;
    arena_close(&s->arena);
    struct arena last = s->files_arena; /* it holds `s` itself */
    arena_close(&last);
}

void stacks_clear(struct stacks *s)
{
    arena_reset(&s->arena);
    s->processes = NULL;
    memset(s->folded, 0, sizeof s->folded);
    s->folded_count = 0;
    s->overflow = 0;
}

static struct process *process_of(struct stacks *s, pid_t pid)
{
    for (struct process *p = s->processes; p; p = p->next) {
        if (p->pid == pid) return p;
    }
    struct process *p = arena_new(&s->arena, struct process, 1);
    p->pid = pid;
    p->name = "?";
    p->next = s->processes;
    s->processes = p;
    return p;
}

static size_t file_of(struct stacks *s, const char *path)
{
    for (size_t i = 0; i < s->file_count; i++) {
        if (strcmp(s->files[i].path, path) == 0) return i;
    }
    if (s->file_count == FILES_MAX) return FILES_MAX;
    struct file *f = &s->files[s->file_count];
    f->path = str_cstr(&s->files_arena, str_of(path));
    const char *slash = strrchr(f->path, '/');
    f->base_name = slash ? slash + 1 : f->path;
    f->symbols = symbols_load(path, &s->files_arena);
    return s->file_count++;
}

void stacks_add_map(struct stacks *s, pid_t pid, const struct stacks_map *map)
{
    struct process *p = process_of(s, pid);
    struct map *m = arena_new(&s->arena, struct map, 1);
    *m = (struct map){map->address, map->length, map->file_offset, file_of(s, map->path),
                      p->maps};
    p->maps = m;
}

void stacks_fork(struct stacks *s, pid_t child, pid_t parent)
{
    const struct process *from = process_of(s, parent);
    const char *name = from->name;
    struct map *maps = from->maps;
    struct process *to = process_of(s, child);
    to->name = name;
    to->maps = maps; /* shared: each side only puts new ones in front */
}

void stacks_rename(struct stacks *s, pid_t pid, const char *name, bool is_exec)
{
    struct process *p = process_of(s, pid);
    p->name = str_cstr(&s->arena, str_of(name));
    if (is_exec) p->maps = NULL;
}

void stacks_know_process(struct stacks *s, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    stacks_rename(s, pid, str_cstr(&s->arena, os_read_line(path, &s->arena)), true);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    struct str text = {0};
    if (!os_read_file(path, (size_t)4 << 20, &s->arena, &text, NULL)) return;
    while (text.p) {
        struct str line = str_cut(&text, '\n');
        const char *words = str_cstr(&s->arena, line);
        char *rest = NULL;
        uint64_t start = strtoull(words, &rest, 16);
        uint64_t end = *rest == '-' ? strtoull(rest + 1, &rest, 16) : 0;
        const char *file = strchr(words, '/');
        if (end <= start || strncmp(rest, " r-x", 4) != 0 || !file) continue;
        struct stacks_map map = {start, end - start, strtoull(rest + 6, NULL, 16), file};
        stacks_add_map(s, pid, &map);
    }
}

/* ---- naming and counting ---- */

static void add_name(struct stacks *s, const struct process *p, uint64_t address,
                     struct buf *out)
{
    for (const struct map *m = p->maps; m; m = m->next) {
        if (address < m->address || address - m->address >= m->length) continue;
        if (m->file == FILES_MAX) break;
        const struct file *f = &s->files[m->file];
        uint64_t offset = address - m->address + m->file_offset;
        const char *name = symbols_find(f->symbols, offset);
        if (name) {
            buf_text(out, name);
        } else {
            buf_printf(out, "[%s]", f->base_name);
        }
        return;
    }
    buf_text(out, "[unknown]");
}

static void count(struct stacks *s, struct str text)
{
    uint64_t hash = id_hash(text) | 1;
    for (size_t probe = 0; probe < FOLDED_SLOTS; probe++) {
        struct folded *slot = &s->folded[(hash + probe) % FOLDED_SLOTS];
        if (slot->hash == hash && strcmp(slot->text, text.p) == 0) {
            slot->count++;
            return;
        }
        if (slot->hash != 0) continue;
        if (s->folded_count >= FOLDED_SLOTS * 3 / 4) break;
        *slot = (struct folded){hash, str_cstr(&s->arena, text), 1};
        s->folded_count++;
        return;
    }
    s->overflow++;
}

void stacks_add(struct stacks *s, pid_t pid, const uint64_t *addresses, uint64_t depth)
{
    const struct process *p = process_of(s, pid);
    uint64_t user[DEPTH_MAX];
    size_t n = 0;
    for (uint64_t i = 0; i < depth && n < DEPTH_MAX; i++) {
        bool is_mark = addresses[i] >= (uint64_t)PERF_CONTEXT_MAX;
        /* A return address is after its call: one byte before is still in it. */
        if (!is_mark) user[n] = addresses[i] - (n > 0), n++;
    }
    char text[STACK_TEXT_MAX];
    struct buf b;
    buf_over(&b, text, sizeof text);
    buf_text(&b, p->name);
    for (size_t i = n; i-- > 0;) {
        buf_add_char(&b, ';');
        add_name(s, p, user[i], &b);
    }
    count(s, buf_str(&b));
}

static int by_count(const void *a, const void *b)
{
    const struct folded *const *x = a;
    const struct folded *const *y = b;
    if ((*x)->count != (*y)->count) return (*x)->count < (*y)->count ? 1 : -1;
    return strcmp((*x)->text, (*y)->text);
}

void stacks_write(const struct stacks *s, struct buf *out)
{
    struct arena scratch = s->arena;
    const struct folded **order = arena_new(&scratch, const struct folded *, s->folded_count);
    size_t n = 0;
    for (size_t i = 0; i < FOLDED_SLOTS; i++) {
        if (s->folded[i].hash) order[n++] = &s->folded[i];
    }
    if (n > 0) qsort(order, n, sizeof *order, by_count);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%s %lld\n", order[i]->text, (long long)order[i]->count);
    }
    if (s->overflow) buf_printf(out, "[other] %lld\n", (long long)s->overflow);
}
