/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_case.h - the shipped sweeps, their points and NVRTC, as the tests of this folder need them. */
#ifndef RFT_TESTS_KERNEL_CASE_H
#define RFT_TESTS_KERNEL_CASE_H

#include "base/arena.h"
#include "gpu/compiler.h"
#include "model/sweep/space.h"
#include "model/sweep/sweep.h"
#include "script/script.h"

/* Loads sweeps/NAME; fails the test with the script's own message. `gpu` is borrowed. */
rft_script *kernel_case_load(const char *name, const rft_gpu_info *gpu);
/* The same with the script's own arguments, borrowed. */
rft_script *kernel_case_load_with(const char *name, const rft_gpu_info *gpu, const char *const *args, size_t arg_count);
rft_gpu_info kernel_case_gpu(const char *arch);
/* The sweeps that ship, by name, without matmul_search.lua: its space is there to be searched, not to be gone through,
 * and its kernel is matmul_fp32.lua's. For rft_fs_list_free(). */
void kernel_case_sweeps(char ***names, size_t *count);

/* Spells out a point; fails the test when the script cannot. */
rft_point_spec kernel_case_point(const rft_sweep *sweep, size_t variant, size_t problem, const rft_value *config,
                                 rft_arena *arena);
/* One value per parameter: each its default. */
rft_value *kernel_case_default(const rft_variant *variant, rft_arena *arena);
/* "sweep variant n=128 VEC=4": for messages. */
const char *kernel_case_text(const rft_sweep *sweep, size_t variant, size_t problem, const rft_value *config,
                             rft_arena *arena);

/* Exit status 77 with a message when NVRTC cannot be opened. */
rft_compiler *kernel_case_compiler(void);
rft_compile_result kernel_case_compile(rft_compiler *compiler, const rft_unit_spec *unit, const char *arch,
                                       rft_arena *arena);
/* What decides the cubin: source, names and options in one text. */
const char *kernel_case_unit_key(const rft_unit_spec *unit, rft_arena *arena);

/* Units to be compiled. Those that differ in their names alone are one unit: NVRTC reads a source and its headers once
 * for all of them, where it spends a quarter of its time. */
typedef struct kernel_case_name {
    const char *name, *what; /* what: of the first point that needs it, for messages */
    bool is_judged;          /* its spills, for some point that needs it */
} kernel_case_name;

typedef struct kernel_case_unit {
    rft_unit_spec unit; /* without its names */
    kernel_case_name *names;
    size_t count, capacity;
} kernel_case_unit;

typedef struct kernel_case_units {
    kernel_case_unit *items;
    size_t count, capacity, name_count; /* name_count: of all of them */
} kernel_case_units;

/* Remembers the unit's names where they are new. Unit and `what` must outlive the units. */
void kernel_case_add(kernel_case_units *units, const rft_unit_spec *unit, const char *what, bool is_judged);
/* Compiles one of them; entry i of the result is its name i. Fails the test, with the log, when it does not compile.
 * `quick`: hardly optimised, in half of the time; where the unit does not say itself how ptxas optimises. */
rft_compile_result kernel_case_compile_all(rft_compiler *compiler, const kernel_case_unit *unit, const char *arch,
                                           bool quick, rft_arena *arena);
void kernel_case_units_free(kernel_case_units *units);

#endif
