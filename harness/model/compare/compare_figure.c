/* SPDX-License-Identifier: Apache-2.0 */
/* compare_figure.c - what one side says of one workload: the better of template and library, and how hard it was
 * searched for (compare.h). */
#include "model/compare/compare_parts.h"

#include "base/hash.h"
#include "model/roofline/reach.h"

#include "model/run/baseline.h"
#include "model/run/run_drift.h"
#include "model/run/run_foreign.h"
#include "model/stats/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE_FRAC 0.1      /* so far may the numbers of points of two unfinished searches be apart */
#define DENSE_OPS_BYTE 10.0 /* without a roof: on the compute side of any present device's ridge */

bool rft_compare_in_ops(const rft_run *run, const rft_point *point) {
    rft_placement place = rft_placement_of(run, point);
    bool ops = place.rate_ops_s > 0.0, bytes = place.rate_bytes_s > 0.0;
    if (!ops || !bytes) {
        return ops;
    }
    return isnan(place.roof_s) ? place.intensity > DENSE_OPS_BYTE : place.roof == RFT_RESOURCE_PIPE;
}

/* ---- its number ---- */

static int library_tried(const rft_run *run, size_t sweep, size_t problem) {
    int tried = 0;
    for (size_t i = 0; i < run->baseline_count; i++) {
        const rft_baseline *b = &run->baselines[i];
        if (b->sweep == sweep && b->problem == problem && b->same_protocol) {
            tried = b->tried > tried ? b->tried : tried;
        }
    }
    return tried;
}

static const char *nothing_text(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    size_t points = 0;
    const rft_point *example = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->problem == problem && point->alias_of == 0) {
            points++;
            example = example ? example : point;
        }
    }
    if (!example) {
        return "no configuration of it was taken up";
    }
    return rft_arena_printf(arena, "none of %zu configuration%s was measured: %s%s%s", points, points == 1 ? "" : "s",
                            rft_outcome_name(example->outcome), example->reason ? ", " : "",
                            example->reason ? example->reason : "");
}

static void fill_work(const rft_compare_side *side, rft_compare_figure *f, bool in_ops) {
    const rft_point *of = f->best;
    bool foreign = rft_run_foreign(side->run) != NULL;
    in_ops = foreign ? isfinite(f->recorded.flop.amount) : in_ops;
    f->work = f->rate = f->per_joule = f->per_price = f->roof = NAN;
    f->unit = in_ops ? "FLOP" : "B";
    if (!of) {
        return;
    }
    rft_pipe pipe = rft_work_main_pipe(&of->work);
    rft_ceiling_id id;
    if (foreign) {
        f->work = in_ops ? f->recorded.flop.amount : f->recorded.bytes.amount;
    } else if (in_ops && pipe < RFT_PIPE_COUNT) {
        bool flop = rft_ceiling_from_name(&id, rft_pipe_name(pipe)) && rft_ceiling_unit(id)[0] == 'F';
        f->unit = flop ? "FLOP" : "op";
        f->work = of->work.pipe_ops[pipe];
    } else if (!in_ops && rft_work_bytes(&of->work) > 0.0) {
        f->work = rft_work_bytes(&of->work);
    }
    f->rate = f->work / f->stats.median;
    f->roof = rft_reach_of(side->run, of).left_factor;
    f->roof_s = rft_placement_of(side->run, of).roof_s;
    const rft_load *load = of->loads[RFT_LOAD_ENERGY];
    if (load && !load->reason && !f->by_vendor) {
        f->per_joule = rft_load_per_joule(load, f->work);
    }
    if (side->price.amount > 0.0) {
        f->per_price = f->rate / side->price.amount;
    }
}

/* ---- the effort ---- */

