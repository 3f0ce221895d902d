/* SPDX-License-Identifier: Apache-2.0 */
/* The whole of gpu.h on a real device. Faults happen in a copy of this program (`gpu_driver --fault NAME`), because a
 * process is of no more use after one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/compiler.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/gpu_tests.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const unsigned char rft_embedded_gpu_driver_cu[];

typedef struct fixture {
    gpu_device on;
    rft_compile_result code;
    rft_module *module;
} fixture;

static fixture the;

/* ---- set-up ---- */
static const char *const names[] = {"saxpy<4>", "reverse", "meet", "post", "fault_address", "fault_alignment",
                                    "fault_trap", "fault_assert", "fault_spin",
                                    /* sm_90 and newer: */
                                    "count_clusters", "first", "second", "load_tile"};
enum { NAMES_BEFORE_90 = 9, NAMES_ALL = 13 };

static int open_all(fixture *f, rft_err *err) {
    int rc = gpu_device_open(&f->on, err);
    if (rc == 0) {
        rc = gpu_device_compile(&f->on, "gpu_driver.cu", rft_embedded_gpu_driver_cu, names,
                                f->on.info.cc_major >= 9 ? NAMES_ALL : NAMES_BEFORE_90, &f->code, err);
    }
    return rc != 0 ? rc : f->on.gpu->vt->module_load(f->on.gpu, f->code.cubin, f->code.cubin_bytes, &f->module, err);
}

static const rft_compiled_entry *entry_of(const fixture *f, const char *name) {
    for (size_t i = 0; i < f->code.entry_count; i++) {
        if (strcmp(f->code.entries[i].name, name) == 0) {
            return &f->code.entries[i];
        }
    }
    return NULL;
}

static rft_function *function_of(fixture *f, const char *name) {
    rft_function *function = NULL;
    const rft_compiled_entry *entry = entry_of(f, name);
    if (!entry) {
        return NULL;
    }
    OK(f->on.gpu->vt->function(f->on.gpu, f->module, entry->symbol, &function, &failure));
    return function;
}

static rft_gpu_launch launch_of(rft_function *function, unsigned grid, unsigned block, void **values) {
    return (rft_gpu_launch){
        .function = function, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .cluster = {1, 1, 1}, .values = values};
}

static rft_device_ptr new_memory(fixture *f, uint64_t bytes) {
    rft_device_ptr memory = 0;
    OK(f->on.gpu->vt->alloc(f->on.gpu, bytes, &memory, &failure));
    OK(f->on.gpu->vt->set(f->on.gpu, memory, 0, bytes, &failure));
    assert_true(memory != 0);
    return memory;
}

static void read_memory(fixture *f, void *to, rft_device_ptr from, size_t bytes) {
    OK(f->on.gpu->vt->read(f->on.gpu, to, from, bytes, &failure));
}

/* ---- facts ---- */
static void the_device_tells_its_facts(void **state) {
    fixture *f = *state;
    const rft_gpu_info *info = &f->on.info;
    assert_true(info->name[0] != '\0');
    assert_int_equal(strncmp(info->arch, "sm_", 3), 0);
    assert_true(strncmp(info->uuid, "GPU-", 4) == 0 || strncmp(info->uuid, "MIG-", 4) == 0);
    assert_int_equal(strlen(info->uuid), 40);
    assert_int_equal(strlen(info->pci_id), 12);
    assert_in_range(info->sms, 1, 1000);
    assert_int_equal(info->warp_size, 32);
    assert_int_equal(info->max_threads_per_block, 1024);
    assert_true(info->shared_per_block >= 48 * 1024);
    assert_int_equal(info->shared_per_block_static, 48 * 1024);
    assert_true(info->l2_bytes > 1 << 20);
    assert_true(info->memory_free_bytes > 0 && info->memory_free_bytes <= info->memory_bytes);
    assert_true(info->sm_clock_khz > 100000);
    assert_int_equal(info->max_cluster, info->cc_major >= 9 ? 8 : 0);
    assert_true(info->driver_version >= 12000);
    assert_false(info->representative);

    rft_gpu_info *list = NULL;
    size_t count = 0;
    OK(rft_cuda_list(&list, &count, f->on.arena, &failure));
    assert_true(count >= 1);
    assert_string_equal(list[0].uuid, info->uuid);
    assert_int_equal(list[0].sms, info->sms);

    rft_gpu *none = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_cuda_open(&none, 4711, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "4711"));
}

