/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of every committed recording: no advice that its own points, or its counters, refute. What the words ask for is
 * worked out here again from the points, by none of the functions that told it.
 */
#include "store/store_test.h"

#include "base/fs.h"
#include "base/json.h"
#include "model/roofline/reach.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

/* ---- what the words ask for ---- */
static double occupancy(const rft_point *point) {
    return point->facts.occupancy_frac * fmin(1.0, isnan(point->facts.waves) ? 1.0 : point->facts.waves);
}
static double waves(const rft_point *point) {
    return point->facts.waves;
}
static double even(const rft_point *point) {
    return point->facts.waves / ceil(point->facts.waves);
}
static double threads(const rft_point *point) {
    return point->has_launch ? (double)(point->block[0] * point->block[1] * point->block[2]) : (double)NAN;
}
static double spills(const rft_point *point) {
    return point->facts.spill_bytes < 0 ? (double)NAN : point->facts.spill_bytes;
}

static double counted(const rft_point *point, rft_counter counter) {
    return point->counters ? point->counters->values[counter] : (double)NAN;
}
static double dram_bytes(const rft_point *point) {
    return counted(point, RFT_COUNTER_DRAM_READ) + counted(point, RFT_COUNTER_DRAM_WRITE);
}
static double useful_loaded(const rft_point *point) {
    double useful = counted(point, RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    return useful > 32.0 ? 32.0 : useful;
}
static double load_bytes(const rft_point *point) {
    return counted(point, RFT_COUNTER_SECTORS_PER_LOAD) * useful_loaded(point) / 32.0;
}
static double conflicts(const rft_point *point) {
    return counted(point, RFT_COUNTER_SHARED_CONFLICTS) / counted(point, RFT_COUNTER_SHARED_WAVEFRONTS);
}

typedef struct asked {
    const char *words;                         /* in the advice */
    double (*reading)(const rft_point *point); /* NULL: the parameter whose name begins with: */
    const char *param;
    bool more;
} asked;

static const asked all_asked[] = {
    {"raise the occupancy", occupancy, NULL, true},
    {"more warps", occupancy, NULL, true},
    {"smaller tiles a thread, or fewer threads", spills, NULL, false},
    {"smaller tiles, or split the long dimension", waves, NULL, true},
    {"another tile, split-k or resident blocks", even, NULL, true},
    {"smaller blocks", threads, NULL, false},
    {"read it once", dram_bytes, NULL, false},
    {"fix coalescing: loads", useful_loaded, NULL, true},
    {"load 16 B", load_bytes, NULL, true},
    {"pad rows or swizzle", conflicts, NULL, false},
    {"more stages", NULL, "STAGES", true},
    {"add stages", NULL, "STAGES", true},
    {"prefetch the next piece", NULL, "STAGES", true},
    {"unroll", NULL, "UNROLL", true},
    {"independent loads a thread", NULL, "UNROLL", true},
    {"independent loads a thread", NULL, "ITEMS", true},
};
/* "tried" lines begin with these. */
static const asked all_tried[] = {
    {"occupancy", occupancy, NULL, true},    {"waves", waves, NULL, true},
    {"evenness of waves", even, NULL, true}, {"threads a block", threads, NULL, false},
    {"spilled bytes", spills, NULL, false},
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static double value_of(const rft_run *run, const rft_point *point, const asked *one) {
    if (one->reading) {
        return one->reading(point);
    }
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    for (size_t i = 0; i < variant->param_count; i++) {
        if (strcmp(variant->params[i].name, one->param) == 0) {
            return rft_value_number(&point->config[i]);
        }
    }
    return NAN;
}

/* As the sweep read it: the final round, minutes later, read only some. */
static double time_of(const rft_point *point) {
    return point->rounds[0].n > 0 ? point->rounds[0].stats.median : rft_point_median_s(point);
}

/* Of the measured points of the same variant and problem: how many went clearly further, and the fastest of them. */
typedef struct there {
    size_t known, count;
    double fastest_s, rest_s;
} there;

static there look_there(const rft_run *run, const rft_point *own, const asked *one) {
    there found = {0, 0, INFINITY, INFINITY};
    double from = value_of(run, own, one);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        double value = value_of(run, point, one);
        if (point->sweep != own->sweep || point->problem != own->problem || point->variant != own->variant ||
            point->alias_of != 0 || !(rft_point_median_s(point) > 0.0) || isnan(value)) {
            continue;
        }
        found.known++;
        bool gone = one->more ? value > 1.05 * from : value < 0.95 * from;
        found.count += gone;
        double *best = gone ? &found.fastest_s : &found.rest_s;
        *best = fmin(*best, time_of(point));
    }
    return found;
}

/* ---- what is told ---- */
static size_t told_checked, tried_checked;

static void check_told(const rft_run *run, const rft_point *point, const json_t *advice, const char *file) {
    const char *text = json_string_value(json_object_get(advice, "text"));
    for (size_t i = 0; i < COUNT(all_asked); i++) {
        if (!strstr(text, all_asked[i].words) || isnan(value_of(run, point, &all_asked[i]))) {
            continue;
        }
        there found = look_there(run, point, &all_asked[i]);
        bool enough = found.count >= 3 && (double)found.count >= fmin(30.0, 0.01 * (double)found.known);
        told_checked++;
        if (enough && found.fastest_s > 0.995 * time_of(point)) {
            fail_msg("%s, point %lld: \"%s\", but %zu of %zu points went there and the best takes %g s, this %g s",
                     file, (long long)point->id, text, found.count, found.known, found.fastest_s,
                     rft_point_median_s(point));
        }
    }
    double gain = json_number_value(json_object_get(advice, "gain_frac"));
    double left = 1.0 - 1.0 / rft_reach_of(run, point).left_factor; /* as it is told beside the point */
    if (gain > left + 1e-9) {
        fail_msg("%s, point %lld: \"%s\" gains %g, left is %g", file, (long long)point->id, text, gain, left);
    }
    const char *rule = json_string_value(json_object_get(advice, "rule"));
    if (point->counters && point->counters->values[RFT_COUNTER_TENSOR_BUSY] >= 0.9 && strcmp(rule, "baseline") != 0) {
        fail_msg("%s, point %lld: \"%s\" with busy matrix units", file, (long long)point->id, text);
    }
}

/* No point of its own variant that went there is faster than the fastest of the rest, by more than such times scatter
 * by from process to process: the sweep's are of one. */
static void check_tried(const rft_run *run, const rft_point *point, const json_t *tried, const char *file) {
    const char *name = json_string_value(json_object_get(tried, "quantity"));
    for (size_t i = 0; i < COUNT(all_tried); i++) {
        if (strcmp(name, all_tried[i].words) != 0) {
            continue;
        }
        there found = look_there(run, point, &all_tried[i]);
        tried_checked++;
        double half = rft_repeat_half_width_frac(&rft_point_measurement(point)->repeat);
        if (found.fastest_s < (1.0 - fmax(0.02, 1.5 * half)) * found.rest_s) { /* NaN: not known */
            fail_msg("%s, point %lld: %s was not tried in vain: %g s there, %g s elsewhere", file, (long long)point->id,
                     name, found.fastest_s, found.rest_s);
        }
    }
}

static void check_point(const rft_run *run, const rft_point *point, const char *file) {
    rft_arena *arena = rft_arena_new();
    json_t *object = rft_print_json(rft_finding_advice(run, point, arena));
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(object, "same_work"), i, one) {
        check_told(run, point, one, file);
    }
    json_array_foreach(json_object_get(object, "tried"), i, one) {
        check_tried(run, point, one, file);
    }
    json_decref(object);
    rft_arena_free(arena);
}

