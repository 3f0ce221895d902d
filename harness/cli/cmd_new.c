/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "base/roots.h"
#include "cli/cli.h"
#include "cli/cuda_device_part.h"
#include "cli/cuda_scan.h"
#include "cli/device_copy.h"
#include "cli/new_files.h"
#include "cli/new_sweep.h"
#include "gpu/compiler.h"
#include "script/script_t1.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_MAX_BYTES ((size_t)1 << 20)
#define GIVEN_MAX_BYTES ((size_t)16 << 20)

typedef struct new_options {
    const char *entry, *folder, *from, *truth;
    rft_words sizes, includes, files;
} new_options;

/* ---- which kernel ---- */

/* `option`: where the name is said: "--entry ". */
static int list_entries(const rft_cuda_file *file, const char *asked, const char *option, const char *path,
                        rft_err *err) {
    rft_str list = RFT_STR_INIT;
    const char *names[RFT_CUDA_ENTRIES_MAX] = {"KERNEL"};
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
    return rft_err_remedy(err, "name one: %s%.60s", option, near ? near : names[0]);
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

/* `text` is the file as it is. */
static int pick_entry(const rft_cuda_entry **out, const rft_cuda_file *file, const char *asked, const char *option,
                      const char *path, const char *text, rft_err *err) {
    *out = NULL;
    if (file->refused) {
        rft_err_set(err, RFT_E_SOURCE, "%s:%zu: %s is not for NVRTC, which compiles device code only", path,
                    file->refused_line, file->refused);
        return rft_err_remedy(err,
                              "put it between `#ifndef __CUDACC_RTC__` and `#endif`, or the kernels into a file of "
                              "their own; textures become pointers");
    }
    if (file->entry_count == 0) {
        char *header = find_header(text, path);
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
    return list_entries(file, asked, option, path, err);
}

/* ---- files ---- */

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

static const char *in_folder(const char *folder, const char *name, rft_arena *arena) {
    return strcmp(folder, ".") == 0 ? name : rft_arena_printf(arena, "%s/%s", folder, name);
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

static void add_option(rft_new_request *request, const char *option) {
    if (request->option_count < RFT_NEW_OPTIONS_MAX) {
        request->options[request->option_count++] = option;
    }
}

/* The source for NVRTC: the file itself, or copies of its device code and its headers' beside the sweep. */
static void prepare_source(rft_new_files *files, rft_new_request *request, const rft_device_copy *copy,
                           const char *path, const char *text, const char *folder, rft_arena *arena) {
    char *beside = rft_fs_folder(path), *tree = rft_fs_absolute(beside), *own = rft_fs_absolute(folder);
    bool copied = copy->text != text, outside = false;
    if (copied) {
        request->source = rft_arena_printf(arena, "%s_device.cu", request->name);
        request->copied = rft_fs_name(path);
        rft_new_files_add(files, in_folder(folder, request->source, arena), copy->text, path);
    } else {
        request->source = source_from(folder, path, arena, &outside);
        rft_new_files_allow(files, rft_arena_strdup(arena, tree), own);
    }
    request->option_count = rft_device_copy_macros(copy, request->options, RFT_NEW_OPTIONS_MAX, arena);
    for (size_t i = 0; i < copy->header_count; i++) {
        if (copied && !copy->headers[i].whole) {
            const rft_copied_header *header = &copy->headers[i];
            rft_new_files_add(files, in_folder(folder, header->name, arena), header->text, header->path);
        }
    }
    for (size_t i = 0; i < copy->place_count; i++) {
        if (strcmp(copy->places[i], copied ? own : tree) != 0) {
            add_option(request, rft_arena_printf(arena, "-I%s", copy->places[i]));
            rft_new_files_allow(files, copy->places[i], own);
        }
    }
    for (size_t i = 0; i < copy->read_count; i++) {
        rft_new_files_allow(files, copy->reads[i], own);
    }
    free(beside);
    free(tree);
    free(own);
}

static void tell_lost(rft_cli *cli, const rft_device_copy *copy) {
    rft_str names = RFT_STR_INIT;
    for (size_t i = 0; i < copy->lost_count; i++) {
        rft_str_addf(&names, "%s\"%.80s\"", i ? ", " : "", copy->lost[i]);
    }
    if (copy->lost_count) {
        rft_log_warn(
            &cli->log,
            "left out: #include %s, neither beside the file that names it nor in an -I folder\n  remedy: where "
            "the kernel needs it, say its folder: -I DIR",
            rft_str_get(&names));
    }
    rft_str_clear(&names);
}

/* The name behind the next std:: outside of a comment to the line's end, from *at on; NULL: none. */
static const char *next_of_std(const char **at, rft_arena *arena) {
    for (const char *std = strstr(*at, "std::"); std; std = strstr(std + 1, "std::")) {
        const char *line = std;
        while (line > *at && line[-1] != '\n') {
            line--;
        }
        const char *comment = strstr(line, "//");
        size_t length = strspn(std + 5, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool own =
            std > line && (std[-1] == ':' || isalnum((unsigned char)std[-1]) || std[-1] == '_'); /* cuda::std:: */
        if (length > 0 && !own && !(comment && comment < std)) {
            *at = std;
            return rft_arena_strndup(arena, std + 5, length);
        }
    }
    return NULL;
}

/* What check would say of the first use of the host's C++ library that the copy left in the device code. */
static void tell_host_library(rft_cli *cli, const rft_device_copy *copy, const char *path, rft_arena *arena) {
    const char *at = copy->text;
    for (const char *name = next_of_std(&at, arena); name; name = next_of_std(&at, arena)) {
        size_t line = 1;
        for (const char *c = copy->text; c < at; c++) {
            line += *c == '\n';
        }
        if (!rft_cuda_is_host_type(name)) {
            rft_log_warn(&cli->log, "%s:%zu: %s", path, line, rft_host_library_words(name, arena));
            return;
        }
        at += 5;
    }
}

/* With a reference of two kernels the other one. */
static int pick_tuned(const rft_cuda_entry **out, const rft_cuda_file *file, const new_options *o,
                      const rft_cuda_entry *truth, const char *path, const char *text, rft_err *err) {
    if (o->entry || !truth || file->entry_count != 2) {
        return pick_entry(out, file, o->entry, "--entry ", path, text, err);
    }
    *out = &file->entries[truth == file->entries ? 1 : 0];
    return RFT_OK;
}

static const rft_cuda_entry *as_launched(const rft_cuda_entry *entry, const char *text, rft_arena *arena) {
    rft_cuda_entry *copy = rft_arena_memdup(arena, entry, sizeof *copy);
    rft_cuda_take_launches(copy, text, arena);
    return copy;
}

static int make_sweep(rft_cli *cli, const new_options *o, rft_arena *arena, rft_err *err) {
    const char *path = o->files.items[0];
    rft_str sweep = RFT_STR_INIT, reference = RFT_STR_INIT;
    rft_cuda_file file;
    rft_new_request request = {.file = &file, .sizes = &o->sizes};
    rft_new_files files = {.count = o->truth ? 1 : 2};
    rft_device_copy *copy = rft_arena_calloc(arena, 1, sizeof *copy);
    char *text = NULL, *beside = rft_fs_folder(path), *stem = rft_fs_stem(path);
    const char *folder = o->folder ? o->folder : beside;
    size_t size = 0;
    int rc = rft_fs_read(&text, &size, path, SOURCE_MAX_BYTES, err);
    if (rc == RFT_OK) {
        rft_device_copy_make(copy, path, text, &o->includes, arena);
    }
    rc = rc ? rc : rft_cuda_scan(&file, copy->text, rft_device_copy_headers(copy, arena), arena, err);
    rc = rc || !o->truth ? rc : pick_entry(&request.truth, &file, o->truth, "--reference-from ", path, text, err);
    rc = rc ? rc : pick_tuned(&request.entry, &file, o, request.truth, path, text, err);
    if (rc == RFT_OK && request.entry) {
        request.entry = as_launched(request.entry, text, arena);
        request.truth = request.truth ? as_launched(request.truth, text, arena) : NULL;
        request.name = plain_name(file.entry_count == 1 ? stem : request.entry->name, arena);
        request.reference = rft_arena_printf(arena, "%s_reference.cu", request.name);
        rc = o->folder ? rft_fs_make_folders(folder, err) : RFT_OK; /* before its absolute path is asked for */
    }
    if (rc == RFT_OK && request.entry) {
        prepare_source(&files, &request, copy, path, text, folder, arena);
        if (file.newer) {
            add_option(&request, "-std=c++20");
        }
        rc = rft_new_sweep(&sweep, &reference, &request, arena, err);
        if (rc != RFT_OK) {
            rft_err_place(err, "%.300s", path);
        }
        if (rc == RFT_E_SOURCE && copy->lost_count > 0 &&
            strstr(err->message, " of the type ")) { /* it may say what the type is */
            const char *otherwise = rft_arena_strdup(arena, err->remedy);
            rft_err_remedy(err, "\"%.80s\" was not found: say the folder of headers, -I DIR; else %s", copy->lost[0],
                           otherwise);
        }
    }
    if (rc == RFT_OK) {
        files.items[0] = (rft_new_file){in_folder(folder, rft_arena_printf(arena, "%s.lua", request.name), arena),
                                        rft_str_get(&sweep), NULL};
        if (!o->truth) {
            files.items[1] = (rft_new_file){in_folder(folder, request.reference, arena), rft_str_get(&reference), NULL};
        }
        rc = rft_new_files_write(cli, folder, &files, err);
    }
    if (rc == RFT_OK) {
        tell_lost(cli, copy);
        tell_host_library(cli, copy, path, arena);
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

/* The file names it, and may be anybody's: what lies elsewhere is named on the command line. */
static int check_source(const new_options *o, const char *path, const char *written, rft_arena *arena, rft_err *err) {
    char *folder = rft_fs_folder(o->from), *above = rft_fs_join(folder, ".."), *top = realpath(above, NULL);
    rft_roots roots = {0};
    rft_roots_add(&roots, folder, arena);
    if (top && strcmp(top, "/") != 0) {
        rft_roots_add(&roots, top, arena);
    }
    int rc = rft_roots_check(&roots, path, NULL);
    free(folder);
    free(above);
    free(top);
    if (rc == RFT_OK) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_SOURCE,
                "%s: KernelSpecification.KernelFile: %.200s lies neither beside it nor in the folder above", o->from,
                written);
    return rft_err_remedy(err, "if you know that file: rooftune new %.200s --from %.200s", written, o->from);
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
    int rc = o->files.count ? RFT_OK : check_source(o, *path, kernel->file, arena, err);
    return rc ? rc : rft_fs_read(text, &size, *path, SOURCE_MAX_BYTES, err);
}

typedef struct given_texts {
    char *json, *text, *stem, *beside;
    const char *path;
    rft_str sweep;
} given_texts;

/* The kernel's text: as it is wherever NVRTC can take it, else without its host code. */
static int scan_given(rft_device_copy *copy, rft_cuda_file *file, const given_texts *g, const rft_words *includes,
                      rft_arena *arena, rft_err *err) {
    rft_device_copy_make(copy, g->path, g->text, includes, arena);
    const char *headers = rft_device_copy_headers(copy, arena);
    int rc = rft_cuda_scan(file, g->text, headers, arena, err);
    bool needed = copy->drops_headers || (rc == RFT_OK && file->refused);
    if (!needed) {
        copy->text = g->text;
        return rc;
    }
    rft_err_clear(err);
    return rft_cuda_scan(file, copy->text, headers, arena, err);
}

static int make_given(rft_cli *cli, const new_options *o, given_texts *g, rft_arena *arena, rft_err *err) {
    const char *folder = o->folder ? o->folder : g->beside;
    rft_t1_kernel kernel = {0};
    rft_cuda_file file;
    rft_device_copy *copy = rft_arena_calloc(arena, 1, sizeof *copy);
    rft_new_files files = {.count = 1};
    rft_given_request request = {.kernel = &kernel, .file = &file, .from = o->from, .sizes = &o->sizes};
    request.name = plain_name(g->stem, arena);
    const char *own = rft_arena_printf(arena, "%s.cu", request.name);
    const char *written = in_folder(folder, own, arena);
    size_t size = 0;
    int rc = rft_fs_read(&g->json, &size, o->from, GIVEN_MAX_BYTES, err);
    rc = rc ? rc : rft_script_t1_kernel(&kernel, g->json, size, o->from, arena, err);
    rc = rc ? rc : find_text(&g->path, &g->text, o, &kernel, written, arena, err);
    rc = rc ? rc : scan_given(copy, &file, g, &o->includes, arena, err);
    rc = rc ? rc
            : pick_entry(&request.entry, &file, function_of(kernel.name, arena),
                         "KernelSpecification.KernelName: ", g->path, g->text, err);
    rc = rc || !o->truth ? rc : pick_entry(&request.truth, &file, o->truth, "--reference-from ", g->path, g->text, err);
    rc = rc || !o->folder ? rc : rft_fs_make_folders(folder, err);
    if (rc != RFT_OK) {
        if (kernel.is_call) {
            rft_script_tuner_words(err);
        }
        return rc;
    }
    char *base = rft_fs_absolute(g->beside);
    request.folder = rft_arena_strdup(arena, base);
    free(base);
    rft_new_request made = {.name = request.name};
    if (o->files.count == 0 && kernel.source && copy->text == g->text) {
        made.source = own;
        rft_new_files_add(&files, written, g->text, NULL);
    } else {
        prepare_source(&files, &made, copy, g->path, g->text, folder, arena);
    }
    request.source = made.source;
    memcpy(request.options, made.options, sizeof request.options);
    request.option_count = made.option_count;
    rc = rft_new_given(&g->sweep, &request, arena, err);
    if (rc != RFT_OK && kernel.is_call) {
        rft_script_tuner_words(err);
    }
    if (rc == RFT_OK) {
        const char *path = in_folder(folder, rft_arena_printf(arena, "%s.lua", request.name), arena);
        files.items[0] = (rft_new_file){path, rft_str_get(&g->sweep), NULL};
        rc = rft_new_files_write(cli, folder, &files, err);
    }
    if (rc == RFT_OK) {
        tell_lost(cli, copy);
    }
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
        {"include", 'I', "DIR", "a folder of headers, as nvcc has it (repeat)", NULL, NULL, &o.includes},
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
