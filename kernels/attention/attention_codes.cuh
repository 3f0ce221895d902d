/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_codes.cuh - attention_roles.cuh for e4m3, with powers taken as its codes. No ex2, no conversion: a code
 * counts eighths of an exponent, if numbers between two powers of two are taken to lie on a straight line, where they
 * are up to 6 % too high. So are the rows' sums that they are divided by: the tensor cores add up what they multiply,
 * by eight columns of ones, a block of keys at a time, since their own sums have some 14 bits.
 */
#ifndef RFT_KERNELS_ATTENTION_CODES_CUH
#define RFT_KERNELS_ATTENTION_CODES_CUH

#include "attention_roles.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

template <class PLAN> struct AttentionCodes : PLAN {
    static constexpr int ONES_AT = PLAN::BARRIERS_AT + 1024, ONES_BYTES = 1024; /* of each warpgroup, behind barriers */
    static constexpr int BYTES = ONES_AT + PLAN::CONSUMERS * ONES_BYTES;
    static_assert(PLAN::ABOVE <= 4, "codes end at 2^-7, and most keys of a row may lie far below its highest");
    static_assert(PLAN::TURNED && 8 * PLAN::BARRIERS <= 1024, "e4m3, and a place for barriers");
};

/* Scores become codes' exponents, from 2^-7 on, in pairs of fp16 that do not fall below 0; 1024 beside eight of them
 * each leaves the code in the low byte. HIDDEN: a row may have seen nothing yet. Powers are 2^SHIFT times as large. */
template <bool HIDDEN, int SHIFT, int COUNT>
__device__ __forceinline__ void count_eighths(unsigned (&pairs)[COUNT / 2], const Softmax &rows,
                                              const float (&s)[COUNT], float scale) {
    constexpr unsigned EIGHT = 0x48004800, THOUSAND_24 = 0x64006400;
    float from[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        from[h] = (HIDDEN && rows.top[h] == LOWEST ? 0.0f : -rows.top[h] * scale) + (float)(SHIFT + 7);
    }
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) {
        const float low = fmaf(s[2 * i], scale, from[i % 2]), high = fmaf(s[2 * i + 1], scale, from[i % 2]);
        asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(pairs[i]) : "f"(high), "f"(low));
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(pairs[i]) : "r"(pairs[i]), "r"(EIGHT), "r"(THOUSAND_24));
    }
}

/* The codes of two pairs are a word, in the order of round_powers(). */
template <int COUNT>
__device__ __forceinline__ void join_codes(unsigned (&p)[COUNT / 2], const unsigned (&pairs)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) {
        const unsigned *left = pairs + i / 2 * 4 + i % 2;
        p[i] = __byte_perm(left[0], left[2], 0x6420);
    }
}

