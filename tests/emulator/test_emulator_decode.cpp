/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_decode [SEED]: attention against a cache in pages (kernels/attention/decode*), emulated (emulator.hpp)
 * in odd and ragged lengths, against plain sums. Twice where blocks count what has arrived. */
#include "emulator/product.hpp"

typedef __nv_bfloat16 bf16;
#include "decode_cores.cu"
#include "decode_mla.cu"
#undef SPREAD
#define SPREAD true
namespace spread { /* here, where LOWEST is decode.cuh's */
#include "decode_mla.cu"
}
#include "decode_mma.cu"
#include "decode_tma.cu"
#include "decode_wgmma.cu"
namespace few {
#include "decode_mla_mma.cu"
}

#include "emulator/emulated_test.hpp"
#include "emulator/paged_cache.hpp"

using emulator::Launch;
using emulator::Map;
using emulator::tensor_map;

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

/* P: the kernel's Mla. A cluster leaves a part. */
template <class P, int LINES, class KERNEL>
static void mla(const char *name, std::vector<int> lengths, int heads, int page, int chunk, const KERNEL &kernel) {
    latent<LINES>(name, lengths, heads, page, chunk, chunk * P::CLUSTER, [&](auto &of_keys, auto &problem) {
        const Map q = {(unsigned char *)of_keys.q.data(), 2, 576, (long)lengths.size() * heads, 576, 64, 64, 128};
        const Map cache = {
            (unsigned char *)of_keys.k.data(), 2, 576, (long)of_keys.tables.size() * page, 576, 64, P::BOX, 128};
        Launch launch;
        launch.grid = {(unsigned)(problem.parts * P::BLOCKS), (unsigned)(heads + 63) / 64 / P::PAIR,
                       (unsigned)lengths.size()};
        launch.cluster = P::BLOCKS;
        launch.threads = 384;
        launch.shared = P::BYTES;
        launch.at_once = 4;
        return emulator::run(launch, seed, [&]() {
            kernel(tensor_map<CUtensorMap>(&q), tensor_map<CUtensorMap>(&cache), of_keys.tables.data(), lengths.data(),
                   problem.out.data(), problem.split(), of_keys.facts(false));
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
    mla<Mla<64, 1, 1>, 1>("MLA", {290}, 5, 64, 320, decode_mla<64, 1, 1>);
    mla<Mla<16, 1, 1>, 1>("MLA, short pages, parts", {140, 33}, 5, 16, 128, decode_mla<16, 1, 1>);
    mla<Mla<32, 2, 1>, 2>("MLA, clusters, an idle block", {290, 0, 64}, 3, 32, 64, decode_mla<32, 2, 1>);
    mla<spread::Mla<32, 2, 1>, 2>("MLA, values between scores", {420, 0, 64}, 3, 32, 192, spread::decode_mla<32, 2, 1>);
    mla_mma<few::MlaTiles<1, 2>, 1>("MLA by mma.sync, an empty sequence", {40, 0}, 18, 64, 64,
                                    few::decode_mla_mma<1, 2>);
    mla_mma<few::MlaTiles<4, 3>, 1>("MLA by mma.sync, parts", {75}, 66, 32, 64, few::decode_mla_mma<4, 3>);
    mla_mma<few::MlaTiles<1, 1>, 1>("MLA by mma.sync, one place", {70, 8}, 5, 32, 64, few::decode_mla_mma<1, 1>);
    mla<Mla<64, 1, 2>, 1>("MLA, pairs", {340}, 66, 64, 384, decode_mla<64, 1, 2>);
}
