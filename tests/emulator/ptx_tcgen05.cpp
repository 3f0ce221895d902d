/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_tcgen05.cpp - tensor memory and the tensor cores of sm_100a, for one block and 16-bit floats. PTX ISA 9.0. */
#include "emulator/ptx_tiles.hpp"

#include <cstring>

namespace emulator {

enum { TENSOR_LANES = 128, TENSOR_COLUMNS = 512, DEPTH = 16 };

/* tcgen05.alloc.… [to], columns */
static void tensor_take(const Call &call) {
    Block *block = current->block;
    const unsigned columns = call.word(1);
    if (columns < 32 || columns > TENSOR_COLUMNS || (columns & (columns - 1))) {
        fault("tcgen05.alloc of %u columns", columns);
    }
    if (current->lane() == 0) {
        check_shared(block, call.word(0), 4, 4);
        block->tensor_memory.assign(TENSOR_LANES * TENSOR_COLUMNS, 0x7fc00000); /* not a number */
        block->tensor_columns += columns;
        memset(block->shared + call.word(0), 0, 4);
    }
    meet_warp();
}

/* tcgen05.dealloc.… sums, columns */
static void tensor_give(const Call &call) {
    if (current->lane() == 0) {
        current->block->tensor_columns -= call.word(1);
    }
    meet_warp();
}

static std::vector<double> values_of(const Tile &tile, unsigned lines, const Kind *kind) {
    std::vector<double> values;
    for (unsigned i = 0; i < lines * DEPTH; i++) {
        values.push_back(kind->value(tile.element(i / DEPTH, i % DEPTH, kind->bytes)));
    }
    return values;
}

/* tcgen05.mma.cta_group::1.kind::f16 [sums], a, b, descriptor, p: the tensor core takes them in their order. */
static void tensor_multiply(const Call &call) {
    Block *block = current->block;
    const unsigned product = call.word(3), columns = (product >> 17 & 63) * 8, first = call.word(0);
    const unsigned types[] = {product >> 7 & 7, product >> 10 & 7};
    if ((product >> 24 & 31) != 8 || (product >> 4 & 3) != 1 || types[0] > 1 || types[1] > 1 ||
        first + columns > TENSOR_COLUMNS) {
        fault("the emulator does not know this tcgen05.mma: descriptor 0x%x", product);
    }
    const Tile a(call.get(1), false), b(call.get(2), false);
    const bool add = call.get(4) != 0;
    const Ranges::iterator reads_a = begin_reading(a.range(TENSOR_LANES)), reads_b = begin_reading(b.range(columns));
    const Kind *const a_kind = &kinds[1 - types[0]], *const b_kind = &kinds[1 - types[1]];
    block->products.push_back([=]() {
        const std::vector<double> a_values = values_of(a, TENSOR_LANES, a_kind),
                                  b_values = values_of(b, columns, b_kind);
        for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
            for (unsigned column = 0; column < columns; column++) {
                unsigned *place = &block->tensor_memory[lane * TENSOR_COLUMNS + first + column];
                double sum = add ? float_of(*place) : 0.0;
                for (unsigned k = 0; k < DEPTH; k++) {
                    sum += a_values[lane * DEPTH + k] * b_values[column * DEPTH + k];
                }
                *place = bits_of((float)sum);
            }
        }
        block->read.erase(reads_a);
        block->read.erase(reads_b);
    });
}

/* tcgen05.commit.… [barrier] */
static void tensor_commit(const Call &call) {
    Block *block = current->block;
    const unsigned barrier = offset_at(call.word(0));
    block->products.push_back([=]() { arrive_at(block, barrier, 1); });
    const size_t count = block->products.size() - block->committed;
    block->committed = block->products.size();
    later(false, [=]() {
        for (size_t i = 0; i < count; i++) {
            const auto work = std::move(block->products.front());
            block->products.pop_front();
            block->committed--;
            work();
        }
    });
}

/* tcgen05.ld.sync.aligned.32x32b.xN.b32 {…}, [sums]: a warp has the 32 lanes of its place in a warpgroup. */
static void tensor_load(const Call &call) {
    const size_t count = call.in_group(0);
    const unsigned from = call.word(count), lane = from >> 16, column = from & 0xffff;
    if (!call.is("32x32b") || lane != current->warp() % 4 * 32 || column + count > TENSOR_COLUMNS) {
        fault("tcgen05.ld of lane %u by warp %u", lane, current->warp());
    }
    if (!current->block->products.empty()) {
        fault("race: tcgen05.ld before all has been multiplied");
    }
    for (size_t i = 0; i < count; i++) {
        call.set(i, current->block->tensor_memory[(lane + current->lane()) * TENSOR_COLUMNS + column + i]);
    }
}

const std::vector<Known> tcgen05_instructions = {
    {"tcgen05.alloc", tensor_take},
    {"tcgen05.dealloc", tensor_give},
    {"tcgen05.mma.cta_group::1.kind::f16", tensor_multiply},
    {"tcgen05.commit.cta_group::1", tensor_commit},
    {"tcgen05.ld", tensor_load},
    {"tcgen05.wait", [](const Call &) {}},
    {"tcgen05.fence", [](const Call &) {}},
    {"tcgen05.relinquish_alloc_permit", [](const Call &) {}},
};

} // namespace emulator
