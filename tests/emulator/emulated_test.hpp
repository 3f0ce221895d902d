/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated_test.hpp - what every `PROGRAM [SEED]` of emulated kernels has; included behind the kernels, whose names it
 * must not take. The program defines run_all(). Exit status 0: all results are right; with a planted fault: it was
 * found by one of ten seeds.
 */
#pragma once
#include "emulator/emulator.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "planted.h" /* how often rewrite.cpp planted the fault */

static unsigned seed = 1;
static int failures;

static void run_all();

static unsigned parts_of(long long size, long long part) {
    return (unsigned)((size + part - 1) / part);
}

/* `fault`: "" or what went wrong. */
static void tell(const std::string &name, const std::string &fault) {
    if (!fault.empty()) {
        printf("%s, seed %u: %s\n", name.c_str(), seed, fault.c_str());
        failures++;
    }
}

static emulator::Launch launch_of(long long blocks, unsigned threads, size_t shared = 0) {
    emulator::Launch launch;
    launch.grid = {(unsigned)blocks};
    launch.threads = threads;
    launch.shared = shared;
    return launch;
}

int main(int argc, char **argv) {
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
#ifdef PLANTED
    if (PLANTED_PLACES == 0) {
        puts("The fault was not planted: its text is not in the kernels any more (tests/emulator/CMakeLists.txt).");
        return 1;
    }
    for (unsigned last = seed + 10; seed < last && failures == 0; seed++) {
        run_all();
    }
    return failures == 0;
#else
    run_all();
    return failures > 0;
#endif
}
