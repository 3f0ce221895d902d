# SPDX-License-Identifier: Apache-2.0
# Started with descriptors 0, 1 or 2 closed, in every combination: the same results, and nothing of what is said goes
# into a file that was opened meanwhile. What cannot be written to a closed stdout is an error.
need_recording
export RFT_NVRTC=off # compiling changes nothing of it
run="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report --budget 8"
rooftune $run -o open.db
expect_status 0
rooftune show open.db --csv -
mv out open.csv
[ "$(wc -l <open.csv)" -gt 8 ] || fail "not all points of the budget are there"
grep -q compile_failed open.csv && fail "points could not be compiled"
# with STATUS COMMAND...: its streams are as $streams says.
with() {
    expected=$1
    shift
    status=0
    eval '"$ROOFTUNE" "$@"' "$streams" || status=$?
    [ "$status" = "$expected" ] || fail "$* $streams: expected exit status $expected, got $status"
}
for in in '</dev/null' '<&-'; do
    for out in '>out 0' '>&- 11'; do
        for err in '2>err' '2>&-'; do
            streams="$in ${out% *} $err"
            rm -f closed.db
            with ${out#* } $run -o closed.db
            with ${out#* } check "$SOURCE/sweeps/quick.lua" --sample 0
            with ${out#* } show open.db
            with ${out#* } --version
            with 11 show nothing.db
            rooftune show closed.db --csv -
            cmp -s open.csv out || fail "$streams: other points were stored"
        done
    done
done
