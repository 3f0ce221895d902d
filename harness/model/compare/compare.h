/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - two to eight runs beside each other: devices, cards of one model, or dates. What `rooftune compare`
 * prints and draws. Pure: the same runs in the same order give the same comparison. The rule of the verdict:
 * compare_rule.h; for users: docs/compare.md.
 *
 * Joined are sweeps by their name; where a name has no partner, by kernel; and where those differ too (a recording of
 * another tuner is called after its file), by an equal space of configurations. Then problems, by the values of all
 * axes. What has no partner is listed. Odd problems are never timed and left out.
 *
 * Speeds are told of equal work only: what was declared is the same, or the script is; of another tuner's runs, what
 * time and recorded rate tell (run_foreign.h). Where work differs or is not known there are two times and no ratio.
 *
 * The figure of a device is the better of its tuned template and the vendor library that was measured in the same run;
 * which it is stands beside it. Imported baselines do not count: another protocol.
 *
 * Intervals of a figure that several processes took are those of stats/repeat.h: what another run reads is in them.
 * What one process took is wider here than in its own run (run_repeat.h), by what only shows between runs: the drift of
 * that problem's reference, and the scatter of its readings (rft_run_widen_frac()). What another process would have
 * read is not in it; a caveat says so.
 */
#ifndef RFT_MODEL_COMPARE_H
#define RFT_MODEL_COMPARE_H

#include "model/compare/compare_rule.h"
#include "model/roofline/bound.h"
#include "model/run/run.h"
#include "model/run/run_base.h"
#include "model/run/run_foreign.h"

#define RFT_COMPARE_MOST 8 /* runs */

/* What a device costs. Given by the user; amount NaN or 0 = not given: then nothing is said per price. */
typedef struct rft_compare_price {
    double amount;
    const char *currency; /* "EUR" */
    const char *date;     /* "2026-11-01" */
} rft_compare_price;

typedef struct rft_compare_input {
    const rft_run *run; /* borrowed, as all texts: they outlive the comparison */
    const char *path;   /* as named by the user */
    rft_compare_price price;
} rft_compare_input;

/* One run. */
typedef struct rft_compare_side {
    const rft_run *run;
    const char *path;
    char letter;        /* 'A'.. in the order given */
    const char *device; /* "NVIDIA H200"; the file's name where no device was recorded */
    size_t model;       /* sides of equal model are the same number: the first of them */
    bool model_known;   /* false: no device is recorded; such a side has no fellows */
    size_t card;        /* the same for the same card (its UUID); where that is not known, its own number */
    bool card_known;    /* another tuner's run does not record it */
    const char *date;   /* of measuring: "2026-11-21"; a replay's is the recording's */
    rft_compare_price price;
} rft_compare_side;

/* How hard a figure was searched for. */
typedef struct rft_compare_effort {
    bool recorded;        /* strategy and budget are: another tuner's file has neither, nor how many are valid */
    uint64_t valid;       /* configurations that the problem has; 0 = not recorded */
    size_t tried;         /* points, whatever became of them, aliases too */
    size_t measured;      /* of them, verified and timed */
    bool complete;        /* nothing valid was left out */
    bool refined;         /* a problem that refine() added: only the neighbours' winners were tried */
    bool finalists;       /* the best few were measured again in turns */
    const char *strategy; /* "auto" */
    const char *budget;   /* "500 points, 600 s"; NULL = none */
    const char *objective;
    bool race;         /* clearly slower configurations were stopped early */
    int library_tried; /* algorithms of the vendor's library; 0 = it was not measured */
} rft_compare_effort;

