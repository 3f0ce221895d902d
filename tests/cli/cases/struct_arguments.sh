# SPDX-License-Identifier: Apache-2.0
# struct { ... } in a launch's args: check tells the layout, and compares the size with the kernel's, template or C.
need_nvrtc
write_saxpy
cat >kernels/saxpy.cu <<'END'
struct Shape { long long n; float a; };
struct Vectors { float4 w; const float *x; float *y; };
template <int VEC> __global__ void saxpy(Shape s, Vectors v) {
    long long i = (blockIdx.x * (long long)BLOCK + threadIdx.x) * VEC;
    for (int k = 0; k < VEC && i + k < s.n; k++) v.y[i + k] += s.a * v.x[i + k] + v.w.x;
}
END
sed 's|args = {[^}]*}|args = { struct { i64(p.n), f32(2) }, struct { struct { align = 16, { f32(0), f32(0), f32(0), f32(0) } }, b.x, b.y } }|' \
    kernels/saxpy_kernel.lua >right.lua
sweep s 'over = { n = values(4, 2^20) }, tune = { VEC = values(1, 4) }'
# told EDIT STATUS WORDS
told() {
    sed "$1" right.lua >kernels/saxpy_kernel.lua
    rooftune check s.lua --sample 1
    expect_status "$2"
    cat err >>out
    expect_out "$3"
}
sizes() {
    told '' 0 "argument 1 of $1, a struct of 16 bytes: i64 at 0, f32 at 8"
    expect_out "argument 2 of $1, a struct of 32 bytes: a struct of 16 bytes at 0, x at 16, y at 24"
    told 's/i64(p.n), f32(2)/f32(2)/' 5 "argument 1 of $1 is a struct of 4 bytes (f32 at 0): it takes 16 bytes; give it"
    told 's/, b.y }/}/' 5 "argument 2 of $1 is a struct of 32 bytes\|argument 2 of $1 is a struct of 24 bytes"
    told 's/struct { i64(p.n), f32(2) }/i64(p.n)/' 5 'it takes 16 bytes; a struct is written struct {'
}
sed -i 's/align = 16, //' right.lua
told '' 0 'a struct of 32 bytes' # a pointer behind 16 bytes lies the same
sizes 'saxpy<1>'
sed -i 's/^template <int VEC>/extern "C"/; s/saxpy(/saxpy_c(/' kernels/saxpy.cu
sed -i 's/"saxpy<VEC>"/"saxpy_c"/' right.lua
sizes saxpy_c
told 's/i64(p.n), f32/n = i64(p.n), f32/' 3 'struct.n: fields have no names'
# a parameter that only a struct holds is part of the launch
sed -i 's/params *= *{/params = { { "GAIN", 2 },/; s/f32(2)/f32(c.GAIN)/' right.lua
sweep s 'over = { n = values(4, 2^20) }, tune = { VEC = values(1), GAIN = values(2, 3) }'
cp right.lua kernels/saxpy_kernel.lua
rooftune check s.lua
expect_status 0
! grep -q 'GAIN changes nothing' err || fail 'GAIN changes the launch'
sed 's/f32(c.GAIN)/f32(2)/' right.lua >kernels/saxpy_kernel.lua
rooftune check s.lua
expect_err 'GAIN changes nothing'
