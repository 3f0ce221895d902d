/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/gpu_tests.h"

#include <stdio.h>
#include <string.h>

typedef int test_main(int argc, char **argv);

static const struct {
    const char *name;
    test_main *run;
} tests[] = {
#define ROW(name) {#name, name},
    GPU_TESTS(ROW)
#undef ROW
};

static test_main *find(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (strcmp(tests[i].name, name) == 0) {
            return tests[i].run;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    for (int named = 0; named < argc && named < 2; named++) { /* as the program, or as its first argument */
        test_main *run = find(argv[named]);
        if (run) {
            return run(argc - named, argv + named);
        }
    }
    fprintf(stderr, "gpu_tests: name one of its tests:");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        fprintf(stderr, " %s", tests[i].name);
    }
    fprintf(stderr, "\n");
    return 2;
}