typedef struct rft_compare_figure {
    bool present;               /* there is a number */
    const char *missing;        /* then NULL, else why not */
    size_t sweep, problem;      /* of that run; SIZE_MAX: it has no such */
    const rft_point *best;      /* of the template; NULL: nothing of it was measured */
    const rft_baseline *vendor; /* the fastest of the library's; NULL */
    bool by_vendor;             /* the figure is the library's */
    const char *source;         /* "template", or the library's label */
    rft_stats stats;            /* seconds, widened as told above */
    rft_repeat repeat;          /* what another run would read; its `processes` */
    double widen_frac;          /* by that much of the median on either side */
    double drift_frac;          /* the same of what one process took of this problem: widen_frac of a figure of one */
    double common_frac;         /* half width, over the median, that all figures of the run share; part of the above */
    double roof;                /* roof distance, >= 1; NaN = not known */
    double roof_s;              /* seconds that the run's own ceilings allow the template's best; NaN = not known */
    double work;                /* useful operations or bytes of one run, as `unit`; NaN = not known */
    const char *unit;           /* "FLOP", "op" or "B" */
    double rate;                /* work / median */
    double per_joule; /* work per joule = rate per watt, of the template's best (board sensor); NaN = not taken */
    double per_price; /* rate per unit of currency; NaN = no price */
    rft_bound bound;  /* of the template's best; UNKNOWN without one */
    rft_foreign_work recorded; /* of another tuner's run */
    const char *no_native;     /* the other sides' best variant has no way to run here: says which and why; NULL */
    rft_compare_effort effort;
    /* Against the first side: */
    rft_compare_ratio ratio; /* NaN on the first itself, where either is missing, and of unequal or unknown work */
    rft_compare_verdict verdict;
    rft_compare_doubt doubt;
    size_t processes_wanted; /* AMBIGUOUS for want of processes: so many on either side are about enough; 0: not so */
    const char *reason;      /* why AMBIGUOUS or NONE, or what must be known beside the verdict, in words; NULL */
} rft_compare_figure;

/* How a run stands against another on a workload. */
typedef struct rft_compare_versus {
    rft_compare_ratio ratio; /* time of the other over its own; NaN as in a figure */
    rft_compare_verdict verdict;
    rft_compare_doubt doubt;
    size_t processes_wanted;
    const char *reason;
    double roofs; /* the same ratio by what the ceilings of both allow; NaN where one is not known */
} rft_compare_versus;

typedef struct rft_compare_workload {
    const char *name;            /* "gemv n=4096 k=4096" */
    const char *sweep_name;      /* "gemv"; "convolution_A100 / convolution_A4000" where they differ */
    size_t group;                /* workloads of one sweep have the same number */
    rft_compare_figure *figures; /* one a side */
    rft_compare_versus *versus;  /* of every pair: [other * sides + side]; NONE of a side against itself */
    bool changed_side;           /* bounds of two known ones differ */
} rft_compare_workload;

/* A sweep or a problem that no other side has. */
typedef struct rft_compare_alone {
    size_t side;
    const char *text; /* "gemv n=3000 k=3000"; "triad (whole sweep, 5 problems)" */
} rft_compare_alone;

/* The best of one side, as it runs on another. */
typedef struct rft_compare_carry {
    size_t workload, from, to;
    const rft_point *there; /* the same configuration on `to`; NULL: it was not tried there */
    rft_compare_ratio kept; /* best of `to` over it, in time: 0.97 keeps 97 % of the speed; NaN: no number */
    bool tie;               /* with the best of `to` */
    const char *reason;     /* why there is no number; NULL */
} rft_compare_carry;

/* Runs of one model on one workload: slowest over fastest median of the template's best (the library is not in every
 * run), minus 1. */
typedef struct rft_compare_variation {
    size_t model; /* as in rft_compare_side */
    size_t workload;
    size_t runs, cards;     /* that have a figure */
    double run_to_run_frac; /* the largest within one card; NaN: no card has two runs */
    double card_frac;       /* between the cards' medians; NaN: under two cards */
    double half_width_frac; /* the largest of the half widths of the intervals, to hold it against */
} rft_compare_variation;

/* How a side stands against another over workloads. */
typedef struct rft_compare_score {
    size_t counts[RFT_COMPARE_VERDICTS];
    size_t judged;          /* all but NONE */
    rft_compare_ratio mean; /* geometric mean over those with a ratio; NaN */
    double least_ratio, most_ratio;
    size_t roofed;      /* workloads with a ratio of which the ceilings of both are known; over these: */
    double roofed_mean; /* geometric mean of the ratios, and of what the ceilings allow; NaN */
    double roofs_mean;
} rft_compare_score;

/* Base and peak (run_base.h) of a side's tuned template, over workloads: of sweeps with two problems or more, of which
 * one configuration was measured at all. */
typedef struct rft_compare_base {
    size_t sweeps, workloads, lacking; /* that are in it; lacking: sweeps without such a configuration */
    rft_compare_ratio keeps;           /* speed of base over peak, <= 1, over all its workloads; NaN */
    rft_base base;                     /* of the sweep whose base is furthest behind at worst, the only one of one */
    size_t sweep;                      /* of the run */
    /* Against the first side, each with its own, over the workloads of both that have equal work; NaN. */
    rft_compare_ratio peak, speed; /* best for each problem; one configuration a sweep */
    size_t shared;                 /* workloads in them */
} rft_compare_base;

