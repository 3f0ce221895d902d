/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/device_facts.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/compose.h"
#include "cli/script_stuck.h"
#include "model/roofline/datasheet.h"
#include "run/kept_ceilings.h"
#include "script/script.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rft_device_fact no(const char *reason, const char *remedy) {
    return (rft_device_fact){.reason = reason, .remedy = remedy};
}

/* ---- datasheet ---- */

static void add_rate(rft_str *out, const char *label, double value, const char *unit) {
    char text[48];
    if (isfinite(value)) {
        rft_units_format_si(text, sizeof text, value, 3, unit);
        rft_str_addf(out, "%s%s %s", out->length ? ", " : "", label, text);
    }
}

static const char *rates_of(const rft_ceilings *ceilings, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    const char *basis = NULL;
    add_rate(&out, "memory", ceilings->items[RFT_CEILING_DRAM_READ].datasheet, "B/s");
    for (int i = RFT_CEILING_FP64; i < RFT_CEILING_TENSOR_END; i++) {
        const rft_ceiling_id id = (rft_ceiling_id)i;
        const rft_ceiling *ceiling = &ceilings->items[id];
        if (id == RFT_CEILING_FP16 || id == RFT_CEILING_SFU || id == RFT_CEILING_TENSOR_FP64) {
            continue; /* few ask for them, and the line is long */
        }
        add_rate(&out, rft_ceiling_name(id), ceiling->datasheet, rft_ceiling_unit(id));
        basis = isfinite(ceiling->datasheet) ? ceiling->datasheet_basis : basis;
    }
    if (basis && *basis) {
        rft_str_addf(&out, " (%s)", basis);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

const char *rft_device_memory_type(rft_cli *cli, const rft_gpu_info *gpu, rft_arena *arena) {
    const char *path = rft_compose_data_file(cli, arena, "devices.lua");
    rft_datasheet_facts facts = {0};
    rft_err err = RFT_ERR_INIT;
    char *json = NULL;
    int rc = path ? rft_script_read_table(&json, path, rft_script_usual_opts(), &err) : RFT_E_IO;
    rc = rc == RFT_OK ? rft_datasheet_facts_of(&facts, gpu, json, arena, &err) : rc;
    free(json);
    return rc == RFT_OK ? facts.memory : NULL; /* a broken table is told when the datasheet's rates are read from it */
}

size_t rft_device_names(rft_cli *cli, const char ***out, rft_arena *arena) {
    const char *path = rft_compose_data_file(cli, arena, "devices.lua");
    rft_err err = RFT_ERR_INIT;
    char *text = NULL;
    json_t *table = NULL;
    int rc = path ? rft_script_read_table(&text, path, rft_script_usual_opts(), &err) : RFT_E_IO;
    rc = rc == RFT_OK ? rft_json_parse(&table, text, strlen(text), "devices", &err) : rc;
    const size_t count = rc == RFT_OK ? json_array_size(table) : 0;
    const char **names = rft_arena_calloc(arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(table, i);
        char *name = rft_arena_strdup(arena, rft_json_text_or(entry, "short", rft_json_text_or(entry, "match", "")));
        for (char *p = name; *p; p++) {
            *p = (char)(*p == ' ' ? '-' : tolower((unsigned char)*p));
        }
        names[i] = name;
    }
    json_decref(table);
    free(text);
    *out = names;
    return count;
}

rft_device_fact rft_device_datasheet(rft_cli *cli, const rft_gpu_info *gpu, rft_arena *arena) {
    const char *path = rft_compose_data_file(cli, arena, "devices.lua");
    rft_datasheet_facts facts = {0};
    rft_ceilings ceilings;
    rft_err err = RFT_ERR_INIT;
    char *json = NULL;
    if (!path) {
        return no("kernels/lib/devices.lua is not there", "reinstall rooftune to get it");
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        ceilings.items[id] = rft_ceiling_none("not measured");
    }
    int rc = rft_script_read_table(&json, path, rft_script_usual_opts(), &err);
    rc = rc == RFT_OK ? rft_datasheet_facts_of(&facts, gpu, json, arena, &err) : rc;
    rc = rc == RFT_OK ? rft_datasheet_apply(&ceilings, gpu, json, arena, &err) : rc;
    free(json);
    if (rc != RFT_OK) {
        return no(rft_arena_strdup(arena, err.message), "correct kernels/lib/devices.lua");
    }
    if (facts.reason) {
        return no(facts.reason,
                  facts.is_part ? NULL : "add one: name, figures and their source; everything measured works without");
    }
    return (rft_device_fact){
        .value = rft_arena_printf(arena, "%s: %s", facts.name ? facts.name : "entry", rates_of(&ceilings, arena))};
}

/* ---- ceilings ---- */

rft_device_fact rft_device_kept_ceilings(const rft_gpu_info *gpu, const rft_env *env, rft_arena *arena) {
    const rft_clock *clock = rft_clock_system();
    const rft_kept_ceilings_opts opts = {
        .folder = rft_compose_cache_folder(arena), .gpu = gpu, .env = env, .clock = clock};
    rft_kept_ceilings kept;
    rft_kept_ceilings_read(&kept, &opts, arena);
    int count = 0;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        count += (kept.there & RFT_CEILING_BIT(id)) != 0;
    }
    if (count == 0) {
        return no(kept.why, "`rooftune ceilings` measures all and keeps them for a day; a run measures what it needs");
    }
    const char *age = rft_ceilings_age_text(&kept.ceilings, clock->unix_ns(clock->self), arena);
    return (rft_device_fact){.value = rft_arena_printf(arena, "%d of %d, measured up to %s ago; %s", count,
                                                       RFT_CEILING_COUNT, age ? age : "0 s", kept.path)};
}

/* ---- counters ---- */

enum { CAP_SYS_ADMIN = 21, CAP_PERFMON = 38 };

/* The text behind `key` in a file of /proc; NULL. */
static const char *value_in(const char *path, const char *key, rft_arena *arena) {
    char *text = NULL;
    size_t size = 0;
    const char *value = NULL;
    if (rft_fs_read(&text, &size, path, 1u << 20, NULL) == RFT_OK) {
        const char *at = strstr(text, key);
        at = at ? at + strlen(key) : NULL;
        at = at ? at + strspn(at, ": \t") : NULL;
        value = at ? rft_arena_strndup(arena, at, strcspn(at, "\n")) : NULL;
    }
    free(text);
    return value;
}

static bool may_administrate(rft_arena *arena) {
    const char *effective = value_in("/proc/self/status", "CapEff", arena);
    unsigned long long rights = effective ? strtoull(effective, NULL, 16) : 0;
    return (rights >> CAP_SYS_ADMIN & 1) || (rights >> CAP_PERFMON & 1);
}

rft_device_fact rft_device_counters(rft_arena *arena) {
    const char *restricted = value_in("/proc/driver/nvidia/params", "RmProfilingAdminOnly", arena);
    if (!restricted) {
        return no("whether the driver allows them is not known: /proc/driver/nvidia/params cannot be read",
                  "`rooftune run` asks CUPTI, says what it answered, and goes on without");
    }
    if (strcmp(restricted, "0") == 0) {
        return (rft_device_fact){.value = "allowed to every user (RmProfilingAdminOnly 0)"};
    }
    if (may_administrate(arena)) {
        return (rft_device_fact){.value = "allowed: this user has CAP_SYS_ADMIN or CAP_PERFMON"};
    }
    return no("the driver lets only administrators count (RmProfilingAdminOnly 1, ERR_NVGPUCTRPERM)",
              "run as root or with CAP_SYS_ADMIN (docker: --cap-add=SYS_ADMIN), or on the host set "
              "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module and load it again");
}

/* ---- cache ---- */

/* The folder, or the nearest above it that is there. */
static const char *there_of(const char *folder, rft_arena *arena) {
    while (!rft_fs_is_folder(folder) && strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0) {
        char *above = rft_fs_folder(folder);
        folder = rft_arena_strdup(arena, above);
        free(above);
    }
    return folder;
}

rft_device_fact rft_device_cache(rft_arena *arena) {
    const char *folder = rft_compose_cache_folder(arena);
    rft_err err = RFT_ERR_INIT;
    if (!folder) {
        return no("there is no folder for it", "let RFT_CACHE or XDG_CACHE_HOME name one; RFT_CACHE=off means none");
    }
    const char *there = there_of(folder, arena);
    if (rft_fs_is_folder(there) && rft_fs_can_write(there, &err) != RFT_OK) {
        return no(rft_arena_strdup(arena, err.message), "let RFT_CACHE name a folder that can be written");
    }
    if (rft_fs_is_others(folder)) {
        return no(rft_arena_printf(arena, "%s %s", folder, rft_fs_is_others(folder)),
                  "let RFT_CACHE name a folder of your own");
    }
    return (rft_device_fact){
        .value = rft_fs_is_folder(folder) ? folder : rft_arena_printf(arena, "%s, once there is need", folder)};
}
