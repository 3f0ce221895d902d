/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory, L2, L1 and shared memory. */
#include "measure/ceilings.h"
#include "measure/embedded.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* Writes still in the L2 when a kernel ends are not seen by its time: 60 MiB are 6 % of 1 GiB and 1.5 % of 4. */
#define BUFFER_BYTES (4ull << 30)
#define ROUND_BYTES (1ull << 20) /* a multiple of every chunk below */
#define L2_SHARE 0.4             /* Hopper keeps lines of the far half twice: half of the L2 is what fits for certain */

static const int flights[] = {1, 2, 4, 8};
static const unsigned block_sizes[] = {256, 512, 1024};
static const char *const hint_texts[] = {"", ", streaming", ", read-only path with 256-byte L2 fetch"};

enum { FLIGHTS = 4, HINTS = 3, WRITE_HINTS = 2, BLOCK_SIZES = 3, GRIDS = 2, LOCAL_FLIGHTS = 3, STRONGS = 2 };
enum { READ, WRITE, COPY, TWO_TO_ONE, OPERATIONS };

typedef struct operation {
    const char *kernel, *text;
    rft_ceiling_id id;
    int hints, buffers; /* buffers moved: bytes = buffers * size */
} operation;

static const operation operations[OPERATIONS] = {
    [READ] = {"rft_dram_read", "read", RFT_CEILING_DRAM_READ, HINTS, 1},
    [WRITE] = {"rft_dram_write", "write", RFT_CEILING_DRAM_WRITE, WRITE_HINTS, 1},
    [COPY] = {"rft_dram_copy", "copy", RFT_CEILING_DRAM_COPY, HINTS, 2},
    [TWO_TO_ONE] = {"rft_dram_2to1", "a = b * s + c", RFT_CEILING_DRAM_2TO1, HINTS, 3},
};

enum {
    DRAM_NAMES = (3 * HINTS + WRITE_HINTS) * FLIGHTS,
    L2_FIRST = DRAM_NAMES,
    L1_FIRST = L2_FIRST + LOCAL_FLIGHTS * STRONGS,
    SHARED_FIRST = L1_FIRST + 1,
    NAMES = SHARED_FIRST + 1
};

typedef struct memory_benches {
    rft_protocol *p;
    rft_arena *arena;
    rft_module *module;
    rft_function *functions[NAMES];
    rft_device_ptr a, b, c;
    uint64_t bytes, vectors; /* of each buffer */
    uint32_t never;
    uint32_t turn; /* 0, unknown to the compiler */
    float s;
    rft_bench *benches;
    size_t count;
} memory_benches;

static void list_names(rft_arena *arena, const char **names) {
    size_t n = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        for (int f = 0; f < FLIGHTS; f++) {
            for (int h = 0; h < operations[op].hints; h++) {
                names[n++] = rft_arena_printf(arena, "%s<%d, %d>", operations[op].kernel, flights[f], h);
            }
        }
    }
    for (int f = 1; f <= LOCAL_FLIGHTS; f++) {
        for (int strong = 0; strong < STRONGS; strong++) {
            names[n++] = rft_arena_printf(arena, "rft_l2_read<%d, %d>", flights[f], strong);
        }
    }
    names[n++] = "rft_l1_read<4>";
    names[n++] = "rft_shared_read<4>";
}

static int load(memory_benches *m, rft_err *err) {
    const char *names[NAMES];
    const unsigned char *texts[] = {rft_embedded_ceiling_memory_cu};
    list_names(m->arena, names);
    rft_kernel_group group = {"rooftune_ceiling_memory.cu", texts, 1, names, NAMES};
    return rft_kernels_load(m->p, &group, &m->module, m->functions, err);
}

/* 4 GiB each, a quarter of what is free where that is less, never under four times the L2. */
static int take_buffers(memory_benches *m, rft_err *err) {
    rft_protocol *p = m->p;
    uint64_t free_bytes = 0, least = 4 * (uint64_t)p->info.l2_bytes;
    int rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    m->bytes = free_bytes / 4 < BUFFER_BYTES ? free_bytes / 4 : BUFFER_BYTES;
    m->bytes = m->bytes < least ? least : m->bytes;
    m->bytes = (m->bytes + ROUND_BYTES - 1) / ROUND_BYTES * ROUND_BYTES;
    m->vectors = m->bytes / 16;
    rft_device_ptr *buffers[] = {&m->a, &m->b, &m->c};
    for (int i = 0; rc == RFT_OK && i < 3; i++) {
        const char *const names[] = {"a", "b", "c"};
        rft_buffer buffer = {.name = names[i],
                             .type = RFT_TYPE_F32,
                             .count = m->bytes / 4,
                             .fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0}};
        rc = p->gpu->vt->alloc(p->gpu, m->bytes, buffers[i], err);
        if (rc == RFT_OK) {
            rc = rft_kernel_fill(p, &buffer, 1, *buffers[i], err);
        }
    }
    return rc;
}

