/* SPDX-License-Identifier: Apache-2.0 */
/* test_emulator_stencil [SEED]: grids that no tile divides, some without a cell inside. */
#include "emulator/product.hpp"

#include "stencil.cu"

#include "emulator/emulated_test.hpp"

using emulator::Launch;

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
    /* What of x a cell gets: of one so far away in each dimension. */
    double factor(int points, int dx, int dy, int dz) const {
        const int apart = std::abs(dx) + std::abs(dy) + std::abs(dz);
        static const double of_27[] = {0.4, 0.04, 0.02, 0.015}, of_7[] = {0.4, 0.1, 0, 0}, of_5[] = {0.6, 0.1, 0, 0};
        return (points == 27 ? of_27 : points == 7 ? of_7 : of_5)[apart];
    }
    std::vector<double> after(int steps, int points) const {
        std::vector<double> from(x.begin(), x.end()), to = from;
        for (int step = 0; step < steps; step++) {
            for (size_t at = 0; at < from.size(); at++) {
                if (!inside(at)) {
                    continue;
                }
                to[at] = 0;
                const int deep = depth > 1;
                for (int dz = -deep; dz <= deep; dz++) {
                    for (int i = 0; i < 9; i++) {
                        const int dx = i % 3 - 1, dy = i / 3 - 1;
                        to[at] += factor(points, dx, dy, dz) * from[at + dx + width * (dy + (long)height * dz)];
                    }
                }
            }
            from = to;
        }
        return from;
    }
    template <class Body>
    void step(const char *name, emulator::Size tile, unsigned threads, int steps, const Body &body,
              int points = 5) const {
        step_by(name, {(width + tile.x - 1) / tile.x, (height + tile.y - 1) / tile.y, (depth + tile.z - 1) / tile.z},
                threads, steps, body, points);
    }
    template <class Body>
    void step_by(const char *name, emulator::Size blocks, unsigned threads, int steps, const Body &body, int points = 5,
                 size_t shared = 0) const {
        const std::vector<double> wanted = after(steps, points);
        std::vector<float> y(x.size() + 1, -1);
        Launch launch;
        launch.grid = blocks;
        launch.threads = threads;
        launch.at_once = 4;
        launch.shared = shared;
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
        const std::string size = std::to_string(width) + " x " + std::to_string(height) + " x " + std::to_string(depth);
        tell(name + (", " + size), what);
    }
};

template <int POINTS> static void cube(int width, int height, int depth) {
    const Grid grid(width, height, depth);
    grid.step(
        "plain", {16, 4, 1}, 64, 1,
        [&](const float *x, float *y) { stencil_plain<POINTS, 16, 4>(x, y, width, height, depth); }, POINTS);
    grid.step(
        "tile", {16, 4, 3}, 64, 1,
        [&](const float *x, float *y) { stencil_tile<POINTS, 16, 4, 3>(x, y, width, height, depth); }, POINTS);
    grid.step(
        "march", {16, 4, 5}, 64, 1,
        [&](const float *x, float *y) { stencil_march<POINTS, 16, 4, 5>(x, y, width, height, depth); }, POINTS);
}

template <int POINTS, int WARPS, int EACH, int STAGES> static void ring(int width, int height, int depth) {
    const Grid grid(width, height, depth);
    emulator::Map map = {
        (unsigned char *)grid.x.data(), 4, width, (long)height * depth, width, 136, WARPS * EACH + 2, 0};
    map.height = height;
    const size_t stage = (136 * (WARPS * EACH + 2) * 4 + 127) / 128 * 128;
    grid.step_by(
        "ring", {(width + 127u) / 128, (unsigned)(height + WARPS * EACH - 1) / (WARPS * EACH), (depth + 4u) / 5},
        WARPS * 32, 1,
        [&](const float *, float *y) {
            stencil_ring<POINTS, WARPS, EACH, 5, STAGES>(emulator::tensor_map<CUtensorMap>(&map), y, width, height,
                                                         depth);
        },
        POINTS, STAGES * (stage + 8));
}

static void plane(int width, int height) {
    const Grid grid(width, height, 1);
    grid.step("a step", {16, 8, 1}, 64, 1,
              [&](const float *x, float *y) { stencil_blocked<64, 16, 8, 1>(x, y, width, height); });
    grid.step("four steps", {16, 8, 1}, 64, 4,
              [&](const float *x, float *y) { stencil_blocked<64, 16, 8, 4>(x, y, width, height); });
    grid.step("eight steps", {16, 8, 1}, 64, 8,
              [&](const float *x, float *y) { stencil_blocked<64, 16, 8, 8>(x, y, width, height); });
}

template <int STEPS, int AHEAD, bool TURN, bool VECTORS> static void rows(int width, int height) {
    const Grid grid(width, height, 1);
    constexpr unsigned KEPT = 128 - 2 * ((STEPS + 3) / 4 * 4);
    const unsigned warps = (width + KEPT - 1) / KEPT * ((height + 6) / 7);
    grid.step_by("rows", {(warps + 1) / 2}, 64, STEPS, [&](const float *x, float *y) {
        go_by_rows<64, 7, STEPS, AHEAD, TURN, VECTORS>(x, y, width, height);
    });
}

static void run_all() {
    rows<1, 2, true, false>(131, 11);
    rows<4, 3, true, true>(244, 17);
    rows<2, 6, false, true>(4, 3);
    rows<8, 6, true, true>(228, 23);
    rows<3, 2, false, false>(131, 11);
    cube<7>(35, 11, 12);
    cube<27>(17, 5, 1 + 5);
    cube<27>(2, 3, 7);
    ring<7, 2, 2, 3>(136, 9, 7);
    ring<27, 2, 1, 2>(8, 5, 11);
    plane(67, 29);
    plane(5, 1);
}
