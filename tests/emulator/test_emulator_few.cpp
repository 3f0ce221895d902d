/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_few [SEED]: the products for few tokens and few tiles, as test_emulator.cpp has the others. */
#include "emulator/product.hpp"

typedef __nv_bfloat16 bf16;
#define TILES_OVERLAP
#include "matmul_skinny.cu"
#include "matmul_wgmma_few.cu"
#include "matmul_wgmma_roles.cu"
#include "matmul_wgmma_stream.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;
using emulator::Map;
using emulator::Product;
using emulator::tensor_map;

static void tell(const char *name, const std::string &fault, const Product<bf16, bf16> &product) {
    tell(name, fault.empty() ? product.wrong(false) : fault);
}

template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N, int SPLIT>
static void split(const char *name, int m, int n, int k) {
    Product<bf16, bf16> product(m, n, k, seed);
    const Map a = product.a_map(BLOCK_M / CLUSTER_N), b = product.b_map(BLOCK_N / CLUSTER_M);
    Launch launch;
    launch.cluster = CLUSTER_M * CLUSTER_N * SPLIT;
    launch.grid = {parts_of(m, BLOCK_M * CLUSTER_M) * parts_of(n, BLOCK_N * CLUSTER_N) * launch.cluster};
    launch.threads = 128 * CONSUMERS + 32;
    launch.shared = STAGES * ((BLOCK_M + BLOCK_N) * BLOCK_K * 2 + 16);
    tell(name,
         emulator::run(
             launch, seed,
             [&]() {
                 matmul_wgmma_split<bf16, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, SPLIT>(
                     tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(), m, n, k);
             }),
         product);
}

#ifndef PLANTED
template <bool EARLY> static void split_e4m3(int m, int n, int k) {
    Product<unsigned char, bf16> product(m, n, k, seed);
    const Map a = product.a_map(16), b = product.b_map(128);
    Launch launch;
    launch.cluster = 4;
    launch.grid = {parts_of(m, 32) * parts_of(n, 256) * launch.cluster};
    launch.threads = 288;
    launch.shared = 3 * (160 * 128 + 16);
    const std::string fault = emulator::run(launch, seed, [&]() {
        matmul_wgmma_split_to<unsigned char, bf16, 32, 128, 128, 3, 2, 1, 2, 2, EARLY>(
            tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(), m, n, k);
    });
    tell("e4m3, parts of k, tokens shared", fault.empty() ? product.wrong(false) : fault);
}

template <typename T, int BLOCK_M, int BLOCK_K, int STAGES, int CREWS, int TURNS, bool EARLY>
static void few(const char *name, int m, int n, int k) {
    Product<T, bf16> product(m, n, k, seed);
    const Map a = product.a_map(BLOCK_M), b = product.b_map(64);
    Launch launch;
    launch.grid = {parts_of(m, BLOCK_M) * parts_of(n, 64)};
    launch.threads = 128 * CREWS + 32;
    launch.shared = STAGES * ((BLOCK_M + 64) * BLOCK_K * sizeof(T) + 16);
    const std::string fault = emulator::run(launch, seed, [&]() {
        matmul_wgmma_few<T, bf16, BLOCK_M, BLOCK_K, STAGES, CREWS, TURNS, EARLY>(
            tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(), m, n, k);
    });
    tell(name, fault.empty() ? product.wrong(false) : fault);
}
#endif

template <int BLOCK_M, int BLOCK_N, int CONSUMERS, int CLUSTER_M, int CLUSTER_N, int STORES>
static void in_turn(const char *name, int m, int n, int k, unsigned clusters) {
    typedef Plan<bf16, bf16, true, true, BLOCK_M, BLOCK_N, 64, 3, CONSUMERS, CLUSTER_M, CLUSTER_N, 8, false, 0, 1,
                 STORES>
        P;
    Product<bf16, bf16> product(m, n, k, seed);
    const Map a = product.a_map(P::TileA::BOX_LINES), b = product.b_map(P::TileB::BOX_LINES);
    const Map c = product.c_map(P::PIECE_N, 64);
    Launch launch;
    launch.cluster = CLUSTER_M * CLUSTER_N;
    launch.grid = {clusters * launch.cluster};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = P::BARRIERS_AT + 16 * 3;
    tell(name,
         emulator::run(launch, seed,
                       [&]() {
                           matmul_wgmma_roles<bf16, bf16, true, true, BLOCK_M, BLOCK_N, 64, 3, CONSUMERS, CLUSTER_M,
                                              CLUSTER_N, 8, false, 0, 1, STORES>(
                               tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), tensor_map<CUtensorMap>(&c),
                               product.c.data(), m, n, k, n % 8 == 0);
                       }),
         product);
}

