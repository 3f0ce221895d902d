/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_ground.h - one try: a scenario is stopped at one call, and what it leaves is judged. Nothing that was committed
 * or told is lost, the same command goes on and ends as an undisturbed one, and nothing else lies about.
 */
#ifndef RFT_TESTS_CRASH_CRASH_GROUND_H
#define RFT_TESTS_CRASH_CRASH_GROUND_H

#include "crash/scenarios.h"

#include "model/run/run.h"

typedef struct crash_ground {
    const crash_scenario *scenario;
    const char *program;             /* rooftune */
    char *before, *after;            /* folders: what a try begins with; what an undisturbed command makes of it */
    char *after_out;                 /* its stdout */
    rft_run *before_run, *after_run; /* of the scenario's run file; NULL: there is none */
    char **words;                    /* its command line */
    crash_call *calls;               /* all it makes */
    unsigned count;
} crash_ground;

/* Prepares a scenario below the folder `scratch`. 0; 77 when this machine lacks what it needs; 1 when it does not even
 * work undisturbed. Then *why tells, heap memory. */
int crash_ground_make(crash_ground *out, const crash_scenario *scenario, const char *program, const char *scratch,
                      char **why);
void crash_ground_free(crash_ground *ground);

/* In the folder `place`, made and removed (kept when something is wrong and `keep`). NULL: all is well. Else what is
 * wrong, heap memory. *trace tells where it was stopped; when the call was not reached nothing is judged. */
char *crash_try(const crash_ground *ground, const crash_stop *stop, const char *place, bool keep, crash_trace *trace);

#endif
