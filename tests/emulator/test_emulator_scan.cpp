/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_scan [SEED]: kernels whose tiles wait for each other, in sizes that fill no tile, launched twice: what
 * a launch leaves behind is what the next one finds. Values are small integers, so that every order is exact. */
#include "emulator/product.hpp"

#include "argmax.cu"
#include "scan.cu"
#include "segmented_sum.cu"
#include "select.cu"
#include "top_k.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;

static void tell(const char *name, long long n, const std::string &fault) {
    tell(std::string(name) + ", n " + std::to_string(n), fault);
}

template <typename T> struct Numbers {
    std::vector<T> x, y;
    std::vector<unsigned long long> state;
    std::vector<T> sums;

    Numbers(long long n, unsigned tiles) : x(n + 4), y(n + 8), state(2 + 2 * tiles), sums(tiles + 8) {
        std::mt19937 drawn(seed);
        for (T &value : x) {
            value = (T)((int)(drawn() % 17) - 8);
        }
    }
    void poison() {
        memset((void *)y.data(), 0x5a, y.size() * sizeof(T));
    }
    std::string wrong(long long n) const {
        T sum = 0;
        for (long long i = 0; i < n; i++) {
            sum += x[i];
            if (y[i] != sum) {
                return "wrong: y[" + std::to_string(i) + "] is " + std::to_string(y[i]) + ", not " +
                       std::to_string(sum);
            }
        }
        T poisoned;
        memset((void *)&poisoned, 0x5a, sizeof(T));
        return memcmp(&y[n], &poisoned, sizeof(T)) ? "written behind the end" : "";
    }
};

/* Vectors want addresses that are multiples of 16 bytes, which those of std::vector are on 64-bit machines. */
template <typename T, class Body>
static void twice(const char *name, long long n, Numbers<T> &numbers, const Launch &launch, const Body &body) {
    for (int i = 0; i < 2; i++) {
        numbers.poison();
        const std::string fault = emulator::run(launch, seed + i, body);
        tell(name, n, fault.empty() ? numbers.wrong(n) : fault);
        for (T &value : numbers.x) { /* what is left of this launch is no answer in the next */
            value = (T)1 - value;
        }
    }
}

template <typename T, int BLOCK, int ROWS> static void look_back(const char *name, long long n) {
    Launch launch;
    launch.threads = BLOCK;
    launch.grid = {parts_of(n, BLOCK * ROWS * 16 / sizeof(T))};
    launch.at_once = 5;
    Numbers<T> numbers(n, launch.grid.x);
    twice(name, n, numbers, launch, [&]() {
        scan_look_back<T, BLOCK, ROWS, 1024, 0>(numbers.x.data(), numbers.y.data(), numbers.state.data(), n);
    });
}

template <typename T, int TILE, int STAGES, int WARPS, int SUMMERS>
static void look_ahead(const char *name, long long n, unsigned blocks) {
    Launch launch;
    launch.threads = 32 * (WARPS + SUMMERS + 2);
    launch.grid = {blocks};
    launch.shared = STAGES * (TILE + (WARPS + 2) * sizeof(T) + 8 + 5 * 8);
    Numbers<T> numbers(n, parts_of(n * sizeof(T), TILE));
    twice(name, n, numbers, launch, [&]() {
        scan_look_ahead<T, TILE, STAGES, WARPS, SUMMERS, 1>(numbers.x.data(), numbers.y.data(), numbers.state.data(),
                                                            n);
    });
}

#ifndef PLANTED
template <typename T> static void three(long long n) {
    Launch launch;
    launch.threads = 64;
    launch.grid = {parts_of(n, 64 * 16 / sizeof(T))};
    Numbers<T> numbers(n, launch.grid.x);
    T *x = numbers.x.data(), *y = numbers.y.data(), *sums = numbers.sums.data();
    const int tiles = (int)launch.grid.x;
    tell("scan_sums", n, emulator::run(launch, seed, [&]() { scan_sums<T, 64, 1>(x, sums, n); }));
    Launch one = launch;
    one.grid = {1};
    one.threads = 32;
    tell("scan_of_sums", n, emulator::run(one, seed, [&]() { scan_of_sums<T, 32, 1>(sums, tiles); }));
    numbers.poison();
    const auto fault = emulator::run(launch, seed, [&]() { scan_add<T, 64, 1, true>(x, y, sums, n); });
    tell("three kernels", n, fault.empty() ? numbers.wrong(n) : fault);
}
#endif

