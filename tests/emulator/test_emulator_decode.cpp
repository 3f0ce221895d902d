/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_decode [SEED]: attention against a cache in pages (kernels/attention/decode*), emulated (emulator.hpp)
 * in odd and ragged lengths, against plain sums. Twice where blocks count what has arrived. */
#include "emulator/product.hpp"

typedef __nv_bfloat16 bf16;
#include "decode_cores.cu"
#include "decode_mla.cu"
#include "decode_mma.cu"
#include "decode_tma.cu"
#include "decode_wgmma.cu"
namespace few { /* has a shared_address() of its own */
#include "decode_mla_mma.cu"
}

#include "emulator/emulated_test.hpp"

using emulator::Launch;
using emulator::Map;
using emulator::tensor_map;

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
    Map map(std::vector<CACHE> &values, unsigned rows) const {
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

/* `attend(launch)` and, where no block is the last, the launch that joins. */
template <bool LAST, class P, class Attend>
static void check(const char *name, P &problem, bool integer, Launch launch, const Attend &attend) {
    launch.grid = {(unsigned)problem.parts, launch.grid.y, (unsigned)problem.lengths.size()};
    launch.at_once = 4;
    for (int i = 0; i < (LAST ? 2 : 1); i++) {
        memset((void *)problem.out.data(), 0x7f, problem.out.size() * 2);
        std::string fault = emulator::run(launch, seed + i, attend);
        if (fault.empty() && !LAST && problem.parts > 1) {
            Launch join;
            join.grid = {(unsigned)(problem.lengths.size() * problem.group * problem.kv_heads), problem.joins()};
            join.threads = 256;
            join.shared = problem.join_bytes();
            fault = emulator::run(join, seed + i, [&]() { problem.join(integer); });
        }
        fault = fault.empty() ? problem.wrong() : fault;
        tell(name, fault);
        if (!fault.empty()) {
            return;
        }
    }
}

template <typename T, int D, int HEADS, int WARPS, int AHEAD, bool LAST>
static void cores(const char *name, std::vector<int> lengths, int group, int kv_heads, int page, int chunk) {
    Problem<T, T, D> problem(lengths, group, kv_heads, page, chunk);
    Launch launch;
    launch.grid.y = kv_heads * ((group + HEADS - 1) / HEADS);
    launch.threads = WARPS * 32;
    launch.shared = problem.shared(WARPS, HEADS, launch.threads);
    check<LAST>(name, problem, false, launch, [&]() {
        decode_cores<T, D, HEADS, WARPS, AHEAD, LAST>(problem.q.data(), problem.k.data(), problem.v.data(),
                                                      problem.tables.data(), lengths.data(), problem.out.data(),
                                                      problem.split(), problem.arrived.data(), problem.facts(false));
    });
}

template <typename N, typename CACHE, int D, int TILES, int WARPS, bool INTEGER, bool LAST>
static void mma(const char *name, std::vector<int> lengths, int group, int kv_heads, int page, int chunk) {
    Problem<N, CACHE, D> problem(lengths, group, kv_heads, page, chunk);
    Launch launch;
    launch.grid.y = kv_heads * ((group + 8 * TILES - 1) / (8 * TILES));
    launch.threads = WARPS * 32;
    launch.shared = problem.shared(WARPS, 8 * TILES, launch.threads);
    check<LAST>(name, problem, INTEGER, launch, [&]() {
        decode_mma<CACHE, D, TILES, WARPS, 1, INTEGER, LAST>(
            problem.q.data(), problem.k.data(), problem.v.data(), problem.tables.data(), lengths.data(),
            problem.out.data(), problem.split(), problem.arrived.data(), problem.facts(INTEGER));
    });
}

template <typename N, typename CACHE, int D, int TILES, int TOKENS, int BOX, int STAGES, int WARPS, bool INTEGER,
          bool LAST>
static void tma(const char *name, std::vector<int> lengths, int group, int kv_heads, int page, int chunk) {
    Problem<N, CACHE, D> problem(lengths, group, kv_heads, page, chunk);
    const Map k = problem.map(problem.k, BOX), v = problem.map(problem.v, BOX);
    Launch launch;
    launch.grid.y = kv_heads * ((group + 8 * TILES - 1) / (8 * TILES));
    launch.threads = WARPS * 32 + 32;
    launch.shared = std::max<size_t>(problem.shared(WARPS, 8 * TILES, launch.threads),
                                     STAGES * (2 * TOKENS * D * sizeof(CACHE) + 16));
    check<LAST>(name, problem, INTEGER, launch, [&]() {
        decode_tma<CACHE, D, TILES, TOKENS, BOX, STAGES, WARPS, INTEGER, LAST>(
            tensor_map<CUtensorMap>(&k), tensor_map<CUtensorMap>(&v), problem.q.data(), problem.tables.data(),
            lengths.data(), problem.out.data(), problem.split(), problem.arrived.data(), problem.facts(INTEGER));
    });
}

template <typename T, int D, int BOX, int STAGES, int CONSUMERS, bool LAST>
static void many(const char *name, std::vector<int> lengths, int group, int kv_heads, int page, int chunk) {
    Problem<T, T, D> problem(lengths, group, kv_heads, page, chunk);
    const Map k = problem.map(problem.k, BOX), v = problem.map(problem.v, BOX), q = problem.map(problem.q, 64);
    Launch launch;
    launch.grid.y = kv_heads * ((group + 63) / 64);
    launch.threads = CONSUMERS * 128 + 32;
    launch.shared = std::max<size_t>(problem.shared(CONSUMERS, 64, launch.threads),
                                     Group<D, STAGES, CONSUMERS>::BARRIERS_AT + 16 * STAGES + 8);
    check<LAST>(name, problem, false, launch, [&]() {
        decode_wgmma<T, D, BOX, STAGES, CONSUMERS, LAST>(tensor_map<CUtensorMap>(&q), tensor_map<CUtensorMap>(&k),
                                                         tensor_map<CUtensorMap>(&v), problem.tables.data(),
                                                         lengths.data(), problem.out.data(), problem.split(),
                                                         problem.arrived.data(), problem.facts(false));
    });
}

/* Of rows of 576, K of all heads, the first 512 are V. attend(of_keys, problem) leaves parts, which LINES join. */
template <int LINES, class ATTEND>
static void latent(const char *name, std::vector<int> lengths, int heads, int page, int chunk, int left,
                   const ATTEND &attend) {
    Problem<bf16, bf16, 576> of_keys(lengths, heads, 1, page, chunk);
    Problem<bf16, bf16, 512> problem(lengths, heads, 1, page, left);
    memset((void *)problem.out.data(), 0x7f, problem.out.size() * 2);
    std::string fault = attend(of_keys, problem);
    if (fault.empty() && problem.parts > 1) {
        Launch join;
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

/* A cluster leaves a part. */
template <int BOX, int CLUSTER, int PAIR, int LINES>
static void mla(const char *name, std::vector<int> lengths, int heads, int page, int chunk) {
    typedef Mla<BOX, CLUSTER, PAIR> P;
    latent<LINES>(name, lengths, heads, page, chunk, chunk * CLUSTER, [&](auto &of_keys, auto &problem) {
        const Map q = {(unsigned char *)of_keys.q.data(), 2, 576, (long)lengths.size() * heads, 576, 64, 64, 128};
        const Map cache = {
            (unsigned char *)of_keys.k.data(), 2, 576, (long)of_keys.tables.size() * page, 576, 64, BOX, 128};
        Launch launch;
        launch.grid = {(unsigned)(problem.parts * P::BLOCKS), (unsigned)(heads + 63) / 64 / PAIR,
                       (unsigned)lengths.size()};
        launch.cluster = P::BLOCKS;
        launch.threads = 384;
        launch.shared = P::BYTES;
        launch.at_once = 4;
        return emulator::run(launch, seed, [&]() {
            decode_mla<BOX, CLUSTER, PAIR>(tensor_map<CUtensorMap>(&q), tensor_map<CUtensorMap>(&cache),
                                           of_keys.tables.data(), lengths.data(), problem.out.data(), problem.split(),
                                           of_keys.facts(false));
        });
    });
}

template <int BANDS, int STAGES, int LINES>
static void mla_mma(const char *name, std::vector<int> lengths, int heads, int page, int chunk) {
    latent<LINES>(name, lengths, heads, page, chunk, chunk, [&](auto &of_keys, auto &problem) {
        Launch launch;
        launch.grid = {(unsigned)problem.parts, (unsigned)(heads + 16 * BANDS - 1) / (16 * BANDS),
                       (unsigned)lengths.size()};
        launch.threads = 256;
        launch.shared = few::MlaTiles<BANDS, STAGES>::BYTES;
        launch.at_once = 4;
        return emulator::run(launch, seed, [&]() {
            few::decode_mla_mma<BANDS, STAGES>(of_keys.q.data(), of_keys.k.data(), of_keys.tables.data(),
                                               lengths.data(), problem.out.data(), problem.split(),
                                               of_keys.facts(false));
        });
    });
}

static void run_all() {
    cores<bf16, 64, 1, 2, 2, true>("a head", {45}, 2, 1, 16, 48);
    cores<bf16, 128, 4, 2, 2, true>("a group, parts", {77, 1, 33}, 5, 1, 32, 32);
    cores<__half, 256, 2, 1, 1, false>("wide rows, joined by a launch", {50, 17}, 2, 1, 16, 32);
    mma<bf16, bf16, 128, 1, 2, false, true>("mma.sync", {100, 1, 49}, 5, 1, 32, 48);
    mma<__half, __half, 64, 2, 1, false, false>("mma.sync, two tiles", {70, 16}, 11, 1, 16, 32);
    mma<__half, unsigned char, 128, 1, 1, false, true>("mma.sync, e4m3", {61, 40}, 3, 2, 64, 32);
    mma<__half, unsigned char, 128, 1, 1, true, false>("mma.sync, e4m3 by shifts", {61, 40}, 3, 2, 64, 32);
    tma<bf16, bf16, 128, 1, 32, 16, 2, 2, false, true>("TMA, pages shorter than a stage", {150, 1, 65}, 5, 1, 16, 96);
    tma<bf16, bf16, 64, 2, 32, 32, 3, 1, false, false>("TMA, pages longer than a stage", {150, 40}, 9, 2, 64, 64);
    tma<__half, unsigned char, 128, 1, 64, 32, 2, 2, true, true>("TMA, e4m3", {150, 64}, 4, 1, 32, 128);
    many<bf16, 64, 32, 2, 2, true>("wgmma, parts", {200, 1}, 66, 1, 32, 192);
    many<__half, 128, 64, 2, 2, false>("wgmma, two heads of K", {100, 64}, 9, 2, 64, 128);
    mla<64, 1, 1, 1>("MLA", {290}, 5, 64, 320);
    mla<16, 1, 1, 1>("MLA, short pages, parts", {140, 33}, 5, 16, 128);
    mla<32, 2, 1, 2>("MLA, clusters, an idle block", {290, 0, 64}, 3, 32, 64);
    mla_mma<1, 2, 1>("MLA by mma.sync, an empty sequence", {40, 0}, 18, 64, 64);
    mla_mma<4, 3, 1>("MLA by mma.sync, parts", {75}, 66, 32, 64);
    mla<64, 1, 2, 1>("MLA, pairs", {340}, 66, 64, 384);
}
