# SPDX-License-Identifier: Apache-2.0
# Cards and machines that are not here, played from a recording: every command says what it knows, and no more.
need_recording
command -v python3 >/dev/null || skip "no python3"
export RFT_NVRTC=off
python3 "$SOURCE/tests/cli/personas.py" "$QUICK" . >names || fail "the personas cannot be played"
[ "$(wc -l <names)" -ge 16 ] || fail "personas are missing"
# said WORDS FILE..., silent WORDS FILE...
said() {
    words=$1
    shift
    grep -qE "$words" "$@" || fail "$name does not say \"$words\""
}
silent() {
    words=$1
    shift
    ! grep -nE "$words" "$@" || fail "$name says \"$words\""
}
while read -r name; do
    card=$(sed -n "s/^    \"$name\": card(\"\([^\"]*\)\".*/\1/p" "$SOURCE/tests/cli/personas.py")
    for command in "show" "show --full" best; do
        # shellcheck disable=SC2086 # two words
        rooftune $command "$name.json.gz"
        expect_status 0
        cat out >>"$name.txt"
    done
    rooftune show "$name.json.gz" --json "$name.show.json"
    expect_status 0
    python3 -m json.tool "$name.show.json" /dev/null || fail "$name: no JSON"
    rooftune compare "$QUICK" "$name.json.gz"
    expect_status 0
    rooftune report "$name.json.gz" -o "$name.md"
    expect_status 0
    cat "$name.md" >>"$name.txt"
    rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$name.json.gz" -o "$name.db" --report "$name.pdf"
    expect_status 0
    expect_file "$name.pdf"
    said "$card" "$name.txt"
    silent '(^|[^a-z])(nan|-?inf|null)([^a-z]|$)' "$name.txt"
    silent 'H200 datasheet' "$name.txt" # whose ceilings these are not
done <names
name=quick # the recording itself has them: the words below are those that it uses
rooftune show "$QUICK"
said '\(counted\)|, counted' out
for name in rtx4090 mig vgpu no_nvml no_power; do # no counters: nothing was counted, so it is modelled, or else declared
    said ', modelled( \||\)|,|$)|"evidence": *"modelled"' "$name.show.json"
    said ', declared( \||\)|,|$)|"evidence": *"declared"' "$name.show.json"
    silent '\(counted\)|, counted( \||\)|,|$)|"evidence": *"counted"' "$name.show.json" "$name.txt"
done
for name in mig vgpu no_nvml no_power; do # no power: none is told, and none is a bound, nor is it asked for
    silent '--energy (largest|best)' "$name.txt"
    silent '[0-9] W([^a-z]|$)' "$name.txt"
    silent 'bound[^a-z]*power|power-bound' "$name.txt"
done
for name in vgpu no_nvml wsl2; do # nobody read a clock
    silent "ran below the run's steady clock|held it back" "$name.txt"
    said 'Clocks were not read|clocks were not read' "$name.txt"
done
name=no_nvml # why is said once in a place
[ "$(grep -c 'cannot open shared object file.*cannot open' no_nvml.txt)" = 0 ] || fail "a reason is told again and again"
name=rtx3060
silent '700 W|H200.*of sheet|of datasheet' rtx3060.txt
said 'no datasheet is known' rtx3060.txt
name=mig
said 'cut into slices \(MIG\) on.*a slice: what ran on the rest of the card is not known' mig.md
name=l4
said 'other processes 2; .* \(MPS\) 1; .*it did not have the card for itself' l4.md
name=unknown
said 'No run of another Quantum Flux 9000' unknown.md
name=two_gib # a smaller largest problem stands in place of what does not fit
rooftune run "$SOURCE/sweeps/triad.lua" -d replay:two_gib.json.gz --dry-run
expect_status 0
said 'n=67108864: ' out
silent 'n=268435456' out
