/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_gather [SEED]: rows by their ids, read and added to, in numbers that fill no batch. */
#include "emulator/product.hpp"

#include "gather.cu"
#include "gather_binned.cu"
#include "scatter_add.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;

/* t of v rows of d floats; every third id is the same row. */
struct Rows {
    int t, d, v;
    std::vector<int> ids;
    std::vector<float> table, x, wanted;

    Rows(int rows, int floats, int of, bool adds)
        : t(rows), d(floats), v(of), ids(t), table((size_t)v * d), x((size_t)t * d + 4, -1) {
        std::mt19937 drawn(seed);
        for (int i = 0; i < t; i++) {
            ids[i] = i % 3 ? (int)(drawn() % (unsigned)v) : v / 2;
        }
        for (float &value : table) {
            value = (float)(int)(drawn() % 1000);
        }
        wanted = adds ? table : x;
        for (size_t i = 0; i < (size_t)t * d; i++) {
            const size_t there = (size_t)ids[i / d] * d + i % d;
            if (adds) {
                x[i] = (float)(int)(drawn() % 9) - 4;
                wanted[there] += x[i];
            } else {
                wanted[i] = table[there];
            }
        }
    }
    void tell(const char *name, const std::string &fault, const std::vector<float> &got) const {
        std::string what = fault;
        for (size_t i = 0; what.empty() && i < wanted.size(); i++) {
            if (got[i] != wanted[i]) {
                what = "wrong: element " + std::to_string(i) + " is " + std::to_string(got[i]);
            }
        }
        ::tell(std::string(name) + ", " + std::to_string(t) + " rows of " + std::to_string(d), what);
    }
};

template <int ROWS, int STAGES> static void gather_by_copies(int t, int d, unsigned blocks) {
    Rows rows(t, d, 50, false);
    const Launch launch = launch_of(blocks, 32, STAGES * (ROWS * 4 * d + 8));
    const auto fault = emulator::run(launch, seed, [&]() {
        gather_bulk<ROWS, STAGES>(rows.ids.data(), (const char *)rows.table.data(), (char *)rows.x.data(), t, 4 * d);
    });
    rows.tell("gather by copies", fault, rows.x);
}

template <int ROWS, int STAGES> static void add_by_copies(int t, int d, unsigned blocks) {
    Rows rows(t, d, 50, true);
    const Launch launch = launch_of(blocks, 32, STAGES * (ROWS * 4 * d + 8));
    const auto fault = emulator::run(launch, seed, [&]() {
        scatter_bulk<ROWS, STAGES>(rows.ids.data(), (const char *)rows.x.data(), (char *)rows.table.data(), t, 4 * d);
    });
    rows.tell("addition by copies", fault, rows.table);
}

#ifndef PLANTED
template <class Body> static void gather(const char *name, int t, int d, long long blocks, const Body &body) {
    Rows rows(t, d, 50, false);
    const auto fault =
        emulator::run(launch_of(blocks, 64), seed, [&]() { body(rows.ids.data(), rows.table.data(), rows.x.data()); });
    rows.tell(name, fault, rows.x);
}

template <int VEC, int ITEMS> static void add_words(int t, int d) {
    Rows rows(t, d, 50, true);
    const long long blocks = ((long long)t * (d / VEC) + 64 * ITEMS - 1) / (64 * ITEMS);
    const auto fault = emulator::run(launch_of(blocks, 64), seed, [&]() {
        scatter_words<VEC, 64, ITEMS>(rows.ids.data(), rows.x.data(), rows.table.data(), t, d);
    });
    rows.tell("addition of words", fault, rows.table);
}
#endif

#ifndef PLANTED
template <int VEC, int TEAM, int ROWS> static void add_combined(int t, int d) {
    Rows rows(t, d, 50, true);
    const int at_once = 64 / TEAM * ROWS;
    const auto fault = emulator::run(launch_of((t + at_once - 1) / at_once, 64), seed, [&]() {
        scatter_combined<VEC, 64, TEAM, ROWS>(rows.ids.data(), rows.x.data(), rows.table.data(), t, d);
    });
    rows.tell("addition of combined rows", fault, rows.table);
}
#endif

#ifndef PLANTED
static void add_fetched(int t, int d) {
    Rows rows(t, d, 50, true);
    const auto fault = emulator::run(launch_of(((long long)t * d / 4 + 127) / 128, 64), seed, [&]() {
        scatter_fetched<4, 64, 2>(rows.ids.data(), rows.x.data(), rows.table.data(), t, d);
    });
    rows.tell("addition to fetched lines", fault, rows.table);
}

static void gather_by_segments(int t, int v, int shift) {
    constexpr int TILE = 64 * 2 * 4, BINS = 32;
    Rows rows(t, 1, v, false);
    const int tiles = (t + TILE - 1) / TILE, blocks = (tiles + 3) / 4;
    std::vector<int> binned((size_t)tiles * TILE);
    std::vector<uint2> places(binned.size() / 4);
    std::vector<unsigned short> starts((size_t)tiles * (BINS + 1));
    std::string fault = emulator::run(launch_of(tiles, 64, 4 * TILE), seed, [&]() {
        gather_bin<64, 2, BINS>(rows.ids.data(), binned.data(), places.data(), starts.data(), t, shift);
    });
    fault += emulator::run(launch_of((long long)blocks * BINS, 64), seed, [&]() {
        gather_segments<64, TILE, BINS, 3, 2>(binned.data(), starts.data(), rows.table.data(), tiles, blocks, shift);
    });
    fault += emulator::run(launch_of(tiles, 64, 4 * TILE), seed,
                           [&]() { gather_back<64, 2>(binned.data(), places.data(), rows.x.data(), t); });
    rows.tell("gather by segments", fault, rows.x);
}
#endif

static void run_all() {
    gather_by_copies<8, 4>(131, 12, 3);
    add_by_copies<8, 4>(131, 12, 3);
#ifndef PLANTED
    gather_by_copies<32, 3>(67, 64, 2);
    gather_by_copies<4, 6>(3, 8, 2);
    add_by_copies<32, 3>(67, 64, 2);
    add_by_copies<4, 6>(3, 8, 1);
    gather_by_segments(1303, 5003, 8);
    gather_by_segments(512, 31, 0);
    add_words<1, 2>(77, 3);
    add_words<2, 1>(77, 6);
    add_words<4, 4>(77, 20);
    add_fetched(77, 20);
    add_combined<4, 4, 8>(131, 20);
    add_combined<1, 1, 4>(77, 1);
    gather("floats", 1003, 1, 1,
           [](const int *ids, const float *table, float *out) { gather_floats<64, 4, na>(ids, table, out, 1003); });
    gather("words", 77, 6, 7,
           [](const int *ids, const float *table, float *out) { gather_words<2, 64>(ids, table, out, 77, 6); });
    gather("teams", 77, 20, 4, [](const int *ids, const float *table, float *out) {
        gather_teams<4, 64, 8, 3, ca>(ids, table, out, 77, 20);
    });
    gather("teams of two", 77, 7, 1, [](const int *ids, const float *table, float *out) {
        gather_teams<1, 64, 2, 4, na>(ids, table, out, 77, 7);
    });
#endif
}
