/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_emulator [SEED]: the matrix products of kernels/matmul, emulated (emulator.hpp) in odd sizes, against plain
 * ones. Compiled with PLANTED, the kernels have a fault, and the test is that some seed finds it.
 */
#include "emulator/product.hpp"

typedef __nv_bfloat16 bf16;
#define ORDER_rows 1
#define ORDER_columns 2
#define ORDER_hilbert 3
#define ORDER ORDER_rows

#include "matmul_fp8_ahead.cu"
#include "matmul_fp8_scaled.cu"
#include "matmul_tcgen05.cu"
#include "matmul_wgmma.cu"
#include "matmul_wgmma_epilogue.cu"
#include "matmul_wgmma_roles.cu"
#include "tcgen05_rate.cu"
namespace mma {
#include "matmul_dmma.cu"
#include "matmul_dmma_turns.cu"
#include "matmul_mma.cu"
#include "matmul_mma_boxes.cu"
#include "matmul_mma_finish.cu"
#include "matmul_mma_roles.cu"
#include "matmul_mma_scaled.cu"
#include "matmul_mma_turns.cu"
#include "mma_port.cu"
} // namespace mma

#include "emulator/emulated_test.hpp"

using emulator::Launch;
using emulator::Map;
using emulator::Product;
using emulator::tensor_map;

template <typename T, typename C> std::string outcome(const std::string &fault, const Product<T, C> &of, bool once) {
    return fault.empty() ? of.wrong(once) : fault;
}

/* `clusters` stay and go from tile to tile. */
template <typename T, typename C, bool A_BY_K, bool B_BY_K, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES,
          int CONSUMERS, int CLUSTER_M, int CLUSTER_N, bool PINGPONG, int LAG, int IN_FLIGHT, int STORES>
static void roles(const char *name, int m, int n, int k, unsigned clusters) {
    typedef Plan<T, C, A_BY_K, B_BY_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 8, PINGPONG,
                 LAG, IN_FLIGHT, STORES>
        P;
    Product<T, C> product(m, n, k, seed, A_BY_K, B_BY_K);
    product.plant();
    const Map a = product.a_map(P::TileA::BOX_LINES), b = product.b_map(P::TileB::BOX_LINES);
    const Map c = product.c_map(P::PIECE_N, 64);
    const bool boxes = n * sizeof(C) % 16 == 0;
    Launch launch;
    launch.cluster = CLUSTER_M * CLUSTER_N;
    launch.grid = {clusters * launch.cluster};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = P::BARRIERS_AT + 16 * STAGES;
    const std::string fault = emulator::run(launch, seed, [&]() {
        matmul_wgmma_roles<T, C, A_BY_K, B_BY_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 8,
                           PINGPONG, LAG, IN_FLIGHT, STORES>(tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b),
                                                             tensor_map<CUtensorMap>(&c), product.c.data(), m, n, k,
                                                             boxes);
    });
    tell(name, outcome(fault, product, STORES > 0 && boxes));
}

/* `after` is what the epilogue does to a sum, of which `extra` is read; C may differ by a part `tolerance`. */
template <typename C, template <class> class EPILOGUE, int BLOCK_M, int BLOCK_N, int STAGES, int CONSUMERS,
          int CLUSTER_N, bool PINGPONG, int LAG, int STORES, typename Extra, class After>
static void epilogue(const char *name, int m, int n, int k, const std::vector<Extra> &extra, double tolerance,
                     const After &after) {
    typedef Plan<bf16, C, true, true, BLOCK_M, BLOCK_N, 64, STAGES, CONSUMERS, 1, CLUSTER_N, 8, PINGPONG, LAG, 1,
                 STORES>
        P;
    Product<bf16, C> product(m, n, k, seed);
    const Map a = product.a_map(P::TileA::BOX_LINES), b = product.b_map(P::TileB::BOX_LINES);
    const Map c = product.c_map(P::PIECE_N, 64);
    const bool boxes = n * sizeof(C) % 16 == 0;
    Launch launch;
    launch.cluster = CLUSTER_N;
    launch.grid = {launch.cluster};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = P::BARRIERS_AT + 16 * STAGES + CONSUMERS * EPILOGUE<P>::SHARED;
    const std::string fault = emulator::run(launch, seed, [&]() {
        matmul_wgmma_epilogue<bf16, C, true, true, BLOCK_M, BLOCK_N, 64, STAGES, CONSUMERS, 1, CLUSTER_N, 8, PINGPONG,
                              LAG, 1, STORES, EPILOGUE>(tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b),
                                                        tensor_map<CUtensorMap>(&c), product.c.data(), extra.data(), m,
                                                        n, k, boxes);
    });
    tell(name, fault.empty() ? product.wrong(STORES > 0 && boxes, tolerance, after) : fault);
}