typedef struct rft_compare {
    rft_compare_side *sides;
    size_t side_count;
    rft_compare_workload *workloads; /* in the order of the first side that has them */
    size_t workload_count;
    rft_compare_alone *alone;
    size_t alone_count;
    rft_compare_carry *carries; /* by workload, from, to */
    size_t carry_count;
    rft_compare_variation *variations; /* by model, then workload */
    size_t variation_count;
    rft_compare_score *scores; /* of every pair over all workloads: [other * side_count + side]: those against the first
                                * stand first; a side's against itself is empty */
    const char **caveats;      /* what all verdicts rest on, or lack: one sentence each */
    size_t caveat_count;
    const char *unlike; /* how measuring differed between the runs, one of the caveats; NULL: it did not */
    const struct rft_compare_mixes *mixes; /* NULL: none was asked for (compare_mix.h) */
} rft_compare;

/* In `arena`. RFT_E_USAGE: under two runs or over eight, or the same run twice (also under two names). RFT_E_NOT_FOUND:
 * no problem is in two of them. */
int rft_compare_runs(rft_compare **out, const rft_compare_input *inputs, size_t count, rft_arena *arena, rft_err *err);

/* "in several processes by rooftune 0.2.0": versions change how times are taken, and one process knows less than
 * several. NULL of what another program timed, and of a replay, whose times are its recording's. */
const char *rft_compare_measured_how(const rft_run *run, rft_arena *arena);
#define RFT_COMPARE_UNLIKE "Part of a difference may be that, most where a kernel takes some microseconds."

/* "A: NVIDIA H200"; where sides share the device also the date or the run: "A: NVIDIA H200, 2026-11-21". In `arena`. */
const char *rft_compare_side_name(const rft_compare *compare, size_t side, rft_arena *arena);
/* "B (NVIDIA A4000) against A (NVIDIA A100): slower in the one workload; 0.551x the speed"; where all is AMBIGUOUS no
 * speed, and the reason if it is the same everywhere. Without a full stop. */
const char *rft_compare_sentence(const rft_compare *compare, size_t side, rft_arena *arena);
/* Of the workloads [first, end). */
rft_compare_score rft_compare_score_of(const rft_compare *compare, size_t first, size_t end, size_t other, size_t side);
/* The side that is FASTER than every other with a figure; SIZE_MAX: none is. *contested: two of them at least are
 * judged against each other. */
size_t rft_compare_winner(const rft_compare *compare, size_t workload, bool *contested);
/* "A (NVIDIA A100): fastest in 4 of 6 workloads; 1.81x the speed of B, unclear against C". Without a full stop. */
const char *rft_compare_card_sentence(const rft_compare *compare, size_t side, rft_arena *arena);
/* "1.02x (1.01 to 1.03)"; "1.02x, interval not known"; "n/a". Of a mean over workloads. */
const char *rft_compare_mean_text(const rft_compare_ratio *mean, rft_arena *arena);
/* "1.02": as many digits as the interval asks for. Of a number. */
const char *rft_compare_mean_number(const rft_compare_ratio *mean, rft_arena *arena);
/* "1.01 to 1.03"; NULL: not known. */
const char *rft_compare_mean_ends(const rft_compare_ratio *mean, rft_arena *arena);
/* "1.51x": three digits. */
const char *rft_compare_ratio_short(double ratio, rft_arena *arena);
/* "1.02x [1.01, 1.03]": enough digits for the interval. */
const char *rft_compare_ratio_text(const rft_compare_ratio *ratio, rft_arena *arena);
/* The effort of a side over all workloads of a sweep, which begins at `first` in the list: sums, and whether all of it
 * is complete. *count: workloads that the side has; 0: none, and nothing is told. */
rft_compare_effort rft_compare_sweep_effort(const rft_compare *compare, size_t first, size_t side, size_t *count);
/* Of the workloads [first, end), of one sweep or several. */
rft_compare_base rft_compare_base_of(const rft_compare *compare, size_t first, size_t end, size_t side);
/* Where the next sweep begins. */
size_t rft_compare_next_sweep(const rft_compare *compare, size_t first);
/* "40 of 40 configurations, all; auto, race" */
const char *rft_compare_effort_text(const rft_compare_effort *effort, rft_arena *arena);

#endif
