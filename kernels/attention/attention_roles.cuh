/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_roles.cuh - attention for sm_90a by warps with roles. One asks the accelerator for tiles; each of CONSUMERS
 * warpgroups has 64 queries of the block's, keeps what it adds up in registers, and goes over the keys from the last
 * that it sees to the first, BLOCK_N at a time. Clusters go from tile to tile of queries by their own number and the
 * number of clusters; launched with a cluster for every tile, each has one. LONGEST: tiles that see most keys come
 * first, and every second round goes backwards, so that clusters have the same to do in all.
 *
 * The ring: K and V of a block of keys are a slot each, in the order in which they are needed: K of the last block,
 * then K of each block with V of the one behind it, then V of the first. Barrier full[s] ends its phase when slot s has
 * arrived, free[s] when every warp that reads it is done with it, in each block of the cluster: its CLUSTER blocks have
 * neighbouring queries of a head, bring a part of each slot, and send it to all. Q has a place of its own.
 *
 * Of e4m3 V lies turned, with the keys of a column contiguous in the order of round_powers(), and numbers have a scale
 * a head.
 *
 * Powers of a block are computed while the tensor cores add the block behind it up (OVERLAP), or when they have.
 * PINGPONG: two warpgroups ask for products in turn, so that one's powers are computed during the other's products.
 */
#ifndef RFT_KERNELS_ATTENTION_ROLES_CUH
#define RFT_KERNELS_ATTENTION_ROLES_CUH

#include "attention_rows.cuh"
#include "matmul_roles.cuh"
#include "wgmma_registers.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

template <typename T> struct AttentionOut { typedef T type; };
template <> struct AttentionOut<unsigned char> { typedef __nv_bfloat16 type; };

template <typename T_, int D_, bool CAUSAL_, int BLOCK_N_, int SLOTS_, int CONSUMERS_, int CLUSTER_, bool OVERLAP_,
          bool PINGPONG_, int ABOVE_, int POLYNOMIAL_, int HEADS_, bool LONGEST_>
struct AttentionPlan {
    typedef T_ T;
    static constexpr int D = D_, BLOCK_M = 64 * CONSUMERS_, BLOCK_N = BLOCK_N_, SLOTS = SLOTS_;
    static constexpr int CONSUMERS = CONSUMERS_, CLUSTER = CLUSTER_, ABOVE = ABOVE_, POLYNOMIAL = POLYNOMIAL_;
    static constexpr int HEADS = HEADS_; /* that are gone through together */
    static constexpr bool CAUSAL = CAUSAL_, OVERLAP = OVERLAP_, PINGPONG = PINGPONG_, LONGEST = LONGEST_;
    static constexpr int CLUSTER_M = CLUSTER, CLUSTER_N = 1, SHARERS = CLUSTER; /* for Freeing */
    static constexpr int SIZE = sizeof(T);
    static constexpr bool TURNED = SIZE == 1;               /* V */
    static constexpr int SHIFT = SIZE == 1 ? 8 - ABOVE : 0; /* powers of e4m3 reach up to 2^8 of its 448 */
    typedef typename AttentionOut<T>::type Out;
    typedef WgmmaTile<true, BLOCK_M, D, 1, SIZE> TileQ;
    typedef WgmmaTile<true, BLOCK_N, D, CLUSTER, SIZE> TileK;
    typedef WgmmaTile<true, TURNED ? D : BLOCK_N, TURNED ? BLOCK_N : D, CLUSTER, SIZE> TileV;
    static constexpr int SLOT_BYTES = TileK::BYTES;
    static constexpr int SLOTS_AT = TileQ::BYTES, BARRIERS_AT = SLOTS_AT + SLOTS * SLOT_BYTES;
    static_assert(SHIFT >= 0, "a power has a place in e4m3");
    static constexpr int BARRIERS = 2 * SLOTS + 2; /* full, free, of Q full and free */
    static_assert(BLOCK_N % 16 == 0 && BLOCK_N <= 256 && D % 64 == 0, "whole instructions");
    static_assert(SLOTS >= 2, "K and the V behind it are multiplied at a time");
    static_assert(!PINGPONG || CONSUMERS == 2, "two take turns");
};

