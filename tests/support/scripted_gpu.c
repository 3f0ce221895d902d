/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted_gpu_state.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_S 1e-6 /* what a call costs the host; keeps loops that watch the clock going */

/* Every call of the device passes here; some do so twice. */
static rft_scripted_gpu *scripted_of(rft_gpu *base) {
    rft_scripted_gpu *gpu = (rft_scripted_gpu *)base;
    if (gpu->hook) {
        gpu->hook(gpu->hook_self, ++gpu->calls);
    }
    return gpu;
}

static void note(rft_scripted_gpu *gpu, const char *text) {
    rft_str_add(&gpu->history, text);
    rft_str_add_char(&gpu->history, '\n');
}

static int usable(rft_scripted_gpu *gpu, rft_err *err) {
    return gpu->sticky ? rft_err_set(err, RFT_E_DEVICE, "an illegal memory access was encountered") : RFT_OK;
}

/* A wait: the held stream is let go or gives up, and faults show. */
static int wait_for_all(rft_scripted_gpu *gpu, rft_err *err) {
    gpu->now_s += CALL_S;
    gpu->queued_s = 0.0;
    if (gpu->held_words && (int32_t)(gpu->held_words[0] - gpu->held_ticket) < 0) {
        gpu->held_words[1 + gpu->held_ticket % 2] = gpu->held_ticket;
        gpu->now_s += gpu->held_limit_s;
    }
    gpu->held_words = NULL;
    gpu->sticky = gpu->sticky || gpu->faulting;
    return usable(gpu, err);
}

/* ---- memory ---- */

/* As a driver aligns it. */
static void *aligned(uint64_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, bytes >= 1 << 20 ? 2 << 20 : 512, bytes ? bytes : 1) != 0) {
        fprintf(stderr, "scripted gpu: out of the host's memory\n");
        abort();
    }
    return memory;
}

static int alloc(rft_gpu *base, uint64_t bytes, rft_device_ptr *out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    if (gpu->used_bytes + bytes > (uint64_t)gpu->opts.info.memory_bytes) {
        return rft_err_set(err, RFT_E_LIMIT, "out of memory");
    }
    RFT_GROW(gpu->blocks, gpu->block_capacity, gpu->block_count + 1);
    block_of_memory *block = &gpu->blocks[gpu->block_count++];
    *block = (block_of_memory){aligned(bytes), bytes};
    memset(block->data, 0xCD, bytes); /* what a device leaves there does not matter, but is not zero */
    gpu->used_bytes += bytes;
    *out = (rft_device_ptr)(uintptr_t)block->data;
    return usable(gpu, err);
}

static void free_memory(rft_gpu *base, rft_device_ptr memory) {
    rft_scripted_gpu *gpu = scripted_of(base);
    for (size_t i = 0; i < gpu->block_count; i++) {
        if ((rft_device_ptr)(uintptr_t)gpu->blocks[i].data == memory) {
            gpu->used_bytes -= gpu->blocks[i].bytes;
            free(gpu->blocks[i].data);
            gpu->blocks[i] = gpu->blocks[--gpu->block_count];
            return;
        }
    }
    if (memory) {
        fprintf(stderr, "scripted gpu: free of memory it did not give\n");
        abort();
    }
}

static int memory_free(rft_gpu *base, uint64_t *free_bytes, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    *free_bytes = (uint64_t)gpu->opts.info.memory_bytes - gpu->used_bytes;
    return usable(gpu, err);
}

static int write_memory(rft_gpu *base, rft_device_ptr to, const void *from, size_t bytes, rft_err *err) {
    int rc = wait_for_all(scripted_of(base), err);
    if (rc == RFT_OK) {
        memcpy((void *)(uintptr_t)to, from, bytes);
    }
    return rc;
}

static int read_memory(rft_gpu *base, void *to, rft_device_ptr from, size_t bytes, rft_err *err) {
    int rc = wait_for_all(scripted_of(base), err);
    if (rc == RFT_OK) {
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    }
    return rc;
}

