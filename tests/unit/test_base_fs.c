/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A folder of its own for every test, removed afterwards. */
static int make_folder(void **state) {
    char name[] = "/tmp/rooftune-test-XXXXXX";
    if (!mkdtemp(name)) {
        return -1;
    }
    *state = rft_strdup(name);
    return 0;
}

static void remove_tree(const char *path) {
    char **names = NULL;
    size_t count = 0;
    chmod(path, 0700);
    rft_fs_list(&names, &count, path, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        char *inner = rft_fs_join(path, names[i]);
        struct stat info;
        if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode)) {
            remove_tree(inner);
        } else {
            unlink(inner);
        }
        free(inner);
    }
    rft_fs_list_free(names, count);
    rmdir(path);
}

static int drop_folder(void **state) {
    remove_tree(*state);
    free(*state);
    return 0;
}

static void expect_content(const char *path, const char *expected) {
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&text, &size, path, 0, NULL), 0);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(text, expected);
    free(text);
}

static void expect_names(const char *folder, size_t expected) {
    char **names = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&names, &count, folder, NULL, NULL), 0);
    assert_int_equal(count, expected);
    rft_fs_list_free(names, count);
}

static void written_is_read_and_replaced_whole(void **state) {
    char *path = rft_fs_join(*state, "a.txt");
    assert_int_equal(rft_fs_write_atomic(path, "first", 5, NULL), 0);
    expect_content(path, "first");
    assert_int_equal(chmod(path, 0640), 0);
    int old = open(path, O_RDONLY);
    assert_int_equal(rft_fs_write_atomic(path, "second", 6, NULL), 0);
    expect_content(path, "second");
    char still[8] = {0};
    assert_int_equal(read(old, still, 7), 5); /* who had it open keeps the old content */
    assert_string_equal(still, "first");
    close(old);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(rft_fs_write_atomic(path, NULL, 0, NULL), 0);
    expect_content(path, "");
    expect_names(*state, 1); /* no temporary is left */
    free(path);
}

/* What a writer leaves that is killed right before the rename. */
static void what_a_killed_writer_left_goes_with_the_next(void **state) {
    char *path = rft_fs_join(*state, "a.txt"), *left = rft_fs_join(*state, ".a.txt.rooftune-new");
    assert_int_equal(rft_fs_write_atomic(path, "old", 3, NULL), 0);
    assert_int_equal(rft_fs_write_atomic(left, "whole, but not in its place", 27, NULL), 0);
    expect_names(*state, 2);
    assert_int_equal(rft_fs_write_atomic(path, "new", 3, NULL), 0);
    expect_content(path, "new");
    expect_names(*state, 1);
    free(left);
    free(path);
}

static void a_link_stays_a_link(void **state) {
    char *path = rft_fs_join(*state, "real"), *link_path = rft_fs_join(*state, "link");
    assert_int_equal(rft_fs_write_atomic(path, "1", 1, NULL), 0);
    assert_int_equal(symlink("real", link_path), 0);
    assert_int_equal(rft_fs_write_atomic(link_path, "2", 1, NULL), 0);
    expect_content(path, "2");
    struct stat info;
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    free(path);
    free(link_path);
}

static void unwritable_places_are_named(void **state) {
    rft_err err = RFT_ERR_INIT;
    char *missing = rft_fs_join(*state, "none/a.txt");
    assert_int_equal(rft_fs_write_atomic(missing, "x", 1, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, missing));
    assert_non_null(strstr(err.message, "No such file"));
    assert_string_not_equal(err.remedy, "");
    assert_int_equal(rft_fs_write_atomic(*state, "x", 1, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, "directory"));
    assert_non_null(strstr(err.remedy, "not a folder"));
    assert_int_equal(rft_fs_write_gzip(missing, "x", 1, &err), RFT_E_IO);
    free(missing);
    if (geteuid() != 0) { /* root may write anywhere */
        char *locked = rft_fs_join(*state, "a.txt");
        assert_int_equal(chmod(*state, 0500), 0);
        assert_int_equal(rft_fs_write_atomic(locked, "x", 1, &err), RFT_E_IO);
        assert_non_null(strstr(err.remedy, "check its permissions"));
        free(locked);
    }
}