#ifndef PLANTED

template <typename T> static std::vector<T> numbers(int count) {
    std::vector<T> all;
    for (int i = 0; i < count; i++) {
        all.push_back(T((float)(i % 17 - 8) / 2));
    }
    return all;
}

static void all_epilogues() {
    const std::vector<bf16> bias = numbers<bf16>(200), wide = numbers<bf16>(140 * 200), odd = numbers<bf16>(140 * 77);
    const std::vector<float> wide_bias = numbers<float>(136), alpha = {1.5f}, floats = numbers<float>(140 * 136);
    epilogue<bf16, BiasAlone, 128, 64, 3, 2, 1, false, 0, 1>(
        "bias", 140, 136, 136, bias, 0, [&](int, int column, double sum) { return sum + bias[column]; });
    epilogue<float, BiasRelu, 128, 64, 3, 2, 1, false, 2, 2>(
        "bias and ReLU, fp32", 140, 136, 200, wide_bias, 0,
        [&](int, int column, double sum) { return std::max(sum + wide_bias[column], 0.0); });
    epilogue<bf16, BiasGelu, 64, 96, 3, 2, 2, true, 0, 2>(
        "bias and GELU by tanh", 140, 200, 136, bias, 0x1p-7, [&](int, int column, double sum) {
            const double x = sum + bias[column];
            return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        });
    epilogue<float, BiasGelu, 64, 64, 3, 1, 1, false, 0, 0>(
        "bias and GELU by tanh, fp32", 70, 77, 136, wide_bias, 0x1p-20, [&](int, int column, double sum) {
            const double x = sum + wide_bias[column];
            return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        });
    epilogue<bf16, BiasGeluErf, 64, 64, 3, 1, 1, false, 0, 0>("bias and GELU by erf", 70, 77, 136, bias, 0x1p-7,
                                                              [&](int, int column, double sum) {
                                                                  const double x = sum + bias[column];
                                                                  return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
                                                              });
    epilogue<bf16, Scale, 64, 64, 3, 2, 1, true, 0, 2>("scale", 140, 136, 136, alpha, 0,
                                                       [](int, int, double sum) { return 1.5 * sum; });
    epilogue<bf16, Residual, 128, 128, 3, 2, 1, false, 0, 2>(
        "residual", 140, 200, 136, wide, 0,
        [&](int row, int column, double sum) { return sum + wide[row * 200 + column]; });
    epilogue<bf16, Residual, 64, 96, 3, 2, 1, true, 0, 2>(
        "residual, odd", 140, 77, 136, odd, 0,
        [&](int row, int column, double sum) { return sum + odd[row * 77 + column]; });
    epilogue<float, Residual, 128, 64, 3, 2, 1, false, 0, 1>(
        "residual, fp32", 140, 136, 136, floats, 0,
        [&](int row, int column, double sum) { return sum + floats[row * 136 + column]; });
}