/* Twice: what a launch leaves behind is what the next one finds. */
template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N>
static void stream(const char *name, int m, int n, int k, unsigned clusters) {
    Product<bf16, bf16> product(m, n, k, seed);
    const Map a = product.a_map(BLOCK_M / CLUSTER_N), b = product.b_map(BLOCK_N / CLUSTER_M);
    Launch launch;
    launch.cluster = CLUSTER_M * CLUSTER_N;
    launch.grid = {clusters * launch.cluster};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = STAGES * ((BLOCK_M + BLOCK_N) * BLOCK_K * 2 + 16);
    std::vector<float4> handed((size_t)launch.grid.x * BLOCK_M * BLOCK_N / 4);
    std::vector<unsigned> ready(launch.grid.x * CONSUMERS);
    for (int i = 0; i < 2; i++) {
        memset((void *)product.c.data(), 0x7f, product.c.size() * sizeof(bf16));
        tell(name,
             emulator::run(
                 launch, seed + i,
                 [&]() {
                     matmul_wgmma_stream<bf16, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N>(
                         tensor_map<CUtensorMap>(&a), tensor_map<CUtensorMap>(&b), product.c.data(), handed.data(),
                         ready.data(), m, n, k);
                 }),
             product);
    }
}

#ifndef PLANTED
template <bool ALIGNED, int BLOCK_M, int BLOCK_N, int WARPS, int AHEAD>
static void skinny(const char *name, int m, int n, int k) {
    Product<bf16, bf16> product(m, n, k, seed);
    Launch launch;
    launch.grid = {parts_of(m, BLOCK_M), parts_of(n, BLOCK_N)};
    launch.threads = 32 * WARPS;
    launch.shared = 4 * WARPS * BLOCK_M * (BLOCK_N + 4);
    tell(name,
         emulator::run(launch, seed,
                       [&]() {
                           matmul_skinny<bf16, ALIGNED, BLOCK_M, BLOCK_N, WARPS, AHEAD>(
                               product.a.data(), product.b.data(), product.c.data(), m, n, k);
                       }),
         product);
}
#endif

static void run_all() {
    split<16, 64, 64, 4, 1, 1, 1, 8>("more parts than steps", 5, 100, 136);
    split<64, 128, 64, 3, 2, 1, 2, 2>("parts of k, tokens shared", 70, 300, 520);
    stream<64, 64, 64, 3, 1, 1, 1>("shares across tiles", 70, 131, 328, 3);
    stream<64, 64, 64, 3, 1, 1, 1>("a tile in many shares", 64, 64, 456, 5);
#ifndef PLANTED
    split<128, 64, 128, 2, 1, 2, 1, 2>("parts of k, weights shared", 200, 70, 392);
    split<96, 128, 64, 3, 2, 2, 1, 1>("tokens in tiles of 96", 190, 300, 200);
    split<48, 64, 64, 4, 1, 1, 2, 1>("tiles that overlap", 61, 140, 200);
    split<64, 64, 64, 4, 1, 2, 1, 1>("a tile of the cluster without tokens of its own", 50, 140, 200);
    in_turn<128, 96, 2, 2, 1, 2>("overlapping tiles in turn", 300, 136, 200, 1);
    in_turn<64, 64, 1, 1, 2, 0>("overlapping tiles from registers", 70, 131, 136, 2);
    split_e4m3<false>(37, 300, 656);
    split_e4m3<true>(37, 300, 1296);
    few<bf16, 16, 64, 4, 2, 3, false>("k begun apart, crews", 37, 200, 648);
    few<bf16, 64, 128, 3, 1, 8, false>("fewer steps than stages", 50, 131, 264);
    few<unsigned char, 64, 128, 4, 2, 8, true>("e4m3, k begun apart, early", 50, 200, 1296);
    stream<128, 64, 64, 3, 2, 2, 1>("shares of clusters", 300, 136, 264, 2);
    skinny<true, 8, 16, 4, 2>("one token", 1, 36, 520);
    skinny<false, 16, 32, 2, 1>("odd k", 19, 67, 71);
#endif
}
