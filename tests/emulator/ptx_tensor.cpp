/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_tensor.cpp - ldmatrix, stmatrix, mma.sync, wgmma. Who holds which element: PTX ISA 8.8, "Matrix fragments". */
#include "emulator/ptx_tiles.hpp"

#include <cctype>
#include <cstring>

namespace emulator {

/* ---- registers of a warp's lanes ---- */

typedef unsigned Registers[16];

/* Every lane shows `count` registers, then sees those of all. Another meeting must follow before the next. */
static const Registers *show(const Call &call, size_t first, size_t count, size_t at = 0) {
    Registers *lanes = current->block->exchanged[current->warp()];
    for (size_t i = 0; i < count; i++) {
        lanes[current->lane()][at + i] = call.word(first + i);
    }
    return lanes;
}

static unsigned tiles_of(const Call &call) {
    return call.is("x4") ? 4 : call.is("x2") ? 2 : 1;
}

/* Lanes 8 i to 8 i + 7 name the rows of tile i, 16 bytes each. */
static void load_matrix(const Call &call) {
    const unsigned count = tiles_of(call), lane = current->lane();
    check_shared(current->block, lane < 8 * count ? call.word(count) : 0, 16, 16);
    const Registers *lanes = show(call, count, 1);
    meet_warp();
    unsigned loaded[4] = {};
    for (unsigned i = 0; i < count; i++) {
        unsigned short pair[2];
        for (unsigned e = 0; e < 2; e++) {
            const unsigned row = call.is("trans") ? lane % 4 * 2 + e : lane / 4;
            const unsigned column = call.is("trans") ? lane / 4 : lane % 4 * 2 + e;
            memcpy(&pair[e], current->block->shared + lanes[8 * i + row][0] + column * 2, 2);
        }
        loaded[i] = pair[0] | (unsigned)pair[1] << 16;
    }
    meet_warp();
    for (unsigned i = 0; i < count; i++) {
        call.set(i, loaded[i]);
    }
}

static void store_matrix(const Call &call) {
    const unsigned count = tiles_of(call), lane = current->lane();
    const unsigned own = call.word(0);
    if (lane < 8 * count) {
        check_shared(current->block, own, 16, 16);
        note_write(own, 16);
    }
    const Registers *lanes = show(call, 0, 1);
    meet_warp();
    for (unsigned i = 0; i < count; i++) {
        const unsigned bits = call.word(1 + i);
        for (unsigned e = 0; e < 2; e++) {
            const unsigned row = call.is("trans") ? lane % 4 * 2 + e : lane / 4;
            const unsigned column = call.is("trans") ? lane / 4 : lane % 4 * 2 + e;
            const unsigned short half = (unsigned short)(bits >> 16 * e);
            memcpy(current->block->shared + lanes[8 * i + row][0] + column * 2, &half, 2);
        }
    }
    meet_warp();
}

/* movmatrix.sync.aligned.m8n8.trans.b16: two elements of row l / 4 become those of column l / 4. */
static void turn_matrix(const Call &call) {
    const unsigned lane = current->lane();
    const Registers *lanes = show(call, 1, 1);
    meet_warp();
    unsigned turned = 0;
    for (unsigned e = 0; e < 2; e++) {
        const unsigned pair = lanes[(lane % 4 * 2 + e) * 4 + lane / 8][0];
        turned |= (pair >> lane / 4 % 2 * 16 & 0xffff) << 16 * e;
    }
    meet_warp();
    call.set(0, turned);
}

/* The parts of the instruction's name that are kinds of A and B: the first two that are in the list, but of sums. */
static void find_kinds(const std::string &name, const Kind *&a, const Kind *&b) {
    for (size_t at = name.find('.'), end; at != std::string::npos && !b; at = end) {
        end = name.find('.', at + 1);
        const std::string part = name.substr(at + 1, end == std::string::npos ? end : end - at - 1);
        for (const Kind &kind : kinds) {
            if (part == kind.name) {
                (a ? b : a) = &kind;
                break;
            }
        }
    }
    if (!b) {
        fault("the emulator does not know the numbers of %s", name.c_str());
    }
}

static void kinds_of(const Call &call, const Kind *&a, const Kind *&b) {
    const Instruction *instruction = call.instruction;
    if (!instruction->b) {
        find_kinds(instruction->name, instruction->a, instruction->b);
    }
    a = instruction->a;
    b = instruction->b;
}

/* m64n128k16: what stands behind n, or behind k. */
static unsigned find_size(const std::string &name, char side) {
    size_t m = name.find(".m");
    while (m != std::string::npos && !isdigit((unsigned char)name[m + 2])) {
        m = name.find(".m", m + 1);
    }
    const size_t at = m == std::string::npos ? m : name.find(side, m);
    if (at == std::string::npos) {
        fault("the emulator does not know the shape of %s", name.c_str());
    }
    return (unsigned)std::stoul(name.substr(at + 1));
}

static unsigned shape_of(const Call &call, char side) {
    unsigned &known = side == 'n' ? call.instruction->columns : call.instruction->depth;
    known = known ? known : find_size(call.instruction->name, side);
    return known;
}

/* Sums of 32 bits, or fp32's of tf32. */
static void add_to(const Call &call, size_t i, bool whole, double sum) {
    if (whole) {
        call.set(i, (unsigned)((int)call.word(i) + (int)sum));
    } else {
        call.set_float(i, (float)(float_of(call.word(i)) + sum));
    }
}

/* ---- mma.sync ---- */

static unsigned element_of(const unsigned *registers, unsigned byte, unsigned bytes) {
    const unsigned word = *registers >> 8 * byte;
    return bytes == 2 ? word & 0xffff : bytes == 1 ? word & 0xff : word;
}

/* fp64: a[2 j + h] is row l / 4 + 8 h, k = 4 j + l % 4; b[j] column l / 4; sums as below. m8n8k4 has h = 0. */
static void multiply_fp64(const Call &call) {
    const unsigned depth = shape_of(call, 'k') / 4, halves = call.is("m8n8k4") ? 1 : 2, lane = current->lane();
    const size_t sums = 2 * halves, a = sums, b = a + depth * halves;
    auto &lanes = current->block->exchanged[current->warp()];
    double out[4];
    for (unsigned i = 0; i < sums; i++) {
        const unsigned long long bits = call.get(b + depth + i);
        memcpy(&out[i], &bits, 8);
    }
    for (unsigned j = 0; j < depth; j++) {
        for (unsigned h = 0; h < halves; h++) {
            const unsigned long long bits = call.get(a + j * halves + h);
            memcpy(&lanes[lane][2 * h], &bits, 8);
        }
        const unsigned long long bits = call.get(b + j);
        memcpy(&lanes[lane][4], &bits, 8);
        meet_warp();
        for (unsigned i = 0; i < sums; i++) {
            for (unsigned t = 0; t < 4; t++) {
                double x, y;
                memcpy(&x, &lanes[lane / 4 * 4 + t][i / 2 * 2], 8);
                memcpy(&y, &lanes[(lane % 4 * 2 + i % 2) * 4 + t][4], 8);
                out[i] = std::fma(x, y, out[i]);
            }
        }
        meet_warp();
    }
    for (unsigned i = 0; i < sums; i++) {
        unsigned long long bits;
        memcpy(&bits, &out[i], 8);
        call.set(i, bits);
    }
}

/* Byte x of a row's k: of lane l % 4 = x % 16 / 4, register h + 2 (x / 16) of A for row l / 4 + 8 h, x / 16 of B. Sums
 * 2 h + e: row l / 4 + 8 h, column 2 (l % 4) + e. m8n8k16 has h = 0. */
static void multiply(const Call &call) {
    if (call.is("f64")) {
        multiply_fp64(call);
        return;
    }
    const Kind *a, *b;
    kinds_of(call, a, b);
    const unsigned depth = shape_of(call, 'k'), pieces = depth * a->bytes / 16, lane = current->lane();
    const unsigned halves = call.is("m8n8k16") ? 1 : 2, count = 2 * halves;
    if (call.in_group(0) != count) {
        fault("the emulator does not know the sums of %s", call.instruction->name.c_str());
    }
    const bool whole = call.is("s32");
    const Registers *lanes = show(call, count, halves * pieces);
    show(call, count + halves * pieces, pieces, 8);
    meet_warp();
    double sums[4] = {};
    for (unsigned i = 0; i < count; i++) {
        const unsigned row = lane / 4 * 4, column = (lane % 4 * 2 + i % 2) * 4;
        for (unsigned k = 0; k < depth; k++) {
            const unsigned x = k * a->bytes, from = x % 16 / 4, piece = x / 16;
            sums[i] += a->value(element_of(&lanes[row + from][i / 2 + halves * piece], x % 4, a->bytes)) *
                       b->value(element_of(&lanes[column + from][8 + piece], x % 4, b->bytes));
        }
    }
    meet_warp();
    for (unsigned i = 0; i < count; i++) {
        const size_t before = count + (halves + 1) * pieces + i;
        if (call.instruction->arguments.at(before).operand >= 0) {
            call.set(i, call.get(before));
        } else {
            call.set(i, 0);
        }
        add_to(call, i, whole, sums[i]);
    }
}

/* ---- wgmma ---- */

/* Sums 4 j + 2 h + e of thread t: row 16 (t / 32) + t % 32 / 4 + 8 h, column 8 j + 2 (t % 4) + e. */
struct GroupProduct {
    unsigned columns, depth, thread;
    const Kind *a, *b;
    bool whole, add;
    std::vector<unsigned *> sums;
    double rows[2][32]; /* of A, where it has no tile */