static int copy(rft_gpu *base, rft_device_ptr to, rft_device_ptr from, uint64_t bytes, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    rft_str_addf(&gpu->history, "copy %llu\n", (unsigned long long)bytes);
    gpu->now_s += CALL_S;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return usable(gpu, err);
}

static void record_step(rft_graph *graph, recorded_step step) {
    RFT_GROW(graph->steps, graph->capacity, graph->count + 1);
    graph->steps[graph->count++] = step;
}

static int set(rft_gpu *base, rft_device_ptr to, int byte, uint64_t bytes, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    if (gpu->recording) {
        record_step(gpu->recording, (recorded_step){.to = to, .bytes = bytes, .byte = byte});
        return RFT_OK;
    }
    rft_str_addf(&gpu->history, "set %d %llu\n", byte, (unsigned long long)bytes);
    gpu->now_s += CALL_S;
    memset((void *)(uintptr_t)to, byte, bytes);
    return usable(gpu, err);
}

static int mapped(rft_gpu *base, size_t bytes, void **host, rft_device_ptr *device, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    if (gpu->mapped_count == sizeof gpu->mapped / sizeof *gpu->mapped) {
        return rft_err_set(err, RFT_E_LIMIT, "too much mapped memory");
    }
    void *memory = rft_alloc(bytes);
    gpu->mapped[gpu->mapped_count++] = memory;
    *host = memory;
    *device = (rft_device_ptr)(uintptr_t)memory;
    return usable(gpu, err);
}

static int host_alloc(rft_gpu *base, uint64_t bytes, void **out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    if (gpu->pinned_bytes + bytes > gpu->opts.host_memory_bytes) {
        return rft_err_set(err, RFT_E_LIMIT, "out of host memory");
    }
    RFT_GROW(gpu->pinned, gpu->pinned_capacity, gpu->pinned_count + 1);
    block_of_memory *block = &gpu->pinned[gpu->pinned_count++];
    *block = (block_of_memory){malloc(bytes ? bytes : 1), bytes};
    memset(block->data, 0xCD, bytes);
    gpu->pinned_bytes += bytes;
    *out = block->data;
    return usable(gpu, err);
}

static void host_free(rft_gpu *base, void *host) {
    rft_scripted_gpu *gpu = scripted_of(base);
    wait_for_all(gpu, NULL);
    for (size_t i = 0; i < gpu->pinned_count; i++) {
        if (gpu->pinned[i].data == host) {
            gpu->pinned_bytes -= gpu->pinned[i].bytes;
            free(host);
            gpu->pinned[i] = gpu->pinned[--gpu->pinned_count];
            return;
        }
    }
}

static int host_copy(rft_scripted_gpu *gpu, void *to, const void *from, uint64_t bytes, double rate) {
    gpu->now_s += (double)bytes / rate;
    memcpy(to, from, bytes);
    return RFT_OK;
}

static int host_to_device(rft_gpu *base, rft_device_ptr to, const void *from, uint64_t bytes, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    rft_str_addf(&gpu->history, "h2d %llu\n", (unsigned long long)bytes);
    int rc = usable(gpu, err);
    return rc == RFT_OK ? host_copy(gpu, (void *)(uintptr_t)to, from, bytes, gpu->opts.speeds.h2d) : rc;
}

static int device_to_host(rft_gpu *base, void *to, rft_device_ptr from, uint64_t bytes, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    rft_str_addf(&gpu->history, "d2h %llu\n", (unsigned long long)bytes);
    int rc = usable(gpu, err);
    return rc == RFT_OK ? host_copy(gpu, to, (const void *)(uintptr_t)from, bytes, gpu->opts.speeds.d2h) : rc;
}

