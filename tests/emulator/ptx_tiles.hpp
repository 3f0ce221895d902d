/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_tiles.hpp - what tensor cores read: kinds of numbers, and operands in shared memory as wgmma and tcgen05 describe
 * them, swizzled by 128 bytes. */
#pragma once
#include "emulator/ptx.hpp"

namespace emulator {

/* ---- kinds of numbers ---- */

/* Of every byte. */
template <float (*VALUE)(unsigned)> const float *all_of() {
    static const std::vector<float> values = []() {
        std::vector<float> all;
        for (unsigned bits = 0; bits < 256; bits++) {
            all.push_back(VALUE(bits));
        }
        return all;
    }();
    return values.data();
}

struct Kind {
    const char *name;
    unsigned bytes;
    double (*value)(unsigned bits);
};
inline const Kind kinds[] = {
    {"bf16", 2, [](unsigned bits) -> double { return float_of_bf16(bits); }},
    {"f16", 2, [](unsigned bits) -> double { return float_of_fp16(bits); }},
    {"tf32", 4, [](unsigned bits) -> double { return float_of_tf32(bits); }},
    {"e4m3", 1, [](unsigned bits) -> double { return all_of<float_of_e4m3>()[bits]; }},
    {"e5m2", 1, [](unsigned bits) -> double { return all_of<float_of_e5m2>()[bits]; }},
    {"s8", 1, [](unsigned bits) -> double { return (signed char)bits; }},
    {"u8", 1, [](unsigned bits) -> double { return (unsigned char)bits; }},
};

/* An operand in shared memory: 8 lines of 128 bytes, swizzled, and the next 8 `stride` bytes on. */
struct Tile {
    const unsigned char *shared;
    unsigned start, leading, stride;
    bool turned; /* lines are k's, 64 rows (columns) wide */

    Tile(unsigned long long bits, bool is_turned)
        : shared(current->block->shared), start((unsigned)(bits & 0x3fff) << 4),
          leading((unsigned)(bits >> 16 & 0x3fff) << 4), stride((unsigned)(bits >> 32 & 0x3fff) << 4),
          turned(is_turned) {
        if (bits >> 62 != 1) {
            fault("wgmma: the emulator knows swizzles of 128 bytes alone");
        }
    }
    unsigned element(unsigned line, unsigned k, unsigned bytes) const {
        const unsigned place = turned ? start + line % 64 * 2 + line / 64 * leading + k % 8 * 128 + k / 8 * stride
                                      : start + line % 8 * 128 + line / 8 * stride + k * bytes;
        const unsigned char *at = shared + (place ^ (place >> 7 & 7) << 4);
        return bytes == 2 ? *(const unsigned short *)at : bytes == 1 ? *at : *(const unsigned *)at;
    }
    Range range(unsigned lines) const {
        const unsigned begin = start / 128 * 128;
        return {begin,
                turned ? begin + (lines - 1) / 64 * leading + stride + 1024 : begin + (lines / 8 - 1) * stride + 1024};
    }
};

/* A tensor core reads there until the range is erased. */
inline Ranges::iterator begin_reading(const Range &range) {
    check_readable(current->block, range, "a tensor core");
    current->block->read.push_front(range);
    return current->block->read.begin();
}

} // namespace emulator
