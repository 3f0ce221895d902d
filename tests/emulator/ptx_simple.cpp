/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_simple.cpp - registers, loads and stores, barriers of threads. */
#include "emulator/ptx.hpp"

#include <cstring>

namespace emulator {

static void do_nothing(const Call &) {
}

static void move(const Call &call) {
    if (call.in_group(0) == 2) { /* a word's halves */
        call.set(0, call.word(2) & 0xffff);
        call.set(1, call.word(2) >> 16);
        return;
    }
    const Argument &from = call.instruction->arguments.at(1);
    call.set(0, from.name == "%cluster_ctarank" || from.name == "%%cluster_ctarank" ? current->block->rank
                : from.name == "%%tid.x"                                            ? current->thread
                                                                                    : call.get(1));
}

static void set_predicate(const Call &call) {
    call.set(0, call.is("ne") ? call.get(1) != call.get(2) : call.get(1) == call.get(2));
}

static void select(const Call &call) {
    call.set(0, call.get(3) ? call.get(1) : call.get(2));
}

/* cvt.rn.bf16x2.f32 d, high, low */
static void convert(const Call &call) {
    const float first = float_of(call.word(1));
    if (call.is("tf32")) { /* rna: to nearest, ties away from zero */
        call.set(0, (call.word(1) + 0x1000) & ~0x1fffu);
        return;
    }
    if (call.is("e4m3x2") && call.is("f32")) {
        call.set(0, (unsigned)e4m3_of(first) << 8 | e4m3_of(float_of(call.word(2))));
        return;
    }
    if (call.is("e4m3x2")) {
        call.set(0, (unsigned)fp16_of(float_of_e4m3(call.word(1) >> 8 & 0xff)) << 16 |
                        fp16_of(float_of_e4m3(call.word(1) & 0xff)));
        return;
    }
    const float second = float_of(call.word(2));
    if (call.is("bf16x2")) {
        call.set(0, (unsigned)bf16_of(first) << 16 | bf16_of(second));
    } else if (call.is("f16x2")) {
        const bool above = call.is("relu"); /* zeros in place of what is below */
        call.set(0, (unsigned)fp16_of(above ? std::fmax(first, 0.0f) : first) << 16 |
                        fp16_of(above ? std::fmax(second, 0.0f) : second));
    } else {
        fault("the emulator does not know the conversion %s", call.instruction->name.c_str());
    }
}

/* max.NaN.f32 to, a, b: with NaN where either is, else the other one. */
static void maximum(const Call &call) {
    const float a = float_of(call.word(1)), b = float_of(call.word(2));
    const bool not_a_number = call.is("NaN") && (std::isnan(a) || std::isnan(b));
    call.set_float(0, not_a_number ? (float)NAN : std::fmax(a, b));
}

static void tangent(const Call &call) {
    call.set_float(0, std::tanh(float_of(call.word(1))));
}

static void power_of_two(const Call &call) {
    call.set_float(0, std::exp2(float_of(call.word(1))));
}

/* sub.f16x2 to, a, b; fma.rn.f16x2 and fma.rn.bf16x2 to, a, b, c: rounded once. */
static void compute_pair(const Call &call) {
    const bool half = call.is("f16x2"), fused = call.is("rn");
    unsigned to = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        double value[3] = {};
        for (int i = 0; i < (fused ? 3 : 2); i++) {
            const unsigned bits = call.word(i + 1) >> shift & 0xffff;
            value[i] = half ? float_of_fp16(bits) : float_of_bf16(bits);
        }
        const float result = (float)(fused ? value[0] * value[1] + value[2] : value[0] - value[1]);
        to |= (unsigned)(half ? fp16_of(result) : bf16_of(result)) << shift;
    }
    call.set(0, to);
}

/* lop3.b32 to, a, b, c, table: bit 4 a + 2 b + c of the table, for each bit. */
static void combine(const Call &call) {
    unsigned to = 0;
    for (int i = 0; i < 32; i++) {
        const unsigned at = (call.word(1) >> i & 1) * 4 + (call.word(2) >> i & 1) * 2 + (call.word(3) >> i & 1);
        to |= (call.word(4) >> at & 1) << i;
    }
    call.set(0, to);
}

static unsigned width_of(const Call &call) {
    return call.is("b64") || call.is("u64") || call.is("f64") || call.is("s64") ? 8
           : call.is("b16") || call.is("u16")                                   ? 2
                                                                                : 4;
}

/* Whoever finds the same in the same place again is waiting for another thread to change it. Of a word of 64 bits the
 * upper half is looked at: what tells whether the lower one is there. */
