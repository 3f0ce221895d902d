/* SPDX-License-Identifier: Apache-2.0 */
/* driver*.c against a libcuda.so.1 of our own, on any machine: which symbols it looks up, what it asks of the driver,
 * what it makes of the driver's answers. LD_LIBRARY_PATH must lead to the fake (ctest sets it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "gpu/fake_cuda.h"
#include "gpu/gpu.h"
#include "measure/card_links.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static fake_cuda_state *fake;

static rft_gpu *open_gpu(void) {
    rft_gpu *gpu = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_cuda_open(&gpu, 0, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return gpu;
}

static rft_function *load(rft_gpu *gpu, rft_module **module, const char *symbol) {
    rft_function *function = NULL;
    assert_int_equal(gpu->vt->module_load(gpu, "code", 4, module, NULL), 0);
    assert_int_equal(gpu->vt->function(gpu, *module, symbol, &function, NULL), 0);
    return function;
}

static rft_gpu_launch launch_of(rft_function *function, void **values) {
    return (rft_gpu_launch){
        .function = function, .grid = {4, 3, 2}, .block = {64, 2, 1}, .cluster = {1, 1, 1}, .values = values};
}

static void refusals_have_remedies(void **state) {
    (void)state;
    static const struct {
        const char *mode, *message, *remedy;
    } cases[] = {{"none", "CUDA_ERROR_NO_DEVICE", "nvidia-smi"},
                 {"fabric", "(802)", "nvidia-fabricmanager"},
                 {"memory", "starting the driver", "ulimit -v unlimited"},
                 {"old", "takes CUDA 11.8", "update the driver"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_gpu *gpu = NULL;
        rft_err err = RFT_ERR_INIT;
        setenv("FAKE_CUDA", cases[i].mode, 1);
        assert_int_equal(rft_cuda_open(&gpu, 0, &err), RFT_E_DEVICE);
        assert_null(gpu);
        assert_non_null(strstr(err.message, cases[i].message));
        assert_non_null(strstr(err.remedy, cases[i].remedy));
    }
    setenv("FAKE_CUDA", "", 1);
    rft_gpu *gpu = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_cuda_open(&gpu, 1, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "no CUDA device 1; 1 can be seen"));
    assert_int_equal(fake->contexts, 0);
}

static void facts_are_read(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    rft_gpu_info info;
    rft_arena *arena = rft_arena_new();
    rft_env env = {0};
    assert_int_equal(gpu->vt->info(gpu, &info, NULL), 0);
    assert_string_equal(info.name, "NVIDIA Fake");
    assert_string_equal(info.arch, "sm_90a");
    assert_string_equal(info.uuid, "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
    assert_string_equal(info.pci_id, "0000:ab:00.0");
    assert_int_equal(info.sms, 132);
    assert_int_equal(info.shared_per_block, 1000 + CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    assert_int_equal(info.memory_clock_khz, 0); /* the driver did not say */
    assert_true(info.memory_bytes == 1 << 30);
    assert_true(info.memory_free_bytes == 1 << 29);
    assert_int_equal(info.driver_version, CUDA_VERSION);
    gpu->vt->describe(gpu, &env, arena);
    assert_string_equal(rft_env_value(&env, "gpu.compute_mode"), "default");
    assert_string_equal(rft_env_value(&env, "gpu.ecc"), "on");
    assert_null(rft_env_value(&env, "gpu.memory_clock_max_mhz"));
    assert_non_null(rft_env_get(&env, "gpu.memory_clock_max_mhz")->reason);
    rft_arena_free(arena);
    gpu->vt->close(gpu);
    assert_int_equal(fake->contexts, 0);
    assert_int_equal(fake->streams, 0);
}

