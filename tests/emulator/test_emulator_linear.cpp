/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_linear [SEED]: layers of narrow weights, in odd sizes, by every kernel of kernels/matmul/linear_*.cu.
 */
#include "emulator/device.hpp"

#include <random>
#include <string>
#include <vector>

#include "linear_early.cu"
#include "linear_early_wide.cu"
#include "linear_weights.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;

typedef __nv_bfloat16 bf16;
typedef __half fp16;

static constexpr int parts_of_1024(int bytes) {
    return (bytes + 1023) / 1024 * 1024;
}

/* Codes of every value, scales that are powers of two, and what y must be. */
template <class F, typename T> struct Problem {
    int m, n, k;
    std::vector<unsigned char> w, zeros, packed;
    std::vector<fp16> scales;
    std::vector<T> x, y;
    std::vector<float> parts;
    std::vector<unsigned> counters;

    Problem(int tokens, int rows, int depth) : m(tokens), n(rows), k(depth) {
        std::mt19937 drawn(seed);
        w.resize((size_t)n * (F::BITS == 4 ? (k + 1) / 2 : (size_t)k * F::BITS / 8));
        const int groups = F::GROUP ? (k + F::GROUP - 1) / (F::GROUP ? F::GROUP : 1) : 1;
        for (unsigned char &byte : w) {
            byte = (unsigned char)drawn();
            byte = F::BITS == 8 && (byte & 0x7f) == 0x7f ? 0x3a : byte; /* no NaN in e4m3 */
        }
        for (size_t i = 0; F::BITS == 16 && i < w.size() / 2; i++) {
            reinterpret_cast<T *>(w.data())[i] = T((float)((int)(drawn() % 33) - 16));
        }
        for (int i = 0; i < n * groups; i++) {
            scales.push_back(fp16(std::ldexp(1.0f, (int)(drawn() % 3) - 5)));
            zeros.push_back((unsigned char)(drawn() % 16));
        }
        for (int i = 0; i < m * k; i++) {
            x.push_back(T((float)((int)(drawn() % 9) - 4)));
        }
        y.resize((size_t)m * n);
        packed.resize((size_t)parts_of(n, 16) * parts_of(k, Record<F>::K) * Record<F>::BYTES + 16, 0xff);
    }

    double weight(int row, int i) const {
        const unsigned code = code_at<F>(w.data(), row, i, k);
        const int group = F::GROUP ? row * (int)groups_of<F>(k) + i / (F::GROUP ? F::GROUP : 1) : row;
        const double scale = (double)(float)scales[group];
        return F::BITS == 16 ? (double)(float)reinterpret_cast<const T *>(w.data())[(size_t)row * k + i]
               : std::is_same<F, E4m3>::value ? emulator::float_of_e4m3(code) * scale
               : F::BITS == 8                 ? (double)(signed char)code * scale
                                              : ((double)code - (F::ZEROS ? zeros[group] : 8)) * scale;
    }

    /* "" or the first element that is wrong: by more than sums of fp32 and one rounding explain. */
    std::string wrong() const {
        for (int token = 0; token < m; token++) {
            for (int row = 0; row < n; row++) {
                double sum = 0, size = 0;
                for (int i = 0; i < k; i++) {
                    const double term = weight(row, i) * (double)(float)x[(size_t)token * k + i];
                    sum += term;
                    size += std::fabs(term);
                }
                const double got = (double)(float)y[(size_t)token * n + row];
                const double rounding = std::is_same<T, bf16>::value ? 0x1p-8 : 0x1p-11;
                if (!(std::fabs(got - sum) <= rounding * std::fabs(sum) + 0x1p-20 * size)) {
                    return "y[" + std::to_string(token) + "][" + std::to_string(row) + "] is " + std::to_string(got) +
                           ", not " + std::to_string(sum);
                }
            }
        }
        return "";
    }

    void forget(int tokens, int rows, int split) {
        memset((void *)y.data(), 0x7f, y.size() * sizeof(T));
        const size_t tiles = (size_t)parts_of(m, tokens) * parts_of(n, rows);
        parts.assign(tiles * split * tokens * rows, 1e30f);
        counters.resize(tiles, 0);
    }

    void pack() {
        Launch launch;
        launch.grid = {parts_of(k, Record<F>::K), parts_of(n, 16)};
        launch.threads = 64;
        tell("linear_pack", emulator::run(launch, seed, [&] {
                 linear_pack<F>(w.data(), scales.data(), zeros.data(), packed.data(), n, k);
             }));
    }

    void tell(const char *name, const std::string &fault) const {
        ::tell(std::string(name) + ", " + std::to_string(F::BITS) + " bits, m=" + std::to_string(m) +
                   " n=" + std::to_string(n) + " k=" + std::to_string(k),
               fault);
    }

    /* Runs it twice, since counters must be left as they were found. */
    template <class Body>
    void check(const char *name, const Launch &launch, int tokens, int rows, int split, const Body &body) {
        for (int i = 0; i < 2; i++) {
            forget(tokens, rows, split);
            const std::string fault = emulator::run(launch, seed + i, body);
            tell(name, fault.empty() ? wrong() : fault);
        }
    }
};