    void run(const Tile &a_tile, const Tile &b_tile) {
        for (unsigned h = 0; h < 2; h++) {
            for (unsigned k = 0; k < depth; k++) {
                rows[h][k] = a->value(a_tile.element(thread / 32 * 16 + thread % 32 / 4 + 8 * h, k, a->bytes));
            }
        }
        run(b_tile);
    }
    void run(const Tile &b_tile) const {
        double column[32];
        for (unsigned j = 0; j < columns / 4; j++) { /* two of each eight */
            for (unsigned k = 0; k < depth; k++) {
                column[k] = b->value(b_tile.element(j / 2 * 8 + thread % 4 * 2 + j % 2, k, b->bytes));
            }
            for (unsigned h = 0; h < 2; h++) {
                unsigned *place = sums[j / 2 * 4 + 2 * h + j % 2];
                double sum = 0;
                for (unsigned k = 0; k < depth; k++) {
                    sum += rows[h][k] * column[k];
                }
                *place = whole ? (unsigned)((add ? (int)*place : 0) + (int)sum)
                               : bits_of((float)((add ? float_of(*place) : 0.0f) + sum));
            }
        }
    }
};

static void end_reading(const Multiplication &of) {
    if (current->lane() == 0) {
        for (const Ranges::iterator &a : of.a) {
            current->block->read.erase(a);
        }
        current->block->read.erase(of.b);
    }
}

/* A in registers: word i of lane l is row l / 4 + 8 (i % 2), the four bytes from 16 (i / 2) + 4 (l % 4) on of its 32.
 * They are read at once; that no one writes them before the group is waited for is not watched. */
static void show_rows(const Call &call, size_t first, GroupProduct &product) {
    const Registers *lanes = show(call, first, 4);
    meet_warp();
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned k = 0; k < product.depth; k++) {
            const unsigned bytes = product.a->bytes, at = k * bytes;
            const unsigned *word = &lanes[current->lane() / 4 * 4 + at % 16 / 4][h + at / 16 * 2];
            product.rows[h][k] = product.a->value(element_of(word, at % 4, bytes));
        }
    }
    meet_warp();
}

