# SPDX-License-Identifier: Apache-2.0
# point --json: every sample for other programs, instead of the text or beside it.
need_recording
rooftune point "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" --json -
expect_status 0
"$JSON_LINES" out >/dev/null || fail "stdout is not one line of JSON"
expect_out '"outcome":"ok","reason":null,"samples_s":\[[0-9.e-]*,'
expect_out '"problem":{"n":65536}'
expect_out '"useful_bytes":262144'
expect_out '"cache":"cold"'
expect_out '"verified":{"worst_frac":0\.[0-9]*,"rms_frac":null,"elements":65536}' # the recording is older
rooftune point "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" --json point.json
expect_status 0
expect_out '^verified '
expect_file point.json
samples=$(tr -d '\n' <point.json | sed 's/.*"samples_s":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | grep -c .)
grep -q "n = $samples, " out || fail "the file has $samples samples, the text another number"
# What was not measured has no times, and is an error as without --json.
rooftune point "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" --set BLOCK=32 --json -
[ "$status" -ne 0 ] || fail "that configuration is not in the recording"
# Launching it again and again is another way to run it, and takes a device.
rooftune point "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" --repeats 10
expect_error 2 'a recording launches nothing'
rooftune point "$SOURCE/sweeps/quick.lua" --repeats 0
expect_error 2 '--repeats'
rooftune point "$SOURCE/sweeps/quick.lua" --repeats 10 --counters all
expect_error 2 '--repeats and --counters cannot be given together'
