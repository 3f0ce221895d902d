/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - good files to begin with: those of the source tree, recordings cut to a few points, run files of them. */
#ifndef RFT_TESTS_FUZZ_SAMPLES_H
#define RFT_TESTS_FUZZ_SAMPLES_H

#include "base/arena.h"
#include "base/json.h"
#include "fuzz/commands/execute.h"

#include <stddef.h>
#include <stdint.h>

typedef enum family {
    FAMILY_RECORDING, /* JSON text of a recording */
    FAMILY_RUN_FILE,
    FAMILY_FOREIGN, /* results of other tuners */
    FAMILY_SWEEP,
    FAMILY_SPACE, /* T1 */
    FAMILY_MIX,
    FAMILY_BASELINES,
    FAMILY_COUNTERS, /* Nsight Compute's CSV */
    FAMILY_COUNT
} family;

typedef struct sample {
    const char *name; /* "quick" */
    const char *data;
    size_t size; /* bytes */
} sample;

typedef struct samples {
    rft_arena *arena;
    sample *items[FAMILY_COUNT];
    size_t count[FAMILY_COUNT], capacity[FAMILY_COUNT];
} samples;

/* source: the source tree. The place's program makes the run files. 0, or -1 with a line on stderr. */
int samples_load(samples *out, const char *source, const workplace *place, rft_arena *arena);
const sample *samples_pick(const samples *from, family of, uint64_t *random);
/* The one of that name; the first where there is none. */
const sample *samples_named(const samples *from, family of, const char *name);

/* Cuts a recording to `points` points at most, evenly chosen; aliases keep what they stand for. */
void samples_cut(json_t *recording, size_t points);

#endif