static void set_values(rft_bench *bench, void *const *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bench->values[i] = values[i];
    }
}

static void set_dram_values(memory_benches *m, rft_bench *bench, int op) {
    void *const read_values[] = {&m->a, &m->vectors, &m->never, &m->p->partials};
    void *const write_values[] = {&m->a, &m->vectors, &m->never};
    void *const copy_values[] = {&m->a, &m->b, &m->vectors};
    void *const axpy_values[] = {&m->a, &m->b, &m->c, &m->vectors, &m->s};
    switch (op) {
    case READ:
        set_values(bench, read_values, 4);
        break;
    case WRITE:
        set_values(bench, write_values, 3);
        break;
    case COPY:
        set_values(bench, copy_values, 3);
        break;
    default:
        set_values(bench, axpy_values, 5);
        break;
    }
}

/* One function with every block size, once with a block for each chunk and once with as many blocks as fit. */
static int add_dram(memory_benches *m, int op, int flight, int hint, rft_function *function, rft_err *err) {
    char size[32];
    rft_units_format_bytes(size, sizeof size, m->bytes);
    for (int b = 0; b < BLOCK_SIZES; b++) {
        unsigned chunks = (unsigned)(m->vectors / ((uint64_t)flights[flight] * block_sizes[b])), resident = 0;
        int rc = rft_bench_resident(m->p, function, block_sizes[b], &resident, err);
        if (rc != RFT_OK) {
            return rc;
        }
        for (int g = 0; g < GRIDS; g++) {
            rft_bench *bench = &m->benches[m->count++];
            unsigned blocks = g == 0 || resident > chunks ? chunks : resident;
            *bench = (rft_bench){.function = function,
                                 .grid = {blocks, block_sizes[b]},
                                 .amount = (double)m->bytes * operations[op].buffers};
            bench->text = rft_arena_printf(
                m->arena, "%s, 16-byte accesses, %d in flight a thread%s, %u blocks of %u threads, %d x %s",
                operations[op].text, flights[flight], hint_texts[hint], blocks, block_sizes[b], operations[op].buffers,
                size);
            set_dram_values(m, bench, op);
        }
    }
    return RFT_OK;
}

