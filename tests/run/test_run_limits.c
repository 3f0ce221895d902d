/* SPDX-License-Identifier: Apache-2.0 */
/* What a device cannot run is known before it is asked; one row a limit, at it and beyond it. */
#include "model/card/occupancy.h"
#include "run/plan/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static rft_gpu_info device(void) {
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), 0);
    gpu.memory_free_bytes = 4 << 20;
    return gpu;
}

static rft_launch fitting(void) {
    return (rft_launch){
        .kind = RFT_LAUNCH_KERNEL, .entry = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}};
}

static void expect(const rft_launch *launch, const rft_gpu_info *gpu, const char *part) {
    rft_arena *arena = rft_arena_new();
    rft_launch copy = *launch;
    rft_point_spec spec = {.launches = &copy, .launch_count = 1};
    rft_point_spec prepared = {.prepare = &copy, .prepare_count = 1};
    const char *reasons[] = {rft_limits_exceeded(&spec, gpu, arena), rft_limits_exceeded(&prepared, gpu, arena)};
    for (size_t i = 0; i < 2; i++) {
        if (!part) {
            assert_null(reasons[i]);
        } else {
            assert_non_null(reasons[i]);
            assert_non_null(strstr(reasons[i], part));
        }
    }
    rft_arena_free(arena);
}

static void every_limit_has_its_words(void **state) {
    (void)state;
    rft_gpu_info gpu = device();
    rft_launch launch = fitting();
    launch.block[0] = 1024;
    expect(&launch, &gpu, NULL);
    launch.block[1] = 2;
    expect(&launch, &gpu, "threads per block is 2048, the device allows 1024");
    launch = fitting();
    launch.block[2] = 65;
    expect(&launch, &gpu, "block.z is 65");
    launch = fitting();
    launch.grid[1] = gpu.max_grid[1];
    expect(&launch, &gpu, NULL);
    launch.grid[1]++;
    expect(&launch, &gpu, "grid.y");
    launch = fitting();
    launch.shared_bytes = gpu.shared_per_block;
    expect(&launch, &gpu, NULL);
    launch.shared_bytes++;
    expect(&launch, &gpu, "shared memory");
    launch = fitting();
    launch.grid[0] = 64;
    launch.cluster[0] = 16; /* not portable, but allowed */
    expect(&launch, &gpu, NULL);
    launch.cluster[0] = 32;
    expect(&launch, &gpu, "cluster size is 32");
    launch.cluster[0] = 6;
    expect(&launch, &gpu, "grid.x is 64, which is no multiple of the cluster's 6");
    launch.grid[0] = 0; /* resident() */
    expect(&launch, &gpu, NULL);
    launch = fitting();
    launch.cooperative = true;
    expect(&launch, &gpu, NULL);
    gpu.cooperative = false;
    expect(&launch, &gpu, "no cooperative launch");
    launch.kind = RFT_LAUNCH_MEMSET;
    expect(&launch, &gpu, NULL);
}

static void memory_is_counted_before_it_is_asked_for(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu = device();
    rft_buffer buffer = {"x", RFT_TYPE_U8, 1 << 20, RFT_BUFFER_TEMP, {0}};
    rft_point_spec spec = {.buffers = &buffer, .buffer_count = 1};
    assert_null(rft_limits_exceeded(&spec, &gpu, arena)); /* with 2 MiB before it, and the rest of a page behind it */
    gpu.memory_free_bytes--;
    assert_non_null(rft_limits_exceeded(&spec, &gpu, arena));
    buffer.count = 3ull << 30;
    assert_string_equal(rft_limits_exceeded(&spec, &gpu, arena), "needs 3.0 of 0.0 GiB");
    rft_arena_free(arena);
}

static void static_shared_memory_is_known_after_the_compiler(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu = device();
    rft_launch launch = fitting();
    rft_point_spec spec = {.launches = &launch, .launch_count = 1};
    rft_compiled_entry entry = {.name = "k", .shared_bytes = 1024};
    rft_compile_result compiled = {.ok = true, .entries = &entry, .entry_count = 1};
    launch.shared_bytes = gpu.shared_per_block - 1024;
    assert_null(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena));
    launch.shared_bytes++;
    assert_non_null(strstr(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena), "1024 static"));
    launch.shared_bytes = 0;
    launch.block[0] = 256;
    entry.registers = 255; /* 256 of a warp's lanes: eight warps have them all */
    assert_null(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena));
    launch.block[0] = 257;
    assert_string_equal(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena),
                        "257 threads per block, its 255 registers allow 256");
    launch.block[0] = 256; /* one on each SM */
    launch.cooperative = true;
    launch.grid[0] = gpu.sms;
    launch.shared_bytes = gpu.shared_per_sm / 2;
    assert_null(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena));
    launch.grid[0]++;
    assert_string_equal(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena),
                        rft_arena_printf(arena, RFT_TOO_COOPERATIVE, (long long)launch.grid[0], (long long)gpu.sms));
    launch.cooperative = false;
    assert_null(rft_limits_exceeded_compiled(&compiled, &spec, &gpu, arena));
    rft_arena_free(arena);
}

/* Whatever its number is, and where it stands in the log. */
static void what_ptxas_serializes_is_told_in_its_words(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    static const char line[] = "(C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
                               "insufficient register resources for the wgmma pipeline in the function 'k'";
    rft_compile_result compiled = {.ok = true,
                                   .log = rft_arena_printf(arena, "a (note)\nptxas info    : %s\nend", line)};
    const char *told = rft_limits_serialized(&compiled, arena);
    assert_non_null(told);
    assert_string_equal(told, rft_arena_printf(arena, "the compiler runs its wgmma one by one: %s", line));
    compiled.ok = false; /* that is another matter, with a reason of its own */
    assert_null(rft_limits_serialized(&compiled, arena));
    compiled = (rft_compile_result){.ok = true, .log = "ptxas info : (C7519) warpgroup.arrive is injected in 'k'"};
    assert_null(rft_limits_serialized(&compiled, arena));
    compiled.log = NULL;
    assert_null(rft_limits_serialized(&compiled, arena));
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limit_has_its_words),
        cmocka_unit_test(memory_is_counted_before_it_is_asked_for),
        cmocka_unit_test(static_shared_memory_is_known_after_the_compiler),
        cmocka_unit_test(what_ptxas_serializes_is_told_in_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