static void memory_and_events_are_given_back(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    rft_device_ptr a = 0, b = 0, mapped = 0;
    void *host = NULL;
    char text[16] = "";
    assert_int_equal(gpu->vt->alloc(gpu, 16, &a, NULL), 0);
    assert_int_equal(gpu->vt->alloc(gpu, 0, &b, NULL), 0);
    assert_int_equal(gpu->vt->write(gpu, a, "0123456789abcde", 16, NULL), 0);
    assert_int_equal(gpu->vt->copy(gpu, b, a, 16, NULL), 0);
    assert_int_equal(gpu->vt->set(gpu, b, 'x', 2, NULL), 0);
    assert_int_equal(gpu->vt->read(gpu, text, b, 16, NULL), 0);
    assert_string_equal(text, "xx23456789abcde");
    assert_int_equal(gpu->vt->mapped(gpu, 64, &host, &mapped, NULL), 0);
    assert_int_equal(((char *)host)[63], 0);
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(gpu->vt->mapped(gpu, (64 << 10) + 1, &host, &mapped, &err), RFT_E_LIMIT);
    assert_string_equal(err.message, "mapped memory of 65537 bytes: 1 to 65536 are allowed");
    rft_device_ptr none = 1;
    void *pinned = NULL, *kept = NULL;
    assert_int_equal(gpu->vt->host_alloc(gpu, 16, &pinned, NULL), 0);
    assert_int_equal(gpu->vt->host_alloc(gpu, 16, &kept, NULL), 0);
    assert_int_equal(gpu->vt->device_to_host(gpu, pinned, b, 16, NULL), 0);
    assert_string_equal(pinned, "xx23456789abcde");
    ((char *)pinned)[0] = 'y';
    assert_int_equal(gpu->vt->host_to_device(gpu, a, pinned, 16, NULL), 0);
    assert_int_equal(gpu->vt->read(gpu, text, a, 16, NULL), 0);
    assert_string_equal(text, "yx23456789abcde");
    strcpy(pinned, "both");
    int streams = fake->streams, waits = fake->waits;
    for (int i = 0; i < 2; i++) { /* the second stream is made once */
        assert_int_equal(gpu->vt->host_both_ways(gpu, a, pinned, kept, b, 16, NULL), 0);
    }
    assert_string_equal(kept, "xx23456789abcde");
    assert_int_equal(fake->streams, streams + 1);
    assert_int_equal(fake->waits, waits + 4); /* each begins with the other, and ends behind it */
    assert_int_equal(gpu->vt->read(gpu, text, a, 16, NULL), 0);
    assert_string_equal(text, "both");
    int before = fake->host_allocations;
    gpu->vt->host_free(gpu, pinned);
    assert_int_equal(fake->host_allocations, before - 1); /* `kept` is given back when the device is closed */
    assert_int_equal(gpu->vt->alloc(gpu, (uint64_t)1 << 40, &none, &err), RFT_E_LIMIT);
    assert_string_equal(err.message, "out of device memory: 1 TiB asked for, 512 MiB free");
    assert_true(none == 0);
    rft_event *start = NULL, *stop = NULL;
    double seconds = 0;
    assert_int_equal(gpu->vt->event_new(gpu, &start, NULL), 0);
    assert_int_equal(gpu->vt->event_new(gpu, &stop, NULL), 0);
    assert_int_equal(gpu->vt->event_record(gpu, start, NULL), 0);
    assert_int_equal(gpu->vt->event_elapsed(gpu, start, stop, &seconds, NULL), 0);
    assert_true(seconds > 0.001499 && seconds < 0.001501);
    gpu->vt->free(gpu, a);
    gpu->vt->free(gpu, b);
    gpu->vt->close(gpu);
    assert_int_equal(fake->allocations, 0);
    assert_int_equal(fake->host_allocations, 0);
    assert_int_equal(fake->events, 0);
}

