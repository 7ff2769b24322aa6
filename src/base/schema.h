/* schema.h - JSON Schema, a documented part of draft 2020-12.
 *
 * Keywords it knows, all with the draft's meaning:
 *
 *     type enum const
 *     minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
 *     minLength maxLength pattern
 *     items prefixItems contains minContains maxContains minItems maxItems uniqueItems
 *     properties patternProperties additionalProperties propertyNames required
 *     minProperties maxProperties dependentRequired dependentSchemas
 *     allOf anyOf oneOf not if then else
 *     $ref (within the schema: "#/$defs/x"), $defs, definitions
 *     title description default examples deprecated readOnly writeOnly $comment
 *     $schema (2020-12), $id (at the root)
 *
 * Every other keyword is refused, with its place: a check that silently skips
 * `format` or `unevaluatedProperties` would pass answers that its author meant
 * to fail. Patterns are PCRE2's with limited work; so is the whole validation. */
#ifndef BASE_SCHEMA_H
#define BASE_SCHEMA_H

#include "base/error.h"
#include "base/problems.h"
#include "base/value.h"

struct schema;

/* The tree must outlive the schema. True if there was no problem. */
MUST_USE bool schema_compile(const struct value *v, struct arena *out,
                             const struct schema **schema, struct problems *problems);

/* *why is NULL if the value is valid, else the first reason with its place:
 * "/items/0/n must be at least 1 (is 0)". Fails when the work is used up. */
MUST_USE bool schema_validate(const struct schema *schema, const struct value *v,
                              struct arena *out, const char **why, struct error *err);

#endif
