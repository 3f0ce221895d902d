# SPDX-License-Identifier: Apache-2.0
# docs/first-sweep.md, followed: each command of the page in its order, and each line that it shows is what the program says.
# What needs a GPU is replayed from the recordings of the page's own runs. Times, dates and names of run files are masked.
need_nvrtc
export LC_ALL=C.UTF-8 # the bars
page="$SOURCE/docs/first-sweep.md"
examples="$SOURCE/docs/examples"

# block LANGUAGE N: the N-th block of code of that language.
block() { awk -v open="\`\`\`$1" -v n="$2" '$0 == open { k++; inside = k == n; next } /^```/ { inside = 0 } inside' "$page"; }
# The commands of the page, numbered, with what it shows behind each.
awk '/^```/ { inside = $0 == "```console"; next }
     inside && /^\$ / { n++; print substr($0, 3) >"command." n; printf "" >"shown." n; next }
     inside { print >"shown." n }' "$page"
step=0
# follows COMMAND: this is the page's next command.
follows() {
    step=$((step + 1))
    [ "$(cat "command.$step" 2>/dev/null)" = "$1" ] || fail "command $step of the page is not: $1"
}
mask() {
    sed -E 's/heat-h200(-replay)?-[0-9]{4}-[0-9]{2}-[0-9]{2}(-[0-9]+)?\./heat-h200-DATE./g; s/[0-9.]+ (us|ms|s) each/T each/
        s/: about [0-9.]+ (us|ms|s)(, [0-9]+ at a time)?$/: about T/' "$1"
}
# What the page shows is in what was said: in this order, and without a gap but where it has "...".
same() {
    expect_status "$1"
    mask "shown.$step" >shown
    cat err out >said
    mask said >got
    awk 'FNR == NR { got[++lines] = $0; next }
         $0 == "..." { gap = 1; next }
         FNR == 1 { gap = 1 }
         { do at++; while (gap && at <= lines && got[at] != $0)
           if (at > lines || got[at] != $0) { print "the page shows what the program does not say: " $0; exit 1 }
           gap = 0 }' got shown || fail "docs/first-sweep.md, command $step: $(cat "command.$step")"
}
hash_of() { sed -n 's/.*"script_hash":"\([0-9a-f]*\)".*/\1/p' "$1"; }
# as_recorded N: the sweep here is the one that docs/examples/heatN.json.gz was recorded from, to the byte.
as_recorded() {
    rooftune export heat-h200-replay-*.db -o here.json.gz
    expect_status 0
    gzip -dc here.json.gz >here.json
    gzip -dc "heat$1.json.gz" >recorded.json
    [ -n "$(hash_of here.json)" ] || fail "the recording has no script hash"
    [ "$(hash_of here.json)" = "$(hash_of recorded.json)" ] || fail "heat$1.json.gz was recorded from another heat.lua"
    rm heat-h200-replay-* here.json.gz
}

cp "$examples"/heat[12].json.gz .
block cuda 1 >heat.cu
follows 'rooftune new heat.cu --size n=8192'
rooftune new heat.cu --size n=8192
same 0
# The run that failed was not exported: the first recording with its outcome and its reason in the place of the times.
gzip -dc heat1.json.gz | sed -E '/^"outcome"/{s/"ok"/"wrong_result"/g;h;s/"outcome"/"reason"/
s/"wrong_result"/"to[0] is 0.23604102922843933, the reference says nan; 67158025 of 67158025 elements are wrong"/g;x;G;}' >failed.json
follows 'rooftune run heat.lua'
export RFT_NVRTC=off
rooftune run heat.lua -d replay:failed.json
unset RFT_NVRTC
same 12
rm heat-h200-replay-*

# What the page has the reader edit.
{
    echo '-- SPDX-License-Identifier: Apache-2.0'
    block lua 1 | sed 's/[&|]/\\&/g; s/.*/s|^    work  .*|&|/' >work.sed
    sed -e '/^print(/d; /^ *-- TODO/d; s/ -- TODO.*//; s/: what says TODO is a guess\.//' -f work.sed heat.lua
} >edited && mv edited heat.lua
{ sed '/^extern/,$d; s/ TODO: .*//' heat_reference.cu && block cuda 2; } >edited && mv edited heat_reference.cu
cmp heat_reference.cu "$examples/heat_reference.cu" || fail "the page has another reference than docs/examples"
follows 'rooftune check heat.lua'
rooftune check heat.lua
same 0
follows 'rooftune run heat.lua'
rooftune run heat.lua -d replay:heat1.json.gz
same 0
expect_out '18 configurations compiled here .*, 18 with the recorded'
as_recorded 1
follows 'rooftune best heat-h200-2026-11-23-2.db'
rooftune best heat1.json.gz
same 0
follows 'rooftune show heat-h200-2026-11-23-2.db'
rooftune show heat1.json.gz
same 0

# The second variant.
head -n "$(wc -l <heat.cu)" "$examples/heat.cu" | cmp - heat.cu || fail "the page has another kernel than docs/examples"
cp "$examples"/heat.cu "$examples"/heat.lua .
block lua 2 >variants
grep -qxF -f variants heat.lua && [ "$(grep -cxF -f variants heat.lua)" = "$(wc -l <variants)" ] ||
    fail "the page has another ladder than docs/examples"
follows 'rooftune check heat.lua'
rooftune check heat.lua
same 0
follows 'rooftune run heat.lua --counters all'
export RFT_NVRTC=off # compiled above, a sample
rooftune run heat.lua -d replay:heat2.json.gz
same 0
as_recorded 2
follows 'rooftune show heat-h200-2026-11-23-3.db --full'
rooftune show heat2.json.gz --full
same 0
expect_out 'most 22 % of the time' # the page's words about it
expect_out '^  slope: memory, measured 4.28 TB/s'
follows 'rooftune best heat-h200-2026-11-23-3.db --format header'
rooftune best heat2.json.gz --format header
same 0
[ ! -e "command.$((step + 1))" ] || fail "the test does not try: $(cat "command.$((step + 1))")"