static int host_both_ways(rft_gpu *base, rft_device_ptr to, const void *from, void *back, rft_device_ptr out,
                          uint64_t bytes, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    rft_str_addf(&gpu->history, "both ways %llu\n", (unsigned long long)bytes);
    memcpy(back, (const void *)(uintptr_t)out, bytes);
    int rc = usable(gpu, err);
    return rc == RFT_OK ? host_copy(gpu, (void *)(uintptr_t)to, from, bytes, gpu->opts.speeds.both_ways / 2.0) : rc;
}

/* ---- modules ---- */

static scripted_kernel *find_kernel(const rft_scripted_gpu *gpu, const char *symbol) {
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        if (strcmp(symbol, gpu->kernels[i].symbol) == 0) {
            return &gpu->kernels[i];
        }
    }
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        if (rft_scripted_names(symbol, gpu->kernels[i].symbol)) {
            return &gpu->kernels[i];
        }
    }
    return NULL;
}

static int module_load(rft_gpu *base, const void *cubin, size_t bytes, rft_module **out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    if (bytes < 9 || memcmp(cubin, "scripted ", 9) != 0) {
        return rft_err_set(err, RFT_E_LIMIT, "the module is no scripted cubin");
    }
    rft_module *module = rft_alloc(sizeof *module);
    gpu->loads++;
    module->cubin = rft_alloc(bytes + 1);
    memcpy(module->cubin, cubin, bytes);
    module->next = gpu->modules;
    gpu->modules = module;
    *out = module;
    return usable(gpu, err);
}

static void free_functions(rft_scripted_gpu *gpu, const rft_module *module) {
    rft_function **at = &gpu->functions;
    while (*at) {
        rft_function *function = *at;
        if (!module || function->module == module) {
            *at = function->next;
            free(function->symbol);
            free(function);
        } else {
            at = &function->next;
        }
    }
}

static void module_free(rft_gpu *base, rft_module *module) {
    rft_scripted_gpu *gpu = scripted_of(base);
    note(gpu, "unload");
    free_functions(gpu, module);
    for (rft_module **at = &gpu->modules; *at; at = &(*at)->next) {
        if (*at == module) {
            *at = module->next;
            free(module->cubin);
            free(module);
            return;
        }
    }
}

static int find_function(rft_gpu *base, rft_module *module, const char *symbol, rft_function **out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    scripted_kernel *kernel = find_kernel(gpu, symbol);
    char *line = rft_strdup(symbol);
    rft_str wanted = RFT_STR_INIT;
    rft_str_addf(&wanted, "entry %s\n", line);
    bool there = strstr(module->cubin, rft_str_get(&wanted)) != NULL;
    rft_str_clear(&wanted);
    if (!there || !kernel) {
        free(line);
        return rft_err_set(err, RFT_E_NOT_FOUND, "%s: %s", symbol,
                           there ? "the scripted gpu has no such kernel" : "not in the module");
    }
    rft_function *function = rft_alloc(sizeof *function);
    *function = (rft_function){line, module, (size_t)(kernel - gpu->kernels), gpu->functions};
    gpu->functions = function;
    *out = function;
    return usable(gpu, err);
}

static int find_variable(rft_gpu *base, rft_module *module, const char *symbol, rft_device_ptr *out, uint64_t *bytes,
                         rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    (void)module;
    for (size_t i = 0; i < gpu->variable_count; i++) {
        if (strcmp(gpu->variables[i].symbol, symbol) == 0) {
            *out = (rft_device_ptr)(uintptr_t)gpu->variables[i].memory;
            *bytes = gpu->variables[i].bytes;
            return usable(gpu, err);
        }
    }
    return rft_err_set(err, RFT_E_DEVICE, "%s: not in the module", symbol);
}

static int function_facts(rft_gpu *base, rft_function *function, rft_function_facts *out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    const scripted_kernel *kernel = &gpu->kernels[function->kernel];
    *out = (rft_function_facts){.registers = 32, .max_threads_per_block = 1024};
    if (kernel->has_facts) {
        *out = kernel->facts;
    }
    return usable(gpu, err);
}

