# SPDX-License-Identifier: Apache-2.0
# docs/cookbook.md: every example of it is there, and compiles with its reference and fills.
grep -o 'examples/[a-z0-9_]*\.lua' "$SOURCE/docs/cookbook.md" | sort -u >named
[ "$(wc -l <named)" -ge 4 ] || fail "docs/cookbook.md names fewer examples than it has recipes"
need_nvrtc
cp "$SOURCE"/docs/examples/* .
for example in $(sed 's,examples/,,' named); do
    [ "$example" = gemm_cutlass.lua ] && continue # its headers are not CUDA's: below
    rooftune check "$example" --sample 1 --strict
    expect_status 0
    expect_out 'reference .* compiles'
    expect_out 'failed 0'
    [ "$example" != spmv.lua ] || expect_out 'fill of cols spmv_inputs.cu:cols compiles'
done
# Without CUTLASS the compiler names what is missing. RFT_CUTLASS=FOLDER/include tries the real one.
if [ -n "${RFT_CUTLASS-}" ]; then
    mkdir cutlass && cp -r "$RFT_CUTLASS" cutlass/include
    rooftune check gemm_cutlass.lua --sample 1 --strict
    expect_status 0
else
    rooftune check gemm_cutlass.lua --sample 1
    expect_error 5 'the log above says why'
    expect_out 'cannot open source file "cutlass/epilogue/thread/linear_combination.h"'
fi