/* A block's part in the problem: its tiles of queries are those of its cluster, of `tiles`. */
struct AttentionTask {
    unsigned tiles, rank, cluster, clusters;
};

/* Queries of a head of a sequence, from `row` on, where the sequence has `l`. Its queries begin in line q_line of Q and
 * O, its keys in line kv_line of K, and in line v_line of V. */
struct AttentionTile {
    int q_line, kv_line, v_line, l, row;
    int blocks; /* of keys that are seen */
    float scale, out_scale;
};

/* The tile with this number among those of a sequence. HEADS heads at a time, and in them row by row; LONGEST: the last
 * rows, which see most keys, come first. */
template <class P>
__device__ __forceinline__ AttentionTile attention_tile_of(unsigned number, int l, int heads, unsigned rows,
                                                           unsigned rank, int &head) {
    const Tile place = tile_at<P::HEADS>(number, heads, rows);
    const unsigned row = P::CAUSAL && P::LONGEST ? rows - 1 - place.column : place.column;
    AttentionTile tile;
    tile.l = l;
    tile.row = (int)(row * P::CLUSTER + rank) * P::BLOCK_M;
    const int end = (int)(row + 1) * P::CLUSTER * P::BLOCK_M; /* blocks of a cluster go over the same keys */
    const int seen = P::CAUSAL && end < l ? end : l;
    tile.blocks = (seen + P::BLOCK_N - 1) / P::BLOCK_N;
    head = place.row;
    return tile;
}

template <class P> __device__ __forceinline__ unsigned attention_rows(int l) {
    return (l + P::BLOCK_M * P::CLUSTER - 1) / (P::BLOCK_M * P::CLUSTER);
}

/* Sequences of l each; `heads` of all of them, of which `group` neighbours share keys. `scale`: of exponents of two. */
struct EqualBatch {
    int l, heads, group;
    float scale;

    template <class P> __device__ __forceinline__ unsigned tiles() const {
        return attention_rows<P>(l) * heads;
    }
    template <class P> __device__ __forceinline__ AttentionTile tile(unsigned number, unsigned rank) const {
        int head;
        AttentionTile tile = attention_tile_of<P>(number, l, heads, attention_rows<P>(l), rank, head);
        tile.q_line = head * l;
        tile.kv_line = tile.v_line = head / group * l;
        tile.scale = scale;
        tile.out_scale = 1.0f;
        return tile;
    }
};

/* The same of e4m3. Numbers of Q, K and V are so many times as large: of each head, of each that shares keys. */
struct ScaledBatch {
    EqualBatch of;
    const float *q, *k, *v;

    template <class P> __device__ __forceinline__ unsigned tiles() const {
        return of.template tiles<P>();
    }
    template <class P> __device__ __forceinline__ AttentionTile tile(unsigned number, unsigned rank) const {
        AttentionTile tile = of.template tile<P>(number, rank);
        const int head = tile.q_line / of.l, shared = head / of.group;
        tile.v_line = shared * P::D;
        tile.scale = of.scale * q[head] * k[shared];
        tile.out_scale = v[shared];
        return tile;
    }
};

/* Sequences behind one another, i from starts[i] to starts[i + 1]; `heads` of each, which are `tokens` lines apart. */
struct PackedBatch {
    const Starts &of;
    int sequences, tokens, heads, group;
    float scale;

    template <class P> __device__ __forceinline__ unsigned tiles() const {
        unsigned all = 0;
        for (int i = 0; i < sequences; i++) {
            all += attention_rows<P>(of.starts[i + 1] - of.starts[i]) * heads;
        }
        return all;
    }
    template <class P> __device__ __forceinline__ AttentionTile tile(unsigned number, unsigned rank) const {
        int i = 0, l, head;
        unsigned rows;
        for (;; i++) {
            l = of.starts[i + 1] - of.starts[i];
            rows = attention_rows<P>(l);
            if (number < rows * heads) {
                break;
            }
            number -= rows * heads;
        }
        AttentionTile tile = attention_tile_of<P>(number, l, heads, rows, rank, head);
        tile.q_line = head * tokens + of.starts[i];
        tile.kv_line = tile.v_line = head / group * tokens + of.starts[i];
        tile.scale = scale;
        tile.out_scale = 1.0f;
        return tile;
    }
};

