/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_convolution [SEED]: a filter over one channel, one for each channel, and many over all, in sizes that
 * fill no tile. */
#include "emulator/product.hpp"

#define filter 5
#include "convolution.cu"

#include "convolution_im2col.cu"
#include "depthwise.cu"
namespace mma {
#include "convolution_mma.cu"
} // namespace mma

namespace reference {
#include "convolution_nhwc_reference.cu"
} // namespace reference

#include "emulator/emulated_test.hpp"

using emulator::Launch;

static float whole(std::mt19937 &drawn) {
    return (float)((int)(drawn() % 7) - 3);
}
static void compare(const char *name, std::string fault, const std::vector<float> &got,
                    const std::vector<float> &wanted) {
    for (size_t i = 0; fault.empty() && i < got.size(); i++) {
        if (got[i] != wanted[i]) {
            fault = "wrong: element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " +
                    std::to_string(wanted[i]);
        }
    }
    tell(name, fault);
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
    launch.grid = {parts_of(width, across), parts_of(height, down)};
    launch.threads = 32;
    launch.shared = 4 * pitch * (down + filter - 1);
    compare(name, emulator::run(launch, seed, [&]() { body(x.data(), y.data(), height, width); }), y, wanted);
}

template <int TILE_X, int TILE_Y, bool UNROLLED> static void registers(int height, int width) {
    one_channel("rows in registers", height, width, 8 * TILE_X, 4 * TILE_Y, (8 * TILE_X + filter + 2) / 4 * 4,
                convolution_registers<8, 4, TILE_X, TILE_Y, UNROLLED>);
}

/* One filter a channel; body(images, x, taps, y) launches. */
template <class T, class Body> static void depthwise_of(const char *name, int h, int w, int c, const Body &body) {
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
    const std::string fault = body(images, x, taps, y);
    compare(name, fault, std::vector<float>(y.begin(), y.end()), wanted);
}

template <class T, int VEC, int COLS, int ROWS> static void each_channel(const char *name, int h, int w, int c) {
    depthwise_of<T>(name, h, w, c, [=](int images, std::vector<T> &x, std::vector<T> &taps, std::vector<T> &y) {
        Launch launch;
        launch.grid = {parts_of(c / VEC * (int)parts_of(w, COLS) * (int)parts_of(h, ROWS), 64), (unsigned)images};
        launch.threads = 64;
        return emulator::run(launch, seed,
                             [&]() { depthwise<T, 64, VEC, COLS, ROWS>(x.data(), taps.data(), y.data(), h, w, c); });
    });
}

template <class T, int WARPS, int COLS, int ROWS, int STAGES, bool TURN>
static void ring(const char *name, int h, int w, int c) {
    depthwise_of<T>(name, h, w, c, [=](int images, std::vector<T> &x, std::vector<T> &taps, std::vector<T> &y) {
        emulator::Map map = {(unsigned char *)x.data(), 2, c, images * h * w, c, 64, WARPS * COLS + 2, 0};
        map.width = w, map.height = h;
        Launch launch;
        launch.grid = {images * parts_of(c, 64) * parts_of(w, WARPS * COLS) * parts_of(h, ROWS)};
        launch.threads = WARPS * 32;
        launch.shared = STAGES * ((WARPS * COLS + 2) * 128 + 8);
        return emulator::run(launch, seed, [&]() {
            go_by_rows<T, WARPS, COLS, ROWS, STAGES, TURN, plain>(emulator::tensor_map<CUtensorMap>(&map), taps.data(),
                                                                  y.data(), h, w, c);
        });
    });
}

/* Filters of 3 x 3 over all channels of x, whose pixels lie `pitch` channels apart; y's neighbour must stay. */
struct Layer {
    typedef __nv_bfloat16 T;
    int n, h, w, c, k;
    std::vector<T> x, filters, y;
    std::vector<float> wanted;

    Layer(int images, int height, int width, int channels, int outputs)
        : n(images), h(height), w(width), c(channels), k(outputs), x(n * h * w * c), filters(k * 9 * c),
          y(n * h * w * k + 1, T(-99)), wanted(y.size(), -99) {
        std::mt19937 drawn(seed);
        for (T &value : x) {
            value = T(whole(drawn));
        }
        for (T &value : filters) {
            value = T(whole(drawn));
        }
        for (int at = 0; at < n * h * w * k; at++) {
            const int pixel = at / k, row = pixel / w % h, column = pixel % w;
            float sum = 0;
            for (int tap = 0; tap < 9; tap++) {
                const int u = tap / 3 - 1, v = tap % 3 - 1;
                if (row + u >= 0 && row + u < h && column + v >= 0 && column + v < w) {
                    for (int i = 0; i < c; i++) {
                        sum += (float)x[(pixel + u * w + v) * c + i] * (float)filters[(at % k * 9 + tap) * c + i];
                    }
                }
            }
            wanted[at] = (float)T(sum);
        }
    }
    void tell_of(const char *name, const std::string &fault) {
        compare(name, fault, std::vector<float>(y.begin(), y.end()), wanted);
    }
};

