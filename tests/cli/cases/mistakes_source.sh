# SPDX-License-Identifier: Apache-2.0
# Mistakes that compiled code does not show and the source does: types of extern "C" kernels, fields of structs, shared
# memory that no launch gives; and what first authors bring along from nvcc.
need_nvrtc
cat >scale.cu <<'CU'
#include <cuda_fp16.h>
struct shape { int rows; float by; };
__constant__ double weights[2];
extern "C" __global__ void scale(const float *x, float *y, int n, float by) {
    extern __shared__ float kept[];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    kept[threadIdx.x] = i < n ? x[i] : 0;
    if (i < n) y[i] = kept[threadIdx.x] * by * (float)weights[1];
}
extern "C" __global__ void again(float *y, struct shape s) { if (threadIdx.x < s.rows) y[threadIdx.x] *= s.by; }
CU
cat >scale_reference.cu <<'CU'
__constant__ double weights[2];
__global__ void ref(const float *x, double *y, long long n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] * weights[1]; }
CU
cat >fill.cu <<'CU'
extern "C" __global__ void ramp(float *x, unsigned long long count, unsigned long long seed, int period) { x[0] = seed % period; }
CU
cat >scale.lua <<'LUA'
local k = kernel {
  source = "scale.cu", entry = { "scale", "again" }, problem = { "n" }, params = { { "BLOCK", 128 } },
  constants = { weights = input(f64, 2) },
  buffers = function(p) return { x = input(f32, p.n, from { "fill.cu:ramp", args = { i32(97) } }), y = inout(f32, p.n) } end,
  launch = function(p, c, gpu, b)
    return {
      { args = { b.x, b.y, i32(p.n), f32(2) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK, shared = 4 * c.BLOCK },
      { entry = "again", args = { b.y, struct { i32(1), f32(1) } }, grid = 1, block = 32 },
    }
  end,
  work = function(p) return { bytes = 12 * p.n } end,
  check = { reference = "scale_reference.cu:ref" },
}
return sweep { kernel = k, over = { n = values(4096) } }
LUA
rooftune check scale.lua --strict
expect_status 0
mkdir good
cp scale* fill.cu good
# mistake NAME STATUS FILE SED CAUSE REMEDY
mistake() {
    cp good/* .
    sed -i "$4" "$3"
    ! cmp -s "$3" "good/$3" || fail "$1: nothing is changed"
    rooftune check scale.lua
    [ "$status" = "$2" ] || fail "$1: expected exit status $2, got $status"
    cat out err >said
    grep -q -e "$5" said || fail "$1: nothing says: $5"
    grep -q -e "remedy: .*$6" said || fail "$1: no remedy says: $6"
}
mistake swapped_types 0 scale.lua 's/i32(p.n), f32(2)/f32(2), i32(p.n)/' '^warning: scale.lua:1: variant scale: argument 3 of scale is f32(...), 4 bytes: it takes int, 4 bytes; arguments 3 and 4 are swapped?' 'its source says the types'
mistake fill_type 0 fill.cu 's/float \*x/double *x/' '^warning: fill.cu: argument 1 of ramp is the buffer x of f32: it takes double \*' 'its source says the types'
mistake fill_scalar 0 scale.lua 's/i32(97)/f32(97)/' '^warning: fill.cu: argument 4 of ramp is f32(...), 4 bytes: it takes int, 4 bytes; write i32' 'its source says the types'
mistake to_const 0 scale.lua 's/b.x, b.y/b.y, b.x/; s/{ b.y, struct/{ b.x, struct/' '^warning: scale.lua:1: .*the output y is only given where a kernel takes a pointer to const' 'are two buffers swapped'
mistake fields 0 scale.lua 's/i32(1), f32(1)/f32(1), i32(1)/' '^warning: scale.lua:1: .*argument 2 of again: rows of the struct shape, at byte 0, is int, and f32(...) is given' 'in the order of the source'
mistake no_shared 0 scale.lua 's/, shared = 4 \* c.BLOCK//' '^warning: scale.lua:1: .*scale has an extern __shared__ array, and its launch gives it no bytes' 'shared = BYTES'
mistake few_blocks 0 scale.lua 's|ceil_div(p.n, c.BLOCK)|p.n // (2 * c.BLOCK)|' '^warning: scale.lua:1: .*scale: 16 blocks of 128 along x cover 2048, and n is 4096: the rest is left out' 'grid counts blocks'
mistake threads_for_blocks 0 scale.lua 's/ceil_div(p.n, c.BLOCK)/p.n/' '^warning: scale.lua:1: .*scale: 4096 blocks of 128 along x cover 524288, and n is 4096: most of them do nothing' 'grid counts blocks'
mistake alone_with_its_grid 0 scale.cu '2s/^/#include <cooperative_groups.h>\n/; s/^    kept\[/    auto grid = cooperative_groups::this_grid(); grid.sync();\n&/' '^warning: scale.lua:1: .*the blocks of scale wait for the whole grid .* not cooperative' 'cooperative = true'
mistake no_global 5 scale_reference.cu 's/__global__ //' 'ref of scale_reference.cu is no kernel: write __global__ before it' 'correct it'
mistake constant_type 5 scale.lua 's/(f64, 2)/(f32, 2)/' 'constant weights: 2 f32 are 8 bytes, the variable in scale.cu has 16; write f32, 4; or is it a type of 8 bytes?' 'correct it'
mistake constant_missing 0 scale.lua '/constants =/d' '^warning: scale.lua:1: .*nothing fills the __constant__ variable weights of scale.cu' 'input(f64, 2) } fills it'
mistake reference_order 5 scale_reference.cu 's/const float \*x, double \*y/double *y, const float *x/' 'argument 1 of ref is the buffer x of f32: it takes double \*' 'buffers in the order of their names, then the dimensions: x, y, n'
mistake host_library 5 scale.cu 's/\* by \*/* std::max(by, 1.0f) */' 'scale.cu(8): std::max is of the host.s C++ library, .* write max without std::' 'the log above'
mistake host_limits 5 scale.cu 's/\* by \*/* std::numeric_limits<float>::max() */' 'scale.cu(8): std::numeric_limits is .* cuda::std::numeric_limits of <cuda/std/limits>' 'the log above'
mistake other_header 5 scale.cu 's/^#include <cuda_fp16.h>/#include <cooperative_groups.h>/; s/\* by \*/* cooperative_groups::plus<float>()(by, 0) */' 'scale.cu(8): cooperative_groups::plus is of <cooperative_groups/reduce.h>: #include it' 'the log above'
mistake header 5 scale_reference.cu 's/= x\[/= (double)(__half)x[/' 'scale_reference.cu(2): __half is of <cuda_fp16.h>: #include it' 'correct it'
mistake nvcc_level 3 scale.lua 's/problem = {/options = { "-O3" }, problem = {/' 'kernel.options\[1\]: the option "-O3" is not allowed$' 'leave it out: NVRTC optimises'
mistake nvcc_arch 3 scale.lua 's/problem = {/options = { "-gencode" }, problem = {/' 'kernel.options\[1\]: the option "-gencode" is not allowed$' 'the device decides, or --arch'
mistake one_text 3 scale.lua 's/problem = {/options = { "-Xptxas -v" }, problem = {/' 'the option "-Xptxas -v" is not allowed' 'one text each'
mistake no_csv 11 scale.lua 's/over = .*/problems = csv "shapes.csv" }/' 'scale.lua:14: csv: there is no file shapes.csv' 'relative to the file that names them'
mistake prefix 4 scale.lua 's/over = /where = { "BLOCK <= gpu.max_threads" }, over = /' 'gpu.max_threads: unknown name, did you mean "max_threads_per_block"' 'a constraint says true or false'
mistake host_code 5 scale.cu 's/\* by \*/* by * cudaGetLastError() */' 'scale.cu(8): cudaGetLastError is host code, and NVRTC compiles device code' 'the log above'
mistake odd_zero 5 scale.lua 's/ref" }/ref", odd = { n = 0 } }/' 'compiled for n=0 (the odd problem):' 'the log above'
grep -q '^warning: scale.lua:4: the odd problem, by which results are verified, fails: for n=0' err || fail "no warning: $(cat err)"
grep -q 'script_failed: scale.lua:4: for n=0 BLOCK=128: input.n: 0 is outside' out || fail "the odd problem's error: $(cat out)"
mistake cluster 12 scale.lua 's/grid = 1, block = 32/&, cluster = 2/' 'skipped: grid.x is 1, which is no multiple of the cluster.s 2' 'each line above'
# What threads certainly reach, by the PTX of the default configuration, the smallest and the largest, and other mistakes: several at once.
tells() { grep -q -e "^warning: $1" err && grep -q -e "remedy: .*$2" err || fail "$1, or its remedy $2: $(cat err)"; }
cp good/* .
sed -i 's/shared = 4 \* c.BLOCK/shared = c.BLOCK/; s|y = inout(f32, p.n)|y = inout(f32, p.n), t = temp(f32, 8)|; s|{ b.y, struct|{ b.t, struct|; s|i32(1), f32|i32(9), f32|' scale.lua
sed -i 's/if (i < n) y/y/' scale.cu
sed -i 's/const float \*x, double \*y, long long n) { if (threadIdx.x < n) y\[threadIdx.x\] = x/const float *n, double *y, long long x) { if (threadIdx.x < x) y[threadIdx.x] = n/' scale_reference.cu
rooftune check scale.lua
tells 'scale.lua:1: .*scale.cu(7): thread 127 of block 31 of scale writes bytes 508 to 511 of its extern __shared__ array, and `shared` gives it 128$' '`shared` counts bytes, elements times their size: 512 at least here'
tells 'scale.lua:1: .*scale.cu(8): thread 127 of block 32 of scale writes bytes 16892 to 16895 of the buffer y, which has 16396 (4099 f32) (the odd problem)$' 'if (i < n); else 4224 f32 or more.*odd = { ... }'
tells 'scale.lua:1: .*scale.cu(10): thread 8 of block 0 of again reads bytes 32 to 35 of the buffer t, which has 32 (8 f32)$' '9 f32 or more in `buffers`, fewer blocks'
tells 'scale_reference.cu: parameter 1 of ref is called n and gets x$' 'buffers in the order of their names, then the dimensions: x, y, n'
cp good/* .
sed -i 's|y = inout(f32, p.n)|y = inout(f32, p.n), t = temp(f32, p.n)|; s|{ b.x, b.y, i32|{ b.t, b.y, i32|; s/b.y, struct/b.x, struct/' scale.lua
sed -i 's/extern __shared__ float kept\[\]/__shared__ float kept[64]/; s/threadIdx.x < s.rows) y/threadIdx.x < s.rows \&\& blockIdx.y * 4 + threadIdx.y < 4) y/' scale.cu
rooftune check scale.lua
tells 'scale.lua:1: .*scale.cu(7): thread 127 of block 31 of scale writes bytes 508 to 511 of its __shared__ array kept, which has 256$' 'a larger array, or a smaller block'
tells 'scale.lua:1: .*again writes to the buffer x, which is an input$' 'an output, or as an inout'
tells 'scale.lua:1: .*again counts 4 of threadIdx.y, by 4, and its block has one thread along y$' 'block = { x, y, z }'
tells 'scale.lua:1: .*the temp t is only given where a kernel takes a pointer to const: nothing can write it$' 'is a launch, or `prepare`, missing'
cp good/* .
sed -i 's/extern __shared__ float kept\[\]/__shared__ float kept[128]/; s/again(float \*y/again(uint *y/; s/\*= s.by/+= s.rows/; 1s/^/typedef unsigned int uint;\n/' scale.cu
sed -i 's/bytes = 12 \* p.n/read = 2 * p.n, write = p.n/; s/ref" },/ref", tol = 0 },/; s/(4096) } }/(4096) }, tune = { BLOCK = values(64, 128, 256) } }/' scale.lua
rooftune check scale.lua
tells 'scale.lua:1: .*argument 1 of again is the buffer y of f32: it takes unsigned int \*$' 'where the bits are meant, give b.y:as(u32)'
tells 'scale.lua:1: .*work declares that 8192 bytes are read, which is the number of elements of the inputs: they take 32768$' 'read = 4 \* p.n for n floats'
tells 'scale.lua:1: .*work declares that 4096 bytes are written, which is the number of elements of the outputs' 'bytes are elements'
tells 'scale.lua:1: .*the output y of f32 has tol = 0 and the kernel rounds: results that differ in the last bit' 'leave `tol` out'
tells 'scale.lua:1: .*scale.cu(8): thread 255 of block 15 of scale writes bytes 1020 to 1023 of its __shared__ array kept, which has 512 with BLOCK=256$' 'a larger array'
# A macro that the source defines itself, a tolerance that passes everything, nothing written.
cp good/* .
sed -i '1s/^/#define BLOCK 64\n/' scale.cu
sed -i 's/ref" }/ref", tol = 10 }/; s/bytes = 12/read = 8/' scale.lua
rooftune check scale.lua
tells 'scale.lua:1: .*scale.cu(1) defines BLOCK itself, in place of what the sweep gives' '`#ifndef BLOCK` and `#endif`'
tells 'scale.lua:1: .*the output y has tol = 10: zeros everywhere pass' 'tol = 1e-3 is a thousandth'
tells 'scale.lua:1: .*none that are written, and the outputs are 16.4 kB' 'beside `read`'
# A reference in extern "C" in another order: a warning, with the order; its threads are as many as elements, wanted or not.
cp good/* .
sed -i 's/__global__ void ref(const float \*x, double \*y/extern "C" __global__ void ref(double *y, const float *x/; s/{ if (threadIdx.x < n)/{ long long i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)/' scale_reference.cu
sed -i 's/y = inout(f32, p.n)/y = inout(f32, 64 * p.n)/' scale.lua
rooftune check scale.lua
grep -q '^warning: scale_reference.cu: argument 1 of ref is the buffer x of f32' err || fail "its order: $(cat err)"
grep -q 'remedy: correct it: it gets the buffers in the order of their names, then the dimensions: x, y, n' err || fail "$(cat err)"
! grep -q 'blocks of' err || fail "a reference has threads to spare: $(cat err)"
# Compiled code tells it of a template, too, and of what an #if leaves out that nothing is missing.
cp good/* .
sed -i 's/extern "C" __global__ void scale/template <int BLOCK> __global__ void scale/; /void again/d' scale.cu
sed -i 's/"scale", "again"/"scale<BLOCK>"/; /entry = "again"/d; s/, shared = 4 \* c.BLOCK//' scale.lua
rooftune check scale.lua
expect_status 0
grep -q '^warning: scale.lua:1: .*scale has an extern __shared__ array, and its launch gives it no bytes' err || fail "a template: $(cat err)"
cp good/* .
sed -i 's/^    extern __shared__.*/#ifdef KEEP\n&\n#else\n    float kept[1024];\n#endif/' scale.cu
sed -i 's/, shared = 4 \* c.BLOCK//' scale.lua
rooftune check scale.lua --strict
expect_status 0
