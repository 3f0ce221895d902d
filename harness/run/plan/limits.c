/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/limits.h"

#include "model/card/occupancy.h"

#include <string.h>

static const char *too_large(rft_arena *arena, const char *what, int64_t has, int64_t allowed) {
    return rft_arena_printf(arena, "%s is %lld, the device allows %lld", what, (long long)has, (long long)allowed);
}

static const char *const grid_names[] = {"grid.x", "grid.y", "grid.z"};

static const char *shape_exceeded(const rft_launch *launch, const rft_gpu_info *gpu, rft_arena *arena) {
    static const char *const block_names[] = {"block.x", "block.y", "block.z"};
    for (int i = 0; i < 3; i++) {
        if (launch->block[i] > gpu->max_block[i]) {
            return too_large(arena, block_names[i], launch->block[i], gpu->max_block[i]);
        }
        if (launch->grid[i] > gpu->max_grid[i]) {
            return too_large(arena, grid_names[i], launch->grid[i], gpu->max_grid[i]);
        }
    }
    int64_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    return threads > gpu->max_threads_per_block
               ? too_large(arena, "threads per block", threads, gpu->max_threads_per_block)
               : NULL;
}

static const char *launch_exceeded(const rft_launch *launch, const rft_gpu_info *gpu, rft_arena *arena) {
    int64_t cluster = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    if (launch->kind != RFT_LAUNCH_KERNEL) {
        return NULL;
    }
    if (launch->shared_bytes > gpu->shared_per_block) {
        return too_large(arena, "dynamic shared memory (bytes)", launch->shared_bytes, gpu->shared_per_block);
    }
    if (cluster > 1 && cluster > (gpu->max_cluster > 8 ? gpu->max_cluster : gpu->max_cluster * 2)) {
        return too_large(arena, "cluster size", cluster,
                         gpu->max_cluster); /* 16 needs a non-portable launch: allowed */
    }
    for (int i = 0; i < 3; i++) {
        if (launch->cluster[i] > 1 && launch->grid[i] % launch->cluster[i] != 0) { /* resident() is 0 */
            return rft_arena_printf(arena, "%s is %lld, which is no multiple of the cluster's %lld", grid_names[i],
                                    (long long)launch->grid[i], (long long)launch->cluster[i]);
        }
    }
    if (launch->cooperative && !gpu->cooperative) {
        return "the device has no cooperative launch";
    }
    return shape_exceeded(launch, gpu, arena);
}

static const char *launches_exceeded(const rft_point_spec *spec, const rft_gpu_info *gpu, rft_arena *arena) {
    const char *reason = NULL;
    for (size_t i = 0; i < spec->prepare_count && !reason; i++) {
        reason = launch_exceeded(&spec->prepare[i], gpu, arena);
    }
    for (size_t i = 0; i < spec->launch_count && !reason; i++) {
        reason = launch_exceeded(&spec->launches[i], gpu, arena);
    }
    return reason && spec->told ? rft_arena_printf(arena, "the reference %s: %s", spec->told, reason) : reason;
}

static const char *fills_exceeded(const rft_point_spec *spec, const rft_gpu_info *gpu, rft_arena *arena) {
    const char *reason = NULL;
    for (size_t i = 0; i < spec->buffer_count && !reason; i++) {
        const rft_filler *kernel = spec->buffers[i].fill.kernel;
        reason = kernel ? launch_exceeded(&kernel->launch, gpu, arena) : NULL;
        reason = reason
                     ? rft_arena_printf(arena, "the fill of %s (%s): %s", spec->buffers[i].name, kernel->shown, reason)
                     : NULL;
    }
    return reason;
}

const char *rft_limits_exceeded(const rft_point_spec *spec, const rft_gpu_info *gpu, rft_arena *arena) {
    const char *reason = launches_exceeded(spec, gpu, arena);
    reason = reason ? reason : fills_exceeded(spec, gpu, arena);
    uint64_t needs = rft_spec_memory_bytes(spec);
    if (!reason && gpu->memory_free_bytes > 0 && needs > (uint64_t)gpu->memory_free_bytes) {
        uint64_t tenths = needs / ((1u << 30) / 10);
        uint64_t has = (uint64_t)gpu->memory_free_bytes / ((1u << 30) / 10);
        uint64_t scratch = rft_spec_scratch_bytes(spec) / ((1u << 30) / 10);
        reason = rft_arena_printf(arena, "needs %llu.%llu of %llu.%llu GiB", (unsigned long long)(tenths / 10),
                                  (unsigned long long)(tenths % 10), (unsigned long long)(has / 10),
                                  (unsigned long long)(has % 10));
        if (scratch > 0) {
            reason = rft_arena_printf(arena, "%s, %llu.%llu of them scratch of its reference", reason,
                                      (unsigned long long)(scratch / 10), (unsigned long long)(scratch % 10));
        }
    }
    for (const rft_point_spec *r = spec->check.reference; r && !reason; r = r->check.reference) {
        reason = launches_exceeded(r, gpu, arena);
    }
    return reason;
}

