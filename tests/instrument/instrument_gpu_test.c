/* No device is needed: a script stands in for nvidia-smi, and a small library
 * for the driver's. The library is looked for where LD_LIBRARY_PATH said when
 * the program started, so that part runs in this program started again:
 *     gpu_test nvml                                                          */
#include "tests/experiment/harness.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

struct fixture {
    struct arena arena;
    const char *dir;
    const char *old_path;
    struct error err;
};

static const struct instrument *gpu(void)
{
    return instrument_find(S("gpu"));
}

/* From here on programs are found in `dir` first, and in `rest`. */
static void open_fixture(struct fixture *f, const char *script, const char *rest)
{
    *f = (struct fixture){.arena = arena_open()};
    assert_true(os_make_temp_dir("assay-gpu", &f->arena, &f->dir, &f->err));
    if (script) {
        const char *file = arena_printf(&f->arena, "%s/nvidia-smi", f->dir);
        assert_true(os_write_file(file, str_of(script), &f->err));
        assert_int_equal(chmod(file, 0755), 0);
    }
    f->old_path = arena_printf(&f->arena, "%s", getenv("PATH"));
    setenv("PATH", arena_printf(&f->arena, "%s:%s", f->dir, rest), 1);
}

static void close_fixture(struct fixture *f)
{
    setenv("PATH", f->old_path, 1);
    os_remove_tree(f->dir);
    arena_close(&f->arena);
}

static void watch(struct fixture *f, int ticks, double *values)
{
    void *config = bench_config(&f->arena, gpu()->params, gpu()->config_size, "{}");
    void *state = arena_alloc(&f->arena, 1, gpu()->state_size, 16);
    struct instrument_subject subject = {getpid(), false};
    struct buf curve;
    buf_init(&curve, 1000);
    if (!gpu()->watch_open(state, config, &subject, &f->err)) fail_msg("%s", f->err.text);
    gpu()->watch_begin(state);
    for (int i = 0; i < ticks; i++) gpu()->watch_tick(state);
    for (size_t i = 0; i < BENCH_VALUES; i++) values[i] = NAN;
    gpu()->watch_end(state, values, &curve);
    gpu()->watch_close(state);
    buf_release(&curve);
}

static bool has_driver(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library) dlclose(library);
    if (library) print_message("# skip: this machine has the real library\n");
    return library != NULL;
}

TEST(it_looks_as_often_as_it_is_told)
{
    struct arena arena = arena_open();
    void *config = bench_config(&arena, gpu()->params, gpu()->config_size, "{}");
    assert_int_equal(gpu()->watch_interval_ns(config), 500000000);
    config = bench_config(&arena, gpu()->params, gpu()->config_size, "{interval_ms: 70}");
    assert_int_equal(gpu()->watch_interval_ns(config), 70000000);
    arena_close(&arena);
}

TEST(without_a_driver_it_says_why)
{
    if (has_driver()) return;
    struct fixture f;
    open_fixture(&f, NULL, "/nowhere");
    assert_false(gpu()->available(NULL, &f.err));
    assert_int_equal(f.err.code, ERROR_UNAVAILABLE);
    assert_string_equal(f.err.text,
                        "no NVIDIA driver library (libnvidia-ml.so.1) and no nvidia-smi");
    close_fixture(&f);
}

TEST(a_tool_that_fails_is_quoted)
{
    if (has_driver()) return;
    struct fixture f;
    open_fixture(&f, "#!/bin/sh\necho 'No devices were found'\nexit 6\n", "/usr/bin:/bin");
    assert_false(gpu()->available(NULL, &f.err));
    assert_non_null(strstr(f.err.text, "exit code 6: No devices were found"));
    close_fixture(&f);
    open_fixture(&f, "#!/bin/sh\necho '[N/A], 12'\n", "/usr/bin:/bin");
    assert_false(gpu()->available(NULL, &f.err));
    assert_non_null(strstr(f.err.text, "no use of a device: [N/A], 12"));
    close_fixture(&f);
}

/* Two devices: utilisation is averaged, memory summed; the second look sees
 * more than the first. */
