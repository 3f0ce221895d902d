/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_experiments [SEED]: the experiments against their references, in sizes that fill no block. */
#include "emulator/product.hpp"

#include <cstdio>
#include <cstdlib>

#include "planted.h"

#include "experiments.cu"

namespace reference {
#define live 5
#define instruction_shift 3
#define instruction 3
#include "experiments_reference.cu"
#undef live
#undef instruction
} // namespace reference

static unsigned seed = 1;
static int failures;

/* Both have the same numbers in y before; `body` and `wanted` take them for one thread. */
template <class Y, class W, class Body, class Wanted>
static void same(const char *name, size_t count, long long blocks, unsigned threads, size_t shared, const Body &body,
                 const Wanted &wanted, size_t items = 0) {
    std::vector<Y> y(count + 8, (Y)77);
    std::vector<W> z(count + 8, (W)77);
    emulator::Launch launch, plain;
    launch.grid = {(unsigned)blocks};
    launch.threads = threads;
    launch.shared = shared;
    plain.grid = {(unsigned)((items > count ? items : count) + 255) / 256};
    plain.threads = 256;
    std::string fault = emulator::run(launch, seed, [&] { body(y.data()); });
    fault += emulator::run(plain, seed, [&] { wanted(z.data()); });
    for (size_t i = 0; fault.empty() && i < y.size(); i++) {
        if (y[i] != (Y)z[i]) {
            fault = "element " + std::to_string(i) + " is " + std::to_string(y[i]) + ", not " + std::to_string(z[i]);
        }
    }
    if (!fault.empty()) {
        printf("%s, seed %u: %s\n", name, seed, fault.c_str());
        failures++;
    }
}

template <class Body, class Wanted>
static void words(const char *name, size_t count, long long blocks, unsigned threads, size_t shared, const Body &body,
                  const Wanted &wanted, size_t items = 0) {
    same<unsigned, unsigned>(name, count, blocks, threads, shared, body, wanted, items);
}

template <Way WAY> static void sums(const char *name, const unsigned *x) {
    words(
        name, 301, 3, 128, 0, [=](unsigned *y) { warp_sums<WAY, 128>(x, y, 301); },
        [=](unsigned *y) { reference::warp_sums_reference(x, y, 301); });
}

template <Scope SCOPE> static void add_up(const char *name, const unsigned *x, unsigned addresses, unsigned width) {
    words(
        name, addresses, 2, 256, 0, [=](unsigned *y) { additions<SCOPE>(x, y, 5003, addresses, width); },
        [=](unsigned *y) { reference::additions_reference(x, y, 5003, addresses); }, 5003);
}

static void run_all() {
    std::mt19937 drawn(seed);
    std::vector<unsigned> numbers(6000);
    std::vector<int> signs(1000);
    for (unsigned &number : numbers) {
        number = drawn();
    }
    for (int &sign : signs) {
        sign = (int)(drawn() % 3) - 1;
    }
    const unsigned *x = numbers.data();
    for (int stride : {1, 6, 32}) {
        words(
            "banks", 301, 2, 256, 4 * (31 * stride + 512), [=](unsigned *y) { banks<256>(x, y, 301, stride); },
            [=](unsigned *y) { reference::banks_reference(x, y, 301, stride); });
    }
    for (int paths : {1, 5, 32}) {
        for (int lanes : {17, 32}) {
            words(
                "mixed paths", 1301, 2, 1024, 0, [=](unsigned *y) { divergence<false>(x, y, 1301, paths, lanes); },
                [=](unsigned *y) { reference::divergence_reference(x, y, 1301, paths, lanes); });
            words(
                "sorted paths", 1301, 2, 1024, 0, [=](unsigned *y) { divergence<true>(x, y, 1301, paths, lanes); },
                [=](unsigned *y) { reference::divergence_reference(x, y, 1301, paths, lanes); });
        }
    }
    sums<shuffles>("shuffles", x);
    sums<redux>("redux", x);
    sums<tree>("tree", x);
    sums<broadcast>("broadcast", x);
    words(
        "occupancy", 301, 2, 256, 0, [=](unsigned *y) { occupancy<5, 256, 256>(x, y, 301); },
        [=](unsigned *y) { reference::occupancy_reference(x, y, 301); });
    same<float, double>(
        "chains", 1000, 2, 64, 0, [&](float *y) { chains<3, 2>(signs.data(), y, 1000); },
        [&](double *y) { reference::chains_reference(signs.data(), y, 1000); });
    add_up<of_device>("one address", x, 1, 1);
    add_up<of_system>("a few", x, 101, 50);
    add_up<of_block>("many", x, 7000, 3500);
    words(
        "rates", 301, 2, 256, 0, [=](unsigned *y) { rates<shift>(x, y, 301); },
        [=](unsigned *y) { reference::rates_reference(x, y, 301); });
}

#include "emulator/emulated_main.hpp"
