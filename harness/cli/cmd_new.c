/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "cli/cli.h"
#include "cli/command_text.h"
#include "cli/cuda_scan.h"
#include "cli/new_sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE_MAX_BYTES ((size_t)1 << 20)

typedef struct new_options {
    const char *entry, *folder;
    rft_words sizes, files;
} new_options;

/* ---- which kernel ---- */

static int list_entries(const rft_cuda_file *file, const char *asked, const char *path, rft_err *err) {
    rft_str list = RFT_STR_INIT;
    const char *names[RFT_CUDA_ENTRIES_MAX];
    for (size_t i = 0; i < file->entry_count; i++) {
        names[i] = file->entries[i].name;
        rft_str_addf(&list, "%s%s (line %zu)", i ? ", " : "", names[i], file->entries[i].line);
    }
    const char *near = asked ? rft_text_nearest(asked, names, file->entry_count) : NULL;
    if (asked) {
        rft_err_set(err, RFT_E_USAGE, "%.300s has no kernel \"%.60s\"%s%.60s%s; it has %.600s", path, asked,
                    near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "", rft_str_get(&list));
    } else {
        rft_err_set(err, RFT_E_USAGE, "%.300s has %zu kernels: %.600s", path, file->entry_count, rft_str_get(&list));
    }
    rft_str_clear(&list);
    return rft_err_remedy(err, "name one: --entry %.60s", near ? near : names[0]);
}

static int pick_entry(const rft_cuda_entry **out, const rft_cuda_file *file, const char *asked, const char *path,
                      rft_err *err) {
    *out = NULL;
    if (file->refused) {
        rft_err_set(err, RFT_E_SOURCE, "%s:%zu: %s is not for NVRTC, which compiles device code only", path,
                    file->refused_line, file->refused);
        return rft_err_remedy(err,
                              "put it between `#ifndef __CUDACC_RTC__` and `#endif`, or the kernels into a file of "
                              "their own; textures become pointers");
    }
    if (file->entry_count == 0) {
        rft_err_set(err, RFT_E_SOURCE, "%s has no __global__ function", path);
        return rft_err_remedy(err, "name the .cu file that has the kernel; what macros or headers make is not seen");
    }
    for (size_t i = 0; i < file->entry_count; i++) {
        bool named = !asked ? file->entry_count == 1 : strcmp(file->entries[i].name, asked) == 0;
        if (named) {
            *out = &file->entries[i];
            return RFT_OK;
        }
    }
    return list_entries(file, asked, path, err);
}

/* ---- files ---- */

static int refuse_existing(const char *path, rft_err *err) {
    rft_err_set(err, RFT_E_IO, "%s is there already, and `new` replaces nothing", path);
    return rft_err_remedy(err, "name another folder with -o, or remove that file");
}

/* Only what is not there yet, also where somebody else makes it meanwhile. */
static int create_file(const char *path, const rft_str *text, rft_err *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        return refuse_existing(path, err);
    }
    bool written = fd >= 0 && write(fd, rft_str_get(text), text->length) == (ssize_t)text->length;
    written = fd >= 0 && close(fd) == 0 && written;
    return written ? RFT_OK : rft_err_set(err, RFT_E_IO, "%s: %s", path, strerror(errno));
}

/* From the sweep's folder where the source lies below it, else absolute. */
static const char *source_from(const char *folder, const char *path, rft_arena *arena, bool *outside) {
    char *base = rft_fs_absolute(folder), *file = rft_fs_absolute(path);
    size_t length = strlen(base);
    length -= length > 0 && base[length - 1] == '/';
    *outside = strncmp(base, file, length) != 0 || file[length] != '/';
    const char *out = rft_arena_strdup(arena, *outside ? file : file + length + 1);
    free(base);
    free(file);
    return out;
}

