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

#endif
