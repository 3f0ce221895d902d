/* SPDX-License-Identifier: Apache-2.0 */
/* check_facts.h - what `rooftune check` tells besides the counts: each launch, options, the odd problem, compile time.
 */
#ifndef RFT_CLI_CHECK_FACTS_H
#define RFT_CLI_CHECK_FACTS_H

#include "base/json.h"
#include "base/str.h"
#include "run/once.h"
#include "run/plan/key_map.h"
#include "run/plan/plan.h"

/* Index of the configuration of all defaults; UINT64_MAX where it is not valid. `scratch`: a value per parameter. */
uint64_t rft_check_default(const rft_space *space, rft_value *scratch);
/* Index of the i-th of a sample of `count`: the default where it is valid, then others evenly from the first to the
 * last. UINT64_MAX: none was found in a space that is not exact. */
uint64_t rft_check_sample_index(const rft_space *space, uint64_t by_default, uint64_t i, uint64_t count);

/* All zero: nothing compiled yet. */
typedef struct rft_check_compiles {
    rft_key_map seen; /* what NVRTC was asked for */
    uint64_t distinct;
    double seconds; /* of those, as one compiler takes them, one after the other */
    uint64_t all;   /* that a run may ask for, at most */
} rft_check_compiles;

/* A configuration that compiled. */
void rft_check_compiles_add(rft_check_compiles *compiles, const rft_once_result *result);
/* The compiles that the variants of a sweep may need: of all problems where a dimension is compiled in. */
void rft_check_compiles_expect(rft_check_compiles *compiles, const rft_plan *plan, size_t sweep);
/* How many, how long each takes, and the time of all with so many compilers at once; nothing where none compiled. */
void rft_check_tell_compiles(const rft_check_compiles *compiles, size_t workers, rft_str *out);
void rft_check_compiles_clear(rft_check_compiles *compiles);

/* How many of a point's launches are kernels. */
size_t rft_check_kernel_launches(const rft_point_spec *spec);

/* What a launch takes of the device. */
typedef struct rft_check_code {
    int threads;                /* of a block */
    int registers, spill_bytes; /* -1: not known */
    int64_t shared_bytes;       /* of a block; -1 */
} rft_check_code;
/* "  32 registers,    0 B spilled, ...": the rest of a line; as fields of `row`, where what is not known is null. */
void rft_check_tell_code(const rft_check_code *code, const rft_gpu_info *gpu, rft_str *out);
void rft_check_put_code(const rft_check_code *code, const rft_gpu_info *gpu, json_t *row);

/* A line and an element of `rows` for each kernel launch of what compiled: registers, spills, shared memory and
 * occupancy on `gpu`. */
void rft_check_tell_launches(const rft_once_result *result, const rft_gpu_info *gpu, rft_str *out, json_t *rows);

/* The options of a unit as they are given to NVRTC, besides those that are always added (docs/compiling.md). */
void rft_check_tell_options(const rft_unit_spec *unit, rft_str *out);

/* Where the fields of each struct argument lie, a line each: to be compared with the kernel's. */
void rft_check_tell_structs(const rft_point_spec *spec, rft_str *out);

/* What a given binary is, and what its kernels take: where it can be read. */
void rft_check_tell_given(const rft_once_result *result, rft_arena *arena, rft_str *out);

/* Each odd problem, and how many configurations of its variants are valid there; "none" where there is none. */
void rft_check_tell_odd(const rft_plan *plan, size_t sweep, rft_str *out);

#endif
