/* SPDX-License-Identifier: Apache-2.0 */
/* Copy, scale, add and triad in fp32: the four mixes that STREAM asks of a memory. factor is of scale and triad. */
#include "l2_policy.cuh"
#include "striped.cuh"
#include "stream_bulk.cuh"

struct Copy : Elementwise<Copy> {
    static constexpr int INPUTS = 1;
    static constexpr bool PLAIN = true; /* the result is the input */
    __device__ explicit Copy(float) {}
    __device__ __forceinline__ float element(float x, float) const { return x; }
};

struct Scale : Elementwise<Scale> {
    static constexpr int INPUTS = 1;
    static constexpr bool PLAIN = false;
    float factor;
    __device__ explicit Scale(float f) : factor(f) {}
    __device__ __forceinline__ float element(float x, float) const { return factor * x; }
};

struct Add : Elementwise<Add> {
    static constexpr int INPUTS = 2;
    static constexpr bool PLAIN = false;
    __device__ explicit Add(float) {}
    __device__ __forceinline__ float element(float x, float y) const { return x + y; }
};

struct Triad : Elementwise<Triad> {
    static constexpr int INPUTS = 2;
    static constexpr bool PLAIN = false;
    float factor;
    __device__ explicit Triad(float f) : factor(f) {}
    __device__ __forceinline__ float element(float x, float y) const { return fmaf(factor, y, x); }
};

template <class Op, int VEC, int BLOCK, int ITEMS, class LOAD, class STORE, bool LOOP>
__global__ void __launch_bounds__(BLOCK, 1)
    stream(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, float factor,
           long long n) {
    striped<VEC, BLOCK, ITEMS, LOAD, STORE, LOOP>(Op(factor), a, b, out, n);
}

#if __CUDA_ARCH__ >= 900
/* A ring of STAGES places for CHUNK floats of each input: STAGES - 1 loads are under way while one place is worked on in
 * place and stored from. The result overwrites the first input. */
template <class Op, int BLOCK, int CHUNK, int STAGES, bool HINT> struct Ring {
    static constexpr unsigned BYTES = CHUNK * sizeof(float);
    float *places;
    unsigned long long *arrived;
    unsigned long long policy;

    __device__ __forceinline__ float *place(int stage) const { return places + stage * (Op::INPUTS * CHUNK); }

    __device__ __forceinline__ void fetch(int stage, const float *a, const float *b, long long tile) const {
        bulk_expect(arrived + stage, Op::INPUTS * BYTES);
        bulk_load<HINT>(place(stage), a + tile * CHUNK, BYTES, arrived + stage, policy);
        if (Op::INPUTS == 2) {
            bulk_load<HINT>(place(stage) + CHUNK, b + tile * CHUNK, BYTES, arrived + stage, policy);
        }
    }

    __device__ __forceinline__ void compute(const Op &op, int stage) const {
        uint4 *first = reinterpret_cast<uint4 *>(place(stage));
#pragma unroll 4
        for (int v = threadIdx.x; v < CHUNK / 4; v += BLOCK) {
            Pack<float, 4> x[1], y[1];
            x[0].word = first[v];
            y[0].word = first[v + (Op::INPUTS - 1) * (CHUNK / 4)];
            op.apply(x, y);
            first[v] = x[0].word;
        }
    }

    /* Tiles blockIdx.x, blockIdx.x + gridDim.x, ...: by the whole block, or where nothing is computed by one thread. */
    __device__ __forceinline__ void run(const Op &op, const float *a, const float *b, float *out, long long tiles) const {
        const long long step = gridDim.x;
        long long ahead = blockIdx.x; /* the next tile to be fetched */
        if (threadIdx.x == 0) {
            for (int s = 0; s < STAGES - 1 && ahead < tiles; s++, ahead += step) {
                fetch(s, a, b, ahead);
            }
        }
        int stage = 0;
        unsigned parity = 0;
        for (long long tile = blockIdx.x; tile < tiles; tile += step) {
            bulk_wait(arrived + stage, parity);
            if (!Op::PLAIN) {
                compute(op, stage);
                bulk_fence();
                __syncthreads();
            }
            if (threadIdx.x == 0) {
                bulk_store<HINT>(out + tile * CHUNK, place(stage), BYTES, policy);
                if (ahead < tiles) { /* into the place of the tile before: its store must have read it */
                    bulk_stores_read<1>();
                    fetch(stage == 0 ? STAGES - 1 : stage - 1, a, b, ahead);
                    ahead += step;
                }
            }
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        if (threadIdx.x == 0) {
            bulk_stores_read<0>();
        }
    }
};
#endif

/* Through shared memory by bulk copies alone, loads and stores: no thread spends registers on data that only passes. */
template <class Op, int BLOCK, int CHUNK, int STAGES, bool HINT>
__global__ void __launch_bounds__(BLOCK, 1)
    stream_bulk(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, float factor,
                long long n) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char places[];
    __shared__ alignas(8) unsigned long long arrived[STAGES];
    const Op op(factor);
    const long long tiles = n / CHUNK;
    if (threadIdx.x == 0) {
        bulk_barriers_init(arrived, STAGES);
    }
    __syncthreads();
    if (!Op::PLAIN || threadIdx.x == 0) {
        const Ring<Op, BLOCK, CHUNK, STAGES, HINT> ring = {reinterpret_cast<float *>(places), arrived,
                                                           HINT ? policy_evict_first() : 0};
        ring.run(op, a, b, out, tiles);
    }
    for (long long i = tiles * CHUNK + (long long)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (long long)gridDim.x * BLOCK) {
        one_vector<1, ca, wb>(op, a, b, out, i);
    }
#else
    __trap(); /* the sweeps do not ask for it here */
#endif
}
