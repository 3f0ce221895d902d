# SPDX-License-Identifier: Apache-2.0
# Recordings that cannot be read: what is wrong with them, what helps, and no run file left behind.
need_recording
cp "$QUICK" good.json.gz
head -c 5000 good.json.gz >truncated.json.gz
printf 'this is not gzip' >plain.json.gz
: >nothing.json.gz
printf 'not json' | gzip >text.json.gz
printf '{"results":[],"metadata":{}}' | gzip >foreign.json.gz
gzip -dc good.json.gz | sed 's/"gpu":/"gqu":/' | gzip >lacking.json.gz
# refused NAME PATTERN
refused() {
    for arguments in "run $SOURCE/sweeps/quick.lua -d replay:$1.json.gz -o x.db" "show $1.json.gz" \
        "import $1.json.gz -o x.db" "report $1.json.gz" "best $1.json.gz" "ceilings -d replay:$1.json.gz"; do
        rooftune $arguments
        expect_error "$3" "$1.json.gz.*$2"
        [ ! -e x.db ] || fail "a run file was left behind by rooftune $arguments"
        [ ! -e "$1.pdf" ] || fail "a report was left behind by rooftune $arguments"
    done
}
refused truncated 'truncated' 8
refused plain 'not a gzip file' 8
refused nothing 'is empty' 8
refused text 'is not JSON' 8
refused foreign 'results: expected a list of 1 to a million' 8
printf '{"values":[1]}' | gzip >other.json.gz
refused other 'no rooftune section' 8
refused lacking 'rooftune.gpu: expected an object' 8
gzip -dc good.json.gz | sed 's/"schema": *[0-9]*/"schema":99/' | gzip >newer.json.gz
gzip -dc good.json.gz | sed 's/"schema": *[0-9]*/"schema":0/' | gzip >older.json.gz
refused newer 'newer schema 99 .*reads schema [0-9]' 10
refused older 'older schema 0 .*reads schema [0-9]' 10
refused not_there 'No such file' 11
# Times of a graph are ranked apart: none stands in a sweep of launches.
gzip -dc "$SOURCE/sweeps/recorded/nvidia-h200/linear_weights.json.gz" | sed 's/"mode":"graph"/"mode":"events"/g' >mixed.json
rooftune show mixed.json
expect_error 8 'rounds\[0\].mode: expected the mode of its sweep'
# Too large: a remedy stands there, too.
head -c 70000000 /dev/zero | gzip -1 >large.json.gz
rooftune show large.json.gz
expect_error 15 'large.json.gz inflates to more than'
# A million bytes without a space are cut on a page, and soon.
{ printf 's/"command":"/&'; head -c 1000000 /dev/zero | tr '\0' x; printf '/\n'; } >long.sed
gzip -dc good.json.gz | sed -f long.sed >long.json
begun=$(date +%s)
rooftune report long.json --full -o long.pdf
expect_status 0
[ $(($(date +%s) - begun)) -le 20 ] || fail "the report took $(($(date +%s) - begun)) s"
# Small values cost more than their bytes: they are counted first.
{ printf '{"results":[{}'; head -c 3000000 /dev/zero | tr '\0' x | sed 's/x/,{}/g'; printf ']}'; } | gzip >swarm.json.gz
refused swarm 'so many small values' 8
