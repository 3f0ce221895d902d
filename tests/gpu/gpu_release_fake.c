/* SPDX-License-Identifier: Apache-2.0 */
/* Which release of a library is opened, by what a driver of our own takes (FAKE_CUDA=12: CUDA 12.4; else 13). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "gpu/cuda_release.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct table {
    size_t (*version)(void);
} table;
static const rft_dynlib_symbol symbol = {"cublasLtGetVersion", offsetof(table, version), false};
static const rft_cuda_library library = {"Anything", "librelease", "nvidia-anything", RFT_E_NOT_FOUND};

typedef struct fixture {
    char folder[64], both[96], newer[96], older[96];
} fixture;

/* Its file is a link to one library: the names alone tell releases apart. */
static void put(const char *folder, const char *file) {
    char *path = rft_fs_join(folder, file);
    assert_int_equal(rft_fs_make_folders(folder, NULL), 0);
    char command[600];
    snprintf(command, sizeof command, "cp %s %s", RFT_FAKE_CUBLASLT, path);
    assert_int_equal(system(command), 0);
    free(path);
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/rft_release_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->both, sizeof f->both, "%s/both", f->folder);
    snprintf(f->newer, sizeof f->newer, "%s/newer", f->folder);
    snprintf(f->older, sizeof f->older, "%s/older", f->folder);
    put(f->both, "librelease.so.13");
    put(f->both, "librelease.so.12");
    put(f->newer, "librelease.so.13");
    put(f->older, "librelease.so.12");
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    char command[100];
    setenv("FAKE_CUDA", "", 1);
    snprintf(command, sizeof command, "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

/* What is opened: the end of its path. */
static const char *opened(const char *driver, const rft_library_places *places, rft_err *err) {
    static char path[200];
    void *handle = NULL;
    table filled = {0};
    setenv("FAKE_CUDA", driver, 1);
    if (rft_cuda_library_open(&handle, &filled, &library, &symbol, 1, places, err) != 0) {
        return NULL;
    }
    char *whole = rft_dynlib_path(handle);
    const char *last = strrchr(whole, '/');
    while (last > whole && last[-1] != '/') {
        last--;
    }
    snprintf(path, sizeof path, "%s", last);
    free(whole);
    rft_dynlib_close(handle);
    return path;
}

static void the_newest_that_the_driver_takes(void **state) {
    const fixture *f = *state;
    const char *const folders[] = {f->both};
    const rft_library_places places = {folders, 1, 1};
    assert_string_equal(opened("", &places, NULL), "both/librelease.so.13");
    assert_string_equal(opened("12", &places, NULL), "both/librelease.so.12");
    const char *const apart[] = {f->older, f->newer};
    const rft_library_places unnamed = {apart, 2, 0};
    assert_string_equal(opened("", &unnamed, NULL), "newer/librelease.so.13");
    assert_string_equal(opened("12", &unnamed, NULL), "older/librelease.so.12");
}

static void what_the_user_names_goes_first(void **state) {
    const fixture *f = *state;
    const char *const folders[] = {f->older, f->newer};
    const rft_library_places places = {folders, 2, 1};
    assert_string_equal(opened("", &places, NULL), "older/librelease.so.12");
    const char *const turned[] = {f->newer, f->older};
    const rft_library_places unfit = {turned, 2, 1};
    assert_string_equal(opened("12", &unfit, NULL), "older/librelease.so.12"); /* what is named does not fit */
}

static void a_newer_one_alone_is_named(void **state) {
    const fixture *f = *state;
    const char *const folders[] = {f->newer};
    const rft_library_places places = {folders, 1, 1};
    rft_err err = RFT_ERR_INIT;
    assert_null(opened("12", &places, &err));
    assert_int_equal(err.code, RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "the driver takes CUDA 12.4, and only a newer Anything is there"));
    assert_non_null(strstr(err.message, "newer/librelease.so.13"));
    assert_non_null(strstr(err.remedy, "pip install nvidia-anything-cu12"));
    assert_non_null(strstr(err.remedy, "release 580"));
}

static void a_file_without_a_number_is_asked(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    setenv("FAKE_CUDA", "12", 1);
    assert_int_equal(rft_cuda_library_check(&library, 12, "12.9", "x.so", &err), 0);
    assert_int_equal(rft_cuda_library_check(&library, 13, "13.0", "x.so", &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "Anything 13.0 (x.so) is newer than the driver, which takes CUDA 12.4"));
    assert_int_equal(rft_cuda_library_check(&library, 11, "11.8", "x.so", &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "rooftune works with those of CUDA 12 to 13"));
    setenv("FAKE_CUDA", "", 1);
    assert_int_equal(rft_cuda_library_check(&library, 13, "13.0", "x.so", &err), 0);
    assert_int_equal(rft_cuda_library_check(&library, 14, "14.0", "x.so", &err), RFT_E_NOT_FOUND);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_that_the_driver_takes),
        cmocka_unit_test(what_the_user_names_goes_first),
        cmocka_unit_test(a_newer_one_alone_is_named),
        cmocka_unit_test(a_file_without_a_number_is_asked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
