#include "cli/claims_show.h"

#include "report/claims.h"

bool claims_show(struct store *store, const struct view *view, struct arena *arena,
                 struct buf *out, size_t *failing, struct error *err)
{
    struct claims claims;
    if (!claims_decide(store, view, 0, arena, &claims, err)) return false;
    *failing = claims.failing;
    if (!out || claims.count == 0) return true;
    buf_add_char(out, '\n');
    claims_text(&claims, out);
    return true;
}
