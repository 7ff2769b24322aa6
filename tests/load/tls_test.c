/* https against OpenSSL's own server: who is trusted, and who is not. */
#include "base/os.h"
#include "load/load.h"
#include "load/tls.h"
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct server {
    pid_t pid;
    int port;
};

static struct arena arena;
static char folder[64];

static void run(const char *const *argv)
{
    struct os_output out;
    struct error err = {0};
    if (!os_capture(argv, 30000, 4096, &arena, &out, &err)) fail_msg("%s", err.text);
    assert_int_equal(out.exit_code, 0);
}

/* A certificate that signs itself, for `names`: "IP:127.0.0.1". */
static void make_certificate(const char *file, const char *names)
{
    const char *path = arena_printf(&arena, "%s/%s", folder, file);
    const char *const argv[] = {"openssl",
                                "req",
                                "-x509",
                                "-newkey",
                                "ec",
                                "-pkeyopt",
                                "ec_paramgen_curve:prime256v1",
                                "-nodes",
                                "-days",
                                "2",
                                "-subj",
                                "/CN=a test",
                                "-addext",
                                arena_printf(&arena, "subjectAltName=%s", names),
                                "-keyout",
                                path,
                                "-out",
                                arena_printf(&arena, "%s.crt", path),
                                NULL};
    run(argv);
}

/* It says on which port it listens. */
static struct server start(const char *certificate)
{
    struct server s;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const char *key = arena_printf(&arena, "%s/%s", folder, certificate);
    const char *crt = arena_printf(&arena, "%s.crt", key);
    s.pid = fork();
    if (s.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], 1);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 2);
        execlp("openssl", "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-key", key,
               "-cert", crt, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char said[1024] = "";
    size_t n = 0;
    const char *at = NULL;
    while (!(at = strstr(said, "ACCEPT 127.0.0.1:")) || !strchr(at, '\n')) {
        ssize_t got = read(ends[0], said + n, sizeof said - 1 - n);
        if (got <= 0) fail_msg("openssl s_server did not start: %s", said);
        n += (size_t)got;
        said[n] = '\0';
    }
    s.port = (int)strtol(at + 17, NULL, 10);
    return s;
}

static void stop(struct server *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
}

static struct load_result ask(int port, const char *host, const char *ca_file, bool trusts)
{
    struct error err = {0};
    struct target t;
    struct str bytes;
    struct load_result r = {0};
    const char *url = arena_printf(&arena, "https://%s:%d/", host, port);
    struct load_plan plan = {.target = &t,
                             .requests = &bytes,
                             .request_count = 1,
                             .connections = 1,
                             .timeout_s = 20,
                             .ca_file = ca_file,
                             .trusts_everybody = trusts};
    struct load *load = NULL;
    struct schedule_plan schedule = schedule_constant(20, 0.3, &arena);
    bool done = target_open(&t, url, &(struct target_terms){0}, &arena, &err) &&
                target_write(&t, &(struct target_request){0}, &arena, &bytes, &err) &&
                load_open(&load, &plan, &arena, &err) &&
                load_block(load, &(struct load_block){.schedule = &schedule, .length_s = 0.3},
                           &r, &err);
    load_close(load);
    if (!done) fail_msg("%s", err.text);
    return r;
}

TEST(who_signed_it_and_for_whom)
{
    arena = arena_open();
    if (!os_find_program("openssl", &arena)) {
        arena_close(&arena);
        print_message("# skip: there is no openssl here\n");
        skip();
    }
    snprintf(folder, sizeof folder, "/tmp/assay-tls-XXXXXX");
    assert_non_null(mkdtemp(folder));
    make_certificate("mine", "IP:127.0.0.1,DNS:localhost");
    make_certificate("other", "DNS:other.example");
    struct server mine = start("mine");
    struct server other = start("other");
    const char *ca = arena_printf(&arena, "%s/mine.crt", folder);
    const char *other_ca = arena_printf(&arena, "%s/other.crt", folder);
    const struct {
        int port;
        const char *host, *ca_file;
        bool trusts;
        const char *error; /* NULL: all is well */
    } rows[] = {
        {mine.port, "127.0.0.1", ca, false, NULL},
        {mine.port, "localhost", ca, false, NULL},
        {mine.port, "127.0.0.1", NULL, true, NULL},
        {other.port, "127.0.0.1", NULL, true, NULL},
        {mine.port, "127.0.0.1", NULL, false, "certificate: self-signed certificate"},
        {mine.port, "127.0.0.1", other_ca, false, "certificate: self-signed certificate"},
        {other.port, "127.0.0.1", other_ca, false, "certificate: IP address mismatch"},
        {other.port, "localhost", other_ca, false, "certificate: hostname mismatch"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_result r = ask(rows[i].port, rows[i].host, rows[i].ca_file, rows[i].trusts);
        bool is_well = rows[i].error
                           ? r.counts.by_failure[LOAD_NO_CONNECTION] == r.counts.sent &&
                                 strstr(r.error, rows[i].error)
                           : r.counts.ok == r.counts.sent;
        if (!is_well || r.counts.sent == 0) {
            fail_msg("row %zu: %d of %d, %s", i, (int)r.counts.ok, (int)r.counts.sent, r.error);
        }
    }
    stop(&mine);
    stop(&other);
    const char *const argv[] = {"rm", "-r", folder, NULL};
    run(argv);
    arena_close(&arena);
}

TEST(a_file_without_certificates_is_refused)
{
    arena = arena_open();
    struct error err = {0};
    struct tls *tls = NULL;
    struct tls_options o = {.host = "localhost", .ca_file = "/dev/null"};
    assert_false(tls_open(&tls, &o, &arena, &err));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_non_null(strstr(err.text, "no certificate in PEM form in '/dev/null'"));
    assert_null(tls);
    tls_close(tls);
    arena_close(&arena);
}

TEST_MAIN(T(who_signed_it_and_for_whom), T(a_file_without_certificates_is_refused))