template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES, int CONSUMERS, int CLUSTER_M, int CLUSTER_N, bool PINGPONG,
          int LAG>
static void im2col(const char *name, unsigned clusters, Layer of) {
    typedef Plan<Layer::T, Layer::T, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 1,
                 PINGPONG, LAG, 1, 2>
        P;
    const int pixels = of.n * of.h * of.w;
    emulator::Map x = {(unsigned char *)of.x.data(), 2, of.c, pixels, of.c, 64, (unsigned)P::TileA::BOX_LINES, 128};
    x.width = of.w, x.height = of.h, x.lower[0] = x.lower[1] = x.upper[0] = x.upper[1] = -1;
    const emulator::Map filters = {(unsigned char *)of.filters.data(), 2,  9 * of.c, of.k, 9 * of.c, 64,
                                   (unsigned)P::TileB::BOX_LINES,      128};
    const emulator::Map y = {(unsigned char *)of.y.data(), 2, of.k, pixels, of.k, P::PIECE_N, 64, P::PIECE_N * 2};
    Launch launch;
    launch.cluster = CLUSTER_M * CLUSTER_N;
    launch.grid = {clusters * launch.cluster};
    launch.threads = 128 * (CONSUMERS + 1);
    launch.shared = P::BARRIERS_AT + 16 * STAGES;
    of.tell_of(name, emulator::run(launch, seed, [&]() {
                   convolution_im2col<BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, 1, PINGPONG,
                                      LAG, 1, 2>(
                       emulator::tensor_map<CUtensorMap>(&x), emulator::tensor_map<CUtensorMap>(&filters),
                       emulator::tensor_map<CUtensorMap>(&y), of.y.data(), of.n, of.h, of.w, of.c, of.k, of.k % 8 == 0);
               }));
}

template <bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES>
static void by_threads(const char *name, Layer of) {
    Launch launch;
    launch.grid = {parts_of(of.n * of.h * of.w, BLOCK_M) * parts_of(of.k, BLOCK_N)};
    launch.threads = BLOCK_M / 32 * (BLOCK_N / 32) * 32;
    launch.shared = STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * 2;
    of.tell_of(name, emulator::run(launch, seed, [&]() {
                   mma::convolution_mma<ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, 32, 32, STAGES, 1>(
                       of.x.data(), of.filters.data(), of.y.data(), of.n, of.h, of.w, of.c, of.k);
               }));
}

static void reference_itself(Layer of) {
    std::vector<double> sums(of.y.size(), -99);
    Launch launch;
    launch.grid = {3};
    launch.threads = 256;
    const std::string fault = emulator::run(launch, seed, [&]() {
        reference::convolution_nhwc_reference(of.filters.data(), of.x.data(), sums.data(), of.n, of.h, of.w, of.c,
                                              of.k);
    });
    of.y.assign(sums.begin(), sums.end());
    of.tell_of("the reference", fault);
}

static void run_all() {
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
    ring<__half, 2, 4, 5, 3, true>("a ring of rows", 12, 13, 72);
    ring<__nv_bfloat16, 3, 2, 8, 4, false>("a ring of rows, bf16", 2, 7, 16);
    im2col<64, 64, 64, 3, 1, 1, 1, false, 0>("im2col, across images", 2, Layer(3, 5, 7, 72, 40));
    im2col<128, 64, 64, 3, 2, 2, 1, false, 1>("im2col, filters shared", 1, Layer(2, 11, 13, 40, 77));
    im2col<64, 64, 128, 3, 2, 1, 2, true, 0>("im2col, pixels shared", 1, Layer(1, 9, 8, 72, 72));
    by_threads<true, 64, 64, 64, 3>("by threads", Layer(2, 5, 7, 72, 40));
    by_threads<false, 64, 64, 32, 2>("by threads, odd channels", Layer(1, 5, 9, 19, 37));
    reference_itself(Layer(2, 3, 4, 3, 5));
}
