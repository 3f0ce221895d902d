/* SPDX-License-Identifier: Apache-2.0 */
/* compare_judge.c - the verdicts on one workload, with what must be known beside them (compare.h). */
#include "model/compare/compare_parts.h"

#include "model/roofline/placement.h"
#include "model/run/run_foreign.h"
#include "model/stats/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_WORK_FRAC 1e-6

static const rft_run *run_of(const rft_compare *compare, size_t side) {
    return compare->sides[side].run;
}

static const rft_sweep *sweep_of(const rft_compare *compare, size_t side, const rft_compare_figure *f) {
    return &run_of(compare, side)->sweeps[f->sweep].sweep;
}

static const rft_measurement *measured(const rft_compare_figure *f) {
    return f->by_vendor ? &f->vendor->measurement : rft_point_measurement(f->best);
}

/* ---- is it the same workload? ---- */

static bool apart(double a, double b) {
    return fabs(a - b) > SAME_WORK_FRAC * fmax(fabs(a), fabs(b));
}

/* Digits enough to tell them apart. */
static const char *amounts_apart(const rft_foreign_amount *a, char p, const rft_foreign_amount *b, char q, bool bytes,
                                 rft_arena *arena) {
    const char *x = "", *y = "";
    for (int digits = 3; digits <= 9 && strcmp(x, y) == 0; digits++) {
        x = rft_foreign_amount_text(a->amount, bytes, digits, arena);
        y = rft_foreign_amount_text(b->amount, bytes, digits, arena);
    }
    return rft_arena_printf(arena, "work differs, by time and recorded rate: %s on %c, %s on %c", x, p, y, q);
}

/* What rates tell is known as well as they agree. */
static bool amounts_differ(const rft_foreign_amount *a, const rft_foreign_amount *b) {
    double within = SAME_WORK_FRAC + a->apart_frac + b->apart_frac;
    return fabs(a->amount - b->amount) > within * fmax(a->amount, b->amount);
}

static const char *recorded_apart(const rft_foreign_work *x, char p, const rft_foreign_work *y, char q,
                                  rft_arena *arena) {
    const char *on_p = rft_foreign_work_missing(x), *on_q = rft_foreign_work_missing(y);
    bool flop = !x->flop.reason && !y->flop.reason, bytes = !x->bytes.reason && !y->bytes.reason;
    if (on_p && on_q && strcmp(on_p, on_q) == 0) {
        return rft_arena_printf(arena, "the work is not known: %s, on %c and on %c", on_p, p, q);
    }
    if (on_p && on_q) {
        return rft_arena_printf(arena, "the work is not known: %s, on %c; %s, on %c", on_p, p, on_q, q);
    }
    if (on_p || on_q) {
        return rft_arena_printf(arena, "the work is not known: %s, on %c", on_p ? on_p : on_q, on_p ? p : q);
    }
    if (!flop && !bytes) {
        return rft_arena_printf(arena, "the work is not known in one unit: %s on %c, %s on %c",
                                x->flop.reason ? "bytes" : "operations", p, y->flop.reason ? "bytes" : "operations", q);
    }
    if (flop && amounts_differ(&x->flop, &y->flop)) {
        return amounts_apart(&x->flop, p, &y->flop, q, false, arena);
    }
    return bytes && amounts_differ(&x->bytes, &y->bytes) ? amounts_apart(&x->bytes, p, &y->bytes, q, true, arena)
                                                         : NULL;
}

/* One script at one problem is one work, declared or not. */
static const char *declared_apart(const rft_compare *compare, size_t a, const rft_compare_figure *x, size_t b,
                                  const rft_compare_figure *y) {
    const rft_work *w = &x->best->work, *v = &y->best->work;
    const char *script = sweep_of(compare, a, x)->script_hash, *other = sweep_of(compare, b, y)->script_hash;
    if (apart(rft_work_ops(w), rft_work_ops(v)) || apart(rft_work_bytes(w), rft_work_bytes(v))) {
        return "the declared work differs: not one and the same problem";
    }
    bool declared = rft_work_ops(w) > 0.0 || rft_work_bytes(w) > 0.0;
    bool same = script && *script && rft_text_equal(script, other);
    return declared || same ? NULL : "the work is not known: it is not declared, and the scripts differ";
}