template <typename T, typename C, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int GROUPS>
static void tma(const char *name, int m, int n, int k) {
    Product<T, C> product(m, n, k, seed);
    product.plant();
    const Map a = product.a_map(BLOCK_M), b = product.b_map(BLOCK_N);
    Launch launch;
    launch.grid = {parts_of(n, BLOCK_N), parts_of(m, BLOCK_M)};
    launch.threads = 128 * GROUPS;
    launch.shared = STAGES * ((BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(T) + 8);
    tell(name, outcome(emulator::run(launch, seed,
                                     [&]() {
                                         matmul_wgmma_tma<T, C, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, GROUPS>(
                                             tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(),
                                             m, n, k);
                                     }),
                       product, false));
}

template <bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int GROUPS>
static void stored(const char *name, int m, int n, int k) {
    Product<bf16, bf16> product(m, n, k, seed);
    product.plant();
    Launch launch;
    launch.grid = {parts_of(n, BLOCK_N), parts_of(m, BLOCK_M)};
    launch.threads = 128 * GROUPS;
    launch.shared = (BLOCK_M + BLOCK_N) * BLOCK_K * 2;
    tell(name, outcome(emulator::run(launch, seed,
                                     [&]() {
                                         matmul_wgmma_stored<bf16, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, GROUPS>(
                                             product.a.data(), product.b.data(), product.c.data(), m, n, k);
                                     }),
                       product, false));
}

template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, bool AHEAD>
static void mma_sync(const char *name, int m, int n, int k) {
    Product<T, typename mma::Multiply<T>::Out> product(m, n, k, seed);
    product.plant();
    Launch launch;
    launch.grid = {parts_of(n, BLOCK_N) * parts_of(m, BLOCK_M)};
    launch.threads = BLOCK_M / 32 * (BLOCK_N / 32) * 32;
    launch.shared = STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(T);
    tell(name,
         outcome(emulator::run(
                     launch, seed,
                     [&]() {
                         mma::matmul_mma<T, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, 32, 32, STAGES, true, AHEAD, 8, 1>(
                             product.a.data(), product.b.data(), (T *)product.c.data(), m, n, k);
                     }),
                 product, false));
}

/* Two blocks stay. */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES>
static void mma_turns(const char *name, int m, int n, int k) {
    Product<T, typename mma::Multiply<T>::Out> product(m, n, k, seed);
    product.plant();
    Launch launch;
    launch.grid = {2};
    launch.threads = BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32;
    launch.shared = STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(T);
    tell(name,
         outcome(emulator::run(
                     launch, seed,
                     [&]() {
                         mma::matmul_mma_turns<T, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, 2, 1>(
                             product.a.data(), product.b.data(), product.c.data(), m, n, k);
                     }),
                 product, false));
}

/* Two blocks stay, and threads 0 ask for boxes. */
template <typename T, int BLOCK_M, int BLOCK_N, int STAGES>
static void mma_boxes(const char *name, int m, int n, int k) {
    Product<T, typename mma::Multiply<T>::Out> product(m, n, k, seed);
    product.plant();
    const Map a = product.a_map(BLOCK_M), b = product.b_map(BLOCK_N);
    Launch launch;
    launch.grid = {2};
    launch.threads = BLOCK_M / 32 * (BLOCK_N / 32) * 32;
    launch.shared = STAGES * ((BLOCK_M + BLOCK_N) * 128 + 16);
    tell(name, outcome(emulator::run(launch, seed,
                                     [&]() {
                                         mma::matmul_mma_boxes<T, BLOCK_M, BLOCK_N, 32, 32, STAGES, 2>(
                                             tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(),
                                             m, n, k);
                                     }),
                       product, false));
}

/* Two blocks stay, each with warps that ask for boxes. */
template <typename T, int BLOCK_M, int BLOCK_N, int STAGES, int LAG>
static void mma_roles(const char *name, int m, int n, int k) {
    typedef typename mma::Multiply<T>::Out Out;
    Product<T, Out> product(m, n, k, seed);
    product.plant();
    const Map a = product.a_map(BLOCK_M), b = product.b_map(BLOCK_N), c = product.c_map(128 / sizeof(Out), 16);
    Launch launch;
    launch.grid = {2};
    launch.threads = 384;
    launch.shared = STAGES * ((BLOCK_M + BLOCK_N) * 128 + 16) + 8 * 4096 + 8;
    tell(name, outcome(emulator::run(launch, seed,
                                     [&]() {
                                         mma::matmul_mma_roles<T, BLOCK_M, BLOCK_N, STAGES, 2, LAG>(
                                             tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b),
                                             tensor_map<CUtensorMap>(&c), product.c.data(), m, n, k,
                                             n * sizeof(Out) % 16 == 0);
                                     }),
                       product, false));
}

/* `count` scales that every type holds exactly. */
static std::vector<float> some_scales(int count) {
    std::mt19937 drawn(seed);
    std::vector<float> all;
    for (int i = 0; i < count; i++) {
        all.push_back(0.25f * (float)(1 << drawn() % 4));
    }
    return all;
}

/* Numbers of e4m3 as e5m2: 1 is 7 << 3 and 15 << 2, 2 is 64 in both. */
static void widen(std::vector<unsigned char> &codes) {
    for (unsigned char &code : codes) {
        code = (code & 0x7f) == 7 << 3 ? (code & 0x80) | 15 << 2 : code;
    }
}

/* multiply(maps of A, B and C, scales of A and B, product, boxes): a kernel by P, which keeps `kept` bytes of shared
 * memory behind its barriers. */
