/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_tests.h - the tests that a GPU runs: each is a file of its name and main() of its own in one program, since each
 * program more would be 2 MiB in the kit. `gpu_tests NAME [ARGUMENT...]`, or a link NAME to it.
 */
#ifndef RFT_TESTS_GPU_TESTS_H
#define RFT_TESTS_GPU_TESTS_H

/* One a line: CMakeLists.txt takes files, ctest's names and the kit's from here. */
#define GPU_TESTS(X)                                                                                                   \
    X(gpu_atomics)                                                                                                     \
    X(gpu_ceilings)                                                                                                    \
    X(gpu_cold)                                                                                                        \
    X(gpu_counters)                                                                                                    \
    X(gpu_driver)                                                                                                      \
    X(gpu_faults)                                                                                                      \
    X(gpu_language)                                                                                                    \
    X(gpu_meter)                                                                                                       \
    X(gpu_mistakes)                                                                                                    \
    X(gpu_none)                                                                                                        \
    X(gpu_protocol)                                                                                                    \
    X(gpu_repeats)                                                                                                     \
    X(gpu_run)                                                                                                         \
    X(gpu_run_baselines)                                                                                               \
    X(gpu_run_counters)                                                                                                \
    X(gpu_run_power)                                                                                                   \
    X(gpu_run_vendor)                                                                                                  \
    X(gpu_sanitize)                                                                                                    \
    X(gpu_tensor)                                                                                                      \
    X(gpu_time_limits)                                                                                                 \
    X(gpu_vendor)

/* As main(): argv[0] is the test's name. Returns the exit status, 77 for skipped. */
#define GPU_TEST_DECLARED(name) int name(int argc, char **argv);
GPU_TESTS(GPU_TEST_DECLARED)

#endif
