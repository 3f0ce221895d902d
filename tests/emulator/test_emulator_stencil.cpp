/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_stencil [SEED]: grids that no tile divides, some without a cell inside. */
#include "emulator/product.hpp"

#include <cstdio>
#include <cstdlib>

#include "stencil.cu"

using emulator::Launch;

static unsigned seed = 1;
static int failures;

struct Grid {
    int width, height, depth; /* 1: two dimensions */
    std::vector<float> x;

    Grid(int columns, int rows, int planes)
        : width(columns), height(rows), depth(planes), x((size_t)columns * rows * planes) {
        std::mt19937 drawn(seed);
        for (float &cell : x) {
            cell = (float)(drawn() % 1000);
        }
    }
    bool inside(size_t at) const {
        const int column = (int)(at % width), row = (int)(at / width % height), plane = (int)(at / width / height);
        return column > 0 && column < width - 1 && row > 0 && row < height - 1 &&
               (depth == 1 || (plane > 0 && plane < depth - 1));
    }
    std::vector<double> after(int steps) const {
        std::vector<double> from(x.begin(), x.end()), to = from;
        const size_t area = (size_t)width * height;
        for (int step = 0; step < steps; step++) {
            for (size_t at = 0; at < from.size(); at++) {
                if (inside(at)) {
                    const double plane = from[at - 1] + from[at + 1] + from[at - width] + from[at + width];
                    to[at] = depth == 1 ? 0.6 * from[at] + 0.1 * plane
                                        : 0.4 * from[at] + 0.1 * (plane + from[at - area] + from[at + area]);
                }
            }
            from = to;
        }
        return from;
    }
    template <class Body>
    void step(const char *name, emulator::Size tile, unsigned threads, int steps, const Body &body) const {
        const std::vector<double> wanted = after(steps);
        std::vector<float> y(x.size() + 1, -1);
        Launch launch;
        launch.grid = {(width + tile.x - 1) / tile.x, (height + tile.y - 1) / tile.y, (depth + tile.z - 1) / tile.z};
        launch.threads = threads;
        launch.at_once = 4;
        std::string what = emulator::run(launch, seed, [&]() { body(x.data(), y.data()); });
        for (size_t at = 0; what.empty() && at < wanted.size(); at++) {
            if (!(std::fabs(y[at] - wanted[at]) <= 1e-3)) {
                what = "wrong: cell " + std::to_string(at) + " is " + std::to_string(y[at]) + ", not " +
                       std::to_string(wanted[at]);
            }
        }
        if (what.empty() && y[x.size()] != -1) {
            what = "written behind the end";
        }
        if (!what.empty()) {
            printf("%s, %d x %d x %d, seed %u: %s\n", name, width, height, depth, seed, what.c_str());
            failures++;
        }
    }
};

static void cube(int width, int height, int depth) {
    const Grid grid(width, height, depth);
    grid.step("plain", {16, 4, 1}, 64, 1,
              [&](const float *x, float *y) { stencil_plain<16, 4>(x, y, width, height, depth); });
    grid.step("tile", {16, 4, 3}, 64, 1,
              [&](const float *x, float *y) { stencil_tile<16, 4, 3>(x, y, width, height, depth); });
    grid.step("march", {16, 4, 5}, 64, 1,
              [&](const float *x, float *y) { stencil_march<16, 4, 5, false>(x, y, width, height, depth); });
    grid.step("march, shared", {16, 4, 5}, 64, 1,
              [&](const float *x, float *y) { stencil_march<16, 4, 5, true>(x, y, width, height, depth); });
}

static void plane(int width, int height) {
    const Grid grid(width, height, 1);
    grid.step("a step", {16, 8, 1}, 64, 1,
              [&](const float *x, float *y) { stencil_blocked<64, 16, 8, 1>(x, y, width, height); });
    grid.step("four steps", {16, 8, 1}, 64, 4,
              [&](const float *x, float *y) { stencil_blocked<64, 16, 8, 4>(x, y, width, height); });
}

static void run_all() {
    cube(35, 11, 12);
    cube(17, 5, 1 + 5);
    cube(2, 3, 7);
    plane(67, 29);
    plane(5, 1);
}

#include "emulator/emulated_main.hpp"
