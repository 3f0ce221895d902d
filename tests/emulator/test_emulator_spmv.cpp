/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_spmv [SEED]: matrices of each shape, as their fills make them, times a vector. VALUE: of those in an
 * order of their own. */
#include "emulator/product.hpp"

#include <functional>
#include <numeric>

#include "spmv.cu"
#include "spmv_sorted.cu"

#include "spmv_inputs.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;

static void tell(const char *name, long long n, const std::string &fault) {
    tell(std::string(name) + ", " + std::to_string(n) + " rows", fault);
}

struct Matrix {
    long long n, nonzeros;
    std::vector<int> offsets, columns;

    template <class Columns>
    Matrix(const char *name, long long rows, long long mean, bool power, const Columns &fill)
        : n(rows), nonzeros(rows * mean), offsets(n + 1, -1), columns(nonzeros, -1) {
        int *to = offsets.data(), *places = columns.data();
        tell(name, n, emulator::run(power ? launch_of(1, 1024) : launch_of(parts_of(n + 1, 64), 64), seed, [&]() {
                 power ? power_offsets(to, n + 1, seed, mean) : equal_offsets(to, n + 1, seed, mean);
             }));
        tell(name, n, emulator::run(launch_of(parts_of(nonzeros, 64), 64), seed, [&]() {
                 fill(places, nonzeros, seed, to, n);
             }));
        tell(name, n, to[0] == 0 && to[n] == nonzeros && std::is_sorted(to, to + n + 1) ? "" : "wrong offsets");
        for (long long row = 0; row < n; row++) {
            for (int i = to[row]; i < to[row + 1]; i++) {
                const int before = i == to[row] ? 0 : places[i - 1];
                tell(name, n, places[i] >= before && places[i] < n ? "" : "wrong columns");
            }
        }
    }
    template <class T>
    std::string fault_of(const std::vector<T> &values, const std::vector<T> &x, const std::vector<T> &y) const {
        for (long long row = 0; row < n; row++) {
            T sum = 0;
            for (int i = offsets[row]; i < offsets[row + 1]; i++) {
                sum += values[i] * x[columns[i]];
            }
            if (y[row] != sum) {
                return "wrong: row " + std::to_string(row) + " is " + std::to_string(y[row]);
            }
        }
        return y[n] == -1 ? "" : "written behind the end";
    }
    /* Values are whole numbers: sums are exact in any order. */
    template <class T, class Body> void times(const char *name, const Launch &launch, const Body &body) const {
        std::vector<T> values(nonzeros), x(n), y(n + 1, 0);
        std::mt19937 drawn(seed);
        for (T &value : values) {
            value = (T)((int)(drawn() % 9) - 4);
        }
        for (T &value : x) {
            value = (T)((int)(drawn() % 9) - 4);
        }
        y[n] = -1;
        tell(name, n, emulator::run(launch, seed, [&]() {
                 body(values.data(), columns.data(), offsets.data(), x.data(), y.data());
             }));
        tell(name, n, fault_of(values, x, y));
    }
    template <class T, int ITEMS> void merged(const char *name) const {
        times<T>(name, blocks_of(64 * ITEMS),
                 [&](const T *values, const int *columns, const int *offsets, const T *x, T *y) {
                     spmv_merge<T, 64, ITEMS>(values, columns, offsets, x, y, (int)n, (int)nonzeros);
                 });
    }
    template <class T, int TEAM, class LOAD> void by_teams(const char *name) const {
        times<T>(name, launch_of(parts_of(n * TEAM, 64), 64),
                 [&](const T *values, const int *columns, const int *offsets, const T *x, T *y) {
                     spmv_teams<T, 64, TEAM, LOAD>(values, columns, offsets, x, y, (int)n);
                 });
    }
    template <int SUMS, int SPLIT, int UNROLL> void sorted(const char *name, unsigned groups) const {
        constexpr int PARTS = 2, FINE = 64;
        const unsigned segments = parts_of(n, SEGMENT), pieces = groups * segments;
        const size_t chunks = nonzeros / CHUNK + pieces;
        std::vector<Split> splits(groups + 1);
        std::vector<int> starts(pieces + 1), counts(groups * parts_of(n, FINE)), firsts(chunks, -1);
        std::vector<uint4> own_values(chunks * CHUNK / PACKED),
            own_places(chunks * CHUNK / 4, make_uint4(~0u, ~0u, ~0u, ~0u));
        std::vector<VALUE> threes(nonzeros, 3), x(n), y(n + 1, -1);
        std::iota(x.begin(), x.end(), (VALUE)1);
        VALUE *to = (VALUE *)own_values.data();
        unsigned short *places = (unsigned short *)own_places.data();
        auto run = [&](Launch launch, size_t shared, const std::function<void()> &body) {
            launch.shared = (unsigned)shared;
            tell(name, n, emulator::run(launch, seed, body));
        };
        run(launch_of(parts_of(groups + 1, 64), 64), 0,
            [&]() { spmv_splits(offsets.data(), splits.data(), (int)n, groups); });
        run(launch_of(groups * PARTS, 256), 0, [&]() {
            spmv_count<SUMS, SPLIT, PARTS, FINE>(columns.data(), offsets.data(), splits.data(), counts.data(), (int)n);
        });
        run(launch_of(pieces, SEGMENT / FINE), 0,
            [&]() { spmv_pieces<FINE>(counts.data(), starts.data(), (int)n, segments); });
        run(launch_of(1, 1024), 0, [&]() { spmv_starts(starts.data(), pieces); });
        run(launch_of(groups * PARTS, 256), 0, [&]() {
            spmv_sort<SUMS, SPLIT, PARTS, FINE>(threes.data(), columns.data(), offsets.data(), splits.data(),
                                                starts.data(), counts.data(), to, places, firsts.data(), (int)n,
                                                segments);
        });
        run(launch_of(1, 64), 0, [&]() { spmv_clear(splits.data(), y.data(), (int)n, groups); });
        run(launch_of(groups, 64), SUMS * sizeof(VALUE), [&]() {
            spmv_sorted<SUMS, SPLIT, 64, UNROLL, na>(to, places, firsts.data(), starts.data(), splits.data(),
                                                     threes.data(), columns.data(), offsets.data(), x.data(), y.data(),
                                                     (int)n, segments);
        });
        tell(name, n, fault_of(threes, x, y));
    }
    Launch blocks_of(long long steps) const {
        return launch_of(parts_of(n + nonzeros, steps), 64);
    }
};

static void run_all() {
    Matrix power("power", 703, 5, true, power_columns);
    power.merged<float, 3>("merge path, power");
    power.merged<double, 7>("merge path, power, fp64");
    power.by_teams<float, 1, ca>("a thread a row");
    power.by_teams<double, 8, na>("teams of 8");
    Matrix band("band", 203, 4, false, band_columns), uniform("uniform", 131, 4, false, uniform_columns);
    Matrix block("block", 77, 9, false, block_columns), one("one", 1, 3, false, band_columns);
    Matrix few("few", 3, 700, true, power_columns);
    band.merged<float, 5>("merge path, band");
    uniform.by_teams<float, 32, ca>("teams of 32");
    block.merged<float, 1>("merge path, blocks");
    one.merged<float, 3>("merge path, one row");
    one.by_teams<float, 4, na>("teams of 4, one row");
    few.merged<float, 1>("merge path, few rows");
    power.sorted<1024, 64, 1>("sorted, power", 3);
    power.sorted<64, 64, 2>("sorted, power, rows left over", 5);
    few.sorted<256, 16, 1>("sorted, few rows", 7);
    one.sorted<64, 64, 1>("sorted, one row", 2);
    block.sorted<128, 32, 2>("sorted, blocks", 2);
}
