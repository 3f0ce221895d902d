/* SPDX-License-Identifier: Apache-2.0 */
/* compare_parts.h - what the files of compare share. Internal to model. */
#ifndef RFT_MODEL_COMPARE_PARTS_H
#define RFT_MODEL_COMPARE_PARTS_H

#include "model/compare/compare.h"

#define RFT_COMPARE_ABSENT SIZE_MAX

/* A sweep or a problem that two sides or more have, and where it is in each; RFT_COMPARE_ABSENT = it is not there. */
typedef struct rft_compare_join {
    size_t group;
    const char *name, *sweep_name;
    size_t *sweeps, *problems; /* one a side */
} rft_compare_join;

/* Fills workload_count names, and `alone`; the figures are left empty. Joins in the same order, in `arena`. */
size_t rft_compare_joined(rft_compare *compare, rft_compare_join **out, rft_arena *arena);

/* Do two sweeps search the same configurations: variants and the values of what is tuned, in the same order? */
bool rft_compare_same_space(const rft_sweep *a, const rft_sweep *b);

/* The figure of a side on a workload; `in_ops` decides what its rate counts. Nothing is judged yet. */
rft_compare_figure rft_compare_figure_of(const rft_compare_side *side, const rft_compare_join *join, size_t at,
                                         bool in_ops, rft_arena *arena);
/* Whether the useful rate of a point is better told in operations than in bytes. */
bool rft_compare_in_ops(const rft_run *run, const rft_point *point);
/* "search effort differs (...)", or that it is not known: where it was not recorded it is the same if the same
 * configurations were tried. NULL: it does not differ. */
const char *rft_compare_effort_differs(const rft_compare *compare, const rft_compare_workload *workload, size_t a,
                                       size_t b, rft_arena *arena);

/* Judges all figures of a workload against the first side's; spread: slowest over fastest, by model, NaN unknown. */
void rft_compare_judge_workload(rft_compare *compare, rft_compare_workload *workload, rft_arena *arena);
/* "wgmma has no way to run here: skipped, needs sm_90a": of the variant that is another side's best. NULL. */
const char *rft_compare_no_native(const rft_compare *compare, const rft_compare_workload *workload, size_t side,
                                  rft_arena *arena);
/* What runs of one model are held against each other by: the template's best, since the library is not in every run. */
double rft_compare_template_s(const rft_compare_figure *figure);
/* Slowest over fastest of these times among the sides of this one's model and work; 1 where it is alone or has no
 * figure. */
double rft_compare_spread(const rft_compare *compare, const rft_compare_workload *workload, size_t side,
                          rft_arena *arena);

/* compare_base.c: time of point a over that of b, each of the problem of its figure; exactly 1 of one and the same. */
rft_compare_ratio rft_compare_times(const rft_compare_figure *of_a, const rft_point *a, const rft_compare_figure *of_b,
                                    const rft_point *b);
/* compare_pairs.c: how every side stands against every other. */
void rft_compare_add_scores(rft_compare *compare, rft_arena *arena);
/* compare_across.c: carries, variations, caveats. */
void rft_compare_add_carries(rft_compare *compare, rft_arena *arena);
void rft_compare_add_variations(rft_compare *compare, rft_arena *arena);
void rft_compare_add_caveats(rft_compare *compare, rft_arena *arena);

#endif