/* The best of every problem, and of every variant on it. */
static void check_run(const rft_run *run, const char *file) {
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            for (size_t v = 0; v < sweep->variant_count; v++) {
                const rft_point *best = rft_run_best(run, s, v, p);
                if (best) {
                    check_point(run, best, file);
                }
            }
        }
    }
}

static rft_run *load(const char *path) {
    rft_err err = RFT_ERR_INIT;
    rft_run *run = NULL;
    if (rft_store_load(&run, path, &err) != 0) {
        fail_msg("%s: %s", path, err.message);
    }
    return run;
}

#define RECORDINGS RFT_SOURCE_DIR "/sweeps/recorded"

static void no_recording_refutes_its_advice(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    char **folders = NULL;
    size_t folder_count = 0, runs = 0;
    assert_int_equal(rft_fs_list(&folders, &folder_count, RECORDINGS, NULL, &err), 0);
    for (size_t i = 0; i < folder_count; i++) {
        char *folder = rft_fs_join(RECORDINGS, folders[i]);
        char **names = NULL;
        size_t count = 0;
        if (rft_fs_is_folder(folder) && rft_fs_list(&names, &count, folder, ".json.gz", &err) == 0) {
            for (size_t k = 0; k < count; k++, runs++) {
                char *path = rft_fs_join(folder, names[k]);
                rft_run *run = load(path);
                check_run(run, names[k]);
                rft_run_free(run);
                free(path);
            }
            rft_fs_list_free(names, count);
        }
        free(folder);
    }
    rft_fs_list_free(folders, folder_count);
    print_message("%zu recordings, %zu changes told, %zu tried in vain\n", runs, told_checked, tried_checked);
    assert_true(runs > 0 && told_checked > 0 && tried_checked > 0);
}

/* The check sees what it is for: the best of the search of the FP32 matmul has few warps, and 4,110 points with more
 * are slower; were they unknown to the advice, it would advise more. */
static void a_planted_contradiction_is_seen(void **state) {
    (void)state;
    rft_run *run = load(RECORDINGS "/nvidia-h200/matmul_search.json.gz");
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, 0);
    there found = look_there(run, best, &all_asked[0]);
    assert_true(found.count > 4000 && found.fastest_s > time_of(best));
    json_t *object = rft_print_json(rft_finding_advice(run, best, run->arena));
    assert_int_equal(json_array_size(json_object_get(object, "same_work")), 0);
    const json_t *tried = json_array_get(json_object_get(object, "tried"), 1);
    assert_string_equal(json_string_value(json_object_get(tried, "quantity")), "occupancy");
    assert_string_equal(json_string_value(json_object_get(tried, "best_at")), "12 %");
    assert_int_equal(json_integer_value(json_object_get(tried, "there")), found.count);
    assert_int_equal(json_integer_value(json_object_get(tried, "points")), found.known);
    json_decref(object);
    for (size_t i = 0; i < run->point_count; i++) { /* those that went there were never measured */
        rft_point *point = &run->points[i];
        if (occupancy(point) > 1.05 * occupancy(best)) {
            point->outcome = RFT_OUTCOME_TIMED_OUT;
        }
    }
    object = rft_print_json(rft_finding_advice(run, best, run->arena));
    const json_t *first = json_array_get(json_object_get(object, "same_work"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "rule")), "occupancy");
    json_decref(object);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_recording_refutes_its_advice),
        cmocka_unit_test(a_planted_contradiction_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
