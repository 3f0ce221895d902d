/* SPDX-License-Identifier: Apache-2.0 */
#include "run/scene.h"

#include "base/fs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Zombies have no command line: a process counts until it has ended, whoever reaps it. */
static bool is_worker(const scene *s, const char *process) {
    char path[64];
    char line[256] = "";
    snprintf(path, sizeof path, "/proc/%s/cmdline", process);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    return length > 0 && strcmp(line, s->program) == 0;
}

size_t scene_processes(const scene *s, long *ids, size_t most) {
    char **names = NULL;
    size_t count = 0;
    size_t found = 0;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_list(&names, &count, "/proc", NULL, &err), RFT_OK);
    for (size_t i = 0; i < count; i++) {
        if (isdigit((unsigned char)names[i][0]) && is_worker(s, names[i])) {
            if (ids && found < most) {
                ids[found] = atol(names[i]);
            }
            found++;
        }
    }
    rft_fs_list_free(names, count);
    return found;
}

double scene_now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

void scene_sleep_s(double seconds) {
    const rft_clock *clock = rft_clock_system();
    clock->sleep_ns(clock->self, (int64_t)(seconds * 1e9));
}

/* Waiting is counted in looks, not by the clock: a machine that stands still for seconds is no delay of theirs. */
enum { LOOKS_A_SECOND = 100 };

bool scene_wait_processes(const scene *s, size_t count, double seconds) {
    for (int look = 0; look < (int)(seconds * LOOKS_A_SECOND); look++) {
        if (scene_processes(s, NULL, 0) >= count) {
            return true;
        }
        scene_sleep_s(1.0 / LOOKS_A_SECOND);
    }
    return scene_processes(s, NULL, 0) >= count;
}

bool scene_wait_end(const scene *s, double seconds) {
    for (int look = 0; look < (int)(seconds * LOOKS_A_SECOND); look++) {
        if (scene_processes(s, NULL, 0) == 0) {
            return true;
        }
        scene_sleep_s(1.0 / LOOKS_A_SECOND);
    }
    return scene_processes(s, NULL, 0) == 0;
}
