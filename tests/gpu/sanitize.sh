#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compute-sanitizer over every variant of repeat_cases.c's sweeps, on an odd problem and on an even one, one launch each:
#   tests/gpu/sanitize.sh build/tests/gpu_tests memcheck [PROCESSES [SECONDS [EVERY [WORD]]]]
# EVERY: one point of so many, as a sample. WORD: only points whose text has it. What a tool says, what failed and what was
# not begun is printed, and counts. The processes share the device: what they take is of no use.
program=$1 tool=$2 processes=${3:-$(nproc)} every=${5:-1} word=${6:-}
end=$(($(date +%s) + ${4:-600}))
out=$(mktemp -d) || exit 1
export RFT_CACHE="${RFT_CACHE:-$out/cache}"
padding=
if [ "$tool" = memcheck ]; then padding="--padding 65536"; fi
PATH=$PATH:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is missing"; exit 77; }

# A process ends with the first point that fails; another goes on behind it.
part() { # its number
    from=0 before=-1
    while [ "$from" -gt "$before" ] && [ "$(date +%s)" -lt "$end" ]; do
        # shellcheck disable=SC2086 # words
        timeout -k 2 $((end - $(date +%s))) compute-sanitizer --tool "$tool" --target-processes application-only \
            --report-api-errors no $padding "$program" gpu_repeats --bare "$1" $((processes * every)) "$from" "$word" >>"$out/$1" 2>&1
        status=$?
        [ "$status" -eq 0 ] && break
        echo "ENDED with $status" >>"$out/$1"
        before=$from from=$(grep -c "^point " "$out/$1")
    done
}

i=0
while [ "$i" -lt "$processes" ]; do
    part "$i" &
    i=$((i + 1))
done
wait
i=0
while [ "$i" -lt "$processes" ]; do
    cat "$out/$i"
    echo "END"
    i=$((i + 1))
done | awk -v tool="$tool" '
    /^points / { asked = $2 }
    /^point / { point = substr($0, 7); begun++; own++; said = 0 }
    /^BAD / || /^ENDED / || /^========= +(Invalid|Error|Warning|Barrier|Divergent|Race|Program hit|Internal|Potential|Target)/ {
        if (!said && point != "") { bad++; print point }
        if (said++ < 4) print "    " substr($0, 1, 160)
    }
    /: no configuration for either problem$/ && !($0 in none) { none[$0]; lacking++ }
    /^END$/ { all += asked; if (own < asked) print "not begun: " asked - own " behind " point; asked = own = 0; point = "" }
    END { printf "%s: %d points, %d begun, %d of them bad; %d variants are of other cards\n", tool, all, begun, bad, lacking; exit bad > 0 || begun < all || all == 0 }'
status=$?
rm -rf "$out"
exit "$status"
