/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/device_bundle.h"

#include "base/json.h"
#include "base/str.h"
#include "cli/compose.h"
#include "model/run/field.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "run/kept_ceilings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_facts(rft_str *out, const rft_gpu_info *gpu) {
    for (size_t i = 0; i < rft_fields_gpu.count; i++) {
        const rft_field *field = &rft_fields_gpu.items[i];
        json_t *value = rft_field_json(field, gpu, false);
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        rft_str_addf(out, "  %s: %s\n", field->name, text ? text : "null");
        free(text);
        json_decref(value);
    }
}

static void add_ceilings(rft_str *out, const rft_gpu_info *gpu, const rft_env *env, rft_arena *arena) {
    const rft_kept_ceilings_opts opts = {
        .folder = rft_compose_cache_folder(arena), .gpu = gpu, .env = env, .clock = rft_clock_system()};
    const rft_print_opts full = {.full = true};
    rft_kept_ceilings kept;
    rft_kept_ceilings_read(&kept, &opts, arena);
    if (!kept.there) {
        rft_str_addf(out, "  no ceilings: %s; `rooftune ceilings` measures them\n", kept.why);
        return;
    }
    rft_run *run = rft_run_new();
    run->gpu = *gpu;
    run->ceilings = kept.ceilings;
    rft_print_text(out, rft_finding_ceilings(run, run->arena), &full);
    rft_run_free(run);
}

void rft_device_bundle_add(rft_str *out, const rft_gpu_info *gpu, const rft_env *env, rft_arena *arena) {
    rft_str_addf(out, "all facts of %s that the driver tells\n", gpu->name);
    add_facts(out, gpu);
    add_ceilings(out, gpu, env, arena);
}

static void replace_all(rft_str *text, const char *what, const char *by) {
    if (!what || strlen(what) < 3) {
        return;
    }
    rft_str out = RFT_STR_INIT;
    const char *at = rft_str_get(text);
    for (const char *hit; (hit = strstr(at, what)) != NULL; at = hit + strlen(what)) {
        rft_str_add_n(&out, at, (size_t)(hit - at));
        rft_str_add(&out, by);
    }
    rft_str_add(&out, at);
    rft_str_clear(text);
    *text = out;
}

void rft_device_bundle_clean(rft_str *text, const rft_gpu_info *gpus, size_t count, rft_arena *arena) {
    char host[HOST_NAME_MAX + 1] = "";
    for (size_t i = 0; i < count; i++) {
        replace_all(text, gpus[i].uuid, rft_arena_printf(arena, "card %zu", i));
        replace_all(text, gpus[i].pci_id, rft_arena_printf(arena, "slot %zu", i));
    }
    replace_all(text, getenv("HOME"), "~");
    replace_all(text, getenv("USER"), "user");
    replace_all(text, getenv("LOGNAME"), "user");
    if (gethostname(host, sizeof host - 1) == 0) {
        replace_all(text, host, "host");
    }
}