static void the_environment_is_described(void **state) {
    fixture *f = *state;
    rft_env env = {0};
    f->on.gpu->vt->describe(f->on.gpu, &env, f->on.arena);
    assert_string_equal(rft_env_value(&env, "gpu.name"), f->on.info.name);
    assert_non_null(rft_env_value(&env, "driver.cuda"));
    rft_nvml_describe(f->on.info.pci_id, &env, f->on.arena);
    rft_libraries_describe(&env, NULL, NULL, f->on.arena);
    for (size_t i = 0; i < env.count; i++) {
        assert_true((env.items[i].value != NULL) != (env.items[i].reason != NULL));
        printf("    %-30s %s%s\n", env.items[i].key,
               env.items[i].value ? "" : "not known: ", env.items[i].value ? env.items[i].value : env.items[i].reason);
    }
    assert_non_null(rft_env_value(&env, "cuda"));
    assert_non_null(rft_env_value(&env, "nvrtc"));
    if (rft_env_value(&env, "nvml")) {
        assert_non_null(rft_env_value(&env, "nvml.driver_version"));
        assert_non_null(rft_env_value(&env, "nvml.sm_clock_mhz"));
    }
}

/* ---- memory ---- */
static void memory_is_written_copied_and_read(void **state) {
    fixture *f = *state;
    enum { BYTES = 1 << 20 };
    unsigned char *sent = rft_alloc(BYTES), *got = rft_alloc(BYTES);
    uint64_t seed = 1;
    for (size_t i = 0; i < BYTES; i++) {
        sent[i] = (unsigned char)rft_random_next(&seed);
    }
    rft_device_ptr a = new_memory(f, BYTES), b = new_memory(f, BYTES);
    OK(f->on.gpu->vt->write(f->on.gpu, a, sent, BYTES, &failure));
    OK(f->on.gpu->vt->copy(f->on.gpu, b, a, BYTES, &failure));
    read_memory(f, got, b, BYTES);
    assert_memory_equal(sent, got, BYTES);
    OK(f->on.gpu->vt->set(f->on.gpu, b + 16, 0xa5, 32, &failure));
    read_memory(f, got, b, 64);
    assert_int_equal(got[15], sent[15]);
    assert_int_equal(got[16], 0xa5);
    assert_int_equal(got[47], 0xa5);
    assert_int_equal(got[48], sent[48]);
    f->on.gpu->vt->free(f->on.gpu, a);
    f->on.gpu->vt->free(f->on.gpu, b);
    free(sent);
    free(got);
}

/* ---- copies at once ---- */

enum { IN, OUT, COPY_BYTES = 64 << 20, COPIES = 8 };

typedef struct copies {
    rft_gpu *gpu;
    rft_device_ptr device[2];
    unsigned char *host[2];
    rft_event *start, *stop;
} copies;

static int copy_once(const copies *c, int ways, rft_err *err) {
    const rft_gpu_vt *vt = c->gpu->vt;
    return ways == IN ? vt->host_to_device(c->gpu, c->device[IN], c->host[IN], COPY_BYTES, err)
           : ways == OUT
               ? vt->device_to_host(c->gpu, c->host[OUT], c->device[OUT], COPY_BYTES, err)
               : vt->host_both_ways(c->gpu, c->device[IN], c->host[IN], c->host[OUT], c->device[OUT], COPY_BYTES, err);
}