static int write_files(rft_cli *cli, const char *folder, const rft_new_request *request, const rft_str *sweep,
                       const rft_str *reference, bool outside, rft_err *err) {
    rft_str lua = RFT_STR_INIT, cu = RFT_STR_INIT, allowed = RFT_STR_INIT, word = RFT_STR_INIT;
    bool here = strcmp(folder, ".") == 0;
    rft_str_addf(&lua, "%s%s%s.lua", here ? "" : folder, here ? "" : "/", request->name);
    rft_str_addf(&cu, "%s%s%s", here ? "" : folder, here ? "" : "/", request->reference);
    int rc = rft_fs_exists(rft_str_get(&lua)) ? refuse_existing(rft_str_get(&lua), err) : RFT_OK;
    rc = rc ? rc : rft_fs_make_folders(folder, err);
    rc = rc ? rc : create_file(rft_str_get(&cu), reference, err);
    rc = rc ? rc : create_file(rft_str_get(&lua), sweep, err);
    if (rc == RFT_OK) {
        char *tree = rft_fs_folder(request->source);
        const char *words[] = {"--allow-path", tree}, *file = rft_str_get(&lua);
        if (outside) {
            rft_str_add(&allowed, " ");
            rft_command_add_words(&allowed, words, 2);
        }
        rft_command_add_words(&word, &file, 1);
        rft_log_info(&cli->log, "%s and %s written; what says TODO there is a guess.\nnext: rooftune check %s%s",
                     rft_str_get(&lua), rft_str_get(&cu), rft_str_get(&word), rft_str_get(&allowed));
        free(tree);
    }
    rft_str_clear(&lua);
    rft_str_clear(&cu);
    rft_str_clear(&allowed);
    rft_str_clear(&word);
    return rc;
}

/* Letters, digits and _ of a kernel's or a file's name: it becomes part of file names. */
static const char *plain_name(const char *text, rft_arena *arena) {
    char *out = rft_arena_strndup(arena, text, strlen(text) < 60 ? strlen(text) : 60);
    for (char *c = out; *c; c++) {
        bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-';
        *c = good ? *c : '_';
    }
    return *out ? out : "kernel";
}

static int make_sweep(rft_cli *cli, const new_options *o, rft_arena *arena, rft_err *err) {
    const char *path = o->files.items[0];
    rft_str sweep = RFT_STR_INIT, reference = RFT_STR_INIT;
    rft_cuda_file file;
    rft_new_request request = {.file = &file, .sizes = &o->sizes};
    char *text = NULL, *beside = rft_fs_folder(path), *stem = rft_fs_stem(path);
    const char *folder = o->folder ? o->folder : beside;
    size_t size = 0;
    bool outside = false;
    int rc = rft_fs_read(&text, &size, path, SOURCE_MAX_BYTES, err);
    rc = rc ? rc : rft_cuda_scan(&file, text, arena, err);
    rc = rc ? rc : pick_entry(&request.entry, &file, o->entry, path, err);
    if (rc == RFT_OK) {
        request.name = plain_name(file.entry_count == 1 ? stem : request.entry->name, arena);
        request.reference = rft_arena_printf(arena, "%s_reference.cu", request.name);
        rc = o->folder ? rft_fs_make_folders(folder, err) : RFT_OK; /* before its absolute path is asked for */
    }
    if (rc == RFT_OK) {
        request.source = source_from(folder, path, arena, &outside);
        rc = rft_new_sweep(&sweep, &reference, &request, arena, err);
        if (rc != RFT_OK) {
            rft_err_place(err, "%.300s", path);
        }
    }
    rc = rc ? rc : write_files(cli, folder, &request, &sweep, &reference, outside, err);
    rft_str_clear(&sweep);
    rft_str_clear(&reference);
    free(text);
    free(beside);
    free(stem);
    return rc;
}

int rft_cmd_new(rft_cli *cli, int argc, char **argv, rft_err *err) {
    new_options o = {0};
    bool helped = false;
    const rft_opt opts[] = {
        {"output", 'o', "DIR", "folder of the new files (default: that of KERNEL.cu)", NULL, &o.folder, NULL},
        {"entry", 0, "NAME", "the kernel, where the file has several", NULL, &o.entry, NULL},
        {"size", 0, "NAME=NUMBER", "a dimension: n=1048576, n=1024,4096 (repeat)", NULL, NULL, &o.sizes},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o.files, NULL, &helped, err);
    if (rc == RFT_OK && !helped && o.files.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "new takes one .cu file");
        rc = rft_err_remedy(err, "rooftune new KERNEL.cu --size n=1048576");
    } else if (rc == RFT_OK && !helped) {
        rc = make_sweep(cli, &o, arena, err);
    }
    rft_arena_free(arena);
    return rc;
}
