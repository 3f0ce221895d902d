# SPDX-License-Identifier: Apache-2.0
# Places that cannot be written: a clear message, early where that can be known, and nothing lost.
need_recording
export RFT_NVRTC=off
run="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --budget 3"
rooftune $run -o no/such/folder/x.db
expect_error 11 'no/such/folder/x.db: No such file'
rooftune $run -o x.db --report no/such/folder/x.pdf
expect_error 11 'no/such/folder/x.pdf'
[ ! -e x.db ] || fail "measured first, although the report's place was wrong"
rooftune $run -o x.db --report /dev/full
expect_error 11 '/dev/full: it is a device'
[ ! -e x.db ] || fail "measured first, although the report's place was wrong"
# The report's folder goes away while the run waits for a reader of its events.
mkdir gone && mkfifo events
status=0
timeout 60 "$ROOFTUNE" $run -o y.db --report gone/y.pdf --events events >out 2>err </dev/null &
sleep 0.5
rmdir gone
cat events >/dev/null
wait $! || status=$?
expect_error 11 'gone/y.pdf'
expect_err 'remedy: nothing measured is lost: `rooftune report y.db'
rooftune $run -o x.db
expect_status 0
expect_file x.pdf
rooftune best x.db -o no/best.json
expect_error 11 'no/best.json'
rooftune export x.db -o no/x.json.gz
expect_error 11 'no/x.json.gz'
rooftune export x.db -o x.csv
expect_error 2 'FILE.json.gz'
rooftune import "$QUICK" -o x.db
expect_error 9 'x.db exists already'
for command in 'show x.db' 'best x.db' 'devices' "check $SOURCE/sweeps/quick.lua --sample 0" 'run --help' --help help --version; do
    status=0
    "$ROOFTUNE" $command >/dev/full 2>err || status=$?
    expect_error 11 'stdout cannot be written'
done
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod a-w closed
    rooftune $run -o closed/x.db
    expect_error 11 'closed/x.db: Permission denied'
    chmod a-r x.db
    rooftune show x.db
    expect_error 11 'x.db: Permission denied'
fi