static double copy_seconds(const copies *c, int ways) {
    double seconds = 0;
    OK(copy_once(c, ways, &failure)); /* a second stream is made the first time */
    OK(c->gpu->vt->event_record(c->gpu, c->start, &failure));
    for (int i = 0; i < COPIES; i++) {
        OK(copy_once(c, ways, &failure));
    }
    OK(c->gpu->vt->event_record(c->gpu, c->stop, &failure));
    OK(c->gpu->vt->event_elapsed(c->gpu, c->start, c->stop, &seconds, &failure));
    return seconds / COPIES;
}

static void both_ways_at_once_are_right_and_faster(void **state) {
    (void)state;
    copies c = {.gpu = the.on.gpu};
    double seconds[3];
    for (int way = IN; way <= OUT; way++) {
        void *host = NULL;
        OK(c.gpu->vt->alloc(c.gpu, COPY_BYTES, &c.device[way], &failure));
        OK(c.gpu->vt->host_alloc(c.gpu, COPY_BYTES, &host, &failure));
        c.host[way] = host;
        memset(c.host[way], 10 + way, COPY_BYTES);
    }
    OK(c.gpu->vt->event_new(c.gpu, &c.start, &failure));
    OK(c.gpu->vt->event_new(c.gpu, &c.stop, &failure));
    OK(c.gpu->vt->set(c.gpu, c.device[OUT], 77, COPY_BYTES, &failure));
    for (int ways = IN; ways <= OUT + 1; ways++) {
        seconds[ways] = copy_seconds(&c, ways);
        memset(c.host[OUT], 0, ways <= OUT ? COPY_BYTES : 0);
    }
    printf("    from the host %.1f GB/s, to it %.1f GB/s, both at once %.1f GB/s\n", COPY_BYTES / seconds[IN] * 1e-9,
           COPY_BYTES / seconds[OUT] * 1e-9, 2.0 * COPY_BYTES / seconds[OUT + 1] * 1e-9);
    assert_true(c.host[OUT][0] == 77 && c.host[OUT][COPY_BYTES - 1] == 77);
    OK(c.gpu->vt->read(c.gpu, c.host[OUT], c.device[IN], COPY_BYTES, &failure));
    assert_true(c.host[OUT][0] == 10 && c.host[OUT][COPY_BYTES - 1] == 10);
    assert_true(seconds[OUT + 1] < 0.95 * (seconds[IN] + seconds[OUT]));
    for (int way = IN; way <= OUT; way++) {
        c.gpu->vt->host_free(c.gpu, c.host[way]);
        c.gpu->vt->free(c.gpu, c.device[way]);
    }
}

static void too_much_memory_is_a_limit(void **state) {
    fixture *f = *state;
    rft_device_ptr memory = 1;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(f->on.gpu->vt->alloc(f->on.gpu, (uint64_t)f->on.info.memory_bytes * 2, &memory, &err),
                     RFT_E_LIMIT);
    assert_true(memory == 0);
    assert_non_null(strstr(err.message, "free"));
    assert_false(f->on.gpu->vt->sticky(f->on.gpu));
    uint64_t free_bytes = 0;
    OK(f->on.gpu->vt->memory_free(f->on.gpu, &free_bytes, &failure));
    assert_true(free_bytes > 0);
}

static void mapped_memory_is_seen_by_both(void **state) {
    fixture *f = *state;
    void *host = NULL;
    rft_device_ptr device = 0;
    OK(f->on.gpu->vt->mapped(f->on.gpu, 65536, &host, &device, &failure));
    volatile unsigned *mailbox = host;
    assert_int_equal(mailbox[0], 0);
    unsigned value = 1000;
    void *values[] = {&device, &value};
    rft_gpu_launch launch = launch_of(function_of(f, "post"), 1, 32, values);
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    OK(f->on.gpu->vt->sync(f->on.gpu, &failure));
    assert_int_equal(mailbox[0], 1000);
    assert_int_equal(mailbox[31], 1031);
    assert_int_equal(f->on.gpu->vt->mapped(f->on.gpu, 65537, &host, &device, NULL), RFT_E_LIMIT);
}

/* ---- launches ---- */
enum { N = 1 << 22 };