static const char *budget_text(const rft_search_opts *search, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    if (search->budget_points) {
        rft_str_addf(&text, "%llu points", (unsigned long long)search->budget_points);
    }
    const double seconds[] = {search->budget_s, search->budget_gpu_s};
    for (size_t i = 0; i < 2; i++) {
        if (seconds[i] > 0.0) {
            rft_str_add(&text, text.length ? ", " : "");
            rft_str_add_double(&text, seconds[i]);
            rft_str_add(&text, i ? " s of GPU" : " s");
        }
    }
    const char *kept = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return kept;
}

/* A search that ended with a certificate has left out only what cannot win. */
static bool is_complete(const rft_run *run, const rft_run_sweep *kept, const rft_compare_effort *effort) {
    if (effort->valid > 0 && effort->tried >= effort->valid) {
        return true;
    }
    bool certified = kept->unexplored && strstr(kept->unexplored, "certified:") &&
                     !strstr(kept->unexplored, "the budget ended") && !strstr(kept->unexplored, "was stopped");
    return !effort->refined && run->info.finished_unix_ns > 0 && (!kept->unexplored || certified);
}

static rft_compare_effort effort_of(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    const rft_run_sweep *kept = &run->sweeps[sweep];
    const rft_sweep *data = &kept->sweep;
    rft_compare_effort out = {.recorded = !rft_run_foreign(run) || run->info.replay_of,
                              .refined = data->problems[problem].refined > 0,
                              .strategy = data->search.strategy,
                              .objective = rft_objective_name(data->search.objective),
                              .race = !data->measure.no_race && !rft_run_foreign(run),
                              .budget = budget_text(&data->search, arena)};
    for (size_t v = 0; v < data->variant_count && kept->valid && out.recorded; v++) {
        out.valid += kept->valid[v * data->problem_count + problem];
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->problem == problem) {
            out.tried++;
            out.measured += rft_outcome_is_measured(point->outcome) && point->alias_of == 0;
            out.finalists |= point->rounds[RFT_ROUNDS - 1].n > 0;
        }
    }
    out.complete = out.recorded && is_complete(run, kept, &out);
    return out;
}

rft_compare_figure rft_compare_figure_of(const rft_compare_side *side, const rft_compare_join *join, size_t at,
                                         bool in_ops, rft_arena *arena) {
    const rft_run *run = side->run;
    rft_compare_figure f = {.sweep = join->sweeps[at], .problem = join->problems[at], .source = "template"};
    f.ratio = (rft_compare_ratio){NAN, NAN, NAN, false, 0.0};
    f.stats = rft_stats_of(NULL, 0);
    f.repeat = rft_repeat_none();
    f.roof = f.roof_s = f.work = f.rate = f.per_joule = f.per_price = NAN;
    f.unit = in_ops ? "FLOP" : "B";
    f.bound.resource = RFT_RESOURCE_UNKNOWN;
    if (f.problem == RFT_COMPARE_ABSENT) {
        f.missing = f.sweep == RFT_COMPARE_ABSENT ? "the run has no such sweep" : "the run has no such problem";
        return f;
    }
    f.effort = effort_of(run, f.sweep, f.problem, arena);
    f.best = rft_run_best(run, f.sweep, SIZE_MAX, f.problem);
    f.vendor = rft_run_fastest_baseline(run, f.sweep, f.problem);
    f.effort.library_tried = library_tried(run, f.sweep, f.problem);
    if (!f.best && !f.vendor) {
        f.missing = nothing_text(run, f.sweep, f.problem, arena);
        return f;
    }
    const rft_measurement *m = f.best ? rft_point_measurement(f.best) : NULL;
    f.by_vendor = f.vendor && (!m || f.vendor->measurement.stats.median < m->stats.median);
    m = f.by_vendor ? &f.vendor->measurement : m;
    f.present = true;
    f.source = f.by_vendor ? rft_baseline_label(f.vendor, arena) : "template";
    f.drift_frac = rft_run_widen_frac(run, f.sweep, f.problem);
    f.widen_frac = m->process_count > 1 ? 0.0 : f.drift_frac; /* several have in their interval what times differ by */
    f.common_frac = m->process_count > 1 ? RFT_REPEAT_FLOOR_FRAC : f.widen_frac;
    f.stats = rft_drift_widened(&m->stats, f.widen_frac);
    f.repeat = m->repeat;
    if (rft_run_foreign(run)) {
        f.recorded = rft_foreign_work_of(run, f.sweep, f.problem, arena);
    }
    fill_work(side, &f, in_ops);
    if (f.best) {
        f.bound = rft_bound_of(run, f.best);
    }
    return f;
}