/* It did not do the work that it declares, or its time is wrong. */
static bool is_impossible(const rft_compare *compare, size_t side, const rft_compare_figure *f) {
    if (!f->best) {
        return false;
    }
    const rft_placement place = rft_placement_of(run_of(compare, side), f->best);
    return rft_placement_is_impossible(&place, measured(f)->stats.median);
}

/* Why the work of the two is not known to be the same; NULL: it is. */
static const char *other_work(const rft_compare *compare, size_t a, const rft_compare_figure *x, size_t b,
                              const rft_compare_figure *y, rft_arena *arena) {
    bool foreign = rft_run_foreign(run_of(compare, a)) != NULL;
    bool first = is_impossible(compare, a, x);
    if (first || is_impossible(compare, b, y)) {
        return rft_arena_printf(arena, "%c is faster than the hardware can be: its work or its time is wrong",
                                compare->sides[first ? a : b].letter);
    }
    if (foreign != (rft_run_foreign(run_of(compare, b)) != NULL) || !x->best || !y->best) {
        return NULL;
    }
    return foreign
               ? recorded_apart(&x->recorded, compare->sides[a].letter, &y->recorded, compare->sides[b].letter, arena)
               : declared_apart(compare, a, x, b, y);
}

static const char *other_protocol(const rft_compare *compare, size_t a, const rft_compare_figure *x, size_t b,
                                  const rft_compare_figure *y, rft_arena *arena) {
    char p = compare->sides[a].letter, q = compare->sides[b].letter;
    rft_cache_mode cache_x = measured(x)->cache, cache_y = measured(y)->cache;
    if ((rft_run_foreign(run_of(compare, a)) != NULL) != (rft_run_foreign(run_of(compare, b)) != NULL)) {
        return rft_arena_printf(arena, "%c was timed by another program, by rules of its own",
                                rft_run_foreign(run_of(compare, a)) ? p : q);
    }
    if (cache_x != cache_y) {
        return rft_arena_printf(arena, "another cache mode: %s on %c, %s on %c", rft_cache_mode_name(cache_x), p,
                                rft_cache_mode_name(cache_y), q);
    }
    return measured(x)->mode == measured(y)->mode
               ? NULL
               : rft_arena_printf(arena, "only %c was timed as a CUDA graph, which hides gaps between launches",
                                  measured(x)->mode == RFT_TIMING_GRAPH ? p : q);
}

/* ---- in cycles ---- */

static rft_stats cycles_of(const rft_measurement *m, double widen_frac) {
    double *cycles = rft_calloc(m->n + 1, sizeof *cycles);
    size_t known = 0;
    for (size_t i = 0; i < m->n && m->clocks_mhz; i++) {
        if (isfinite(m->clocks_mhz[i])) {
            cycles[known++] = m->samples_s[i] * m->clocks_mhz[i] * 1e6;
        }
    }
    rft_stats stats = rft_stats_of(cycles, known);
    free(cycles);
    return rft_drift_widened(&stats, widen_frac);
}

/* Samples of several processes are not independent: cycles scatter between processes as times do. */
static double cycles_widen_frac(const rft_compare_figure *f) {
    return f->repeat.processes > 1 ? rft_stats_half_width_frac(&f->stats) : f->widen_frac;
}

/* Where one model stands against itself, time can differ by the clock alone. nvbench calls that AMBG; here it is what a
 * user of that card gets, so the verdict by time stands and the cause is said beside it. */