static void acquire(const unsigned *from) {
    if (current->acquired == from && current->acquired_value == *from) {
        wait_while(from, ~0u, *from, "a change in global memory", 0);
    }
    current->acquired = from;
    current->acquired_value = *from;
}

/* ld.shared.v2.f64 {a, b}, [from]; of vectors the place is a multiple of all bytes. */
static void load(const Call &call) {
    const unsigned count = (unsigned)call.in_group(0), width = width_of(call);
    const unsigned char *from = (const unsigned char *)call.get(count);
    if (call.is("shared") || call.is("shared::cta") || call.is("shared::cluster")) {
        Block *block = block_at(call.word(count));
        check_shared(block, offset_at(call.word(count)), count * width, count * width);
        if (block->alive == 0) {
            fault("a load from block %u, which has ended", block->number);
        }
        from = block->shared + offset_at(call.word(count));
    } else if (call.is("acquire") || call.is("relaxed")) {
        acquire((const unsigned *)from + (width == 8 ? 1 : 0));
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned long long bits = 0;
        memcpy(&bits, from + i * width, width);
        call.set(i, bits);
    }
}

static void store(const Call &call) {
    const unsigned count = (unsigned)call.in_group(1), width = width_of(call);
    unsigned char *to = (unsigned char *)call.get(0);
    if (call.is("shared") || call.is("shared::cta")) {
        check_shared(current->block, call.word(0), count * width, count * width);
        note_write(call.word(0), count * width);
        to = current->block->shared + call.word(0);
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned long long bits = call.get(i + 1);
        memcpy(to + i * width, &bits, width);
    }
}

/* red.relaxed.gpu.global.v4.f32.add [to], {a, b, c, d} */
static void reduce(const Call &call) {
    float *to = (float *)call.get(0);
    if (!call.is("add") || !call.is("f32") || (size_t)to % (4 * call.in_group(1))) {
        fault("%s: the emulator knows sums of fp32, of vectors at multiples of their size",
              call.instruction->name.c_str());
    }
    for (size_t i = 0; i < call.in_group(1); i++) {
        to[i] += float_of(call.word(i + 1));
    }
}

/* bar.sync a, threads: all of the block where no number is given. */
static unsigned threads_of(const Call &call) {
    const unsigned barrier = call.word(0), threads = call.count() > 1 ? call.word(1) : current->block->threads;
    if (barrier >= BARRIERS || threads == 0 || threads % 32) {
        fault("a named barrier %u of %u threads", barrier, threads);
    }
    return threads;
}
static void named_sync(const Call &call) {
    meet(current->block->named[call.word(0) % BARRIERS], threads_of(call), "the named barrier", call.word(0));
}
static void named_arrive(const Call &call) {
    arrive(current->block->named[call.word(0) % BARRIERS], threads_of(call));
}

static void cluster_arrive(const Call &) {
    Meeting &meeting = *current->block->cluster_meeting;
    current->cluster_turn = meeting.turn;
    arrive(meeting, current->block->threads * (unsigned)current->block->cluster->size());
}
static void cluster_wait(const Call &) {
    wait_while(&current->block->cluster_meeting->turn, ~0u, current->cluster_turn, "its cluster", 0);
}

static void fence_proxy(const Call &) {
    current->unfenced.clear();
}

const std::vector<Known> simple_instructions = {
    {"mov.", move},
    {"setp.", set_predicate},
    {"selp.", select},
    {"cvt.", convert},
    {"lop3.b32", combine},
    {"max.f32", maximum},
    {"max.NaN.f32", maximum},
    {"tanh.approx.f32", tangent},
    {"ex2.approx.", power_of_two},
    {"sub.f16x2", compute_pair},
    {"fma.rn.f16x2", compute_pair},
    {"fma.rn.bf16x2", compute_pair},
    {"ld.", load},
    {"st.", store},
    {"red.", reduce},
    {"bar.sync", named_sync},
    {"bar.arrive", named_arrive},
    {"barrier.sync", named_sync},
    {"barrier.arrive", named_arrive},
    {"bar.warp.sync", [](const Call &) { meet_warp(); }},
    {"barrier.cluster.arrive", cluster_arrive},
    {"barrier.cluster.wait", cluster_wait},
    {"fence.proxy.async", fence_proxy},
    {"fence.", do_nothing},
    {"membar.", do_nothing},
    {"setmaxnreg.", do_nothing},
    {"griddepcontrol.", do_nothing},
    {"prefetch", do_nothing},
    {"cp.async.bulk.prefetch.", do_nothing},
    {"nanosleep", do_nothing},
};

} // namespace emulator