static int measure_dram(memory_benches *m, rft_ceilings *out, rft_err *err) {
    size_t name = 0;
    int rc = take_buffers(m, err);
    for (int op = 0; rc == RFT_OK && op < OPERATIONS; op++) {
        m->count = 0;
        for (int f = 0; rc == RFT_OK && f < FLIGHTS; f++) {
            for (int h = 0; rc == RFT_OK && h < operations[op].hints; h++) {
                rc = add_dram(m, op, f, h, m->functions[name++], err);
            }
        }
        if (rc == RFT_OK) {
            rc = rft_bench_best(m->p, m->benches, m->count, RFT_CACHE_COLD, &out->items[operations[op].id], err);
        }
    }
    return rc;
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Coprime to the number of chunks, so that a block meets all of them, and far from 1. */
static uint32_t stride_for(uint32_t chunks) {
    uint32_t stride = (uint32_t)((double)chunks * 0.618);
    while (stride > 1 && greatest_divisor(chunks, stride) != 1) {
        stride--;
    }
    return stride > 0 ? stride : 1;
}

typedef struct l2_shape {
    uint32_t chunks, stride;
} l2_shape;

static int add_l2(memory_benches *m, int flight, int strong, rft_function *function, rft_err *err) {
    for (int b = 1; b < BLOCK_SIZES; b++) {
        uint64_t chunk_bytes = (uint64_t)flights[flight] * block_sizes[b] * 16, set_bytes;
        l2_shape *shape = rft_arena_alloc(m->arena, sizeof *shape);
        shape->chunks = (uint32_t)((double)m->p->info.l2_bytes * L2_SHARE / (double)chunk_bytes);
        if (shape->chunks < 2 || (set_bytes = shape->chunks * chunk_bytes) > m->bytes) {
            continue;
        }
        shape->stride = stride_for(shape->chunks);
        unsigned resident = 0;
        int rc = rft_bench_resident(m->p, function, block_sizes[b], &resident, err);
        if (rc != RFT_OK) {
            return rc;
        }
        rft_bench *bench = &m->benches[m->count++];
        char size[32];
        rft_units_format_bytes(size, sizeof size, set_bytes);
        *bench = (rft_bench){.function = function,
                             .grid = {resident, block_sizes[b]},
                             .steps = 1,
                             .amount_per_step = (double)resident * (double)chunk_bytes};
        bench->text =
            rft_arena_printf(m->arena,
                             "read, 16-byte loads past L1%s, %d in flight a thread, %u blocks of %u threads, "
                             "%s again and again",
                             strong ? " (.cg)" : " (no_allocate)", flights[flight], resident, block_sizes[b], size);
        void *const values[] = {&m->a, &shape->chunks, &shape->stride, &bench->steps, &m->never, &m->p->partials};
        set_values(bench, values, 6);
    }
    return RFT_OK;
}

static int measure_l2(memory_benches *m, rft_ceiling *out, rft_err *err) {
    size_t name = L2_FIRST;
    int rc = RFT_OK;
    m->count = 0;
    for (int f = 1; rc == RFT_OK && f <= LOCAL_FLIGHTS; f++) {
        for (int strong = 0; rc == RFT_OK && strong < STRONGS; strong++) {
            rc = add_l2(m, f, strong, m->functions[name++], err);
        }
    }
    if (rc == RFT_OK && m->count == 0) {
        out->reason = "the L2 is too small for the kernel's working set";
        return RFT_OK;
    }
    return rc == RFT_OK ? rft_bench_best(m->p, m->benches, m->count, RFT_CACHE_HOT, out, err) : rc;
}

/* L1 and shared memory: 4 loads a thread of the same 16 bytes each, again and again. */
static int measure_local(memory_benches *m, bool shared, rft_ceiling *out, rft_err *err) {
    rft_function *function = m->functions[shared ? SHARED_FIRST : L1_FIRST];
    m->count = 0;
    for (int b = 1; b < (shared ? 2 : BLOCK_SIZES); b++) { /* the shared kernel is written for 512 threads */
        unsigned resident = 0;
        int rc = rft_bench_resident(m->p, function, block_sizes[b], &resident, err);
        if (rc != RFT_OK) {
            return rc;
        }
        rft_bench *bench = &m->benches[m->count++];
        *bench = (rft_bench){.function = function,
                             .grid = {resident, block_sizes[b]},
                             .steps = 1,
                             .amount_per_step = (double)resident * block_sizes[b] * 4 * 16};
        bench->text = rft_arena_printf(m->arena,
                                       "read, 16-byte loads, 4 in flight a thread, %u blocks of %u threads, "
                                       "the same %u KiB again and again",
                                       resident, block_sizes[b], block_sizes[b] * 4 * 16 / 1024);
        void *const l1_values[] = {&m->a, &bench->steps, &m->turn, &m->never, &m->p->partials};
        set_values(bench, shared ? l1_values + 1 : l1_values, shared ? 4 : 5);
    }
    return rft_bench_best(m->p, m->benches, m->count, RFT_CACHE_HOT, out, err);
}

static int measure_all(memory_benches *m, rft_ceilings *out, rft_err *err) {
    int rc = load(m, err);
    if (rc == RFT_OK) {
        rc = measure_dram(m, out, err);
    }
    if (rc == RFT_OK) {
        rc = measure_l2(m, &out->items[RFT_CEILING_L2_READ], err);
    }
    if (rc == RFT_OK) {
        rc = measure_local(m, false, &out->items[RFT_CEILING_L1_READ], err);
    }
    return rc == RFT_OK ? measure_local(m, true, &out->items[RFT_CEILING_SHARED_READ], err) : rc;
}

int rft_ceilings_memory(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    memory_benches m = {.p = p, .arena = arena, .never = 0x7FEDCBA9u, .s = 1.5f};
    rft_device_ptr *buffers[] = {&m.a, &m.b, &m.c};
    rft_err failure = RFT_ERR_INIT;
    m.benches = rft_arena_calloc(arena, (size_t)FLIGHTS * HINTS * BLOCK_SIZES * GRIDS, sizeof *m.benches);
    int rc = measure_all(&m, out, &failure);
    if (rc != RFT_OK) {
        rc = rft_ceilings_excuse(p, arena, &out->items[RFT_CEILING_DRAM_READ],
                                 RFT_CEILING_SHARED_READ - RFT_CEILING_DRAM_READ + 1, &failure, err);
    }
    for (int i = 0; rc == RFT_OK && i < 3; i++) {
        if (*buffers[i]) {
            p->gpu->vt->free(p->gpu, *buffers[i]);
        }
    }
    if (rc == RFT_OK && m.module) {
        p->gpu->vt->module_free(p->gpu, m.module);
    }
    return rc;
}