static const char *clock_note(const rft_compare *compare, size_t one, const rft_compare_figure *x, size_t second,
                              const rft_compare_figure *y, rft_arena *arena) {
    const rft_compare_side *here = &compare->sides[one], *there = &compare->sides[second];
    bool fellows = there->model_known && there->model == here->model;
    const rft_measurement *m = measured(x), *n = measured(y);
    if (!fellows || !(m->clock_mhz > 0.0) || !(n->clock_mhz > 0.0)) {
        return NULL;
    }
    rft_stats first = cycles_of(m, cycles_widen_frac(x)), other = cycles_of(n, cycles_widen_frac(y));
    rft_compare_case of = {.ratio = rft_compare_ratio_of(&first, &other), .spread = NAN};
    if (rft_compare_judge(&of, NULL) != RFT_COMPARE_SAME) {
        return NULL;
    }
    return rft_arena_printf(arena, "the same in SM cycles: the clock differs, %s on %c, %s on %c",
                            rft_arena_fixed(arena, m->clock_mhz, 0, " MHz"), here->letter,
                            rft_arena_fixed(arena, n->clock_mhz, 0, " MHz"), there->letter);
}

/* ---- no way to run here ---- */

static size_t variant_named(const rft_sweep *sweep, const char *name) {
    size_t v = 0;
    while (v < sweep->variant_count && !rft_text_equal(sweep->variants[v].name, name)) {
        v++;
    }
    return v;
}

static const char *stuck(const rft_run *run, const rft_compare_figure *here, const char *name, rft_arena *arena) {
    const rft_run_sweep *kept = &run->sweeps[here->sweep];
    size_t v = variant_named(&kept->sweep, name), points = 0, ran = 0;
    const rft_point *example = NULL;
    if (v == kept->sweep.variant_count) {
        return NULL;
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == here->sweep && point->problem == here->problem && point->variant == v) {
            points++;
            ran += rft_outcome_is_measured(point->outcome);
            example = example ? example : point;
        }
    }
    if (points == 0) {
        bool none = kept->valid && kept->valid[v * kept->sweep.problem_count + here->problem] == 0;
        return none
                   ? rft_arena_printf(arena, "no native path for %s: its constraints leave no configuration here", name)
                   : NULL;
    }
    if (ran > 0) {
        return NULL;
    }
    return rft_arena_printf(arena, "no native path for %s: none of its %zu configuration%s ran (%s%s%s)", name, points,
                            points == 1 ? "" : "s", rft_outcome_name(example->outcome), example->reason ? ": " : "",
                            example->reason ? example->reason : "");
}

const char *rft_compare_no_native(const rft_compare *compare, const rft_compare_workload *workload, size_t side,
                                  rft_arena *arena) {
    const rft_compare_figure *here = &workload->figures[side];
    if (here->problem == RFT_COMPARE_ABSENT) {
        return NULL;
    }
    for (size_t k = 0; k < compare->side_count; k++) {
        const rft_compare_figure *there = &workload->figures[k];
        if (k != side && there->present && there->best) {
            const rft_sweep *sweep = sweep_of(compare, k, there);
            const char *text = stuck(run_of(compare, side), here, sweep->variants[there->best->variant].name, arena);
            if (text) {
                return text;
            }
        }
    }
    return NULL;
}

/* ---- the verdict ---- */

double rft_compare_template_s(const rft_compare_figure *figure) {
    return figure->best ? rft_point_median_s(figure->best) : (double)NAN;
}

static bool same_work(const rft_compare *compare, const rft_compare_workload *workload, size_t a, size_t b,
                      rft_arena *arena) {
    const rft_compare_figure *figures = workload->figures;
    return figures[b].best && !other_work(compare, a, &figures[a], b, &figures[b], arena);
}

double rft_compare_spread(const rft_compare *compare, const rft_compare_workload *workload, size_t side,
                          rft_arena *arena) {
    double least = INFINITY, most = 0.0;
    for (size_t k = 0; k < compare->side_count; k++) {
        if (compare->sides[k].model == compare->sides[side].model && workload->figures[k].best &&
            (k == side || same_work(compare, workload, k, side, arena))) {
            least = fmin(least, rft_compare_template_s(&workload->figures[k]));
            most = fmax(most, rft_compare_template_s(&workload->figures[k]));
        }
    }
    return most > 0.0 ? most / least : 1.0;
}

