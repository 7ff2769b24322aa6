#!/bin/sh
# A session agent. The input says what it shall do wrong.
while read -r line; do
    id=${line#*'"id":'}
    id=${id%%,*}
    input=${line#*'"input":"'}
    input=${input%%'"'*}
    case $input in
    out_of_order) echo "{\"id\":$((id + 1)),\"output\":\"x\"}" ;;
    twice) printf '{"id":%s,"output":"x"}\n{"id":%s,"output":"x"}\n' "$id" "$id" ;;
    late_twice)
        echo "{\"id\":$id,\"output\":\"x\"}"
        echo "{\"id\":$id,\"output\":\"x\"}"
        ;;
    half) printf '{"id":%s,"outp' "$id"; exit 0 ;;
    garbage) echo 'certainly! here is' ;;
    not_utf8) printf '{"id":%s,"output":"\377\376"}\n' "$id" ;;
    close) exec >&-; sleep 1000 ;;
    die) echo 'out of ideas' >&2; exit 3 ;;
    signal) kill -SEGV $$ ;;
    hang) trap '' TERM; sleep 1000 ;;
    flood) yes 'no newline' | tr -d '\n' ;;
    errors) yes >&2 ;;
    refuse) echo "{\"id\":$id,\"error\":\"not today\"}" ;;
    nothing) echo "{\"id\":$id}" ;;
    pid) echo "{\"id\":$id,\"output\":\"$$\"}" ;;
    work)
        i=0
        while [ "$i" -lt 60000 ]; do i=$((i + 1)); done
        echo "{\"id\":$id,\"output\":\"done\"}"
        ;;
    full)
        printf '{"id":%s,"output":{"n":[1,2]},"usage":{"input_tokens":12,"output_tokens":4,' "$id"
        printf '"cache_read_tokens":2,"api_calls":1,"cost_usd":0.25},'
        echo '"phases":[{"name":"plan","start_ms":0,"ms":1.5},{"name":"act","ms":2}]}'
        ;;
    *) echo "{\"id\":$id,\"output\":\"$input\"}" ;;
    esac
done
