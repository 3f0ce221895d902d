# SPDX-License-Identifier: Apache-2.0
# Texts from files and scripts that would act on a terminal (escapes, carriage returns, C1 controls, changes of
# direction) come out spelled out, whatever command shows them; headers of C stay valid, JSON keeps them exactly.
need_recording
# plain COMMAND...: whatever its status, nothing on stdout and stderr acts on a terminal.
plain() {
    rooftune "$@"
    [ "$status" -lt 126 ] || fail "rooftune $* ended with status $status"
    "$PLAIN_TEXT" out err >bad || fail "rooftune $*: $(cat bad)"
}
name='\\u202e\\u0085\\u2066é'
free='\\u001b[31m\\u0007\\r\\u007f\\u009b2J\\u202e\\b'
gzip -dc "$QUICK" | sed -e "s/copy_scale/copy${name}scale/g" -e "s/gemv_fp16/gemv${name}16/g" \
    -e "s/BLOCK/BL${name}OCK/g" -e "s/NVIDIA H200/NV${name}IDIA H200/g" \
    -e "s/\"\(reason\|command\|help\|text\|unexplored\|tool_version\|throttle_note\|datasheet_basis\|limit_basis\)\":\"/&$free/g" \
    -e "s/\[\"\([a-z_]*\.[a-z_.]*\)\",\"/[\"\1\",\"$free/g" >hostile.json
# Names are one line without control characters, what is left of them is shown.
sed 's/"name":"copy/"name":"\\u001bcopy/' hostile.json >names.json
plain show names.json
expect_error 8 'name: expected one line without control characters, found one of code 27'
plain import hostile.json -o hostile.db
expect_status 0
for run in hostile.json hostile.db; do
    plain show "$run"
    expect_status 0
    expect_out 'NV\\u202e\\u0085\\u2066'
    plain show "$run" --full
    expect_status 0
    expect_out '\\u001b\['
    plain show "$run" --ascii
    plain show "$run" --csv -
    plain show "$run" --json -
    expect_status 0
    plain best "$run"
    plain best "$run" --csv -
    plain best "$run" --json -
    plain best "$run" --format header
    expect_status 0
    plain compare "$run" "$QUICK"
    expect_status 2
    plain model "$run"
    plain report "$run" -o report.pdf
    expect_status 0
    rm -f exported.json.gz
    plain export "$run" -o exported.json.gz
    expect_status 0
done
plain show hostile.db --csv points.csv --json points.json
"$PLAIN_TEXT" points.json || fail "JSON is not plain"
plain run hostile.json -d replay: -o replayed.db
expect_status 0
plain compare hostile.json replayed.db
expect_status 0
plain run "$(printf 'no\033[2J\302\205.lua')"
plain show "$(printf 'no\033[2J\302\205.db')"
rooftune best hostile.json --format header -o best.h
device=$(sed -n 's/^#if defined(\(RFT_GPU_[A-Z0-9_]*\))$/\1/p' best.h)
printf '#include "best.h"\nint use_it;\n' >use.c
for compiler in 'cc -x c -std=c17' 'c++ -x c++ -std=c++11'; do
    command -v ${compiler%% *} >/dev/null || continue
    $compiler -Wall -Wextra -Werror -pedantic "-D$device" -fsyntax-only use.c 2>err || fail "the header is not valid"
done

# Scripts: names, errors, and what a compiler says of the source.
write_saxpy
sweep bidi "name = 'sw\u{202e}eep', over = { n = values(1024) }"
plain check bidi.lua
sweep raised "name = error('\\27[2J\\r\\u{9b}31m'), over = { n = values(1024) }"
plain check raised.lua
expect_error 3 'u001b'
printf 'print("\\27]0;title\\7\\u{2067}") ' >printed.lua
cat bidi.lua >>printed.lua
plain check printed.lua
printf '\n#error "\033[31m\302\233\342\200\256"\n' >>kernels/saxpy.cu
plain check bidi.lua
