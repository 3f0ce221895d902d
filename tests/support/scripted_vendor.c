/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted_vendor.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define CUBIN "scripted vendor\nentry vendor\n"

typedef struct scripted_vendor {
    rft_vendor base;
    rft_scripted_gpu *scripted;
    rft_gpu *gpu;
    const rft_scripted_vendor_opts *opts;
    rft_module *module;
    rft_function *function;
} scripted_vendor;

/* One multiplication, as its kernel gets it. */
typedef struct multiplication {
    const scripted_vendor *vendor;
    rft_vendor_matmul matmul;
    rft_vendor_buffers buffers;
    int algo;
} multiplication;

static int alive;

int rft_scripted_vendors_alive(void) {
    return alive;
}

static size_t at(rft_vendor_order order, int64_t row, int64_t column, int64_t rows, int64_t columns) {
    return (size_t)(order == RFT_VENDOR_ROW ? row * columns + column : column * rows + row);
}

static void multiply(const rft_vendor_matmul *m, const float *a, const float *b, float *d) {
    for (int64_t i = 0; i < m->m; i++) {
        for (int64_t j = 0; j < m->n; j++) {
            float sum = 0.0f;
            for (int64_t k = 0; k < m->k; k++) {
                sum += a[at(m->a_order, i, k, m->m, m->k)] * b[at(m->b_order, k, j, m->k, m->n)];
            }
            d[at(m->d_order, i, j, m->m, m->n)] = sum;
        }
    }
}

static void run(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    const multiplication *job = &RFT_SCRIPTED_ARG(launch, 0, multiplication);
    const rft_scripted_vendor_opts *opts = job->vendor->opts;
    float *d = (float *)(uintptr_t)job->buffers.d;
    (void)self;
    (opts->compute ? opts->compute : multiply)(&job->matmul, (const float *)(uintptr_t)job->buffers.a,
                                               (const float *)(uintptr_t)job->buffers.b, d);
    if (opts->wrong == job->algo + 1) {
        d[0] += 1.0f;
    }
    if (opts->workspace_bytes) { /* it is there */
        memset((void *)(uintptr_t)job->buffers.workspace, 0x55, opts->workspace_bytes);
    }
    rft_scripted_spend(gpu, opts->seconds[job->algo]);
}

static void close_vendor(rft_vendor *base) {
    scripted_vendor *vendor = (scripted_vendor *)base;
    vendor->gpu->vt->module_free(vendor->gpu, vendor->module);
    free(vendor);
    alive--;
}

static const char *version(rft_vendor *base) {
    (void)base;
    return "cuBLASLt 99.1.2, /where/it/is";
}

static int plan(rft_vendor *base, const rft_vendor_matmul *matmul, rft_vendor_plan **out, rft_err *err) {
    const rft_scripted_vendor_opts *opts = ((const scripted_vendor *)base)->opts;
    *out = NULL;
    if (opts->no_plan) {
        rft_err_set(err, RFT_E_LIMIT, "%s", opts->no_plan);
        return rft_err_remedy(err, "take other sizes");
    }
    rft_vendor_plan *made = rft_alloc(sizeof *made);
    made->matmul = *matmul;
    made->algo_count = (size_t)opts->algo_count;
    made->workspace_bytes = opts->workspace_bytes;
    for (int i = 0; i < opts->algo_count; i++) {
        rft_text_format(made->algos[i].name, sizeof made->algos[i].name, "algo %d", 60 + i);
    }
    alive++;
    *out = made;
    return RFT_OK;
}

static void plan_free(rft_vendor *base, rft_vendor_plan *made) {
    (void)base;
    alive -= made ? 1 : 0;
    free(made);
}

static int launch(rft_vendor *base, const rft_vendor_plan *made, size_t algo, const rft_vendor_buffers *buffers,
                  rft_err *err) {
    scripted_vendor *vendor = (scripted_vendor *)base;
    if (vendor->opts->refused == (int)algo + 1) {
        return rft_err_set(err, RFT_E_LIMIT, "cuBLASLt refuses %s", made->algos[algo].name);
    }
    multiplication job = {vendor, made->matmul, *buffers, (int)algo};
    void *values[] = {&job};
    const rft_gpu_launch bound = {
        .function = vendor->function, .grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}, .values = values};
    return vendor->gpu->vt->launch(vendor->gpu, &bound, err);
}

rft_vendor *rft_scripted_vendor_new(rft_scripted_gpu *gpu, const rft_scripted_vendor_opts *opts) {
    static const rft_vendor_vt vtable = {close_vendor, version, plan, plan_free, launch};
    scripted_vendor *vendor = rft_alloc(sizeof *vendor);
    rft_err err = RFT_ERR_INIT;
    *vendor = (scripted_vendor){.base = {&vtable}, .scripted = gpu, .gpu = rft_scripted_gpu_device(gpu), .opts = opts};
    rft_scripted_gpu_kernel(gpu, "vendor", run, NULL);
    if (vendor->gpu->vt->module_load(vendor->gpu, CUBIN, sizeof CUBIN, &vendor->module, &err) != RFT_OK ||
        vendor->gpu->vt->function(vendor->gpu, vendor->module, "vendor", &vendor->function, &err) != RFT_OK) {
        abort();
    }
    alive++;
    return &vendor->base;
}
