/* SPDX-License-Identifier: Apache-2.0 */
/* paged_cache.hpp - attention against a cache in pages: problems, and plain sums for what must come out. Included behind
 * emulated_test.hpp and the kernels (decode.cuh, decode_mla_join.cuh). */
#pragma once
#include "emulator/product.hpp"

template <typename T> double read(T value) {
    return (double)(float)value;
}
template <> double read(unsigned char value) {
    return emulator::float_of_e4m3(value);
}

/* Sequences of these lengths over pages in random order. */
template <typename N, typename CACHE, int D> struct Problem {
    int group, kv_heads, page, pages, chunk, parts, longest = 0, wanted = D;
    std::vector<int> lengths, tables;
    std::vector<N> q, out;
    std::vector<CACHE> k, v;
    std::vector<float> scales, sums;
    std::vector<float2> stats;
    std::vector<unsigned> arrived;

    Problem(std::vector<int> of, int of_group, int of_kv_heads, int of_page, int of_chunk)
        : group(of_group), kv_heads(of_kv_heads), page(of_page), chunk(of_chunk), lengths(of) {
        std::mt19937 drawn(seed);
        for (int length : lengths) {
            longest = std::max(longest, length);
        }
        pages = (longest + page - 1) / page;
        parts = (longest + chunk - 1) / chunk;
        for (size_t i = 0; i < lengths.size() * pages; i++) {
            tables.push_back((int)i);
        }
        std::shuffle(tables.begin(), tables.end(), drawn);
        auto number = [&](double width) { return (float)((drawn() % 2048 / 1024.0 - 1.0) * width); };
        for (size_t i = 0; i < lengths.size() * group * kv_heads * D; i++) {
            q.push_back(N(number(4)));
        }
        for (size_t i = 0; i < tables.size() * page * kv_heads * D; i++) {
            k.push_back(sizeof(CACHE) == 1 ? (CACHE)(drawn() % 0x38 | (drawn() & 0x80)) : CACHE(number(1)));
            v.push_back(sizeof(CACHE) == 1 ? (CACHE)(drawn() % 0x38 | (drawn() & 0x80)) : CACHE(number(1)));
        }
        for (size_t s = 0; s < lengths.size(); s++) { /* beyond a sequence lies what shows when it is used */
            for (int token = lengths[s]; token < pages * page; token++) {
                for (int i = 0; i < kv_heads * D; i++) {
                    k[at((int)s, i / D, token) + i % D] = v[at((int)s, i / D, token) + i % D] =
                        sizeof(CACHE) == 1 ? CACHE(0x7f) : CACHE(NAN);
                }
            }
        }
        for (int i = 0; i < 2 * kv_heads; i++) {
            scales.push_back(0.5f + i * 0.25f);
        }
        const size_t rows = lengths.size() * group * kv_heads;
        out.resize(rows * D);
        sums.resize(rows * parts * D + 4);
        stats.resize(rows * parts);
        arrived.resize(rows);
    }
    size_t at(int sequence, int kv_head, int token) const {
        const size_t own = tables[(size_t)sequence * pages + token / page];
        return ((own * kv_heads + kv_head) * page + token % page) * D;
    }
    Decode facts(bool integer) const {
        int shift = 0;
        while (1 << shift < page) {
            shift++;
        }
        const float unit = integer ? 256.0f : 1.0f;
        return {group, kv_heads,
                pages, shift,
                chunk, unit * 1.44269504f / std::sqrt((float)D),
                unit,  sizeof(CACHE) == 1 ? scales.data() : nullptr};
    }
    Parts split() {
        return {stats.data(), sums.data()};
    }
    /* From a multiple of 16 bytes, as device memory is. */
    emulator::Map map(std::vector<CACHE> &values, unsigned rows) const {
        return {(unsigned char *)values.data(), sizeof(CACHE), D,  (long)(values.size() / D), D,
                128 / (unsigned)sizeof(CACHE),  rows,          128};
    }
    std::string wrong() const {
        for (size_t row = 0; row < lengths.size() * group * kv_heads; row++) {
            const int sequence = (int)(row / (group * kv_heads)), kv_head = (int)(row / group % kv_heads);
            std::vector<double> weights, want(D);
            double all = 0;
            for (int token = 0; token < lengths[sequence]; token++) {
                double score = 0;
                for (int i = 0; i < D; i++) {
                    score += read(q[row * D + i]) * read(k[at(sequence, kv_head, token) + i]);
                }
                weights.push_back(std::exp(score / std::sqrt((double)D) * (sizeof(CACHE) == 1 ? scales[kv_head] : 1)));
                all += weights.back();
            }
            for (int token = 0; token < lengths[sequence]; token++) {
                for (int i = 0; i < D; i++) {
                    want[i] += weights[token] / all * read(v[at(sequence, kv_head, token) + i]) *
                               (sizeof(CACHE) == 1 ? scales[kv_heads + kv_head] : 1);
                }
            }
            for (int i = 0; i < wanted; i++) {
                const double got = read(out[row * D + i]);
                if (!(std::fabs(got - want[i]) <= 0.01 * (std::fabs(want[i]) + 0.3))) {
                    return "row " + std::to_string(row) + ", element " + std::to_string(i) + " is " +
                           std::to_string(got) + ", not " + std::to_string(want[i]);
                }
            }
        }
        for (unsigned count : arrived) {
            if (count != 0) {
                return "a counter is left at " + std::to_string(count);
            }
        }
        return "";
    }
    unsigned joins() const {
        return (D + 127) / 128;
    }
    size_t join_bytes() const {
        const int width = std::min(D, 128);
        return 4 * (parts + (256 / (width / 4) + 1) * width);
    }
    void join(bool integer) {
        decode_join<N, D>(lengths.data(), split(), out.data(), facts(integer), parts);
    }
    size_t shared(int warps, int heads, int threads) const {
        return 4 * std::max<size_t>((size_t)warps * heads * (D + 4) + 1, parts + (threads / (D / 4) + 1) * D);
    }
};

