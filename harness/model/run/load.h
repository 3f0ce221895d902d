/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - a point under load: all its launches again and again without a pause, watched from outside (gpu/meter.h).
 * Where the watts and the sustained time of a point come from; docs/power.md says what the figures mean.
 */
#ifndef RFT_MODEL_LOAD_H
#define RFT_MODEL_LOAD_H

#include "model/stats/energy.h"
#include "model/stats/stats.h"
#include "model/stats/throttle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rft_load_kind {
    RFT_LOAD_ENERGY, /* a second or so: watts and joules */
    RFT_LOAD_SOAK,   /* as long as the user says: the time under sustained load */
    RFT_LOAD_IDLE,   /* of the run, not of a point: nothing was launched */
    RFT_LOAD_KINDS
} rft_load_kind;
#define RFT_LOAD_POINT_KINDS RFT_LOAD_IDLE
const char *rft_load_kind_name(rft_load_kind kind); /* "energy", "soak", "idle" */
bool rft_load_kind_from_name(rft_load_kind *out, const char *name);

typedef struct rft_load {
    rft_load_kind kind;
    const char *reason; /* why nothing of it is known (it failed); NULL */
    double asked_s;     /* it was to last so long; ENERGY and IDLE at least so long. 0: rft_load_is_left_out() */
    double window_s;    /* what is told below was seen in the last so many seconds: SOAK: the last third of it */
    uint64_t runs;      /* of the point, in the window; 0: IDLE */
    double run_s;       /* window over runs: with the gaps that the host leaves, and restoring */
    bool restored;      /* the inouts were copied back before every run: that is in run_s, watts and joules */
    bool cut;           /* it was ended before its time: not to be kept. Not stored */

    /* ---- the meter's (energy.h) ---- */
    const char *source;        /* "energy counter", "power sensor"; NULL: none, and: */
    const char *energy_reason; /* why not */
    double power_w;
    double joules_per_run;   /* NaN for SOAK (its samples empty the cache in between) and IDLE */
    double uncertainty_frac; /* half width of both */
    double update_s;         /* between two updates of the sensor */
    double temperature_start_c, temperature_end_c;
    double throttled_frac[RFT_THROTTLE_COUNT]; /* share of the window; NaN = not known */
    double clock_mhz; /* median SM clock: ENERGY and IDLE as the meter reads it, SOAK that of its samples */

    /* ---- SOAK ---- */
    rft_stats stats;   /* of the samples in the window; their median is the sustained time */
    double *samples_s; /* every sample, taken like those of a measurement, with the load between them */
    double *at_s;      /* when, from the beginning */
    double *clocks_mhz;
    size_t n;
} rft_load;

/* Nothing known. */
rft_load rft_load_none(rft_load_kind kind, const char *reason);
/* The last `counted` samples are those under sustained load. False: there are not so many. */
bool rft_load_count(rft_load *load, uint64_t counted);
/* IDLE in place of all that would have been measured: it was not worth its time, as energy_reason says. */
rft_load rft_load_left_out(const char *reason);
bool rft_load_is_left_out(const rft_load *load); /* NULL is accepted */
/* What the meter's readings of a window say; `reason` (borrowed) is that of `energy` in words
 * that live as long as the load. */
void rft_load_set_energy(rft_load *load, const rft_energy *energy, const char *reason);

/* Operations or bytes per joule, which is their rate per watt: work of one run over its joules; NaN when not known. */
double rft_load_per_joule(const rft_load *load, double work_per_run);
/* The cause that held the clock down for the largest share; RFT_THROTTLE_COUNT when none did, or it is not known. */
rft_throttle_cause rft_load_cause(const rft_load *load);

/* The samples that count for the sustained time: from this index on (the first at or after `from_s`). */
size_t rft_load_first_at(const double *at_s, size_t n, double from_s);

/* Burst and sustained are told apart where they differ by more than this. */
#define RFT_LOAD_APART_FRAC 0.03

#endif
