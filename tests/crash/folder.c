/* SPDX-License-Identifier: Apache-2.0 */
#include "crash/folder.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what, const char *path) {
    perror(path);
    fprintf(stderr, "crash_calls: %s %s\n", what, path);
    abort();
}

char *crash_text(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        abort();
    }
    va_end(arguments);
    return text;
}

typedef void visit_fn(const char *path, const char *name, bool is_folder, void *data);

static void visit(const char *path, visit_fn *each, void *data) {
    char **names = NULL;
    size_t count = 0;
    if (rft_fs_list(&names, &count, path, NULL, NULL) != 0) {
        give_up("cannot list", path);
    }
    for (size_t i = 0; i < count; i++) {
        char *inner = rft_fs_join(path, names[i]);
        struct stat status;
        each(inner, names[i], lstat(inner, &status) == 0 && S_ISDIR(status.st_mode), data);
        free(inner);
    }
    rft_fs_list_free(names, count);
}

static void remove_one(const char *path, const char *name, bool is_folder, void *data) {
    (void)name, (void)data;
    if (is_folder) {
        crash_folder_remove(path);
    } else if (unlink(path) != 0) {
        give_up("cannot remove", path);
    }
}

void crash_folder_remove(const char *path) {
    if (rft_fs_is_folder(path)) {
        visit(path, remove_one, NULL);
        if (rmdir(path) != 0) {
            give_up("cannot remove", path);
        }
    }
}

char *crash_read_file(const char *path, size_t *size) {
    char *data = NULL;
    return rft_fs_read(&data, size, path, 0, NULL) == 0 ? data : NULL;
}

static void copy_one(const char *path, const char *name, bool is_folder, void *data) {
    char *to = rft_fs_join(data, name);
    struct stat status;
    size_t size = 0;
    if (is_folder) {
        crash_folder_copy(path, to);
    } else {
        char *bytes = crash_read_file(path, &size);
        int fd = open(to, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (!bytes || fd < 0 || write(fd, bytes, size) != (ssize_t)size || stat(path, &status) != 0 ||
            futimens(fd, (struct timespec[]){status.st_atim, status.st_mtim}) != 0 || close(fd) != 0) {
            give_up("cannot copy", path);
        }
        free(bytes);
    }
    free(to);
}

void crash_folder_copy(const char *from, const char *to) {
    char *target = rft_strdup(to);
    crash_folder_remove(to);
    if (mkdir(to, 0777) != 0) {
        give_up("cannot make", to);
    }
    visit(from, copy_one, target);
    free(target);
}

typedef struct lister {
    rft_str text;
    const char *within;
} lister;

static void list_one(const char *path, const char *name, bool is_folder, void *data) {
    lister *all = data;
    if (is_folder) {
        lister inner = {.text = all->text, .within = name};
        visit(path, list_one, &inner);
        all->text = inner.text;
    } else {
        rft_str_addf(&all->text, "%s%s%s\n", all->within ? all->within : "", all->within ? "/" : "", name);
    }
}

char *crash_folder_list(const char *path) {
    lister all = {.text = RFT_STR_INIT};
    visit(path, list_one, &all);
    return rft_str_take(&all.text);
}

bool crash_same_file(const char *a, const char *b) {
    size_t size_a = 0, size_b = 0;
    char *data_a = crash_read_file(a, &size_a), *data_b = crash_read_file(b, &size_b);
    bool same = data_a && data_b ? size_a == size_b && memcmp(data_a, data_b, size_a) == 0 : !data_a && !data_b;
    free(data_a);
    free(data_b);
    return same;
}
