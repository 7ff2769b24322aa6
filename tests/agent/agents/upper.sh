#!/bin/sh
# Oneshot: answers with its input in capitals, and tells its usage.
tr a-z A-Z
if [ -n "$ASSAY_USAGE_FD" ]; then
    echo '{"input_tokens": 7, "output_tokens": 3, "cost_usd": 0.5}' >&"$ASSAY_USAGE_FD"
fi
