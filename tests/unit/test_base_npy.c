/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .npy files: what NumPy writes is read, what it is not is told in words. */
#include "base/npy.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file's front: magic, version, the header's length, the header. */
static rft_str front(unsigned version, const char *header) {
    rft_str text = RFT_STR_INIT;
    size_t length = strlen(header), width = version == 1 ? 2 : 4;
    rft_str_add_n(&text, "\x93NUMPY", 6);
    rft_str_add_char(&text, (char)version);
    rft_str_add_char(&text, '\0');
    for (size_t i = 0; i < width; i++) {
        rft_str_add_char(&text, (char)(length >> (8 * i)));
    }
    rft_str_add(&text, header);
    return text;
}

#define HEADER(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }      \n"

static void reads(unsigned version, const char *header, char kind, uint32_t item_bytes, uint64_t count) {
    rft_npy npy;
    rft_err err = RFT_ERR_INIT;
    rft_str text = front(version, header);
    if (rft_npy_parse(&npy, text.data, text.length, &err) != RFT_OK) {
        fail_msg("%s: %s", header, err.message);
    }
    assert_int_equal(npy.kind, kind);
    assert_int_equal(npy.item_bytes, item_bytes);
    assert_int_equal(npy.count, count);
    assert_int_equal(npy.offset_bytes, text.length);
    rft_str_clear(&text);
}

static void refuses_bytes(const void *data, size_t size, const char *word) {
    rft_npy npy;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_npy_parse(&npy, data, size, &err), RFT_E_SOURCE);
    if (!strstr(err.message, word)) {
        fail_msg("\"%s\" does not say \"%s\"", err.message, word);
    }
    assert_true(err.remedy[0] != '\0');
}

static void refuses(const char *header, const char *word) {
    rft_str text = front(1, header);
    refuses_bytes(text.data, text.length, word);
    rft_str_clear(&text);
}

static void what_numpy_writes_is_read(void **state) {
    (void)state;
    reads(1, HEADER("'<f4'", "False", "(512,)"), 'f', 4, 512);
    reads(2, HEADER("'<f2'", "False", "(3, 4)"), 'f', 2, 12);
    reads(3, HEADER("\"<i8\"", "False", "(2, 3, 4,)"), 'i', 8, 24);
    reads(1, HEADER("'|V2'", "False", "(7,)"), 'V', 2, 7);
    reads(1, HEADER("'|b1'", "True", "(7,)"), 'b', 1, 7); /* one dimension is in both orders */
    reads(1, HEADER("'>u1'", "False", "()"), 'u', 1, 1);  /* a byte has no order; a number without dimensions */
    reads(1, HEADER("'<f4'", "False", "(3L, 0L)"), 'f', 4, 0);
    reads(1, "{'shape':(9,),'descr':'<u2','fortran_order':False}\n", 'u', 2, 9);
}

static void what_is_not_read_is_told(void **state) {
    (void)state;
    refuses(HEADER("'>f4'", "False", "(512,)"), "big-endian");
    refuses(HEADER("'<f4'", "True", "(4, 4)"), "Fortran");
    refuses(HEADER("'|O'", "False", "(4,)"), "Python objects");
    refuses(HEADER("[('a', '<f4'), ('b', '<i4')]", "False", "(4,)"), "records");
    refuses(HEADER("'<c8'", "False", "(4,)"), "\"<c8\"");
    refuses(HEADER("'<f4'", "False", "4"), "shape");
    refuses(HEADER("'<f4'", "False", "(-4,)"), "shape");
    refuses(HEADER("'<f4'", "False", "(4 4)"), "shape");
    refuses(HEADER("'<f4'", "0", "(4,)"), "fortran_order");
    refuses(HEADER("'<f4'", "False", "(4294967296, 4294967296, 4)"), "larger than any");
    refuses(HEADER("'<f8'", "False", "(9223372036854775807,)"), "larger than any file");
    refuses(HEADER("__import__('os').system('true')", "False", "(4,)"), "descr");
    refuses("{'descr': '<f4', 'fortran_order': False}\n", "lacks");
    refuses("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}\n", "twice");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}\n", "none of");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + {}\n", "behind the dict");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "newline");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,\n", "shape");
    refuses("\n", "no dict");
    refuses("", "newline");
}

