/* SPDX-License-Identifier: Apache-2.0 */
/* The system in the field names of MLPerf's system description (mlcommons/policies, "system_desc_id.json"), for readers
 * who keep theirs in that form. */
#include "reports/figures.h"
#include "reports/findings/findings.h"

#include "base/str.h"

#include <string.h>

static const char *known(const rft_run *run, const char *key) {
    return rft_env_value(&run->env, key);
}

/* "a, b": of those that are known; NULL when none is. */
static const char *join(const char *first, const char *second, rft_arena *arena) {
    return first && second ? rft_arena_printf(arena, "%s, %s", first, second) : first ? first : second;
}

static const char *labelled(const char *label, const char *value, rft_arena *arena) {
    return value ? rft_arena_printf(arena, "%s %s", label, value) : NULL;
}

static const char *bytes_text(int64_t bytes, rft_arena *arena) {
    return bytes > 0 ? rft_figure_bytes(arena, bytes) : NULL;
}

static const char *host_memory(const rft_run *run, rft_arena *arena) {
    const char *text = known(run, "host.memory");
    int64_t kib = 0;
    if (text && rft_text_ends(text, " kB") &&
        rft_text_to_int64(rft_arena_strndup(arena, text, strlen(text) - 3), &kib)) {
        return rft_figure_bytes(arena, kib * 1024);
    }
    return text;
}

static const char *cores_each(const rft_run *run, rft_arena *arena) {
    int64_t cores = 0, sockets = 0;
    const char *all = known(run, "host.cores"), *packages = known(run, "host.sockets");
    if (all && packages && rft_text_to_int64(all, &cores) && rft_text_to_int64(packages, &sockets) && sockets > 0) {
        return rft_arena_printf(arena, "%lld", (long long)(cores / sockets));
    }
    return NULL;
}

static const char *on_chip(const rft_gpu_info *gpu, rft_arena *arena) {
    const char *shared =
        gpu->shared_per_sm > 0 ? rft_arena_printf(arena, "%s an SM", bytes_text(gpu->shared_per_sm, arena)) : NULL;
    return join(labelled("L2", bytes_text(gpu->l2_bytes, arena), arena),
                labelled("L1 and shared memory", shared, arena), arena);
}

static const char *software(const rft_run *run, rft_arena *arena) {
    const char *driver =
        known(run, "driver.version") ? known(run, "driver.version") : known(run, "nvml.driver_version");
    return join(labelled("driver", driver, arena),
                join(labelled("NVRTC", known(run, "nvrtc.version"), arena),
                     labelled("CUDA", known(run, "driver.cuda"), arena), arena),
                arena);
}

static void add_field(rft_cell_table *table, rft_str *missing, const char *name, const char *value) {
    rft_cell_row *row = rft_cell_table_row(table);
    row->cells[0] = rft_datum_text(name);
    row->cells[1] = value ? rft_datum_text(value) : rft_datum_absent();
    if (!value) {
        row->where = RFT_IN_DATA;
        rft_str_addf(missing, "%s%s", missing->length ? ", " : "", name);
    }
}

rft_finding *rft_finding_system(const rft_run *run, rft_arena *arena) {
    static const rft_trait columns[] = {{.key = "field", .title = "Field"},
                                        {.key = "value", .title = "Value", .wraps = true}};
    const rft_gpu_info *gpu = &run->gpu;
    const char *version = run->info.tool_version ? run->info.tool_version : "not known";
    const struct {
        const char *name, *value;
    } fields[] = {
        {"number_of_nodes", "1"},
        {"host_processors_per_node", known(run, "host.sockets")},
        {"host_processor_model_name", known(run, "host.cpu")},
        {"host_processor_core_count", cores_each(run, arena)},
        {"host_memory_capacity", host_memory(run, arena)},
        {"accelerators_per_node", gpu->name ? "1 used" : NULL},
        {"accelerator_model_name", gpu->name},
        {"accelerator_memory_capacity", bytes_text(gpu->memory_bytes, arena)},
        {"accelerator_memory_configuration",
         join(known(run, "gpu.memory_type"),
              gpu->memory_bus_bits > 0 ? rft_arena_printf(arena, "%d bit", gpu->memory_bus_bits) : NULL, arena)},
        {"accelerator_frequency",
         gpu->sm_clock_khz > 0 ? rft_arena_printf(arena, "up to %d MHz", gpu->sm_clock_khz / 1000) : NULL},
        {"accelerator_on-chip_memories", on_chip(gpu, arena)},
        {"accelerator_host_interconnect", join(labelled("PCIe generation", known(run, "nvml.pcie_generation"), arena),
                                               known(run, "nvml.pcie_width"), arena)},
        {"framework", rft_arena_printf(arena, "rooftune %s", version)},
        {"operating_system", join(known(run, "host.os"), known(run, "host.kernel"), arena)},
        {"other_software_stack", software(run, arena)},
        {"system_name", NULL},
        {"host_processor_frequency", NULL},
        {"host_processor_caches", NULL},
        {"host_storage_capacity", NULL},
        {"host_networking", NULL},
        {"accelerator_interconnect", NULL},
        {"cooling", NULL},
    };
    rft_str missing = RFT_STR_INIT;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_chapter(f, 2, "System, in the field names of MLPerf", "system");
    rft_cell_table *table = rft_finding_table(f, "", columns, 2);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        add_field(table, &missing, fields[i].name, fields[i].value);
    }
    rft_finding_note(f, RFT_ON_PAGE, "Not known to the run: %s.", rft_str_get(&missing));
    rft_str_clear(&missing);
    return f;
}
