/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_attention [SEED]: attention on tensor cores against the plain formula, in lengths that leave edges. */
#include "emulator/device.hpp"

#include <random>
#include <vector>

typedef __nv_bfloat16 bf16;
#include "attention_fp8.cu"
#include "attention_fp8_codes.cu"
#include "attention_packed.cu"
#include "attention_skips.cu"
#include "attention_wgmma.cu"
#define copy_async copy_async_of_mma
#include "attention_memory.cu"
#include "attention_mma.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;
using emulator::Map;
using emulator::tensor_map;

/* Q and O are heads x l x d, K and V heads / group x l x d. */
template <typename T> struct Attention {
    int l, heads, group, d;
    bool causal;
    double most = 0.008;     /* error */
    std::vector<int> starts; /* of sequences, where they lie behind one another; and where the last one ends */
    std::vector<T> q, k, v, o;

    /* `spread` of Q: scores of that many times 1/3, of which a row's highest comes late where it is large. */
    Attention(int length, int head_count, int sharing, int depth, bool is_causal, float spread)
        : l(length), heads(head_count), group(sharing), d(depth), causal(is_causal), starts({0, length}),
          q((size_t)heads * l * d), k((size_t)heads / group * l * d), v(k.size()), o(q.size()) {
        std::mt19937 drawn(seed);
        std::uniform_real_distribution<float> even(-1, 1);
        for (T &value : q) {
            value = T(spread * even(drawn));
        }
        for (size_t i = 0; i < k.size(); i++) {
            k[i] = T(even(drawn));
            v[i] = T(even(drawn));
        }
        memset((void *)o.data(), 0xff, o.size() * sizeof(T)); /* not a number */
    }
    float scale() const {
        return 1.44269504f / std::sqrt((float)d);
    }
    Map map(std::vector<T> &values, unsigned rows) {
        return {(unsigned char *)values.data(), sizeof(T), d, (long)values.size() / d, d, 64, rows, 128};
    }
    void tell(const char *name, const std::string &fault) const {
        ::tell(name, fault.empty() ? wrong() : fault);
    }

  private:
    std::string wrong() const {
        for (int line = 0; line < heads * l; line++) {
            const T *keys = &k[(size_t)(line / l / group) * l * d], *values = &v[(size_t)(line / l / group) * l * d];
            std::vector<double> powers;
            std::vector<double> sums((size_t)d);
            double sum = 0;
            const auto end = std::upper_bound(starts.begin(), starts.end(), line % l);
            for (int key = end[-1]; key < (causal ? line % l + 1 : *end); key++) {
                double score = 0;
                for (int i = 0; i < d; i++) {
                    score += (double)(float)q[(size_t)line * d + i] * (float)keys[(size_t)key * d + i];
                }
                powers.push_back(std::exp(score / std::sqrt((double)d)));
                sum += powers.back();
                for (int i = 0; i < d; i++) {
                    sums[i] += powers.back() * (float)values[(size_t)key * d + i];
                }
            }
            for (int i = 0; i < d; i++) {
                const double got = (double)(float)o[(size_t)line * d + i], want = sums[i] / sum;
                if (!(std::fabs(got - want) <= most)) {
                    return "wrong: head " + std::to_string(line / l) + ", query " + std::to_string(line % l) +
                           ", column " + std::to_string(i) + " is " + std::to_string(got) + ", not " +
                           std::to_string(want);
                }
            }
        }
        return "";
    }
};

template <typename T, int D, bool CAUSAL, int BLOCK_N, int SLOTS, int CONSUMERS, int CLUSTER, bool OVERLAP,
          bool PINGPONG, int ABOVE, int POLYNOMIAL, int HEADS, bool LONGEST, bool SKIPS = false>
static void roles(const char *name, int l, int heads, int group, unsigned clusters, float spread) {
    typedef AttentionPlan<T, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL, HEADS,
                          LONGEST>
        P;
    Attention<T> of(l, heads, group, D, CAUSAL, spread);
    const Map q = of.map(of.q, P::TileQ::BOX_LINES), k = of.map(of.k, P::TileK::BOX_LINES),
              v = of.map(of.v, P::TileV::BOX_LINES);
    Launch launch;
    launch.cluster = CLUSTER;
    launch.grid = {clusters * CLUSTER};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = P::BARRIERS_AT + 8 * P::BARRIERS;
    auto attend = attention_wgmma<T, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE,
                                  POLYNOMIAL, HEADS, LONGEST>;
    if constexpr (SKIPS) {
        attend = attention_skips<T, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL,
                                 HEADS, LONGEST>;
    }
    of.tell(name, emulator::run(launch, seed, [&]() {
                attend(tensor_map<CUtensorMap>(&q), tensor_map<CUtensorMap>(&k), tensor_map<CUtensorMap>(&v),
                       of.o.data(), l, heads, group, of.scale());
            }));
}