static const char *percent(double frac, rft_arena *arena) {
    return rft_arena_fixed(arena, frac * 100.0, frac < 0.0995 ? 1 : 0, " %");
}

#define NEITHER "a difference is neither shown nor excluded"

/* Of runs that know what another run reads: what would decide. */
static const char *neither_text(const rft_compare_figure *first, char letter, const rft_compare_figure *other,
                                char other_letter, size_t *processes_wanted, rft_arena *arena) {
    size_t here = first->repeat.processes, there = other->repeat.processes, least = here < there ? here : there;
    size_t a = rft_repeat_processes_for(&first->repeat, RFT_COMPARE_REPEAT_FRAC);
    size_t b = rft_repeat_processes_for(&other->repeat, RFT_COMPARE_REPEAT_FRAC), wanted = a > b ? a : b;
    if (least == 0 || !rft_repeat_is_known(&first->repeat) || !rft_repeat_is_known(&other->repeat)) {
        return NEITHER;
    }
    if (a == 0 || b == 0) {
        return NEITHER ", and no number of processes would do: runs of this card differ by more";
    }
    if (wanted <= least) {
        return NEITHER ": it is about as large as the margin";
    }
    *processes_wanted = wanted;
    return rft_arena_printf(arena, NEITHER ": it takes about %zu processes each, %c has %zu, %c %zu", wanted, letter,
                            here, other_letter, there);
}

static const char *doubt_text(rft_compare_doubt doubt, const rft_compare_case *of, const char *said, rft_arena *arena) {
    switch (doubt) {
    case RFT_DOUBT_INTERVAL:
        return "a side has too few samples for a 95 % interval (6, or 8 that are not independent)";
    case RFT_DOUBT_EFFORT: {
        bool known = isfinite(of->first_roof) && isfinite(of->other_roof);
        return rft_arena_printf(arena, "%s, and the gap does not exceed both roof distances (%s)", said,
                                known ? rft_arena_printf(arena, "%s and %s", percent(of->first_roof - 1.0, arena),
                                                         percent(of->other_roof - 1.0, arena))
                                      : "not known");
    }
    case RFT_DOUBT_SPREAD:
        return rft_arena_printf(arena, "runs of one model differ by %s, as much as the gap",
                                percent(of->spread - 1.0, arena));
    default:
        return said;
    }
}

static const char *both(const char *a, const char *b, rft_arena *arena) {
    return a && b ? rft_arena_printf(arena, "%s; %s", a, b) : a ? a : b;
}

/* `second` against `one`, both with a figure. */
static void judge_pair(const rft_compare *compare, const rft_compare_workload *workload, size_t one, size_t second,
                       rft_compare_versus *out, rft_arena *arena) {
    const rft_compare_figure *first = &workload->figures[one], *other = &workload->figures[second];
    const char *work = other_work(compare, one, first, second, other, arena);
    const char *protocol = other_protocol(compare, one, first, second, other, arena);
    const char *workloads = work ? work : protocol;
    const char *effort = rft_compare_effort_differs(compare, workload, one, second, arena);
    bool fellows = compare->sides[second].model == compare->sides[one].model;
    double here = rft_compare_spread(compare, workload, one, arena);
    double there = rft_compare_spread(compare, workload, second, arena);
    rft_compare_case of = {.ratio = rft_compare_ratio_of(&first->stats, &other->stats),
                           .other_workload = workloads != NULL,
                           .effort_differs = effort != NULL,
                           .first_roof = first->roof,
                           .other_roof = other->roof,
                           .spread = fellows ? (double)NAN : fmax(here, there)};
    of.ratio.common = hypot(first->common_frac, other->common_frac);
    out->ratio = work ? out->ratio : of.ratio;
    out->verdict = rft_compare_judge(&of, &out->doubt);
    out->roofs = work ? (double)NAN : first->roof_s / other->roof_s;
    out->reason = out->doubt == RFT_DOUBT_NEITHER
                      ? neither_text(first, compare->sides[one].letter, other, compare->sides[second].letter,
                                     &out->processes_wanted, arena)
                      : doubt_text(out->doubt, &of, workloads ? workloads : effort, arena);
    if (out->doubt == RFT_DOUBT_NONE) {
        bool shown = out->verdict == RFT_COMPARE_FASTER || out->verdict == RFT_COMPARE_SLOWER;
        const char *clock = shown ? clock_note(compare, one, first, second, other, arena) : NULL;
        const char *unequal = effort ? rft_arena_printf(arena, "%s, but no search could close the gap", effort) : NULL;
        out->reason = both(clock, unequal, arena);
    }
}

