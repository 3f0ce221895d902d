/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_convolution [SEED]: a filter over one channel, and one for each channel, in sizes that fill no tile. */
#include "emulator/product.hpp"

#include <cstdio>
#include <cstdlib>

#include "planted.h"

#define filter 5
#include "convolution.cu"

#include "depthwise.cu"

using emulator::Launch;

static unsigned seed = 1;
static int failures;

static float whole(std::mt19937 &drawn) {
    return (float)((int)(drawn() % 7) - 3);
}
static void tell(const char *name, std::string fault, const std::vector<float> &got, const std::vector<float> &wanted) {
    for (size_t i = 0; fault.empty() && i < got.size(); i++) {
        if (got[i] != wanted[i]) {
            fault = "wrong: element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " +
                    std::to_string(wanted[i]);
        }
    }
    if (!fault.empty()) {
        printf("%s, seed %u: %s\n", name, seed, fault.c_str());
        failures++;
    }
}
static unsigned parts(int n, int of) {
    return (unsigned)((n + of - 1) / of);
}

/* Blocks have `across` by `down` pixels; y's neighbour must stay. */
template <class Body>
static void one_channel(const char *name, int height, int width, int across, int down, size_t pitch, const Body &body) {
    std::mt19937 drawn(seed);
    std::vector<float> x((height + filter - 1) * (width + filter - 1)), y(height * width + 1, -99), wanted = y;
    for (float &value : x) {
        value = whole(drawn);
    }
    for (float &value : d_filter) {
        value = whole(drawn);
    }
    for (int at = 0; at < height * width; at++) {
        wanted[at] = 0;
        for (int k = 0; k < filter * filter; k++) {
            const int row = at / width + k / filter, column = at % width + k % filter;
            wanted[at] += x[row * (width + filter - 1) + column] * d_filter[k];
        }
    }
    Launch launch;
    launch.grid = {parts(width, across), parts(height, down)};
    launch.threads = 32;
    launch.shared = 4 * pitch * (down + filter - 1);
    tell(name, emulator::run(launch, seed, [&]() { body(x.data(), y.data(), height, width); }), y, wanted);
}

template <int TILE_X, int TILE_Y, bool UNROLLED> static void registers(int height, int width) {
    one_channel("rows in registers", height, width, 8 * TILE_X, 4 * TILE_Y, (8 * TILE_X + filter + 2) / 4 * 4,
                convolution_registers<8, 4, TILE_X, TILE_Y, UNROLLED>);
}

template <class T, int VEC, int COLS, int ROWS> static void each_channel(const char *name, int h, int w, int c) {
    const int images = 2;
    std::mt19937 drawn(seed);
    std::vector<T> x(images * h * w * c), taps(9 * c), y(x.size() + 1, T(-99));
    std::vector<float> wanted(y.size(), -99);
    for (T &value : x) {
        value = T(whole(drawn));
    }
    for (T &value : taps) {
        value = T(whole(drawn));
    }
    for (int at = 0; at < (int)x.size(); at++) {
        const int row = at / c / w % h, column = at / c % w;
        wanted[at] = 0;
        for (int k = 0; k < 9; k++) {
            const int u = k / 3 - 1, v = k % 3 - 1;
            if (row + u >= 0 && row + u < h && column + v >= 0 && column + v < w) {
                wanted[at] += (float)x[at + (u * w + v) * c] * (float)taps[k * c + at % c];
            }
        }
    }
    Launch launch;
    launch.grid = {parts(c / VEC * (int)parts(w, COLS) * (int)parts(h, ROWS), 64), (unsigned)images};
    launch.threads = 64;
    const auto fault = emulator::run(
        launch, seed, [&]() { depthwise<T, 64, VEC, COLS, ROWS>(x.data(), taps.data(), y.data(), h, w, c); });
    tell(name, fault, std::vector<float>(y.begin(), y.end()), wanted);
}

int main(int argc, char **argv) {
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    one_channel("a pixel a thread", 13, 21, 8, 4, 0, convolution_pixels<8, 4>);
    one_channel("tile", 23, 43, 16, 12, 16 + filter - 1, convolution_tile<8, 4, 2, 3>);
    registers<4, 3, false>(29, 71);
    registers<4, 4, true>(17, 36);
    registers<8, 1, true>(3, 2);
    each_channel<__half, 1, 1, 1>("an element a thread", 5, 3, 3);
    each_channel<__nv_bfloat16, 8, 1, 1>("a vector a thread", 4, 7, 16);
    each_channel<__half, 4, 2, 4>("going down rows", 9, 7, 12);
    each_channel<__nv_bfloat16, 2, 4, 8>("going down rows, bf16", 7, 9, 10);
    each_channel<__half, 8, 2, 3>("going down rows, one row", 1, 1, 8);
    return failures > 0;
}
