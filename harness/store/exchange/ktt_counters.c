/* SPDX-License-Identifier: Apache-2.0 */
/* ktt_counters.c - profiler metrics as KTT stores them: by the profiler's names, values as doubles. */
#include "store/exchange/ktt_parts.h"

#include <math.h>
#include <string.h>

#define COUNTERS_MAX 1000

/* Only metrics of the same definition (model/run/counters.h); `scale` turns them into our unit. */
static const struct {
    const char *metric;
    rft_counter counter;
    double scale;
} metrics[] = {
    {"dram__sectors_read.sum", RFT_COUNTER_DRAM_READ, 32.0},
    {"dram__bytes_read.sum", RFT_COUNTER_DRAM_READ, 1.0},
    {"dram__sectors_write.sum", RFT_COUNTER_DRAM_WRITE, 32.0},
    {"dram__bytes_write.sum", RFT_COUNTER_DRAM_WRITE, 1.0},
    {"lts__t_sectors_op_read.sum", RFT_COUNTER_L2_READ, 1.0},
    {"lts__t_sectors_op_write.sum", RFT_COUNTER_L2_WRITE, 1.0},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", RFT_COUNTER_SHARED_WAVEFRONTS, 1.0},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", RFT_COUNTER_SHARED_LOAD_WAVEFRONTS, 1.0},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", RFT_COUNTER_SHARED_STORE_WAVEFRONTS, 1.0},
    {"smsp__inst_executed.sum", RFT_COUNTER_WARP_INSTRUCTIONS, 1.0},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", RFT_COUNTER_ISSUE, 0.01},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", RFT_COUNTER_WARPS_ACTIVE, 0.01},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", RFT_COUNTER_FADD, 1.0},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", RFT_COUNTER_FMUL, 1.0},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", RFT_COUNTER_FFMA, 1.0},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", RFT_COUNTER_DADD, 1.0},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", RFT_COUNTER_DMUL, 1.0},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", RFT_COUNTER_DFMA, 1.0},
};

/* Sums over what a pipe does, per thread; `ops` of the slot that each takes. */
static const struct {
    const char *metric;
    rft_pipe pipe;
    double ops;
} pipes[] = {
    {"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", RFT_PIPE_FP64, 2.0},
    {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", RFT_PIPE_FP32, 2.0},
    {"smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", RFT_PIPE_FP16, 4.0},
};

static void take_metric(rft_counters *counters, const char *name, double value) {
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        if (strcmp(name, metrics[i].metric) == 0) {
            counters->values[metrics[i].counter] = value * metrics[i].scale;
            counters->reasons[metrics[i].counter] = NULL;
        }
    }
}

static void take_pipe(rft_traffic *traffic, const char *name, double value) {
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++) {
        if (strcmp(name, pipes[i].metric) == 0 && value >= 0.0) {
            traffic->pipe_ops[pipes[i].pipe] = value * pipes[i].ops;
            traffic->present = true;
            traffic->evidence = RFT_EVIDENCE_COUNTED;
        }
    }
}

/* Loads and stores are all that shared memory serves; only its atomics are counted elsewhere. */
static void add_shared(rft_counters *counters) {
    double *values = counters->values;
    if (isnan(values[RFT_COUNTER_SHARED_WAVEFRONTS])) {
        values[RFT_COUNTER_SHARED_WAVEFRONTS] =
            values[RFT_COUNTER_SHARED_LOAD_WAVEFRONTS] + values[RFT_COUNTER_SHARED_STORE_WAVEFRONTS];
        if (!isnan(values[RFT_COUNTER_SHARED_WAVEFRONTS])) {
            counters->reasons[RFT_COUNTER_SHARED_WAVEFRONTS] = NULL;
        }
    }
}

/* Names of the profiler's own have "__" in them, which is how they are told from ours. */
static const char *own_name(const char *name, rft_arena *arena) {
    return strstr(name, "__") ? rft_arena_strdup(arena, name) : rft_arena_printf(arena, "ktt__%s", name);
}

/* All points of a file have the same list of counters: thousands of copies of every name, and comparisons, are spared.
 * False when the name is there already. */
static bool add_raw(rft_counters *counters, const char *name, double value, const rft_point *before, rft_arena *arena) {
    const rft_counters *shared = before ? before->counters : NULL;
    size_t place = counters->raw_count;
    bool same = shared && place < shared->raw_count && strcmp(shared->raw[place].name, name) == 0;
    const char *kept = same ? shared->raw[place].name : own_name(name, arena);
    for (size_t i = 0; i < place && !same; i++) {
        if (strcmp(counters->raw[i].name, kept) == 0) {
            return false;
        }
    }
    counters->raw[counters->raw_count++] = (rft_counter_raw){.name = kept, .value = value};
    return true;
}

const char *rft_ktt_counters(rft_point *point, const json_t *list, const rft_point *before, rft_arena *arena,
                             const char **where) {
    size_t count = json_array_size(list);
    *where = "Counters";
    if (!json_is_array(list) || count > COUNTERS_MAX) {
        return "a list of at most 1,000 counters";
    }
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counters.passes = 1; /* how many is not recorded */
    counters.raw = rft_arena_calloc(arena, count + 1, sizeof *counters.raw);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(list, i), *name = json_object_get(entry, "Name");
        const json_t *value = json_object_get(entry, "Value");
        if (!json_is_string(name)) {
            *where = "Counters.Name";
            return "a text";
        }
        if (!json_is_number(value)) {
            *where = "Counters.Value";
            return "a number";
        }
        const char *text = json_string_value(name);
        if (!add_raw(&counters, text, json_number_value(value), before, arena)) {
            *where = "Counters.Name";
            return "every counter once";
        }
        take_metric(&counters, text, json_number_value(value));
        take_pipe(&point->traffic, text, json_number_value(value));
    }
    if (count > 0) {
        add_shared(&counters);
        (void)rft_counters_check(&counters, NULL, arena);
        point->counters = rft_arena_memdup(arena, &counters, sizeof counters);
    }
    return NULL;
}