/* The number of the cluster's tile in this round; beyond the last: there is none, nor in later rounds. */
template <class P> __device__ __forceinline__ unsigned attention_number(const AttentionTask &task, unsigned round) {
    const bool backwards = P::LONGEST && round % 2;
    return round * task.clusters + (backwards ? task.clusters - 1 - task.cluster : task.cluster);
}

/* By all threads of the block; behind it the barriers are there for the whole cluster. */
template <class P> __device__ __forceinline__ AttentionTask attention_task(unsigned shared, unsigned tiles) {
    const AttentionTask task = {tiles, blockIdx.x % P::CLUSTER, blockIdx.x / P::CLUSTER, gridDim.x / P::CLUSTER};
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < P::SLOTS; slot++) {
            bulk_barrier_init(shared + P::BARRIERS_AT + slot * 8);
            bulk_barrier_init(shared + P::BARRIERS_AT + (P::SLOTS + slot) * 8, P::CLUSTER * P::CONSUMERS * 4);
        }
        bulk_barrier_init(shared + P::BARRIERS_AT + 2 * P::SLOTS * 8);
        bulk_barrier_init(shared + P::BARRIERS_AT + (2 * P::SLOTS + 1) * 8, P::CONSUMERS * 4);
        bulk_barrier_publish();
    }
    if (P::CLUSTER > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }
    return task;
}

/* Where the barriers lie. */
template <class P> struct AttentionBarriers {
    unsigned full, free, q_full, q_free;

    __device__ __forceinline__ explicit AttentionBarriers(unsigned shared)
        : full(shared + P::BARRIERS_AT), free(full + P::SLOTS * 8), q_full(free + P::SLOTS * 8), q_free(q_full + 8) {
    }
};

/* One thread of a block. */
template <class P> struct AttentionProducer {
    const AttentionTask &task;
    unsigned slots;
    AttentionBarriers<P> barriers;
    RingPlace<P::SLOTS> place;

    /* Keys or values, from `line` and column `k` on, in the next slot. */
    template <class TILE> __device__ __forceinline__ void bring(const CUtensorMap *map, int line, int k) {
        const unsigned full = barriers.full + place.stage * 8;
        bulk_wait(barriers.free + place.stage * 8, place.parity ^ 1);
        bulk_expect(full, P::SLOT_BYTES);
        TILE::load(slots + place.stage * P::SLOT_BYTES, map, line, k, task.rank, (1u << P::CLUSTER) - 1, full);
        place.next();
    }
    __device__ __forceinline__ void bring_keys(const CUtensorMap *map, const AttentionTile &tile, int block) {
        bring<typename P::TileK>(map, tile.kv_line + block * P::BLOCK_N, 0);
    }
    __device__ __forceinline__ void bring_values(const CUtensorMap *map, const AttentionTile &tile, int block) {
        const int first = block * P::BLOCK_N;
        bring<typename P::TileV>(map, tile.v_line + (P::TURNED ? 0 : first), P::TURNED ? first : 0);
    }
};

template <class P, class BATCH>
__device__ __forceinline__ void attention_produce(const AttentionTask &task, const BATCH &batch, unsigned shared,
                                                  const CUtensorMap *q, const CUtensorMap *k, const CUtensorMap *v) {
    AttentionProducer<P> producer{task, shared + P::SLOTS_AT, AttentionBarriers<P>(shared), RingPlace<P::SLOTS>()};
    for (unsigned round = 0, number; (number = attention_number<P>(task, round)) < task.tiles; round++) {
        const AttentionTile tile = batch.template tile<P>(number, task.rank);
        bulk_wait(producer.barriers.q_free, round % 2 ^ 1);
        bulk_expect(producer.barriers.q_full, P::TileQ::BYTES);
        P::TileQ::load(shared, q, tile.q_line + tile.row, 0, 0, 0, producer.barriers.q_full);
        producer.bring_keys(k, tile, tile.blocks - 1);
        for (int block = tile.blocks - 1; block > 0; block--) {
            producer.bring_keys(k, tile, block - 1);
            producer.bring_values(v, tile, block);
        }
        producer.bring_values(v, tile, 0);
    }
}

