/* SPDX-License-Identifier: Apache-2.0 */
/* doc_facts.c - which device, when, by what: the head of "This card". */
#include "reports/doc_build.h"

#include "base/str.h"
#include "base/units.h"

#define NAMES_MOST 12 /* more sweeps are named in the contents */

static const char *first_known(const rft_build *b, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *value = rft_env_value(&b->run->env, keys[i]);
        if (value && *value) {
            return value;
        }
    }
    return NULL;
}

static const char *memory_text(const rft_build *b) {
    const rft_gpu_info *gpu = &b->run->gpu;
    const char *type = rft_env_value(&b->run->env, "gpu.memory_type"); /* no driver tells it; a script or import may */
    if (gpu->memory_bytes <= 0) {
        return "capacity not known";
    }
    const char *size = rft_figure_bytes(b->arena, gpu->memory_bytes);
    const char *bus =
        gpu->memory_bus_bits > 0
            ? rft_arena_printf(
                  b->arena, ", %d bit%s%s", gpu->memory_bus_bits, gpu->memory_clock_khz > 0 ? " at " : "",
                  gpu->memory_clock_khz > 0 ? rft_arena_printf(b->arena, "%d MHz", gpu->memory_clock_khz / 1000) : "")
            : "";
    return type ? rft_arena_printf(b->arena, "%s %s%s", size, type, bus)
                : rft_arena_printf(b->arena, "%s%s, type not known", size, bus);
}

static const char *driver_text(const rft_build *b) {
    static const char *const keys[] = {"driver.version", "nvml.driver_version"};
    const char *version = first_known(b, keys, sizeof keys / sizeof *keys);
    int api = b->run->gpu.driver_version;
    const char *cuda = api > 0 ? rft_arena_printf(b->arena, "CUDA %d.%d", api / 1000, api % 1000 / 10) : NULL;
    if (version && cuda) {
        return rft_arena_printf(b->arena, "%s (%s)", version, cuda);
    }
    return version ? version : cuda ? cuda : "not known";
}

static const char *sweep_names(const rft_build *b) {
    if (b->run->sweep_count > NAMES_MOST && b->opts.part != 1) {
        return rft_arena_printf(b->arena, "%zu: see the contents", b->run->sweep_count);
    }
    rft_str names = RFT_STR_INIT;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        rft_str_addf(&names, "%s%s", s ? ", " : "", b->run->sweeps[s].sweep.name);
    }
    const char *text = b->run->sweep_count ? rft_arena_strdup(b->arena, rft_str_get(&names)) : "none";
    rft_str_clear(&names);
    return text;
}

void rft_build_facts(rft_build *b) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    const rft_run_info *info = &b->run->info;
    const rft_gpu_info *gpu = &b->run->gpu;
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    table->plain = true;
    rft_doc_pair(b->doc, table, "Device", gpu->name ? gpu->name : "not known");
    if (gpu->representative) {
        rft_doc_pair(b->doc, table, "", "stands for its architecture: no real device was asked");
    }
    rft_doc_pair(b->doc, table, "PCI id", gpu->pci_id && *gpu->pci_id ? gpu->pci_id : "not known");
    rft_doc_pair(b->doc, table, "Memory", memory_text(b));
    rft_doc_pair(b->doc, table, "Architecture",
                 gpu->sms > 0 ? rft_arena_printf(b->arena, "%s, %d SMs", gpu->arch ? gpu->arch : "not known", gpu->sms)
                              : "not known");
    rft_doc_pair(b->doc, table, "Driver", driver_text(b));
    rft_doc_pair(b->doc, table, "Date", rft_figure_time(b->arena, info->started_unix_ns));
    if (rft_words_replay(b->run, b->arena)) {
        rft_doc_pair(b->doc, table, "Recording",
                     rft_arena_printf(b->arena, "%s, run %s, measured %s",
                                      info->replay_path ? info->replay_path : "file name not kept",
                                      info->replay_of ? info->replay_of : "not known",
                                      rft_figure_time(b->arena, info->replay_started_unix_ns)));
        rft_doc_pair(
            b->doc, table, "Compiled again",
            info->recompiled > 0
                ? rft_arena_printf(b->arena, "%s; registers and spills as recorded in %s of them",
                                   rft_words_plural(info->recompiled, "configuration", "configurations", b->arena),
                                   rft_figure_count(b->arena, info->recompiled_same))
                : "none: times and static facts are the recording's");
    }
    rft_doc_pair(b->doc, table, "Sweeps", sweep_names(b));
    rft_doc_pair(b->doc, table, "Tool",
                 rft_arena_printf(b->arena, "rooftune %s, revision %s",
                                  info->tool_version ? info->tool_version : "not known",
                                  info->tool_revision ? info->tool_revision : "not known"));
    double elapsed_s = info->elapsed_s;
    char time[40];
    rft_doc_pair(b->doc, table, "Took",
                 elapsed_s > 0 && !rft_words_replay(b->run, b->arena)
                     ? rft_arena_strdup(b->arena, rft_units_format_seconds(time, sizeof time, elapsed_s, 2))
                     : "not recorded");
    rft_doc_fold(b->doc, table);
}