static void launches_carry_what_they_ask_for(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    rft_module *module = NULL;
    rft_function *function = load(gpu, &module, "plain");
    int argument = 77;
    void *values[] = {&argument};
    rft_gpu_launch launch = launch_of(function, values);
    assert_int_equal(gpu->vt->launch(gpu, &launch, NULL), 0);
    assert_int_equal(fake->launch.numAttrs, 0);
    assert_int_equal(fake->launch.gridDimY, 3);
    assert_int_equal(fake->launch.blockDimX, 64);
    assert_int_equal(fake->argument, 77);

    launch.cluster[0] = 4;
    launch.cluster[1] = 3;
    launch.cooperative = launch.pdl = true;
    launch.window_base = 4096;
    launch.window_bytes = 1 << 24; /* more than the device allows: cut */
    launch.window_hit_ratio = 0.25f;
    assert_int_equal(gpu->vt->launch(gpu, &launch, NULL), 0);
    assert_int_equal(fake->launch.numAttrs, 4);
    assert_int_equal(fake->attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    assert_int_equal(fake->attributes[0].value.clusterDim.y, 3);
    assert_int_equal(fake->attributes[1].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    assert_int_equal(fake->attributes[2].id, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    assert_int_equal(fake->attributes[3].id, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
    assert_int_equal(fake->attributes[3].value.accessPolicyWindow.num_bytes, 1 << 20);
    assert_int_equal(fake->non_portable, 1); /* 12 blocks */
    assert_int_equal(fake->persisting_bytes, 1000 + CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);

    rft_err err = RFT_ERR_INIT;
    launch = launch_of(function, values);
    launch.block[0] = 2048;
    assert_int_equal(gpu->vt->launch(gpu, &launch, &err), RFT_E_LIMIT);
    assert_false(gpu->vt->sticky(gpu));
    gpu->vt->module_free(gpu, module);
    assert_int_equal(fake->persisting_bytes, 0); /* L2 is everybody's again */
    gpu->vt->close(gpu);
    assert_int_equal(fake->modules, 0);
}

static void graphs_are_recorded_and_given_back(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    rft_module *module = NULL;
    rft_function *function = load(gpu, &module, "plain");
    int argument = 77, before = fake->graphs;
    void *values[] = {&argument};
    rft_gpu_launch launch = launch_of(function, values);
    rft_graph *graph = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(gpu->vt->graph_begin(gpu, &err), 0);
    assert_int_equal(fake->capturing, 1);
    assert_int_equal(gpu->vt->launch(gpu, &launch, &err), 0);
    assert_int_equal(gpu->vt->graph_end(gpu, &graph, &err), 0);
    assert_int_equal(fake->capturing, 0);
    assert_int_equal(fake->graphs, before + 1); /* the recording itself is not kept */
    assert_int_equal(gpu->vt->graph_launch(gpu, graph, &err), 0);
    assert_int_equal(gpu->vt->graph_launch(gpu, graph, &err), 0);
    assert_int_equal(fake->graph_launches, 2);
    gpu->vt->graph_free(gpu, graph);
    gpu->vt->graph_free(gpu, NULL);
    assert_int_equal(fake->graphs, before);
    assert_int_equal(gpu->vt->graph_begin(gpu, &err), 0);
    launch.block[0] = 777; /* what cannot be recorded */
    assert_int_equal(gpu->vt->launch(gpu, &launch, &err), 0);
    assert_int_equal(gpu->vt->graph_end(gpu, &graph, &err), RFT_E_LIMIT);
    assert_null(graph);
    assert_non_null(strstr(err.message, "recording a graph"));
    assert_false(gpu->vt->sticky(gpu));
    gpu->vt->module_free(gpu, module);
    gpu->vt->close(gpu);
}

static void functions_tell_and_allow(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    rft_module *module = NULL;
    rft_function *function = load(gpu, &module, "plain");
    rft_function_facts facts;
    assert_int_equal(gpu->vt->function_facts(gpu, function, &facts, NULL), 0);
    assert_int_equal(facts.registers, 14);
    assert_int_equal(facts.shared_static_bytes, 11);
    assert_int_equal(facts.max_threads_per_block, 10);
    int params = 0;
    assert_int_equal(gpu->vt->function_params(gpu, function, &params, NULL, 0, NULL), 0);
    assert_int_equal(params, 3);
    assert_false(gpu->vt->sticky(gpu)); /* the answer that ends the list is no error */
    assert_int_equal(gpu->vt->function_shared(gpu, function, 100000, NULL), 0);
    assert_int_equal(gpu->vt->function_shared(gpu, function, 50000, NULL), 0);
    assert_int_equal(fake->shared_allowed, 100000); /* never taken back */
    rft_err err = RFT_ERR_INIT;
    rft_device_ptr variable = 0;
    uint64_t bytes = 0;
    assert_int_equal(gpu->vt->variable(gpu, module, "table", &variable, &bytes, NULL), 0);
    assert_true(variable != 0 && bytes == 36);
    assert_int_equal(gpu->vt->variable(gpu, module, "chair", &variable, &bytes, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "chair"));
    assert_int_equal(gpu->vt->function_shared(gpu, function, 300000, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "300000 bytes"));

    int blocks = 0;
    rft_gpu_launch launch = launch_of(function, NULL);
    assert_int_equal(gpu->vt->occupancy(gpu, &launch, &blocks, NULL), 0);
    assert_int_equal(blocks, 16);
    launch.cluster[0] = 2;
    launch.grid[0] = 0;
    assert_int_equal(gpu->vt->occupancy(gpu, &launch, &blocks, NULL), 0);
    assert_int_equal(blocks, 2);
    launch.cluster[0] = 16; /* 5 clusters of 16 on 132 SMs: less than one block an SM, yet it runs */
    assert_int_equal(gpu->vt->occupancy(gpu, &launch, &blocks, NULL), 0);
    assert_int_equal(blocks, 1);

    rft_module *bad = NULL;
    assert_int_equal(gpu->vt->module_load(gpu, "bad", 3, &bad, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "ptxas says no"));
    assert_int_equal(gpu->vt->function(gpu, module, "nothing", &function, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "nothing"));
    gpu->vt->module_free(gpu, module);
    gpu->vt->close(gpu);
}

static void tensor_maps_are_checked_and_filled(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    uint64_t words[16];
    unsigned char out[128];
    rft_err err = RFT_ERR_INIT;
    rft_tensor_map map = {.rank = 2, .dims = {100, 7}, .box = {64, 4}, .swizzle = 128, .l2_promotion = 256};
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_BF16, 4096, out, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "pad the rows")); /* 200 bytes a row */
    map.strides[0] = 208;
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_BF16, 4096, out, NULL), 0);
    memcpy(words, out, sizeof words);
    const uint64_t want[] = {
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,  2, 4096, 100, 7, 208, 64, 4, 1, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B};
    assert_memory_equal(words, want, sizeof want);
    map.strides[0] = 0;
    map.dims[0] = 128;
    map.swizzle = map.l2_promotion = 0;
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_E4M3, 4096, out, NULL), 0);
    memcpy(words, out, sizeof words);
    assert_int_equal(words[0], CU_TENSOR_MAP_DATA_TYPE_UINT8);
    assert_int_equal(words[5], 128); /* dense */
    assert_int_equal(words[9], CU_TENSOR_MAP_SWIZZLE_NONE);
    map.tf32 = 1;
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_F32, 4096, out, NULL), 0);
    memcpy(words, out, sizeof words);
    assert_int_equal(words[0], CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
    map.rank = 6;
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_E4M3, 4096, out, NULL), RFT_E_LIMIT);
    map.rank = 2;
    map.box[1] = 257;
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_E4M3, 4096, out, NULL), RFT_E_LIMIT);
    gpu->vt->close(gpu);
}

