# SPDX-License-Identifier: Apache-2.0
need_recording
cp "$QUICK" good.json.gz
head -c 5000 good.json.gz >truncated.json.gz
printf 'this is not gzip' >plain.json.gz
printf 'not json' | gzip >text.json.gz
gzip -dc good.json.gz | sed 's/"schema": *[0-9]*/"schema":99/' | gzip >newer.json.gz
printf '{"results":[],"metadata":{}}' | gzip >foreign.json.gz
for name in truncated plain text foreign; do
    rooftune run "$SOURCE/sweeps/quick.lua" -d replay:$name.json.gz -o x.db
    expect_status 8
    expect_err "$name.json.gz"
    [ ! -e x.db ] || fail "a run file was left behind"
done
rooftune show newer.json.gz
expect_status 10
expect_err 99
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:not_there.json.gz
[ "$status" = 11 ] || [ "$status" = 8 ] || fail "expected 11 or 8"
