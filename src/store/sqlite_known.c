/* What is known of each agent, kept while nothing of it changes.
 *
 * Triggers give an agent a new random stamp with each change of one of its executions,
 * whoever makes it (sqlite_schema.c, `stamps`). Rows about one agent follow from the filter,
 * the agent's name and its stamp: under these they are in the store's memo, and only agents
 * that changed are asked about again. A stamp that was rolled back never comes again. */
#include "store/sqlite_internal.h"

/* Of one agent: then the rows, the place of each of their texts in the block (0: NULL), the
 * texts. */
struct block {
    size_t bytes;
    size_t count;
};

/* The i-th of all texts of the rows. */
static const char **text_at(const struct sqlite_known *what, void *rows, size_t i)
{
    char *row = (char *)rows + i / what->text_count * what->size;
    return (const char **)(void *)(row + what->texts[i % what->text_count]);
}

static size_t *places_of(const struct sqlite_known *what, struct block *block)
{
    return (size_t *)(void *)((char *)(block + 1) + block->count * what->size);
}

static const struct block *pack(const struct sqlite_known *what, void *rows, size_t count,
                                struct arena *out)
{
    size_t texts = count * what->text_count;
    size_t at = sizeof(struct block) + count * what->size + texts * sizeof(size_t);
    size_t bytes = at;
    for (size_t i = 0; i < texts; i++) {
        const char *text = *text_at(what, rows, i);
        bytes += text ? strlen(text) + 1 : 0;
    }
    struct block *block = arena_alloc(out, bytes, 1, _Alignof(max_align_t));
    *block = (struct block){bytes, count};
    if (count) memcpy(block + 1, rows, count * what->size);
    for (size_t i = 0; i < texts; i++) {
        const char *text = *text_at(what, rows, i);
        if (!text) continue;
        places_of(what, block)[i] = at;
        memcpy((char *)block + at, text, strlen(text) + 1);
        at += strlen(text) + 1;
    }
    return block;
}

static void *unpack(const struct sqlite_known *what, const struct block *kept,
                    struct arena *out)
{
    struct block *block = arena_alloc(out, kept->bytes, 1, _Alignof(max_align_t));
    memcpy(block, kept, kept->bytes);
    const size_t *places = places_of(what, block);
    for (size_t i = 0; i < block->count * what->text_count; i++)
        *text_at(what, block + 1, i) = places[i] ? (char *)block + places[i] : NULL;
    return block + 1;
}

struct agent {
    const char *id;
    const char *name;
    int64_t stamp;
    void *rows;
    size_t count;
};

static bool list_agents(struct sqlite *s, struct arena *out, struct agent **agents,
                        size_t *count, struct error *err)
{
    static const char sql[] = "SELECT s.agent_id, a.name, s.stamp FROM rollup_stamps s"
                              " LEFT JOIN agents a ON a.id = s.agent_id"
                              " WHERE s.workspace_id = ?1 ORDER BY s.agent_id";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    struct agent *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        list[*count].id = query_text(&q, out);
        list[*count].name = query_text(&q, out);
        list[*count].stamp = query_int(&q);
    }
    *agents = list;
    return query_close(&q, err);
}

static bool ask_agent(struct sqlite *s, const struct sqlite_known *what,
                      const struct rank_filter *filter, struct agent *agent, struct arena *out,
                      struct error *err)
{
    struct arena scratch = arena_open();
    const char *key = arena_printf(
        &scratch, "%s %s %lld %d %d %s\n%s\n%s", what->name, agent->id, (long long)agent->stamp,
        filter->merges_versions, (int)filter->by, filter->since ? filter->since : "",
        filter->category ? filter->category : "", agent->name ? agent->name : "");
    const struct block *block = memo_find(&s->store.memo, str_of(key));
    bool done = true;
    if (!block) {
        void *rows = NULL;
        size_t count = 0;
        done = what->ask(s, filter, agent->id, &scratch, &rows, &count, err);
        block = pack(what, rows, count, &scratch);
        if (done) memo_keep(&s->store.memo, str_of(key), block, block->bytes);
    }
    agent->rows = unpack(what, block, out);
    agent->count = block->count;
    arena_close(&scratch);
    return done;
}

bool sqlite_known_ask(struct sqlite *s, const struct sqlite_known *what,
                      const struct rank_filter *filter, struct arena *out, void **rows,
                      size_t *count, struct error *err)
{
    struct agent *agents = NULL;
    size_t agent_count = 0;
    size_t total = 0;
    if (!list_agents(s, out, &agents, &agent_count, err)) return false;
    for (size_t i = 0; i < agent_count; i++) {
        if (!ask_agent(s, what, filter, &agents[i], out, err)) return false;
        total += agents[i].count;
    }
    char *all = arena_alloc(out, total + 1, what->size, _Alignof(max_align_t));
    *rows = all;
    *count = total;
    for (size_t i = 0; i < agent_count; i++) {
        memcpy(all, agents[i].rows, agents[i].count * what->size);
        all += agents[i].count * what->size;
    }
    return true;
}
