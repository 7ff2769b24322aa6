#!/bin/sh
# Says nothing, leaves children behind, and cannot be asked to stop.
trap '' TERM INT HUP
setsid sleep 30 &
sleep 30 &
while :; do sleep 30; done
