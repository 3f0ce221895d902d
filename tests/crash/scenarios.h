/* SPDX-License-Identifier: Apache-2.0 */
/* scenarios.h - the commands that are stopped, and what they begin with. */
#ifndef RFT_TESTS_CRASH_SCENARIOS_H
#define RFT_TESTS_CRASH_SCENARIOS_H

#include "crash/tracer.h"

typedef struct crash_scenario {
    const char *name;
    const char *prepare; /* sh: makes what the folder holds before; $ROOFTUNE, $SOURCE, $QUICK. NULL: nothing */
    const char *begun;   /* it finds what a kill in the middle of this command left; NULL: nothing like that */
    const char *command; /* words after the program's name; @S the source tree, @Q $QUICK, a part of its recording */
    const char *run;     /* the run file it writes, NULL: none */
    const char *output;  /* the file it replaces as a whole, NULL: none */
    const char *events;  /* where it tells its points */
    bool reads;          /* it may leave to the next one what a killed writer left */
    bool fresh;          /* the run file that was there is given up */
    bool once;           /* a second time it refuses the file that it wrote the first time */
    bool compiles;       /* needs NVRTC, and has a cubin cache in the folder */
    unsigned most;       /* later calls are those of another scenario; 0: all count */
    const char *except;  /* calls on files that begin so do not count; NULL: all do */
    crash_who who;
} crash_scenario;

extern const crash_scenario crash_scenarios[];
extern const size_t crash_scenario_count;

#endif