template <class F, typename T> static void naive(int m, int n, int k) {
    Problem<F, T> p(m, n, k);
    Launch launch;
    launch.grid = {parts_of(n, 2), (unsigned)m};
    launch.threads = 64;
    p.check("linear_naive", launch, 1, 1, 1,
            [&] { linear_naive<F, T, 2>(p.w.data(), p.scales.data(), p.zeros.data(), p.x.data(), p.y.data(), n, k); });
}

template <class F, typename T, int SPLIT> static void wide(int m, int n, int k) {
    constexpr int ROWS = 2;
    Problem<F, T> p(m, n, k);
    Launch launch;
    launch.grid = {parts_of(n, ROWS) * SPLIT, (unsigned)m};
    launch.threads = 64;
    launch.shared = 64;
    p.check("linear_wide", launch, 1, ROWS, SPLIT, [&] {
        linear_wide<F, T, 64, ROWS, 2, SPLIT, true>(p.w.data(), p.scales.data(), p.zeros.data(), p.x.data(), p.y.data(),
                                                    p.parts.data(), p.counters.data(), m, n, k);
    });
}

template <class F, typename T, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int AHEAD, int SPLIT>
static void registers(int m, int n, int k) {
    constexpr int ROWS = WARPS_N * DOWN * 16;
    Problem<F, T> p(m, n, k);
    p.pack();
    Launch launch;
    launch.grid = {parts_of(n, ROWS) * SPLIT, parts_of(m, BLOCK_M)};
    launch.threads = 32 * WARPS_N * WARPS_K;
    launch.shared = 4 * WARPS_K * BLOCK_M * (ROWS + 4);
    p.check("linear_registers", launch, BLOCK_M, ROWS, SPLIT, [&] {
        if (k % 8 == 0) {
            linear_registers<F, T, true, BLOCK_M, DOWN, WARPS_N, WARPS_K, AHEAD, SPLIT, true>(
                p.packed.data(), p.scales.data(), p.x.data(), p.y.data(), p.parts.data(), p.counters.data(), m, n, k);
        } else {
            linear_registers<F, T, false, BLOCK_M, DOWN, WARPS_N, WARPS_K, AHEAD, SPLIT, true>(
                p.packed.data(), p.scales.data(), p.x.data(), p.y.data(), p.parts.data(), p.counters.data(), m, n, k);
        }
    });
}

template <class F, typename T, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int CHUNK, int STAGES, int SPLIT>
static void bulk(int m, int n, int k) {
    constexpr int ROWS = WARPS_N * DOWN * 16;
    Problem<F, T> p(m, n, k);
    p.pack();
    Launch launch;
    launch.grid = {parts_of(n, ROWS) * SPLIT, parts_of(m, BLOCK_M)};
    launch.threads = 32 * WARPS_N * WARPS_K;
    launch.shared = std::max(4 * WARPS_K * BLOCK_M * (ROWS + 4),
                             WARPS_N * WARPS_K * STAGES * (DOWN * CHUNK * (int)Record<F>::BYTES + 8));
    p.check("linear_bulk", launch, BLOCK_M, ROWS, SPLIT, [&] {
        linear_bulk<F, T, false, BLOCK_M, DOWN, WARPS_N, WARPS_K, CHUNK, STAGES, SPLIT, true>(
            p.packed.data(), p.scales.data(), p.x.data(), p.y.data(), p.parts.data(), p.counters.data(), m, n, k);
    });
}

template <class F, typename T, int BLOCK_M, int BLOCK_K, int STAGES, int CONSUMERS, int IN_TURN, int CLUSTER_N,
          int SPLIT>