#ifndef PLANTED
/* How much was kept goes to `count`, whose neighbour must stay. */
template <bool STAGED> static void select_below(const char *name, long long n, int limit, bool one_pass) {
    Launch launch;
    launch.threads = 64;
    launch.grid = {parts_of(n, 64 * 2 * 4)};
    launch.at_once = 3;
    Numbers<int> numbers(n, launch.grid.x);
    std::vector<int> kept;
    for (long long i = 0; i < n; i++) {
        if (numbers.x[i] < limit) {
            kept.push_back(numbers.x[i]);
        }
    }
    int *x = numbers.x.data(), *y = numbers.y.data(), *sums = numbers.sums.data(), count[2];
    const int tiles = (int)launch.grid.x;
    Launch one = launch;
    one.grid = {1};
    for (int i = 0; i < 2; i++) {
        numbers.poison();
        count[0] = count[1] = -1;
        if (!one_pass) {
            tell(name, n, emulator::run(launch, seed, [&]() { select_count<64, 2>(x, sums, n, limit); }));
            tell(name, n, emulator::run(one, seed, [&]() { scan_of_sums<int, 64, 1>(sums, tiles); }));
        }
        tell(name, n, emulator::run(launch, seed + i, [&]() {
                 if (one_pass) {
                     select_look_back<64, 2, STAGED, 1024>(x, y, count, numbers.state.data(), n, limit);
                 } else {
                     select_write<64, 2, STAGED>(x, y, count, sums, n, limit);
                 }
             }));
        const size_t size = kept.size();
        tell(name, n, count[0] == (int)size && count[1] == -1 ? "" : "wrong count");
        tell(name, n, memcmp(y, kept.data(), 4 * size) == 0 && y[size] == 0x5a5a5a5a ? "" : "wrong elements");
    }
}

/* Offsets with empty segments, at both ends and between. */
static std::vector<int> some_offsets(int n, int segments) {
    std::mt19937 drawn(seed);
    std::vector<int> offsets(segments + 1);
    for (int &offset : offsets) {
        offset = (int)(drawn() % (unsigned)(n + 1));
    }
    for (int i = 0; i < segments / 4; i++) {
        offsets[i] = i % 2 ? 0 : n;
        offsets[segments - i] = n / 2;
    }
    std::sort(offsets.begin(), offsets.end());
    offsets.front() = 0;
    offsets.back() = n;
    return offsets;
}

template <class Body>
static void segments_of(const char *name, int n, int segments, unsigned blocks, unsigned threads, const Body &body) {
    const std::vector<int> offsets = some_offsets(n, segments);
    Numbers<int> numbers(n, 1);
    std::vector<int> y(segments + 1, 0);
    y[segments] = -1;
    Launch launch;
    launch.threads = threads;
    launch.grid = {blocks};
    tell(name, n, emulator::run(launch, seed, [&]() { body(numbers.x.data(), offsets.data(), y.data()); }));
    for (int s = 0; s < segments; s++) {
        int sum = 0;
        for (int i = offsets[s]; i < offsets[s + 1]; i++) {
            sum += numbers.x[i];
        }
        if (y[s] != sum) {
            tell(name, n,
                 "wrong: segment " + std::to_string(s) + " is " + std::to_string(y[s]) + ", not " +
                     std::to_string(sum));
            break;
        }
    }
    tell(name, n, y[segments] == -1 ? "" : "written behind the end");
}

