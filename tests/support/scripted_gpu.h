/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripted_gpu.h - an rft_gpu on host memory with a clock of its own.
 *
 * A kernel is a host function registered under its symbol ("saxpy" also answers for "saxpy<4>"); it runs at launch()
 * and takes as long as the script says. Device pointers are host pointers. Nothing takes real time: host and device
 * share one clock, which only launches, waits and sleeps advance. The built-in kernels of harness/measure are
 * registered already: fill, convert, guard and compare are their very device code compiled for the host. Memory is
 * aligned as a driver's is, 2 MiB where it is large, else 512 B; around a buffer lies its padding, so that a kernel may
 * write there.
 */
#ifndef RFT_TEST_SCRIPTED_GPU_H
#define RFT_TEST_SCRIPTED_GPU_H

#include "base/clock.h"
#include "gpu/gpu.h"

typedef struct rft_scripted_gpu rft_scripted_gpu;

/* What the ceiling kernels find. Bytes or operations per second. */
typedef struct rft_scripted_speeds {
    double dram_read, dram_write, dram_copy, dram_2to1, l2, l1, shared, fp32, fp64, fp16, sfu, int32;
    double atomics_shared, atomics_l2,
        atomics_one; /* integer; fp32: half of it. One address, of a device and of an SM */
    double tensor_fp64, tensor_tf32, tensor_bf16, tensor_fp16, tensor_fp8, tensor_int8;
    double h2d, d2h, both_ways; /* both_ways: of the two together */
    double launch_s;            /* least time of any kernel */
} rft_scripted_speeds;

typedef struct rft_scripted_opts {
    rft_gpu_info info;          /* memory_bytes is what alloc() has to give */
    double clock_mhz;           /* of the SMs; 0: stamps are not plausible */
    bool no_graphs;             /* nothing can be recorded */
    bool refuses_recorded;      /* a launch fails while a graph is recorded */
    size_t recorded_args;       /* addresses that a graph keeps of each launch; the others are those of its last aim */
    uint64_t host_memory_bytes; /* what host_alloc() has to give */
    rft_scripted_speeds speeds;
} rft_scripted_opts;

/* An sm_90a device of 132 SMs with 64 MiB of memory, 256 KiB of L2 and an H200's speeds. */
rft_scripted_opts rft_scripted_defaults(void);

/* opts NULL: the defaults. Never fails. */
rft_scripted_gpu *rft_scripted_gpu_new(const rft_scripted_opts *opts);
void rft_scripted_gpu_free(rft_scripted_gpu *gpu); /* the same as vt->close of its device */
rft_gpu *rft_scripted_gpu_device(rft_scripted_gpu *gpu);
const rft_clock *rft_scripted_gpu_clock(rft_scripted_gpu *gpu);

/* ---- kernels ---- */
typedef void (*rft_scripted_kernel)(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self);
/* Replaces an earlier kernel of this symbol. */
void rft_scripted_gpu_kernel(rft_scripted_gpu *gpu, const char *symbol, rft_scripted_kernel run, void *self);
/* The n-th launch of the symbol takes seconds[n % count]. Copied. */
void rft_scripted_gpu_times(rft_scripted_gpu *gpu, const char *symbol, const double *seconds, size_t count);
/* From now on the host goes on while the device works, until it waits; so much of each launch of this symbol is the
 * host's. */
void rft_scripted_gpu_host(rft_scripted_gpu *gpu, const char *symbol, double seconds);
void rft_scripted_gpu_facts(rft_scripted_gpu *gpu, const char *symbol, const rft_function_facts *facts);
/* What the kernel says it takes; without this it does not tell. */
void rft_scripted_gpu_params(rft_scripted_gpu *gpu, const char *symbol, int count);
/* And of how many bytes each; borrowed. */
void rft_scripted_gpu_param_sizes(rft_scripted_gpu *gpu, const char *symbol, const uint32_t *sizes);
/* A variable of every module, in memory of the caller's; four at most. */
void rft_scripted_gpu_variable(rft_scripted_gpu *gpu, const char *symbol, void *memory, uint64_t bytes);
/* Called from a kernel: this launch takes `seconds` (unless times are given). */
void rft_scripted_spend(rft_scripted_gpu *gpu, double seconds);
/* The full symbol of a launch ("saxpy<4>"), and the text of its cubin, which lists the options it was compiled with. */
const char *rft_scripted_symbol(const rft_gpu_launch *launch);
const char *rft_scripted_cubin(const rft_gpu_launch *launch);
/* The i-th argument. */
#define RFT_SCRIPTED_ARG(launch, i, type) (*(const type *)(launch)->values[i])
#define RFT_SCRIPTED_POINTER(launch, i, type) ((type *)(uintptr_t)RFT_SCRIPTED_ARG(launch, i, rft_device_ptr))

/* The SMs' clock from now on. */
void rft_scripted_gpu_clock_mhz(rft_scripted_gpu *gpu, double clock_mhz);

/* ---- faults ---- */
typedef enum rft_scripted_fault {
    RFT_SCRIPTED_NO_FAULT,
    RFT_SCRIPTED_REFUSED, /* launch() fails; the device lives on */
    RFT_SCRIPTED_ILLEGAL  /* the next wait fails with an illegal address, and everything after it */
} rft_scripted_fault;
/* From the launch number `after` (0 = the first) of the symbol on. */
void rft_scripted_gpu_fault(rft_scripted_gpu *gpu, const char *symbol, rft_scripted_fault fault, unsigned after);

/* Called at every step through the device's table, with the number of the step (the first is 1). NULL: no more. */
typedef void (*rft_scripted_hook)(void *self, unsigned call);
void rft_scripted_gpu_on_call(rft_scripted_gpu *gpu, rft_scripted_hook hook, void *self);

/* ---- what happened ---- */
unsigned rft_scripted_launches(const rft_scripted_gpu *gpu, const char *symbol);
/* Launches and copies in order, one a line ("launch saxpy<4>", "copy 64", "set 255 64", "record", "sync"). */
const char *rft_scripted_history(const rft_scripted_gpu *gpu);
int rft_scripted_graphs(const rft_scripted_gpu *gpu);     /* recorded and not freed */
unsigned rft_scripted_loads(const rft_scripted_gpu *gpu); /* modules loaded so far */
void rft_scripted_history_clear(rft_scripted_gpu *gpu);
uint64_t rft_scripted_memory_used(const rft_scripted_gpu *gpu);

/* Registers the built-in kernels; rft_scripted_gpu_new() does so. */
void rft_scripted_gpu_builtins(rft_scripted_gpu *gpu);
/* For the built-in kernels. */
const rft_scripted_opts *rft_scripted_options(const rft_scripted_gpu *gpu);
double rft_scripted_now_s(const rft_scripted_gpu *gpu);
/* SM cycles since the beginning. */
double rft_scripted_cycles(const rft_scripted_gpu *gpu);
/* The stream stands still until words[0] has come to the ticket; waiting for it longer than limit_s sets words[1] or
 * words[2], as device/block.cu does. */
void rft_scripted_block(rft_scripted_gpu *gpu, volatile uint32_t *words, uint32_t ticket, double limit_s);

#endif