/* y = 1 + 2 x, by `launch` (its function and values are set here); returns the number of wrong elements. */
static long run_saxpy(fixture *f, rft_gpu_launch launch, double *seconds) {
    float *host = rft_calloc(N, sizeof *host);
    rft_device_ptr x = new_memory(f, N * sizeof(float)), y = new_memory(f, N * sizeof(float));
    for (long i = 0; i < N; i++) {
        host[i] = (float)(i % 1000);
    }
    OK(f->on.gpu->vt->write(f->on.gpu, x, host, N * sizeof(float), &failure));
    float a = 2;
    long long n = N;
    void *values[] = {&y, &x, &a, &n};
    rft_event *start = NULL, *stop = NULL;
    OK(f->on.gpu->vt->event_new(f->on.gpu, &start, &failure));
    OK(f->on.gpu->vt->event_new(f->on.gpu, &stop, &failure));
    launch.function = function_of(f, "saxpy<4>");
    launch.values = values;
    if (launch.window_bytes) {
        launch.window_base = x;
    }
    OK(f->on.gpu->vt->event_record(f->on.gpu, start, &failure));
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    OK(f->on.gpu->vt->event_record(f->on.gpu, stop, &failure));
    OK(f->on.gpu->vt->event_elapsed(f->on.gpu, start, stop, seconds, &failure));
    memset(host, 0, N * sizeof *host);
    read_memory(f, host, y, N * sizeof(float));
    long wrong = 0;
    for (long i = 0; i < N; i++) {
        wrong += host[i] != 2.0f * (float)(i % 1000);
    }
    f->on.gpu->vt->free(f->on.gpu, x);
    f->on.gpu->vt->free(f->on.gpu, y);
    free(host);
    return wrong;
}

static void a_kernel_computes_and_is_timed(void **state) {
    fixture *f = *state;
    double seconds = 0;
    assert_int_equal(run_saxpy(f, launch_of(NULL, N / 4 / 256, 256, NULL), &seconds), 0);
    printf("    saxpy of %d floats: %.2f us\n", N, seconds * 1e6);
    assert_true(seconds > 1e-7 && seconds < 0.1);
}

static void a_kernel_tells_its_facts(void **state) {
    fixture *f = *state;
    const rft_compiled_entry *entry = entry_of(f, "saxpy<4>");
    rft_function *function = function_of(f, "saxpy<4>");
    rft_function_facts facts;
    OK(f->on.gpu->vt->function_facts(f->on.gpu, function, &facts, &failure));
    assert_int_equal(facts.registers, entry->registers);
    assert_int_equal(facts.shared_static_bytes, 0);
    assert_int_equal(facts.max_threads_per_block, 1024);
    int params = 0;
    OK(f->on.gpu->vt->function_params(f->on.gpu, function, &params, NULL, 0, &failure));
    assert_true(params == 4 || params == -1);
    rft_gpu_launch launch = launch_of(function, 1, 1024, NULL);
    int blocks = 0;
    OK(f->on.gpu->vt->occupancy(f->on.gpu, &launch, &blocks, &failure));
    assert_int_equal(blocks, f->on.info.max_threads_per_sm / 1024);
    launch.block[0] = 64;
    OK(f->on.gpu->vt->occupancy(f->on.gpu, &launch, &blocks, &failure));
    assert_in_range(blocks, 8, f->on.info.max_blocks_per_sm);
}