static void expect_im2col_refused(rft_gpu *gpu, rft_tensor_map map, const char *part) {
    unsigned char out[128];
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_BF16, 4096, out, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, part));
}

static void maps_of_pixels_are_checked_and_filled(void **state) {
    (void)state;
    rft_gpu *gpu = open_gpu();
    uint64_t words[16];
    unsigned char out[128];
    const rft_tensor_map map = {.rank = 4,
                                .dims = {64, 7, 5, 3},
                                .box = {64, 1024},
                                .swizzle = 128,
                                .im2col = 1,
                                .lower = {0, -128},
                                .upper = {0, -1}};
    assert_int_equal(gpu->vt->tensor_map(gpu, &map, RFT_TYPE_BF16, 4096, out, NULL), 0);
    memcpy(words, out, sizeof words);
    const uint64_t want[] = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                             4,
                             4096,
                             3,
                             64 * 7 * 5 * 2,
                             (uint64_t)-128,
                             64,
                             (uint64_t)-1,
                             1024,
                             1,
                             CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE};
    assert_memory_equal(words, want, sizeof want);
    rft_tensor_map other = map;
    other.rank = 2;
    expect_im2col_refused(gpu, other, "three to five dimensions");
    other.rank = 5;
    other.dims[4] = 1;
    expect_im2col_refused(gpu, other, "out of range"); /* 5 bits each there */
    other = map;
    other.box[1] = 1025;
    expect_im2col_refused(gpu, other, "1 to 1024 pixels");
    other = map;
    other.upper[1] = -5 - 128;
    expect_im2col_refused(gpu, other, "out of range");
    other.lower[1] = 0;
    other.upper[1] = -5;
    expect_im2col_refused(gpu, other, "no pixel");
    gpu->vt->close(gpu);
}