template <class P, int SCALE, class Multiply>
static void scaled_product(const char *name, int m, int n, int k, unsigned clusters, size_t kept,
                           const Multiply &multiply) {
    Product<unsigned char, bf16> product(m, n, k, seed);
    const std::vector<unsigned char> numbers = product.a;
    if (!std::is_same<typename P::T, unsigned char>::value) {
        widen(product.a);
    }
    const bool blocks = SCALE == SCALE_BLOCKS, one = SCALE == SCALE_TENSOR;
    const int steps = (k + 127) / 128, pitch = (steps + 3) / 4 * 4;
    const std::vector<float> a_scale = some_scales(blocks ? m * steps : m);
    const std::vector<float> b_scale = some_scales(blocks ? (n + 127) / 128 * pitch : n);
    product.scale = [&](int row, int column, int i) {
        return (double)a_scale[blocks ? i / 128 * m + row
                               : one  ? 0
                                      : row] *
               b_scale[blocks ? column / 128 * pitch + i / 128
                       : one  ? 0
                              : column];
    };
    const Map a = product.a_map(P::TileA::BOX_LINES), b = product.b_map(P::TileB::BOX_LINES);
    const Map c = product.c_map(P::PIECE_N, 64);
    const bool boxes = n % 8 == 0;
    Launch launch;
    launch.cluster = P::CLUSTER_M * P::CLUSTER_N;
    launch.grid = {clusters * launch.cluster};
    launch.threads = 384;
    launch.shared = P::BARRIERS_AT + 16 * P::STAGES + kept;
    const std::string fault = emulator::run(launch, seed, [&]() {
        multiply(tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), tensor_map<CUtensorMap>(&c), a_scale.data(),
                 b_scale.data(), product.c.data(), boxes);
    });
    product.a = numbers;
    tell(name, outcome(fault, product, boxes));
}

/* T: unsigned char, or Fp8<true, false>, whose A is e5m2. */
template <typename T, int SCALE, int BLOCK_M, int BLOCK_N, int CLUSTER_M, int CLUSTER_N, int LAG, int PROMOTE,
          bool TURNS>
static void scaled(const char *name, int m, int n, int k, unsigned clusters) {
    typedef Plan<T, bf16, true, true, BLOCK_M, BLOCK_N, 128, 3, 2, CLUSTER_M, CLUSTER_N, 8, false, LAG, 1, 2> P;
    scaled_product<P, SCALE>(name, m, n, k, clusters, SCALE == SCALE_BLOCKS ? 3 * StagedScales<P>::BYTES : 0,
                             [&](const CUtensorMap &a, const CUtensorMap &b, const CUtensorMap &c_map,
                                 const float *a_scale, const float *b_scale, bf16 *c, bool boxes) {
                                 matmul_fp8_scaled<T, bf16, SCALE, BLOCK_M, BLOCK_N, 128, 3, 2, CLUSTER_M, CLUSTER_N, 8,
                                                   false, LAG, 2, PROMOTE, TURNS>(a, b, c_map, a_scale, b_scale, c, m,
                                                                                  n, k, boxes);
                             });
}

template <int SCALE, int BLOCK_M, int BLOCK_N, int CLUSTER_M, int CLUSTER_N, bool PINGPONG, int ACROSS, bool STAGED>
static void scaled_ahead(const char *name, int m, int n, int k, unsigned clusters) {
    typedef unsigned char T;
    typedef Plan<T, bf16, true, true, BLOCK_M, BLOCK_N, 128, 3, 2, CLUSTER_M, CLUSTER_N, 8, PINGPONG, 0, 1, 2> P;
    scaled_product<P, SCALE>(
        name, m, n, k, clusters, SCALE == SCALE_BLOCKS ? 3 * StagedScales<P>::BYTES : 2 * BLOCK_N * 4,
        [&](const CUtensorMap &a, const CUtensorMap &b, const CUtensorMap &c_map, const float *a_scale,
            const float *b_scale, bf16 *c, bool boxes) {
            matmul_fp8_ahead<T, bf16, SCALE, BLOCK_M, BLOCK_N, 128, 3, 2, CLUSTER_M, CLUSTER_N, 8, PINGPONG, 0, 2,
                             ACROSS, STAGED>(a, b, c_map, a_scale, b_scale, c, m, n, k, boxes);
        });
}

