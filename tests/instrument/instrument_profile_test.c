#include "instrument/instrument.h"
#include "instrument/stacks.h"
#include "tests/test.h"

#include <sys/wait.h>
#include <unistd.h>

/* Work in known shares: 70, 20 and 10 parts of the same loop. */
__attribute__((noinline)) static uint64_t burn(uint64_t rounds)
{
    volatile uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++) x = x * 6364136223846793005u + 1;
    return x;
}

__attribute__((noinline)) static uint64_t spend_seventy(uint64_t unit)
{
    return burn(70 * unit) + 1;
}

__attribute__((noinline)) static uint64_t spend_twenty(uint64_t unit)
{
    return burn(20 * unit) + 2;
}

__attribute__((noinline)) static uint64_t spend_ten(uint64_t unit)
{
    return burn(10 * unit) + 3;
}

static uint64_t spend(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < 200; i++) {
        sum += spend_seventy(20000);
        sum += spend_twenty(20000);
        sum += spend_ten(20000);
    }
    return sum;
}

/* Samples of stacks that pass through `function`, and of all. */
static double share_of(struct str folded, const char *function)
{
    double hits = 0;
    double all = 0;
    while (folded.p && folded.n) {
        struct str line = str_cut(&folded, '\n');
        size_t space = line.n;
        while (space > 0 && line.p[space - 1] != ' ') space--;
        int64_t count = 0;
        assert_true(str_to_int((struct str){line.p + space, line.n - space}, &count));
        all += (double)count;
        if (memmem(line.p, line.n, function, strlen(function))) hits += (double)count;
    }
    return all > 0 ? hits / all : 0;
}

static void watch(bool spawns, struct buf *curve)
{
    const struct instrument *row = instrument_find(S("cprofile"));
    assert_non_null(row);
    struct arena arena = arena_open();
    void *config = arena_alloc(&arena, 1, row->config_size, 8);
    void *state = arena_alloc(&arena, 1, row->state_size, 8);
    struct error err = {0};
    const struct value *often =
        value_with(&arena, NULL, S("frequency"), value_new_int(&arena, 4999));
    assert_true(param_read(row->params, often, config, &arena, &err));
    int go[2];
    assert_int_equal(pipe(go), 0);
    pid_t arm = fork();
    if (arm == 0) {
        char byte = 0;
        ssize_t n = read(go[0], &byte, 1);
        (void)n;
        pid_t inner = spawns ? fork() : 0;
        if (inner == 0) {
            _exit(spend() == 0);
        }
        waitpid(inner, NULL, 0);
        _exit(0);
    }
    struct instrument_subject subject = {arm, spawns};
    assert_true(row->watch_open(state, config, &subject, &err));
    row->watch_begin(state);
    assert_int_equal(write(go[1], "x", 1), 1);
    while (waitpid(arm, NULL, WNOHANG) == 0) {
        usleep(5000);
        row->watch_tick(state);
    }
    row->watch_end(state, NULL, curve);
    row->watch_close(state);
    close(go[0]);
    close(go[1]);
    arena_close(&arena);
}

static void check_shares(bool spawns)
{
    struct error err = {0};
    const struct instrument *row = instrument_find(S("profile"));
    if (!row->available(NULL, &err)) {
        print_message("# skip: %s\n", err.text);
        return;
    }
    struct buf curve;
    buf_init(&curve, 1 << 20);
    watch(spawns, &curve);
    assert_close(share_of(buf_str(&curve), ";spend_seventy"), 0.70, 0.05);
    assert_close(share_of(buf_str(&curve), ";spend_twenty"), 0.20, 0.05);
    assert_close(share_of(buf_str(&curve), ";spend_ten"), 0.10, 0.05);
    assert_true(share_of(buf_str(&curve), ";no_such_function") == 0);
    buf_release(&curve);
}

TEST(known_shares_of_the_arm_itself)
{
    check_shares(false);
}

TEST(known_shares_of_what_the_arm_starts)
{
    check_shares(true);
}

