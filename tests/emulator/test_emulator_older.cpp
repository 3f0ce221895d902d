/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_emulator_older [SEED]: kernels by mma.sync as sm_75 has them: without cp.async, with half the depth an
 * instruction, with bf16 and TF32 by FMA, and with e4m3 that shifts widen, which sm_80 has as well.
 */
#define __CUDA_ARCH__ 750
#include "emulator/product.hpp"

#include "decode_mla_mma.cu" /* first: of two LOWEST it takes attention's, as those below */

#include "attention_packed_mma.cu"
#include "convolution_mma.cu"
#include "decode_mma.cuh"
#include "matmul_mma.cu"
#include "matmul_mma_finish.cu"
#include "matmul_mma_scaled.cu"
#include "matmul_mma_turns.cu"

#include "emulator/emulated_test.hpp"
#include "emulator/paged_cache.hpp"

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

template <bool A_BY_K, bool B_BY_K, bool ALIGNED> static void finish(const char *name, int m, int n, int k) {
    Product<__nv_bfloat16, __nv_bfloat16> product(m, n, k, seed, A_BY_K, B_BY_K);
    const Launch launch = launch_of(parts_of(n, 64) * parts_of(m, 64), 128, 2 * 128 * 64 * 2);
    const float alpha = 2;
    const std::string fault = emulator::run(launch, seed, [&]() {
        matmul_mma_finish<__nv_bfloat16, A_BY_K, B_BY_K, ALIGNED, 64, 64, 64, 32, 32, 2, 8, Scale>(
            product.a.data(), product.b.data(), product.c.data(), &alpha, m, n, k);
    });
    tell(name, fault.empty() ? product.wrong(false, 0, [](int, int, double sum) { return 2 * sum; }) : fault);
}

static void turns(int m, int n, int k) {
    Product<__nv_bfloat16, __nv_bfloat16> product(m, n, k, seed);
    const std::string fault = emulator::run(launch_of(1, 128, 3 * 128 * 64), seed, [&]() {
        matmul_mma_turns<__nv_bfloat16, true, 64, 64, 32, 32, 32, 3, 8, 1>(product.a.data(), product.b.data(),
                                                                           product.c.data(), m, n, k);
    });
    tell("bf16 in turns", fault.empty() ? product.wrong(false) : fault);
}

/* Channels of ones: an output is the number of taps in the image, times the channels and its filter's number. */
static void convolve(int height, int width, int channels, int outputs) {
    std::vector<__nv_bfloat16> x(height * width * channels, __nv_bfloat16(1.0f)), taps(outputs * 9 * channels),
        y(height * width * outputs);
    for (size_t i = 0; i < taps.size(); i++) {
        taps[i] = __nv_bfloat16((float)(i / (9 * channels) % 3) - 1);
    }
    const Launch launch = launch_of(parts_of(height * width, 64) * parts_of(outputs, 64), 128, 2 * 128 * 64);
    std::string fault = emulator::run(launch, seed, [&]() {
        convolution_mma<true, 64, 64, 32, 32, 32, 2, 1>(x.data(), taps.data(), y.data(), 1, height, width, channels,
                                                        outputs);
    });
    for (int at = 0; at < (int)y.size() && fault.empty(); at++) {
        const int row = at / outputs / width, column = at / outputs % width;
        const int down = 3 - (row == 0) - (row == height - 1), right = 3 - (column == 0) - (column == width - 1);
        if ((float)y[at] != (float)(down * right * channels * (at % outputs % 3 - 1))) {
            fault = "wrong: element " + std::to_string(at) + " is " + std::to_string((float)y[at]);
        }
    }
    tell("convolution of bf16", fault);
}

/* decode_mma.cuh's instructions are matmul_fragments.cuh's. */
static void decoding() {
    std::string wrong;
    const std::string fault = emulator::run(Launch(), seed, [&]() {
        const auto pair = [](int i) { return rounded_pair<__half>((float)(i * 7 % 5 - 2), (float)(i * 11 % 7 - 3)); };
        const int at = threadIdx.x * 6;
        const unsigned a[4] = {pair(at), pair(at + 1), pair(at + 2), pair(at + 3)}, b[2] = {pair(at + 4), pair(at + 5)};
        float sums[4] = {1, 2, 3, 4}, same[4] = {1, 2, 3, 4};
        multiply_add<__half>(sums, a[0], a[1], a[2], a[3], b[0], b[1]);
        Multiply<__half>::add(same, a, b);
        for (int i = 0; i < 4; i++) {
            if (sums[i] != same[i]) {
                wrong = "wrong: sum " + std::to_string(i);
            }
        }
    });
    tell("decode's fp16", fault + wrong);
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
    multiply<float, false, 2, false>("TF32 by FMA, odd", 63, 61, 19);
    finish<true, true, true>("bf16 by FMA", 62, 56, 40);
    finish<false, false, false>("bf16 by FMA, NT, odd", 61, 59, 37);
    turns(66, 56, 40);
    convolve(5, 9, 8, 40);
    decoding();
    mla_mma<MlaTiles<1, 1>, 1>("MLA by FMA", {30}, 5, 32, 64, decode_mla_mma<1, 1>);
    widening();
    attention("sequences of 75, 64 and 1", {0, 75, 139, 140}, 2, 2);
}
