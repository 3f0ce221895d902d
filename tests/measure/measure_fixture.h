/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure_fixture.h - a scripted GPU with a protocol on it, and one small point: out[i] = 2 * in[i] + inout[i].
 * Kernels: "good" computes it; tests register bad ones beside it.
 */
#ifndef RFT_TEST_MEASURE_FIXTURE_H
#define RFT_TEST_MEASURE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/protocol.h"
#include "support/scripted_compiler.h"
#include "support/scripted_gpu.h"

enum { BUFFER_ACC, BUFFER_IN, BUFFER_OUT, BUFFER_SCRATCH, BUFFER_COUNT }; /* sorted by name */
#define ELEMENTS 1000

typedef struct fixture {
    rft_arena *arena;
    rft_scripted_gpu *scripted;
    rft_gpu *gpu;
    rft_compiler *compiler;
    rft_probe *probe;
    rft_buffer buffers[BUFFER_COUNT];
    rft_arg args[4];
    rft_launch launches[3];
    rft_value problem[1];
    rft_point_spec spec;
    rft_compile_result unit, reference;
    rft_probe_request request;
    rft_probe_result result;
    rft_err err;
} fixture;

/* opts NULL: the defaults. */
void fixture_start(fixture *f, const rft_scripted_opts *opts);
void fixture_stop(fixture *f);
/* Changes the element type of all buffers. */
void fixture_type(fixture *f, rft_type type);
/* Makes the request one for the entry `name` (all launches). */
void fixture_compile(fixture *f, const char *name);
/* Its reference is this kernel, for the buffers as they are now. */
void fixture_reference(fixture *f, const char *name);
/* Both, the latter by the name "reference", and measures; the result is in f->result. */
int fixture_measure(fixture *f, const char *name);
/* Expects the call to succeed and gives the outcome. */
rft_outcome fixture_outcome(fixture *f, const char *name);

#endif