/* ---- does it differ? ---- */

static const char *share_text(const rft_compare_effort *e, rft_arena *arena) {
    return e->valid ? rft_arena_printf(arena, "%zu of %llu", e->tried, (unsigned long long)e->valid)
                    : rft_arena_printf(arena, "%zu", e->tried);
}

/* ---- what was tried, where nothing else tells of the effort ---- */

static int compare_hashes(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* A number for each configuration, ascending. Parameters with one value are part of the kernel. */
static size_t tried_hashes(const rft_run *run, const rft_compare_figure *f, rft_arena *arena, uint64_t **out) {
    const rft_sweep *sweep = &run->sweeps[f->sweep].sweep;
    size_t count = 0;
    rft_str text = RFT_STR_INIT;
    *out = rft_arena_calloc(arena, run->point_count + 1, sizeof **out);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_variant *variant = &sweep->variants[point->sweep == f->sweep ? point->variant : 0];
        if (point->sweep != f->sweep || point->problem != f->problem) {
            continue;
        }
        rft_str_truncate(&text, 0);
        for (size_t p = 0; p < variant->param_count; p++) {
            if (variant->params[p].value_count > 1) {
                rft_str_addf(&text, "%s=", variant->params[p].name);
                rft_value_format(&text, &point->config[p]);
                rft_str_add(&text, "\n");
            }
        }
        (*out)[count++] = rft_hash_fnv1a(rft_str_get(&text), text.length);
    }
    rft_str_clear(&text);
    qsort(*out, count, sizeof **out, compare_hashes);
    return count;
}

static bool same_tried(const rft_run *a, const rft_compare_figure *x, const rft_run *b, const rft_compare_figure *y,
                       rft_arena *arena) {
    uint64_t *left, *right;
    size_t count = tried_hashes(a, x, arena, &left);
    return tried_hashes(b, y, arena, &right) == count && memcmp(left, right, count * sizeof *left) == 0;
}

static const char *unrecorded(const rft_compare_figure *x, const rft_compare_figure *y, const char letters[2],
                              rft_arena *arena) {
    bool a = !x->effort.recorded, b = !y->effort.recorded;
    const char *whose = a && b ? "either side" : rft_arena_printf(arena, "%c", letters[a ? 0 : 1]);
    return rft_arena_printf(arena,
                            "search effort is not known (strategy and budget are not recorded on %s, and not the "
                            "same configurations were tried: %zu on %c, %zu on %c)",
                            whose, x->effort.tried, letters[0], y->effort.tried, letters[1]);
}

static const char *searched_apart(const rft_compare_figure *x, const rft_compare_figure *y, const char letters[2],
                                  rft_arena *arena) {
    const rft_compare_effort *a = &x->effort, *b = &y->effort;
    double more = (double)(a->tried > b->tried ? a->tried : b->tried), fewer = (double)(a->tried + b->tried) - more;
    bool alike = more - fewer <= ALIKE_FRAC * more && rft_text_equal(a->strategy, b->strategy);
    if ((a->complete && b->complete) || (!a->complete && !b->complete && alike)) {
        return NULL;
    }
    return rft_arena_printf(arena, "%c tried %s configurations%s, %c %s%s", letters[0], share_text(a, arena),
                            a->complete ? " (all)" : "", letters[1], share_text(b, arena), b->complete ? " (all)" : "");
}