/* Eight columns: D (64 x 8) += A (64 x 32, registers) B. */
__device__ __forceinline__ void wgmma_add_columns(float (&d)[1][4], const unsigned *a, unsigned long long b, int add) {
    asm volatile(WGMMA_TEXT(8, "k32.f32.e4m3.e4m3", "%0,%1,%2,%3", "{%4,%5,%6,%7}", "%8", "%9", ", 1, 1")
                 : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

/* A warpgroup, as that of the plan; what is another here is what has to do with powers. */
template <class PLAN> struct AttentionConsumer<AttentionCodes<PLAN>> : AttentionConsumer<PLAN> {
    typedef AttentionCodes<PLAN> P;
    typedef AttentionConsumer<PLAN> Base;
    enum { PAIRS = Base::SCORES / 2 };
    unsigned long long ones;
    float added[1][4]; /* sums of the last block's powers, of row h those from 2 h on; all four lanes have them */

    __device__ __forceinline__ AttentionConsumer(unsigned shared, int consumer_) : Base(shared, consumer_) {
        constexpr unsigned ONES = 0x38383838;
        const unsigned place = shared + P::ONES_AT + consumer_ * P::ONES_BYTES;
        ones = wgmma_operand<true>(place);
        store_pair(place + threadIdx.x % 128 * 8, ONES, ONES);
        bulk_fence_writes();
        named_wait(own_barrier(consumer_), 128);
    }

    /* o += p v, and sums of p, as a group. */
    __device__ __forceinline__ void add_values(const RingPlace<P::SLOTS> &from, bool add) {
#pragma unroll
        for (int step = 0; step < P::BLOCK_N / 32; step++) {
            wgmma_registers<typename P::T>(this->o[0], this->p + 4 * step,
                                           this->v + this->at(from) + P::TileV::at_step(step), step > 0 || add);
            wgmma_add_columns(added, this->p + 4 * step, ones, step > 0);
        }
        wgmma_commit();
    }
    __device__ __forceinline__ void hold_values() {
        wgmma_hold(this->o);
        wgmma_hold(added);
    }
    /* To the rows' sums goes what the last product has added up. */
    __device__ __forceinline__ void take_added(const float (&factor)[2]) {
        this->rows.sum[0] = fmaf(added[0][0], factor[0], this->rows.sum[0]);
        this->rows.sum[1] = fmaf(added[0][2], factor[1], this->rows.sum[1]);
    }

    /* The last block: no values yet. */
    __device__ __forceinline__ void begin(int block) {
        float factor[2];
        unsigned pairs[PAIRS];
        bulk_wait(this->barriers.full + this->place.stage * 8, this->place.parity);
        wgmma_hold(this->s);
        wgmma_begin();
        this->multiply_scores(this->place);
        wgmma_wait<0>();
        wgmma_hold(this->s);
        this->freeing.tell(this->place.stage);
        this->place.next();
        this->hide_columns(block);
        this->rows = Softmax();
        raise_top<0>(this->rows, this->s[0], this->scale, factor);
        count_eighths<true, P::SHIFT>(pairs, this->rows, this->s[0], this->scale);
        join_codes(this->p, pairs);
    }

    /* Scores of `block`, values of the one behind it; `first`: there are none before those. */
    template <bool HIDDEN> __device__ __forceinline__ void step(int block, bool first) {
        const RingPlace<P::SLOTS> keys = this->place;
        this->place.next();
        const RingPlace<P::SLOTS> values = this->place;
        this->place.next();
        bulk_wait(this->barriers.full + keys.stage * 8, keys.parity);
        if (P::PINGPONG) {
            named_wait(turn_barrier(this->consumer), 256);
        }
        wgmma_hold(this->s);
        hold_values();
        wgmma_begin();
        this->multiply_scores(keys);
        bulk_wait(this->barriers.full + values.stage * 8, values.parity);
        add_values(values, !first);
        if (P::PINGPONG) {
            named_arrive(turn_barrier(1 - this->consumer), 256);
        }
        wgmma_wait<(P::OVERLAP ? 1 : 0)>();
        wgmma_hold(this->s);
        this->freeing.tell(keys.stage);
        if (HIDDEN) {
            this->hide_columns(block);
        }
        float factor[2];
        unsigned pairs[PAIRS];
        const bool rises = raise_top<P::ABOVE>(this->rows, this->s[0], this->scale, factor);
        count_eighths<HIDDEN, P::SHIFT>(pairs, this->rows, this->s[0], this->scale);
        wgmma_wait<0>();
        hold_values();
        this->freeing.tell(values.stage);
        take_added(factor);
        if (rises) {
            multiply_rows(this->o[0], factor);
        }
        join_codes(this->p, pairs);
    }

    /* The values of the first block. Four lanes will add the rows' sums up once more. */
    __device__ __forceinline__ void end(bool first) {
        bulk_wait(this->barriers.full + this->place.stage * 8, this->place.parity);
        hold_values();
        wgmma_begin();
        add_values(this->place, !first);
        wgmma_wait<0>();
        hold_values();
        this->freeing.tell(this->place.stage);
        this->place.next();
        const float once[2] = {1.0f, 1.0f};
        take_added(once);
        this->rows.sum[0] *= 0.25f;
        this->rows.sum[1] *= 0.25f;
    }

    /* As the plan's, by these steps. */
    __device__ __forceinline__ void attend(const AttentionTile &tile, unsigned round) {
        this->row = tile.row + this->consumer * 64;
        this->l = tile.l;
        this->scale = tile.scale;
        int block = tile.blocks - 1;
        bulk_wait(this->barriers.q_full, round % 2);
        begin(block--);
        bool first = true;
        if (P::CAUSAL) {
            for (; block >= 0 && this->hides(block); block--) {
                step<true>(block, first);
                first = false;
            }
        }
        for (; block >= 0; block--) {
            step<false>(block, first);
            first = false;
        }
        if (threadIdx.x % 32 == 0) { /* nothing reads Q any more */
            bulk_arrive(this->barriers.q_free);
        }
        __syncwarp();
        end(first);
        divide_by_sums(this->o[0], this->rows, tile.out_scale);
    }
};

#endif
#endif
