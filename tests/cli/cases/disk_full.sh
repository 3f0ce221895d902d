# SPDX-License-Identifier: Apache-2.0
# A disk that fills in the middle of a run (here: a limit on the size of files): what was stored stays, and the same
# command goes on when there is room. A file that holds nothing is not left behind.
need_recording
export RFT_NVRTC=off
run="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report -o"
rooftune $run whole.db
expect_status 0
# limited BLOCKS ARGUMENTS: 512 bytes a block.
limited() {
    status=0
    blocks=$1
    shift
    (ulimit -f "$blocks" && exec "$ROOFTUNE" "$@") >out 2>err </dev/null || status=$?
}
# Where it is full after some points depends on what a shell calls a block.
for blocks in 160 200 240 280 320 360 400 440 520 600 700; do
    rm -f full.db*
    limited $blocks $run full.db
    expect_error 9 'disk full while '
    [ -e full.db ] || continue # not even room for the tables
    rooftune show full.db
    expect_status 0
    expect_out '^not finished'
    grep -q 'points: [1-9]' out && break
done
expect_out 'points: [1-9]'
rooftune $run full.db
expect_status 0
expect_err '^continuing full.db: [1-9][0-9]* points are stored'
rooftune show full.db
expect_status 0
grep -q '^not finished' out && fail "the run does not know that it is finished"
"$ROOFTUNE" best whole.db --csv a
"$ROOFTUNE" best full.db --csv b
cmp a b || fail "the continued run names other bests"
limited 4 $run early.db
expect_error 9 'disk full'
expect_err 'remedy: allow larger files (ulimit -f)'
[ ! -e early.db ] || fail "an empty run file was left behind"
limited 4 report whole.db -o whole.md
expect_error 11 'whole.md'
limited 4 report whole.db -o whole.pdf # its fonts are files in memory, which the limit is on, too
expect_error 11 'a font cannot be kept in memory: File too large'
[ ! -e whole.pdf ] && [ ! -e whole.md ] || fail "half a report was left behind"
limited 4 import "$QUICK" -o imported.db
expect_error 9 'disk full'
[ ! -e imported.db ] || fail "half a run was left behind"
limited 4 export whole.db -o whole.json.gz
expect_error 11 'whole.json.gz'
[ -z "$(ls whole.json.gz* imported.db* early.db* 2>/dev/null)" ] || fail "left behind: $(ls)"