static const char *difference(const rft_compare *compare, const rft_compare_workload *workload, size_t a, size_t b,
                              rft_arena *arena) {
    const rft_compare_figure *x = &workload->figures[a], *y = &workload->figures[b];
    const char letters[2] = {compare->sides[a].letter, compare->sides[b].letter};
    const rft_sweep *p = &compare->sides[a].run->sweeps[x->sweep].sweep;
    const rft_sweep *q = &compare->sides[b].run->sweeps[y->sweep].sweep;
    if (x->by_vendor != y->by_vendor && !(x->by_vendor ? y : x)->vendor) {
        return rft_arena_printf(arena, "the library was measured on %c alone", letters[x->by_vendor ? 0 : 1]);
    }
    if (x->by_vendor && y->by_vendor) {
        return x->effort.library_tried == y->effort.library_tried
                   ? NULL
                   : rft_arena_printf(arena, "%d of the library's algorithms were timed on %c, %d on %c",
                                      x->effort.library_tried, letters[0], y->effort.library_tried, letters[1]);
    }
    if (!rft_text_equal(x->effort.objective, y->effort.objective)) {
        return rft_arena_printf(arena, "%c was searched for the least %s, %c for the least %s", letters[0],
                                x->effort.objective, letters[1], y->effort.objective);
    }
    if (!rft_compare_same_space(p, q)) {
        return rft_arena_printf(arena, "not the same space: %llu configurations on %c, %llu on %c",
                                (unsigned long long)x->effort.valid, letters[0], (unsigned long long)y->effort.valid,
                                letters[1]);
    }
    return searched_apart(x, y, letters, arena);
}

const char *rft_compare_effort_differs(const rft_compare *compare, const rft_compare_workload *workload, size_t a,
                                       size_t b, rft_arena *arena) {
    const rft_compare_figure *x = &workload->figures[a], *y = &workload->figures[b];
    if (!x->effort.recorded || !y->effort.recorded) {
        const char letters[2] = {compare->sides[a].letter, compare->sides[b].letter};
        return same_tried(compare->sides[a].run, x, compare->sides[b].run, y, arena) ? NULL
                                                                                     : unrecorded(x, y, letters, arena);
    }
    const char *said = difference(compare, workload, a, b, arena);
    return said ? rft_arena_printf(arena, "search effort differs (%s)", said) : NULL;
}

size_t rft_compare_next_sweep(const rft_compare *compare, size_t first) {
    size_t next = first;
    while (next < compare->workload_count && compare->workloads[next].group == compare->workloads[first].group) {
        next++;
    }
    return next;
}

rft_compare_effort rft_compare_sweep_effort(const rft_compare *compare, size_t first, size_t side, size_t *count) {
    rft_compare_effort sum = {.recorded = true, .complete = true};
    *count = 0;
    for (size_t w = first; w < rft_compare_next_sweep(compare, first); w++) {
        const rft_compare_figure *f = &compare->workloads[w].figures[side];
        if (f->problem == RFT_COMPARE_ABSENT) {
            continue;
        }
        rft_compare_effort before = sum;
        sum = f->effort;
        sum.valid += before.valid;
        sum.tried += before.tried;
        sum.measured += before.measured;
        sum.complete = before.complete && sum.complete;
        sum.finalists = before.finalists || sum.finalists;
        sum.library_tried = before.library_tried > sum.library_tried ? before.library_tried : sum.library_tried;
        sum.refined = false;
        (*count)++;
    }
    return sum;
}

const char *rft_compare_effort_text(const rft_compare_effort *effort, rft_arena *arena) {
    return rft_arena_printf(
        arena, "%s configurations%s; search: %s%s%s%s%s%s", share_text(effort, arena),
        effort->complete  ? ", all"
        : effort->refined ? " (refined)"
                          : "",
        effort->recorded && effort->strategy ? effort->strategy : "not recorded", effort->budget ? ", budget " : "",
        effort->budget ? effort->budget : "", effort->race ? ", race" : "", effort->finalists ? ", final round" : "",
        effort->library_tried ? rft_arena_printf(arena, "; library: %d algorithms", effort->library_tried) : "");
}
