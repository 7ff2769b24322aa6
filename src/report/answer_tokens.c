/* The tokens of the API: those that there are, and a new one, shown once. */
#include "report/answer_tokens.h"

#include "report/answers.h"

static const char *state_of(const struct token_record *t, const char *now)
{
    if (t->revoked_at) return "revoked";
    return t->expires_at && strcmp(t->expires_at, now) <= 0 ? "expired" : "valid";
}

static void put_state(struct json *j, const void *owner, const void *whole)
{
    json_text(j, state_of(owner, ((const struct answer_tokens *)whole)->now));
}

#define OF struct token_record
static const struct layout_field row_fields[] = {
    LAYOUT_FIELD("id", id, "of the token; not the token"),
    LAYOUT_FIELD("name", name, "what it is called"),
    LAYOUT_FIELD("workspace", workspace, "that it gives access to"),
    LAYOUT_FIELD("role", role, "read, run or admin"),
    LAYOUT_FIELD("created_at", created_at, "when it was made"),
    LAYOUT_FIELD("expires_at", expires_at, "null: never"),
    LAYOUT_FIELD("last_used_at", last_used_at, "to the hour; null: never"),
    LAYOUT_FIELD("revoked_at", revoked_at, "null: it is not"),
};
static const struct layout row_layout = LAYOUT(row_fields);
static const struct layout_field listed_fields[] = {
    LAYOUT_ALSO(&row_layout),
    LAYOUT_CALL("state", put_state, "string", "valid, expired or revoked"),
};
static const struct layout listed_layout = LAYOUT_OF(OF, listed_fields);
#undef OF

#define OF struct answer_tokens
static const struct layout_field tokens_fields[] = {
    LAYOUT_LIST("tokens", rows, count, &listed_layout, "in the order of making"),
};
static const struct layout tokens_layout = LAYOUT(tokens_fields);
#undef OF

static void tokens_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_tokens *a = answer;
    if (a->count == 0 && !look->quiet) {
        buf_text(out, "there is no token; `assay tokens new --role read NAME` makes one\n");
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct token_record *t = &a->rows[i];
        buf_printf(out, "%-20s %-6s %-14s %-8s expires %.10s, last used %.16s\n", t->name,
                   t->role, t->workspace, state_of(t, a->now),
                   t->expires_at ? t->expires_at : "never",
                   t->last_used_at ? t->last_used_at : "never");
    }
}

const struct answer answer_tokens = {
    ANSWER_NAME("tokens"),
    .summary = "who may use the API",
    .layout = &tokens_layout,
    .text = tokens_text,
};

#define OF struct answer_new_token
static const struct layout_field token_fields[] = {
    LAYOUT_PART(row, &row_layout),
    LAYOUT_FIELD("token", token, "the token itself: shown once, stored nowhere"),
};
static const struct layout token_layout = LAYOUT(token_fields);
#undef OF

static void token_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_new_token *a = answer;
    buf_printf(out, "%s\n", a->token);
    if (look->quiet) return;
    buf_printf(
        out,
        "'%s' may %s in workspace '%s' until %.10s; it is not stored and cannot be shown "
        "again\n",
        a->row.name,
        strcmp(a->row.role, "read") == 0  ? "read"
        : strcmp(a->row.role, "run") == 0 ? "read and start runs"
                                          : "do everything",
        a->row.workspace, a->row.expires_at ? a->row.expires_at : "it is revoked");
}

const struct answer answer_new_token = {
    ANSWER_NAME("new_token"),
    .summary = "a new token: the only time that it is shown",
    .layout = &token_layout,
    .text = token_text,
};
