/* SPDX-License-Identifier: Apache-2.0 */
/* profile_charts.h - charts of profiles (model/transition/transition.h). Heights are points; everything lives in
 * `arena`. */
#ifndef RFT_REPORTS_PROFILE_CHARTS_H
#define RFT_REPORTS_PROFILE_CHARTS_H

#include "model/run/run.h"
#include "model/transition/transitions_kept.h"
#include "reports/findings/chart_data.h"

/* An axis profile: the best rate under the ceilings as they run along the axis, over bands of what holds it back, which
 * end at the places that were found, with their intervals. A variant that has one configuration on each problem has
 * its prior beside it, dashed, times one factor; the fastest baseline is drawn in ink. */
typedef struct rft_along_opts {
    const char *title;
    double height;
    bool best_alone;                   /* one line; else one a variant */
    const rft_profile *first;          /* beside the best: the first variant's along the same line; NULL */
    const rft_transition *transitions; /* those of the profile, where they are known already; NULL = are looked for */
    size_t transition_count;
    rft_transitions_kept *kept; /* there first; NULL */
} rft_along_opts;
rft_chart *rft_along_chart(const rft_run *run, const rft_profile *profile, const rft_along_opts *opts,
                           rft_arena *arena);
/* Whether any variant has such a prior along the profile's axis. */
bool rft_along_has_prior(const rft_run *run, const rft_profile *profile, rft_arena *arena);

/* Along an axis on which work grows more intense: the ridge's place on it, NaN where there is none; and in *text, where
 * a library was measured at enough values, where that is and where the times of the best and of the library turn. */
double rft_along_turns(const rft_run *run, const rft_profile *profile, const char **text, rft_arena *arena);

/* The parameter profiles of a best's variant on its problem, over one scale: the best over all other parameters at each
 * value, and what lies behind it. Without those that cannot be drawn. */
size_t rft_param_charts(const rft_run *run, const rft_point *best, double height, rft_arena *arena, rft_chart ***out);
/* As many stand beside the distribution of the configurations; more, by themselves. */
#define RFT_PARAM_CHARTS_FEW 2
/* What is said under them. */
extern const char rft_param_charts_text[];

/* The best of each variant and the baselines as bars, on the problem where most variants were measured. NULL with fewer
 * than two. */
rft_chart *rft_ladder_chart(const rft_run *run, size_t sweep, double height, rft_arena *arena);
/* The best at each word of an axis as bars. NULL with fewer than two. */
rft_chart *rft_words_chart(const rft_run *run, const rft_profile *profile, const char *title, double height,
                           rft_arena *arena);
/* What its names want below: many stand upright under their bars, as high as they are long. Points. */
double rft_ladder_names_height(const rft_chart *chart);

/* A line along an axis with its fit. */
typedef struct rft_fitted {
    const rft_profile *profile;
    rft_profile_fit fit;
} rft_fitted;

#define RFT_FIT_LEAST 4  /* fewer measured values give no fit worth telling */
#define RFT_FITS_MOST 40 /* of a run on a page; each takes some milliseconds */

/* Those of the run's sweeps with enough values; `left_out`: beyond RFT_FITS_MOST. */
size_t rft_fitted_lines(const rft_run *run, rft_arena *arena, rft_fitted **out, size_t *left_out);
/* Whether it can be drawn over intensity: it exists, and its points differ in intensity. */
bool rft_fitted_has_curve(const rft_fitted *of);
/* The fitted rate over intensity, through the work of the fit's own points; rates divided by `factor`. */
rft_series *rft_fitted_curve(rft_chart *chart, const rft_fitted *of, double factor, rft_arena *arena);

#endif
