/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cupti_parts.h - the parts of the CUPTI adapter as they see each other; private to cupti*.c. CUPTI's own types stay in
 * cupti_host.c and cupti_range.c: its host header wants C++'s <string>, which the build answers with an empty file for
 * the one source that needs it.
 */
#ifndef RFT_GPU_CUPTI_PARTS_H
#define RFT_GPU_CUPTI_PARTS_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/counting.h"
#include "gpu/dynlib.h"
#include "model/run/counter_metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- cupti_open.c: the library ---- */
typedef struct rft_cupti_lib rft_cupti_lib;
/* RFT_E_NOT_FOUND with a remedy: not there, or of a release that rooftune or the driver does not take. */
int rft_cupti_lib_open(rft_cupti_lib **out, const rft_library_places *places, rft_err *err);
void rft_cupti_lib_close(rft_cupti_lib *lib); /* NULL is accepted */
/* Fills a table of functions. RFT_E_NOT_FOUND when one is missing. */
int rft_cupti_lib_table(const rft_cupti_lib *lib, void *table, const rft_dynlib_symbol *symbols, size_t count,
                        rft_err *err);
const char *rft_cupti_lib_version(const rft_cupti_lib *lib); /* "CUPTI API 130001, PATH" */
/* 0 for CUPTI_SUCCESS, else an error "what: CUPTI_ERROR_X (35)" with a remedy. RFT_E_LIMIT. */
int rft_cupti_check(const rft_cupti_lib *lib, int status, const char *what, rft_err *err);

/* ---- cupti_host.c: what one chip can count ---- */
typedef struct rft_cupti_host rft_cupti_host;
typedef struct rft_cupti_config {
    uint8_t *image; /* heap, owned: rft_cupti_config_clear() */
    size_t image_bytes;
    int passes;
    void *evaluator; /* the host object that made it */
} rft_cupti_config;

/* `availability` (what the device says it has; may be NULL) must outlive the host. RFT_E_LIMIT: unknown chip. */
int rft_cupti_host_open(rft_cupti_host **out, const rft_cupti_lib *lib, const char *chip, const uint8_t *availability,
                        rft_err *err);
void rft_cupti_host_close(rft_cupti_host *host); /* NULL is accepted */
const char *rft_cupti_host_chip(const rft_cupti_host *host);
bool rft_cupti_host_accepts(const rft_cupti_host *host, const char *const *metrics, size_t count);
int rft_cupti_host_config(const rft_cupti_host *host, const char *const *metrics, size_t count, rft_cupti_config *out,
                          rft_err *err);
void rft_cupti_config_clear(const rft_cupti_host *host, rft_cupti_config *config);
/* The metrics of range 0 of a counter data image. */
int rft_cupti_host_values(const rft_cupti_host *host, const rft_cupti_config *config, const uint8_t *data,
                          size_t data_bytes, const char *const *metrics, size_t count, double *values, rft_err *err);

/* ---- cupti_select.c: a set of quantities as one list of metrics ---- */
typedef struct rft_cupti_choices { /* of one chip, found when first wanted */
    rft_counter_formula items[RFT_COUNTER_COUNT];
    bool known[RFT_COUNTER_COUNT];
    rft_arena *arena; /* the strings' */
} rft_cupti_choices;

typedef struct rft_cupti_selection {
    rft_counter_set set;
    const char **metrics; /* each once */
    size_t metric_count;
    bool *raw_accepted; /* of set.raw */
    rft_cupti_config config;
} rft_cupti_selection;

/* Fills `out` for a set (strings and arrays in `arena`, the config on the heap). A set of which nothing can be counted
 * has metric_count 0 and no config. */
int rft_cupti_select(rft_cupti_selection *out, const rft_cupti_host *host, rft_cupti_choices *choices,
                     const rft_counter_set *set, rft_arena *arena, rft_err *err);
/* What a selection comes to, in words. */
void rft_cupti_selection_plan(const rft_cupti_selection *selection, const rft_cupti_choices *choices, const char *chip,
                              rft_counter_plan *out, rft_arena *arena);
/* Values of the selection's metrics, in their order, as quantities. NULL: nothing was collected. */
void rft_cupti_selection_counters(const rft_cupti_selection *selection, const rft_cupti_choices *choices,
                                  const double *values, const char *chip, rft_counters *out, rft_arena *arena);

/* ---- cupti_range.c: collecting on a device ---- */
typedef struct rft_cupti_range rft_cupti_range;
/* Asks the device whether it may be profiled, which chip it is and what it has. `context` is a CUcontext, `device` a
 * CUdevice. RFT_E_LIMIT. */
int rft_cupti_range_open(rft_cupti_range **out, const rft_cupti_lib *lib, void *context, int device, rft_err *err);
void rft_cupti_range_close(rft_cupti_range *range, bool context_lives); /* NULL is accepted */
const char *rft_cupti_range_chip(const rft_cupti_range *range);
const uint8_t *rft_cupti_range_availability(const rft_cupti_range *range);
/* Attaches the profiler, unless it is: for the same selection, then. */
int rft_cupti_range_begin(rft_cupti_range *range, const rft_cupti_selection *selection, rft_err *err);
int rft_cupti_range_start(rft_cupti_range *range, rft_err *err);
int rft_cupti_range_stop(rft_cupti_range *range, bool *again, rft_err *err);
/* The counter data image of the finished session; owned by the range, until end. */
int rft_cupti_range_data(rft_cupti_range *range, const uint8_t **data, size_t *bytes, rft_err *err);
/* Detaches the profiler, if it is attached. context_lives false: nothing is asked of CUPTI any more. */
int rft_cupti_range_end(rft_cupti_range *range, bool context_lives, rft_err *err);

#endif