static void widened(int m, int n, int k) {
    constexpr int ROWS = CONSUMERS * 64, CLUSTER = CLUSTER_N * SPLIT;
    Problem<F, T> p(m, n, k);
    p.packed.assign((size_t)parts_of(n, 64) * parts_of(k, 256) * (256 / Record<F>::K) * 4 * Record<F>::BYTES, 0xff);
    Launch launch;
    launch.grid = {parts_of(k, 256) * (256 / Record<F>::K), 4 * parts_of(n, 64)};
    launch.threads = 64;
    p.tell("linear_pack_64", emulator::run(launch, seed, [&] {
               linear_pack_64<F>(p.w.data(), p.scales.data(), p.zeros.data(), p.packed.data(), n, k);
           }));
    const emulator::Map map = {(unsigned char *)p.x.data(), 2, k, m, k, 64, BLOCK_M / CLUSTER_N, 128};
    constexpr int STAGE =
        BLOCK_M * BLOCK_K * 2 + parts_of_1024(CONSUMERS * (BLOCK_K / Record<F>::K) * 4 * Record<F>::BYTES);
    launch.grid = {parts_of(n, ROWS * CLUSTER_N) * CLUSTER, parts_of(m, BLOCK_M)};
    launch.threads = CONSUMERS * IN_TURN * 128 + 32;
    launch.shared = STAGES * (STAGE + 16);
    launch.cluster = CLUSTER;
    p.check("linear_wgmma", launch, BLOCK_M, ROWS, 1, [&] {
        linear_wgmma<F, T, BLOCK_M, BLOCK_K, STAGES, CONSUMERS, IN_TURN, CLUSTER_N, SPLIT, 1>(
            p.packed.data(), p.scales.data(), emulator::tensor_map<CUtensorMap>(&map), p.y.data(), m, n, k);
    });
}

template <class F, typename T, int BLOCK_M, int DOWN, int WARPS_N, int WARPS_K, int STAGES, int X_STAGES, int SPLIT,
          bool FETCHED = false>
static void early(int m, int n, int k) {
    typedef Record<F> R;
    constexpr int ROWS = WARPS_N * DOWN * 16;
    constexpr bool TINY = F::BITS == 4 && !F::ZEROS && std::is_same<T, fp16>::value;
    const unsigned records = parts_of(k, R::K), blocks_of_16 = parts_of(n, 16 * DOWN) * DOWN;
    Problem<F, T> p(m, n, k);
    p.packed.assign((size_t)blocks_of_16 * records * R::BYTES, 0xff);
    Launch launch;
    launch.grid = {records, blocks_of_16};
    launch.threads = 64;
    p.tell("linear_pack_pieces", emulator::run(launch, seed, [&] {
               linear_pack_pieces<F, DOWN, TINY>(p.w.data(), p.scales.data(), p.zeros.data(), p.packed.data(), n, k);
           }));
    const emulator::Map map = {(unsigned char *)p.x.data(), 2, k, m, k, 64, BLOCK_M, 128};
    launch.grid = {parts_of(n, ROWS) * SPLIT, parts_of(m, BLOCK_M)};
    launch.threads = 32 * WARPS_N * WARPS_K;
    launch.cluster = SPLIT;
    launch.shared =
        std::max(WARPS_K * X_STAGES * (BLOCK_M * 2 * R::K + 16) + WARPS_N * WARPS_K * STAGES * (DOWN * R::BYTES + 8),
                 4 * WARPS_K * BLOCK_M * (ROWS + 8));
    p.check(FETCHED ? "linear_early_fetched" : "linear_early", launch, BLOCK_M, ROWS, 1, [&] {
        constexpr int AHEAD = X_STAGES == 2 ? -1 : 1;
        const auto kernel =
            FETCHED ? linear_early_fetched<F, T, BLOCK_M, DOWN, WARPS_N, WARPS_K, STAGES, X_STAGES, SPLIT, AHEAD, TINY>
                    : linear_early<F, T, BLOCK_M, DOWN, WARPS_N, WARPS_K, STAGES, X_STAGES, SPLIT, AHEAD, TINY>;
        kernel(p.packed.data(), p.scales.data(), emulator::tensor_map<CUtensorMap>(&map), p.y.data(), m, n, k);
    });
}

template <class F, typename T, int BLOCK_M, int BLOCK_K, int CREWS, int STAGES, int X_STAGES, int TURNS>
static void early_wide(int m, int n, int k) {
    typedef Record<F> R;
    const unsigned records = parts_of(k, BLOCK_K) * (BLOCK_K / R::K), rows = parts_of(n, 64);
    Problem<F, T> p(m, n, k);
    p.packed.assign((size_t)rows * 4 * records * R::BYTES, 0xff);
    Launch launch;
    launch.grid = {records, rows * 4};
    launch.threads = 64;
    p.tell("linear_pack_wide", emulator::run(launch, seed, [&] {
               linear_pack_wide<F, BLOCK_K>(p.w.data(), p.scales.data(), p.zeros.data(), p.packed.data(), n, k);
           }));
    const emulator::Map map = {(unsigned char *)p.x.data(), 2, k, m, k, 64, BLOCK_M, 128};
    launch.grid = {rows, parts_of(m, BLOCK_M)};
    launch.threads = CREWS * 128 + 64;
    launch.shared = X_STAGES * (BLOCK_M * 2 * BLOCK_K + 8) + STAGES * (BLOCK_K / R::K * 4 * R::BYTES + 16);
    p.check("linear_early_wide", launch, BLOCK_M, 64, 1, [&] {
        linear_early_wide<F, T, BLOCK_M, BLOCK_K, CREWS, STAGES, X_STAGES, TURNS, 0>(
            p.packed.data(), p.scales.data(), emulator::tensor_map<CUtensorMap>(&map), p.y.data(), m, n, k);
    });
}