#ifndef PLANTED
/* Numbers of q become e4m3's times `scale`. */
static std::vector<unsigned char> quantised(std::vector<bf16> &q, float scale) {
    std::vector<unsigned char> codes;
    for (bf16 &value : q) {
        codes.push_back(emulator::e4m3_of((float)value / scale));
        value = bf16(emulator::float_of_e4m3(codes.back()) * scale);
    }
    return codes;
}

template <int D, bool CAUSAL, int BLOCK_N, int SLOTS, int CONSUMERS, int CLUSTER, bool OVERLAP, bool PINGPONG,
          int ABOVE, bool CODES>
static void fp8(const char *name, int l, int heads, int group, unsigned clusters) {
    typedef AttentionPlan<unsigned char, D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, 0, 1,
                          true>
        P;
    Attention<bf16> of(l, heads, group, D, CAUSAL, 4);
    of.most = 0.06; /* powers have three bits */
    const int shared = heads / group, pitch = (l + 15) / 16 * 16;
    std::vector<float> scales((size_t)heads, 0.5f);
    scales.insert(scales.end(), (size_t)shared, 2.0f);
    scales.insert(scales.end(), (size_t)shared, 0.25f);
    std::vector<unsigned char> q = quantised(of.q, 0.5f), k = quantised(of.k, 2.0f), rows = quantised(of.v, 0.25f);
    std::vector<unsigned char> v((size_t)shared * D * pitch);
    for (int i = 0; i < shared * l * D; i++) {
        const int key = i / D % l, in = key % 16, place = in % 8 / 2 * 4 + in / 8 * 2 + in % 2;
        v[((size_t)(i / D / l) * D + i % D) * pitch + key / 16 * 16 + place] = rows[(size_t)i];
    }
    const Map q_map = {q.data(), 1, D, (long)q.size() / D, D, 128, P::TileQ::BOX_LINES, 128};
    const Map k_map = {k.data(), 1, D, (long)k.size() / D, D, 128, P::TileK::BOX_LINES, 128};
    const Map v_map = {v.data(), 1, pitch, (long)shared * D, pitch, 128, P::TileV::BOX_LINES, 128};
    Launch launch;
    launch.cluster = CLUSTER;
    launch.grid = {clusters * CLUSTER};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = CODES ? AttentionCodes<P>::BYTES : P::BARRIERS_AT + 8 * P::BARRIERS;
    const auto attend =
        CODES ? attention_fp8_codes<D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, 0, 1, true>
              : attention_fp8<D, CAUSAL, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, 0, 1, true>;
    of.tell(name, emulator::run(launch, seed, [&]() {
                attend(tensor_map<CUtensorMap>(&q_map), tensor_map<CUtensorMap>(&k_map),
                       tensor_map<CUtensorMap>(&v_map), of.o.data(), scales.data(), l, heads, group, of.scale());
            }));
}

template <typename T, int D, bool CAUSAL, int BLOCK_N, int SLOTS, int HEADS>
static void packed(const char *name, const std::vector<int> &starts, int heads, int group) {
    const int tokens = starts.back();
    typedef AttentionPlan<T, D, CAUSAL, BLOCK_N, SLOTS, 2, 1, true, true, 8, 0, HEADS, true> P;
    Attention<T> of(tokens, heads, group, D, CAUSAL, 4);
    of.starts = starts;
    const Map q = of.map(of.q, P::TileQ::BOX_LINES), k = of.map(of.k, P::TileK::BOX_LINES),
              v = of.map(of.v, P::TileV::BOX_LINES);
    Starts given = {};
    std::copy(starts.begin(), starts.end(), given.starts);
    Launch launch;
    launch.grid = {2};
    launch.threads = 384;
    launch.shared = P::BARRIERS_AT + 8 * P::BARRIERS;
    of.tell(name, emulator::run(launch, seed, [&]() {
                attention_packed<T, D, CAUSAL, BLOCK_N, SLOTS, 2, true, true, 8, 0, HEADS, true>(
                    tensor_map<CUtensorMap>(&q), tensor_map<CUtensorMap>(&k), tensor_map<CUtensorMap>(&v), of.o.data(),
                    given, (int)starts.size() - 1, tokens, heads, group, of.scale());
            }));
}

