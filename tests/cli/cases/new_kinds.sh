# SPDX-License-Identifier: Apache-2.0
# `new`: kernels of the kinds that people bring. What the source says of types, structs, constants, block and grid is
# taken from there, and what nvcc has without a header is there for NVRTC.
says() { grep -qF -e "$2" "$1" || fail "$1 lacks: $2: $(cat "$1")"; }
cat >sizes.cuh <<'CU'
#pragma once
#include <cstdint>
#ifndef TW
#error "TW must be defined"
#endif
using index_t = std::int32_t;
CU
# A struct by value, its type behind an alias of a header's, constants, threads behind a macro, block and grid named.
cat >bodies.cu <<'CU'
#include "sizes.cuh"
#define KERNEL extern "C" __global__ void
#define TILE BLOCK_SIZE
#define ORDER 3
namespace inner { struct __align__(16) Point { float4 at; index_t tag; }; }
struct Shape { short kind; float dt, eps{0.5f}; index_t n; int box[2][ORDER]; Shape() = default; static const int many = 4; };
__constant__ double weight[ORDER + 1], other;
__constant__ int unused[4];
__constant__ int known[2] = {1, 2};
KERNEL move(const float4 *pos, float4 *to, Shape shape, const inner::Point *points) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * TILE + threadIdx.x;
    tile[threadIdx.x] = i < shape.n ? pos[i] : make_float4(0, 0, 0, INFINITY);
    if (i < shape.n) to[i] = make_float4(tile[0].x * shape.dt, weight[ORDER], TW, points ? known[0] : 0);
}
CU
rooftune new bodies.cu
expect_status 0
says bodies.lua 'pos = input(f32, 4 * p.n)'
says bodies.lua 'struct { i16(1), f32(1), f32(1), i32(p.n), i32(1), i32(1), i32(1), i32(1), i32(1), i32(1) }'
says bodies.lua '["weight"] = input(f64, 4)'
! grep -q '"unused\|"known' bodies.lua || fail "a constant that the kernel does not name, or that the source fills"
says bodies.lua 'block = c.BLOCK_SIZE'
says bodies.lua 'TW = values('
says bodies.lua '-DINFINITY='
# A struct of equal fields is as many numbers; a pointer that is moved on is not read for that.
cat >turn.cu <<'CU'
struct complexf { float re, im; };
__global__ void turn(const complexf *in, complexf *out, int n) {
    out += (size_t)blockIdx.y * n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = {-in[i].im, in[i].re};
}
CU
rooftune new turn.cu
expect_status 0
says turn.lua 'in_ = input(f32, 2 * p.n * p.n),'
says turn.lua 'out = output(f32, 2 * p.n * p.n),'
# A default that names another parameter; one block a row; threads by __launch_bounds__.
cat >rows.cu <<'CU'
enum class Mode { exact, fast };
template <class In, class Out = In, Mode M = Mode::exact, int WARPS = 4, typename Sum = double>
__global__ void __launch_bounds__(32 * WARPS, 2) rows(Out *to, const In *from, std::size_t rows, std::size_t cols) {
    const std::size_t row = blockIdx.x;
    for (std::size_t c = threadIdx.x; c < cols; c += 32 * WARPS) to[row * cols + c] = Out(Sum(from[row * cols + c]));
}
CU
rooftune new rows.cu
expect_status 0
says rows.lua 'entry   = "rows<float, float, Mode::exact, WARPS, double>"'
says rows.lua 'grid  = p.rows,'
says rows.lua 'block = 32 * c.WARPS'
says rows.lua '"32 * WARPS <= 1024"'
sed 's/__launch_bounds__(32 \* WARPS, 2) //; s/32 \* WARPS) to/32 * WARPS * num_parts) to/' rows.cu >warps.cu
rooftune new warps.cu
says warps.lua 'block = 32 * c.WARPS'
says warps.lua 'num_parts = values(1)'
# Tiles that are named by their dimension, threads of one axis on a grid of two.
cat >product.cu <<'CU'
template <const int BM, const int BN, const int TM>
__global__ void __launch_bounds__((BM * BN) / TM) product(int M, int N, int K, const float *A, const float *B, float *C) {
    const int row0 = BM * blockIdx.y, col0 = blockIdx.x * BN;
    if (row0 + threadIdx.x < M && col0 < N) C[(size_t)row0 * N + col0] = A[0] * B[K - 1];
}
CU
rooftune new product.cu
expect_status 0
says product.lua 'grid  = { ceil_div(p.N, c.BN), ceil_div(p.M, c.BM) }'
says product.lua 'block = (c.BM * c.BN) // c.TM'
# A block's tile behind a product with a dimension; threads' own tiles are small; arrays of arrays, vectors of 64 bits.
cat >tiles.cu <<'CU'
template <const int BM, const int BN, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1) tiles(int M, int N, int K, const float *A, const ulonglong2 *B, float *C) {
    const unsigned cRow = blockIdx.y, cCol = blockIdx.x;
    A += cRow * BM * K; C += cRow * BM * N + cCol * BN;
    C[threadIdx.x] = A[threadIdx.x] + B[cCol * BN].x;
}
template <int BLOCK, int ITEMS> __global__ void open(const float *A, float *B, int n) {
    for (int k = 0, many = ITEMS; k < many; k++) B[blockIdx.x * (BLOCK * many) + threadIdx.x] = A[n];
}
__global__ void rows(float A[64][64], float (*B)[64]) { if (threadIdx.x < 64) A[0][threadIdx.x] = B[0][threadIdx.x]; }
CU
rooftune new tiles.cu --entry tiles
expect_status 0
says tiles.lua 'grid  = { ceil_div(p.N, c.BN), ceil_div(p.M, c.BM) }'
says tiles.lua 'TM = values(1, 2, 4, 8)'
says tiles.lua 'A = input(f32, p.M * p.K)'
says tiles.lua 'B = input(u64, 2 * p.K * p.N)'
says tiles.lua 'C = output(f32, p.M * p.N)'
says tiles.lua 'return { fp32 = 2 * p.M * p.N * p.K, read = 4 * p.M * p.K + 8 * 2 * p.K * p.N, write = 4 * p.M * p.N }'
says tiles.lua 'length = function(p) return p.K end'
says tiles_reference.cu 'if (i < M * N) {'
rooftune new tiles.cu --entry open
rooftune check open.lua --sample 0 # in brackets, with a name that is no parameter: it is left out whole
expect_status 0
rooftune new tiles.cu --entry rows -o arrays
says arrays/rows.lua 'A = output(f32, p.n)'
says arrays/rows.lua 'B = input(f32, p.n)'
# Three axes; values that one #ifndef gives together, and another #if.
cat >wave.cu <<'CU'
#ifndef BSX
#define BSX 32
#define BSY 4
#endif
#if !defined(BSZ) // one plane
# define BSZ 1
#endif
#ifndef WAVE_CU
#define WAVE_CU 1
#define PLANES 2
#endif
extern "C" __global__ __launch_bounds__(BSX * BSY * BSZ) void wave(double *to, const double *u, int nx, int ny, int nz) {
    int i = blockIdx.x * BSX + threadIdx.x, j = blockIdx.y * BSY + threadIdx.y, k = blockIdx.z * BSZ + threadIdx.z;
    if (i < nx && j < ny && k < nz) to[((size_t)k * ny + j) * nx + i] = PLANES * u[((size_t)k * ny + j) * nx + i];
}
CU
rooftune new wave.cu
expect_status 0
says wave.lua 'block = { c.BSX, c.BSY, c.BSZ }'
says wave.lua 'grid  = { ceil_div(p.nx, c.BSX), ceil_div(p.ny, c.BSY), ceil_div(p.nz, c.BSZ) }'
! grep -q 'PLANES =\|WAVE_CU' wave.lua || fail "an include guard is tuned: $(cat wave.lua)"
# Threads by what the kernel counts them with, bounds in front of __global__, fields of a vector that are read.
cat >sparse.cu <<'CU'
template <unsigned ROWS = 8, unsigned LANES = 32, int ITEMS_Y = 2> __launch_bounds__(512)
__global__ void sparse(const int rows, const int *start, float2 *values, float *y) {
    const int row = (blockIdx.x * ITEMS_Y + 1) * ROWS + threadIdx.y;
    float sum = 0;
    for (int j = start[row] + threadIdx.x; j < start[row + 1]; j += LANES) sum += values[j].x * values[j].y;
    if (row < rows) y[row] = sum;
}
CU
rooftune new sparse.cu
expect_status 0
says sparse.lua 'block = { c.LANES, c.ROWS }'
says sparse.lua 'grid  = ceil_div(p.rows, c.ITEMS_Y * c.ROWS)'
# Blocks walk along what the kernel holds its index against, whatever stands last; nothing is read for certain.
cat >insert.cu <<'CU'
__global__ void insert(unsigned *table, int n, int capacity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    table[i % capacity] = i;
}
CU
rooftune new insert.cu
says insert.lua 'grid  = ceil_div(p.n, c.BLOCK)'
says insert.lua 'return { write = 4 * p.n * p.capacity }'
says sparse.lua '"LANES * ROWS <= 512"'
says sparse.lua 'ROWS = values(4, 8, 16)'
says sparse.lua 'values = input(f32, '
# Enumerations are numbers and no sizes; a pointer to what a template makes is a guess; constants of constants and of headers.
mkdir inc
printf '#pragma once\n#define ROWS 3\nstruct Shape { int nx, ny; float by; };\n__constant__ float d_w[ROWS * 3];\n' >inc/shape.h
cat >modes.cu <<'CU'
#include "shape.h"
#define TILE 32
typedef enum { MODE_A = 0, MODE_B } mode_t1;
enum class Kind : unsigned char { one, two };
const int step = 2, unused = 1;
const int bins = 180 / 2;
const int twice = 2 * bins;
__constant__ float d_cos[twice];
template <typename T> struct vec2 { using type = float2; };
template <typename T> using vec2_t = typename vec2<T>::type;
template <typename T> __global__ void __launch_bounds__(128) modes(const vec2_t<T> *__restrict__ x, T *y, Shape shape, mode_t1 mode, Kind kind, enum Kind other) {
    __shared__ float tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x % TILE] = d_w[0];
    if (i < shape.nx * shape.ny) y[i] = mode == MODE_A ? x[i].x * d_cos[0] * tile[0] : T(int(kind) + int(other));
}
__global__ void lists(float **rows, int n) { rows[0][n] = 0; }
CU
rooftune new modes.cu --entry modes
expect_error 5 'the parameter "shape" of modes is of the type Shape'
expect_err 'remedy: "shape.h" was not found: say the folder of headers, -I DIR; else write'
rooftune new modes.cu --entry lists
expect_error 5 'is of the type float\*\*'
expect_err 'remedy: .*one buffer, and where each part begins'
rooftune new modes.cu --entry modes -I inc
expect_status 0
says modes.lua 'struct { i32(p.nx), i32(p.ny), f32(1) }, i32(0), u8(0), u8(0) }'
says modes.lua 'x = input(f32, p.nx * p.ny), -- TODO: const vec2_t< T>* __restrict__ is not known here'
says modes.lua '["d_w"] = input(f32, 9),'
says modes.lua '["d_cos"] = input(f32, 180),'
says modes.lua 'BLOCK = values(32, 64, 128),'
says modes.lua '-- TILE is 32 in the source: with `#ifndef TILE` and `#endif` around it, `new` tunes it'
# Fields after a pointer; parameters without names.
cat >fields.cu <<'CU'
struct Params { const float *__restrict__ q, *k; float *o, scale, *__restrict__ m; int n, heads; };
__global__ static void __launch_bounds__(256, 2) fields(const __grid_constant__ Params p) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < p.n * p.heads) p.o[i] = p.q[i] * p.k[i] * p.scale + p.m[i];
}
extern "C" __global__ void bare(float *, const float *, int, bool /* unused */ = false) {}
CU
rooftune new fields.cu --entry fields
says fields.lua 'struct { b.q, b.k, b.o, f32(1), b.m, i32(p.n), i32(p.heads) }'
rooftune new fields.cu --entry bare
says bare.lua 'arg2 = input(f32, p.arg3),'
says bare.lua 'i32(p.arg3)'
# Of several sizes the one that an element is held against; what is read by other ways has all of them.
cat >steps.cu <<'CU'
__global__ void steps(const float4 *from, int *seen, float *to, float *wide, const int *rows, int n, int stride, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = from[i].x + seed + rows[i * stride];
    if (to[i] > 0) atomicAdd(&seen[0], 1);
    *(float4 *)&wide[i] = from[i];
}
CU
rooftune new steps.cu
says steps.lua 'from = input(f32, 4 * p.n),'
says steps.lua 'to = inout(f32, p.n),'
says steps.lua 'wide = inout(f32, p.n * p.stride * p.seed),'
says steps.lua 'rows = input(i32, p.n * p.stride * p.seed),'
says steps.lua 'read = 4 * 4 * p.n + 4 * p.n * p.stride * p.seed + 4 * p.n + '
says steps_reference.cu 'if (i < n) {'
says steps_reference.cu 'if (i < n * stride * seed) {'
# Constants that name each other end.
(echo 'const int a1 = a2 * a2 * a2 * a2 * a2 * a2 * a2 * a2;'; echo 'const int a2 = a1 * a1 * a1 * a1 * a1 * a1 * a1 * a1;'
 echo '__constant__ float w[a1]; __global__ void turns(float *y) { y[threadIdx.x] = w[0]; }') >turns.cu
