/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look_back.cuh - tiles that learn what all tiles before them add up to, in one pass over memory: decoupled look-back
 * (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA NVR-2016-002).
 *
 * Tiles are numbered in the order in which blocks begin, by a counter. So what a block waits for belongs to a block
 * that runs already, and in whatever order blocks are scheduled none waits for ever.
 *
 * Nothing is reset between launches: the counter's upper half counts them, and a word that a tile leaves carries this
 * number. What an earlier launch left is no answer. `state` is 16 bytes for the counter, then 16 bytes a tile, zero
 * before the first launch. Every launch on it draws equally often.
 */
#ifndef RFT_KERNELS_LOOK_BACK_CUH
#define RFT_KERNELS_LOOK_BACK_CUH

enum { TILE_SUM = 1, TILE_PREFIX = 2 }; /* of the tile alone; of all up to it */

struct Ticket {
    unsigned tile, launch;
};

/* By one thread. `draws`: of all blocks in a launch; the last one makes the counter ready for the next. */
__device__ __forceinline__ Ticket draw_tile(unsigned long long *state, unsigned draws) {
    const unsigned long long drawn = atomicAdd(state, 1ull);
    const Ticket ticket = {(unsigned)drawn, (unsigned)(drawn >> 32)};
    if (ticket.tile == draws - 1) {
        atomicAdd(state, (1ull << 32) - draws);
    }
    return ticket;
}

__device__ __forceinline__ unsigned bits_of_value(int value) {
    return (unsigned)value;
}
__device__ __forceinline__ unsigned bits_of_value(unsigned value) {
    return value;
}
__device__ __forceinline__ unsigned bits_of_value(float value) {
    return __float_as_uint(value);
}
__device__ __forceinline__ unsigned long long bits_of_value(double value) {
    return (unsigned long long)__double_as_longlong(value);
}
__device__ __forceinline__ void value_of_bits(unsigned bits, int &value) {
    value = (int)bits;
}
__device__ __forceinline__ void value_of_bits(unsigned bits, unsigned &value) {
    value = bits;
}
__device__ __forceinline__ void value_of_bits(unsigned bits, float &value) {
    value = __uint_as_float(bits);
}
__device__ __forceinline__ void value_of_bits(unsigned long long bits, double &value) {
    value = __longlong_as_double((long long)bits);
}

/* What a tile has left: 32 bits of a value and the mark share a word of 64, which is written and read as one. A value
 * of 64 bits takes two such words, whose marks must agree. */
template <typename T, int BYTES = sizeof(T)> struct TileWord;

template <typename T> struct TileWord<T, 4> {
    unsigned long long word;

    static __device__ __forceinline__ unsigned long long *place(unsigned long long *state, unsigned tile) {
        return state + 2 + 2ull * tile;
    }
    __device__ __forceinline__ void read(unsigned long long *state, unsigned tile) {
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(place(state, tile)) : "memory");
    }
    static __device__ __forceinline__ void write(unsigned long long *state, unsigned tile, T value, unsigned mark) {
        const unsigned long long word = (unsigned long long)mark << 32 | bits_of_value(value);
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(place(state, tile)), "l"(word) : "memory");
    }
    __device__ __forceinline__ unsigned mark() const {
        return (unsigned)(word >> 32);
    }
    __device__ __forceinline__ T value() const {
        T value;
        value_of_bits((unsigned)word, value);
        return value;
    }
};

template <typename T> struct TileWord<T, 8> {
    unsigned long long low, high;

    static __device__ __forceinline__ unsigned long long *place(unsigned long long *state, unsigned tile) {
        return state + 2 + 2ull * tile;
    }
    __device__ __forceinline__ void read(unsigned long long *state, unsigned tile) {
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(low), "=l"(high)
                     : "l"(place(state, tile))
                     : "memory");
    }
    static __device__ __forceinline__ void write(unsigned long long *state, unsigned tile, T value, unsigned mark) {
        const unsigned long long bits = bits_of_value(value), marked = (unsigned long long)mark << 32;
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(place(state, tile)),
                     "l"(marked | (bits & 0xffffffffull)), "l"(marked | bits >> 32)
                     : "memory");
    }
    __device__ __forceinline__ unsigned mark() const {
        return (low >> 32) == (high >> 32) ? (unsigned)(low >> 32) : 0;
    }
    __device__ __forceinline__ T value() const {
        T value;
        value_of_bits(high << 32 | (low & 0xffffffffull), value);
        return value;
    }
};

template <typename T>
__device__ __forceinline__ void tell_tile(unsigned long long *state, Ticket ticket, T value, unsigned kind) {
    TileWord<T>::write(state, ticket.tile, value, ticket.launch << 2 | kind);
}

/* Has the word been left in this launch? */
template <typename T> __device__ __forceinline__ bool is_told(const TileWord<T> &word, unsigned launch) {
    return word.mark() >> 2 == (launch & 0x3fffffffu) && (word.mark() & 3) != 0;
}

/* Until the tile has told. DELAY: nanoseconds between two looks. */
template <int DELAY, typename T>
__device__ __forceinline__ void wait_told(TileWord<T> &word, unsigned long long *state, unsigned tile,
                                          unsigned launch) {
    while (!is_told(word, launch)) {
        if (DELAY > 0) {
            __nanosleep(DELAY);
        }
        word.read(state, tile);
    }
}

template <typename T> __device__ __forceinline__ T sum_of_warp(T mine) {
#pragma unroll
    for (int lane = 16; lane > 0; lane /= 2) {
        mine += __shfl_xor_sync(0xffffffffu, mine, lane);
    }
    return mine;
}

/* By one warp: the sum of all tiles before this one. A lane a tile, back to the nearest that knows its prefix. */
template <int DELAY, typename T> __device__ __forceinline__ T look_back(unsigned long long *state, Ticket ticket) {
    const int lane = threadIdx.x % 32;
    T sum = 0;
    for (int tile = (int)ticket.tile - 1 - lane;; tile -= 32) {
        T value = 0;
        bool is_prefix = true; /* there is nothing before the first tile */
        if (tile >= 0) {
            TileWord<T> word;
            word.read(state, tile);
            wait_told<DELAY>(word, state, tile, ticket.launch);
            is_prefix = (word.mark() & 3) == TILE_PREFIX;
            value = word.value();
        }
        const unsigned prefixes = __ballot_sync(0xffffffffu, is_prefix);
        const int nearest = prefixes ? __ffs((int)prefixes) - 1 : 31;
        sum += sum_of_warp(lane <= nearest ? value : (T)0);
        if (prefixes) {
            return sum;
        }
    }
}

/* The same for a tile that follows one whose prefix the warp knows: the sum of those between, (last, tile). Many are
 * asked for at once. */
template <typename T>
__device__ __forceinline__ T look_between(unsigned long long *state, int last, int tile, unsigned launch) {
    constexpr int AT_ONCE = 8;
    const int lane = threadIdx.x % 32;
    T sum = 0;
#pragma unroll 1
    for (int first = last + 1 + lane; first - lane < tile; first += 32 * AT_ONCE) {
        TileWord<T> word[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (first + 32 * i < tile) {
                word[i].read(state, first + 32 * i);
            }
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (first + 32 * i < tile) {
                wait_told<0>(word[i], state, first + 32 * i, launch);
                sum += word[i].value();
            }
        }
    }
    return sum_of_warp(sum);
}

#endif
