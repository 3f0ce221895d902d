# SPDX-License-Identifier: Apache-2.0
# Run files of an older and a newer schema, and files that are no runs: told apart, and never touched.
need_recording
export RFT_NVRTC=off
run="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report -o"
rooftune $run good.db --budget 2
expect_status 0
# SQLite keeps a file's user_version at byte 60, big endian.
cp good.db newer.db && printf '\000\000\000\143' | dd of=newer.db bs=1 seek=60 conv=notrunc 2>/dev/null
cp good.db older.db && printf '\000\000\000\000' | dd of=older.db bs=1 seek=60 conv=notrunc 2>/dev/null
head -c 20000 good.db >cut.db
printf 'no database' >junk.db
for name in newer older cut junk; do cp $name.db $name.before; done
# refused NAME STATUS PATTERN
refused() {
    for arguments in "show $1.db" "best $1.db" "report $1.db -o $1.pdf" "export $1.db -o $1.json.gz" "$run $1.db"; do
        rooftune $arguments
        expect_error "$2" "$1.db.*$3"
        cmp $1.db $1.before || fail "$1.db was changed by rooftune $arguments"
    done
}
refused newer 10 'newer schema 99 .*reads and writes schema [0-9]'
refused older 10 'older schema 0 .*reads and writes schema [0-9]'
refused cut 9 'malformed'
refused junk 9 'is not a run file'
rooftune $run junk.db --fresh
expect_error 9 'junk.db is not a run file'
cmp junk.db junk.before || fail "--fresh took away what is no run"
rooftune $run older.db --fresh --budget 2
expect_status 0
rooftune show older.db
expect_status 0