/* In a child: the fake stays poisoned, as a real context would. */
static void a_fault_ends_all_talk(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rft_gpu *gpu = open_gpu();
        rft_module *module = NULL;
        int argument = 0;
        void *values[] = {&argument};
        rft_device_ptr memory = 0;
        rft_err err = RFT_ERR_INIT;
        rft_gpu_launch launch = launch_of(load(gpu, &module, "fault"), values);
        bool ok = gpu->vt->alloc(gpu, 64, &memory, NULL) == 0 && gpu->vt->launch(gpu, &launch, NULL) == 0 &&
                  !gpu->vt->sticky(gpu);
        ok = ok && gpu->vt->sync(gpu, &err) == RFT_E_DEVICE && gpu->vt->sticky(gpu) &&
             strstr(err.message, "CUDA_ERROR_ILLEGAL_ADDRESS") && strstr(err.remedy, "compute-sanitizer");
        ok = ok && gpu->vt->launch(gpu, &launch, &err) == RFT_E_DEVICE && strstr(err.message, "must end");
        ok = ok && gpu->vt->sync(gpu, NULL) == RFT_E_DEVICE && gpu->vt->alloc(gpu, 64, &memory, NULL) == RFT_E_DEVICE;
        gpu->vt->free(gpu, memory);
        gpu->vt->module_free(gpu, module);
        gpu->vt->close(gpu);
        _exit(ok && fake->calls_after_fault == 0 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- several devices ---- */

#define CARDS_MOST 8

static rft_links measure_links(size_t count, rft_arena *arena) {
    static const rft_links_opts small = {.bytes = 4096, .copies = 3};
    char number[8];
    rft_gpu *gpus[CARDS_MOST];
    rft_links links;
    rft_err err = RFT_ERR_INIT;
    snprintf(number, sizeof number, "%zu", count);
    setenv("FAKE_DEVICES", number, 1);
    memset(fake->peers, 0, sizeof fake->peers);
    memset(fake->peer_copies, 0, sizeof fake->peer_copies);
    int allocations = fake->allocations, pinned = fake->host_allocations;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rft_cuda_open(&gpus[i], (int)i, &err), 0);
    }
    if (rft_links_measure(gpus, count, &small, arena, &links, &err) != 0) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(fake->allocations, allocations);
    assert_int_equal(fake->host_allocations, pinned);
    for (size_t i = 0; i < count; i++) {
        gpus[i]->vt->close(gpus[i]);
    }
    assert_int_equal(fake->contexts, 0);
    assert_int_equal(fake->events, 0);
    unsetenv("FAKE_DEVICES");
    return links;
}

/* The fake's events lie 1.5 ms apart. */
static void links_are_measured_between_all(void **state) {
    (void)state;
    static const size_t counts[] = {2, CARDS_MOST};
    const double rate = 3.0 * 4096.0 / 1.5e-3;
    for (size_t c = 0; c < 2; c++) {
        rft_arena *arena = rft_arena_new();
        const rft_links links = measure_links(counts[c], arena);
        assert_int_equal(links.count, counts[c] * (counts[c] - 1));
        for (size_t i = 0; i < links.count; i++) {
            const rft_link *link = &links.items[i];
            assert_true(link->from != link->to && link->direct);
            assert_true(fake->peers[link->from] & 1u << link->to);
            assert_true(fabs(link->one_way.median / rate - 1.0) < 1e-5);
            assert_true(fabs(link->both_ways.median / rate - 2.0) < 1e-5);
            assert_int_equal(fake->peer_copies[link->from][link->to], 2 * 3 * (2 + 11)); /* alone, and beside */
        }
        for (size_t i = 0; i < links.card_count; i++) {
            assert_true(fabs(links.h2d[i].median / rate - 1.0) < 1e-5);
            assert_int_equal(links.d2h[i].n, 11);
        }
        rft_arena_free(arena);
    }
}

static void what_is_no_peer_goes_through_the_host(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = {0};
    setenv("FAKE_CUDA", "pairs", 1);
    const rft_links links = measure_links(4, arena);
    setenv("FAKE_CUDA", "", 1);
    for (size_t i = 0; i < links.count; i++) {
        assert_true(links.items[i].direct == (links.items[i].from / 2 == links.items[i].to / 2));
    }
    links.items[1].one_way.median /= 2.0; /* 0 to 2 */
    rft_links_put(&links, 0, 77, arena, &ceilings);
    const rft_ceiling *p2p = &ceilings.items[RFT_CEILING_P2P], *all = &ceilings.items[RFT_CEILING_H2D_ALL];
    assert_true(p2p->measured && p2p->stats.median == links.items[1].one_way.median && p2p->measured_unix_ns == 77);
    assert_string_equal(p2p->kernel, "device 0 to 2, through the host, the slowest of 3 pairs");
    assert_true(all->measured && all->stats.median == links.h2d[0].median);
    assert_string_equal(all->kernel, "copies of 4 cards at once, this card's");
    assert_false(ceilings.items[RFT_CEILING_H2D].measured);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_measured_between_all),
        cmocka_unit_test(what_is_no_peer_goes_through_the_host),
        cmocka_unit_test(refusals_have_remedies),
        cmocka_unit_test(facts_are_read),
        cmocka_unit_test(memory_and_events_are_given_back),
        cmocka_unit_test(launches_carry_what_they_ask_for),
        cmocka_unit_test(graphs_are_recorded_and_given_back),
        cmocka_unit_test(functions_tell_and_allow),
        cmocka_unit_test(tensor_maps_are_checked_and_filled),
        cmocka_unit_test(maps_of_pixels_are_checked_and_filled),
        cmocka_unit_test(a_fault_ends_all_talk),
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_state") : NULL;
    if (!fake) {
        printf("skipped: libcuda.so.1 is not the fake one; run this through ctest\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
