/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cuda.h - what the libcuda.so.1 of tests keeps, for the program that tests harness/gpu/driver*.c against it. The
 * environment variable FAKE_CUDA says how it answers: "old" (a driver of an older CUDA), "none" (no device), "fabric"
 * (the machine is not ready), "volta" (of compute capability 7.0); "pairs" (a device reaches its neighbour alone);
 * anything else: any. FAKE_DEVICES is how many there are (1), FAKE_NAME their name. A kernel named "fault" faults when
 * the stream is waited for.
 */
#ifndef RFT_TESTS_FAKE_CUDA_H
#define RFT_TESTS_FAKE_CUDA_H

#include <cuda.h>

#define FAKE_CONTEXT 0x1000 /* of device 0 */

typedef struct fake_cuda_state {
    int calls_after_fault; /* calls other than for error texts, after the first error was given out */
    int contexts, streams, events, modules, allocations, host_allocations; /* alive */
    size_t persisting_bytes;                                               /* the limit in force */
    int non_portable;                                                      /* clusters beyond 8 allowed */
    int shared_allowed;                                                    /* bytes */
    CUlaunchConfig launch;                                                 /* the last one */
    CUlaunchAttribute attributes[8];
    int capturing, graphs /* alive, and recordings of them */, graph_launches;
    int waits;             /* of a stream for an event */
    int current;           /* the device whose context is */
    unsigned peers[8];     /* a bit for each device whose memory it may write to */
    int peer_copies[8][8]; /* from, to */
    int argument;          /* the first argument of the last launch, read as int */
} fake_cuda_state;

#endif
