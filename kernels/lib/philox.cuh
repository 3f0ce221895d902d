/* SPDX-License-Identifier: Apache-2.0 */
/*
 * philox.cuh - Philox4x32 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): 128 random
 * bits from a counter of 128 and a key of 64, without state. Ten rounds are the usual number; seven is the least that the
 * authors found to pass BigCrush. A round is two 32 x 32 -> 64 bit multiplications and two three-way exclusive ors; the
 * keys of the rounds are the same for all threads.
 * Plain C, so that a test of the host can hold it against the authors' known answers.
 */
#ifndef RFT_KERNELS_PHILOX_CUH
#define RFT_KERNELS_PHILOX_CUH

static __device__ __forceinline__ unsigned long long philox_product(unsigned a, unsigned b) {
#ifdef __CUDACC__
    unsigned long long product; /* one instruction; as a product of 64-bit numbers it becomes two */
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (unsigned long long)a * b;
#endif
}

/* word: the counter, least significant first; becomes the random bits. `rounds` shall be a constant. */
static __device__ __forceinline__ void philox_4x32(unsigned word[4], unsigned key_low, unsigned key_high, int rounds) {
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int round = 0; round < rounds; round++) {
        const unsigned long long first = philox_product(0xd2511f53u, word[0]);
        const unsigned long long second = philox_product(0xcd9e8d57u, word[2]);
        word[0] = (unsigned)(second >> 32) ^ word[1] ^ key_low;
        word[1] = (unsigned)second;
        word[2] = (unsigned)(first >> 32) ^ word[3] ^ key_high;
        word[3] = (unsigned)first;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
}

#endif
