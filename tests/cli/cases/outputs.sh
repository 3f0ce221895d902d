# SPDX-License-Identifier: Apache-2.0
# Places that cannot be written: a clear message, and nothing lost.
need_recording
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o no/such/folder/x.db
expect_status 11
expect_err 'no/such/folder'
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o x.db --report no/such/folder/x.pdf --budget 3
expect_status 11
expect_file x.db
rooftune report x.db -o x.pdf
expect_status 0
rooftune report x.db -o /dev/full
[ "$status" = 11 ] || [ "$status" = 16 ] || fail "a full disk went unnoticed"
printf 'no database' >junk.db
rooftune show junk.db
expect_status 9
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o junk.db
expect_status 9
grep -q 'no database' junk.db || fail "a file that is not ours was overwritten"
