# SPDX-License-Identifier: Apache-2.0
# Results of KTT as a run (made-up numbers): shown, ranked, drawn, imported, exported; never more than the file says.
KTT="$SOURCE/tests/store/invented.ktt.json"
rooftune show "$KTT"
expect_status 0
expect_out '^Invented GPU (made-up numbers, nothing was measured)'
expect_out '^another tuner.s measurements (KTT): not verified by rooftune, no ceilings'
expect_out '6 points: 4 ok, 1 launch_failed, 1 wrong_result'
tr -s '\n ' ' ' <out | grep -q 'measures no ceilings' || fail "why there are no ceilings"
expect_out '80.0  *us .* n/a  unknown$'
expect_out 'BLOCK=64 TILE=2'
rooftune show "$KTT" --point 4
expect_status 0
expect_out '^registers    255, shared 2048 B static$'
expect_out '^launch       grid 2048 x 16 x 1, block 128 x 2 x 1$'
expect_out 'device memory, read  *96.00 MB'
expect_out 'lts__t_sectors.avg.pct_of_peak_sustained_elapsed  *40$'
rooftune best "$KTT" --json -
expect_status 0
expect_out '"TILE":2'
rooftune import "$KTT" -o k.db
expect_status 0
rooftune export k.db -o k.json.gz
expect_status 0
rooftune show k.json.gz
expect_status 0
expect_out '6 points: 4 ok'
for file in "$KTT" k.db k.json.gz; do
    rooftune report "$file" -o k.pdf
    expect_status 0
    expect_file k.pdf
    mv k.pdf "$(basename "$file").pdf"
done
# What the file does not say is n/a, not 0 and not a comparison with it; the time stands where there is no rate.
rooftune report "$KTT" -o k.md
grep -q '80.0 .*s a run' k.md || fail "page 1 does not tell the time"
grep -q '0 B, 0 B\|Nowhere are counted' k.md && fail "work that nobody declared is 0"
grep -q 'No work is declared that the counts could be held to' k.md || fail "counts are held to nothing"
grep -q '^Script path not kept\. ' k.md || fail "a sentence begins with a full stop"
# Known by its content, gzip or not, whatever it is called.
gzip -c "$KTT" >results.txt
rooftune show results.txt
expect_status 0
head -c 300 results.txt >cut.json.gz
rooftune show cut.json.gz
expect_error 8 'truncated'
sed 's/"Status": "Ok"/"Status": 7/' "$KTT" >lies.json
rooftune import lies.json -o l.db
expect_error 8 'lies.json: Results.0..Status: expected Ok, '
[ ! -e l.db ] || fail "a run file of what cannot be read"
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$KTT" -o r.db
expect_error 8 'it cannot replay a sweep with a kernel'
