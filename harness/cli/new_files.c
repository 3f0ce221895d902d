/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/new_files.h"

#include "base/fs.h"
#include "cli/command_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int refuse_existing(const char *path, rft_err *err) {
    rft_err_set(err, RFT_E_IO, "%s is there already, and `new` replaces nothing", path);
    return rft_err_remedy(err, "name another folder with -o, or remove that file");
}

/* Only what is not there yet: another process may make it meanwhile. */
static int create_file(const char *path, const char *text, rft_err *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        return refuse_existing(path, err);
    }
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    written = fd >= 0 && close(fd) == 0 && written;
    return written ? RFT_OK : rft_err_set(err, RFT_E_IO, "%s: %s", path, strerror(errno));
}

void rft_new_files_add(rft_new_files *files, const char *path, const char *text, const char *copied) {
    files->items[files->count++] = (rft_new_file){path, text, copied};
}

void rft_new_files_allow(rft_new_files *files, const char *tree, const char *own) {
    bool known = files->tree_count == RFT_NEW_TREES_MAX;
    for (size_t i = 0; i <= files->tree_count && !known; i++) {
        const char *over = i < files->tree_count ? files->trees[i] : own;
        size_t length = strlen(over);
        known = strncmp(tree, over, length) == 0 && (tree[length] == '/' || tree[length] == '\0');
    }
    if (!known) {
        files->trees[files->tree_count++] = tree;
    }
}

/* The source's copy, then those of its headers. */
static void tell_copies(rft_cli *cli, const rft_new_files *files) {
    rft_str headers = RFT_STR_INIT;
    bool told = false;
    for (size_t i = 0; i < files->count; i++) {
        const rft_new_file *file = &files->items[i];
        if (file->copied && !told) {
            rft_log_info(&cli->log,
                         "%s is %s without its host code, line by line, since NVRTC compiles device code only: change "
                         "the kernel "
                         "there",
                         file->path, file->copied);
        } else if (file->copied) {
            rft_str_addf(&headers, "%s%s", headers.length ? ", " : "", rft_fs_name(file->path));
        }
        told = told || file->copied;
    }
    if (headers.length) {
        rft_log_info(&cli->log, "its headers likewise: %s", rft_str_get(&headers));
    }
    rft_str_clear(&headers);
}

static void tell_next(rft_cli *cli, const rft_new_files *files) {
    rft_str allowed = RFT_STR_INIT, word = RFT_STR_INIT, names = RFT_STR_INIT;
    for (size_t i = 0; i < files->tree_count; i++) {
        const char *words[] = {"--allow-path", files->trees[i]};
        rft_str_add(&allowed, " ");
        rft_command_add_words(&allowed, words, 2);
    }
    for (size_t i = 0; i < files->count; i++) {
        rft_str_addf(&names, "%s%s", i == 0 ? "" : i + 1 == files->count ? " and " : ", ", files->items[i].path);
    }
    tell_copies(cli, files);
    rft_command_add_words(&word, &files->items[0].path, 1);
    rft_log_info(&cli->log, "%s written; what says TODO there is a guess.\nnext: rooftune check %s%s",
                 rft_str_get(&names), rft_str_get(&word), rft_str_get(&allowed));
    rft_str_clear(&allowed);
    rft_str_clear(&word);
    rft_str_clear(&names);
}

int rft_new_files_write(rft_cli *cli, const char *folder, const rft_new_files *files, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        rc = rft_fs_exists(files->items[i].path) ? refuse_existing(files->items[i].path, err) : RFT_OK;
    }
    rc = rc ? rc : rft_fs_make_folders(folder, err);
    for (size_t i = files->count; i-- > 0 && rc == RFT_OK;) {
        rc = create_file(files->items[i].path, files->items[i].text, err);
    }
    if (rc == RFT_OK) {
        tell_next(cli, files);
    }
    return rc;
}
