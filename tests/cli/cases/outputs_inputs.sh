# SPDX-License-Identifier: Apache-2.0
# No output destroys an input, a run, a recording or a script, and none waits for a pipe: every option that writes,
# with everything that could be there.
need_recording
export RFT_NVRTC=off
REC="$SOURCE/sweeps/recorded/nvidia-h200"
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --budget 3 --no-report -o in.db
expect_status 0
cp in.db other.db
cp "$QUICK" in.json.gz
cp "$REC/copy_scale.json.gz" rec.json.gz
gzip -dc rec.json.gz >rec.json
cp "$SOURCE/sweeps/quick.lua" script.lua
echo '__global__ void k() {}' >kernel.cu
cp "$SOURCE"/sweeps/recorded/nvidia-h200/copy_scale.json.gz b.json.gz
ln -s other.db link.db && ln other.db hard.db && ln -s in.db inlink && ln in.db inhard
printf 'other' >text
mkdir folder && mkfifo pipe && ln -s nowhere nothing
kept='in.db other.db in.json.gz rec.json.gz rec.json script.lua kernel.cu b.json.gz'
sha256sum $kept >sums
# never OPTION STATUS PATTERN COMMAND...: with OPTION at its end.
never() {
    path=$1 want=$2 pattern=$3
    shift 3
    status=0
    timeout 10 "$ROOFTUNE" "$@" "$path" >out 2>err </dev/null || status=$?
    [ "$status" != 124 ] || fail "rooftune $* $path waited"
    expect_error "$want" "$pattern"
}
# All is as it was, after these commands.
unharmed() {
    sha256sum --quiet -c sums >sums.out 2>&1 || fail "rooftune $*: $(cat sums.out)"
    [ -L link.db ] && [ -L inlink ] && [ -L nothing ] && [ -p pipe ] && [ -d folder ] && [ ! -e nowhere ] ||
        fail "rooftune $* took something away"
}
# written COMMAND...: its option of an output comes last; what it reads is in.db.
written() {
    for path in in.db ./in.db inlink inhard; do never $path 2 'is also what is read (.*in.db), and would be lost' "$@"; done
    for path in other.db link.db hard.db; do never $path 11 'holds a run, or another database, which would be lost' "$@"; done
    for path in rec.json.gz rec.json; do never $path 11 'holds a recording, which would be lost' "$@"; done
    for path in script.lua kernel.cu; do never $path 11 'holds a script or a source, which would be lost' "$@"; done
    never pipe 11 'cannot write pipe: it is a pipe' "$@"
    never nothing 11 'cannot write nothing: it is a symbolic link to nothing' "$@"
    never folder 11 'cannot write folder: Is a directory' "$@"
    never /dev/full 11 'cannot write /dev/full: it is a device' "$@"
    never in.db-wal 2 'belongs to a run file' "$@"
    never in.db-lock 2 'belongs to a run file' "$@"
    unharmed "$@"
}
written report in.db -o
written report in.db --chart roofline --format svg -o
written show in.db --csv
written show in.db --json
written show in.db --points
written best in.db -o
written best in.db --json
written best in.db --csv
written model in.db --devices h100 --json
written compare in.db b.json.gz -o
written compare in.db b.json.gz --json
written compare in.db b.json.gz --csv
written export in.db -o
written ceilings -d replay:in.db --json
# The inputs that are no runs.
printf '{"price": {}}' >mix.json && cp mix.json mix.before
for command in 'report in.db --mix mix.json -o' 'show in.db --mix mix.json --json' 'compare in.db b.json.gz --mix mix.json --csv' \
    'report in.db --font mix.json -o' 'report in.db --reference mix.json -o' 'model in.db --devices h100,mix.json --json'; do
    never mix.json 2 'is also what is read' $command
    cmp mix.json mix.before || fail "$command destroyed it"
done
never rec.json 2 'is also what is read' report in.db --reference . -o
never in.json.gz 2 'is also what is read' ceilings -d replay:in.json.gz --json
never script.lua 2 'is also what is read' check script.lua --sample 0 --json
never script.lua 2 'is also what is read' point script.lua --json
never script.lua 2 'is also what is read' point script.lua --emit ptx -o
# run and import: a run file goes on or is refused, the rest as above.
quick="run script.lua -d replay:in.json.gz --budget 3"
for option in --report --events -o; do
    never script.lua 2 'is also what is read' $quick $option
    never in.json.gz 2 'is also what is read' $quick $option
done
for path in other.db link.db; do
    never $path 11 'which would be lost' $quick -o new.db --report
    never $path 11 'holds something other than events' $quick -o new.db --no-report --events
done
for path in pipe /dev/full nothing folder; do never $path 11 "$path" $quick -o new.db --report; done
for path in pipe /dev/full nothing folder; do never $path 11 "$path" $quick --no-report -o; done
never rec.json 9 'another sweep\|no run file\|is not a run file' $quick --no-report -o
never kernel.cu 9 'is not a run file' $quick --no-report -o
never kernel.cu 9 'is not a run file' $quick --no-report --fresh -o
never new.db 2 '--output and --report name the same file' $quick -o new.db --report
never ./new.db 2 '--output and --events name the same file' $quick -o new.db --no-report --events
never new.db-wal 2 'belongs to a run file' $quick -o new.db --report
never x.csv 2 '--json and --csv name the same file' show in.db --json x.csv --csv
unharmed "$quick"
[ ! -e new.db ] && [ ! -e x.csv ] || fail "something was written before it was refused"
never in.json.gz 2 'is also what is read' import in.json.gz -o
for path in other.db rec.json.gz script.lua kernel.cu link.db hard.db pipe; do never $path 9 'exists already' import in.json.gz -o; done
never nothing 11 'symbolic link to nothing' import in.json.gz -o
never folder 11 'Is a directory' import in.json.gz -o
unharmed import
# What a command wrote, it may write again; a link to a file is followed.
for again in 1 2; do
    for command in 'best in.db -f lua -o best.lua' 'best in.db -f header -o best.h' 'show in.db --json x.json' \
        'show in.db --csv x.csv' 'report in.db -o x.pdf' 'compare in.db b.json.gz -o c.pdf' 'best in.db -o text'; do
        rooftune $command
        [ "$status" = 0 ] || [ "$command" = 'compare in.db b.json.gz -o c.pdf' ] || fail "$command"
    done
done
# Every option that writes is in this case or in those that --help does not name so.
for command in run check point report compare show best export import ceilings devices model; do
    "$ROOFTUNE" $command --help | grep -E '^  .*--.* (FILE\|-|OUT[.a-z]*|RUN.db) |--output FILE' | sed "s/^ *\(-., \)*--\([a-z]*\) .*/$command \2/"
done >writers
for writer in $(sed 's/ /:/' writers); do
    case $writer in
    run:output | run:report | run:events | check:json | point:json | point:output | report:output | compare:output | \
        compare:json | compare:csv | show:json | show:csv | show:points | best:json | best:csv | best:output | export:output | \
        import:output | ceilings:json | model:json) ;;
    *) fail "no test of what $writer writes over" ;;
    esac
done
[ "$(wc -l <writers)" = 20 ] || fail "not all options that write were found: $(cat writers)"