static int64_t static_shared_bytes(const rft_compile_result *compiled, const char *name) {
    for (size_t i = 0; i < compiled->entry_count; i++) {
        if (compiled->entries[i].shared_bytes > 0 && strcmp(compiled->entries[i].name, name) == 0) {
            return compiled->entries[i].shared_bytes;
        }
    }
    return 0;
}

/* Registers are given to warps, 256 at a time. In the words of the driver's own answer (measure/launching.c). */
static const char *registers_exceeded(const rft_compile_result *compiled, const rft_launch *launch,
                                      const rft_gpu_info *gpu, rft_arena *arena) {
    int64_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    for (size_t i = 0; i < compiled->entry_count && compiled->ok; i++) {
        const rft_compiled_entry *entry = &compiled->entries[i];
        if (entry->registers <= 0 || gpu->registers_per_block <= 0 || strcmp(entry->name, launch->entry) != 0) {
            continue;
        }
        int64_t of_warp = ((int64_t)entry->registers * gpu->warp_size + 255) / 256 * 256;
        int64_t allowed = gpu->registers_per_block / of_warp * gpu->warp_size;
        if (threads > allowed) {
            return rft_arena_printf(arena, "%lld threads per block, its %d registers allow %lld", (long long)threads,
                                    entry->registers, (long long)allowed);
        }
    }
    return NULL;
}

/* A cooperative grid of more blocks than the card holds at once, by arithmetic that never counts fewer than the driver;
 * in the words of that one's answer (measure/launching.c). */
static const char *cooperation_exceeded(const rft_compile_result *compiled, const rft_launch *launch,
                                        const rft_gpu_info *gpu, rft_arena *arena) {
    int64_t blocks = launch->grid[0] * launch->grid[1] * launch->grid[2];
    int64_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    for (size_t i = 0; i < compiled->entry_count && compiled->ok && launch->cooperative && gpu->sms > 0; i++) {
        const rft_compiled_entry *entry = &compiled->entries[i];
        if (entry->registers > 0 && strcmp(entry->name, launch->entry) == 0) {
            int64_t shared = launch->shared_bytes + (entry->shared_bytes > 0 ? entry->shared_bytes : 0);
            int64_t at_once = (int64_t)gpu->sms * rft_occupancy_blocks(gpu, (int)threads, entry->registers, shared);
            return blocks > at_once && at_once > 0
                       ? rft_arena_printf(arena, RFT_TOO_COOPERATIVE, (long long)blocks, (long long)at_once)
                       : NULL;
        }
    }
    return NULL;
}

const char *rft_limits_exceeded_compiled(const rft_compile_result *compiled, const rft_point_spec *spec,
                                         const rft_gpu_info *gpu, rft_arena *arena) {
    for (size_t i = 0; i < spec->launch_count; i++) {
        const rft_launch *launch = &spec->launches[i];
        if (launch->kind != RFT_LAUNCH_KERNEL) {
            continue;
        }
        int64_t fixed_bytes = static_shared_bytes(compiled, launch->entry);
        if (fixed_bytes > 0 && fixed_bytes + launch->shared_bytes > gpu->shared_per_block) {
            return rft_arena_printf(arena,
                                    "%lld bytes of shared memory per block (%lld static), the device allows %lld",
                                    (long long)(fixed_bytes + launch->shared_bytes), (long long)fixed_bytes,
                                    (long long)gpu->shared_per_block);
        }
        const char *exceeded = registers_exceeded(compiled, launch, gpu, arena);
        exceeded = exceeded ? exceeded : cooperation_exceeded(compiled, launch, gpu, arena);
        if (exceeded) {
            return exceeded;
        }
    }
    return NULL;
}

/* "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to ...": the number differs by
 * cause and release, the words do not. */
const char *rft_limits_serialized(const rft_compile_result *compiled, rft_arena *arena) {
    static const char words[] = "wgmma.mma_async instructions are serialized";
    const char *found = compiled->ok && compiled->log ? strstr(compiled->log, words) : NULL;
    if (!found) {
        return NULL;
    }
    const char *line = found;
    while (line > compiled->log && line[-1] != '\n') {
        line--;
    }
    const char *number = strchr(line, '(');
    number = number && number < found ? number : line;
    return rft_arena_printf(arena, "the compiler runs its wgmma one by one: %.*s", (int)strcspn(number, "\n"), number);
}