/* A process that was there before the watch began, as an agent that stays. */
TEST(known_shares_of_one_that_was_there_already)
{
    struct error err = {0};
    const struct instrument *row = instrument_find(S("profile"));
    if (!row->available(NULL, &err)) {
        print_message("# skip: %s\n", err.text);
        return;
    }
    struct arena arena = arena_open();
    void *config = arena_alloc(&arena, 1, row->config_size, 8);
    void *state = arena_alloc(&arena, 1, row->state_size, 8);
    const struct value *often =
        value_with(&arena, NULL, S("frequency"), value_new_int(&arena, 4999));
    assert_true(param_read(row->params, often, config, &arena, &err));
    int go[2], up[2];
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(up), 0);
    pid_t arm = fork();
    if (arm == 0) {
        char byte = 0;
        if (fork() == 0) {
            bool done = write(up[1], "x", 1) == 1 && read(go[0], &byte, 1) == 1;
            _exit(done && spend() == 0);
        }
        waitpid(-1, NULL, 0);
        _exit(0);
    }
    char byte = 0;
    assert_int_equal(read(up[0], &byte, 1), 1);
    struct instrument_subject subject = {arm, true};
    assert_true(row->watch_open(state, config, &subject, &err));
    row->watch_begin(state);
    assert_int_equal(write(go[1], "x", 1), 1);
    while (waitpid(arm, NULL, WNOHANG) == 0) {
        usleep(5000);
        row->watch_tick(state);
    }
    struct buf curve;
    buf_init(&curve, 1 << 20);
    row->watch_end(state, NULL, &curve);
    row->watch_close(state);
    assert_close(share_of(buf_str(&curve), ";spend_seventy"), 0.70, 0.05);
    assert_close(share_of(buf_str(&curve), ";spend_ten"), 0.10, 0.05);
    int fds[] = {go[0], go[1], up[0], up[1]};
    for (size_t i = 0; i < COUNT(fds); i++) close(fds[i]);
    buf_release(&curve);
    arena_close(&arena);
}

TEST(equal_stacks_are_counted_together)
{
    struct stacks *s = stacks_open();
    uint64_t a[] = {0x1000, 0x2000};
    uint64_t b[] = {0x3000};
    stacks_rename(s, 7, "prog", true);
    stacks_add_map(s, 7, &(struct stacks_map){0x1000, 0x1000, 0, "/no/such/libx.so"});
    stacks_add(s, 7, a, 2);
    stacks_add(s, 7, a, 2);
    stacks_add(s, 7, b, 1);
    struct buf out;
    buf_init(&out, 1000);
    stacks_write(s, &out);
    assert_string_equal(out.p, "prog;[libx.so];[libx.so] 2\nprog;[unknown] 1\n");
    buf_clear(&out);
    stacks_clear(s);
    stacks_write(s, &out);
    assert_int_equal(out.n, 0);
    buf_release(&out);
    stacks_close(s);
}

/* The 513th library has no name, rather than that of the 512th. */
TEST(what_there_is_no_room_for_is_unknown)
{
    struct stacks *s = stacks_open();
    stacks_rename(s, 7, "prog", true);
    for (uint64_t i = 1; i <= 513; i++) {
        char path[40];
        snprintf(path, sizeof path, "/no/lib%d.so", (int)i);
        stacks_add_map(s, 7, &(struct stacks_map){i << 12, 0x1000, 0, path});
    }
    stacks_add(s, 7, &(uint64_t){512 << 12}, 1);
    stacks_add(s, 7, &(uint64_t){513 << 12}, 1);
    struct buf out;
    buf_init(&out, 1000);
    stacks_write(s, &out);
    assert_string_equal(out.p, "prog;[lib512.so] 1\nprog;[unknown] 1\n");
    buf_release(&out);
    stacks_close(s);
}

/* The innermost frame is where the time went: it must not be cut off. */
TEST(a_deep_stack_of_long_names_keeps_its_leaf)
{
    struct stacks *s = stacks_open();
    char path[200];
    uint64_t addresses[100] = {0x1000};
    memset(path, 'n', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    stacks_rename(s, 7, "prog", true);
    stacks_add_map(s, 7, &(struct stacks_map){0x1000, 0x1000, 0, "/no/leaf.so"});
    stacks_add_map(s, 7, &(struct stacks_map){0x2000, 0x1000, 0, path});
    for (size_t i = 1; i < COUNT(addresses); i++) addresses[i] = 0x2000 + 8 * i;
    stacks_add(s, 7, addresses, COUNT(addresses));
    struct buf out;
    buf_init(&out, 1 << 16);
    stacks_write(s, &out);
    assert_true(str_ends(buf_str(&out), S(";[leaf.so] 1\n")));
    buf_release(&out);
    stacks_close(s);
}

TEST_MAIN(T(what_there_is_no_room_for_is_unknown), T(a_deep_stack_of_long_names_keeps_its_leaf),
          T(known_shares_of_the_arm_itself), T(known_shares_of_what_the_arm_starts),
          T(known_shares_of_one_that_was_there_already), T(equal_stacks_are_counted_together))
