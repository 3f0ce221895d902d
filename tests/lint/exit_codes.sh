#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exit_codes.sh ROOT: docs/exit-codes.md has exactly the codes of RFT_CODE_MAP, with their names.
set -u
cd "$1" || exit 2
codes=$(sed -n 's/^ *X(\([A-Z_]*\), \([0-9]*\), ".*/\2 \1/p' harness/base/err.h | sort -n)
documented=$(sed -n 's/^| *\([0-9][0-9]*\) | \([A-Z_]*\) |.*/\1 \2/p' docs/exit-codes.md | grep -v '^0 OK$' | sort -n)
if [ -z "$codes" ] || [ "$codes" != "$documented" ]; then
    echo "harness/base/err.h has:"
    echo "$codes"
    echo "docs/exit-codes.md has:"
    echo "$documented"
    exit 1
fi
echo "$(echo "$codes" | wc -l) codes"
