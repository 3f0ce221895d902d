/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What brings data, and how early it may be asked for: by loads, cp.async, bulk copies, tensor maps; into L2 while
 * another kernel computes; in front of the end of the kernel before. Integers wrap, so all results are exact.
 */
#include "bulk_tiles.cuh"
#include "copy_async.cuh"

/* Thread t adds up words 4 t to 4 t + 3 of tiles of 1024; block b has the tiles b, b + gridDim.x and so on, and block 0
 * the words behind the last. */
struct Share {
    long long tiles, words;

    __device__ __forceinline__ explicit Share(long long n) : tiles(n / 1024), words(n) {
    }
    __device__ __forceinline__ static const uint4 *piece(const unsigned *x, long long tile) {
        return reinterpret_cast<const uint4 *>(x) + tile * 256 + threadIdx.x;
    }
    __device__ __forceinline__ void store(unsigned *y, const unsigned *x, unsigned sum) const {
        for (long long i = tiles * 1024 + threadIdx.x * 4; blockIdx.x == 0 && i < tiles * 1024 + threadIdx.x * 4 + 4;
             i++) {
            sum += i < words ? x[i] : 0;
        }
        y[blockIdx.x * 256 + threadIdx.x] = sum;
    }
};

__device__ __forceinline__ unsigned sum_of(uint4 four) {
    return four.x + four.y + (four.z + four.w);
}

enum By { loads, copies };

/* Tiles pass through STAGES places, in registers (loads) or in shared memory (copies, cp.async), each thread's its own.
 */
template <By BY, int STAGES>
__global__ void __launch_bounds__(256)
    arrive_by_threads(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n) {
    extern __shared__ __align__(128) unsigned char staged[];
    uint4 *const places = reinterpret_cast<uint4 *>(staged) + threadIdx.x;
    const Share share(n);
    uint4 held[BY == loads ? STAGES : 1];
    unsigned sum = 0;
    auto ask = [&](int stage, long long tile) {
        const bool there = tile < share.tiles;
        if (BY == loads) {
            held[BY == loads ? stage : 0] = there ? __ldg(Share::piece(x, tile)) : uint4();
            return;
        }
        const uint4 *const from = Share::piece(x, there ? tile : 0);
        const unsigned to = shared_address(places + stage * 256);
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0)
                     : "memory");
#else
        copy_at_once<16>(to, from, there);
#endif
        copy_async_commit();
    };
#pragma unroll
    for (int stage = 0; stage < STAGES; stage++) {
        ask(stage, blockIdx.x + (long long)stage * gridDim.x);
    }
#pragma unroll 1
    for (long long first = blockIdx.x; first < share.tiles; first += (long long)STAGES * gridDim.x) {
#pragma unroll
        for (int stage = 0; stage < STAGES; stage++) {
            if (BY == copies) {
                copy_async_wait<STAGES - 1>();
            }
            sum += sum_of(BY == loads ? held[BY == loads ? stage : 0] : places[stage * 256]);
            ask(stage, first + (long long)(stage + STAGES) * gridDim.x);
        }
    }
    if (BY == copies) {
        copy_async_wait<0>();
    }
    share.store(y, x, sum);
}

/* A thread asks for whole tiles, by addresses or (TENSOR) by a map of rows of 256 words. sm_90 and newer. */
template <bool TENSOR, int STAGES>
__global__ void __launch_bounds__(256)
    arrive_by_accelerator(const __grid_constant__ CUtensorMap map, const unsigned *__restrict__ x,
                          unsigned *__restrict__ y, long long n) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char staged[];
    const unsigned stages = shared_address(staged), full = stages + STAGES * 4096;
    const Share share(n);
    auto ask = [&](int stage, long long tile) {
        bulk_expect(full + stage * 8, 4096);
        if (TENSOR) {
            bulk_load_box(stages + stage * 4096, &map, 0, (int)tile * 4, full + stage * 8);
        } else {
            bulk_load(stages + stage * 4096, x + tile * 1024, 4096, full + stage * 8);
        }
    };
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
        }
        bulk_barrier_publish();
        for (int stage = 0; stage < STAGES; stage++) {
            const long long tile = blockIdx.x + (long long)stage * gridDim.x;
            if (tile < share.tiles) {
                ask(stage, tile);
            }
        }
    }
    __syncthreads();
    unsigned sum = 0, parity = 0;
    int stage = 0;
    for (long long tile = blockIdx.x; tile < share.tiles; tile += gridDim.x) {
        bulk_wait(full + stage * 8, parity);
        sum += sum_of(reinterpret_cast<const uint4 *>(staged)[stage * 256 + threadIdx.x]);
        __syncthreads(); /* no thread reads the stage any more */
        if (threadIdx.x == 0 && tile + (long long)STAGES * gridDim.x < share.tiles) {
            ask(stage, tile + (long long)STAGES * gridDim.x);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    share.store(y, x, sum);
#endif
}

enum Ahead { nothing, pieces, lines };

/* A chain of multiply-adds; meanwhile a warp more of each block asks for what the next kernel reads to come to L2: in
 * pieces of 4 KiB, or line by line. `ahead` is no template's argument: compiled apart, the chains took 14 % more or
 * less time. */
__global__ void __launch_bounds__(288)
    computed(const unsigned *__restrict__ x, unsigned *__restrict__ y, long long n, const unsigned *next,
             long long words, int steps, int ahead) {
    const long long i = (long long)blockIdx.x * 256 + threadIdx.x, lane = blockIdx.x * 32 + threadIdx.x % 32;
    if (threadIdx.x < 256) {
        unsigned v = i < n ? x[i] : 0;
#pragma unroll 16
        for (int step = 0; step < steps; step++) {
            v = v * v + step;
        }
        if (i < n) {
            y[i] = v;
        }
        return;
    }
    for (long long at = lane * 32; ahead == lines && at < words; at += gridDim.x * 1024) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(next + at) : "memory");
    }
#if __CUDA_ARCH__ >= 900
    for (long long piece = lane; ahead == pieces && piece < words / 1024; piece += gridDim.x * 32) {
        bulk_prefetch(next + piece * 1024, 4096);
    }
#endif
}

/* A link of a chain: y = 3 x + w, x being what the link before made. EARLY: the next link may begin at once, and this
 * one has what it needs beside x when the one before ends. */
template <bool EARLY>
__global__ void __launch_bounds__(256)
    chain_link(const unsigned *x, const unsigned *__restrict__ w, unsigned *y, long long n) {
    const long long i = (long long)blockIdx.x * 256 + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    if (EARLY) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
#endif
    unsigned own = 0;
    if (i < n) {
        own = w[i];
    }
#if __CUDA_ARCH__ >= 900
    if (EARLY) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
    }
#endif
    if (i < n) {
        y[i] = 3 * x[i] + own;
    }
}
