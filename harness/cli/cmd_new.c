/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "cli/cli.h"
#include "cli/command_text.h"
#include "cli/cuda_device_part.h"
#include "cli/cuda_scan.h"
#include "cli/new_sweep.h"
#include "script/script_t1.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE_MAX_BYTES ((size_t)1 << 20)
#define GIVEN_MAX_BYTES ((size_t)16 << 20)

typedef struct new_options {
    const char *entry, *folder, *from, *truth;
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

/* The first header by "NAME" that has a kernel: a path on the heap, NULL: none. */
static char *find_header(const char *text, const char *path) {
    static const char mark[] = "#include \"";
    char *folder = rft_fs_folder(path), *found = NULL;
    for (const char *at = strstr(text, mark); at && !found; at = strstr(at + 1, mark)) {
        char name[200] = "", *inside = NULL;
        size_t length = strcspn(at + sizeof mark - 1, "\"\n"), size = 0;
        rft_err ignored = RFT_ERR_INIT;
        memcpy(name, at + sizeof mark - 1, length < sizeof name ? length : 0);
        char *header = rft_fs_join(strcmp(folder, ".") == 0 ? "" : folder, name);
        bool read = *name && rft_fs_read(&inside, &size, header, SOURCE_MAX_BYTES, &ignored) == RFT_OK;
        if (read && strstr(inside, "__global__")) {
            found = header;
        } else {
            free(header);
        }
        free(inside);
    }
    free(folder);
    return found;
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
        char *header = find_header(file->text, path);
        rft_err_set(err, RFT_E_SOURCE, "%s has no __global__ function", path);
        header ? rft_err_remedy(err, "name the header that has one: rooftune new %.300s", header)
               : rft_err_remedy(err, "name the file that has the kernel, also a header");
        free(header);
        return err->code;
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
static int create_file(const char *path, const char *text, rft_err *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        return refuse_existing(path, err);
    }
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
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

#define FILES_MAX 3

/* A new file. */
typedef struct new_file {
    const char *path, *text;
} new_file;

/* The sweep, then what it needs beside it. */
typedef struct new_files {
    new_file items[FILES_MAX];
    size_t count;
    const char *tree;   /* what the sweep may read besides its folder; NULL: nothing */
    const char *copied; /* whose device code the last one is; NULL: nobody's */
} new_files;

static void add_file(new_files *files, const char *path, const char *text) {
    files->items[files->count++] = (new_file){path, text};
}

static const char *in_folder(const char *folder, const char *name, rft_arena *arena) {
    return strcmp(folder, ".") == 0 ? name : rft_arena_printf(arena, "%s/%s", folder, name);
}

static void tell_next(rft_cli *cli, const new_files *files) {
    rft_str allowed = RFT_STR_INIT, word = RFT_STR_INIT, names = RFT_STR_INIT;
    const char *words[] = {"--allow-path", files->tree};
    if (files->tree) {
        rft_str_add(&allowed, " ");
        rft_command_add_words(&allowed, words, 2);
    }
    for (size_t i = 0; i < files->count; i++) {
        rft_str_addf(&names, "%s%s", i == 0 ? "" : i + 1 == files->count ? " and " : ", ", files->items[i].path);
    }
    if (files->copied) {
        rft_log_info(&cli->log, "%s is %s without its host code, line by line: NVRTC compiles device code only",
                     files->items[files->count - 1].path, files->copied);
    }
    rft_command_add_words(&word, &files->items[0].path, 1);
    rft_log_info(&cli->log, "%s written; what says TODO there is a guess.\nnext: rooftune check %s%s",
                 rft_str_get(&names), rft_str_get(&word), rft_str_get(&allowed));
    rft_str_clear(&allowed);
    rft_str_clear(&word);
    rft_str_clear(&names);
}

static int write_files(rft_cli *cli, const char *folder, const new_files *files, rft_err *err) {
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

/* Letters, digits and _ of a kernel's or a file's name: it becomes part of file names. */
static const char *plain_name(const char *text, rft_arena *arena) {
    char *out = rft_arena_strndup(arena, text, strlen(text) < 60 ? strlen(text) : 60);
    for (char *c = out; *c; c++) {
        bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-';
        *c = good ? *c : '_';
    }
    return *out ? out : "kernel";
}

/* The source for NVRTC: the file itself, or a copy of its device code beside the sweep. */
static void prepare_source(new_files *files, rft_new_request *request, const char *path, const char *text,
                           const char *folder, rft_arena *arena) {
    char *beside = rft_fs_folder(path), *tree = rft_fs_absolute(beside);
    const char *device = rft_cuda_device_part(text, beside, arena);
    bool outside = false;
    if (device == text) {
        request->source = source_from(folder, path, arena, &outside);
    } else {
        const char *name = rft_arena_printf(arena, "%s_device.cu", request->name);
        request->source = name;
        request->copied = rft_fs_name(path);
        request->option_count = rft_cuda_host_macros(request->options, RFT_NEW_OPTIONS_MAX - 1, text, arena);
        outside = strstr(device, "#include \"") && strcmp(folder, beside) != 0; /* headers of its own */
        if (outside) {
            request->options[request->option_count++] = rft_arena_printf(arena, "-I%s", tree);
        }
        add_file(files, in_folder(folder, name, arena), device);
        files->copied = path;
    }
    files->tree = outside ? rft_arena_strdup(arena, tree) : NULL;
    free(beside);
    free(tree);
}

/* With a reference of two kernels the other one. */
static int pick_tuned(const rft_cuda_entry **out, const rft_cuda_file *file, const new_options *o,
                      const rft_cuda_entry *truth, const char *path, rft_err *err) {
    if (o->entry || !truth || file->entry_count != 2) {
        return pick_entry(out, file, o->entry, path, err);
    }
    *out = &file->entries[truth == file->entries ? 1 : 0];
    return RFT_OK;
}

static int make_sweep(rft_cli *cli, const new_options *o, rft_arena *arena, rft_err *err) {
    const char *path = o->files.items[0];
    rft_str sweep = RFT_STR_INIT, reference = RFT_STR_INIT;
    rft_cuda_file file;
    rft_new_request request = {.file = &file, .sizes = &o->sizes};
    new_files files = {.count = o->truth ? 1 : 2};
    char *text = NULL, *beside = rft_fs_folder(path), *stem = rft_fs_stem(path);
    const char *folder = o->folder ? o->folder : beside;
    size_t size = 0;
    int rc = rft_fs_read(&text, &size, path, SOURCE_MAX_BYTES, err);
    rc = rc ? rc : rft_cuda_scan(&file, rft_cuda_device_part(text, beside, arena), arena, err);
    rc = rc || !o->truth ? rc : pick_entry(&request.truth, &file, o->truth, path, err);
    rc = rc ? rc : pick_tuned(&request.entry, &file, o, request.truth, path, err);
    if (rc == RFT_OK && request.entry) {
        request.name = plain_name(file.entry_count == 1 ? stem : request.entry->name, arena);
        request.reference = rft_arena_printf(arena, "%s_reference.cu", request.name);
        rc = o->folder ? rft_fs_make_folders(folder, err) : RFT_OK; /* before its absolute path is asked for */
    }
    if (rc == RFT_OK && request.entry) {
        prepare_source(&files, &request, path, text, folder, arena);
        rc = rft_new_sweep(&sweep, &reference, &request, arena, err);
        if (rc != RFT_OK) {
            rft_err_place(err, "%.300s", path);
        }
    }
    if (rc == RFT_OK) {
        files.items[0] =
            (new_file){in_folder(folder, rft_arena_printf(arena, "%s.lua", request.name), arena), rft_str_get(&sweep)};
        if (!o->truth) {
            files.items[1] = (new_file){in_folder(folder, request.reference, arena), rft_str_get(&reference)};
        }
        rc = write_files(cli, folder, &files, err);
    }
    rft_str_clear(&sweep);
    rft_str_clear(&reference);
    free(text);
    free(beside);
    free(stem);
    return rc;
}

/* ---- from a specification ---- */

/* Where T1 files mean it: beside the file or above it, as Kernel Tuner looks, else the name alone beside the file. Of
 * NAME.cu.hip, which hub files name for CUDA too, first NAME.cu. NULL: nowhere. */
static const char *find_source(const char *from, const char *written, rft_arena *arena) {
    char *folder = rft_fs_folder(from);
    bool hip = rft_text_ends(written, ".hip");
    const char *bare = hip ? rft_arena_strndup(arena, written, strlen(written) - 4) : written;
    const char *names[] = {bare, written},
               *here = strcmp(folder, ".") == 0 ? "" : rft_arena_printf(arena, "%s/", folder);
    const char *found = NULL;
    for (size_t i = 0; i < 2 && !found; i++) {
        bool whole = names[i][0] == '/';
        const char *places[] = {rft_arena_printf(arena, "%s%s", whole ? "" : here, names[i]),
                                rft_arena_printf(arena, "%s../%s", whole ? "/" : here, names[i]),
                                rft_arena_printf(arena, "%s%s", here, rft_fs_name(names[i]))};
        for (size_t k = 0; k < 3 && !found; k++) {
            found = rft_fs_exists(places[k]) && !rft_fs_is_folder(places[k]) ? places[k] : NULL;
        }
    }
    free(folder);
    return found;
}

/* The function of a name expression: "ns::saxpy<float, VEC>" is ns::saxpy. */
static const char *function_of(const char *name, rft_arena *arena) {
    return rft_arena_strndup(arena, name, strcspn(name, "< "));
}

/* Finds the kernel's text, a heap string: *path is where it lies, or will. */
static int find_text(const char **path, char **text, const new_options *o, const rft_t1_kernel *kernel, const char *own,
                     rft_arena *arena, rft_err *err) {
    size_t size = 0;
    if (o->files.count == 0 && kernel->source) { /* the file has the text itself, which becomes one beside the sweep */
        *path = own;
        *text = strdup(kernel->source);
        return RFT_OK;
    }
    *path = o->files.count ? o->files.items[0] : find_source(o->from, kernel->file, arena);
    if (!*path) {
        rft_err_set(err, RFT_E_SOURCE, "%s: KernelSpecification.KernelFile: %.200s is not there", o->from,
                    kernel->file);
        return rft_err_remedy(err, "name the kernel's file: rooftune new KERNEL.cu --from %.200s", o->from);
    }
    return rft_fs_read(text, &size, *path, SOURCE_MAX_BYTES, err);
}

typedef struct given_texts {
    char *json, *text, *stem, *beside;
    const char *path;
    rft_str sweep;
} given_texts;

static int make_given(rft_cli *cli, const new_options *o, given_texts *g, rft_arena *arena, rft_err *err) {
    const char *folder = o->folder ? o->folder : g->beside;
    rft_t1_kernel kernel;
    rft_cuda_file file;
    rft_given_request request = {.kernel = &kernel, .file = &file, .from = o->from, .sizes = &o->sizes};
    request.name = plain_name(g->stem, arena);
    const char *own = rft_arena_printf(arena, "%s.cu", request.name);
    const char *written = in_folder(folder, own, arena);
    char *base = NULL;
    size_t size = 0;
    bool outside = false;
    int rc = rft_fs_read(&g->json, &size, o->from, GIVEN_MAX_BYTES, err);
    rc = rc ? rc : rft_script_t1_kernel(&kernel, g->json, size, o->from, arena, err);
    rc = rc ? rc : find_text(&g->path, &g->text, o, &kernel, written, arena, err);
    rc = rc ? rc : rft_cuda_scan(&file, g->text, arena, err);
    rc = rc ? rc : pick_entry(&request.entry, &file, function_of(kernel.name, arena), g->path, err);
    rc = rc || !o->truth ? rc : pick_entry(&request.truth, &file, o->truth, g->path, err);
    rc = rc || !o->folder ? rc : rft_fs_make_folders(folder, err);
    if (rc == RFT_OK) {
        bool kept = o->files.count == 0 && kernel.source;
        base = rft_fs_absolute(g->beside);
        request.folder = rft_arena_strdup(arena, base);
        request.source = kept ? own : source_from(folder, g->path, arena, &outside);
        rc = rft_new_given(&g->sweep, &request, arena, err);
        if (rc == RFT_OK) {
            new_files files = {.tree = NULL};
            char *tree = rft_fs_folder(request.source);
            files.tree = outside ? rft_arena_strdup(arena, tree) : NULL;
            free(tree);
            add_file(&files, in_folder(folder, rft_arena_printf(arena, "%s.lua", request.name), arena),
                     rft_str_get(&g->sweep));
            if (kept) {
                add_file(&files, written, g->text);
            }
            rc = write_files(cli, folder, &files, err);
        }
    }
    free(base);
    return rc;
}

static int make_from(rft_cli *cli, const new_options *o, rft_arena *arena, rft_err *err) {
    given_texts g = {.stem = rft_fs_stem(o->from), .beside = rft_fs_folder(o->from)};
    int rc = RFT_OK;
    if (o->entry || o->files.count > 1) {
        rft_err_set(err, RFT_E_USAGE,
                    "with --from, new takes one .cu file at most, and the kernel's name is the file's");
        rc = rft_err_remedy(err, "rooftune new --from T1.json, or rooftune new KERNEL.cu --from T1.json");
    }
    rc = rc ? rc : make_given(cli, o, &g, arena, err);
    free(g.json);
    free(g.text);
    free(g.stem);
    free(g.beside);
    rft_str_clear(&g.sweep);
    return rc;
}

int rft_cmd_new(rft_cli *cli, int argc, char **argv, rft_err *err) {
    new_options o = {0};
    bool helped = false;
    const rft_opt opts[] = {
        {"output", 'o', "DIR", "folder of the new files (default: that of KERNEL.cu)", NULL, &o.folder, NULL},
        {"entry", 0, "NAME", "the kernel, where the file has several", NULL, &o.entry, NULL},
        {"from", 0, "FILE.json", "a T1 file, or a printed call of Kernel Tuner's (docs/exchange.md)", NULL, &o.from,
         NULL},
        {"reference-from", 0, "NAME", "the kernel of the file that others are compared with", NULL, &o.truth, NULL},
        {"size", 0, "NAME=NUMBER", "a dimension: n=1048576, n=1024,4096 (repeat)", NULL, NULL, &o.sizes},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o.files, NULL, &helped, err);
    if (rc == RFT_OK && !helped && o.from) {
        rc = make_from(cli, &o, arena, err);
    } else if (rc == RFT_OK && !helped && o.files.count == 1 && rft_text_ends(o.files.items[0], ".json")) {
        rft_err_set(err, RFT_E_USAGE, "%s is no CUDA source", o.files.items[0]);
        rc = rft_err_remedy(err, "rooftune new --from %.300s", o.files.items[0]);
    } else if (rc == RFT_OK && !helped && o.files.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "new takes one .cu file");
        rc = rft_err_remedy(err, "rooftune new KERNEL.cu --size n=1048576");
    } else if (rc == RFT_OK && !helped) {
        rc = make_sweep(cli, &o, arena, err);
    }
    rft_arena_free(arena);
    return rc;
}