/* A warpgroup. */
template <class P> struct AttentionConsumer {
    typedef typename P::T T;
    enum { SCORES = P::BLOCK_N / 2 }; /* a thread's */
    AttentionBarriers<P> barriers;
    Freeing<P> freeing;
    unsigned long long q, k, v; /* operands, of this warpgroup's queries and of slot 0 */
    int consumer;
    float scale; /* of exponents of two */
    RingPlace<P::SLOTS> place;
    Softmax rows;
    float s[1][SCORES], o[1][P::D / 2];
    unsigned p[P::BLOCK_N * P::SIZE / 8];
    int row, l; /* its first query, of so many */

    __device__ __forceinline__ AttentionConsumer(unsigned shared, int consumer_)
        : barriers(shared), freeing(Task{}, barriers.free), q(P::TileQ::operand(shared, consumer_ * 64)),
          k(P::TileK::operand(shared + P::SLOTS_AT)),
          v(P::TURNED ? P::TileV::operand(shared + P::SLOTS_AT)
                      : wgmma_operand_chunks(shared + P::SLOTS_AT, P::TileV::SLAB_BYTES)),
          consumer(consumer_) {
    }

    __device__ __forceinline__ static unsigned at(const RingPlace<P::SLOTS> &place) {
        return place.stage * (P::SLOT_BYTES >> 4);
    }

    /* s = q k, as a group. */
    __device__ __forceinline__ void multiply_scores(const RingPlace<P::SLOTS> &from) {
#pragma unroll
        for (int step = 0; step < P::D * P::SIZE / 32; step++) {
            wgmma<T, true, true>(s[0], q + P::TileQ::at_step(step), k + at(from) + P::TileK::at_step(step), step > 0);
        }
        wgmma_commit();
    }

    /* o += p v, as a group. */
    __device__ __forceinline__ void add_values(const RingPlace<P::SLOTS> &from, bool add) {
#pragma unroll
        for (int step = 0; step < P::BLOCK_N * P::SIZE / 32; step++) {
            const int skip = P::TURNED ? P::TileV::at_step(step) : step * (2048 >> 4);
            wgmma_registers<T>(o[0], p + 4 * step, v + at(from) + skip, step > 0 || add);
        }
        wgmma_commit();
    }

    __device__ __forceinline__ void hide_columns(int block) {
        const int line = row + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
        int left[2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int seen = P::CAUSAL && line + 8 * h + 1 < l ? line + 8 * h + 1 : l;
            left[h] = seen - block * P::BLOCK_N;
        }
        hide(s[0], left);
    }

    /* Some of the block's keys are not seen by some of the warpgroup's queries. */
    __device__ __forceinline__ bool hides(int block) const {
        const int end = (block + 1) * P::BLOCK_N;
        return end > l || (P::CAUSAL && end > row + 1);
    }

    /* The last block: no values yet. */
    __device__ __forceinline__ void begin(int block) {
        float factor[2];
        bulk_wait(barriers.full + place.stage * 8, place.parity);
        wgmma_hold(s);
        wgmma_begin();
        multiply_scores(place);
        wgmma_hold(s);
        wgmma_wait<0>();
        wgmma_hold(s);
        freeing.tell(place.stage);
        place.next();
        hide_columns(block);
        rows = Softmax();
        raise_top<0>(rows, s[0], scale, factor);
        raise_to_powers<P::POLYNOMIAL, true, P::SHIFT>(rows, s[0], scale);
        round_powers<T>(p, s[0]);
    }

    /* Scores of `block`, values of the one behind it; `first`: there are none before those. */
    template <bool HIDDEN> __device__ __forceinline__ void step(int block, bool first) {
        const RingPlace<P::SLOTS> keys = place;
        place.next();
        const RingPlace<P::SLOTS> values = place;
        place.next();
        bulk_wait(barriers.full + keys.stage * 8, keys.parity);
        if (P::PINGPONG) {
            named_wait(turn_barrier(consumer), 256);
        }
        wgmma_hold(s);
        wgmma_hold(o);
        wgmma_begin();
        multiply_scores(keys);
        bulk_wait(barriers.full + values.stage * 8, values.parity);
        add_values(values, !first);
        if (P::PINGPONG) {
            named_arrive(turn_barrier(1 - consumer), 256);
        }
        wgmma_wait<(P::OVERLAP ? 1 : 0)>();
        wgmma_hold(s);
        freeing.tell(keys.stage);
        if (HIDDEN) {
            hide_columns(block);
        }
        float factor[2];
        const bool rises = raise_top<P::ABOVE>(rows, s[0], scale, factor);
        raise_to_powers<P::POLYNOMIAL, HIDDEN, P::SHIFT>(rows, s[0], scale);
        if (P::OVERLAP) {
            wgmma_wait<0>();
        }
        wgmma_hold(o);
        freeing.tell(values.stage);
        if (rises) {
            multiply_rows(o[0], factor);
        }
        round_powers<T>(p, s[0]);
    }

    /* The values of the first block. */
    __device__ __forceinline__ void end(bool first) {
        bulk_wait(barriers.full + place.stage * 8, place.parity);
        wgmma_hold(o);
        wgmma_begin();
        add_values(place, !first);
        wgmma_wait<0>();
        wgmma_hold(o);
        freeing.tell(place.stage);
        place.next();
    }

    /* Behind it o has the rows of the tile that begin at `row`. */
    __device__ __forceinline__ void attend(const AttentionTile &tile, unsigned round) {
        row = tile.row + consumer * 64;
        l = tile.l;
        scale = tile.scale;
        int block = tile.blocks - 1;
        bulk_wait(barriers.q_full, round % 2);
        begin(block--);
        bool first = true;
        if (P::CAUSAL) {
            for (; block >= 0 && hides(block); block--) {
                step<true>(block, first);
                first = false;
            }
        }
        for (; block >= 0; block--) {
            step<false>(block, first);
            first = false;
        }
        if (threadIdx.x % 32 == 0) { /* nothing reads Q any more */
            bulk_arrive(barriers.q_free);
        }
        __syncwarp();
        end(first);
        divide_by_sums(o[0], rows, tile.out_scale);
    }
};

