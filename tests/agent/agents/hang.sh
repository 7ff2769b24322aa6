#!/bin/sh
# Says nothing, leaves children behind, and cannot be asked to stop.
trap '' TERM INT HUP
setsid sleep 1000 &
sleep 1000 &
while :; do sleep 1000; done
