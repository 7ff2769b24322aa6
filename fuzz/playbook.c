/* Scenario files, libraries and playbooks from strangers: three texts with NUL bytes between
 * them. What is accepted scores within 0..1, says the same twice, reads back as it was written,
 * and is outlined whether focused or not to the same metrics. */
#include "evolve/playbook.h"
#include "evolve/hot_spot.h"
#include "evolve/scenario_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void outline(struct str code)
{
    struct code_metrics m[2];
    for (int is_focused = 0; is_focused < 2; is_focused++) {
        struct ledger l = {0};
        struct hot_spots h = hot_spots_new(&l, is_focused);
        struct hot_spot_code *c = hot_spots_add(&h, code, &m[is_focused]);
        ledger_check(&l);
        hot_spots_drop(&h, c);
        hot_spots_release(&h);
        CHECK(l.live_bytes == 0);
    }
    CHECK(memcmp(&m[0].sum, &m[1].sum, sizeof m[0].sum) == 0 && m[0].chunks == m[1].chunks);
}

static void try_playbook(const struct challenge *c, struct str text)
{
    struct genome g;
    struct genome back;
    struct error err = {0};
    if (!playbook_parse(c, text, &g, &err)) {
        CHECK(err.code == ERROR_INVALID);
        return;
    }
    size_t passed = scenario_file_passed(c, &g, 0);
    CHECK(passed <= c->scenario_count && passed >= scenario_file_passed(c, &g, c->train_count));
    struct buf out;
    buf_init(&out, 1 << 22);
    playbook_write(c, &g, &out);
    CHECK(playbook_parse(c, buf_str(&out), &back, &err));
    for (size_t i = 0; i < c->segments; i++) {
        CHECK(g.segments[i].line == back.segments[i].line);
    }
    buf_clear(&out);
    playbook_code(c, &g, &out);
    outline(buf_str(&out));
    buf_release(&out);
}

static struct str next(struct str *rest)
{
    return rest->p ? str_cut(rest, '\0') : (struct str){"", 0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    struct str rest = {exact, size};
    struct arena a = arena_open();
    struct str scenarios = next(&rest);
    struct str library = next(&rest);
    struct str playbook = next(&rest);
    struct challenge *c;
    struct error err = {0};
    outline(scenarios);
    if (scenario_file_read("x", scenarios, library, &a, &c, &err)) {
        try_playbook(c, playbook);
    } else {
        CHECK(err.code != ERROR_NONE);
    }
    arena_close(&a);
    free(exact);
    return 0;
}
