/* SPDX-License-Identifier: Apache-2.0 */
#include "corrections/machines.h"

#include "base/fs.h"
#include "base/str.h"
#include "script/script.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int sms, bus_bits;
} devices[MACHINE_COUNT] = {
    [MACHINE_A100] = {"NVIDIA A100-SXM4-80GB", 108, 5120},
    [MACHINE_A10] = {"NVIDIA A10", 72, 384},
    [MACHINE_RTX4090] = {"NVIDIA GeForce RTX 4090", 128, 384},
    [MACHINE_H100] = {"NVIDIA H100 80GB HBM3", 132, 5120},
    [MACHINE_H200] = {"NVIDIA H200", 132, 6144},
    [MACHINE_B200] = {"NVIDIA B200", 148, 7680},
    [MACHINE_GB200] = {"NVIDIA GB200", 152, 0},
};

int machines_set_up(void **state) {
    static machines m;
    rft_err err = RFT_ERR_INIT;
    m.arena = rft_arena_new();
    if (rft_script_read_table(&m.json, RFT_SOURCE_DIR "/kernels/lib/devices.lua", NULL, &err) != 0) {
        print_error("%s %s\n", err.place, err.message);
        return -1;
    }
    rft_run *empty = rft_run_new();
    for (int i = 0; i < MACHINE_COUNT; i++) {
        rft_gpu_info gpu = {.name = devices[i].name, .sms = devices[i].sms, .memory_bus_bits = devices[i].bus_bits};
        m.sheets[i] = empty->ceilings;
        if (rft_datasheet_apply(&m.sheets[i], &gpu, m.json, m.arena, &err) != 0 ||
            isnan(m.sheets[i].items[RFT_CEILING_DRAM_COPY].datasheet)) {
            print_error("%s has no datasheet: %s\n", gpu.name, err.message);
            return -1;
        }
    }
    rft_run_free(empty);
    *state = &m;
    return 0;
}

int machines_tear_down(void **state) {
    machines *m = *state;
    free(m->json);
    rft_arena_free(m->arena);
    return 0;
}

double machine_rate(const machines *m, machine_id machine, rft_ceiling_id id) {
    return m->sheets[machine].items[id].datasheet;
}

double machine_ridge(const machines *m, machine_id machine, rft_ceiling_id pipe) {
    return machine_rate(m, machine, pipe) / machine_rate(m, machine, RFT_CEILING_DRAM_COPY);
}

rft_run *recorded_run(const char *name) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_str file = RFT_STR_INIT;
    rft_str_addf(&file, RFT_SOURCE_DIR "/sweeps/recorded/nvidia-h200/%s.json.gz", name);
    if (rft_recording_read(&run, rft_str_get(&file), &err) != 0) {
        print_error("%s: %s\n", rft_str_get(&file), err.message);
    }
    rft_str_clear(&file);
    assert_non_null(run);
    return run;
}

size_t recorded_problem(const rft_run *run, size_t sweep, const char *axis, int64_t value) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    for (size_t i = 0; i < data->problem_count; i++) {
        for (size_t a = 0; a < data->axis_count && !data->problems[i].odd; a++) {
            const rft_value *at = &data->problems[i].values[a];
            if (at->kind == RFT_VALUE_INT && at->as.integer == value && rft_text_equal(data->axes[a].name, axis)) {
                return i;
            }
        }
    }
    fail_msg("%s has no problem %s=%lld", data->name, axis, (long long)value);
    return 0;
}

const rft_point *recorded_best(const rft_run *run, size_t sweep, const char *variant, size_t problem) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    size_t index = variant ? 0 : SIZE_MAX;
    while (variant && index < data->variant_count && !rft_text_equal(data->variants[index].name, variant)) {
        index++;
    }
    const rft_point *best = variant && index == data->variant_count ? NULL : rft_run_best(run, sweep, index, problem);
    if (best == NULL) {
        fail_msg("%s: nothing measured of %s", data->name, variant ? variant : "any variant");
    }
    return best;
}

const rft_point *recorded_counted(const rft_run *run, size_t sweep, size_t problem) {
    const rft_point *best = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        bool counted = point->sweep == sweep && point->problem == problem && point->counters &&
                       point->counters->values[RFT_COUNTER_DRAM_READ] > 0;
        if (counted && (best == NULL || rft_point_median_s(point) < rft_point_median_s(best))) {
            best = point;
        }
    }
    return best;
}

double recorded_bytes_s(const rft_point *point) {
    return rft_work_bytes(&point->work) / rft_point_median_s(point);
}

double recorded_ops_s(const rft_point *point) {
    return rft_work_ops(&point->work) / rft_point_median_s(point);
}

void assert_prints_at(double value, const char *text, const char *file, int line) {
    const char *point = strchr(text, '.');
    char printed[64];
    snprintf(printed, sizeof printed, "%.*f", point ? (int)strlen(point + 1) : 0, value);
    if (strcmp(printed, text) != 0) {
        print_error("%.17g prints as %s, not %s\n", value, printed, text);
    }
    _assert_true(strcmp(printed, text) == 0, text, file, line);
}

void assert_between_at(double value, double low, double high, const char *file, int line) {
    bool inside = value >= low && value <= high;
    if (!inside) {
        print_error("%.17g is not within %g to %g\n", value, low, high);
    }
    _assert_true(inside, "between", file, line);
}
