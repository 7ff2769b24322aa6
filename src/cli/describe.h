/* describe.h - an entry of the catalog as text, JSON or Markdown. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/catalog.h"

#include <stdio.h>

/* For people, at a terminal: says too whether this machine can do it. */
void describe_text(const struct catalog_kind *kind, const struct registry_entry *entry,
                   struct arena *scratch, FILE *out);

void describe_json(const struct catalog_kind *kind, const struct registry_entry *entry,
                   struct arena *scratch, struct json *j);

/* A section of the reference page. Nothing in it depends on the machine. */
void describe_markdown(const struct catalog_kind *kind, const struct registry_entry *entry,
                       FILE *out);

#endif