template <bool E5M2, typename C, int SCALE, bool ALIGNED, int BLOCK_K, int PROMOTE>
static void mma_scaled(const char *name, int m, int n, int k) {
    Product<unsigned char, C> product(m, n, k, seed);
    const std::vector<unsigned char> numbers = product.a;
    if (E5M2) {
        widen(product.a);
    }
    const bool blocks = SCALE == SCALE_BLOCKS, one = SCALE == SCALE_TENSOR;
    const int pitch = ((k + 127) / 128 + 3) / 4 * 4;
    const std::vector<float> a_scale = some_scales(m * pitch), b_scale = some_scales(n * pitch);
    product.scale = [&](int row, int column, int i) {
        return (double)a_scale[blocks ? i / 128 * m + row
                               : one  ? 0
                                      : row] *
               b_scale[blocks ? column / 128 * pitch + i / 128
                       : one  ? 0
                              : column];
    };
    Launch launch;
    launch.grid = {parts_of(n, 64) * parts_of(m, 64)};
    launch.threads = 128;
    launch.shared = 2 * (64 + 64) * BLOCK_K;
    const std::string fault = emulator::run(launch, seed, [&]() {
        mma::matmul_mma_scaled<E5M2, false, C, SCALE, ALIGNED, 64, 64, BLOCK_K, 32, 32, 2, 8, PROMOTE>(
            product.a.data(), product.b.data(), a_scale.data(), b_scale.data(), product.c.data(), m, n, k);
    });
    product.a = numbers;
    tell(name, outcome(fault, product, false));
}

/* bf16 by mma.sync, however operands lie. */
template <bool A_BY_K, bool B_BY_K, bool ALIGNED, int BLOCK_M, int BLOCK_N, int WARP_M, int STAGES, class EPILOGUE,
          typename Extra, class After>
static void mma_finish(const char *name, int m, int n, int k, const std::vector<Extra> &extra, double tolerance,
                       const After &after) {
    Product<bf16, bf16> product(m, n, k, seed, A_BY_K, B_BY_K);
    Launch launch;
    launch.grid = {parts_of(n, BLOCK_N) * parts_of(m, BLOCK_M)};
    launch.threads = BLOCK_M / WARP_M * (BLOCK_N / 32) * 32;
    launch.shared = STAGES * (BLOCK_M + BLOCK_N) * 64 * 2;
    const std::string fault = emulator::run(launch, seed, [&]() {
        mma::matmul_mma_finish<bf16, A_BY_K, B_BY_K, ALIGNED, BLOCK_M, BLOCK_N, 64, WARP_M, 32, STAGES, 8, EPILOGUE>(
            product.a.data(), product.b.data(), product.c.data(), extra.data(), m, n, k);
    });
    tell(name, fault.empty() ? product.wrong(false, tolerance, after) : fault);
}

static void all_finishes() {
    const std::vector<bf16> bias = numbers<bf16>(200), wide = numbers<bf16>(70 * 136);
    const std::vector<float> alpha = {1.5f};
    const auto same = [](int, int, double sum) { return sum; };
    mma_finish<true, false, true, 64, 128, 32, 2, mma::Plain>("mma.sync, NN", 70, 136, 136, alpha, 0, same);
    mma_finish<false, false, true, 128, 64, 64, 3, mma::Plain>("mma.sync, NT", 136, 72, 200, alpha, 0, same);
    mma_finish<false, false, false, 64, 64, 32, 2, mma::Plain>("mma.sync, NT, odd", 67, 77, 71, alpha, 0, same);
    mma_finish<true, true, true, 64, 64, 32, 2, mma::BiasGeluErf>("mma.sync, bias and GELU", 70, 77, 136, bias, 0x1p-7,
                                                                  [&](int, int column, double sum) {
                                                                      const double x = sum + bias[column];
                                                                      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
                                                                  });
    mma_finish<true, true, true, 64, 64, 32, 2, mma::Scale>("mma.sync, scale", 70, 77, 72, alpha, 0,
                                                            [](int, int, double sum) { return 1.5 * sum; });
    mma_finish<true, true, true, 64, 64, 32, 2, mma::Residual>(
        "mma.sync, residual", 70, 136, 72, wide, 0,
        [&](int row, int column, double sum) { return sum + wide[row * 136 + column]; });
}

