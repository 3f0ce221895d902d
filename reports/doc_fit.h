/* SPDX-License-Identifier: Apache-2.0 */
/* doc_fit.h - the fits of a run's lines along axes (model/transition/profile_fit.h), for the chapter of rooflines. */
#ifndef RFT_REPORTS_DOC_FIT_H
#define RFT_REPORTS_DOC_FIT_H

#include "model/transition/profile_fit.h"
#include "reports/doc_build.h"

/* So many are fitted and printed; each takes some milliseconds. */
#define RFT_FITS_MAX 40

typedef struct rft_fitted {
    const rft_profile *profile;
    rft_profile_fit fit;
} rft_fitted;

/* The lines along axes with four or more measured values, by sweep; `left_out`: beyond RFT_FITS_MAX. */
size_t rft_build_fits(rft_build *b, rft_fitted **out, size_t *left_out);

/* Whether a fit can be drawn over intensity: it exists, and its points differ in intensity. */
bool rft_build_has_curve(const rft_fitted *of);
/* The fitted rate over intensity, through the work of the fit's own points; rates divided by `factor`. */
rft_series *rft_build_fit_curve(rft_build *b, rft_chart *chart, const rft_fitted *of, double factor);

/* The table with its heading; nothing without fits. */
void rft_build_fit_table(rft_build *b, const rft_fitted *fits, size_t count, size_t left_out);

#endif
