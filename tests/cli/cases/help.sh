# SPDX-License-Identifier: Apache-2.0
# --help of rooftune groups the commands, that of every command names every option, and what is misspelt is told with the nearest word.
rooftune --help
expect_status 0
commands='new check devices ceilings point run show report compare test best model import export completion manual'
awk 'length($0) > 100' out | grep . && fail "--help is wider than 100 columns"
for group in 'write a sweep' measure 'read results' decide 'use results' 'exchange files' 'set up a shell'; do expect_out "^$group:\$"; done
listed=$(sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p' out | tr '\n' ' ')
[ "$listed" = "$commands " ] || fail "--help lists: $listed"
for command in $commands; do
    rooftune "$command" --help
    expect_status 0
    expect_out "^usage: rooftune $command"
    [ ! -s err ] || fail "help talks on stderr"
    awk 'length($0) > 100' out | grep . && fail "help wider than 100 columns"
    options=$(sed -n 's/^  .*\(--[a-z-]*\).*/\1/p' out)
    # The pages name no other.
    for option in $(grep -oh "rooftune $command [^\`#|]*" "$SOURCE/README.md" "$SOURCE"/docs/*.md | grep -o ' --[a-z][a-z-]*' | sort -u); do
        echo "$options" | grep -qx -- "$option" || fail "a page has rooftune $command $option"
    done
    # Each is accepted: a flag alone, and what takes an argument complains that it has none.
    for option in $options; do
        [ "$option" != --help ] || continue
        rooftune "$command" "$option"
        if grep -q 'unknown option' err; then fail "rooftune $command does not know its own $option"; fi
    done
done
# The options that each must have.
has() {
    rooftune "$1" --help
    for option in $2; do expect_out " --$option"; done
}
has run 'allow-path at variant set device output report no-report budget goal objective timeout compile-timeout strategy seed min-time no-race no-prune in-order ceilings energy soak counters sanitize events wait fresh dry-run arch'
for group in device files search measure; do expect_out "^$group:\$"; done
has check 'allow-path arch sample compile-timeout json'
has point 'allow-path at set variant sweep device in-process bare ncu timeout compile-timeout wait json emit arch output'
has report 'output part full mix limits-out'
has test 'output junit json csv'
has compare 'output json csv mix'
has show 'json csv points mix ascii full'
has best 'format json csv output'
has export 'output format sweep variant problem'
has import 'output baseline counters at set variant sweep point'
has new 'output entry size'
has ceilings 'device soak json wait'
rooftune
expect_status 2
grep -q '^usage: rooftune COMMAND' err || fail "no usage without arguments"
[ ! -s out ] || fail "an error on stdout"
rooftune runn
expect_error 2 'did you mean "run"'
rooftune check --archh sm_90a x.lua
expect_error 2 'did you mean "--arch"'
rooftune run --fresh=1 x.lua
expect_error 2 'fresh'
rooftune run x.lua -o
expect_error 2 'needs RUN.db'
rooftune show -- x
expect_error 2 ''
for command in run new check point report compare 'compare x.db' show best export import 'export x.db' completion; do
    rooftune $command
    expect_error 2 ''
done
rooftune worker
expect_error 2 'started by rooftune itself'
rooftune --version
expect_status 0
expect_out '^rooftune [0-9]'
