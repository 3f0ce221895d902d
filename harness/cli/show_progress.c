/* SPDX-License-Identifier: Apache-2.0 */
/* show_progress.c - how the search went on a sweep's longest problem (show_profiles.h). */
#include "base/units.h"
#include "cli/show_data.h"
#include "cli/show_layout.h"
#include "cli/show_profiles.h"
#include "cli/show_spark.h"
#include "model/run/progress.h"

#include <math.h>

#define TRIED_LEAST 8 /* fewer need no chart */
#define BARS 60

static bool find(const rft_run *run, size_t sweep, rft_arena *arena, size_t *problem, rft_progress *out) {
    *problem = rft_run_largest(run, sweep);
    if (*problem == SIZE_MAX) {
        return false;
    }
    *out = rft_progress_of(run, sweep, *problem, arena);
    return out->better_count > 0;
}

/* The best so far at the end of each bar's share of the trials, as a share of the best's rate. */
static size_t best_so_far(const rft_progress *p, double bars[BARS]) {
    size_t used = p->count < BARS ? p->count : BARS, next = 0;
    double best_s = p->better[p->better_count - 1]->time_s, now_s = NAN;
    for (size_t i = 0; i < used; i++) {
        size_t end = (i + 1) * p->count / used;
        while (next < p->better_count && p->better[next]->at <= (double)end) {
            now_s = p->better[next++]->time_s;
        }
        bars[i] = best_s / now_s;
    }
    return used;
}

static const char *seconds(const rft_show_page *t, double time_s) {
    char text[48];
    return rft_arena_strdup(t->arena, rft_units_format_seconds(text, sizeof text, time_s, 3));
}

void rft_show_progress(const rft_show_page *t, size_t sweep) {
    rft_progress p;
    size_t problem;
    double bars[BARS];
    if (!find(t->run, sweep, t->arena, &problem, &p) || p.count < TRIED_LEAST) {
        return;
    }
    size_t used = best_so_far(&p, bars);
    const rft_trial *best = p.better[p.better_count - 1], *last = &p.trials[p.count - 1];
    double first = best->time_s / p.better[0]->time_s, low = rft_spark_floor(first, 1);
    const char *name = rft_run_problem_text(t->run, sweep, problem, true, t->arena);
    rft_str_add_char(t->out, '\n');
    if (p.better_count == 1) {
        rft_layout_wrapped(t->out, 2, 2,
                           rft_arena_printf(t->arena, "search%s%s: none of %s was better than number %s",
                                            *name ? " on " : "", name, rft_show_count(t, p.count),
                                            rft_show_count(t, (uint64_t)best->at)));
        return;
    }
    rft_layout_wrapped(t->out, 2, 2,
                       rft_arena_printf(t->arena, "search%s%s: the best so far, bars from %s to 100 %% of its rate",
                                        *name ? " on " : "", name,
                                        rft_show_number(t, low * 100.0, low > 0 ? 1 : 0, " %")));
    rft_layout_spaces(t->out, 4);
    rft_spark_add(t->out, bars, used, &(rft_spark_scale){low, 1, t->ascii});
    rft_str_add_char(t->out, '\n');
    const char *times = last->elapsed_s > 0 ? rft_arena_printf(t->arena, ", %s of %s", seconds(t, best->elapsed_s),
                                                               seconds(t, last->elapsed_s))
                                            : "";
    rft_layout_wrapped(t->out, 4, 2,
                       rft_arena_printf(t->arena, "met at evaluation %s of %s%s; 95 %% of its rate at evaluation %s",
                                        rft_show_count(t, (uint64_t)best->at), rft_show_count(t, p.count), times,
                                        rft_show_count(t, (uint64_t)p.near->at)));
}

json_t *rft_show_progress_json(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_progress p;
    size_t problem;
    if (!find(run, sweep, arena, &problem, &p)) {
        return json_null();
    }
    json_t *better = json_array();
    for (size_t i = 0; i < p.better_count; i++) {
        json_array_append_new(better, json_pack("{s:I,s:o,s:o}", "at", (json_int_t)p.better[i]->at, "elapsed_s",
                                                rft_json_real_new(p.better[i]->elapsed_s), "median_s",
                                                rft_json_real_new(p.better[i]->time_s)));
    }
    return json_pack("{s:o,s:I,s:I,s:I,s:o,s:o,s:o}", "problem",
                     rft_show_problem_json(&run->sweeps[sweep].sweep, problem), "tried", (json_int_t)p.count, "best_at",
                     (json_int_t)p.better[p.better_count - 1]->at, "near_at", (json_int_t)p.near->at, "near_frac",
                     rft_json_real_new(RFT_PROGRESS_NEAR_FRAC), "elapsed_s",
                     rft_json_real_new(p.trials[p.count - 1].elapsed_s), "better", better);
}
