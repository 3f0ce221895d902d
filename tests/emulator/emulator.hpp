/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulator.hpp - runs kernels of kernels/ on the CPU, thread by thread, against a model of shared memory, mbarriers,
 * named and cluster barriers, cp.async, TMA (loads, im2col, multicast, stores), ldmatrix, stmatrix, mma.sync and wgmma.
 * It finds wrong results, hangs, barriers that are left in disorder, and races that compute-sanitizer does not see: a
 * stage that TMA writes while wgmma or a store reads it, one that is read before it has arrived, what is written
 * without a fence.
 *
 * A new kernel: lines like those of test_emulator.cpp there, or in a program that CMakeLists.txt makes by
 * emulated(NAME SOURCE):
 *     #include "emulator/product.hpp"
 *     #include "my_kernel.cu" // as rewrite.cpp wrote it
 *     #include "emulator/emulated_test.hpp" // behind the kernel: seed, tell(), main(), which calls run_all()
 *     emulator::Launch launch;
 *     launch.grid = {tiles}; launch.threads = 384; launch.shared = bytes; launch.cluster = 2;
 *     std::string fault = emulator::run(launch, seed, [&] { my_kernel<128, 64>(a, b, c, m, n, k); });
 *     tell("my_kernel", fault);
 * and hold C against a plain product: small integers are exact in every type. An instruction that the emulator does not
 * know is a fault that names it: ptx_simple.cpp, ptx_copy.cpp, ptx_tensor.cpp and ptx_tcgen05.cpp have a function for
 * each.
 *
 * The order in which threads go on, and when the accelerator's copies and multiplications take place between their
 * request and the wait for them, are drawn from the seed: try several. Ordinary loads and stores through pointers are
 * not watched: races of theirs show in results alone. Nothing here says how fast a kernel is.
 */
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace emulator {

struct Size {
    unsigned x = 1, y = 1, z = 1;
};

struct Launch {
    Size grid;
    unsigned threads = 32; /* a block; along x */
    size_t shared = 0;     /* bytes a block, at most 227 KiB */
    unsigned cluster = 1;  /* blocks, along x */
    unsigned at_once = 16; /* blocks that run at the same time, at least */
};

/* `body` calls the kernel, for one thread. "" or what went wrong, in one line. */
std::string run(const Launch &launch, unsigned seed, const std::function<void()> &body);

/* A tensor map, as the driver encodes it: rows of `columns` elements of `size` bytes, `pitch` elements apart. */
struct Map {
    unsigned char *base;
    unsigned size;
    long columns, rows, pitch;
    unsigned box_columns, box_rows, swizzle; /* bytes: 0, 32, 64 or 128 */
    unsigned *writes = nullptr;              /* how often each element was stored; may be absent */
    /* Of images: columns are channels, rows pixels, width x height each, box_rows those of a copy; im2col's corners. */
    long width = 0, height = 0;
    int lower[2] = {0, 0}, upper[2] = {0, 0};
};

/* What a kernel takes in the place of CUtensorMap; the map stays the caller's. */
template <class TENSOR_MAP> TENSOR_MAP tensor_map(const Map *map) {
    TENSOR_MAP to = {};
    to.opaque[0] = (unsigned long long)map;
    return to;
}

} // namespace emulator