static void dynamic_shared_memory_is_opted_in(void **state) {
    fixture *f = *state;
    const int count = f->on.info.shared_per_block >= 100 * 1024 ? 25600 : (int)(f->on.info.shared_per_block / 4);
    float *host = rft_calloc((size_t)count, sizeof *host);
    for (int i = 0; i < count; i++) {
        host[i] = (float)i;
    }
    rft_device_ptr data = new_memory(f, (uint64_t)count * 4);
    OK(f->on.gpu->vt->write(f->on.gpu, data, host, (size_t)count * 4, &failure));
    int value = count;
    void *values[] = {&data, &value};
    rft_function *function = function_of(f, "reverse");
    rft_gpu_launch launch = launch_of(function, 1, 512, values);
    launch.shared_bytes = (unsigned)count * 4;
    OK(f->on.gpu->vt->function_shared(f->on.gpu, function, launch.shared_bytes, &failure));
    int blocks = 0;
    OK(f->on.gpu->vt->occupancy(f->on.gpu, &launch, &blocks, &failure));
    assert_in_range(blocks, 1, 2);
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    read_memory(f, host, data, (size_t)count * 4);
    for (int i = 0; i < count; i++) {
        assert_true(host[i] == (float)(count - 1 - i));
    }
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(f->on.gpu->vt->function_shared(f->on.gpu, function, 1 << 20, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "1048576"));
    f->on.gpu->vt->free(f->on.gpu, data);
    free(host);
}

static void a_cooperative_grid_is_all_resident(void **state) {
    fixture *f = *state;
    rft_device_ptr counters = new_memory(f, 8), left = counters + 4;
    void *values[] = {&counters, &left};
    rft_gpu_launch launch = launch_of(function_of(f, "meet"), 1, 128, values);
    launch.cooperative = true;
    int blocks = 0, seen[2] = {0};
    OK(f->on.gpu->vt->occupancy(f->on.gpu, &launch, &blocks, &failure));
    launch.grid[0] = (unsigned)(blocks * f->on.info.sms);
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    read_memory(f, seen, counters, sizeof seen);
    assert_int_equal(seen[0], launch.grid[0]);
    assert_int_equal(seen[1], launch.grid[0]);
    launch.grid[0] += 1;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(f->on.gpu->vt->launch(f->on.gpu, &launch, &err), RFT_E_LIMIT);
    assert_true(err.remedy[0] != '\0');
    assert_false(f->on.gpu->vt->sticky(f->on.gpu));
    f->on.gpu->vt->free(f->on.gpu, counters);
}

static void an_impossible_launch_is_refused(void **state) {
    fixture *f = *state;
    double seconds = 0;
    rft_device_ptr memory = new_memory(f, 16);
    int count = 1;
    void *values[] = {&memory, &count};
    rft_gpu_launch launch = launch_of(function_of(f, "reverse"), 1, 2048, values);
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(f->on.gpu->vt->launch(f->on.gpu, &launch, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "CUDA_ERROR_"));
    assert_false(f->on.gpu->vt->sticky(f->on.gpu));
    f->on.gpu->vt->free(f->on.gpu, memory);
    assert_int_equal(run_saxpy(f, launch_of(NULL, N / 4 / 256, 256, NULL), &seconds), 0); /* all is well still */
}

static void a_window_changes_no_result(void **state) {
    fixture *f = *state;
    if (f->on.info.persisting_l2_max_bytes == 0) {
        skip();
    }
    double seconds = 0;
    rft_gpu_launch launch = launch_of(NULL, N / 4 / 256, 256, NULL);
    launch.window_bytes = 4 << 20;
    launch.window_hit_ratio = 0.5f;
    assert_int_equal(run_saxpy(f, launch, &seconds), 0);
    launch.window_bytes = 0;
    assert_int_equal(run_saxpy(f, launch, &seconds), 0);
}

