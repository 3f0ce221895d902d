/* SPDX-License-Identifier: Apache-2.0 */
/* The system in the field names of MLPerf's system description (mlcommons/policies, "system_desc_id.json"), for readers
 * who keep theirs in that form. */
#include "reports/doc_build.h"

#include "base/str.h"

#include <string.h>

static const char *known(const rft_build *b, const char *key) {
    return rft_env_value(&b->run->env, key);
}

/* "a, b": of those that are known; NULL when none is. */
static const char *join(const rft_build *b, const char *first, const char *second) {
    return first && second ? rft_arena_printf(b->arena, "%s, %s", first, second) : first ? first : second;
}

static const char *labelled(const rft_build *b, const char *label, const char *value) {
    return value ? rft_arena_printf(b->arena, "%s %s", label, value) : NULL;
}

static const char *bytes_text(const rft_build *b, int64_t bytes) {
    return bytes > 0 ? rft_figure_bytes(b->arena, bytes) : NULL;
}

static const char *host_memory(const rft_build *b) {
    const char *text = known(b, "host.memory");
    int64_t kib = 0;
    if (text && rft_text_ends(text, " kB") &&
        rft_text_to_int64(rft_arena_strndup(b->arena, text, strlen(text) - 3), &kib)) {
        return rft_figure_bytes(b->arena, kib * 1024);
    }
    return text;
}

static const char *cores_each(const rft_build *b) {
    int64_t cores = 0, sockets = 0;
    const char *all = known(b, "host.cores"), *packages = known(b, "host.sockets");
    if (all && packages && rft_text_to_int64(all, &cores) && rft_text_to_int64(packages, &sockets) && sockets > 0) {
        return rft_arena_printf(b->arena, "%lld", (long long)(cores / sockets));
    }
    return NULL;
}

static const char *on_chip(const rft_build *b) {
    const rft_gpu_info *gpu = &b->run->gpu;
    return join(b, labelled(b, "L2", bytes_text(b, gpu->l2_bytes)),
                labelled(b, "L1 and shared memory",
                         gpu->shared_per_sm > 0
                             ? rft_arena_printf(b->arena, "%s an SM", bytes_text(b, gpu->shared_per_sm))
                             : NULL));
}

void rft_build_mlperf(rft_build *b) {
    static const rft_column columns[] = {{.title = "Field"}, {.title = "Value", .wraps = true}};
    const rft_gpu_info *gpu = &b->run->gpu;
    const char *driver = known(b, "driver.version") ? known(b, "driver.version") : known(b, "nvml.driver_version");
    const char *bus = gpu->memory_bus_bits > 0 ? rft_arena_printf(b->arena, "%d bit", gpu->memory_bus_bits) : NULL;
    const char *pcie =
        join(b, labelled(b, "PCIe generation", known(b, "nvml.pcie_generation")), known(b, "nvml.pcie_width"));
    const struct {
        const char *field, *value;
    } fields[] = {
        {"number_of_nodes", "1"},
        {"host_processors_per_node", known(b, "host.sockets")},
        {"host_processor_model_name", known(b, "host.cpu")},
        {"host_processor_core_count", cores_each(b)},
        {"host_memory_capacity", host_memory(b)},
        {"accelerators_per_node", gpu->name ? "1 used" : NULL},
        {"accelerator_model_name", gpu->name},
        {"accelerator_memory_capacity", bytes_text(b, gpu->memory_bytes)},
        {"accelerator_memory_configuration", join(b, known(b, "gpu.memory_type"), bus)},
        {"accelerator_frequency",
         gpu->sm_clock_khz > 0 ? rft_arena_printf(b->arena, "up to %d MHz", gpu->sm_clock_khz / 1000) : NULL},
        {"accelerator_on-chip_memories", on_chip(b)},
        {"accelerator_host_interconnect", pcie},
        {"framework", rft_arena_printf(b->arena, "rooftune %s",
                                       b->run->info.tool_version ? b->run->info.tool_version : "not known")},
        {"operating_system", join(b, known(b, "host.os"), known(b, "host.kernel"))},
        {"other_software_stack",
         join(b, labelled(b, "driver", driver),
              join(b, labelled(b, "NVRTC", known(b, "nvrtc.version")), labelled(b, "CUDA", known(b, "driver.cuda"))))},
        {"system_name", NULL},
        {"host_processor_frequency", NULL},
        {"host_processor_caches", NULL},
        {"host_storage_capacity", NULL},
        {"host_networking", NULL},
        {"accelerator_interconnect", NULL},
        {"cooling", NULL},
    };
    rft_str missing = RFT_STR_INIT;
    rft_doc_heading(b->doc, 2, "System, in the field names of MLPerf", "system");
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].value) {
            rft_doc_pair(b->doc, table, fields[i].field, fields[i].value);
        } else {
            rft_str_addf(&missing, "%s%s", missing.length ? ", " : "", fields[i].field);
        }
    }
    rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Not known to the run: %s.", rft_str_get(&missing));
    rft_str_clear(&missing);
}