/* The same read from the other side. */
static rft_compare_versus turned(const rft_compare_versus *of) {
    rft_compare_versus out = *of;
    out.ratio.ratio = 1.0 / of->ratio.ratio;
    out.ratio.low = 1.0 / of->ratio.high;
    out.ratio.high = 1.0 / of->ratio.low;
    out.roofs = 1.0 / of->roofs;
    out.verdict = of->verdict == RFT_COMPARE_FASTER   ? RFT_COMPARE_SLOWER
                  : of->verdict == RFT_COMPARE_SLOWER ? RFT_COMPARE_FASTER
                                                      : of->verdict;
    return out;
}

static void judge_pairs(const rft_compare *compare, rft_compare_workload *workload, rft_arena *arena) {
    size_t count = compare->side_count;
    workload->versus = rft_arena_calloc(arena, count * count, sizeof *workload->versus);
    for (size_t i = 0; i < count * count; i++) {
        workload->versus[i] = (rft_compare_versus){.ratio = {NAN, NAN, NAN, false, 0.0}, .roofs = NAN};
    }
    for (size_t one = 0; one < count; one++) {
        for (size_t second = one + 1; second < count; second++) {
            if (workload->figures[one].present && workload->figures[second].present) {
                rft_compare_versus *out = &workload->versus[one * count + second];
                judge_pair(compare, workload, one, second, out, arena);
                workload->versus[second * count + one] = turned(out);
            }
        }
    }
}

/* What is told beside a figure is how it stands against the first. */
static void judge_side(rft_compare *compare, rft_compare_workload *workload, size_t side, rft_arena *arena) {
    const rft_compare_figure *first = &workload->figures[0];
    rft_compare_figure *other = &workload->figures[side];
    const rft_compare_versus *versus = &workload->versus[side];
    other->no_native = rft_compare_no_native(compare, workload, side, arena);
    if (side == 0 || !first->present || !other->present) {
        other->verdict = RFT_COMPARE_NONE;
        other->reason = other->missing ? other->missing : side ? first->missing : NULL;
        other->reason = both(other->reason, other->no_native, arena);
        return;
    }
    other->ratio = versus->ratio;
    other->verdict = versus->verdict;
    other->doubt = versus->doubt;
    other->processes_wanted = versus->processes_wanted;
    other->reason = both(versus->reason, both(first->no_native, other->no_native, arena), arena);
}

/* A counted bound and a modelled one may differ by what was looked at, not by the device. */
static bool bounds_differ(const rft_bound *a, const rft_bound *b) {
    return a->evidence == b->evidence && (!rft_bound_same(a, b) || rft_bound_is_held(a) != rft_bound_is_held(b));
}

void rft_compare_judge_workload(rft_compare *compare, rft_compare_workload *workload, rft_arena *arena) {
    const rft_bound *seen = NULL;
    judge_pairs(compare, workload, arena);
    for (size_t side = 0; side < compare->side_count; side++) {
        rft_compare_figure *f = &workload->figures[side];
        judge_side(compare, workload, side, arena);
        if (f->bound.resource != RFT_RESOURCE_UNKNOWN) {
            workload->changed_side = workload->changed_side || (seen && bounds_differ(seen, &f->bound));
            seen = seen ? seen : &f->bound;
        }
    }
}