static void clusters_are_formed(void **state) {
    fixture *f = *state;
    rft_function *function = function_of(f, "count_clusters");
    if (!function) {
        skip();
    }
    int seen[18];
    rft_device_ptr out = new_memory(f, sizeof seen);
    void *values[] = {&out};
    rft_gpu_launch launch = launch_of(function, 64, 64, values);
    launch.cluster[0] = 4;
    int blocks = 0;
    OK(f->on.gpu->vt->occupancy(f->on.gpu, &launch, &blocks, &failure));
    assert_in_range(blocks, 1, f->on.info.max_blocks_per_sm);
    launch.grid[0] = 0;
    OK(f->on.gpu->vt->occupancy(f->on.gpu, &launch, &blocks, &failure));
    assert_in_range(blocks, 1, f->on.info.max_blocks_per_sm);
    launch.grid[0] = 64;
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    read_memory(f, seen, out, sizeof seen);
    assert_int_equal(seen[0], 64);
    assert_int_equal(seen[1], 64 * 4);
    assert_int_equal(seen[2], 16);
    assert_int_equal(seen[5], 16);
    assert_int_equal(seen[6], 0);

    launch.cluster[0] = 16; /* beyond the portable 8 */
    rft_err err = RFT_ERR_INIT;
    if (f->on.info.cc_major == 9) {
        OK(f->on.gpu->vt->set(f->on.gpu, out, 0, sizeof seen, &failure));
        OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
        read_memory(f, seen, out, sizeof seen);
        assert_int_equal(seen[1], 64 * 16);
        assert_int_equal(seen[17], 4);
    }
    launch.cluster[0] = 3; /* the grid is no multiple */
    assert_int_equal(f->on.gpu->vt->launch(f->on.gpu, &launch, &err), RFT_E_LIMIT);
    assert_false(f->on.gpu->vt->sticky(f->on.gpu));
    f->on.gpu->vt->free(f->on.gpu, out);
}

static void a_dependent_launch_waits_for_what_it_needs(void **state) {
    fixture *f = *state;
    rft_function *first = function_of(f, "first"), *second = function_of(f, "second");
    if (!first) {
        skip();
    }
    rft_device_ptr value = new_memory(f, 8), seen = value + 4;
    void *first_values[] = {&value}, *second_values[] = {&value, &seen};
    rft_gpu_launch a = launch_of(first, 1, 32, first_values), b = launch_of(second, 1, 32, second_values);
    b.pdl = true;
    OK(f->on.gpu->vt->launch(f->on.gpu, &a, &failure));
    OK(f->on.gpu->vt->launch(f->on.gpu, &b, &failure));
    int got = 0;
    read_memory(f, &got, seen, sizeof got);
    assert_int_equal(got, 42);
    f->on.gpu->vt->free(f->on.gpu, value);
}

/* ---- tensor maps ---- */
enum { WIDTH = 64, HEIGHT = 48, TILE_W = 32, TILE_H = 16 };

static void load_and_check(fixture *f, rft_function *function, const unsigned char encoded[128], int x, int y) {
    float tile[TILE_W * TILE_H];
    _Alignas(64) unsigned char map[128];
    memcpy(map, encoded, sizeof map);
    rft_device_ptr out = new_memory(f, sizeof tile);
    void *values[] = {map, &out, &x, &y};
    rft_gpu_launch launch = launch_of(function, 1, 128, values);
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    read_memory(f, tile, out, sizeof tile);
    for (int row = 0; row < TILE_H; row++) {
        for (int column = 0; column < TILE_W; column++) {
            bool inside = x + column < WIDTH && y + row < HEIGHT;
            float want = inside ? (float)((y + row) * WIDTH + x + column) : 0.0f;
            assert_true(tile[row * TILE_W + column] == want);
        }
    }
    f->on.gpu->vt->free(f->on.gpu, out);
}

static void a_tensor_map_loads_tiles(void **state) {
    fixture *f = *state;
    rft_function *function = function_of(f, "load_tile");
    if (!function) {
        skip();
    }
    float host[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        host[i] = (float)i;
    }
    rft_device_ptr data = new_memory(f, sizeof host);
    OK(f->on.gpu->vt->write(f->on.gpu, data, host, sizeof host, &failure));
    rft_tensor_map map = {.rank = 2, .dims = {WIDTH, HEIGHT}, .box = {TILE_W, TILE_H}, .l2_promotion = 128};
    unsigned char encoded[128];
    OK(f->on.gpu->vt->tensor_map(f->on.gpu, &map, RFT_TYPE_F32, data, encoded, &failure));
    load_and_check(f, function, encoded, 0, 0);
    load_and_check(f, function, encoded, 8, 5);
    load_and_check(f, function, encoded, 48, 40); /* beyond two edges: zeros */
    map.strides[0] = WIDTH * 4;                   /* the same, said outright */
    OK(f->on.gpu->vt->tensor_map(f->on.gpu, &map, RFT_TYPE_F32, data, encoded, &failure));
    load_and_check(f, function, encoded, 32, 16);

    rft_err err = RFT_ERR_INIT;
    map.box[0] = 3;
    assert_int_equal(f->on.gpu->vt->tensor_map(f->on.gpu, &map, RFT_TYPE_F32, data, encoded, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "16 bytes"));
    map.box[0] = 64;
    map.swizzle = 128;
    assert_int_equal(f->on.gpu->vt->tensor_map(f->on.gpu, &map, RFT_TYPE_F32, data, encoded, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "swizzle"));
    map.box[0] = 32;
    OK(f->on.gpu->vt->tensor_map(f->on.gpu, &map, RFT_TYPE_F32, data, encoded, &failure));
    assert_int_equal(f->on.gpu->vt->tensor_map(f->on.gpu, &map, RFT_TYPE_F32, data + 4, encoded, &err), RFT_E_LIMIT);
    f->on.gpu->vt->free(f->on.gpu, data);
}

