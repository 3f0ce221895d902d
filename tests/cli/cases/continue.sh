# SPDX-License-Identifier: Apache-2.0
# A stopped run continues: what was stored is not taken again, and the end is the same.
need_recording
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o whole.db --no-report
expect_status 0
"$ROOFTUNE" run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o part.db --no-report >out 2>err &
pid=$!
while ! grep -q 'valid, about' err; do sleep 0.1; kill -0 $pid 2>/dev/null || break; done
sleep 1
kill -INT $pid 2>/dev/null || true
status=0
wait $pid || status=$?
if [ "$status" = 130 ]; then
    expect_err 'continues'
    rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o part.db --no-report
fi
expect_status 0
"$ROOFTUNE" best whole.db --format csv >a
"$ROOFTUNE" best part.db --format csv >b
cmp a b || fail "the continued run names other bests"
