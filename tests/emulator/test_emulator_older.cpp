/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_emulator_older [SEED]: kernels by mma.sync as sm_75 has them: without cp.async, with half the depth an
 * instruction, and with e4m3 that shifts widen, which sm_80 has as well.
 */
#define __CUDA_ARCH__ 750
#include "emulator/product.hpp"

#include "attention_packed_mma.cu"
#include "matmul_mma.cu"
#include "matmul_mma_finish.cu"
#include "matmul_mma_scaled.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;
using emulator::Product;

template <typename T, bool ALIGNED, int STAGES, bool AHEAD>
static void multiply(const char *name, int m, int n, int k) {
    constexpr int BLOCK_K = 64 / sizeof(T);
    Product<T, typename Multiply<T>::Out> product(m, n, k, seed);
    Launch launch;
    launch.grid = {parts_of(n, 64) * parts_of(m, 64)};
    launch.threads = 128;
    launch.shared = std::max<size_t>(STAGES * 128 * 64, sizeof(T) == 2 ? 4 * 32 * 40 * 2 : 0);
    const std::string fault = emulator::run(launch, seed, [&]() {
        matmul_mma<T, ALIGNED, 64, 64, BLOCK_K, 32, 32, STAGES, true, AHEAD, 8, 1>(product.a.data(), product.b.data(),
                                                                                   (T *)product.c.data(), m, n, k);
    });
    tell(name, fault.empty() ? product.wrong(false) : fault);
}

/* Every e4m3 that is a number becomes it. */
static void widening() {
    std::string wrong;
    const std::string fault = emulator::run(Launch(), seed, [&]() {
        for (unsigned code = 0; code < 256 && threadIdx.x == 0; code++) {
            unsigned low, high;
            widen_e4m3(code << 8 | code << 16 | (code ^ 0x80) << 24, low, high);
            const float is = emulator::float_of_e4m3(code);
            if ((code & 0x7f) != 0x7f &&
                (low & 0xffff || emulator::float_of_fp16(low >> 16) != is ||
                 emulator::float_of_fp16(high & 0xffff) != is || emulator::float_of_fp16(high >> 16) != -is)) {
                wrong = "wrong: e4m3 " + std::to_string(code) + " is " + std::to_string(is);
            }
        }
    });
    tell("widening", fault + wrong);
}

/* Keys and values are the same for all of a head's queries of a sequence: Q is 0, so O is the mean of what is seen. */
static void attention(const char *name, const std::vector<int> &starts, int heads, int group) {
    constexpr int D = 64;
    const int tokens = starts.back();
    std::vector<__half> q((size_t)heads * tokens * D), k((size_t)heads / group * tokens * D), v(k.size()), o(q.size());
    for (size_t i = 0; i < k.size(); i++) {
        k[i] = __half((float)(i % 7) - 3);
        v[i] = __half((float)(i * 7919 % 17) - 8);
    }
    for (size_t i = 0; i < q.size(); i++) {
        q[i] = __half(0.0f);
    }
    Starts given = {};
    std::copy(starts.begin(), starts.end(), given.starts);
    Launch launch;
    launch.grid = {parts_of(tokens, 64), (unsigned)heads, (unsigned)starts.size() - 1};
    launch.threads = 128;
    launch.shared = (64 + 2 * 32) * D * 2;
    std::string fault = emulator::run(launch, seed, [&]() {
        attention_packed_mma<__half, D, true, 32, 4, 1, 2>(q.data(), k.data(), v.data(), o.data(), given, tokens, group,
                                                           0.125f);
    });
    for (size_t s = 0; s + 1 < starts.size() && fault.empty(); s++) {
        for (int head = 0; head < heads; head++) {
            double sums[D] = {};
            for (int row = starts[s]; row < starts[s + 1]; row++) {
                for (int i = 0; i < D; i++) {
                    sums[i] += (float)v[((size_t)(head / group) * tokens + row) * D + i];
                    const double is = (float)o[((size_t)head * tokens + row) * D + i];
                    if (!(std::fabs(is - sums[i] / (row - starts[s] + 1)) < 0.01)) {
                        fault = "wrong: head " + std::to_string(head) + ", row " + std::to_string(row);
                    }
                }
            }
        }
    }
    tell(name, fault);
}

static void run_all() {
    multiply<__half, true, 3, true>("fp16", 70, 72, 104);
    multiply<__half, false, 2, false>("fp16, odd", 65, 67, 71);
    multiply<signed char, true, 2, true>("int8", 70, 67, 144);
    multiply<unsigned char, true, 2, false>("e4m3", 65, 72, 144);
    widening();
    attention("sequences of 75, 64 and 1", {0, 75, 139, 140}, 2, 2);
}
