/* syntax_tree.h - Python parsed by tree-sitter, whole or only where it has changed.
 *
 * Both libraries are loaded when they are first needed: libtree-sitter (Debian libtree-sitter0)
 * and the grammar, a shared object that `make grammar` compiles from the npm package
 * tree-sitter-python. Where one is missing, syntax_parser_open fails with ERROR_UNAVAILABLE and
 * says which. The grammar is looked for at $ASSAY_GRAMMAR, next to the program, and in
 * ../lib/assay.
 *
 * tree-sitter re-parses by reusing every node that an edit did not touch (Wagner 1998); the
 * result is the tree that a full parse gives. */
#ifndef EVOLVE_SYNTAX_TREE_H
#define EVOLVE_SYNTAX_TREE_H

#include "base/error.h"
#include "base/str.h"

struct syntax_parser;

struct syntax_point {
    uint32_t row, column; /* from 0; columns in bytes */
};

/* Where byte `at` of `code` is. A parser is told so of every edit; its trees come out the same
 * with wrong rows too (0.20 parses again whatever an edit touched), but it need not stay so. */
struct syntax_point syntax_point_at(struct str code, size_t at);

/* A value; ends with syntax_tree_release. */
struct syntax_tree {
    void *tree;
    struct str code;
};

MUST_USE bool syntax_parser_open(struct arena *out, struct syntax_parser **parser,
                                 struct error *err);
void syntax_parser_close(struct syntax_parser *parser);

/* The tree of `code`, which must outlive it. */
struct syntax_tree syntax_tree_parse(const struct syntax_parser *parser, struct str code);

/* The tree of `code`, given that of the code before. The changed bytes are found by comparing the
 * two from both ends. `before` stays as it is. */
struct syntax_tree syntax_tree_parse_again(const struct syntax_parser *parser,
                                           const struct syntax_tree *before, struct str code);
void syntax_tree_release(const struct syntax_parser *parser, struct syntax_tree *tree);

bool syntax_tree_has_error(const struct syntax_parser *parser, const struct syntax_tree *tree);
size_t syntax_tree_statements(const struct syntax_parser *parser,
                              const struct syntax_tree *tree); /* top-level statements */

/* Whether both have the same nodes: types, bytes, rows and columns. */
bool syntax_tree_same(const struct syntax_parser *parser, const struct syntax_tree *a,
                      const struct syntax_tree *b);

#endif
