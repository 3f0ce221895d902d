/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/again_runs.h"

#include "base/fs.h"
#include "base/str.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI_HALF 1.5707963267948966

again_set *again_set_new(void) {
    again_set *set = rft_alloc(sizeof *set);
    set->arena = rft_arena_new();
    return set;
}

void again_set_free(again_set *set) {
    for (size_t i = 0; i < set->run_count; i++) {
        rft_run_free(set->runs[i]);
    }
    free(set->runs);
    rft_arena_free(set->arena);
    free(set);
}

/* ---- reading ---- */

void again_set_take(again_set *set, rft_run *run) {
    size_t at = set->run_count++;
    RFT_GROW(set->runs, set->run_capacity, set->run_count);
    for (; at > 0 && set->runs[at - 1]->info.started_unix_ns > run->info.started_unix_ns; at--) {
        set->runs[at] = set->runs[at - 1];
    }
    set->runs[at] = run;
}

static int read_file(again_set *set, const char *path, rft_err *err) {
    rft_run *run = NULL;
    int rc = rft_store_load(&run, path, err);
    if (rc != RFT_OK) {
        return rft_err_context(err, "%s", path);
    }
    again_set_take(set, run);
    return RFT_OK;
}

int again_set_read(again_set *set, const char *path, rft_err *err) {
    char **names = NULL;
    size_t count = 0;
    if (!rft_fs_is_folder(path)) {
        return read_file(set, path, err);
    }
    int rc = rft_fs_list(&names, &count, path, NULL, err);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        char *file = rft_fs_join(path, names[i]);
        if (rft_text_ends(names[i], ".db") || rft_text_ends(names[i], ".json.gz")) {
            rc = read_file(set, file, err);
        }
        free(file);
    }
    rft_fs_list_free(names, count);
    return rc;
}

/* ---- groups ---- */

static const char *card_of(const rft_run *run) {
    const rft_gpu_info *gpu = &run->gpu;
    return gpu->uuid && *gpu->uuid ? gpu->uuid : gpu->pci_id && *gpu->pci_id ? gpu->pci_id : gpu->name ? gpu->name : "";
}

static bool same_sweep(const rft_sweep *a, const rft_sweep *b) {
    bool same = strcmp(a->name, b->name) == 0 && a->axis_count == b->axis_count &&
                a->problem_count == b->problem_count && a->variant_count == b->variant_count;
    for (size_t p = 0; same && p < a->problem_count; p++) {
        same = rft_values_equal(a->problems[p].values, b->problems[p].values, a->axis_count);
    }
    for (size_t v = 0; same && v < a->variant_count; v++) {
        same = a->variants[v].param_count == b->variants[v].param_count;
    }
    return same;
}

static bool is_again(const rft_run *a, const rft_run *b) {
    bool same = a->sweep_count == b->sweep_count && strcmp(card_of(a), card_of(b)) == 0;
    for (size_t s = 0; same && s < a->sweep_count; s++) {
        same = same_sweep(&a->sweeps[s].sweep, &b->sweeps[s].sweep);
    }
    return same;
}

static void make_groups(again_set *set) {
    set->groups = rft_arena_calloc(set->arena, set->run_count + 1, sizeof *set->groups);
    for (size_t i = 0; i < set->run_count; i++) {
        again_group *group = set->groups;
        while (group->count && !is_again(group->runs[0], set->runs[i])) {
            group++;
        }
        if (group->count == 0) {
            group->runs = rft_arena_calloc(set->arena, set->run_count, sizeof(rft_run *));
            group->card = card_of(set->runs[i]);
            set->group_count++;
        }
        group->runs[group->count++] = set->runs[i];
    }
    size_t kept = 0;
    for (size_t g = 0; g < set->group_count; g++) {
        const again_group group = set->groups[g];
        if (group.count > 1) { /* behind those of its card */
            size_t at = kept++;
            for (; at > 0 && strcmp(set->groups[at - 1].card, group.card) > 0; at--) {
                set->groups[at] = set->groups[at - 1];
            }
            set->groups[at] = group;
        }
    }
    set->group_count = kept;
}

/* ---- kernels ---- */

static bool is_kernel(const rft_run *run, const rft_point *point, const again_kernel *kernel) {
    const rft_variant *variant = &run->sweeps[kernel->sweep].sweep.variants[kernel->variant];
    return point->sweep == kernel->sweep && point->problem == kernel->problem && point->variant == kernel->variant &&
           rft_values_equal(point->config, kernel->config, variant->param_count);
}

const rft_point *again_point_of(const rft_run *run, const again_kernel *kernel) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->rounds[RFT_ROUNDS - 1].n > 0 && is_kernel(run, point, kernel)) {
            return point;
        }
    }
    return NULL;
}

/* Of ln of the median of these samples: from the interval of the median, where there is one. */
static double noise_of(const double *samples_s, size_t n) {
    rft_stats stats = rft_stats_of(samples_s, n);
    if (stats.interval_is_95) {
        double deviation = log(stats.high / stats.low) / (2.0 * AGAIN_QUANTILE);
        return deviation * deviation;
    }
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        double off = log(samples_s[i] / stats.mean);
        squares += off * off;
    }
    return n > 1 ? PI_HALF * squares / (double)(n - 1) / (double)n : 0.0; /* of a median of normal samples */
}