/* What is no file is not written: a pipe would be waited for, and nothing may be renamed over a device. */
static void only_files_are_replaced(void **state) {
    rft_err err = RFT_ERR_INIT;
    struct stat info;
    char *pipe = rft_fs_join(*state, "pipe"), *link = rft_fs_join(*state, "to-nothing");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink("nowhere", link), 0);
    const char *const refused[][2] = {
        {"/dev/full", "a device"}, {pipe, "a pipe"}, {link, "a symbolic link to nothing"}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rft_fs_check_replaceable(refused[i][0], &err), RFT_E_IO);
        assert_int_equal(rft_fs_write_atomic(refused[i][0], "x", 1, &err), RFT_E_IO);
        assert_non_null(strstr(err.message, refused[i][1]));
        assert_string_not_equal(err.remedy, "");
        assert_int_equal(rft_fs_write_gzip(refused[i][0], "x", 1, &err), RFT_E_IO);
    }
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(pipe);
    unlink(link);
    free(pipe);
    free(link);
}

/* Nor read: a pipe would be waited for, and a device may have no end. */
static void only_files_are_read(void **state) {
    rft_err err = RFT_ERR_INIT;
    char *data = NULL, *pipe = rft_fs_join(*state, "pipe");
    size_t size = 0;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const refused[] = {"/dev/zero", "/dev/null", pipe};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rft_fs_read(&data, &size, refused[i], 0, &err), RFT_E_IO);
        assert_non_null(strstr(err.message, "a device, a pipe or a socket"));
        assert_string_not_equal(err.remedy, "");
        assert_int_equal(rft_fs_read_gzip(&data, &size, refused[i], 0, &err), RFT_E_IO);
        assert_false(rft_fs_is_gzip(refused[i]));
    }
    assert_int_equal(rft_fs_read(&data, &size, *state, 0, &err), RFT_E_IO);
    assert_non_null(strstr(err.remedy, "not a folder"));
    unlink(pipe);
    free(pipe);
}

static void what_is_put_is_whole_and_replaces(void **state) {
    char *path = rft_fs_join(*state, "a"), *missing = rft_fs_join(*state, "none/a"), *inner = rft_fs_join(*state, "b");
    rft_err err = RFT_ERR_INIT;
    for (int named = 0; named < 2; named++) {
        assert_int_equal(rft_fs_put(path, "first", 5, named, NULL), 0);
        expect_content(path, "first");
        int old = open(path, O_RDONLY);
        assert_int_equal(rft_fs_put(path, "second", 6, named, NULL), 0);
        expect_content(path, "second");
        char still[8] = {0};
        assert_int_equal(read(old, still, 7), 5);
        close(old);
        assert_int_equal(rft_fs_put(path, NULL, 0, named, NULL), 0);
        expect_content(path, "");
        expect_names(*state, 1);
        assert_int_equal(rft_fs_put(missing, "x", 1, named, &err), RFT_E_IO);
        assert_non_null(strstr(err.message, missing));
        assert_non_null(strstr(err.message, "No such file"));
        assert_int_equal(mkdir(inner, 0777), 0);
        assert_int_equal(rft_fs_put(inner, "x", 1, named, &err), RFT_E_IO);
        assert_non_null(strstr(err.remedy, "not a folder"));
        assert_int_equal(rmdir(inner), 0);
        expect_names(*state, 1);
        assert_int_equal(unlink(path), 0);
    }
    free(inner);
    free(missing);
    free(path);
}

/* Only where files need names there is something to find, and only the lock tells the dead from the living. */
static void temporaries_of_the_dead_are_dropped(void **state) {
    char *path = rft_fs_join(*state, "a.1.0.tmp"), *link_path = rft_fs_join(*state, "l.1.0.tmp");
    assert_int_equal(rft_fs_put(path, "half", 4, false, NULL), 0);
    assert_false(rft_fs_drop_temporary(path)); /* just begun, perhaps */
    struct timespec then = {.tv_sec = time(NULL) - 60};
    const struct timespec times[2] = {then, then};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    int living = open(path, O_RDONLY);
    assert_int_equal(flock(living, LOCK_EX), 0);
    assert_false(rft_fs_drop_temporary(path));
    close(living);
    assert_int_equal(symlink("a.1.0.tmp", link_path), 0);
    assert_false(rft_fs_drop_temporary(link_path));
    assert_false(rft_fs_drop_temporary(*state));
    assert_true(rft_fs_drop_temporary(path));
    assert_false(rft_fs_drop_temporary(path));
    expect_names(*state, 1);
    free(link_path);
    free(path);
}

