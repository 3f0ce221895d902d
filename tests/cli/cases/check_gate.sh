# SPDX-License-Identifier: Apache-2.0
# The status of check is a gate: the reference is compiled, and what fails or cannot run is no success.
write_saxpy
cat >one.cu <<'CU'
// Not a template: its body is looked at wherever the file is compiled.
extern "C" __global__ void scale(const float *x, float *y, long long n) {
    __shared__ float row[BLOCK];
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    row[threadIdx.x] = i < n ? x[i] : 0;
    if (i < n) y[i] += row[threadIdx.x];
}
extern "C" __global__ void scale_reference(const float *x, double *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
CU
# kernel_with NAME SED: kernels/NAME.lua, which differs from the saxpy kernel by this.
kernel_with() { sed "$2" kernels/saxpy_kernel.lua >"kernels/$1.lua"; }
# of NAME FIELDS: NAME.lua, a sweep of that kernel.
of() { printf 'return sweep { kernel = require "kernels.%s", over = { n = values(64, 1024) }, %s }\n' "$1" "$2" >"$1.lua"; }
tune='tune = { VEC = values(1, 2), BLOCK = values(64, 128, 512) }'
of saxpy_kernel "$tune"
RFT_NVRTC=off rooftune check saxpy_kernel.lua
expect_status 0
RFT_NVRTC=off rooftune check saxpy_kernel.lua --strict
expect_error 7 'NVRTC'
rooftune check saxpy_kernel.lua --all --sample 2
expect_error 2 'all leaves nothing to sample'
need_nvrtc

# The default comes first, and the reference is compiled once.
rooftune check saxpy_kernel.lua --sample 2 --strict
expect_status 0
expect_out 'reference saxpy_reference.cu:saxpy_reference compiles$'
[ "$(grep -c 'registers' out)" = 2 ] || fail "not two of the sample"
of saxpy_kernel 'tune = { VEC = values(1, 2), BLOCK = values(64, 256) }'
rooftune check saxpy_kernel.lua --sample 1
expect_out 'VEC=1 BLOCK=256 .* registers'

# A name that is not there, an error in it, a file whose other kernels need macros.
kernel_with name 's/:saxpy_reference/:saxpy_ref/' && of name "$tune"
rooftune check name.lua
expect_error 5 'the reference saxpy_reference.cu:saxpy_ref does not compile for sm_90a'
expect_out 'identifier "saxpy_ref" is undefined'
expect_out 'compiled 4, failed 0'
rooftune check name.lua --json -
expect_status 5
expect_out '"references":\[{.*"outcome":"compile_failed".*"log":"'
sed 's/y\[i\] +=/y[j] +=/' kernels/saxpy_reference.cu >kernels/typo.cu
kernel_with typo 's/saxpy_reference.cu:/typo.cu:/' && of typo "$tune"
rooftune check typo.lua
expect_error 5 'typo.cu:saxpy_reference does not compile'
expect_out 'typo.cu(3): error: identifier "j" is undefined'
mv one.cu kernels
kernel_with one 's/"saxpy.cu"/"one.cu"/; s/"saxpy<VEC>"/"scale"/; s/f32(2.0), //; s/saxpy_reference.cu:saxpy_/one.cu:scale_/' && of one "$tune"
rooftune check one.lua
expect_error 5 'one.cu:scale_reference does not compile'
expect_err 'without the parameters. macros'
expect_out 'identifier "BLOCK" is undefined'

# Of two variants one fails; of one variant a part does.
kernel_with broken 's/"saxpy<VEC>"/"saxpi<VEC>"/'
cat >two.lua <<'LUA'
return sweep {
  variants = { { "good", kernel = require "kernels.saxpy_kernel" }, { "bad", kernel = require "kernels.broken" } },
  over = { n = values(8, 64) },
}
LUA
rooftune check two.lua
expect_error 5 '1 of 2 configurations fail for sm_90a'
sed -i '2i static_assert(VEC < 2, "one float");' kernels/saxpy.cu
of saxpy_kernel "$tune"
rooftune check saxpy_kernel.lua --all
expect_error 5 '[1-9][0-9]* of [1-9][0-9]* configurations fail'
write_saxpy

# Skipped: some, which --strict does not let pass; all, which nothing does.
kernel_with some 's/block = c.BLOCK }/block = c.BLOCK, shared = c.BLOCK * 1024 }/' && of some "$tune"
rooftune check some.lua
expect_status 0
expect_out 'skipped: dynamic shared memory (bytes) is 524288'
rooftune check some.lua --strict
expect_error 12 '[1-9] of 4 configurations cannot run'
kernel_with none 's/block = c.BLOCK }/block = c.BLOCK, shared = 2^20 }/' && of none "$tune"
rooftune check none.lua
expect_error 12 'nothing of the sample can run on .*: all [0-9]* configurations are skipped'

# --all compiles each configuration of each problem, the odd one among them.
rooftune check some.lua --all
expect_status 0
expect_out 'compiled for n=67 (the odd problem):$'
expect_out 'compiled 12, failed 0, spilling 0, skipped 6$'

# What a run would do: the odd problem and who runs there, NVRTC's options, compiles, registers of each launch.
of saxpy_kernel "$tune, where = { 'n > 100 or VEC == 1' }"
rooftune check saxpy_kernel.lua
expect_status 0
expect_out '^  odd problem, only verified: n=67; saxpy 3 of 6 valid$'
expect_out '^    options for NVRTC, of the first: -DBLOCK=64$'
expect_out '^distinct compiles: 4, .* each; a run needs 6 at most: about '
kernel_with twice 's/"saxpy<VEC>"/{ "saxpy<VEC>", "saxpy<1>" }/
s/return { \(args.*}\)$/return { { entry = ("saxpy<%d>"):format(c.VEC), \1, { entry = "saxpy<1>", \1 }/'
of twice 'tune = { VEC = values(2, 4) }'
rooftune check twice.lua
expect_status 0
expect_out '^      saxpy<2>  *[0-9]* registers, '
expect_out '^      saxpy<1>  *[0-9]* registers, '
rooftune check twice.lua --json -
expect_out '"launches":\[{"entry":"saxpy<4>","registers":[1-9]\|"launches":\[{"entry":"saxpy<2>","registers":[1-9]'
expect_out '"distinct_compiles":2'
