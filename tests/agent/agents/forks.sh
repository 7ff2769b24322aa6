#!/bin/sh
# Starts processes that stay. Safe without any limit: 200 of them at most, and
# each ends by itself.
n=0
while [ "$n" -lt 200 ]; do
    sleep 20 &
    n=$((n + 1))
done
wait
