/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machines.h - for the tests of docs/corrections.md: datasheet values of kernels/lib/devices.lua, limits of a device,
 * the recordings of sweeps/recorded, and comparison with a number as it is printed somewhere.
 */
#ifndef RFT_TESTS_MACHINES_H
#define RFT_TESTS_MACHINES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roofline/datasheet.h"
#include "model/run/run.h"

typedef enum machine_id {
    MACHINE_A100, /* SXM, 80 GB */
    MACHINE_A10,
    MACHINE_RTX4090,
    MACHINE_H100, /* SXM */
    MACHINE_H200,
    MACHINE_B200,
    MACHINE_GB200,
    MACHINE_COUNT
} machine_id;

typedef struct machines {
    rft_arena *arena;
    char *json; /* the table of datasheets */
    rft_ceilings sheets[MACHINE_COUNT];
} machines;

/* cmocka group fixtures; the state is a machines. */
int machines_set_up(void **state);
int machines_tear_down(void **state);

/* Datasheet rate, per second (B/s for dram_*). */
double machine_rate(const machines *m, machine_id machine, rft_ceiling_id id);
/* Datasheet ridge point of a pipe and device memory, op/B. */
double machine_ridge(const machines *m, machine_id machine, rft_ceiling_id pipe);

/* A recording of one H200, "strided"; the caller frees it. Fails the test when it cannot be read. */
rft_run *recorded_run(const char *name);
/* The problem of a sweep whose axis has this value. */
size_t recorded_problem(const rft_run *run, size_t sweep, const char *axis, int64_t value);
/* The fastest point of a variant (NULL = of all) on a problem; fails the test when there is none. */
const rft_point *recorded_best(const rft_run *run, size_t sweep, const char *variant, size_t problem);
/* The fastest point of a problem whose traffic was counted; NULL: none was. */
const rft_point *recorded_counted(const rft_run *run, size_t sweep, size_t problem);
/* Useful bytes per second, operations per second. */
double recorded_bytes_s(const rft_point *point);
double recorded_ops_s(const rft_point *point);

/* `value` is printed as `text` when rounded as `text` is: "14.5", "295". */
#define assert_prints(value, text) assert_prints_at(value, text, __FILE__, __LINE__)
void assert_prints_at(double value, const char *text, const char *file, int line);

#define assert_between(value, low, high) assert_between_at(value, low, high, __FILE__, __LINE__)
void assert_between_at(double value, double low, double high, const char *file, int line);

#endif
