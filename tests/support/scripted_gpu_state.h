/* SPDX-License-Identifier: Apache-2.0 */
/* scripted_gpu_state.h - what the scripted device is made of. For scripted_gpu.c, which is the device, and
 * scripted_gpu_script.c, which is told what it should do and tells what it did. */
#ifndef RFT_TESTS_SUPPORT_SCRIPTED_GPU_STATE_H
#define RFT_TESTS_SUPPORT_SCRIPTED_GPU_STATE_H

#include "support/scripted_gpu.h"

#include "base/str.h"

typedef struct scripted_kernel {
    char *symbol;
    rft_scripted_kernel run;
    void *self;
    double *times_s;
    size_t time_count;
    double host_s;
    bool has_facts, has_params;
    rft_function_facts facts;
    int params;
    const uint32_t *param_sizes; /* NULL: it does not tell */
    rft_scripted_fault fault;
    unsigned fault_after, launches;
} scripted_kernel;

typedef struct scripted_variable {
    const char *symbol;
    void *memory;
    uint64_t bytes;
} scripted_variable;

struct rft_module {
    char *cubin;
    rft_module *next;
};

struct rft_function {
    char *symbol;
    const rft_module *module;
    size_t kernel; /* index */
    rft_function *next;
};

struct rft_event {
    double at_s;
    bool recorded;
    rft_event *next;
};

/* A launch, or a memset where function is NULL. */
#define RECORDED_ARGS 4

typedef struct recorded_step {
    rft_gpu_launch launch;
    rft_device_ptr args[RECORDED_ARGS]; /* as far as opts.recorded_args says */
    rft_device_ptr to;
    uint64_t bytes;
    int byte;
} recorded_step;

struct rft_graph {
    recorded_step *steps;
    size_t count, capacity;
};

typedef struct block_of_memory {
    void *data;
    uint64_t bytes;
} block_of_memory;

struct rft_scripted_gpu {
    rft_gpu gpu;
    rft_clock clock;
    rft_scripted_opts opts;
    double now_s, spent_s;
    double queued_s; /* of now_s: the host has queued it and not waited for it yet */
    bool queues;
    double clock_since_s, cycles_before; /* when the clock was last changed, and cycles until then */
    scripted_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    scripted_variable variables[4];
    size_t variable_count;
    rft_module *modules;
    rft_function *functions;
    rft_event *events;
    block_of_memory *blocks;
    size_t block_count, block_capacity;
    block_of_memory *pinned; /* of the host */
    size_t pinned_count, pinned_capacity;
    uint64_t pinned_bytes;
    void *mapped[8];
    size_t mapped_count;
    uint64_t used_bytes;
    bool faulting, sticky;         /* faulting: the next wait finds out */
    volatile uint32_t *held_words; /* NULL: the stream runs */
    uint32_t held_ticket;
    double held_limit_s;
    rft_graph *recording; /* NULL: what is queued runs */
    int graphs;           /* alive */
    rft_str history;
    unsigned loads;
    rft_scripted_hook hook; /* NULL: none */
    void *hook_self;
    unsigned calls;
};

/* Whether a kernel registered under this name is meant: by its whole symbol, or as the family of its instances. */
bool rft_scripted_names(const char *symbol, const char *registered);

#endif