/* As give_registers() and take_registers() of matmul_roles.cuh; this producer needs more than 24. */
template <class P> __device__ __forceinline__ void attention_give_registers() {
    if constexpr (P::CONSUMERS > 1) {
        warpgroup_give_registers<P::CONSUMERS == 2 ? P::TURNED && P::D == 256 ? 24 : 40 : 32>();
    }
}
template <class P> __device__ __forceinline__ void attention_take_registers() {
    if constexpr (P::CONSUMERS > 1) {
        warpgroup_take_registers<P::CONSUMERS == 2 ? P::TURNED && P::D == 256 ? 240 : 232 : 160>();
    }
}

/* The whole block's work. */
template <class P, class BATCH>
__device__ __forceinline__ void attention_by_roles(const BATCH &batch, unsigned shared, const CUtensorMap *q,
                                                   const CUtensorMap *k, const CUtensorMap *v, typename P::Out *o) {
    const AttentionTask task = attention_task<P>(shared, batch.template tiles<P>());
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (warpgroup == P::CONSUMERS) {
        attention_give_registers<P>();
        if (threadIdx.x == P::CONSUMERS * 128) {
            attention_produce<P>(task, batch, shared, q, k, v);
        }
        __syncwarp();
    } else {
        attention_take_registers<P>();
        AttentionConsumer<P> consumer(shared, warpgroup);
        if (P::PINGPONG && warpgroup == 1) { /* the other begins */
            named_arrive(turn_barrier(0), 256);
        }
        for (unsigned round = 0, number; (number = attention_number<P>(task, round)) < task.tiles; round++) {
            const AttentionTile tile = batch.template tile<P>(number, task.rank);
            consumer.attend(tile, round);
            store_rows16(consumer.o, o + (long long)tile.q_line * P::D, consumer.row, 0, tile.l, P::D);
        }
        if (P::PINGPONG && warpgroup == 0) { /* the last turn, which is not taken */
            named_wait(turn_barrier(0), 256);
        }
    }
    if (P::CLUSTER > 1) { /* a block that has ended could not be told that a slot is free */
        cluster_meet();
    }
}

#endif
#endif
