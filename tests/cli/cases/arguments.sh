# SPDX-License-Identifier: Apache-2.0
# Arguments that a kernel cannot take are told before any GPU is near: by its symbol, or by sizes where that tells none.
need_nvrtc
write_saxpy
cp kernels/saxpy_kernel.lua right.lua
sweep s 'over = { n = values(4, 2^20) }, tune = { VEC = values(1, 4) }'
# expect_refused ARGS WORDS
expect_refused() {
    sed "s|args = {[^}]*}|args = { $1 }|" right.lua >kernels/saxpy_kernel.lua
    rooftune check s.lua --sample 1
    expect_error 5 'no configuration of the sample'
    expect_out "launch_failed: $2"
}
expect_taken() {
    sed "s|args = {[^}]*}|args = { $1 }|" right.lua >kernels/saxpy_kernel.lua
    rooftune check s.lua --sample 1
    expect_status 0
    expect_out 'compiled 1, failed 0'
}
expect_taken 'b.x, b.y, f32(2.0), i64(p.n)'
expect_refused 'b.x, b.y, i64(p.n)' 'saxpy<1> takes 4 parameters, 3 are given: x, y, one i64'
expect_refused 'b.x, b.y, i64(p.n), f32(2.0)' 'argument 3 of saxpy<1> .* arguments 3 and 4 are swapped?'
expect_refused 'b.x, b.y, f64(2.0), i64(p.n)' 'argument 3 of saxpy<1> is f64(...), 8 bytes: it takes float, 4 bytes; write f32(...)'
expect_taken 'b.y, b.x, f32(2.0), u64(p.n)'
expect_refused 'b.x, b.y, f32(2.0), i32(7)' 'argument 4 of saxpy<1> is i32(7), 4 bytes: it takes long long, 8 bytes; write i64(...)'
sed -i 's/const float \*x/const double *x/' kernels/saxpy.cu
expect_refused 'b.x, b.y, f32(2.0), i64(p.n)' 'argument 1 of saxpy<1> is the buffer x of f32: it takes double \*; declare the buffer as f64'
# the reference
sed -i 's/const double \*x/const float *x/' kernels/saxpy.cu
cp kernels/saxpy_reference.cu reference.cu
sed 's/extern "C"//; s/double \*y/float *y/' reference.cu >kernels/saxpy_reference.cu
cp right.lua kernels/saxpy_kernel.lua
rooftune check s.lua --sample 1
expect_error 5 'the reference saxpy_reference.cu:saxpy_reference cannot be launched'
expect_out 'argument 2 of saxpy_reference is the buffer y of f64, as outputs .* it takes float \*; write double \* there'
cp reference.cu kernels/saxpy_reference.cu
# extern "C": the cubin tells sizes
sed -i 's/^template <int VEC>/extern "C"/; s/saxpy(/saxpy_c(/' kernels/saxpy.cu
sed -i 's/"saxpy<VEC>"/"saxpy_c"/' right.lua
expect_taken 'b.x, b.y, f32(2.0), i64(p.n)'
expect_refused 'b.x, b.y, i64(p.n)' 'saxpy_c takes 4 parameters, 3 are given'
expect_refused 'b.x, b.y, f32(2.0), i32(7)' 'argument 4 of saxpy_c is i32(7), 4 bytes: it takes 8 bytes'
expect_refused 'b.x, b.y, i64(p.n), f32(2.0)' 'argument 4 of saxpy_c is f32(...), 4 bytes: it takes 8 bytes'
rooftune check s.lua --sample 1 --json -
expect_status 5
expect_out '"outcome":"launch_failed"'