static void whether_a_folder_can_be_written_is_tried(void **state) {
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_can_write(*state, &err), 0);
    expect_names(*state, 0);
    char *file = rft_fs_join(*state, "a");
    assert_int_equal(rft_fs_put(file, "x", 1, false, NULL), 0);
    assert_int_equal(rft_fs_can_write(file, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, file));
    assert_int_equal(rft_fs_can_write("/proc/self", &err), RFT_E_IO);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int rc = rft_fs_can_write(*state, &err);
    limit.rlim_cur = before;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(rc, RFT_E_IO); /* permission is not all that it takes */
    free(file);
}

static void reading_fails_with_a_cause(void **state) {
    rft_err err = RFT_ERR_INIT;
    char *text = NULL;
    size_t size = 0;
    char *path = rft_fs_join(*state, "a");
    assert_int_equal(rft_fs_read(&text, &size, path, 0, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, path));
    assert_null(text);
    assert_int_equal(rft_fs_read(&text, &size, *state, 0, &err), RFT_E_IO);
    assert_int_equal(rft_fs_write_atomic(path, "12345", 5, NULL), 0);
    assert_int_equal(rft_fs_read(&text, &size, path, 4, &err), RFT_E_LIMIT);
    /* Told by its size: none of its terabytes is read. */
    assert_int_equal(truncate(path, (off_t)1 << 42), 0);
    assert_int_equal(rft_fs_read(&text, &size, path, (size_t)1 << 41, &err), RFT_E_LIMIT);
    assert_int_equal(rft_fs_read_gzip(&text, &size, path, (size_t)1 << 30, &err), RFT_E_LIMIT);
    assert_int_equal(truncate(path, 5), 0);
    assert_null(text);
    assert_int_equal(rft_fs_read(&text, &size, path, 5, &err), 0);
    free(text);
    assert_int_equal(rft_fs_read(&text, &size, "/proc/self/status", 0, &err), 0); /* a file that says size 0 */
    assert_non_null(strstr(text, "Name:"));
    free(text);
    free(path);
}

static void gzip_there_and_back(void **state) {
    char *path = rft_fs_join(*state, "a.gz"), *again = rft_fs_join(*state, "b.gz");
    rft_str text = RFT_STR_INIT;
    for (int i = 0; i < 20000; i++) {
        rft_str_addf(&text, "%d,", i * i);
    }
    assert_int_equal(rft_fs_write_gzip(path, text.data, text.length, NULL), 0);
    assert_true(rft_fs_is_gzip(path));
    char *back = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, 0, NULL), 0);
    assert_int_equal(size, text.length);
    assert_memory_equal(back, text.data, size);
    assert_int_equal(back[size], 0);
    free(back);
    sleep(1); /* a time in the header would differ now */
    assert_int_equal(rft_fs_write_gzip(again, text.data, text.length, NULL), 0);
    char *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    assert_int_equal(rft_fs_read(&first, &first_size, path, 0, NULL), 0);
    assert_int_equal(rft_fs_read(&second, &second_size, again, 0, NULL), 0);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);

    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, text.length - 1, &err), RFT_E_LIMIT);
    assert_null(back);
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, text.length, &err), 0);
    free(back);

    char *twice = rft_alloc(2 * first_size); /* members may follow each other */
    memcpy(twice, first, first_size);
    memcpy(twice + first_size, first, first_size);
    assert_int_equal(rft_fs_write_atomic(path, twice, 2 * first_size, NULL), 0);
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, 0, &err), 0);
    assert_int_equal(size, 2 * text.length);
    free(back);
    free(twice);
    free(first);
    free(second);
    rft_str_clear(&text);
    free(path);
    free(again);
}

static void truncated_gzip_at_every_length(void **state) {
    char *path = rft_fs_join(*state, "a.gz");
    char *packed = NULL, *back = NULL;
    size_t packed_size = 0, size = 0;
    const char *text = "a recording that was copied over a connection which broke";
    assert_int_equal(rft_fs_write_gzip(path, text, strlen(text), NULL), 0);
    assert_int_equal(rft_fs_read(&packed, &packed_size, path, 0, NULL), 0);
    for (size_t length = 0; length < packed_size; length++) {
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_fs_write_atomic(path, packed, length, NULL), 0);
        assert_int_equal(rft_fs_read_gzip(&back, &size, path, 0, &err), RFT_E_RECORDING);
        assert_null(back);
        assert_non_null(strstr(err.message, length < 1 ? "empty" : length < 2 ? "not a gzip" : "truncated"));
        assert_string_not_equal(err.remedy, "");
    }
    rft_err err = RFT_ERR_INIT;
    packed[packed_size / 2] ^= 0x55;
    assert_int_equal(rft_fs_write_atomic(path, packed, packed_size, NULL), 0);
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, 0, &err), RFT_E_RECORDING);
    assert_int_equal(rft_fs_write_atomic(path, "{}", 2, NULL), 0);
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, 0, &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "not a gzip file"));
    assert_int_equal(rft_fs_remove(path, NULL), 0);
    assert_int_equal(rft_fs_read_gzip(&back, &size, path, 0, &err), RFT_E_IO);
    free(packed);
    free(path);
}