/* ---- modules ---- */
static void ptx_is_finished_by_the_driver(void **state) {
    fixture *f = *state;
    static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry answer(.param .u64 out)\n{\n"
                              "  .reg .u64 %rd<3>;\n"
                              "  ld.param.u64 %rd1, [out];\n  cvta.to.global.u64 %rd2, %rd1;\n"
                              "  st.global.u32 [%rd2], 42;\n  ret;\n}\n";
    rft_module *module = NULL;
    rft_function *function = NULL;
    OK(f->on.gpu->vt->module_load(f->on.gpu, ptx, sizeof ptx - 1, &module, &failure));
    OK(f->on.gpu->vt->function(f->on.gpu, module, "answer", &function, &failure));
    rft_device_ptr out = new_memory(f, 4);
    void *values[] = {&out};
    rft_gpu_launch launch = launch_of(function, 1, 1, values);
    OK(f->on.gpu->vt->launch(f->on.gpu, &launch, &failure));
    int got = 0;
    read_memory(f, &got, out, sizeof got);
    assert_int_equal(got, 42);
    f->on.gpu->vt->free(f->on.gpu, out);
    f->on.gpu->vt->module_free(f->on.gpu, module);
}

static void bad_code_is_refused(void **state) {
    fixture *f = *state;
    rft_module *module = NULL;
    rft_function *function = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_true(f->on.gpu->vt->module_load(f->on.gpu, "neither cubin nor PTX", 21, &module, &err) < 0);
    assert_non_null(strstr(err.message, "CUDA_ERROR_"));
    assert_true(f->on.gpu->vt->function(f->on.gpu, f->module, "no_such_kernel", &function, &err) < 0);
    assert_non_null(strstr(err.message, "no_such_kernel"));
    assert_false(f->on.gpu->vt->sticky(f->on.gpu));
}

/* ---- faults, in another process ---- */
/* The child: 0 when the fault was reported as gpu.h promises. */
static int fault_child(const char *name, const char *launched_fd) {
    fixture f = {0};
    rft_err err = RFT_ERR_INIT;
    rft_device_ptr data = 0;
    if (open_all(&f, &err) != 0 || f.on.gpu->vt->alloc(f.on.gpu, 64, &data, &err) != 0 ||
        f.on.gpu->vt->set(f.on.gpu, data, 0, 64, &err) != 0) {
        fprintf(stderr, "%s\n", err.message);
        return 10;
    }
    void *values[] = {&data};
    rft_gpu_launch launch = launch_of(function_of(&f, name), 1, 32, values);
    int rc = f.on.gpu->vt->launch(f.on.gpu, &launch, &err);
    if (rc == 0 && write(atoi(launched_fd), "!", 1) != 1) {
        return 14;
    }
    rc = rc ? rc : f.on.gpu->vt->sync(f.on.gpu, &err);
    if (rc != RFT_E_DEVICE || !f.on.gpu->vt->sticky(f.on.gpu)) {
        fprintf(stderr, "%s: code %d, sticky %d: %s\n", name, rc, f.on.gpu->vt->sticky(f.on.gpu), err.message);
        return 11;
    }
    printf("    %s: %s\n", name, err.message);
    fflush(stdout);
    if (!strstr(err.message, "CUDA_ERROR_") || !err.remedy[0]) {
        return 12;
    }
    if (f.on.gpu->vt->alloc(f.on.gpu, 64, &data, &err) != RFT_E_DEVICE ||
        f.on.gpu->vt->sync(f.on.gpu, &err) != RFT_E_DEVICE ||
        f.on.gpu->vt->launch(f.on.gpu, &launch, &err) != RFT_E_DEVICE) {
        return 13;
    }
    f.on.gpu->vt->module_free(f.on.gpu, f.module);
    f.on.gpu->vt->close(f.on.gpu);
    return 0;
}

/* Returns when the kernel was launched, or the child has ended without. */
static pid_t start_fault(const char *name) {
    int launched[2];
    char fd[16], byte = 0;
    assert_int_equal(pipe(launched), 0);
    snprintf(fd, sizeof fd, "%d", launched[1]);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(launched[0]);
        execl("/proc/self/exe", "gpu_driver", "--fault", name, fd, (char *)NULL);
        _exit(99);
    }
    close(launched[1]);
    ssize_t got = read(launched[0], &byte, 1);
    close(launched[0]);
    if (got != 1) {
        print_error("%s was not launched\n", name); /* the status says why */
    }
    return child;
}