static int function_params(rft_gpu *base, rft_function *function, int *count, uint32_t *bytes, size_t capacity,
                           rft_err *err) {
    const scripted_kernel *kernel = &scripted_of(base)->kernels[function->kernel];
    *count = kernel->has_params ? kernel->params : -1;
    for (size_t i = 0; i < capacity; i++) {
        bytes[i] = kernel->param_sizes && (int)i < *count ? kernel->param_sizes[i] : 0;
    }
    return usable(scripted_of(base), err);
}

static int function_shared(rft_gpu *base, rft_function *function, unsigned bytes, rft_err *err) {
    rft_str_addf(&scripted_of(base)->history, "shared %s %u\n", function->symbol, bytes);
    return usable(scripted_of(base), err);
}

static int occupancy(rft_gpu *base, const rft_gpu_launch *launch, int *blocks_per_sm, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    const rft_gpu_info *info = &gpu->opts.info;
    int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    int blocks = info->max_threads_per_sm / threads;
    int by_shared = (int)(info->shared_per_sm / ((int64_t)launch->shared_bytes + 1024));
    blocks = blocks < info->max_blocks_per_sm ? blocks : info->max_blocks_per_sm;
    *blocks_per_sm = blocks < by_shared ? blocks : by_shared;
    return usable(gpu, err);
}

static int tensor_map(rft_gpu *base, const rft_tensor_map *map, rft_type type, rft_device_ptr memory,
                      unsigned char out[128], rft_err *err) {
    (void)type;
    if (map->rank < 1 || map->rank > 5) {
        return rft_err_set(err, RFT_E_LIMIT, "tensor map refused: the rank must be 1 to 5");
    }
    memset(out, 0, 128);
    memcpy(out, &memory, sizeof memory);
    return usable(scripted_of(base), err);
}

/* ---- the stream ---- */

