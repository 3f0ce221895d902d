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
# Every option that a page writes after a command is one of that command's; every sweep that the README names is there.
for page in "$SOURCE/README.md" "$SOURCE/CONTRIBUTING.md" "$SOURCE"/docs/*.md; do
    sed -n '/^```/,/^```$/p' "$page" | sed -n 's/^\($ \)*rooftune \([a-z]\)/\2/p' | sed 's/  *#.*//'
    grep -o '`rooftune [a-z][^`]*`' "$page" | sed 's/`rooftune //; s/`$//'
done >commands
[ "$(wc -l <commands)" -gt 100 ] || fail "the pages' commands were not found"
while read -r command arguments; do
    [ -f "help.$command" ] || rooftune "$command" --help
    [ -f "help.$command" ] || { expect_status 0; cp out "help.$command"; }
    for word in $arguments; do
        case $word in
        --[a-z]*)
            word=${word%%[=,;:.)]*}
            grep -q -e "$word\>" "help.$command" || fail "rooftune $command has no $word"
            ;;
        esac
    done
done <commands
for word in $(grep -o '[ (]sweeps/[a-z_*]*\.lua' "$SOURCE/README.md"); do
    ls "$SOURCE"/${word#(} >/dev/null 2>&1 || fail "no $word"
done
need_nvrtc
rooftune check "$SOURCE/sweeps/gemv.lua" --arch sm_100a
expect_status 0
rooftune point "$SOURCE/sweeps/gemv.lua" --at n=16384 --set BLOCK=256 --arch sm_90a --emit log
expect_status 0
