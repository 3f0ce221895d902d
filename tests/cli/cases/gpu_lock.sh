# SPDX-License-Identifier: Apache-2.0
# Two rooftunes on one GPU: the second is turned away with the first one's process, or waits; a kill gives the GPU back.
rooftune devices
grep -q '^device 0' out || skip "no GPU here (test_gpu_lock tries the lock itself)"
write_saxpy
sweep s 'over = { n = pow2_values(2^20, 2^26) }, tune = { VEC = values(1, 2, 4), BLOCK = range(32, 1024, 32) }'
sweep t 'over = { n = values(2^20) }'
hold() {
    "$ROOFTUNE" run s.lua -o "$1" --no-report >hold.out 2>hold.err </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$("$ROOFTUNE" show "$1" --csv - 2>/dev/null | wc -l)" -lt 3 ]; do sleep 0.05; done
    kill -0 $pid || fail "the first run ended: $(cat hold.err)"
}
hold a.db
for arguments in 'run t.lua -o b.db' 'point t.lua' 'point t.lua --in-process' ceilings; do
    rooftune $arguments
    expect_error 17 "GPU-[0-9a-f-]* is in use by another rooftune (process $pid: rooftune run s.lua -o a.db --no-report)"
done
[ ! -e b.db ] || fail "a run file was left behind"
"$ROOFTUNE" run t.lua -o c.db --no-report --wait >wait.out 2>wait.err </dev/null &
waiting=$!
sleep 1
grep -q "waiting for GPU-.*process $pid" wait.err || fail "--wait does not say so: $(cat wait.err)"
kill -KILL $pid
wait $pid || true
wait $waiting || fail "the one that waited failed: $(cat wait.err)"
rooftune show c.db
expect_out '^s\|^t'