template <typename T, int BLOCK_N, int STAGES> static void tcgen05(const char *name, int m, int n, int k) {
    Product<T, T> product(m, n, k, seed);
    const Map a = product.a_map(128), b = product.b_map(BLOCK_N);
    Launch launch;
    launch.grid = {parts_of(n, BLOCK_N), parts_of(m, 128)};
    launch.threads = 192;
    launch.shared = STAGES * ((128 + BLOCK_N) * 128 + 16) + 16;
    tell(name, outcome(emulator::run(launch, seed,
                                     [&]() {
                                         matmul_tcgen05<T, BLOCK_N, STAGES>(tensor_map<CUtensorMap>(&a),
                                                                            tensor_map<CUtensorMap>(&b),
                                                                            product.c.data(), m, n, k);
                                     }),
                       product, false));
}

/* Two blocks, of which the first writes. */
template <int COLUMNS> static void tcgen05_ceiling(const char *name, int steps) {
    Product<bf16, bf16> product(128, COLUMNS, 64, seed);
    const Map a = product.a_map(128), b = product.b_map(COLUMNS);
    Launch launch;
    launch.grid = {2};
    launch.threads = 192;
    launch.shared = (128 + COLUMNS) * 128 + 24;
    tell(name, outcome(emulator::run(launch, seed,
                                     [&]() {
                                         tcgen05_rate<COLUMNS>(tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b),
                                                               product.c.data(), steps);
                                     }),
                       product, false));
}

/* Two blocks, of which the first writes; what is brought beside the tiles goes through its places more than once. */
static void port() {
    Product<bf16, bf16> product(64, 64, 64, seed);
    const std::vector<bf16> feed(32 * 64);
    Launch launch;
    launch.grid = {2};
    launch.threads = 160;
    launch.shared = 48 * 1024;
    const std::string fault = emulator::run(launch, seed, [&]() {
        mma::mma_port<64, 1, 96>(product.a.data(), product.b.data(), feed.data(), product.c.data(), 2, 32);
    });
    tell("mma.sync beside writes", outcome(fault, product, false));
}

template <bool ALIGNED, int DEPTH, int BLOCK_K, int STAGES, bool TURNS>
static void dmma(const char *name, int m, int n, int k) {
    Product<double, double> product(m, n, k, seed);
    product.plant();
    const double *a = product.a.data(), *b = product.b.data();
    Launch launch;
    launch.grid = {TURNS ? 2 : parts_of(n, 64) * parts_of(m, 64)};
    launch.threads = 128;
    launch.shared = STAGES * (64 + 64) * BLOCK_K * sizeof(double);
    const std::string fault = emulator::run(launch, seed, [&]() {
        if constexpr (TURNS) {
            mma::matmul_dmma_turns<ALIGNED, DEPTH, 64, 64, BLOCK_K, 32, 32, STAGES, 2, 1>(a, b, product.c.data(), m, n,
                                                                                          k);
        } else {
            mma::matmul_dmma<ALIGNED, DEPTH, 64, 64, BLOCK_K, 32, 32, STAGES, 8>(a, b, product.c.data(), m, n, k);
        }
    });
    tell(name, outcome(fault, product, false));
}

