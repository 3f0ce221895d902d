/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/device_copy.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/cuda_device_part.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MAX_BYTES ((size_t)1 << 20)

#define LEVELS_UP 3

typedef struct copier {
    rft_device_copy *out;
    const char *root;   /* absolute: above the source, at most LEVELS_UP folders; headers from elsewhere need an -I */
    const char *source; /* the text of the file that is copied */
    const rft_words *includes;
    rft_arena *arena;
} copier;

static const char *kept(char *heap, rft_arena *arena) {
    const char *text = rft_arena_strdup(arena, heap);
    free(heap);
    return text;
}

static void add_once(const char **list, size_t *count, size_t most, const char *text) {
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i], text) == 0) {
            return;
        }
    }
    if (*count < most) {
        list[(*count)++] = text;
    }
}

static bool lies_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* A source from anywhere names headers: /etc does not belong to it. */
static bool may_read(const copier *c, const char *path) {
    const char *real = kept(rft_fs_absolute(path), c->arena);
    bool may = lies_in(real, c->root);
    for (size_t i = 0; i < c->includes->count && !may; i++) {
        may = lies_in(real, kept(rft_fs_absolute(c->includes->items[i]), c->arena));
    }
    return may;
}

/* The folder that has the header; NULL: none. */
static const char *find_folder(const copier *c, const char *name, bool quoted, const char *folder) {
    size_t count = c->includes->count + 1;
    for (size_t i = quoted ? 0 : 1; i < count && name[0] != '/'; i++) {
        const char *place = i ? c->includes->items[i - 1] : folder;
        const char *path = kept(rft_fs_join(place, name), c->arena);
        if (rft_fs_exists(path) && !rft_fs_is_folder(path) && may_read(c, path)) {
            return place;
        }
    }
    return NULL;
}

/* "/home/me/project" of "/home/me/project/src/cuda/a.cu", never "/" nor a folder right below it. */
static const char *root_of(const char *path, rft_arena *arena) {
    char *folder = rft_arena_strdup(arena, kept(rft_fs_folder(kept(rft_fs_absolute(path), arena)), arena));
    for (size_t i = 0; i < LEVELS_UP; i++) {
        char *last = strrchr(folder, '/');
        char *before = last && last > folder ? memrchr(folder, '/', (size_t)(last - folder)) : NULL;
        if (!before || before == folder) {
            break;
        }
        *last = '\0';
    }
    return folder;
}

/* "common_device.h" of "inc/common.h", and of another common.h "common_device2.h". */
static const char *copy_name(const copier *c, const char *path) {
    const char *name = rft_fs_name(path), *dot = strrchr(name, '.');
    size_t stem = dot ? (size_t)(dot - name) : strlen(name);
    for (size_t number = 1;; number++) {
        const char *more = number > 1 ? rft_arena_printf(c->arena, "%zu", number) : "";
        const char *made = rft_arena_printf(c->arena, "%.*s_device%s%s", (int)stem, name, more, dot ? dot : "");
        bool taken = false;
        for (size_t i = 0; i < c->out->header_count; i++) {
            taken = taken || (c->out->headers[i].name && strcmp(c->out->headers[i].name, made) == 0);
        }
        if (!taken) {
            return made;
        }
    }
}

/* ---- CUB: its whole has host code, the parts of blocks and warps have none ---- */

#define CUB "cub/cub.cuh"

static const char *use_cub(copier *c) {
    rft_device_copy *out = c->out;
    size_t at = 0;
    while (at < out->header_count && strcmp(out->headers[at].path, CUB) != 0) {
        at++;
    }
    if (at == RFT_COPY_HEADERS_MAX) {
        return CUB;
    }
    if (at == out->header_count) {
        out->headers[out->header_count++] = (rft_copied_header){copy_name(c, CUB), CUB, "", false};
    }
    return out->headers[at].name;
}

/* "#include <cub/block/block_reduce.cuh>" for each cub::BlockReduce in the texts. */
static void write_cub(rft_device_copy *out, rft_arena *arena) {
    static const char *const parts[] = {"BlockAdjacentDifference",
                                        "BlockDiscontinuity",
                                        "BlockExchange",
                                        "BlockHistogram",
                                        "BlockLoad",
                                        "BlockMergeSort",
                                        "BlockRadixSort",
                                        "BlockReduce",
                                        "BlockScan",
                                        "BlockShuffle",
                                        "BlockStore",
                                        "BlockRunLengthDecode",
                                        "WarpExchange",
                                        "WarpLoad",
                                        "WarpMergeSort",
                                        "WarpReduce",
                                        "WarpScan",
                                        "WarpStore"};
    for (size_t h = 0; h < out->header_count; h++) {
        rft_str text = RFT_STR_INIT;
        rft_str_add(&text, "// The parts of <" CUB "> that are used here: the rest has host code.\n");
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            bool used = strstr(out->text, parts[i]) != NULL;
            for (size_t k = 0; k < out->header_count; k++) {
                used = used || strstr(out->headers[k].text, parts[i]);
            }
            rft_str_add(&text, used ? parts[i][0] == 'B' ? "#include <cub/block/" : "#include <cub/warp/" : "");
            for (const char *at = parts[i]; *at && used; at++) {
                rft_str_add(&text, isupper((unsigned char)*at) && at > parts[i] ? "_" : "");
                rft_str_add_char(&text, (char)tolower((unsigned char)*at));
            }
            rft_str_add(&text, used ? ".cuh>\n" : "");
        }
        if (strcmp(out->headers[h].path, CUB) == 0) {
            out->headers[h].text = rft_arena_strdup(arena, rft_str_get(&text));
        }
        rft_str_clear(&text);
    }
}

