# SPDX-License-Identifier: Apache-2.0
# Recordings of other tuners, wherever a run is taken; searched by replay; and back. The fixtures' numbers are invented.
FIXTURES="$SOURCE/tests/store/exchange"
for name in tiny.t4 tiny.kt; do
    cp "$FIXTURES/$name.json" .
    gzip -c "$name.json" >"$name.json.gz"
    cp "$name.json" "$name" # by its content alone
    for file in "$name.json" "$name.json.gz" "$name"; do
        rooftune show "$file"
        expect_status 0
        expect_out "^another tuner's measurements"
        expect_out 'not verified by rooftune'
        expect_out '  no ceilings\|, no ceilings'
        expect_out "another tuner's recording: no ceiling was" # wrapped behind it
        rooftune best "$file"
        expect_status 0
        rooftune report "$file" -o "$name.pdf"
        expect_status 0
        expect_file "$name.pdf"
    done
    if command -v pdftotext >/dev/null; then
        pdftotext -layout "$name.pdf" text
        grep -q "These are another tuner's measurements" text || fail "the cover does not say whose numbers they are"
        grep -q 'rooftune verified nothing' text || fail "the method does not say that nothing was verified"
        pages=$(pdfinfo "$name.pdf" | sed -n 's/^Pages: *//p')
        # Beside the cover's sentence every page's foot has it.
        [ "$(grep -c "another tuner's measurements" text)" -gt "$pages" ] || fail "not every page says so"
    fi
    rooftune import "$name.json" -o "$name.db"
    expect_status 0
    rooftune show "$name.json" --csv first.csv
    rooftune show "$name.db" --csv second.csv
    cmp first.csv second.csv || fail "import changed points"
    rooftune show "$name.db"
    expect_out "^another tuner's measurements"
    for format in t4 kt; do
        rm -f back.json.gz
        rooftune export "$name.db" --format $format -o back.json.gz
        expect_status 0
        rooftune show back.json.gz --csv second.csv
        expect_status 0
        # The kinds of failure that Kernel Tuner has no name for may change, no time may.
        for csv in first second; do cut -d, -f1,4,5,9-13 $csv.csv | sed 's/tiny.t4/tiny/' >$csv.cut; done
        cmp first.cut second.cut || fail "--format $format changed points of $name"
    done
    rm -f "$name.db"
done
rooftune show tiny.kt.json
expect_out '^Invented GPU 9000$'
expect_out '5 points: 2 ok, 1 skipped, 1 compile_failed, 1 launch_failed; 5 of 6'
expect_out '^one run does 25.0 MFLOP, by time and recorded rate$'
rooftune show tiny.kt.json --point 1
expect_out '^time         2.00 ms, no 95 % interval, n = 3, '
expect_out '^rate         12.50 GFLOP/s (recorded by the other tuner)$'
# Work that differs is not compared, whatever the times; both files keep device and rates through T4 and a cache.
sed 's/Invented GPU 9000/Invented GPU 9001/; s/"GFLOP.s": 12.5/"GFLOP\/s": 25/; s/"GFLOP.s": 8.333333333333334/"GFLOP\/s": 16.666666666666668/' tiny.kt.json >twice.kt.json
for format in t4 kt; do
    rm -f one.json.gz two.json.gz
    rooftune export tiny.kt.json --format $format -o one.json.gz
    rooftune export twice.kt.json --format $format -o two.json.gz
    rooftune compare one.json.gz two.json.gz
    expect_status 0
    tr -s '\n ' ' ' <out | grep -q 'B (Invented GPU 9001) against A (Invented GPU 9000): ambiguous in the one workload: work differs, by time and recorded rate: 25.0 MFLOP on A, 50.0 MFLOP on B\.' ||
        fail "unequal work is judged, or a name is lost in $format"
done
# An unfinished cache.
sed '/^"32,2"/,$d' tiny.kt.json >open.kt.json
rooftune show open.kt.json
expect_status 0
expect_out '3 points: 2 ok, 1 launch_failed'
expect_out 'the tuner was stopped: its cache file'
# A recording is its own space...
for name in tiny.t4 tiny.kt; do
    rooftune run "$name.json" -d replay: -o own.db --no-report
    expect_status 0
    expect_out "^another tuner's measurements"
    expect_out '^replayed recording'
    rooftune show own.db --json own.json
    rooftune show "$name.json" --json its.json
    for file in own its; do
        grep -o '"configuration":{[^}]*},"median_s":[0-9.e-]*' $file.json >$file.best || fail "$file.json names no best"
    done
    cmp own.best its.best || fail "searching all of it finds another best"
    rm -f own.db
done
rooftune run tiny.t4.json -d replay: -o few.db --no-report --strategy random --budget 6
expect_status 0
expect_out '^  6 points'
expect_out '1 configuration left untried'
# ... or answers a space that was written down, here without the parameter that could be left out.
cat >space.lua <<'LUA'
return sweep { tune = { block_size_x = values(32, 64, 128, 256), VEC = values(1, 2) }, where = { "block_size_x * VEC <= 256" } }
LUA
rooftune run space.lua -d replay:tiny.kt.json -o space.db
expect_status 0
expect_out '^space (hot cache)'
expect_out '7 points: 2 ok, 1 skipped, 1 compile_failed, 1 launch_failed, 2 not_recorded'
expect_file space.pdf
rooftune run space.lua -o none.db
[ "$status" != 0 ] || fail "a bare space was run on a device"
rooftune run tiny.t4.json -o none.db
[ "$status" != 0 ] && [ ! -e none.db ] || fail "a recording was run on a device"
# The best as a header that compilers take without a word, as Lua, as CSV.
rooftune best tiny.t4.json tiny.kt.json --format header -o best.h
expect_status 0
cat >use.c <<'C'
#include "best.h"
#include "best.h"
#if TINY_TUNED != 1
#error "nothing is defined"
#endif
int block = TINY_BLOCK_SIZE_X;
int vec = TINY_VEC;
C
cat >use_t4.c <<'C'
#include "best.h"
int block = TINY_BLOCK;
const char *layout = TINY_LAYOUT;
int row = TINY_LAYOUT_ROW, fast = TINY_FAST;
C
compiled=no
for compiler in 'cc -x c -std=c90' 'cc -x c -std=c17' 'c++ -x c++ -std=c++11'; do
    command -v ${compiler%% *} >/dev/null || continue
    compiled=yes
    for device in INVENTED_GPU_9000:use.c DEVICE_NOT_RECORDED:use_t4.c; do
        $compiler -Wall -Wextra -Wundef -Werror -pedantic -DRFT_GPU_${device%:*} -fsyntax-only ${device#*:} 2>err ||
            fail "$compiler does not take the header"
    done
    if $compiler -fsyntax-only use.c 2>err; then fail "no device was asked for"; fi
    grep -q 'define RFT_GPU_DEVICE_NOT_RECORDED or RFT_GPU_INVENTED_GPU_9000' err || fail "the devices are not named"
done
[ $compiled = yes ] || echo "no compiler here: the header was not compiled"
grep -q "not verified by rooftune" best.h || fail "the header does not say whose numbers they are"
cp tiny.kt.json copy.kt.json
rooftune best tiny.kt.json copy.kt.json --format header
expect_error 2 'two runs of Invented GPU 9000 have a sweep named tiny'
rooftune best tiny.kt.json --format lua -o best.lua
expect_status 0
printf 'return sweep { tune = require("best").tiny[1].config }' >again.lua
rooftune run again.lua -d replay:tiny.kt.json -o again.db --no-report
expect_status 0
expect_out '  1 point: 1 ok; 1 of 1'
rooftune best tiny.kt.json tiny.t4.json --format csv
expect_status 0
printf 'device,sweep,problem,variant,configuration,median_s,low_s,high_s,rate_bytes_s,rate_ops_s,efficiency_frac\r\n' >head
head -n 1 out | cmp - head || fail "the head of the CSV"
[ "$(wc -l <out)" = 3 ] || fail "not a line for each"
# Refused by name.
rooftune export tiny.kt.json --format xml -o x.json
expect_error 2 'unknown format "xml"'
rooftune export tiny.kt.json --format kt --sweep other -o x.json
expect_error 2 'has no such; it has'
# A space in T1: counted, and searched in a recording.
cp "$FIXTURES/tiny.t1.json" .
rooftune check tiny.t1.json --json -
expect_status 0
expect_out '"configurations":72,"valid":54,' # as CPython counts them
sed 's/"\[False, True\]"/"[False]"/; s/block_size_x \* VEC < 300 or fast == 1/block_size_x < 65/; s/, \\"col\\"//' tiny.t1.json >less.json
rooftune check less.json --json -
expect_status 0
expect_out '"configurations":18,"valid":6,'
cat >kt.t1.json <<'JSON'
{"ConfigurationSpace": {"TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[32, 64, 128]"},
 {"Name": "VEC", "Type": "int", "Values": "[1, 2]"}], "Conditions": [{"Expression": "block_size_x * VEC != 256", "Parameters": []}]}}
