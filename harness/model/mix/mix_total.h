/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix_total.h - a mix on one device: the sum of measured medians, and what follows from it. Pure; docs/mix.md.
 *
 * Each operation is looked up by the name of a sweep, else by that of a kernel, and by its problem, in all runs given;
 * where several have it, the fastest counts. Its figure is the better of the tuned template and the vendor library that
 * was measured in the same run; which it is stands beside it. Imported baselines do not count: another protocol.
 *
 *     time of a pass = sum of count x median
 *
 * Its 95 % interval adds half widths, below and above apart, as error_sum.h does: the problems of a run share some of
 * their errors. Those of one and the same measurement are one: such operations are first put together. What all medians
 * share beyond a run (the card, the day) is not in the interval.
 *
 * Joules of a pass add up likewise, from the energy of the same points. A figure that cannot be told is NaN with a
 * reason; where one operation has no time, no figure is told at all.
 */
#ifndef RFT_MODEL_MIX_TOTAL_H
#define RFT_MODEL_MIX_TOTAL_H

#include "model/mix/mix_cost.h"
#include "model/mix/mix_room.h"
#include "model/roofline/bound.h"
#include "model/run/run.h"

typedef struct rft_mix_figure {
    double value;        /* NaN: `missing` says why */
    double low, high;    /* 95 %; NaN: there is no such interval, `no_interval` says why */
    const char *missing; /* NULL where the value is there */
    const char *no_interval;
} rft_mix_figure;

/* One operation of the mix. */
typedef struct rft_mix_line {
    const rft_mix_item *item;
    const char *problem; /* "m=32 n=8192 k=8192": all dimensions where it was found, else as given */
    const char *missing; /* why there is no time; then what is below is unset, NaN or NULL */
    bool impossible;     /* missing, since it is faster than the hardware can be */
    const rft_run *run;
    size_t sweep, problem_index;
    const rft_point *point;     /* the best of the template; NULL: the library's alone was measured */
    const rft_baseline *vendor; /* the fastest of the library's; NULL */
    bool by_vendor;             /* the time is the library's */
    const char *source;         /* "template"; the library's label; "cuBLASLt" where it stands in a kernel's place */
    const rft_measurement *measurement; /* of one launch */
    double time_s;                      /* count x median */
    double frac;                        /* of the pass */
    rft_bound bound;                    /* of the template's best */
    const char *bound_name;             /* "dram"; "library, not judged" where the time is the library's */
    double joules;                      /* count x joules of one; NaN: */
    const char *no_joules;
} rft_mix_line;

/* The time of a pass by one word of its lines, longest first. */
typedef struct rft_mix_share {
    const char *name;
    double time_s, frac;
    size_t lines;
} rft_mix_share;

typedef struct rft_mix_total {
    const rft_mix *mix;
    const rft_gpu_info *gpu; /* of the first run */
    const char *called;      /* the user's name of the card; NULL */
    rft_mix_line *lines;     /* as mix->items */
    size_t line_count;
    size_t missing_count;       /* lines without a time: then no figure below is told */
    rft_mix_figure time_s;      /* of one pass */
    rft_mix_figure units_s;     /* units a second */
    rft_mix_figure joules;      /* of one pass, on all its cards */
    rft_mix_figure units_j;     /* units a joule */
    rft_mix_figure card_cost;   /* of a million units: the cards' price and their hosts' (mix_cost.h) */
    rft_mix_figure energy_cost; /* of a million units: joules at the price of a kilowatt-hour, hosts and waits too */
    rft_mix_figure cost;        /* both together */
    const rft_mix_price *price; /* of the card; NULL */
    rft_mix_terms terms;        /* idle watts NaN: not measured */
    rft_mix_room room;
    const rft_mix_book *book;
    rft_mix_share *by_operation; /* by its name, whatever the problem; empty where something is missing */
    size_t operation_count;
    rft_mix_share *by_bound;
    size_t bound_count;
    const char **notes; /* what must be said beside the figures: sentences */
    size_t note_count;
} rft_mix_total;

#define RFT_MIX_UNITS 1e6 /* costs are of so many units */

/* In `arena`, which also must not outlive mix, book and runs. At least one run. RFT_E_USAGE: the runs are of devices of
 * different names. */
int rft_mix_total_of(rft_mix_total **out, const rft_mix *mix, const rft_mix_book *book, const rft_run *const *runs,
                     size_t run_count, rft_arena *arena, rft_err *err);

/* ---- in words (mix_total_words.c), the same on every output ---- */

/* A figure of the whole mix as a line of text. */
typedef struct rft_mix_fact {
    const char *label; /* "time of a pass", "tokens/s", "cost per million tokens" */
    const char *value; /* "12.3 ms \xc2\xb10.31 %"; "n/a" */
    const char *note;  /* what it rests on, or why it is not there; NULL */
} rft_mix_fact;
#define RFT_MIX_FACTS 8
/* All figures; of an incomplete mix none but that and the room. Returns how many. */
size_t rft_mix_facts(const rft_mix_total *total, rft_arena *arena, rft_mix_fact out[RFT_MIX_FACTS]);

/* "1,502", "12.3", "0.00123": three significant digits or all before the point; "n/a". */
const char *rft_mix_number_text(double value, rft_arena *arena);
/* The unit as a plural: "tokens", "passes", "queries"; what does not look like an English word stays as it is. */
const char *rft_mix_units_text(const rft_mix *mix, rft_arena *arena);
/* As given: "160", "0.5", "32,000". */
const char *rft_mix_exact_text(double value, rft_arena *arena);
/* "NVIDIA H200 (card in rack 3)" */
const char *rft_mix_device_text(const rft_mix_total *total, rft_arena *arena);
/* "bound by dram (87 %, counted)"; "library, not judged". */
const char *rft_mix_bound_text(const rft_mix_line *line, rft_arena *arena);

#endif