static const char *replace(void *self, const char *name, bool quoted, const char *folder);

/* Reads it and what it includes; NULL: it cannot be read, or there are too many. Within itself a header stays whole. */
static rft_copied_header *look_at(copier *c, const char *path, const char *folder) {
    rft_device_copy *out = c->out;
    for (size_t i = 0; i < out->header_count; i++) {
        if (strcmp(out->headers[i].path, path) == 0) {
            return &out->headers[i];
        }
    }
    char *heap = NULL;
    size_t size = 0;
    rft_err ignored = RFT_ERR_INIT;
    if (out->header_count == RFT_COPY_HEADERS_MAX ||
        rft_fs_read(&heap, &size, path, HEADER_MAX_BYTES, &ignored) != RFT_OK) {
        return NULL;
    }
    rft_copied_header *header = &out->headers[out->header_count++];
    const char *text = kept(heap, c->arena);
    *header = (rft_copied_header){NULL, path, text, true};
    const char *part = rft_cuda_device_part(text, c->source, folder, replace, c, c->arena);
    if (part != text) {
        *header = (rft_copied_header){copy_name(c, path), path, part, false};
    }
    return header;
}

static const char *replace(void *self, const char *name, bool quoted, const char *folder) {
    copier *c = self;
    const char *place = find_folder(c, name, quoted, folder);
    if (!place && strcmp(name, CUB) == 0) {
        c->out->drops_headers = true;
        return use_cub(c);
    }
    if (!place && (rft_text_starts(name, "cublas") || rft_text_starts(name, "cudnn"))) {
        c->out->drops_headers = true;
        return "cuda_bf16.h"; /* types that kernels have from there; it brings cuda_fp16.h */
    }
    if (!place) {
        bool device = rft_cuda_is_device_header(name);
        if (quoted && !device) {
            add_once(c->out->lost, &c->out->lost_count, RFT_COPY_HEADERS_MAX, name);
        }
        c->out->drops_headers = c->out->drops_headers || !device;
        return device ? name : NULL;
    }
    const char *path = kept(rft_fs_absolute(kept(rft_fs_join(place, name), c->arena)), c->arena);
    const char *inner = kept(rft_fs_folder(path), c->arena);
    const rft_copied_header *header = look_at(c, path, inner);
    if (header && !header->whole) {
        c->out->drops_headers = true;
        return header->name;
    }
    add_once(c->out->places, &c->out->place_count, RFT_COPY_FOLDERS_MAX, kept(rft_fs_absolute(place), c->arena));
    add_once(c->out->reads, &c->out->read_count, RFT_COPY_FOLDERS_MAX, inner);
    return name;
}

void rft_device_copy_make(rft_device_copy *out, const char *path, const char *text, const rft_words *includes,
                          rft_arena *arena) {
    copier c = {out, root_of(path, arena), text, includes, arena};
    *out = (rft_device_copy){.text = text};
    out->text = rft_cuda_device_part(text, NULL, kept(rft_fs_folder(path), arena), replace, &c, arena);
    write_cub(out, arena);
}

const char *rft_device_copy_headers(const rft_device_copy *copy, rft_arena *arena) {
    rft_str all = RFT_STR_INIT;
    for (size_t i = 0; i < copy->header_count; i++) {
        rft_str_addf(&all, "%s\n", copy->headers[i].text);
    }
    const char *text = all.length ? rft_arena_strdup(arena, rft_str_get(&all)) : NULL;
    rft_str_clear(&all);
    return text;
}

size_t rft_device_copy_macros(const rft_device_copy *copy, const char **out, size_t most, rft_arena *arena) {
    rft_str all = RFT_STR_INIT;
    rft_str_add(&all, copy->text);
    for (size_t i = 0; i < copy->header_count; i++) {
        rft_str_add(&all, copy->headers[i].whole ? "" : copy->headers[i].text);
    }
    size_t count = rft_cuda_host_macros(out, most, rft_arena_strdup(arena, rft_str_get(&all)), arena);
    rft_str_clear(&all);
    return count;
}