static void other_files_are_told_by_what_they_are(void **state) {
    (void)state;
    refuses_bytes("PK\x03\x04", 4, ".npz");
    refuses_bytes("\x80\x04\x95", 3, "pickle");
    refuses_bytes("x,y\n1,2\n", 8, "no .npy file");
    refuses_bytes("", 0, "no .npy file");
    refuses_bytes("\x93NUMPY", 6, "within its header");
    refuses_bytes("\x93NUMPY\x01\x00\x76", 9, "within its header");
    refuses_bytes("\x93NUMPY\x07\x00\x76\x00", 10, "version 7");
    refuses_bytes("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12, "longer than 64 KiB");
}

static void write_file(const char *path, size_t elements) {
    FILE *file = fopen(path, "wb");
    rft_str text = front(1, HEADER("'<f4'", "False", "(4,)"));
    float zeros[8] = {0};
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
    assert_int_equal(fwrite(zeros, sizeof *zeros, elements, file), elements);
    fclose(file);
    rft_str_clear(&text);
}

static void looks(const char *path, const char *word) {
    rft_npy npy;
    rft_npy_file file;
    rft_err err = RFT_ERR_INIT;
    assert_true(rft_npy_look(&npy, &file, path, &err) < 0);
    if (!strstr(err.message, word)) {
        fail_msg("\"%s\" does not say \"%s\"", err.message, word);
    }
}

static void a_file_is_as_long_as_its_header_says(void **state) {
    (void)state;
    char folder[] = "/tmp/rft-npy-XXXXXX", path[64];
    rft_npy npy;
    rft_npy_file file;
    rft_err err = RFT_ERR_INIT;
    float read[4];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.npy", folder);
    looks(path, "No such file");
    looks(folder, "is no file");
    write_file(path, 3);
    looks(path, "ends early");
    write_file(path, 5);
    looks(path, "4 bytes follow");
    write_file(path, 4);
    assert_int_equal(rft_npy_look(&npy, &file, path, &err), RFT_OK);
    int fd = rft_npy_reopen(&file, &err);
    assert_true(fd >= 0);
    assert_int_equal(rft_npy_read(fd, &file, read, sizeof read, 0, &err), RFT_OK);
    assert_int_equal(rft_npy_read(fd, &file, read, sizeof read, 4, &err), RFT_E_SOURCE);
    assert_int_equal(rft_npy_check_same(fd, &file, &err), RFT_OK);
    close(fd);
    file.modified_ns -= 1; /* another time than it was looked at */
    assert_true(rft_npy_reopen(&file, &err) < 0);
    assert_non_null(strstr(err.message, "was written to"));
    remove(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* it is not waited for a writer */
    looks(path, "is no file");
    remove(path);
    remove(folder);
}

static bool asks_to_stop(void) {
    return true;
}

/* A file of holes takes no room on the disk, and its zeros would be read for minutes. */
static void what_has_no_end_is_not_hashed(void **state) {
    (void)state;
    char folder[] = "/tmp/rft-npy-XXXXXX", path[64], hex[65];
    rft_err err = RFT_ERR_INIT;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.npy", folder);
    write_file(path, 4);
    assert_int_equal(rft_npy_hash(hex, path, NULL, &err), RFT_OK);
    assert_int_equal(strlen(hex), 64);
    assert_int_equal(rft_npy_hash(hex, path, asks_to_stop, &err), RFT_E_INTERRUPTED);
    if (truncate(path, (off_t)RFT_NPY_HASHED_MAX + 1) == 0) { /* else the file system has no holes */
        assert_int_equal(rft_npy_hash(hex, path, NULL, &err), RFT_E_LIMIT);
        assert_non_null(strstr(err.message, "has more than 16 GiB"));
    }
    remove(path);
    remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_numpy_writes_is_read),
        cmocka_unit_test(what_is_not_read_is_told),
        cmocka_unit_test(other_files_are_told_by_what_they_are),
        cmocka_unit_test(a_file_is_as_long_as_its_header_says),
        cmocka_unit_test(what_has_no_end_is_not_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