again_reading again_reading_of(const rft_point *point, rft_arena *arena) {
    again_reading out = {0, NULL, NULL, rft_repeat_none()};
    if (!point) {
        return out;
    }
    const rft_measurement *m = &point->rounds[RFT_ROUNDS - 1];
    const double *samples_s = m->samples_s;
    out.process_count = m->process_count;
    out.medians_s = rft_arena_calloc(arena, m->process_count + 1, sizeof *out.medians_s);
    out.noise = rft_arena_calloc(arena, m->process_count + 1, sizeof *out.noise);
    for (size_t p = 0; p < m->process_count; samples_s += m->process_n[p++]) {
        out.medians_s[p] = rft_stats_of(samples_s, m->process_n[p]).median;
        out.noise[p] = noise_of(samples_s, m->process_n[p]);
    }
    out.repeat = m->repeat;
    return out;
}

/* The best of most runs; a template of tuned configurations only: the library has no processes of its own. */
static bool choose_kernel(again_kernel *kernel, const again_group *group) {
    size_t most = 0;
    for (size_t r = 0; r < group->count; r++) {
        const rft_point *best = rft_run_best(group->runs[r], kernel->sweep, SIZE_MAX, kernel->problem);
        again_kernel candidate = *kernel;
        size_t votes = 0;
        if (!best) {
            continue;
        }
        candidate.variant = best->variant;
        candidate.config = best->config;
        for (size_t k = 0; k < group->count; k++) {
            const rft_point *other = rft_run_best(group->runs[k], kernel->sweep, SIZE_MAX, kernel->problem);
            votes += other && is_kernel(group->runs[k], other, &candidate);
        }
        if (votes > most) {
            most = votes;
            *kernel = candidate;
        }
    }
    return most > 0;
}

static void fill_readings(again_kernel *kernel, const again_group *group, rft_arena *arena) {
    size_t *counts = rft_arena_calloc(arena, group->count, sizeof *counts), all = 0;
    const double **medians = rft_arena_calloc(arena, group->count, sizeof *medians);
    const double **noise = rft_arena_calloc(arena, group->count, sizeof *noise);
    kernel->readings = rft_arena_calloc(arena, group->count, sizeof *kernel->readings);
    for (size_t r = 0; r < group->count; r++) {
        again_reading *reading = &kernel->readings[r];
        *reading = again_reading_of(again_point_of(group->runs[r], kernel), arena);
        counts[r] = reading->process_count;
        medians[r] = reading->medians_s;
        noise[r] = reading->noise;
        all += counts[r];
    }
    double *pool = rft_arena_calloc(arena, all + 1, sizeof *pool);
    for (size_t r = 0, at = 0; r < group->count; at += counts[r++]) {
        memcpy(pool + at, medians[r] ? medians[r] : pool, counts[r] * sizeof *pool);
    }
    kernel->pairs = rft_arena_calloc(arena, group->count, sizeof *kernel->pairs);
    kernel->runs = rft_arena_calloc(arena, group->count, sizeof *kernel->runs);
    kernel->pooled_s = rft_median_of(pool, all);
    kernel->process_count = all;
    kernel->levels = again_levels_of(&(again_nest){group->count, counts, medians, noise});
}

static void make_bests(again_group *group, rft_arena *arena) {
    const rft_run *first = group->runs[0];
    for (size_t s = 0; s < first->sweep_count; s++) {
        for (size_t p = 0; p < first->sweeps[s].sweep.problem_count; p++) {
            again_kernel kernel = {.sweep = s, .problem = p, .sweep_name = first->sweeps[s].sweep.name};
            if (choose_kernel(&kernel, group)) {
                kernel.name = rft_run_problem_text(first, s, p, true, arena);
                fill_readings(&kernel, group, arena);
                group->kernels[group->kernel_count++] = kernel;
            }
        }
    }
    group->all_count = group->kernel_count;
}

static bool has_kernel(const again_group *group, const rft_run *run, const rft_point *point) {
    for (size_t k = 0; k < group->all_count; k++) {
        if (is_kernel(run, point, &group->kernels[k])) {
            return true;
        }
    }
    return false;
}

static void make_others(again_group *group, const rft_run *run, rft_arena *arena) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->alias_of == 0 && point->rounds[RFT_ROUNDS - 1].process_count > 0 && !has_kernel(group, run, point)) {
            again_kernel kernel = {.sweep = point->sweep,
                                   .problem = point->problem,
                                   .variant = point->variant,
                                   .config = point->config,
                                   .sweep_name = run->sweeps[point->sweep].sweep.name,
                                   .name = rft_run_problem_text(run, point->sweep, point->problem, true, arena)};
            fill_readings(&kernel, group, arena);
            group->kernels[group->all_count++] = kernel;
        }
    }
}

static size_t most_kernels(const again_group *group) {
    size_t most = 0;
    for (size_t s = 0; s < group->runs[0]->sweep_count; s++) {
        most += group->runs[0]->sweeps[s].sweep.problem_count;
    }
    for (size_t r = 0; r < group->count; r++) {
        for (size_t i = 0; i < group->runs[r]->point_count; i++) {
            most += group->runs[r]->points[i].rounds[RFT_ROUNDS - 1].process_count > 0;
        }
    }
    return most;
}

static void make_kernels(again_group *group, rft_arena *arena) {
    group->kernels = rft_arena_calloc(arena, most_kernels(group) + 1, sizeof *group->kernels);
    make_bests(group, arena);
    for (size_t r = 0; r < group->count; r++) {
        make_others(group, group->runs[r], arena);
    }
}

void again_set_sort(again_set *set) {
    make_groups(set);
    for (size_t g = 0; g < set->group_count; g++) {
        make_kernels(&set->groups[g], set->arena);
    }
}
