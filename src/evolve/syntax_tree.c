/* The boundary to libtree-sitter 0.20: its structs are declared here, so that building needs
 * neither its headers nor the grammar. */
#include "evolve/syntax_tree.h"

#include "base/library.h"
#include "base/os.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

struct input_edit {
    uint32_t start_byte, old_end_byte, new_end_byte;
    struct syntax_point start_point, old_end_point, new_end_point;
};

struct node {
    uint32_t context[4];
    const void *id;
    const void *tree;
};

struct syntax_parser {
    void *library, *grammar;
    void *parser;
    void *(*parser_new)(void);
    void (*parser_delete)(void *parser);
    bool (*parser_set_language)(void *parser, const void *language);
    void *(*parse_string)(void *parser, const void *old_tree, const char *text, uint32_t n);
    void *(*tree_copy)(const void *tree);
    void (*tree_delete)(void *tree);
    void (*tree_edit)(void *tree, const struct input_edit *edit);
    struct node (*tree_root)(const void *tree);
    bool (*node_has_error)(struct node node);
    uint32_t (*node_child_count)(struct node node);
    struct node (*node_child)(struct node node, uint32_t i);
    const char *(*node_type)(struct node node);
    uint32_t (*node_start)(struct node node);
    uint32_t (*node_end)(struct node node);
    struct syntax_point (*node_start_point)(struct node node);
    struct syntax_point (*node_end_point)(struct node node);
    const void *(*language)(void);
};

static const char *grammar_path(struct arena *out)
{
    static const char name[] = "tree-sitter-python.so";
    const char *given = getenv("ASSAY_GRAMMAR");
    if (given && *given) return given;
    const char *folder = os_program_folder(out);
    if (!folder) return name;
    const char *beside = arena_printf(out, "%s/%s", folder, name);
    return os_exists(beside) ? beside : arena_printf(out, "%s/../lib/assay/%s", folder, name);
}

bool syntax_parser_open(struct arena *out, struct syntax_parser **parser, struct error *err)
{
    struct syntax_parser *p = arena_new(out, struct syntax_parser, 1);
    const struct library_symbol symbols[] = {
        {"ts_parser_new", &p->parser_new},
        {"ts_parser_delete", &p->parser_delete},
        {"ts_parser_set_language", &p->parser_set_language},
        {"ts_parser_parse_string", &p->parse_string},
        {"ts_tree_copy", &p->tree_copy},
        {"ts_tree_delete", &p->tree_delete},
        {"ts_tree_edit", &p->tree_edit},
        {"ts_tree_root_node", &p->tree_root},
        {"ts_node_has_error", &p->node_has_error},
        {"ts_node_child_count", &p->node_child_count},
        {"ts_node_child", &p->node_child},
        {"ts_node_type", &p->node_type},
        {"ts_node_start_byte", &p->node_start},
        {"ts_node_end_byte", &p->node_end},
        {"ts_node_start_point", &p->node_start_point},
        {"ts_node_end_point", &p->node_end_point},
    };
    const struct library_symbol language[] = {{"tree_sitter_python", &p->language}};
    if (!library_load("libtree-sitter.so.0",
                      "libtree-sitter is not installed (Debian: libtree-sitter0)", symbols,
                      COUNT(symbols), &p->library, err))
        return false;
    if (!library_load(grammar_path(out),
                      "there is no grammar of Python: `make grammar` builds "
                      "tree-sitter-python.so from its npm package",
                      language, COUNT(language), &p->grammar, err)) {
        dlclose(p->library);
        return false;
    }
    p->parser = p->parser_new();
    const void *language_of = p->language();
    if (!language_of || !p->parser_set_language(p->parser, language_of)) {
        syntax_parser_close(p);
        return error_set(err, ERROR_UNAVAILABLE,
                         "libtree-sitter does not take this grammar or its version");
    }
    *parser = p;
    return true;
}

void syntax_parser_close(struct syntax_parser *p)
{
    p->parser_delete(p->parser);
    dlclose(p->grammar);
    dlclose(p->library);
}

struct syntax_tree syntax_tree_parse(const struct syntax_parser *p, struct str code)
{
    CHECK(code.n < UINT32_MAX);
    return (struct syntax_tree){p->parse_string(p->parser, NULL, code.p, (uint32_t)code.n),
                                code};
}

struct syntax_point syntax_point_at(struct str code, size_t at)
{
    struct syntax_point p = {0, (uint32_t)at};
    const char *line = code.p;
    for (const char *end = code.p + at; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next) break;
        line = next + 1;
        p.row++;
    }
    p.column = (uint32_t)(code.p + at - line);
    return p;
}

struct syntax_tree syntax_tree_parse_again(const struct syntax_parser *p,
                                           const struct syntax_tree *before, struct str code)
{
    CHECK(code.n < UINT32_MAX);
    struct str old = before->code;
    size_t least = old.n < code.n ? old.n : code.n;
    size_t start = 0;
    size_t tail = 0;
    while (start < least && old.p[start] == code.p[start]) start++;
    while (tail < least - start && old.p[old.n - 1 - tail] == code.p[code.n - 1 - tail]) tail++;
    struct input_edit edit = {
        .start_byte = (uint32_t)start,
        .old_end_byte = (uint32_t)(old.n - tail),
        .new_end_byte = (uint32_t)(code.n - tail),
        .start_point = syntax_point_at(code, start),
        .old_end_point = syntax_point_at(old, old.n - tail),
        .new_end_point = syntax_point_at(code, code.n - tail),
    };
    void *edited = p->tree_copy(before->tree);
    p->tree_edit(edited, &edit);
    void *tree = p->parse_string(p->parser, edited, code.p, (uint32_t)code.n);
    p->tree_delete(edited);
    return (struct syntax_tree){tree, code};
}

void syntax_tree_release(const struct syntax_parser *p, struct syntax_tree *tree)
{
    if (tree->tree) p->tree_delete(tree->tree);
    tree->tree = NULL;
}

bool syntax_tree_has_error(const struct syntax_parser *p, const struct syntax_tree *tree)
{
    return p->node_has_error(p->tree_root(tree->tree));
}

size_t syntax_tree_statements(const struct syntax_parser *p, const struct syntax_tree *tree)
{
    return p->node_child_count(p->tree_root(tree->tree));
}

static bool same_point(struct syntax_point a, struct syntax_point b)
{
    return a.row == b.row && a.column == b.column;
}

static bool same_node(const struct syntax_parser *p, struct node a, struct node b)
{
    uint32_t count = p->node_child_count(a);
    if (strcmp(p->node_type(a), p->node_type(b)) != 0 || count != p->node_child_count(b) ||
        p->node_start(a) != p->node_start(b) || p->node_end(a) != p->node_end(b) ||
        !same_point(p->node_start_point(a), p->node_start_point(b)) ||
        !same_point(p->node_end_point(a), p->node_end_point(b)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!same_node(p, p->node_child(a, i), p->node_child(b, i))) return false;
    }
    return true;
}

bool syntax_tree_same(const struct syntax_parser *p, const struct syntax_tree *a,
                      const struct syntax_tree *b)
{
    return same_node(p, p->tree_root(a->tree), p->tree_root(b->tree));
}