TEST(readings_of_the_tool_are_averaged_and_peaked)
{
    if (has_driver()) return;
    struct fixture f;
    open_fixture(
        &f,
        "#!/bin/sh\ncase \"$*\" in *utilization.gpu,memory.used*nounits*) ;; *) exit 2;; "
        "esac\nd=$(dirname \"$0\")\necho x >> \"$d/log\"\n"
        "if [ $(wc -l < \"$d/log\") -le 3 ]; then echo '10, 100'; echo '30, 100';\n"
        "else echo '80, 300'; echo '100, 100'; fi\n",
        "/usr/bin:/bin");
    double v[BENCH_VALUES];
    assert_true(gpu()->available(NULL, &f.err)); /* first call */
    watch(&f, 2, v);                             /* open is the second */
    assert_close(instrument_value(gpu(), v, "gpu_samples"), 2, 0);
    assert_close(instrument_value(gpu(), v, "gpu_utilization_mean"), 55, 1e-12);
    assert_close(instrument_value(gpu(), v, "gpu_utilization_max"), 90, 1e-12);
    assert_close(instrument_value(gpu(), v, "gpu_memory_mean_mb"), 300 * 1.048576, 1e-12);
    assert_close(instrument_value(gpu(), v, "gpu_memory_max_mb"), 400 * 1.048576, 1e-12);
    watch(&f, 0, v);
    assert_close(instrument_value(gpu(), v, "gpu_samples"), 0, 0);
    assert_true(isnan(instrument_value(gpu(), v, "gpu_utilization_mean")));
    close_fixture(&f);
}

static const char fake_library[] =
    "static int up;\n"
    "int nvmlInit_v2(void) { up = 1; return 0; }\n"
    "int nvmlShutdown(void) { up = 0; return 0; }\n"
    "int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return up ? 0 : 1; }\n"
    "int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d)\n"
    "{ *d = (char *)0 + i + 1; return up ? 0 : 1; }\n"
    "int nvmlDeviceGetUtilizationRates(void *d, unsigned *r)\n"
    "{ r[0] = (char *)d - (char *)0 == 1 ? 20 : 60; r[1] = 99; return up ? 0 : 1; }\n"
    "int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *m)\n"
    "{ (void)d; m[0] = 9000000; m[1] = 4000000; m[2] = 5000000; return up ? 0 : 1; }\n";

TEST(the_drivers_library_is_read)
{
    if (has_driver()) return;
    struct fixture f;
    open_fixture(&f, NULL, "/usr/bin:/bin");
    const char *source = arena_printf(&f.arena, "%s/nvml.c", f.dir);
    const char *library = arena_printf(&f.arena, "%s/libnvidia-ml.so.1", f.dir);
    assert_true(os_write_file(source, str_of(fake_library), &f.err));
    const char *const build[] = {"cc", "-shared", "-fPIC", "-w", "-o", library, source, NULL};
    struct os_output result = {0};
    assert_true(os_capture(build, 20000, 10000, &f.arena, &result, &f.err));
    assert_int_equal(result.exit_code, 0);
    char self[400] = {0};
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    setenv("LD_LIBRARY_PATH", f.dir, 1);
    const char *const again[] = {self, "nvml", NULL};
    assert_true(os_capture(again, 20000, 10000, &f.arena, &result, &f.err));
    unsetenv("LD_LIBRARY_PATH");
    if (result.exit_code != 0) fail_msg("%.*s", STR_ARG(result.text));
    close_fixture(&f);
}

TEST(with_the_library)
{
    struct fixture f;
    open_fixture(&f, NULL, "/nowhere");
    double v[BENCH_VALUES];
    assert_true(gpu()->available(NULL, &f.err));
    watch(&f, 3, v);
    assert_close(instrument_value(gpu(), v, "gpu_samples"), 3, 0);
    assert_close(instrument_value(gpu(), v, "gpu_utilization_mean"), 40, 1e-12);
    assert_close(instrument_value(gpu(), v, "gpu_memory_max_mb"), 10, 1e-12);
    close_fixture(&f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest again[] = {T(with_the_library)};
    const struct CMUnitTest tests[] = {
        T(without_a_driver_it_says_why), T(it_looks_as_often_as_it_is_told),
        T(a_tool_that_fails_is_quoted),  T(readings_of_the_tool_are_averaged_and_peaked),
        T(the_drivers_library_is_read),
    };
    (void)argv;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return argc == 2 ? cmocka_run_group_tests(again, NULL, NULL)
                     : cmocka_run_group_tests(tests, NULL, NULL);
}