static void folders(void **state) {
    rft_err err = RFT_ERR_INIT;
    char *deep = rft_fs_join(*state, "x//y/z/"), *file = rft_fs_join(*state, "file"), *under = rft_fs_join(file, "a");
    assert_int_equal(rft_fs_make_folders(deep, &err), 0);
    assert_true(rft_fs_is_folder(deep));
    assert_int_equal(rft_fs_make_folders(deep, &err), 0);
    assert_int_equal(rft_fs_write_atomic(file, "", 0, NULL), 0);
    assert_int_equal(rft_fs_make_folders(under, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, "Not a directory"));
    assert_int_equal(rft_fs_make_folders(file, &err), RFT_E_IO);
    assert_true(rft_fs_exists(file));
    assert_false(rft_fs_is_folder(file));
    assert_int_equal(rft_fs_remove(file, &err), 0);
    assert_int_equal(rft_fs_remove(file, &err), 0);
    assert_false(rft_fs_exists(file));
    assert_int_equal(rft_fs_remove(deep, &err), RFT_E_IO);
    free(deep);
    free(file);
    free(under);
}

static void listing_is_sorted(void **state) {
    static const char *const made[] = {"b.lua", "a.lua", "c.cu", "B.lua", ".hidden"};
    for (size_t i = 0; i < 5; i++) {
        char *path = rft_fs_join(*state, made[i]);
        assert_int_equal(rft_fs_write_atomic(path, "", 0, NULL), 0);
        free(path);
    }
    char **names = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&names, &count, *state, ".lua", NULL), 0);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "B.lua");
    assert_string_equal(names[1], "a.lua");
    assert_string_equal(names[2], "b.lua");
    rft_fs_list_free(names, count);
    expect_names(*state, 5);
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_list(&names, &count, "/nowhere-at-all", NULL, &err), RFT_E_IO);
    assert_null(names);
}

static void expect_and_free(char *text, const char *expected) {
    assert_string_equal(text, expected);
    free(text);
}

static void paths(void **state) {
    (void)state;
    expect_and_free(rft_fs_join("a", "b"), "a/b");
    expect_and_free(rft_fs_join("a/", "b"), "a/b");
    expect_and_free(rft_fs_join("a", "/b"), "/b");
    expect_and_free(rft_fs_join("", "b"), "b");
    expect_and_free(rft_fs_folder("a/b.lua"), "a");
    expect_and_free(rft_fs_folder("b.lua"), ".");
    expect_and_free(rft_fs_folder("/b.lua"), "/");
    expect_and_free(rft_fs_folder("a//b"), "a");
    expect_and_free(rft_fs_stem("a.d/b.lua"), "b");
    expect_and_free(rft_fs_stem("a/b.json.gz"), "b.json");
    expect_and_free(rft_fs_stem(".hidden"), ".hidden");
    expect_and_free(rft_fs_stem("a.d/b"), "b");
    assert_string_equal(rft_fs_name("a/b.lua"), "b.lua");
    assert_string_equal(rft_fs_name("b.lua"), "b.lua");
    expect_and_free(rft_fs_absolute("/"), "/");
    expect_and_free(rft_fs_absolute("/tmp/../tmp/."), "/tmp");
    char *not_there = rft_fs_absolute("no-such-file.lua");
    assert_int_equal(not_there[0], '/');
    assert_true(rft_text_ends(not_there, "/no-such-file.lua"));
    free(not_there);
    char *program = rft_fs_program();
    assert_string_equal(rft_fs_name(program), "test_base_fs");
    assert_int_equal(program[0], '/');
    free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(written_is_read_and_replaced_whole, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(what_a_killed_writer_left_goes_with_the_next, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(unwritable_places_are_named, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(only_files_are_replaced, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(only_files_are_read, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(what_is_put_is_whole_and_replaces, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(temporaries_of_the_dead_are_dropped, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(whether_a_folder_can_be_written_is_tried, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(reading_fails_with_a_cause, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(gzip_there_and_back, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(truncated_gzip_at_every_length, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(folders, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(listing_is_sorted, make_folder, drop_folder),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