JSON
rooftune run kt.t1.json -d replay:tiny.kt.json -o t1.db --no-report
expect_status 0
expect_out '  5 points: 2 ok'
sed 's/!= 256/!= len(x)/' kt.t1.json >bad.t1.json
rooftune check bad.t1.json
expect_error 3 'Conditions\[0\].Expression: len() with 1 arguments is not understood'
rooftune show kt.t1.json
expect_error 8 'T1, which holds no run to read'
# Names and texts that would end a comment or a string, or be the same macro.
cat >odd.json <<'JSON'
{"device_name": "9*/ ??/ \"Gerät\"", "kernel_name": "*/ int x; /* ??/ #error", "tune_params_keys": ["p-1", "p_1", "P_1", "VARIANT", "é"],
 "cache": {"k": {"p-1": -5, "p_1": "a\"\\\\??/*", "P_1": -9223372036854775808, "VARIANT": true, "é": -0.5, "time": 1.5}}}
JSON
rooftune best odd.json --format header -o best.h
expect_status 0
device=$(sed -n 's/^#if defined(\(RFT_GPU_[A-Z0-9_]*\))$/\1/p' best.h)
[ -n "$device" ] || fail "no device in the header"
printf '#include "best.h"\nint use_it;\n' >odd.c
for compiler in 'cc -x c -std=c17' 'c++ -x c++ -std=c++11'; do
    command -v ${compiler%% *} >/dev/null || continue
    $compiler -Wall -Wextra -Wundef -Werror -pedantic -D$device -fsyntax-only odd.c 2>err || fail "odd names break the header"
    $compiler -D$device -E -dM odd.c >macros
    [ "$(grep -c '^#define RFT_.*P_1\(_[23]\)\{0,1\} ' macros)" = 3 ] || fail "three parameters are not three macros"
done
rooftune check tiny.t4.json
expect_error 3 'tiny.t4.json is a run or a recording, not a sweep'
