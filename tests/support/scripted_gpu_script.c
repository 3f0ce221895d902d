/* SPDX-License-Identifier: Apache-2.0 */
/* The script of the device: what a test sets, and what it can ask afterwards. */
#include "support/scripted_gpu_state.h"

#include <string.h>

bool rft_scripted_names(const char *symbol, const char *registered) {
    size_t length = strlen(registered);
    return strncmp(symbol, registered, length) == 0 && (symbol[length] == '\0' || symbol[length] == '<');
}

/* The kernel registered under exactly this symbol; made when there is none. */
static scripted_kernel *own_kernel(rft_scripted_gpu *gpu, const char *symbol) {
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        if (strcmp(gpu->kernels[i].symbol, symbol) == 0) {
            return &gpu->kernels[i];
        }
    }
    RFT_GROW(gpu->kernels, gpu->kernel_capacity, gpu->kernel_count + 1);
    scripted_kernel *kernel = &gpu->kernels[gpu->kernel_count++];
    const scripted_kernel *family = NULL;
    *kernel = (scripted_kernel){.symbol = rft_strdup(symbol)};
    for (size_t i = 0; !family && i + 1 < gpu->kernel_count; i++) {
        family = rft_scripted_names(symbol, gpu->kernels[i].symbol) ? &gpu->kernels[i] : NULL;
    }
    if (family) { /* times or a fault for one instance: it computes what its family does */
        kernel->run = family->run;
        kernel->self = family->self;
    }
    return kernel;
}

void rft_scripted_gpu_kernel(rft_scripted_gpu *gpu, const char *symbol, rft_scripted_kernel run, void *self) {
    scripted_kernel *kernel = own_kernel(gpu, symbol);
    kernel->run = run;
    kernel->self = self;
}

void rft_scripted_gpu_times(rft_scripted_gpu *gpu, const char *symbol, const double *seconds, size_t count) {
    scripted_kernel *kernel = own_kernel(gpu, symbol);
    kernel->times_s = rft_realloc(kernel->times_s, count ? count : 1, sizeof *seconds);
    memcpy(kernel->times_s, seconds, count * sizeof *seconds);
    kernel->time_count = count;
}

void rft_scripted_gpu_host(rft_scripted_gpu *gpu, const char *symbol, double seconds) {
    own_kernel(gpu, symbol)->host_s = seconds;
    gpu->queues = true;
}

void rft_scripted_gpu_facts(rft_scripted_gpu *gpu, const char *symbol, const rft_function_facts *facts) {
    scripted_kernel *kernel = own_kernel(gpu, symbol);
    kernel->facts = *facts;
    kernel->has_facts = true;
}

void rft_scripted_gpu_params(rft_scripted_gpu *gpu, const char *symbol, int count) {
    scripted_kernel *kernel = own_kernel(gpu, symbol);
    kernel->params = count;
    kernel->has_params = true;
}

void rft_scripted_gpu_param_sizes(rft_scripted_gpu *gpu, const char *symbol, const uint32_t *sizes) {
    own_kernel(gpu, symbol)->param_sizes = sizes;
}

void rft_scripted_gpu_variable(rft_scripted_gpu *gpu, const char *symbol, void *memory, uint64_t bytes) {
    gpu->variables[gpu->variable_count++] = (scripted_variable){symbol, memory, bytes};
}

void rft_scripted_gpu_fault(rft_scripted_gpu *gpu, const char *symbol, rft_scripted_fault fault, unsigned after) {
    scripted_kernel *kernel = own_kernel(gpu, symbol);
    kernel->fault = fault;
    kernel->fault_after = kernel->launches + after;
}

void rft_scripted_spend(rft_scripted_gpu *gpu, double seconds) {
    gpu->spent_s += seconds;
}

const char *rft_scripted_symbol(const rft_gpu_launch *launch) {
    return launch->function->symbol;
}

const char *rft_scripted_cubin(const rft_gpu_launch *launch) {
    return launch->function->module->cubin;
}

void rft_scripted_gpu_on_call(rft_scripted_gpu *gpu, rft_scripted_hook hook, void *self) {
    gpu->hook = hook;
    gpu->hook_self = self;
}

unsigned rft_scripted_launches(const rft_scripted_gpu *gpu, const char *symbol) {
    unsigned launches = 0;
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        launches += rft_scripted_names(gpu->kernels[i].symbol, symbol) ? gpu->kernels[i].launches : 0;
    }
    return launches;
}

const char *rft_scripted_history(const rft_scripted_gpu *gpu) {
    return rft_str_get(&gpu->history);
}

unsigned rft_scripted_loads(const rft_scripted_gpu *gpu) {
    return gpu->loads;
}

int rft_scripted_graphs(const rft_scripted_gpu *gpu) {
    return gpu->graphs;
}

void rft_scripted_history_clear(rft_scripted_gpu *gpu) {
    rft_str_truncate(&gpu->history, 0);
}

uint64_t rft_scripted_memory_used(const rft_scripted_gpu *gpu) {
    return gpu->used_bytes;
}

const rft_scripted_opts *rft_scripted_options(const rft_scripted_gpu *gpu) {
    return &gpu->opts;
}

double rft_scripted_now_s(const rft_scripted_gpu *gpu) {
    return gpu->now_s;
}

double rft_scripted_cycles(const rft_scripted_gpu *gpu) {
    return gpu->cycles_before + (gpu->now_s - gpu->clock_since_s) * gpu->opts.clock_mhz * 1e6;
}

void rft_scripted_gpu_clock_mhz(rft_scripted_gpu *gpu, double clock_mhz) {
    gpu->cycles_before = rft_scripted_cycles(gpu);
    gpu->clock_since_s = gpu->now_s;
    gpu->opts.clock_mhz = clock_mhz;
}

void rft_scripted_block(rft_scripted_gpu *gpu, volatile uint32_t *words, uint32_t ticket, double limit_s) {
    gpu->held_words = words;
    gpu->held_ticket = ticket;
    gpu->held_limit_s = limit_s;
}