/* Two kernels: parts, then what adds them up. */
template <class F, typename T> static void two_kernels(int m, int n, int k) {
    constexpr int SPLIT = 3, ROWS = 32;
    Problem<F, T> p(m, n, k);
    p.pack();
    p.forget(8, ROWS, SPLIT);
    Launch launch;
    launch.grid = {parts_of(n, ROWS) * SPLIT, parts_of(m, 8)};
    launch.threads = 64;
    launch.shared = 4 * 8 * (ROWS + 4);
    p.tell("parts", emulator::run(launch, seed, [&] {
               linear_registers<F, T, false, 8, 1, 2, 1, 1, SPLIT, false>(p.packed.data(), p.scales.data(), p.x.data(),
                                                                          p.y.data(), p.parts.data(), nullptr, m, n, k);
           }));
    launch.grid = {parts_of(n, ROWS), parts_of(m, 8)};
    launch.threads = 128;
    const std::string fault =
        emulator::run(launch, seed, [&] { linear_finish<T, 8, ROWS, SPLIT>(p.parts.data(), p.y.data(), m, n); });
    p.tell("linear_finish", fault.empty() ? p.wrong() : fault);
}

/* By each way of widening. */
template <class F, typename T> static void format() {
    naive<F, T>(2, 3, 131);
    wide<F, T, 1>(1, 3, 1024 + 160);
    registers<F, T, 8, 1, 1, 2, 2, 1>(3, 21, 277);
    bulk<F, T, 8, 1, 2, 1, 1, 2, 1>(5, 35, 420);
}

#ifndef PLANTED

static void run_all() {
    format<Plain, fp16>();
    format<Plain, bf16>();
    format<E4m3, fp16>();
    format<E4m3, bf16>();
    format<Int8, fp16>();
    format<Int8, bf16>();
    format<Int4<128, false>, fp16>();
    format<Int4<32, true>, bf16>();
    format<Int4<64, true>, fp16>();
    wide<Int4<128, true>, fp16, 3>(1, 3, 2080);
    registers<Int4<32, false>, fp16, 16, 2, 2, 2, 1, 2>(19, 67, 520);
    registers<Plain, bf16, 8, 1, 1, 4, 4, 2>(1, 16, 72); /* more warps than records */
    bulk<E4m3, fp16, 16, 2, 2, 2, 2, 2, 2>(19, 67, 1037);
    bulk<Int4<32, true>, fp16, 8, 2, 1, 2, 2, 2, 1>(1, 40, 2053);
    bulk<Plain, fp16, 64, 1, 1, 1, 1, 4, 2>(70, 16, 397);
    two_kernels<Int8, bf16>(9, 67, 397);
    early<Int4<128, false>, fp16, 8, 4, 1, 2, 2, 1, 2>(1, 150, 1416);
    early<Int4<128, false>, fp16, 16, 2, 2, 2, 2, 2, 1>(19, 67, 2056);
    early<Int4<32, true>, bf16, 16, 4, 2, 1, 3, 1, 1>(9, 130, 520);
    early<E4m3, bf16, 8, 2, 1, 2, 2, 2, 1>(3, 40, 392);
    early<Int8, fp16, 16, 4, 2, 2, 2, 1, 2>(13, 67, 840);
    early<Int4<128, false>, fp16, 16, 4, 1, 2, 2, 1, 1, true>(19, 67, 1416);
    early_wide<Int4<128, false>, fp16, 16, 256, 2, 4, 2, 2>(19, 67, 2824);
    early_wide<Int4<32, true>, bf16, 8, 128, 3, 6, 3, 1>(3, 67, 1032);
    early_wide<Int4<64, true>, fp16, 16, 128, 2, 2, 2, 1>(16, 130, 520);
    widened<Plain, fp16, 8, 128, 4, 1, 2, 1, 1>(5, 67, 392);
    widened<E4m3, bf16, 16, 128, 2, 2, 1, 2, 2>(19, 136, 520);
    widened<Int8, fp16, 16, 128, 2, 1, 1, 2, 1>(3, 100, 264);
    widened<Int4<128, false>, fp16, 64, 256, 2, 1, 2, 1, 2>(61, 70, 1032);
    widened<Int4<32, true>, bf16, 8, 128, 2, 1, 1, 1, 4>(3, 67, 520);
    widened<Int4<64, true>, fp16, 8, 128, 6, 1, 3, 1, 1>(3, 67, 776);
}

#else

static void run_all() {
    bulk<E4m3, fp16, 8, 1, 2, 1, 1, 2, 1>(5, 35, 1300);
}

#endif
