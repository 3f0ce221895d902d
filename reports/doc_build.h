/* SPDX-License-Identifier: Apache-2.0 */
/* doc_build.h - from a run to a document. One file a chapter; what several chapters need is worked out once, here. */
#ifndef RFT_REPORTS_DOC_BUILD_H
#define RFT_REPORTS_DOC_BUILD_H

#include "model/advice/advice.h"
#include "model/roofline/bound.h"
#include "model/roofline/reach.h"
#include "model/run/run.h"
#include "model/transition/transitions_kept.h"
#include "reports/doc.h"
#include "reports/figures.h"
#include "reports/findings/best_header.h"
#include "reports/findings/buyer.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"
#include "reports/print/print.h"
#include "reports/report.h"

/* The best of one problem and where it stands. */
typedef struct rft_entry {
    size_t sweep, problem;
    const rft_point *best;  /* NULL: nothing was measured */
    const rft_point *rival; /* the next one, when it ties with the best; NULL */
    size_t tied;            /* how many others tie */
    size_t measured;        /* candidates */
    rft_placement place;    /* of best; unset without one */
    rft_reach reach;        /* likewise */
    rft_bound bound;
    double over_default;     /* default's median / best's; NaN when the default was not measured */
    const char *why_default; /* then: why */
} rft_entry;

/* How much is told of each sweep. */
typedef enum rft_detail {
    RFT_DETAIL_LINES,  /* the verdict, the ladder in words, the options, the next step */
    RFT_DETAIL_LADDER, /* and the ladder, a line a rung */
    RFT_DETAIL_BRIEF,  /* and what explains its steps: --summary */
    RFT_DETAIL_SHORT,  /* ladder, what holds it back, next step */
    RFT_DETAIL_ALONG,  /* and along the axes */
    RFT_DETAIL_PAGE,   /* and its problems, and the configuration as a header has it */
    RFT_DETAIL_CHARTS, /* and the distribution, the search */
    RFT_DETAIL_PAGES,  /* and the best and the worst, parameters */
    RFT_DETAIL_TABLES, /* and tables where the others have a sentence: of a run of one sweep */
    RFT_DETAIL_FULL    /* all there is: --full */
} rft_detail;

typedef struct rft_build {
    const rft_run *run;
    rft_report_opts opts;
    rft_doc *doc;
    rft_arena *arena;            /* of this form of the report: each that has too many pages is freed */
    rft_arena *shared;           /* of all forms */
    rft_transitions_kept *found; /* in `shared` */
    rft_detail detail;
    rft_best_macros *macros; /* of the sweeps' showcases, by sweep */
    rft_entry *entries;      /* by sweep, then problem; odd ones left out */
    size_t entry_count;
    const rft_buyer *buyer;
    const char *told[RFT_ADVICE_RULES_MAX]; /* ways to change the work that chapters of this form told */
    size_t told_count;
} rft_build;

/* The whole document, in `arena`. */
rft_doc *rft_doc_build(const rft_run *run, const rft_report_opts *opts, rft_arena *arena);

/* Chapters. Each appends to b->doc. */
void rft_build_cover(rft_build *b); /* the answer */
/* How many families its table has room for on one page. */
size_t rft_build_cover_rows(const rft_build *b); /* doc_cover.c */
void rft_build_card_page(rft_build *b);          /* is the card normal, what limits it, what to ask (doc_cover.c) */
void rft_build_contents(rft_build *b);           /* doc_cover.c */
void rft_build_summary(rft_build *b);
void rft_build_ceilings(rft_build *b);   /* and all else of this card (doc_card.c) */
void rft_build_operations(rft_build *b); /* the ceilings' operations and limits, and the ridges, for part 2 */
void rft_build_problems(rft_build *b);   /* doc_problems.c */
void rft_build_sweeps(rft_build *b);     /* and how to read them (doc_sweeps.c) */
/* Whether sweeps that explain the card stand behind all others, since both are many (doc_sweeps.c). */
bool rft_build_experiments_apart(const rft_build *b);
void rft_build_sweep(rft_build *b, size_t sweep);
void rft_build_method(rft_build *b);
void rft_build_appendix(rft_build *b);

void rft_build_key_figures(rft_build *b); /* of the cover; nothing where none is known (doc_cover_figures.c) */
void rft_build_cover_chart(rft_build *b); /* nothing of a mix, of many sweeps, and without ceilings */
void rft_build_facts(rft_build *b);       /* device, date, program (doc_facts.c) */

/* Parts of the summary. */
/* The most telling problems of each sweep, at most `most` of them (one a sweep if there are more sweeps than that); in
 * their order, in the arena (doc_choice.c). */
size_t rft_build_choose(const rft_build *b, size_t most, const rft_entry ***out);
size_t rft_build_summed(const rft_build *b); /* sweeps that the summary counts */
/* The same of one sweep. */
size_t rft_build_choose_of(const rft_build *b, size_t sweep, size_t most, const rft_entry ***out);
rft_table *rft_build_results(rft_build *b, const rft_entry *const *entries, size_t count); /* doc_results.c */
/* Whether all of them, or more than half, were measured in several processes each. */
bool rft_build_all_repeated(const rft_entry *const *entries, size_t count);
/* The library that all chief baselines of them are of; NULL: several, or none (doc_results.c). */
const char *rft_build_vendor(const rft_build *b, const rft_entry *const *entries, size_t count);
bool rft_build_mostly_repeated(const rft_entry *const *entries, size_t count);

/* Parts of a sweep's chapter. */
void rft_build_asked(rft_build *b, size_t sweep);                          /* doc_asked.c */
void rft_build_ranking(rft_build *b, const rft_entry *entry, size_t most); /* the best `most`, and the worst */

/* ---- shared by the chapters (doc_entry.c) ---- */
void rft_build_entries(rft_build *b);
/* The problem a sweep's details are shown for: the one whose best takes longest; NULL when none was measured. */
const rft_entry *rft_build_showcase(const rft_build *b, size_t sweep);
const char *rft_build_anchor(const rft_build *b, size_t sweep); /* of the sweep's chapter */
/* "GEMV n=8192: 2.91 TB/s, 67 % of the measured memory ceiling: room left, waits on latency" */
const char *rft_build_verdict(const rft_build *b, const rft_entry *entry);

#endif
