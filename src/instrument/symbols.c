#include "instrument/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYMBOLS_MAX = 500000, SEGMENTS_MAX = 32 };

struct symbol {
    uint64_t address;
    uint64_t size;
    const char *name;
};

struct segment {
    uint64_t file_offset;
    uint64_t address;
    uint64_t size;
};

struct symbols {
    struct symbol *items; /* by address */
    size_t count;
    struct segment segments[SEGMENTS_MAX]; /* executable ones */
    size_t segment_count;
};

/* The file as mapped; at() is the only way into it. */
struct image {
    const char *bytes;
    uint64_t size;
    Elf64_Ehdr head;
};

static const void *at(const struct image *f, uint64_t offset, uint64_t size)
{
    if (offset > f->size || size > f->size - offset) return NULL;
    return f->bytes + offset;
}

static bool read_head(struct image *f)
{
    const void *raw = at(f, 0, sizeof f->head);
    if (!raw) return false;
    memcpy(&f->head, raw, sizeof f->head);
    const Elf64_Ehdr *h = &f->head;
    return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_shentsize == sizeof(Elf64_Shdr) &&
           h->e_phentsize == sizeof(Elf64_Phdr);
}

static void load_segments(const struct image *f, struct symbols *s)
{
    const Elf64_Ehdr *h = &f->head;
    for (uint64_t i = 0; i < h->e_phnum && s->segment_count < SEGMENTS_MAX; i++) {
        Elf64_Phdr p;
        const void *raw = at(f, h->e_phoff + i * sizeof p, sizeof p);
        if (!raw) return;
        memcpy(&p, raw, sizeof p);
        if (p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
        s->segments[s->segment_count++] = (struct segment){p.p_offset, p.p_vaddr, p.p_filesz};
    }
}

static bool find_table(const struct image *f, uint32_t type, Elf64_Shdr *table,
                       Elf64_Shdr *names)
{
    const Elf64_Ehdr *h = &f->head;
    for (uint64_t i = 0; i < h->e_shnum; i++) {
        const void *raw = at(f, h->e_shoff + i * sizeof *table, sizeof *table);
        if (!raw) return false;
        memcpy(table, raw, sizeof *table);
        if (table->sh_type != type || table->sh_link >= h->e_shnum) continue;
        raw = at(f, h->e_shoff + table->sh_link * sizeof *names, sizeof *names);
        if (!raw) return false;
        memcpy(names, raw, sizeof *names);
        return true;
    }
    return false;
}

/* A name that ends inside its table, copied; NULL otherwise. */
static const char *name_at(const struct image *f, const Elf64_Shdr *names, uint32_t offset,
                           struct arena *out)
{
    if (offset >= names->sh_size) return NULL;
    const char *p = at(f, names->sh_offset + offset, names->sh_size - offset);
    size_t room = names->sh_size - offset;
    const char *end = p ? memchr(p, '\0', room) : NULL;
    return end && end > p ? arena_copy(out, p, (size_t)(end - p)) : NULL;
}

static void load_table(const struct image *f, uint32_t type, struct symbols *s,
                       struct arena *out)
{
    Elf64_Shdr table;
    Elf64_Shdr names;
    if (!find_table(f, type, &table, &names)) return;
    uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    if (count > SYMBOLS_MAX) count = SYMBOLS_MAX;
    const char *raw = at(f, table.sh_offset, count * sizeof(Elf64_Sym));
    if (!raw) return;
    s->items = arena_new(out, struct symbol, count);
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Sym sym;
        memcpy(&sym, raw + i * sizeof sym, sizeof sym);
        int kind = ELF64_ST_TYPE(sym.st_info);
        if ((kind != STT_FUNC && kind != STT_GNU_IFUNC) || sym.st_value == 0) continue;
        const char *name = name_at(f, &names, sym.st_name, out);
        if (name) s->items[s->count++] = (struct symbol){sym.st_value, sym.st_size, name};
    }
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a;
    const struct symbol *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

struct symbols *symbols_load(const char *path, struct arena *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    struct stat st;
    void *bytes = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (bytes == MAP_FAILED) return NULL;
    struct image f = {.bytes = bytes, .size = (uint64_t)st.st_size};
    struct symbols *s = NULL;
    if (read_head(&f)) {
        s = arena_new(out, struct symbols, 1);
        load_segments(&f, s);
        load_table(&f, SHT_SYMTAB, s, out);
        if (s->count == 0) load_table(&f, SHT_DYNSYM, s, out);
        if (s->count > 0) qsort(s->items, s->count, sizeof *s->items, by_address);
    }
    munmap(bytes, f.size);
    return s;
}

static bool to_address(const struct symbols *s, uint64_t file_offset, uint64_t *address)
{
    for (size_t i = 0; i < s->segment_count; i++) {
        const struct segment *g = &s->segments[i];
        if (file_offset < g->file_offset || file_offset - g->file_offset >= g->size) continue;
        *address = file_offset - g->file_offset + g->address;
        return true;
    }
    return false;
}

const char *symbols_find(const struct symbols *s, uint64_t file_offset)
{
    uint64_t address = 0;
    if (!s || s->count == 0 || !to_address(s, file_offset, &address)) return NULL;
    size_t low = 0;
    size_t high = s->count; /* the last symbol at or below the address is before `high` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->items[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) return NULL;
    const struct symbol *found = &s->items[low - 1];
    bool is_inside = found->size == 0 || address - found->address < found->size;
    return is_inside ? found->name : NULL;
}
