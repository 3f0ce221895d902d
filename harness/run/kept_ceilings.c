/* SPDX-License-Identifier: Apache-2.0 */
#include "run/kept_ceilings.h"

#include "base/fs.h"
#include "base/hash.h"
#include "measure/protocol.h"
#include "run/wire/wire.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "rooftune-ceilings-1 "
#define MAX_BYTES ((size_t)1 << 20)

/* A card, and all that its ceilings depend on. */
static void key_of(const rft_kept_ceilings_opts *opts, char out[RFT_HASH_HEX_SIZE]) {
    const rft_gpu_info *gpu = opts->gpu;
    char code[RFT_HASH_HEX_SIZE], numbers[160];
    rft_sha256 hash;
    rft_protocol_ceilings_hash(gpu, code);
    rft_text_format(numbers, sizeof numbers, "%d %d %d %d %d", gpu->sms, gpu->sm_clock_khz, gpu->memory_clock_khz,
                    gpu->memory_bus_bits, gpu->driver_version);
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, code);
    rft_sha256_add_text(&hash, gpu->uuid);
    rft_sha256_add_text(&hash, gpu->name);
    rft_sha256_add_text(&hash, gpu->arch);
    rft_sha256_add_text(&hash, numbers);
    const char *const facts[] = {"nvml.driver_version", "nvml.power_limit_enforced_w", "nvml.sm_clock_max_mhz"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        rft_sha256_add_text(&hash, rft_env_value(opts->env, facts[i]));
    }
    rft_sha256_hex(&hash, out);
}

/* NULL: there is no folder, or no name for the GPU. */
static const char *path_of(const rft_kept_ceilings_opts *opts, rft_arena *arena) {
    const char *uuid = opts->gpu->uuid;
    if (!opts->folder || !uuid || !*uuid) {
        return NULL;
    }
    char *name = rft_arena_strdup(arena, uuid);
    for (char *at = name; *at; at++) {
        *at = isalnum((unsigned char)*at) || *at == '-' ? *at : '_';
    }
    return rft_arena_printf(arena, "%s/ceilings/%s.json", opts->folder, name);
}

/* The JSON behind the first line, where that belongs to it. */
static const char *body_of(const char *text, size_t size) {
    char hash[RFT_HASH_HEX_SIZE];
    size_t head = strlen(MAGIC) + RFT_HASH_HEX_SIZE - 1;
    if (size <= head + 1 || strncmp(text, MAGIC, strlen(MAGIC)) != 0 || text[head] != '\n') {
        return NULL;
    }
    rft_hash_hex(text + head + 1, size - head - 1, hash);
    return memcmp(hash, text + strlen(MAGIC), RFT_HASH_HEX_SIZE - 1) == 0 ? text + head + 1 : NULL;
}

/* What a later program, or another state of the card, has to find for itself. */
static void take_fresh(rft_kept_ceilings *out, rft_ceilings *read, int64_t now_ns) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &read->items[id];
        double age_s = (double)(now_ns - ceiling->measured_unix_ns) * 1e-9;
        if (!ceiling->measured || !(ceiling->stats.median > 0) || !isfinite(ceiling->stats.median) ||
            !(age_s >= -1.0 && age_s <= RFT_KEPT_CEILINGS_S)) {
            continue;
        }
        ceiling->datasheet = ceiling->limit = NAN;
        ceiling->datasheet_basis = ceiling->limit_basis = NULL;
        out->ceilings.items[id] = *ceiling;
        out->there |= RFT_CEILING_BIT(id);
    }
}

static const char *read_body(rft_kept_ceilings *out, const rft_kept_ceilings_opts *opts, const char *body,
                             rft_arena *arena) {
    char key[RFT_HASH_HEX_SIZE];
    json_t *root = NULL;
    rft_ceilings read;
    if (rft_json_parse(&root, body, strlen(body), "kept ceilings", NULL) != RFT_OK) {
        return "the file is damaged";
    }
    const char *why = NULL;
    key_of(opts, key);
    if (!rft_text_equal(rft_json_text_or(root, "key", ""), key)) {
        why = "the driver, a limit or the program changed since";
    } else if (rft_wire_to_ceilings(&read, json_object_get(root, "ceilings"), arena, NULL) != RFT_OK) {
        why = "the file is damaged";
    } else {
        take_fresh(out, &read, opts->clock->unix_ns(opts->clock->self));
        why = out->there ? NULL : "they are older than a day";
    }
    json_decref(root);
    return why;
}

void rft_kept_ceilings_read(rft_kept_ceilings *out, const rft_kept_ceilings_opts *opts, rft_arena *arena) {
    char *text = NULL;
    size_t size = 0;
    *out = (rft_kept_ceilings){.path = path_of(opts, arena)};
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        out->ceilings.items[id] = rft_ceiling_none("not kept");
    }
    const char *others = out->path ? rft_fs_is_others(opts->folder) : NULL;
    if (others) {
        out->path = NULL;
        out->why = rft_arena_printf(arena, "the cache folder %s", others);
    } else if (!out->path) {
        out->why = opts->folder ? "the device has no UUID" : "there is no cache folder (RFT_CACHE, XDG_CACHE_HOME)";
    } else if (!rft_fs_exists(out->path)) {
        out->why = "none were measured here";
    } else if (rft_fs_read(&text, &size, out->path, MAX_BYTES, NULL) != RFT_OK) {
        out->why = "the file cannot be read";
    } else {
        const char *body = body_of(text, size);
        out->why = body ? read_body(out, opts, body, arena) : "the file is damaged";
    }
    free(text);
}

static int write_text(const char *path, json_t *root, rft_err *err) {
    char hash[RFT_HASH_HEX_SIZE];
    size_t size = 0;
    char *body = rft_json_dump(root, &size);
    rft_str text = RFT_STR_INIT;
    rft_hash_hex(body, size, hash);
    rft_str_addf(&text, "%s%s\n", MAGIC, hash);
    rft_str_add_n(&text, body, size);
    int rc = rft_fs_put(path, rft_str_get(&text), text.length, false, err);
    rft_str_clear(&text);
    free(body);
    return rc;
}

int rft_kept_ceilings_write(const rft_kept_ceilings_opts *opts, const rft_ceilings *ceilings, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_kept_ceilings kept;
    char key[RFT_HASH_HEX_SIZE];
    bool any = false;
    rft_kept_ceilings_read(&kept, opts, arena);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (ceilings->items[id].measured) {
            kept.ceilings.items[id] = ceilings->items[id];
            any = true;
        }
    }
    int rc = RFT_OK;
    if (kept.path && any) {
        json_t *root = json_object();
        char *folder = rft_fs_folder(kept.path);
        key_of(opts, key);
        json_object_set_new(root, "key", json_string(key));
        json_object_set_new(root, "ceilings", rft_wire_of_ceilings(&kept.ceilings));
        rc = rft_fs_make_folders(folder, err);
        rc = rc == RFT_OK ? write_text(kept.path, root, err) : rc;
        free(folder);
        json_decref(root);
    }
    rft_arena_free(arena);
    return rc;
}
