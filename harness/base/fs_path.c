/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *copy_n(const char *text, size_t length) {
    char *copy = rft_alloc(length + 1);
    if (length) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *rft_fs_join(const char *folder, const char *name) {
    if (name[0] == '/' || !folder || !folder[0]) {
        return rft_strdup(name);
    }
    rft_str path = RFT_STR_INIT;
    rft_str_add(&path, folder);
    if (!rft_text_ends(folder, "/")) {
        rft_str_add_char(&path, '/');
    }
    rft_str_add(&path, name);
    return rft_str_take(&path);
}

const char *rft_fs_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *rft_fs_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return rft_strdup(".");
    }
    while (slash > path && slash[-1] == '/') {
        slash--;
    }
    return slash == path ? rft_strdup("/") : copy_n(path, (size_t)(slash - path));
}

char *rft_fs_stem(const char *path) {
    const char *name = rft_fs_name(path);
    const char *dot = strrchr(name, '.');
    return copy_n(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

char *rft_fs_absolute(const char *path) {
    char *real = realpath(path, NULL);
    if (real) {
        return real;
    }
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *joined = rft_fs_join(here, path);
    free(here);
    return joined;
}

char *rft_fs_program(void) {
    size_t size = 256;
    char *path = rft_alloc(size);
    for (;;) {
        ssize_t length = readlink("/proc/self/exe", path, size - 1);
        if (length >= 0 && (size_t)length < size - 1) {
            path[length] = '\0';
            return path;
        }
        if (length < 0) {
            free(path);
            return rft_strdup("rooftune"); /* no /proc: found through PATH */
        }
        size *= 2;
        path = rft_realloc(path, size, 1);
    }
}