static int launch_kernel(rft_gpu *base, const rft_gpu_launch *launch, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    scripted_kernel *kernel = &gpu->kernels[launch->function->kernel];
    int rc = usable(gpu, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (gpu->recording && gpu->opts.refuses_recorded) {
        return rft_err_set(err, RFT_E_LIMIT, "launching: not while a graph is recorded");
    }
    if (gpu->recording) {
        recorded_step step = {.launch = *launch};
        for (size_t i = 0; i < gpu->opts.recorded_args && i < RECORDED_ARGS; i++) {
            step.args[i] = RFT_SCRIPTED_ARG(launch, i, rft_device_ptr);
        }
        record_step(gpu->recording, step);
        return RFT_OK;
    }
    unsigned number = kernel->launches++;
    bool faulty = kernel->fault != RFT_SCRIPTED_NO_FAULT && number >= kernel->fault_after;
    rft_str_addf(&gpu->history, "launch %s\n", launch->function->symbol);
    if (faulty && kernel->fault == RFT_SCRIPTED_REFUSED) {
        return rft_err_set(err, RFT_E_LIMIT, "launching: too many resources requested for launch");
    }
    gpu->spent_s = 0.0;
    if (faulty) {
        gpu->faulting = true;
    } else if (!gpu->faulting) {
        kernel->run(gpu, launch, kernel->self);
    }
    double time_s = kernel->time_count                         ? kernel->times_s[number % kernel->time_count]
                    : gpu->spent_s > gpu->opts.speeds.launch_s ? gpu->spent_s
                                                               : gpu->opts.speeds.launch_s;
    gpu->now_s += time_s;
    gpu->queued_s += gpu->queues && time_s > kernel->host_s ? time_s - kernel->host_s : 0.0;
    return RFT_OK;
}

static void graph_free(rft_gpu *base, rft_graph *graph) {
    if (graph) {
        scripted_of(base)->graphs--;
        free(graph->steps);
        free(graph);
    }
}

static int graph_begin(rft_gpu *base, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    if (gpu->opts.no_graphs) {
        return rft_err_set(err, RFT_E_LIMIT, "the driver has no graphs");
    }
    gpu->recording = rft_alloc(sizeof *gpu->recording);
    gpu->graphs++;
    return usable(gpu, err);
}

static int graph_end(rft_gpu *base, rft_graph **out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    *out = gpu->recording;
    gpu->recording = NULL;
    return usable(gpu, err);
}

/* The steps are told as what they are, behind "graph". */
static int graph_launch(rft_gpu *base, rft_graph *graph, rft_err *err) {
    int rc = RFT_OK;
    note(scripted_of(base), "graph");
    for (size_t i = 0; rc == RFT_OK && i < graph->count; i++) {
        recorded_step *step = &graph->steps[i];
        void *values[RECORDED_ARGS];
        for (size_t k = 0; k < RECORDED_ARGS; k++) {
            values[k] = &step->args[k];
        }
        step->launch.values = scripted_of(base)->opts.recorded_args ? values : step->launch.values;
        rc = step->launch.function ? launch_kernel(base, &step->launch, err)
                                   : set(base, step->to, step->byte, step->bytes, err);
    }
    return rc;
}

static int event_new(rft_gpu *base, rft_event **out, rft_err *err) {
    rft_scripted_gpu *gpu = scripted_of(base);
    rft_event *event = rft_alloc(sizeof *event);
    event->next = gpu->events;
    gpu->events = event;
    *out = event;
    return usable(gpu, err);
}

static int event_record(rft_gpu *base, rft_event *event, rft_err *err) {
    note(scripted_of(base), "record");
    event->at_s = scripted_of(base)->now_s;
    event->recorded = true;
    return usable(scripted_of(base), err);
}

static int event_elapsed(rft_gpu *base, rft_event *start, rft_event *stop, double *seconds, rft_err *err) {
    if (!start->recorded || !stop->recorded) {
        return rft_err_set(err, RFT_E_DEVICE, "the event was never recorded");
    }
    *seconds = stop->at_s - start->at_s;
    return wait_for_all(scripted_of(base), err);
}

static int sync_all(rft_gpu *base, rft_err *err) {
    note(scripted_of(base), "sync");
    return wait_for_all(scripted_of(base), err);
}

static bool is_sticky(rft_gpu *base) {
    return scripted_of(base)->sticky;
}

/* ---- the device ---- */

static int get_info(rft_gpu *base, rft_gpu_info *out, rft_err *err) {
    (void)err;
    *out = scripted_of(base)->opts.info;
    return RFT_OK;
}

static void describe(rft_gpu *base, rft_env *env, rft_arena *arena) {
    rft_env_set(env, arena, "gpu.name", scripted_of(base)->opts.info.name, NULL);
    rft_env_set(env, arena, "driver.version", NULL, "a scripted gpu has no driver");
}

static void close_gpu(rft_gpu *base) {
    rft_scripted_gpu_free(scripted_of(base));
}

static const rft_gpu_vt scripted_vt = {
    .close = close_gpu,
    .info = get_info,
    .describe = describe,
    .alloc = alloc,
    .free = free_memory,
    .memory_free = memory_free,
    .write = write_memory,
    .read = read_memory,
    .copy = copy,
    .set = set,
    .mapped = mapped,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .host_to_device = host_to_device,
    .device_to_host = device_to_host,
    .host_both_ways = host_both_ways,
    .module_load = module_load,
    .module_free = module_free,
    .function = find_function,
    .function_facts = function_facts,
    .function_params = function_params,
    .variable = find_variable,
    .function_shared = function_shared,
    .occupancy = occupancy,
    .tensor_map = tensor_map,
    .launch = launch_kernel,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_launch = graph_launch,
    .graph_free = graph_free,
    .event_new = event_new,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .sync = sync_all,
    .sticky = is_sticky,
};

static int64_t clock_ns(void *self) {
    rft_scripted_gpu *gpu = self;
    gpu->now_s += 1e-9;
    return (int64_t)((gpu->now_s - gpu->queued_s) * 1e9);
}

static int64_t wall_ns(void *self) {
    return 1700000000000000000 + clock_ns(self);
}

static void sleep_for(void *self, int64_t duration_ns) {
    ((rft_scripted_gpu *)self)->now_s += (double)duration_ns * 1e-9;
}

rft_scripted_opts rft_scripted_defaults(void) {
    rft_scripted_opts opts = {.clock_mhz = 1980.0,
                              .host_memory_bytes = 1ull << 30,
                              .speeds = {.dram_read = 4.2e12,
                                         .dram_write = 4.1e12,
                                         .dram_copy = 4.25e12,
                                         .dram_2to1 = 4.37e12,
                                         .l2 = 9.5e12,
                                         .l1 = 33e12,
                                         .shared = 32e12,
                                         .fp32 = 65e12,
                                         .fp64 = 32e12,
                                         .fp16 = 130e12,
                                         .sfu = 4e12,
                                         .int32 = 50e12,
                                         .atomics_shared = 8e12,
                                         .atomics_l2 = 150e9,
                                         .atomics_one = 1.7e9,
                                         .tensor_fp64 = 60e12,
                                         .tensor_tf32 = 400e12,
                                         .tensor_bf16 = 780e12,
                                         .tensor_fp16 = 770e12,
                                         .tensor_fp8 = 1500e12,
                                         .tensor_int8 = 1600e12,
                                         .h2d = 55e9,
                                         .d2h = 54e9,
                                         .both_ways = 90e9,
                                         .launch_s = 2.7e-6}};
    rft_gpu_info_for_arch(&opts.info, "sm_90a", NULL);
    opts.info.name = "Scripted GPU";
    opts.info.uuid = "GPU-scripted";
    opts.info.representative = false;
    opts.info.memory_bytes = opts.info.memory_free_bytes = 64ll << 20;
    opts.info.l2_bytes = 256 << 10;
    return opts;
}

rft_scripted_gpu *rft_scripted_gpu_new(const rft_scripted_opts *opts) {
    rft_scripted_gpu *gpu = rft_alloc(sizeof *gpu);
    gpu->gpu.vt = &scripted_vt;
    gpu->opts = opts ? *opts : rft_scripted_defaults();
    gpu->clock = (rft_clock){clock_ns, wall_ns, sleep_for, gpu};
    gpu->now_s = 100.0;
    rft_scripted_gpu_builtins(gpu);
    return gpu;
}

void rft_scripted_gpu_free(rft_scripted_gpu *gpu) {
    if (!gpu) {
        return;
    }
    free_functions(gpu, NULL);
    while (gpu->modules) {
        module_free(&gpu->gpu, gpu->modules);
    }
    while (gpu->events) {
        rft_event *next = gpu->events->next;
        free(gpu->events);
        gpu->events = next;
    }
    for (size_t i = 0; i < gpu->block_count; i++) {
        free(gpu->blocks[i].data);
    }
    for (size_t i = 0; i < gpu->mapped_count; i++) {
        free(gpu->mapped[i]);
    }
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        free(gpu->kernels[i].symbol);
        free(gpu->kernels[i].times_s);
    }
    for (size_t i = 0; i < gpu->pinned_count; i++) {
        free(gpu->pinned[i].data);
    }
    free(gpu->pinned);
    free(gpu->blocks);
    free(gpu->kernels);
    rft_str_clear(&gpu->history);
    free(gpu);
}

rft_gpu *rft_scripted_gpu_device(rft_scripted_gpu *gpu) {
    return &gpu->gpu;
}

const rft_clock *rft_scripted_gpu_clock(rft_scripted_gpu *gpu) {
    return &gpu->clock;
}