rooftune new turns.cu
says turns.lua '["w"] = input(f32, 1), -- TODO: (a1) elements'
# One name under two #if; nothing that is written.
printf '#ifdef WIDE\n#ifndef TILE\n#define TILE 64\n#endif\n#else\n#ifndef TILE\n#define TILE 32\n#endif\n#endif\n' >twice.cu
echo '__global__ void twice(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = TILE; }' >>twice.cu
rooftune new twice.cu
rooftune check twice.lua --sample 0
expect_status 0
echo '__device__ float sum; __global__ void k(const float *x, int n) { sum = x[n]; }' >refused.cu
rooftune new refused.cu
expect_error 5 'k takes no pointer that it writes to'
# What is not understood wholly is refused, and no text makes an endless struct.
refuse() {
    printf '%s\n' "$1" >refused.cu
    rooftune new refused.cu
    expect_error 5 'of the type'
}
refuse 'struct s { union { int a; float b; }; }; __global__ void k(s x, float *y) {}'
refuse 'struct s { virtual int f(); int a; }; __global__ void k(s x, float *y) {}'
refuse 'struct s : base { int a; }; __global__ void k(s x, float *y) {}'
refuse 'struct s { s a; int n; }; __global__ void k(s x, float *y) {}'
refuse 'struct s { int a[N]; }; __global__ void k(s x, float *y) {}'
many=$(seq -s, -f 's%g' 1 60)
printf 'struct a { int x; };\nstruct b { a %s; };\nstruct c { b %s; };\nstruct d { c %s; };\n' "$many" "$many" "$many" >refused.cu
echo '__global__ void k(d x, float *y) { y[0] = x.s1.s1.s1.x; }' >>refused.cu
rooftune new refused.cu
expect_error 5 'of the type d'
printf 'struct a { int x[4096]; };\nstruct b { a s[4096]; };\nstruct c { b s[4096]; };\n__global__ void k(c *x, float *y, int n) { y[0] = x->s[0].s[n].x[0]; }\n' >wide.cu
rooftune new wide.cu
expect_status 0
need_nvrtc
for sweep in bodies rows product wave sparse modes; do
    rooftune check $sweep.lua --sample 1
    expect_status 0
    expect_out 'failed 0, .* skipped 0'
done
