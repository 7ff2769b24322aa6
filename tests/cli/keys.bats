#!/usr/bin/env bats
# An API key that a server sends back, in answers and in errors, is nowhere: not in
# the store, the reports, the stream or the messages.
load ../helper

KEY=sk-5f0e9c1d77aa

# A server that answers with the headers it got; every third time it refuses them.
serve() {
    cat > server.pl <<'END'
use IO::Socket::INET;
$| = 1;
my $l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 0);
print $l->sockport, "\n";
while (my $c = $l->accept) {
    my ($head, $length) = ("", 0);
    while (my $line = <$c>) {
        last if $line =~ /^\r?$/;
        $length = $1 if $line =~ /^content-length: *(\d+)/i;
        $head .= $line if $line =~ /^authorization/i;
    }
    read $c, my $body, $length;
    $head =~ s/[\r\n]//g;
    my $status = ++$n % 3 ? "200 OK" : "403 Forbidden";
    my $text = "{\"text\":\"a long way before it, then $head, and after\",\"error\":null}";
    $text = "{\"error\":{\"message\":\"not with $head\"}}" unless $n % 3;
    print $c "HTTP/1.1 $status\r\nContent-Type: application/json\r\nContent-Length: ",
        length $text, "\r\nConnection: close\r\n\r\n$text";
    close $c;
}
END
    perl server.pl > port 3>&- &
    server=$!
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
}

teardown() { [ -z "${server:-}" ] || kill "$server" 2> /dev/null || true; }

@test "a key that comes back is stored and shown nowhere" {
    serve
    cat > s.yaml <<END
suite: {id: keys, category: accuracy}
agents:
  - {id: echo, http: {url: "http://127.0.0.1:$(cat port)/", output: /text, retry: {max: 0}, api_key_env: TEST_KEY}}
benchmarks:
  - id: b
    cases: [{input: a, expected: a}, {input: b, expected: b}, {input: c, expected: c}]
    rubric: contains
    iterations: {warmup: 0, measured: 2}
END
    TEST_KEY=$KEY assay run s.yaml --json --out results > stream 2> messages || true
    for format in text markdown html json csv; do assay report --format $format > "report.$format"; done
    assay show --explain > explained
    assay export latest --format jsonl > exported
    assay export latest --bundle b.bundle
    gzip -dc b.bundle > bundle 2> /dev/null || true
    # it came back: the mark is in its place, in an answer and in an error
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results WHERE CAST(output AS TEXT) LIKE '%Bearer [redacted], and after%'")" = 4 ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results WHERE error LIKE '%not with%[redacted]%'")" = 2 ]
    run grep -rla "$KEY" .
    echo "$output"
    [ "$status" = 1 ]
}