static void a_fault_is_sticky_there_and_harmless_here(void **state) {
    fixture *f = *state;
    static const char *const faults[] = {"fault_address", "fault_alignment", "fault_trap", "fault_assert"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        int status = 0;
        pid_t child = start_fault(faults[i]);
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    double seconds = 0;
    assert_int_equal(run_saxpy(f, launch_of(NULL, N / 4 / 256, 256, NULL), &seconds), 0);
}

static void an_endless_kernel_ends_with_its_process(void **state) {
    fixture *f = *state;
    int status = 0;
    pid_t child = start_fault("fault_spin");
    assert_true(child > 0);
    sleep(1);
    assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* launched, and still spinning */
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    double seconds = 0;
    assert_int_equal(run_saxpy(f, launch_of(NULL, N / 4 / 256, 256, NULL), &seconds), 0);
}

static int set_up(void **state) {
    *state = &the;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    the.on.gpu->vt->module_free(the.on.gpu, the.module);
    gpu_device_close(&the.on);
    return 0;
}

int gpu_driver(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--fault") == 0) {
        return fault_child(argv[2], argv[3]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_tells_its_facts),
        cmocka_unit_test(the_environment_is_described),
        cmocka_unit_test(memory_is_written_copied_and_read),
        cmocka_unit_test(both_ways_at_once_are_right_and_faster),
        cmocka_unit_test(too_much_memory_is_a_limit),
        cmocka_unit_test(mapped_memory_is_seen_by_both),
        cmocka_unit_test(a_kernel_computes_and_is_timed),
        cmocka_unit_test(a_kernel_tells_its_facts),
        cmocka_unit_test(dynamic_shared_memory_is_opted_in),
        cmocka_unit_test(a_cooperative_grid_is_all_resident),
        cmocka_unit_test(an_impossible_launch_is_refused),
        cmocka_unit_test(a_window_changes_no_result),
        cmocka_unit_test(clusters_are_formed),
        cmocka_unit_test(a_dependent_launch_waits_for_what_it_needs),
        cmocka_unit_test(a_tensor_map_loads_tiles),
        cmocka_unit_test(ptx_is_finished_by_the_driver),
        cmocka_unit_test(bad_code_is_refused),
        cmocka_unit_test(a_fault_is_sticky_there_and_harmless_here),
        cmocka_unit_test(an_endless_kernel_ends_with_its_process),
    };
    rft_err err = RFT_ERR_INIT;
    if (open_all(&the, &err) != 0) {
        return gpu_device_skipped(&the.on, &err);
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
