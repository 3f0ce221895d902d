/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cupti.h - what the libcupti of tests keeps, for the program that tests harness/gpu/cupti*.c against it. The
 * environment variable FAKE_CUPTI says how it answers: "old" (of another CUDA), "privileges", "busy" (another profiler
 * is attached), "vgpu", "confidential", "chip" (one it does not know), "dropped" (it lost what it counted); anything
 * else: it counts. The value of a metric is the length of its name; each pass holds ten metrics. */
#ifndef RFT_TESTS_FAKE_CUPTI_H
#define RFT_TESTS_FAKE_CUPTI_H

typedef struct fake_cupti_state {
    int calls;             /* of every function but cuptiGetResultString */
    int hosts, profilers;  /* alive */
    int attached;          /* profilers, ever */
    int initialized;       /* cuptiProfilerInitialize less cuptiProfilerDeInitialize */
    int configs;           /* config images made */
    int started, in_range; /* in this session */
    int passes;            /* of the session's config */
} fake_cupti_state;

#endif
