/* SPDX-License-Identifier: Apache-2.0 */
/* compare_findings.h - what a comparison has to say, a function a subject (finding.h). Everything lives in `arena`. */
#ifndef RFT_REPORTS_COMPARE_FINDINGS_H
#define RFT_REPORTS_COMPARE_FINDINGS_H

#include "model/compare/compare_mix.h"
#include "model/compare/fleet.h"
#include "reports/findings/finding.h"

/* The runs: device, card, file; for programs also how often each verdict was given. */
rft_finding *rft_finding_compared_runs(const rft_compare *compare, rft_arena *arena);
/* How each run stands against the first over all workloads: a table on a page, a sentence on a terminal. */
rft_finding *rft_finding_scores(const rft_compare *compare, rft_arena *arena);
/* A sentence for each run: where it is fastest, and its speed against the others. */
rft_finding *rft_finding_card_sentences(const rft_compare *compare, rft_text_style style, rft_arena *arena);
/* Every run against every other: people see it of three and more. */
rft_finding *rft_finding_matrix(const rft_compare *compare, rft_arena *arena);
/* Sweep by sweep the fastest, its speed against the nearest, and how much of that the ceilings of both explain. */
rft_finding *rft_finding_wins(const rft_compare *compare, rft_arena *arena);
/* What the cards are, can, draw and cost. */
rft_finding *rft_finding_cards(const rft_compare *compare, rft_arena *arena);
/* Base and peak, sweep by sweep. */
rft_finding *rft_finding_compared_bases(const rft_compare *compare, rft_arena *arena);
/* Times and verdicts, workload by workload; as CSV a row for each workload and run. */
rft_finding *rft_finding_workloads(const rft_compare *compare, rft_arena *arena);
/* Why, for a terminal: "stream_copy n=16777216, B: search effort differs ...", as many as there is room for. */
rft_finding *rft_finding_reasons(const rft_compare *compare, rft_arena *arena);
/* Useful rates, and those per watt and price where they are known; for a page. */
rft_finding *rft_finding_compared_rates(const rft_compare *compare, rft_arena *arena);
/* The best configuration of one run, as measured on the others. */
rft_finding *rft_finding_carries(const rft_compare *compare, rft_arena *arena);
rft_finding *rft_finding_effort(const rft_compare *compare, rft_arena *arena);
/* How much runs of one model differ. */
rft_finding *rft_finding_variation(const rft_compare *compare, rft_arena *arena);
/* What has no partner. */
rft_finding *rft_finding_alone(const rft_compare *compare, rft_arena *arena);
/* What the verdicts rest on. */
rft_finding *rft_finding_caveats(const rft_compare *compare, rft_arena *arena);
/* "B wins below 27,400 EUR (26,100 to 28,900), where A costs 32,000 EUR. At its 24,000 EUR it does."; NULL: there is no
 * such price. */
const char *rft_break_even_text(const rft_break_even *even, const char *other, const char *first, const char *currency,
                                rft_arena *arena);
const char *rft_break_even_sentence(const rft_compare_mixes *mixes, size_t item, size_t side, rft_arena *arena);
/* The value of an assumption as it is, "0 W, not given", and where it turns the decision: "41 %", "0.52 EUR a kWh". */
const char *rft_break_even_now_text(const rft_break_even_flip *flip, rft_arena *arena);
const char *rft_break_even_at_text(const rft_break_even_flip *flip, rft_arena *arena);
/* Of every side against the first, and what would turn it round; for people. */
rft_finding *rft_finding_break_even(const rft_compare_mixes *mixes, size_t item, rft_arena *arena);
rft_finding *rft_finding_break_even_data(const rft_break_even *even, rft_arena *arena);
/* Mixes on every side, and remarks; NULL without --mix. */
rft_finding *rft_finding_compared_mixes(const rft_compare *compare, rft_arena *arena);

/* Many cards of one model; and every card's every figure, as CSV. */
rft_finding *rft_finding_fleet(const rft_fleet *fleet, rft_arena *arena);
rft_finding *rft_finding_fleet_values(const rft_fleet *fleet, rft_arena *arena);

/* All of it, as programs read it. */
rft_finding *rft_finding_comparison(const rft_compare *compare, rft_arena *arena);

/* "A". */
const char *rft_compare_letter(const rft_compare *compare, size_t side, rft_arena *arena);
/* Tables with a column a run are narrow where there are more than so many: rows have letters for names, and intervals a
 * dash for "to", so that each stands in a line of its own. */
#define RFT_COMPARE_ROOMY 4
const char *rft_compare_row_name(const rft_compare *compare, size_t side, rft_arena *arena);
const char *rft_compare_dashed(const char *interval, rft_arena *arena); /* NULL stays NULL */
/* On a page, which run is which, where rows have letters alone. */
void rft_compare_add_names(rft_finding *f, const rft_compare *compare);
/* "1.01 to 1.03"; "0.99 to 1.01, unclear"; "0.999 to 1.001, the same"; "not known"; NULL: there is no mean. */
const char *rft_compare_mean_interval(const rft_compare_ratio *mean, rft_arena *arena);
/* "1.02x (1.01 to 1.03)"; "1.00x (0.99 to 1.01), unclear"; "n/a". */
const char *rft_compare_mean_words(const rft_compare_ratio *mean, rft_arena *arena);
/* "97.4 % (96.9 to 97.9)": what is kept of a speed. */
const char *rft_compare_kept_text(const rft_compare_ratio *kept, rft_arena *arena);
/* "96.9 to 97.9", "not known"; NULL: there is no number. */
const char *rft_compare_kept_ends(const rft_compare_ratio *kept, rft_arena *arena);
/* For programs: `key`, `key`_low, `key`_high. */
void rft_compare_set_mean(rft_finding *f, const char *key, const rft_compare_ratio *mean);
/* "0.08 %", "1.3 %", "12 %"; "n/a". */
const char *rft_compare_percent(double frac, rft_arena *arena);

#endif
