/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_histogram [SEED]: keys at random, in runs and all alike, some beyond the bins, in numbers that fill no
 * vector and no tile. */
#include "emulator/product.hpp"

#include "histograms.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;

/* `body` gets keys, counts and n; shared words of a block. */
template <typename T, class Body>
static void counts_of(const char *name, int n, int bins, const char *data, int blocks, int threads, size_t words,
                      const Body &body) {
    std::vector<T> keys(n + 16, (T)(bins / 2)); /* what lies behind the end counts, if it is read */
    std::vector<unsigned> counts(bins + 1, 0), wanted(bins + 1, 0);
    std::mt19937 drawn(seed);
    for (int i = 0; i < n; i++) {
        const int key = *data == 'r'   ? (int)(drawn() % (bins + bins / 4u)) - bins / 8
                        : *data == 's' ? i * bins / n
                                       : bins - 1;
        keys[i] = (T)key;
        const long long bin = (long long)keys[i];
        wanted[bin >= 0 && bin < bins ? bin : bins]++;
    }
    wanted[bins] = counts[bins] = 77; /* behind the bins */
    Launch launch;
    launch.grid = {(unsigned)blocks};
    launch.threads = (unsigned)threads;
    launch.shared = 4 * words;
    launch.at_once = 2;
    std::string what = emulator::run(launch, seed, [&]() { body(keys.data(), counts.data(), (long long)n); });
    for (int i = 0; what.empty() && i <= bins; i++) {
        if (counts[i] != wanted[i]) {
            what = "wrong: " + std::to_string(i) + " was counted " + std::to_string(counts[i]) + " times, not " +
                   std::to_string(wanted[i]);
        }
    }
    tell(std::string(name) + ", n " + std::to_string(n) + ", " + std::to_string(bins) + " bins, " + data, what);
}

template <typename T> static void all_ways(int n, int bins, const char *data) {
    const auto of = [&](const char *name, size_t words, auto body) {
        counts_of<T>(name, n, bins, data, 3, 64, words, body);
    };
    of("global", 0, [&](T *k, unsigned *c, long long m) { histogram_global<T, 64, 2, Each>(k, c, m, bins); });
    of("matched", 0, [&](T *k, unsigned *c, long long m) { histogram_global<T, 64, 1, Match>(k, c, m, bins); });
    of("shared", bins + 1,
       [&](T *k, unsigned *c, long long m) { histogram_shared<T, 64, 2, 1, true, Each>(k, c, m, bins); });
    of("copies of lanes", 32 * (bins + 1),
       [&](T *k, unsigned *c, long long m) { histogram_shared<T, 64, 1, 32, true, Each>(k, c, m, bins); });
    of("copies of warps", 2 * (bins + 1),
       [&](T *k, unsigned *c, long long m) { histogram_shared<T, 64, 1, 2, false, Each>(k, c, m, bins); });
    of("runs", 4 * (bins + 1),
       [&](T *k, unsigned *c, long long m) { histogram_shared<T, 64, 2, 4, true, Runs>(k, c, m, bins); });
    of("packed", (bins / 2 + 1) * 16,
       [&](T *k, unsigned *c, long long m) { histogram_packed<T, 64, 1, 16>(k, c, m, bins); });
}

static void run_all() {
    all_ways<unsigned char>(7001, 256, "constant");
    all_ways<unsigned char>(5003, 61, "random");
    all_ways<unsigned short>(5001, 1027, "sorted");
    all_ways<int>(4099, 200, "random");
    all_ways<int>(3, 17, "random");
    /* One copy's counters of 16 bits are full after a few tiles. */
    counts_of<unsigned char>(
        "packed, often emptied", 150001, 256, "constant", 1, 64, 129,
        [](unsigned char *k, unsigned *c, long long m) { histogram_packed<unsigned char, 64, 8, 1>(k, c, m, 256); });
}
