/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_experiments [SEED]: the experiments against their references, in sizes that fill no block. */
#include "emulator/product.hpp"

#include "arrivals.cu"
#include "experiments.cu"
#include "phases.cu"

namespace reference {
#include "arrivals_reference.cu"
#undef AT
#define live 5
#define instruction_shift 3
#define instruction 3
#include "experiments_reference.cu"
#include "phases_reference.cu"
#undef live
#undef instruction
} // namespace reference

#include "emulator/emulated_test.hpp"

/* Both have the same numbers in y before; `body` and `wanted` take them for one thread. */
template <class Y, class W, class Body, class Wanted>
static void same(const char *name, size_t count, long long blocks, unsigned threads, size_t shared, const Body &body,
                 const Wanted &wanted, size_t items = 0) {
    std::vector<Y> y(count + 8, (Y)77);
    std::vector<W> z(count + 8, (W)77);
    const emulator::Launch launch = launch_of(blocks, threads, shared);
    const emulator::Launch plain = launch_of(parts_of(items > count ? items : count, 256), 256);
    std::string fault = emulator::run(launch, seed, [&] { body(y.data()); });
    fault += emulator::run(plain, seed, [&] { wanted(z.data()); });
    for (size_t i = 0; fault.empty() && i < y.size(); i++) {
        if (y[i] != (Y)z[i]) {
            fault = "element " + std::to_string(i) + " is " + std::to_string(y[i]) + ", not " + std::to_string(z[i]);
        }
    }
    tell(name, fault);
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

/* Three blocks. */
template <int STAGES> static void arrive(const unsigned *x, long long n) {
    const auto wanted = [=](unsigned *y) { reference::arrive_reference(x, y, n, 3); };
    const emulator::Map map = {(unsigned char *)x, 4, 256, (long)n / 256, 256, 256, 4, 0};
    const auto accelerator = [&](const char *name, auto kernel) {
        words(
            name, 768, 3, 256, STAGES * 4104,
            [=, &map](unsigned *y) { kernel(emulator::tensor_map<CUtensorMap>(&map), x, y, n); }, wanted);
    };
    words(
        "loads", 768, 3, 256, 0, [=](unsigned *y) { arrive_by_threads<loads, STAGES>(x, y, n); }, wanted);
    words(
        "copies", 768, 3, 256, STAGES * 4096, [=](unsigned *y) { arrive_by_threads<copies, STAGES>(x, y, n); }, wanted);
    accelerator("bulk copies", arrive_by_accelerator<false, STAGES>);
    accelerator("tensor map", arrive_by_accelerator<true, STAGES>);
}

/* Twice: what a launch leaves behind is what the next one finds. */
static void chain_of_phases(const unsigned *x, long long n, int count) {
    const int tiles = (int)parts_of(n, 1024), blocks = tiles < 3 ? tiles : 3;
    std::vector<unsigned> even(n + 4), odd(n + 4), done(tiles), met(1);
    std::vector<unsigned long long> state(2);
    const auto chain_to = [&](unsigned *y) {
        return Chain{x, x + 7 * 4, {even.data(), odd.data()}, y, n, count, tiles};
    };
    const auto wanted = [=](unsigned *y) { reference::phases_reference(x + 7 * 4, x, y, n, count); };
    for (int i = 0; i < 2; i++) {
        words(
            "a cooperative grid", n, blocks, 256, 0, [&](unsigned *y) { meeting<2>(chain_to(y), met.data()); }, wanted);
        words(
            "blocks that draw tiles", n, blocks, 256, 0,
            [&](unsigned *y) { drawing<2>(chain_to(y), state.data(), done.data()); }, wanted);
    }
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
    arrive<1>(x, 5003);
    arrive<2>(x, 1023);
    words(
        "computed", 301, 2, 288, 0, [=](unsigned *y) { computed(x, y, 301, x, 5003, 99, pieces); },
        [=](unsigned *y) { reference::computed_reference(x, y, 301, 99); });
    words(
        "a link", 301, 2, 256, 0, [=](unsigned *y) { chain_link<true>(x, x + 301, y, 301); },
        [=](unsigned *y) { reference::links_reference(x + 301, x, y, 301, 1); });
    words(
        "a phase", 2301, 3, 256, 0, [=](unsigned *y) { phase(Chain{x, x + 28, {}, y, 2301, 1, 3}, 0); },
        [=](unsigned *y) { reference::phases_reference(x + 28, x, y, 2301, 1); });
    chain_of_phases(x, 5003, 4);
    chain_of_phases(x, 700, 3);
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