template <int TEAM> static void teams(int n, int segments) {
    segments_of("segments by teams", n, segments, parts_of(segments, 64 / TEAM), 64,
                [&](const int *x, const int *offsets, int *y) { segmented_teams<64, TEAM>(x, offsets, y, segments); });
}
static void stretches(int n, int segments) {
    segments_of(
        "segments by stretches", n, segments, parts_of(n, 2 * 512), 64,
        [&](const int *x, const int *offsets, int *y) { segmented_stretches<64, 512>(x, offsets, y, n, segments); });
}

static void largest(long long n, unsigned blocks) {
    Numbers<float> numbers(n, 1);
    const float *x = numbers.x.data();
    unsigned long long best = 0;
    unsigned done = 0;
    Launch launch;
    launch.threads = 64;
    launch.grid = {blocks};
    for (int i = 0; i < 2; i++) {
        int index = -1;
        tell("argmax", n, emulator::run(launch, seed + i, [&]() { argmax_keys<64, 2>(x, &index, &best, &done, n); }));
        tell("argmax", n, index == (int)(std::max_element(x, x + n) - x) ? "" : "wrong place");
    }
}

/* Few values and many equal ones, or all different. */
template <class Body> static void top(const char *name, int rows, int cols, int k, bool equal, const Body &body) {
    std::vector<float> x((size_t)rows * cols), values((size_t)rows * k);
    std::vector<int> places((size_t)rows * k);
    std::mt19937 drawn(seed);
    for (float &value : x) {
        value = equal ? (float)(drawn() % 3) - 1 : (float)(drawn() % 1000003) - 5e5f;
    }
    Launch launch;
    launch.threads = 64;
    launch.grid = {(unsigned)rows};
    tell(name, cols, emulator::run(launch, seed, [&]() { body(x.data(), values.data(), places.data(), cols, k); }));
    for (int row = 0; row < rows; row++) {
        std::vector<int> order(cols);
        for (int i = 0; i < cols; i++) {
            order[i] = i;
        }
        const float *of_row = &x[(size_t)row * cols];
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return of_row[a] > of_row[b]; });
        for (int i = 0; i < k; i++) {
            if (places[row * k + i] != order[i] || values[row * k + i] != of_row[order[i]]) {
                tell(name, cols, "wrong: rank " + std::to_string(i) + " of row " + std::to_string(row));
                return;
            }
        }
    }
}
#endif

static void run_all() {
    look_ahead<int, 2048, 3, 4, 2>("look-ahead", 4099, 3);
#ifndef PLANTED
    look_ahead<int, 1024, 2, 2, 2>("look-ahead, one block", 1280, 1);
    look_ahead<double, 2048, 3, 2, 1>("look-ahead fp64", 4097, 4);
    look_ahead<float, 4096, 4, 4, 4>("look-ahead, less than a tile", 771, 2);
    look_back<int, 64, 2>("look-back", 20003);
    look_back<double, 64, 2>("look-back fp64", 5001);
    look_back<float, 128, 1>("look-back, whole tiles", 4096);
    three<int>(33003); /* more tiles than scan_of_sums takes at once */
    three<double>(1027);
    select_below<true>("select", 5003, 1, true);
    select_below<false>("select, stores of elements", 2048, -8, true);
    select_below<true>("select by three kernels", 5003, 8, false);
    teams<1>(700, 65);
    teams<8>(700, 65);
    teams<64>(3000, 7);
    stretches(2003, 301);
    stretches(1024, 1);
    stretches(515, 2000);
    largest(3, 1);
    largest(5003, 3);
    top("top-k by passes", 2, 131, 5, true, top_k_passes<1, 64>);
    top("top-k by lists", 2, 1004, 33, false, top_k_lists<4, 64, 2, 2>);
    top("top-k by lists, equal ones", 2, 333, 32, true, top_k_lists<1, 64, 4, 1>);
    top("top-k by radix", 2, 1004, 64, false, top_k_radix<4, 64>);
    top("top-k by radix, equal ones", 2, 1003, 50, true, top_k_radix<1, 64>);
#endif
}
