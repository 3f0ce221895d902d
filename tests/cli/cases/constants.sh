# SPDX-License-Identifier: Apache-2.0
# constants = { ... } against the variables of compiled code: told by check, with no GPU.
need_nvrtc
cat >filter.cu <<'END'
namespace ns { __constant__ float weights[3]; }
static __device__ double bias[2];
extern "C" __global__ void filter(const float *x, float *y, long long n) {
    long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = ns::weights[i % 3] * x[i] + (float)bias[i % 2];
    }
}
END
cat >filter_reference.cu <<'END'
namespace ns { __constant__ float weights[3]; }
extern "C" __global__ void filter_reference(const float *x, double *y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = ns::weights[i % 3] * x[i] + (i % 2 ? 0.25 : 0.5);
    }
}
END
cat >right.lua <<'END'
local filter = kernel {
  source = "filter.cu",
  entry = "filter",
  problem = { "n" },
  params = { { "BLOCK", 256 } },
  buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
  constants = { ["ns::weights"] = input(f32, 3), bias = input(f64, 2, uniform(0, 1)) },
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
  end,
  work = function(p) return { fp32 = 2 * p.n, bytes = 8 * p.n } end,
  check = { reference = "filter_reference.cu:filter_reference" },
}
return sweep { kernel = filter, over = { n = values(1000) }, tune = { BLOCK = values(128, 256) } }
END
# told EDIT STATUS WORDS: of right.lua, changed by sed, check says so
told() {
    sed "$1" right.lua >s.lua
    rooftune check s.lua --sample 1
    expect_status "$2"
    cat err >>out
    expect_out "$3"
}
told '' 0 'compiled 1, failed 0'
told 's/constants = {/constants = function(p) return {/; s/(0, 1)) },/(0, p.n)) } end,/' 0 'compiled 1, failed 0'
told 's/"ns::weights"/"\&ns::weights"/' 0 'compiled 1, failed 0'
told 's/"ns::weights"/"weights"/' 5 'constant weights: filter.cu has no .* did you mean "ns::weights"?'
told 's/bias/scale/' 5 'constant scale: .*; it has .*bias'
told 's/f64, 2/f64, 4/' 5 'constant bias: 4 f64 are 32 bytes, the variable in filter.cu has 16; write f64, 2'
told 's/f32, 3/f32, 4/' 5 'the variable in filter_reference.cu has 12; write f32, 3'
told 's/input(f32, 3)/f64(1)/' 5 'constant ns::weights: one f64 has 8 bytes, the variable in filter.cu has 12'
told 's/input(f32, 3)/output(f32, 3)/' 3 's.lua:7: kernel.constants.ns::weights: a constant is filled before'
told 's/input(f32, 3)/3/' 3 'expected input(...), a typed scalar like f32(2.0), or struct { ... }, got 3'
told 's/constants = .*/constants = { input(f32, 3) },/' 3 'kernel.constants: expected VARIABLE = input(...), got a list'
# what nothing fills is 0: seldom meant, and verified all the same
told 's/\["ns::weights"\] = input(f32, 3), //' 0 'nothing fills the __constant__ variable ns::weights of filter.cu: it is 0'
expect_out 'remedy: constants = { \["ns::weights"\] = input(f32, 3) } fills it'
expect_out 'nothing fills the __constant__ variable ns::weights of filter_reference.cu'
rooftune check s.lua --sample 1 --strict
expect_status 12
for file in filter filter_reference; do
    sed 's/weights\[3\]/weights[3] = { 1, 2, 3 }/' $file.cu >given_$file.cu
done
told 's/\["ns::weights"\] = input(f32, 3), //; s/"filter/"given_filter/g; s/entry = "given_/entry = "/' 0 'compiled 1, failed 0'
! grep -q 'nothing fills' out || fail 'what the source initialises is warned of'
# 64 KiB of them, and textures
cp filter.cu kept.cu
echo '__constant__ float large[20000];' >>filter.cu
told '' 5 'the __constant__ variables of filter.cu have 80012 bytes together, a device allows 65536: put what is large into a buffer'
echo 'texture<float, 2> old;' >filter.cu
told '' 5 'filter.cu(1): CUDA has no texture references since 12.0, and sweeps have no textures: give the kernel a buffer'
sed 's/const float \*x/cudaTextureObject_t x/; s/x\[i\]/tex1Dfetch<float>(x, (int)i)/' kept.cu >filter.cu
told '' 0 'parameter 1 of filter, x, is a texture or a surface, which sweeps do not have'
cp kept.cu filter.cu
sed -i 's/constants = {/constants = function(p, c) return {/; s/(0, 1)) },/(0, c.BLOCK)) } end,/' right.lua
told '' 0 'compiled 1, failed 0' # the defaults
rooftune check right.lua --all
expect_out 'constants.bias: a constant must not depend on the configuration'
