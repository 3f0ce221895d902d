/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated_main.hpp - main() of `PROGRAM [SEED]`, included at the end of one that has `seed`, `failures` and run_all().
 * Exit status 0: all results are right; with a planted fault: it was found by one of ten seeds.
 */
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