template <typename T, int D, bool CAUSAL, int BLOCK_N, int WARPS, int BANDS, int SLOTS, int ABOVE, int POLYNOMIAL>
static void fused(const char *name, int l, int heads, int group, float spread) {
    constexpr int BLOCK_M = 16 * WARPS * BANDS;
    Attention<T> of(l, heads, group, D, CAUSAL, spread);
    Launch launch;
    launch.grid = {parts_of(l, BLOCK_M), (unsigned)heads};
    launch.threads = 32 * WARPS;
    launch.shared = (BLOCK_M + SLOTS * BLOCK_N) * D * 2;
    of.tell(name, emulator::run(launch, seed, [&]() {
                attention_mma<T, D, CAUSAL, BLOCK_N, WARPS, BANDS, SLOTS, ABOVE, POLYNOMIAL>(
                    of.q.data(), of.k.data(), of.v.data(), of.o.data(), l, group, of.scale());
            }));
}

template <typename T, int D, bool CAUSAL, int BLOCK>
static void through_memory(const char *name, int l, int heads, int group) {
    Attention<T> of(l, heads, group, D, CAUSAL, 4);
    const int pitch = (l + 63) / 64 * 64;
    std::vector<float4> scores((size_t)heads * l * pitch / 4), powers((size_t)heads * l * pitch / 8);
    memset((void *)scores.data(), 0xff, scores.size() * 16);
    float *s = (float *)scores.data();
    T *p = (T *)powers.data();
    Launch launch;
    launch.grid = {(unsigned)pitch / 64, parts_of(l, BLOCK), (unsigned)heads};
    launch.threads = 2 * BLOCK;
    launch.shared = (BLOCK + 64) * D * 2;
    std::string fault = emulator::run(launch, seed, [&]() {
        attention_scores<T, D, BLOCK>(of.q.data(), of.k.data(), s, l, pitch, group, of.scale());
    });
    launch.grid = {parts_of(heads * l, 4)};
    launch.threads = 128;
    fault += emulator::run(launch, seed, [&]() { attention_softmax<T, CAUSAL>(s, p, heads * l, l, pitch); });
    launch.grid = {parts_of(l, BLOCK), (unsigned)heads};
    launch.threads = 2 * BLOCK;
    launch.shared = 2 * (BLOCK + D) * 64 * 2;
    fault += emulator::run(launch, seed,
                           [&]() { attention_values<T, D, BLOCK>(p, of.v.data(), of.o.data(), l, pitch, group); });
    of.tell(name, fault);
}

static void run_all() {
    roles<__half, 64, false, 64, 4, 2, 1, true, true, 8, 0, 1, false>("overlap and ping-pong", 150, 2, 2, 1, 4);
    roles<__half, 64, true, 48, 3, 2, 1, true, true, 8, 4, 2, true>("causal, two heads at a time", 140, 3, 1, 2, 40);
    roles<bf16, 128, true, 80, 2, 1, 1, true, false, 0, 0, 1, true>("two slots", 90, 1, 1, 1, 4);
    roles<__half, 64, false, 32, 5, 2, 2, false, true, 4, 2, 1, false>("clusters of two", 140, 1, 1, 1, 40);
    roles<__half, 64, true, 48, 3, 2, 2, true, true, 8, 0, 1, true>("causal, clusters of two", 300, 1, 1, 1, 40);
    roles<__half, 64, false, 64, 4, 2, 2, true, true, 8, 0, 1, false>("shorter than a block", 40, 3, 1, 1, 40);
    roles<__half, 64, true, 64, 4, 3, 1, false, false, 8, 8, 64, true>("three warpgroups", 193, 1, 1, 1, 40);
    roles<__half, 64, true, 48, 3, 3, 1, true, false, 8, 0, 64, true, true>("blocks passed by", 300, 2, 2, 1, 40);
    roles<__half, 64, true, 64, 4, 2, 2, true, false, 8, 0, 1, true, true>("passed by in pairs", 193, 1, 1, 1, 40);
    roles<__half, 256, false, 16, 2, 1, 1, true, false, 8, 0, 1, false>("256 wide", 33, 1, 1, 1, 4);
    fp8<128, false, 128, 3, 2, 1, true, true, 4, false>("e4m3", 150, 2, 2, 1);
    fp8<128, true, 128, 2, 1, 1, true, false, 0, false>("e4m3, causal", 140, 2, 1, 2);
    fp8<128, false, 128, 3, 2, 1, true, true, 4, true>("e4m3, powers as codes", 150, 1, 1, 1);
    packed<__half, 64, true, 48, 4, 2>("sequences of 140, 64 and 1", {0, 140, 204, 205}, 2, 2);
    fused<__half, 64, true, 64, 4, 1, 2, 8, 0>("mma.sync, causal", 75, 2, 2, 40);
    fused<bf16, 128, false, 32, 4, 2, 3, 0, 4>("mma.sync, two bands", 67, 1, 1, 4);
    through_memory<__half, 64, true, 64>("through memory, causal", 71, 1, 1);
}

#else

static void run_all() {
    roles<__half, 64, false, 64, 4, 2, 1, true, true, 8, 0, 1, false>("planted", 200, 2, 2, 2, 4);
}

#endif
