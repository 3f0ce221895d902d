# SPDX-License-Identifier: Apache-2.0
# Completion knows every command and option of --help, and the names that stand behind options; bash, zsh and fish take
# its scripts. The manual has every command, option and exit status.
# words WORD...: what fits the last, on one line, without descriptions.
words() {
    rooftune completion words "$@"
    expect_status 0
    said=$(cut -f 1 out | tr '\n' ' ')
}
expect_words() { [ "${said% }" = "$*" ] || fail "not \"$*\" but \"$said\""; }
expect_word() { case " $said" in *" $1 "*) ;; *) fail "no $1 in \"$said\"" ;; esac; }
rooftune --help
commands=$(sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p' out)
rooftune manual
expect_status 0
cp out page
words ''
expect_words $commands
for command in $commands; do
    grep -q "^.SS \"rooftune $command\"" page || fail "the manual lacks $command"
    rooftune "$command" --help
    options=$(sed -n 's/^  \(-., \|    \)\(--[a-z][a-z-]*\).*/\2/p' out | sort)
    words "$command" --
    [ "$(cut -f 1 out | sort)" = "$options" ] || fail "$command: not the options of its help"
    for option in $options; do
        [ "$option" = --help ] || grep -q "^.*B$(echo "$option" | sed 's/-/.-/g')" page || fail "the manual lacks $command $option"
    done
done
grep -q '^130$' page || fail "the manual lacks an exit status"
words run --strategy tre
expect_words trees
words run --strategy=tre
expect_words --strategy=trees
words run x.lua --energy ''
expect_words none auto largest best all
words export -f ''
expect_words recording t4 kt
words run --budget ''
expect_words
words check --arch h20
expect_word h200
words model --devices h100,b2
expect_words h100,b200
words run -d ''
expect_word replay:
words run ''
expect_words sweeps/ :files lua db json.gz json
words show sweeps/recorded/nvidia-h200/quick
expect_words sweeps/recorded/nvidia-h200/quick.json.gz :files db json.gz
words run x.lua -- ''
expect_words :files
words nonsense ''
expect_words
words new --output ''
expect_words :folders
rooftune completion tcsh
expect_error 2 'no completion for "tcsh"'
if command -v man >/dev/null && command -v groff >/dev/null; then
    groff -man -Tascii -ww page 2>complaints >/dev/null || fail "groff refuses the manual"
    [ ! -s complaints ] || fail "groff complains of the manual: $(cat complaints)"
fi
# In the shells themselves, beside files of all kinds.
mkdir -p 'my folder' elsewhere/bin
: >a.lua
: >'my folder/b c.lua'
: >'my folder/x.db'
ln -s "$ROOFTUNE" elsewhere/bin/rooftune
cat >ask.bash <<'B'
eval "$(rooftune completion bash)"
# ask LINE WORDS-AS-BASH-PARTS-THEM...
ask() {
    COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$(($# - 2))
    COMP_WORDS=("${@:2}")
    _rooftune rooftune
    printf '<%s>' "${COMPREPLY[@]}"
    echo
}
ask 'rooftune compa' rooftune compa
ask 'rooftune run --strategy=tre' rooftune run --strategy = tre
ask 'rooftune run --strategy=' rooftune run --strategy =
ask 'rooftune run -d repl' rooftune run -d repl
ask 'rooftune show my\ folder/x' rooftune show 'my\ folder/x'
ask 'rooftune check a' rooftune check a
ask 'rooftune run -d replay:my\ folder/' rooftune run -d replay : 'my\ folder/'
B
PATH=$PWD/elsewhere/bin:$PATH bash ask.bash >said || fail "bash refuses the script"
cat >expected <<'X'
<compare>
<trees>
<auto><exhaustive><random><greedy_ils><simulated_annealing><genetic_algorithm><diff_evo><pso><trees><memetic>
<replay:>
<my folder/x.db>
<a.lua>
<my folder/x.db>
X
diff expected said >out || fail "bash completes otherwise"
for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    rooftune completion $shell
    $shell -n out || fail "$shell refuses the script"
done
if command -v fish >/dev/null; then
    rooftune completion fish
    printf '%s\n' "complete -C 'rooftune run --strategy tre'" "complete -C 'rooftune run --goa' | string split \\t" >>out
    said=$(HOME=$PWD PATH=$PWD/elsewhere/bin:$PATH fish out | tr '\n' ' ')
    case $said in "trees --goal stop where"*) ;; *) fail "fish completes otherwise: $said" ;; esac
fi
