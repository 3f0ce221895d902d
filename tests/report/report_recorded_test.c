/* SPDX-License-Identifier: Apache-2.0 */
/* Every recording of the tree (or the run files named as arguments) gives a sound report. 77 when there is none. */
#include "base/fs.h"
#include "report/trace_pages.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char **files;
static size_t file_count;

static void find_recordings(void) {
    rft_err err = RFT_ERR_INIT;
    char **folders = NULL;
    size_t folder_count = 0, capacity = 0;
    if (rft_fs_list(&folders, &folder_count, RFT_SOURCE_DIR "/sweeps/recorded", NULL, &err) != 0) {
        return;
    }
    for (size_t i = 0; i < folder_count; i++) {
        char *folder = rft_fs_join(RFT_SOURCE_DIR "/sweeps/recorded", folders[i]);
        char **names = NULL;
        size_t count = 0;
        if (rft_fs_is_folder(folder) && rft_fs_list(&names, &count, folder, ".json.gz", &err) == 0) {
            for (size_t k = 0; k < count; k++) {
                RFT_GROW(files, capacity, file_count + 1);
                files[file_count++] = rft_fs_join(folder, names[k]);
            }
            rft_fs_list_free(names, count);
        }
        free(folder);
    }
    rft_fs_list_free(folders, folder_count);
}

static void test_recordings_give_sound_reports(void **state) {
    (void)state;
    const rft_report_opts all[] = {{.part = 0}, {.part = 1}, {.full = true}};
    for (size_t i = 0; i < file_count; i++) {
        rft_err err = RFT_ERR_INIT;
        rft_run *run = NULL;
        if (rft_store_load(&run, files[i], &err) != 0) {
            fail_msg("%s: %s", files[i], err.message);
        }
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            print_message("%s, variant %zu of the report\n", files[i], k);
            trace_pages pages = trace_of(run, &all[k]);
            trace_assert_sound(&pages);
            assert_true(trace_says(&pages, run->gpu.name));
            assert_true(all[k].part != 1 || pages.pages <= 4); /* what a buyer reads */
            trace_clear(&pages);
        }
        rft_run_free(run);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recordings_give_sound_reports)};
    if (argc > 1) {
        files = argv + 1;
        file_count = (size_t)argc - 1;
    } else {
        find_recordings();
    }
    if (file_count == 0) {
        printf("no recording under sweeps/recorded\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