static void run_all() {
    scaled<unsigned char, SCALE_BLOCKS, 128, 96, 1, 1, 0, 128, true>("fp8 by blocks, in turns", 140, 200, 272, 1);
    scaled<unsigned char, SCALE_BLOCKS, 256, 64, 2, 1, 2, 128, false>("fp8 by blocks, behind", 516, 72, 528, 1);
    scaled<unsigned char, SCALE_TENSOR, 128, 64, 1, 1, 0, 256, false>("fp8 added up", 140, 77, 656, 1);
    scaled<unsigned char, SCALE_BLOCKS, 128, 32, 1, 1, 0, 128, false>("fp8 by blocks, in pairs", 70, 40, 272, 1);
    scaled<Fp8<true, false>, SCALE_BLOCKS, 128, 32, 1, 1, 1, 128, false>("e5m2 by e4m3", 140, 40, 400, 1);
    scaled_ahead<SCALE_BLOCKS, 128, 256, 2, 1, false, 4, true>("fp8 by blocks, in pieces", 300, 264, 528, 1);
    scaled_ahead<SCALE_BLOCKS, 256, 128, 1, 2, false, 2, false>("fp8 by blocks, in pieces, odd", 270, 264, 400, 1);
    scaled_ahead<SCALE_TENSOR, 256, 64, 1, 1, false, 2, true>("fp8 added up in pieces", 260, 77, 112, 1);
    scaled_ahead<SCALE_ROWS, 128, 192, 2, 1, true, 0, true>("fp8 by rows", 300, 392, 272, 1);
    tcgen05<bf16, 64, 3>("tcgen05", 140, 72, 328);
    tcgen05<__half, 128, 2>("tcgen05, odd n", 128, 131, 136);
    tcgen05_ceiling<64>("tcgen05 alone", 3);
    port();
    mma_sync<__half, true, 64, 64, 32, 3, true>("mma.sync, stages", 70, 72, 104);
    mma_sync<bf16, false, 64, 64, 32, 2, false>("mma.sync, odd k", 65, 67, 71);
    mma_sync<signed char, true, 64, 64, 64, 1, false>("mma.sync, int8", 65, 67, 80);
    mma_turns<bf16, true, 64, 64, 32, 32, 32, 4>("mma.sync in turn", 130, 72, 104);
    mma_turns<float, false, 64, 64, 32, 32, 32, 3>("mma.sync in turn, tf32, odd k", 65, 131, 39);
    mma_turns<unsigned char, true, 64, 64, 64, 32, 32, 3>("mma.sync in turn, fp8", 70, 136, 144);
    mma_boxes<bf16, 64, 64, 3>("mma.sync, tiles by TMA", 70, 136, 264);
    mma_boxes<signed char, 64, 64, 4>("mma.sync, tiles by TMA, int8, fewer than stages", 70, 67, 144);
    mma_roles<bf16, 128, 256, 3, 1>("mma.sync, a producer warp", 140, 520, 328);
    mma_roles<float, 256, 128, 4, 0>("mma.sync, a producer warp, tf32", 260, 136, 76);
    mma_roles<signed char, 256, 128, 4, 3>("mma.sync, a producer warp, int8, odd, fewer than stages", 270, 67, 144);
    mma_scaled<false, bf16, SCALE_BLOCKS, true, 64, 128>("mma.sync, fp8 by blocks", 70, 136, 272);
    mma_scaled<false, bf16, SCALE_ROWS, false, 128, 0>("mma.sync, fp8 by rows, odd", 67, 77, 151);
    mma_scaled<true, float, SCALE_TENSOR, true, 128, 128>("mma.sync, e5m2 by e4m3", 70, 72, 272);
    all_finishes();
    dmma<true, 4, 16, 3, false>("DMMA", 70, 67, 38);
    dmma<false, 4, 8, 4, true>("DMMA in turn, m8n8k4, odd k", 65, 131, 21);
    dmma<true, 16, 16, 3, true>("DMMA in turn, m16n8k16", 70, 131, 38);
    stored<false, 64, 64, 64, 1>("wgmma, stored tiles", 70, 65, 131);
    tma<bf16, bf16, 128, 64, 64, 3, 2>("TMA", 140, 100, 264);
    tma<float, float, 64, 64, 32, 2, 1>("TMA, tf32", 70, 65, 76);
    roles<bf16, bf16, true, true, 128, 64, 64, 3, 2, 1, 1, false, 0, 1, 0>("a producer warp", 140, 77, 136, 1);
    roles<bf16, bf16, true, true, 64, 64, 64, 4, 1, 2, 2, false, 0, 0, 2>("clusters of four", 200, 136, 136, 1);
    roles<bf16, bf16, true, true, 128, 64, 64, 4, 2, 2, 1, false, 2, 1, 2>("C by TMA, behind", 260, 136, 328, 1);
    roles<bf16, bf16, true, true, 64, 96, 64, 3, 2, 1, 2, true, 0, 0, 1>("ping-pong", 140, 200, 136, 1);
    roles<bf16, bf16, false, false, 128, 128, 64, 2, 2, 2, 1, false, 0, 1, 2>("both turned", 264, 136, 136, 1);
    roles<unsigned char, bf16, true, true, 64, 64, 128, 3, 1, 1, 2, false, 0, 1, 2>("fp8", 70, 136, 272, 1);
    roles<signed char, int, true, true, 64, 64, 128, 3, 1, 1, 1, false, 0, 1, 1>("int8", 70, 72, 272, 1);
    all_epilogues();
}

#else

static void run_all() {
    roles<bf16, bf16, true, true, 128, 64, 64, 3, 2, 2, 1, false, 0, 1, 2>("planted", 300, 72, 200, 1);
}

#endif
