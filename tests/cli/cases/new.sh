# SPDX-License-Identifier: Apache-2.0
# `new`: from a kernel to a sweep that check accepts; what cannot be had is said by name, and nothing is replaced.
cat >axpy.cu <<'CU'
template <typename T, int VEC> __global__ void __launch_bounds__(512) axpy(const T *x, T *y, T a, long long n) {
    long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * VEC;
#pragma unroll UNROLL
    for (int k = 0; k < VEC && i + k < n; k++) y[i + k] += a * x[i + k];
}
CU
cat >heat.cu <<'CU'
#ifndef BLOCK_X
#define BLOCK_X 64
#endif
#define AT(p, r, c) p[(size_t)(r) * width + (c)]
extern "C" __global__ void heat(const float *in, float *end, const int height, const int width, float alpha) {
    __shared__ float tile[BLOCK_Y][BLOCK_X];
    const int c = blockIdx.x * BLOCK_X + threadIdx.x, r = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (r >= height || c >= width) return;
    tile[threadIdx.y][threadIdx.x] = AT(in, r, c);
#if USE_FAST
    AT(end, r, c) = 0;
#endif
    end[(size_t)r * width + c] = tile[threadIdx.y][threadIdx.x] * alpha;
}
CU
cat >sums.cu <<'CU'
namespace mine {
using number = unsigned int;
template <int BLOCK, bool FAST = true> __global__ void partial(const float4 *x, double *part, number n) {
    __shared__ double s[BLOCK];
    s[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x].x;
    if (threadIdx.x == 0) part[blockIdx.x] = s[0] + FAST;
}
} // namespace mine
__global__ void total(const double *part, int *sum, int parts) {
    extern __shared__ double kept[];
    if (threadIdx.x == 0) sum[0] = int(part[0]) + parts; // __global__ void not_this(int n) {}
}
#ifndef __CUDACC_RTC__
int main() { total<<<1, 256>>>(nullptr, nullptr, 0); }
#endif
CU
rooftune new axpy.cu --size n=4096,1048576
expect_status 0
expect_err 'next: rooftune check axpy.lua'
grep -q 'entry   = "axpy<float, VEC>"' axpy.lua || fail "another entry: $(cat axpy.lua)"
grep -q 'y = inout(f32, p.n)' axpy.lua || fail "y is read and written"
grep -q 'UNROLL = values(1, 2, 4, 8)' axpy.lua || fail "the macro of the pragma is missing"
grep -q '"BLOCK <= 512"' axpy.lua || fail "launch bounds are no constraint"
cp axpy.lua before.lua
rooftune new axpy.cu
expect_error 11 'axpy.lua is there already'
rm axpy.lua
rooftune new axpy.cu
expect_error 11 'axpy_reference.cu is there already'
[ ! -e axpy.lua ] || fail "half of it was written"
mv before.lua axpy.lua
rooftune new heat.cu -o there/deep
expect_status 0
expect_err 'next: rooftune check there/deep/heat.lua --allow-path '
grep -q 'BLOCK_X = values(8, 16, 32, 64)' there/deep/heat.lua || fail "the source's own value is not tried"
grep -q 'USE_FAST = values(0, 1)' there/deep/heat.lua || fail "a macro asked in #if"
grep -q 'block = { c.BLOCK_X, c.BLOCK_Y }' there/deep/heat.lua || fail "another block"
rooftune new sums.cu
expect_error 2 'sums.cu has 2 kernels: mine::partial (line 3), total (line 9)'
rooftune new sums.cu --entry totl
expect_error 2 'did you mean "total"'
rooftune new sums.cu --entry mine::partial
expect_status 0
grep -q 'x = input(f32, 4 \* p.n)' mine__partial.lua || fail "four floats are one float4"
grep -q 'u32(p.n)' mine__partial.lua || fail "the alias is not followed"
rooftune new sums.cu --entry total
expect_status 0
rooftune new sums.cu --entry total -o other --size part=4
expect_error 2 'did you mean "parts"'
rooftune new sums.cu --entry total -o other --size parts=0
expect_error 2 'expected NAME=NUMBER'
# Every load names what is open.
rooftune check total.lua --sample 0
expect_status 0
expect_err 'total.lua has TODOs: the reference'
# What cannot be had.
refuse() {
    printf '%s\n' "$1" >refused.cu
    rooftune new refused.cu
    expect_error "$2" "$3"
    [ ! -e refused.lua ] || fail "a sweep was written"
}
refuse '#define GO a<<<1, 1>>>(0)
texture<float> t; __global__ void a(float *x) {}' 5 'refused.cu:2: a texture'
refuse '__global__ void a(int n) {}' 5 'a takes no pointer'
refuse '__global__ void a(cudaTextureObject_t image, float *x) {}' 5 'the parameter "image" of a is a texture'
refuse 'struct pair { int a : 4, b : 4; }; __global__ void a(pair both, float *x) {}' 5 'the parameter "both" of a is of the type pair'
refuse 'template <class... Ts> __global__ void a(float *x) {}' 5 'the template parameter'
refuse 'void a(float *x) {}' 5 'no __global__ function'
printf '#include "none.h"\n#include "axpy.cu"\nint main() { return 0; }\n' >over.cu
rooftune new over.cu
expect_error 5 'over.cu has no __global__ function'
expect_err 'rooftune new axpy.cu'
rooftune new missing.cu
expect_error 11 'missing.cu'
# Threads that only the launch knows have the usual names, unless the source has the name for something else.
cat >blur.cu <<'CU'
__global__ void blur(const float *from, float *to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) to[y * n + x] = from[y * n + x];
}
CU
rooftune new blur.cu
expect_status 0
grep -q 'block = { c.BLOCK_X, c.BLOCK_Y }' blur.lua || fail "$(cat blur.lua)"
grep -q 'BLOCK_X = values(16, 32, 64)' blur.lua || fail "$(cat blur.lua)"
sed 's/int n/int BLOCK_X, int n/' blur.cu >taken.cu
rooftune new taken.cu
expect_status 0
grep -q 'block = { c.LAUNCH_BLOCK_X, c.BLOCK_Y }' taken.lua || fail "$(cat taken.lua)"
# What nvcc compiles as one file: its device code alone, line by line; alternatives under #if are one kernel.
printf '\357\273\277#include <stdio.h>\r\n#include <stdint.h>\r\n' >whole.cu
cat >>whole.cu <<'CU'
#define CHECK(call) \
    do { if ((call) != 0) { printf("bad " #call "\n"); } } while (0)
#define REAL double
#define FLOAT4(x) (reinterpret_cast<float4 *>(&(x))[0])
struct pair { float a; int b; };
__constant__ float weights[4] = {1, 2, 3, 4};
template <const uint N> __global__ void __launch_bounds__(16 * 16) whole(const REAL *x, float *y, const pair *p, uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) FLOAT4(y[4 * i]) = make_float4(x[4 * i] * weights[0], N, p[0].a, i < INT_MAX);
}
#if USE_ATOMICS
__global__ void count(int *h, const int *x, int n) { if (threadIdx.x < n) atomicAdd(&(h[x[threadIdx.x]]), 1); }
#else
__global__ void count(int *h, const int *x, int n) { if (threadIdx.x < n) h[x[threadIdx.x]]++; }
#endif
static void fill(double *x) { for (int i = 0; i < 3; i++) { x[i] = i; } }
#ifdef WITH_MAIN
int main() {
    double *x;
    CHECK(cudaMalloc(&x, 32));
    fill(x);
    whole<4><<<1, 1>>>(x, nullptr, nullptr, 4);
}
#endif
cudaStream_t stream;
CU
rooftune new whole.cu
expect_error 2 'whole.cu has 2 kernels: whole (line 9), count (line 14)'
rooftune new whole.cu --entry whole
expect_status 0
expect_err 'whole_device.cu is whole.cu without its host code, line by line, .*: change the kernel there$'
expect_err 'whole.lua, whole_reference.cu and whole_device.cu written'
grep -q 'x = input(f64, p.n)' whole.lua || fail "the type behind the macro: $(cat whole.lua)"
grep -q 'y = output(f32, p.n)' whole.lua || fail "y is written through a macro: $(cat whole.lua)"
grep -q 'TODO: const pair\* is not known here' whole.lua || fail "a guess that is not marked"
grep -q '"BLOCK <= 1024"' whole.lua || fail "16 * 16 is no bound of 16"
grep -q 'INT_MAX=2147483647' whole.lua || fail "the limit of a dropped header"
! grep -q 'main\|stdio\|cudaStream_t' whole_device.cu || fail "host code is left: $(cat whole_device.cu)"
[ "$(grep -n 'void whole' whole.cu | cut -d: -f1)" = "$(grep -n 'void whole' whole_device.cu | cut -d: -f1)" ] || fail "lines moved"
rooftune new whole.cu --entry count
expect_status 0
grep -q 'h = inout(i32, p.n)' count.lua || fail "h is counted up"
# Kernels that a macro makes; a byte order mark, which nvcc takes.
printf '\357\273\277' >made.cu
cat >>made.cu <<'CU'
#define KERNEL(op, T) \
    __global__ void op##_all(T *x, const T *y, int n) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;  \
        if (i < n) x[i] = y[i];                         \
    }
KERNEL(copy, float)
KERNEL(move, double)
CU
rooftune new made.cu
expect_error 2 'made.cu has 2 kernels: copy_all (line 6), move_all (line 7)'
rooftune new made.cu --entry move_all
expect_status 0
grep -q 'x = output(f64, p.n)' move_all.lua || fail "$(cat move_all.lua)"
# Headers of one's own: their device code beside the sweep where host code stands in them, else where they lie.
mkdir -p inc src
cat >inc/tools.h <<'CU'
#pragma once
#include <stdio.h>
#include <vector>
#include <cublas_v2.h>
#include <cub/cub.cuh>
class Series { std::vector<double> all; double last() { return all.back(); } };
struct Table { std::vector<Series> rows; };
typedef struct { FILE *to; int lines; } Log;
void report(const char *what, FILE *to);
inline void die(const char *what) { printf("%s", what); }
struct pair { float a, b; pair() { a = b = 0; } };
typedef __nv_bfloat16 real;
#define BLOCK_ITEMS 4
template <class T> __device__ T twice(T x) { return x + x; }
CU
echo '__device__ inline float plus_one(float x) { return x + 1; }' >inc/plain.h
cat >src/scale.cu <<'CU'
#include "tools.h"
#include "../inc/plain.h"
#include "gone.h"
#define CHECK(call) \
    do { \
        call<<<1, 1>>>(); \  
    } while (0)
#define TILE_X 8
#define BLOCK_Y 4096
class Clock { public: double seconds() { return now(); } }; // a Clock of the host
typedef struct { unsigned char r, g, b; int last; } colour;
template <typename T, const bool BLOCK_SWIZZLE, int STAGES, int PARTS, int ROWS>
__global__ void scale(T *y, const T x[TILE_X], int n, std::uint64_t step, const real *z) {
    __shared__ __nv_bfloat16 kept[1];
    pair p;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    using Sum = cub::BlockReduce<float, 256, cub::BLOCK_REDUCE_RAKING>;
    __shared__ typename Sum::TempStorage room;
    if (n < 0) y[0] = Sum(room).Sum(x[0]);
    static_assert(STAGES == 3 && PARTS == 12, "as launched below");
    if (i < n) y[i] = twice(x[0]) + plus_one(p.a) * (step + BLOCK_SWIZZLE * ROWS) + float(kept[0]) + float(z[BLOCK_ITEMS]);
}
const int parts = 12;
int main(int count, char **) {
    const int rows = count;
    scale<double, true, 3, parts, rows><<<dim3(1), 1>>>(nullptr);
    CHECK(0);
}
CU
echo '#include "/etc/passwd"
#include "../../../../../../../../../../etc/passwd"' >>src/scale.cu
echo '__device__ int most() { return std::numeric_limits<int>::max(); } // cuda::std::min is fine' >>src/scale.cu
rooftune new src/scale.cu -o lost
expect_status 0
expect_err "src/scale.cu:[0-9]*: std::numeric_limits is of the host's C++ library, .* cuda::std::numeric_limits of <cuda/std/limits>"
sed -i '$d' src/scale.cu
expect_err 'left out: #include "tools.h", "gone.h", "/etc/passwd", .*, neither beside the file'
! grep -q -- '--allow-path /etc' err || fail "a source opens /etc: $(cat err)"
expect_err 'say its folder: -I DIR'
rooftune new src/scale.cu -I inc -o with
expect_status 0
expect_err 'left out: #include "gone.h", "/etc'
expect_err 'its headers likewise: tools_device.h, cub_device.cuh'
! grep -q BLOCK_REDUCE with/scale.lua || fail "a name of CUB's is tuned: $(cat with/scale.lua)"
! grep -q 'vector\|FILE\|die' with/tools_device.h || fail "host code is left: $(cat with/tools_device.h)"
grep -q 'pair()' with/tools_device.h || fail "a type that kernels use is gone"
! grep -q 'now()' with/scale_device.cu || fail "a type of the host is left: $(cat with/scale_device.cu)"
[ "$(grep -n 'void scale' src/scale.cu | cut -d: -f1)" = "$(grep -n 'void scale' with/scale_device.cu | cut -d: -f1)" ] || fail "lines moved"
grep -q 'BLOCK_SWIZZLE = values(false, true)' with/scale.lua || fail "$(cat with/scale.lua)"
grep -q 'block = c.BLOCK,' with/scale.lua || fail "another kernel's block: $(cat with/scale.lua)"
grep -q 'z = input(bf16, ' with/scale.lua || fail "the header's alias: $(cat with/scale.lua)"
grep -q 'BLOCK_SWIZZLE = values(false, true)' with/scale.lua || fail "$(cat with/scale.lua)"
! grep -q BLOCK_ITEMS with/scale.lua || fail "the header's constant is tuned: $(cat with/scale.lua)"
grep -q 'entry   = "scale<double, BLOCK_SWIZZLE, STAGES, PARTS, ROWS>"' with/scale.lua || fail "$(cat with/scale.lua)"
grep -q 'y = output(f64, p.n),' with/scale.lua || fail "the type of the launch: $(cat with/scale.lua)"
grep -q 'i32(p.n), u64(' with/scale.lua || fail "$(cat with/scale.lua)"
next=$(sed -n 's/^next: rooftune check //p' err)
# Blocks that wait for each other; C++20.
cat >wait.cu <<'CU'
#include <cooperative_groups.h>
template <typename T> concept Number = requires(T a) { a + a; };
template <Number T> __global__ void wait(const T *x, T *y, int n) requires (sizeof(T) == 4) {
    auto grid = cooperative_groups::this_grid();
    for (long long i = grid.thread_rank(); i < n; i += grid.size()) y[i] = x[i / WARP_SIZE];
    grid.sync();
}
CU
rooftune new wait.cu
expect_status 0
grep -q 'cooperative = true' wait.lua && grep -q 'grid  = resident()' wait.lua || fail "$(cat wait.lua)"
grep -q 'WARP_SIZE = values(32)' wait.lua || fail "$(cat wait.lua)"
grep -q 'options = { "-std=c++20" }' wait.lua || fail "$(cat wait.lua)"
refuse '__global__ void a(CUtexObject image, float *x) {}' 5 'the parameter "image" of a is a texture'
# A kernel of the file as the reference of another.
cat >both.cu <<'CU'
__global__ void plain(const float *x, float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
template <int VEC> __global__ void quick(const float *in, float *out, int count) {
    for (int k = 0; k < VEC && k + threadIdx.x * VEC < count; k++) out[k + threadIdx.x * VEC] = in[k + threadIdx.x * VEC];
}
__global__ void other(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 0; }
CU
rooftune new both.cu --entry quick --reference-from other
expect_error 2 'quick (line 2) and other (line 5) take other parameters'
rooftune new both.cu --entry quick --reference-from plan
expect_error 2 'did you mean "plain"'
rooftune new both.cu --entry quick --reference-from plain
expect_status 0
[ ! -e quick_reference.cu ] || fail "a reference to fill in, too"
grep -q 'check   = { reference = variant "plain" }' quick.lua || fail "another reference: $(cat quick.lua)"
# Sources that were not written by hand: an end, never a script with their text in it.
refuse '__global__ void' 5 'no __global__ function'
refuse '__global__ void a(' 5 'no __global__ function'
refuse 'template < template < __global__ /*' 5 'no __global__ function'
head -c 2000000 /dev/zero | tr '\0' '(' >large.cu
rooftune new large.cu
expect_error 15 'large.cu'
head -c 1000000 /dev/zero | tr '\0' '<' >large.cu
rooftune new large.cu
expect_error 5 ''
printf 'template <class T = a"); os.exit() --\033[2J> __global__ void k(T *x, int n) { x[0] = n; }\n' >evil.cu
rooftune new evil.cu
if [ "$status" = 0 ]; then
    rooftune check evil.lua --sample 0
    expect_status 0
    [ "$(grep -c 'os.exit' evil.lua)" = "$(grep -c 'entry *= "' evil.lua)" ] || fail "text of the source outside of the entry"
fi
need_nvrtc
for sweep in axpy.lua mine__partial.lua total.lua whole.lua move_all.lua quick.lua wait.lua; do
    rooftune check $sweep --sample 1
    expect_status 0
    expect_out 'failed 0, .* skipped 0'
done
eval "rooftune check $next --sample 1"
expect_status 0
expect_out 'failed 0, .* skipped 0'
rooftune check there/deep/heat.lua --allow-path .
expect_status 0
expect_out 'failed 0, .* skipped 0'
