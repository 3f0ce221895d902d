# SPDX-License-Identifier: Apache-2.0
# What does not compile is told in the sweep's words, in check, point and run; in a pipe in the order it was written.
need_nvrtc
write_saxpy
sed -i 's/(long long)BLOCK/(long long)blockDim.x/' kernels/saxpy.cu
sweep s 'over = { n = values(4, 8) }, tune = { VEC = values(1, 16), BLOCK = values(128, 256) }'
# told KERNEL_EDIT SOURCE_EDIT MESSAGE: sed's edits of the kernel's script and source, and what is to be said.
told() {
    cp -r kernels whole
    sed -i "$1" kernels/saxpy_kernel.lua
    sed -i "$2" kernels/saxpy.cu
    rooftune check s.lua --arch sm_80
    expect_error 5 'no configuration of the sample compiles'
    expect_out "compile_failed: $3"
    expect_out "^rooftune: $3"
    [ "$(grep -c '^the compiler, of 4 configurations:$' out)" = 1 ] || fail "not one log for all: $3"
    rm -r kernels
    mv whole kernels
}
told 's/saxpy<VEC>/sapxy<VEC>/' '' 'saxpy.cu has no kernel sapxy; did you mean saxpy?'
told 's/saxpy<VEC>/saxpy<Vec>/' '' 'Vec in entry "saxpy<Vec>" is no parameter; did you mean VEC?'
told 's/saxpy<VEC>/saxpy<VEC, BLOCK>/' '' 'entry "saxpy<[0-9]*, [0-9]*>" does not fit saxpy, which is "template <int VEC>"'
told '' '$a template <int BLOCK> __device__ int other() { return BLOCK; }' \
    'saxpy.cu([0-9]*): BLOCK is a macro here (-DBLOCK=[0-9]*), since entry does not name it'
told '' 's/VEC;$/VEC + FOLD;/' 'saxpy.cu([0-9]*): FOLD is not defined here; macros here: BLOCK'
sed -i 's/for (int k/__shared__ float s[20000]; s[threadIdx.x] = x[i]; __syncthreads(); y[i] = s[threadIdx.x ^ 1];\n&/' kernels/saxpy.cu
rooftune check s.lua --arch sm_80
expect_error 5 'no configuration'
expect_out 'ptxas error .*uses too much shared data (0x13880 bytes, 0xc000 max)'
expect_out '^rooftune: arrays of fixed size have 48 KiB'
"$ROOFTUNE" check s.lua --arch sm_80 >both 2>&1 </dev/null && fail "it compiles"
[ "$(tail -1 both)" = '  remedy: the log above says why' ] || fail "not in the order it was written"
# A source can make the log as long as memory is: its beginning and its end are kept.
head -c 200000 /dev/zero | tr '\0' '{' >kernels/saxpy.cu
rooftune check s.lua --arch sm_80
expect_error 5 'no configuration'
expect_out '^\.\.\. [0-9]* bytes of the compiler.s log are left out \.\.\.$'
[ "$(wc -c <out)" -lt 150000 ] || fail "all of a line of 200 kB was printed"
