#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# environment.sh ROOT: docs/environment.md names every key that the program writes into a run's environment, and no other. In a replay the host's and the
# program's stand behind "replay.", which the page says as a rule.
set -u
cd "$1" || exit 2
key='\(host\|gpu\|driver\|nvml\|nvrtc\|rooftune\|run\|replay\)\.[a-z0-9_.]*[a-z0-9_]'
written=$(find harness/gpu harness/measure harness/cli harness/run harness/model/run -name "*.[ch]" -exec cat {} + | grep -o "\"$key\"" | tr -d '"' |
    grep -v '\.\(h\|c\|cu\|db\|lua\|pdf\)$' | sort -u)
documented=$(grep -o "\`$key\`" docs/environment.md | tr -d '`' | sort -u)
if [ -z "$written" ] || [ "$written" != "$documented" ]; then
    echo "written:"
    echo "$written"
    echo "docs/environment.md:"
    echo "$documented"
    exit 1
fi
echo "$(echo "$written" | wc -l) keys"