/* Of rows of 576, K of all heads, the first 512 are V. attend(of_keys, problem) leaves parts, which LINES join. */
template <int LINES, class ATTEND>
static void latent(const char *name, std::vector<int> lengths, int heads, int page, int chunk, int left,
                   const ATTEND &attend) {
    Problem<__nv_bfloat16, __nv_bfloat16, 576> of_keys(lengths, heads, 1, page, chunk);
    Problem<__nv_bfloat16, __nv_bfloat16, 512> problem(lengths, heads, 1, page, left);
    memset((void *)problem.out.data(), 0x7f, problem.out.size() * 2);
    std::string fault = attend(of_keys, problem);
    if (fault.empty() && problem.parts > 1) {
        emulator::Launch join;
        join.grid = {(unsigned)(lengths.size() * heads)};
        join.threads = 128 * LINES;
        fault = emulator::run(join, seed, [&]() {
            mla_join<LINES>(lengths.data(), problem.split(), problem.out.data(), problem.facts(false), problem.parts);
        });
    }
    for (auto &row : of_keys.v) {
        row = of_keys.k[&row - of_keys.v.data()];
    }
    of_keys.out.clear();
    for (size_t row = 0; row < lengths.size() * heads; row++) {
        of_keys.out.insert(of_keys.out.end(), problem.out.begin() + row * 512, problem.out.begin() + (row + 1) * 512);
        of_keys.out.resize((row + 1) * 576);
    }
    of_keys.wanted = 512;
    tell(name, fault.empty() ? of_keys.wrong() : fault);
}

/* P: the kernel's MlaTiles. */
template <class P, int LINES, class KERNEL>
static void mla_mma(const char *name, std::vector<int> lengths, int heads, int page, int chunk, const KERNEL &kernel) {
    latent<LINES>(name, lengths, heads, page, chunk, chunk, [&](auto &of_keys, auto &problem) {
        emulator::Launch launch;
        launch.grid = {(unsigned)problem.parts, parts_of(heads, P::HEADS), (unsigned)lengths.size()};
        launch.threads = 256;
        launch.shared = P::BYTES;
        launch.at_once = 4;
        return emulator::run(launch, seed, [&]() {
            kernel(of_keys.q.data(), of_keys.k.data(), of_keys.tables.data(), lengths.data(), problem.out.data(),
                   problem.split(), of_keys.facts(false));
        });
    });
}
