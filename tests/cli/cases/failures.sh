# SPDX-License-Identifier: Apache-2.0
# Failures by kind, most frequent first, each with how many, why and one example: in show, its JSON, and the report.
need_recording
need_nvrtc
write_saxpy
sed -i '2i\
    static_assert(VEC != 3 \&\& VEC != 5, "VEC must be a power of two");\
#if BLOCK == 96 || BLOCK == 160\
    int wrong = missing(0x7f3a00 + BLOCK);\
#endif' kernels/saxpy.cu
sed -i 's/^    return { args/    if c.BLOCK == 224 then error("no good: block " .. c.BLOCK + p.n) end\n&/' kernels/saxpy_kernel.lua
sweep many 'over = { n = values(1024, 2048, 2^37) }, tune = { VEC = range(1, 5), BLOCK = values(64, 96, 160, 224, 2048) }'
rooftune run many.lua -d "replay:$QUICK" -o many.db
expect_status 12
# The counts do not depend on whether numbers differ; 5 vectors, 3 sizes and the odd one.
count() { sed -n "s/^    \([0-9]*\) $1.*/\1/p" out; }
rooftune show many.db
kinds=$(grep -c '^    [0-9]* [a-z_]*: ' out)
[ "$kinds" = "$(grep -c '^      e\.g\. ' out)" ] || fail "a kind without an example"
grep '^    [0-9]* [a-z_]*: ' out | sed 's/^ *\([0-9]*\) .*/\1/' >counts
sort -rn counts | cmp - counts || fail "not the most frequent first"
[ "$(count 'script_failed: .*no good: block')" = 20 ] || fail "script_failed: $(count 'script_failed: ')"
[ "$(count 'skipped: block.x is 2048, the device allows 1024')" = 20 ] || fail "skipped: $(count 'skipped: block')"
[ "$(count 'compile_failed: .*missing')" = 30 ] || fail "missing: $(count 'compile_failed: .*missing')"
[ "$(count 'compile_failed: .*static assertion')" = 6 ] || fail "static assertion: $(count 'compile_failed: .*static')"
expect_out '^      e\.g\. n=[0-9]*\( (the odd problem)\)*, VEC=[0-9] BLOCK=224'
rooftune show many.db --json -
expect_out '"failures":\[{"count":30,"outcome":"compile_failed","reason":"saxpy.cu(4): error'
if command -v pdftotext >/dev/null; then
    pdftotext -layout many.pdf many.txt
    grep -q 'What was not measured, and why' many.txt || fail "the report does not say what was not measured"
    for row in 'skipped  *20  *block.x is 2048, the device allows 1024  *n=' 'script_failed  *20  .*no good: block .* n=.* VEC=' \
        'compile_failed  *30  .*missing' 'compile_failed  *6  '; do
        grep -q -e "$row" many.txt || fail "the report has no row: $row"
    done
fi
