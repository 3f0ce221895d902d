# SPDX-License-Identifier: Apache-2.0
# The README's sweep is docs/examples/saxpy.lua, which counts, compiles and replays; its commands exist.
sed -n '/^```lua$/,/^```$/p' "$SOURCE/README.md" | sed '1d;/^```$/,$d' >readme.lua
expect_file readme.lua
grep -v '^--' "$SOURCE/docs/examples/saxpy.lua" >example
grep -v '^--' readme.lua >shown
cmp example shown || fail "README.md shows another sweep than docs/examples/saxpy.lua: $(diff example shown)"
cp "$SOURCE"/docs/examples/* .
rooftune check saxpy.lua
expect_status 0
expect_out 'saxpy: 36 of 36 valid'
grep -q 'nothing compiled' err || expect_out 'failed 0'
# Every option that the README writes after a command is one of that command's.
sed -n '/^```sh$/,/^```$/p' "$SOURCE/README.md" | sed -n 's/^rooftune //p' | sed 's/ *#.*//' >commands
expect_file commands
while read -r command arguments; do
    rooftune "$command" --help
    expect_status 0
    cp out help
    for word in $arguments; do
        case $word in --*) grep -q -e "$word" help || fail "rooftune $command has no $word" ;; esac
        case $word in sweeps/*) ls "$SOURCE"/$word >/dev/null 2>&1 || fail "no $word" ;; esac
    done
done <commands
need_nvrtc
rooftune check "$SOURCE/sweeps/gemv.lua" --arch sm_100a
expect_status 0
rooftune point "$SOURCE/sweeps/gemv.lua" --at n=16384 --set BLOCK=256 --arch sm_90a --emit log
expect_status 0
