/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_emulator_fp32 [SEED]: products of fp32 matrices, emulated (emulator.hpp) in odd sizes: on tensor cores that
 * multiply narrower numbers, and by FMA out of rings.
 */
#include "emulator/product.hpp"

typedef __nv_bfloat16 bf16;

#define PDL 1 /* with the instructions that it adds */
#include "matmul_emulated.cu"
namespace fp32 { /* has parts of its own */
#include "matmul_ffma.cu"
}
namespace mma { /* as well */
#include "matmul_mma_planes.cu"
}

#include "emulator/emulated_test.hpp"

using emulator::Launch;
using emulator::Map;
using emulator::Product;
using emulator::tensor_map;

/* Numbers of 20 bits, so that every plane has its part, which would be missed; and its planes, by kernels. */
template <typename T, int PLANES> struct Split {
    Product<float, float> product;
    std::vector<T> a_planes, b_planes;
    std::string fault;

    Split(int m, int n, int k, int wide)
        : product(m, n, k, seed, true, false), a_planes((size_t)PLANES * m * wide),
          b_planes((size_t)PLANES * n * wide) {
        for (std::vector<float> *all : {&product.a, &product.b}) {
            for (size_t i = 0; i < all->size(); i++) {
                (*all)[i] += (float)((int)(i * 7919 % 1021) - 510) * 0x1p-18f + (float)((int)(i % 5) - 2) * 0x1p-9f;
            }
        }
        memset((void *)a_planes.data(), 0x7f, a_planes.size() * sizeof(T));
        memset((void *)b_planes.data(), 0x7f, b_planes.size() * sizeof(T));
        Launch launch;
        launch.threads = 256;
        launch.grid = {parts_of(m * wide / 4, 256)};
        fault = emulator::run(
            launch, seed, [&]() { split_rows<T, PLANES, false, 256>(product.a.data(), a_planes.data(), m, k, wide); });
        launch.grid = {parts_of(n, 64), parts_of(wide, 64)};
        launch.shared = 64 * 65 * 4;
        fault += emulator::run(launch, seed, [&]() {
            split_turned<T, PLANES, false, 256>(product.b.data(), b_planes.data(), k, n, wide);
        });
    }
};

template <typename T, int PRODUCTS, int CHUNK, int BLOCK_K, int STAGES>
static void mma_planes(const char *name, int m, int n, int k) {
    constexpr int PLANES = PRODUCTS > 4 ? 3 : 2;
    const int wide = (k + 7) / 8 * 8;
    Split<T, PLANES> split(m, n, k, wide);
    Launch launch;
    launch.grid = {parts_of(n, 64) * parts_of(m, 64)};
    launch.threads = 128;
    launch.shared = STAGES * PLANES * 128 * BLOCK_K * sizeof(T);
    const std::string fault = split.fault + emulator::run(launch, seed, [&]() {
                                  mma::matmul_mma_planes<T, PRODUCTS, CHUNK, 64, 64, BLOCK_K, 32, 32, STAGES, 8>(
                                      split.a_planes.data(), split.b_planes.data(), split.product.c.data(), m, n, wide);
                              });
    tell(name, fault.empty() ? split.product.wrong(false, 0x1p-16, [](int, int, double sum) { return sum; }) : fault);
}

template <typename T, int PRODUCTS, int BLOCK_M, int BLOCK_N, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N,
          bool LAG, int STORES>
static void planes(const char *name, int m, int n, int k) {
    constexpr int BLOCK_K = 128 / sizeof(T), PLANES = PRODUCTS > 4 ? 3 : 2;
    typedef Plan<T, float, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 8, false,
                 LAG, 0, STORES>
        P;
    const int wide = (k + 7) / 8 * 8;
    Split<T, PLANES> split(m, n, k, wide);
    Product<float, float> &product = split.product;
    std::string fault = split.fault;
    Launch launch;
    const Map a = {
        (unsigned char *)split.a_planes.data(), sizeof(T), wide, PLANES * m, wide, BLOCK_K, BLOCK_M / CLUSTER_N, 128};
    const Map b = {
        (unsigned char *)split.b_planes.data(), sizeof(T), wide, PLANES * n, wide, BLOCK_K, BLOCK_N / CLUSTER_M, 128};
    const Map c = product.c_map(32, 64);
    const bool boxes = n % 4 == 0;
    launch.cluster = CLUSTER_M * CLUSTER_N;
    launch.grid = {launch.cluster};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = P::BARRIERS_AT + 16 * STAGES;
    fault += emulator::run(launch, seed, [&]() {
        matmul_emulated<T, PRODUCTS, 64, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 8, LAG,
                        STORES>(tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), tensor_map<CUtensorMap>(&c),
                                product.c.data(), m, n, k, boxes);
    });
    tell(name,
         fault.empty() ? product.wrong(STORES > 0 && boxes, 0x1p-16, [](int, int, double sum) { return sum; }) : fault);
}

/* Rows are multiples of 16 bytes in both operands. */
template <bool ASYNC, int TILE_M, int TILE_N, int TILE_K, int REG_M, int REG_N, int STAGES, bool AHEAD>
static void ffma_tiles(const char *name, int m, int n, int k) {
    Product<float, float> product(m, n, k, seed, true, false);
    const Map a = {(unsigned char *)product.a.data(), 4, k, m, k, TILE_K, TILE_M, TILE_K * 4};
    const Map b = {(unsigned char *)product.b.data(), 4, n, k, n, TILE_N, TILE_K, 0};
    Launch launch;
    launch.grid = {parts_of(n, TILE_N) * parts_of(m, TILE_M)};
    launch.threads = TILE_M / REG_M * (TILE_N / REG_N);
    launch.shared = STAGES * ((TILE_M + TILE_N) * TILE_K * 4 + 16);
    const std::string fault = emulator::run(launch, seed, [&]() {
        if (ASYNC) {
            fp32::matmul_ffma_async<TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES, 8, 1, 8, true, AHEAD>(
                product.a.data(), product.b.data(), product.c.data(), m, n, k, k, n, 1.0f);
        } else {
            fp32::matmul_ffma<TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES, 8, 1, 8, true, AHEAD>(
                tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(), m, n, k, 1.0f);
        }
    });
    tell(name, fault.empty() ? product.wrong(false) : fault);
}

static void run_all() {
    planes<bf16, 6, 128, 64, 4, 2, 2, 1, true, 2>("bf16 x 6, one behind the other", 260, 72, 200);
    planes<bf16, 9, 64, 64, 4, 1, 1, 2, false, 0>("bf16 x 9, odd", 70, 131, 71);
    planes<float, 3, 128, 64, 3, 2, 1, 1, false, 1>("tf32 x 3", 140, 72, 76);
    mma_planes<bf16, 6, 64, 32, 2>("bf16 x 6, mma.sync", 70, 72, 200);
    mma_planes<bf16, 9, 64, 64, 2>("bf16 x 9, mma.sync, odd", 65, 67, 71);
    mma_planes<float, 3, 64, 16, 3>("tf32 x 3, mma.sync", 70, 67, 76);
    ffma_tiles<false, 64, 64, 16, 8, 8, 3, true>("FMA, TMA ring", 70, 132, 100);
    ffma_tiles<true, 64, 64, 32, 8, 8, 3, false>("FMA, cp.async", 70, 132, 100);
}
