/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/device_list.h"

#include "cli/target.h"
#include "gpu/gpu.h"
#include "store/store.h"

#include <string.h>

#define UUID_MOST 100
#define UUID_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

typedef struct list {
    rft_listed_device *items; /* in the arena */
    size_t count;
    rft_gpu_info *gpus; /* this machine's; NULL: not asked for yet */
    size_t gpu_count;
    rft_arena *arena;
} list;

static int ask_driver(list *l, rft_err *err) {
    int rc = l->gpus ? RFT_OK : rft_cuda_list(&l->gpus, &l->gpu_count, l->arena, err);
    if (rc == RFT_OK && l->gpu_count == 0) {
        rft_err_set(err, RFT_E_DEVICE, "there is no CUDA device here");
        rc = rft_err_remedy(err, "`rooftune devices` says why; -d replay:FILE answers from a recording");
    }
    return rc;
}

static void add_gpu(list *l, size_t ordinal) {
    const rft_gpu_info *gpu = &l->gpus[ordinal];
    l->items[l->count++] = (rft_listed_device){.device = rft_arena_printf(l->arena, "%zu", ordinal),
                                               .label = rft_arena_printf(l->arena, "device %zu", ordinal),
                                               .uuid = gpu->uuid,
                                               .name = gpu->name};
}

static int add_device_number(list *l, const char *piece, rft_err *err) {
    int ordinal = 0;
    int rc = rft_target_ordinal(&ordinal, piece, err);
    rc = rc == RFT_OK ? ask_driver(l, err) : rc;
    if (rc != RFT_OK) {
        return rc;
    }
    if ((size_t)ordinal >= l->gpu_count) {
        rft_err_set(err, RFT_E_DEVICE, "there is no CUDA device %d; %zu can be seen", ordinal, l->gpu_count);
        return rft_err_remedy(err, "`rooftune devices` lists them; CUDA_VISIBLE_DEVICES may hide some");
    }
    add_gpu(l, (size_t)ordinal);
    return RFT_OK;
}

static int add_recording(list *l, const char *piece, rft_err *err) {
    rft_run *recording = NULL;
    int rc = rft_store_load(&recording, piece + strlen("replay:"), err);
    if (rc == RFT_OK) {
        l->items[l->count] = (rft_listed_device){.device = piece,
                                                 .label = rft_arena_printf(l->arena, "recording %zu", l->count + 1),
                                                 .uuid = rft_arena_strdup(l->arena, recording->gpu.uuid),
                                                 .name = rft_arena_strdup(l->arena, recording->gpu.name)};
        l->count++;
    }
    rft_run_free(recording);
    return rc;
}

/* A recording may say anything. */
static bool names_file(const char *uuid) {
    const size_t length = strlen(uuid);
    return length > 0 && length <= UUID_MOST && strspn(uuid, UUID_LETTERS) == length;
}

/* Two runs may not measure on one GPU, nor write to one file. */
static int check_distinct(const list *l, rft_err *err) {
    for (size_t i = 0; i < l->count; i++) {
        const char *uuid = l->items[i].uuid;
        if (!uuid || !names_file(uuid)) {
            rft_err_set(err, RFT_E_DEVICE, "%s has no UUID to name its run file by", l->items[i].device);
            return rft_err_remedy(err, "run it alone, with -o and a file");
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(l->items[k].uuid, uuid) == 0) {
                rft_err_set(err, RFT_E_USAGE, "-d: %s and %s are the same GPU, %s", l->items[k].device,
                            l->items[i].device, uuid);
                return rft_err_remedy(err, "name each device once; recordings of one GPU are replayed one by one");
            }
        }
    }
    return RFT_OK;
}

int rft_device_list(rft_listed_device **out, size_t *count, const char *text, rft_arena *arena, rft_err *err) {
    list l = {.arena = arena};
    int rc = RFT_OK;
    size_t most = 256;
    for (const char *c = text; *c; c++) {
        most += *c == ',';
    }
    l.items = rft_arena_calloc(arena, most, sizeof *l.items);
    if (strcmp(text, "all") == 0) {
        rc = ask_driver(&l, err);
        for (size_t i = 0; rc == RFT_OK && i < l.gpu_count && i < most; i++) {
            add_gpu(&l, i);
        }
    }
    for (const char *at = text; strcmp(text, "all") != 0 && at && rc == RFT_OK;) {
        const char *comma = strchr(at, ',');
        const char *piece = rft_arena_strndup(arena, at, comma ? (size_t)(comma - at) : strlen(at));
        rc = rft_text_starts(piece, "replay:") ? add_recording(&l, piece, err) : add_device_number(&l, piece, err);
        at = comma ? comma + 1 : NULL;
    }
    rc = rc == RFT_OK ? check_distinct(&l, err) : rc;
    *out = l.items;
    *count = l.count;
    return rc;
}