/* wgmma.mma_async.sync.aligned.m64nNkK.… {sums}, a, b, p[, 1, 1[, a turned, b turned]]; a is {4 words} where it has no
 * tile, and then not turned. */
static void group_multiply(const Call &call) {
    GroupProduct product;
    kinds_of(call, product.a, product.b);
    const size_t count = call.in_group(0), words = call.in_group(count), b_at = count + words;
    product.columns = shape_of(call, 'n');
    product.depth = shape_of(call, 'k');
    product.thread = current->thread % 128;
    product.whole = call.is("s32");
    product.add = call.get(b_at + 1) != 0;
    for (size_t i = 0; i < count; i++) {
        product.sums.push_back((unsigned *)call.place(i));
    }
    Multiplication multiplication;
    const bool from_registers = words > 1;
    const size_t turned_at = b_at + 4 + !from_registers;
    const Tile b(call.get(b_at), call.count() > turned_at && call.get(turned_at));
    if (from_registers) {
        if (words != 4 || product.a->bytes > 2) {
            fault("wgmma: the emulator knows an A of 16 and 8 bits alone in registers");
        }
        show_rows(call, count, product);
        multiplication.run = [=]() { product.run(b); };
    } else {
        const Tile a(call.get(count), call.count() > turned_at && call.get(turned_at - 1));
        multiplication.run = [=]() mutable { product.run(a, b); };
        if (current->lane() == 0) {
            multiplication.a.push_back(begin_reading(a.range(64)));
        }
    }
    if (current->lane() == 0) {
        multiplication.b = begin_reading(b.range(product.columns));
    }
    if (!late) {
        multiplication.run();
        multiplication.run = nullptr;
    }
    current->multiplications.push_back(std::move(multiplication));
}

static void group_commit(const Call &) {
    current->multiplying.push_back(std::move(current->multiplications));
    current->multiplications.clear();
}

static void group_wait(const Call &call) {
    while (current->multiplying.size() > call.word(0)) {
        for (const Multiplication &of : current->multiplying.front()) {
            if (of.run) {
                of.run();
            }
        }
        meet_warp();
        for (const Multiplication &of : current->multiplying.front()) {
            end_reading(of);
        }
        current->multiplying.pop_front();
    }
    meet_warp();
}

const std::vector<Known> tensor_instructions = {
    {"ldmatrix.", load_matrix},           {"stmatrix.", store_matrix},          {"mma.sync.", multiply},
    {"movmatrix.sync", turn_matrix},      {"wgmma.fence", [](const Call &) {}}, {"wgmma.mma_async", group_multiply},
    {"wgmma.commit_group", group_commit}, {"wgmma.wait_group", group_wait},
};

} // namespace emulator
