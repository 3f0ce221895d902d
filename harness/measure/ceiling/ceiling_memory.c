/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ceiling/ceiling_memory.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/embedded.h"
#include "measure/sampling.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes still in the L2 when a kernel ends are not seen by its time: 60 MiB are 6 % of 1 GiB and 1.5 % of 4. */
#define BUFFER_BYTES (4ull << 30)
#define PART_OF_BUFFER 8         /* what a kernel is tried on: an eighth, */
#define PART_OF_L2 10            /* and this many times the L2 */
#define ROUND_BYTES (1ull << 20) /* a multiple of every chunk below */
#define L2_SHARE 0.4             /* Hopper keeps lines of the far half twice: half of the L2 is what fits for certain */

static const int flights[] = {1, 2, 4, 8};
static const unsigned block_sizes[] = {256, 512, 1024};
static const char *const hint_texts[] = {"", ", streaming", ", read-only path with 256-byte L2 fetch"};

enum { FLIGHTS = 4, HINTS = 3, WRITE_HINTS = 2, BLOCK_SIZES = 3, GRIDS = 2, LOCAL_FLIGHTS = 3, STRONGS = 2 };
enum { READ, WRITE, COPY, TWO_TO_ONE, OPERATIONS };

typedef struct operation {
    const char *kernel, *title, *text;
    rft_ceiling_id id;
    int hints, buffers; /* buffers moved: bytes = buffers * size */
} operation;

static const operation operations[OPERATIONS] = {
    [READ] = {"rft_dram_read", "rooftune_ceiling_read.cu", "read", RFT_CEILING_DRAM_READ, HINTS, 1},
    [WRITE] = {"rft_dram_write", "rooftune_ceiling_write.cu", "write", RFT_CEILING_DRAM_WRITE, WRITE_HINTS, 1},
    [COPY] = {"rft_dram_copy", "rooftune_ceiling_copy.cu", "copy", RFT_CEILING_DRAM_COPY, HINTS, 2},
    [TWO_TO_ONE] = {"rft_dram_2to1", "rooftune_ceiling_2to1.cu", "a = b * s + c", RFT_CEILING_DRAM_2TO1, HINTS, 3},
};

enum {
    DRAM_NAMES = HINTS * FLIGHTS, /* at most, of one operation */
    L2_NAMES = LOCAL_FLIGHTS * STRONGS,
    LOCAL_NAMES = L2_NAMES + 2, /* L1 and shared memory behind it */
    UNITS = OPERATIONS + 1      /* one an operation, one for what is nearer than device memory */
};

typedef struct memory_benches {
    rft_protocol *p;
    rft_arena *arena;
    rft_kernel_group groups[UNITS];
    rft_function *functions[DRAM_NAMES]; /* of the unit in hand */
    rft_device_ptr a, b, c;
    uint64_t bytes, part_bytes; /* of each buffer; of it, when tried */
    uint32_t never;
    uint32_t turn; /* 0, unknown to the compiler */
    float s;
    rft_bench *benches;
    size_t count;
} memory_benches;

_Static_assert(LOCAL_NAMES <= DRAM_NAMES, "room for the functions of every unit");

static rft_kernel_group dram_group(rft_arena *arena, int op) {
    static const unsigned char *const texts[] = {rft_embedded_ceiling_memory_cu};
    const char **names = rft_arena_calloc(arena, DRAM_NAMES, sizeof *names);
    size_t n = 0;
    for (int f = 0; f < FLIGHTS; f++) {
        for (int h = 0; h < operations[op].hints; h++) {
            names[n++] = rft_arena_printf(arena, "%s<%d, %d>", operations[op].kernel, flights[f], h);
        }
    }
    return (rft_kernel_group){operations[op].title, texts, 1, names, n, RFT_CEILING_BIT(operations[op].id)};
}

static rft_kernel_group local_group(rft_arena *arena) {
    static const unsigned char *const texts[] = {rft_embedded_ceiling_memory_cu};
    const char **names = rft_arena_calloc(arena, LOCAL_NAMES, sizeof *names);
    size_t n = 0;
    for (int f = 1; f <= LOCAL_FLIGHTS; f++) {
        for (int strong = 0; strong < STRONGS; strong++) {
            names[n++] = rft_arena_printf(arena, "rft_l2_read<%d, %d>", flights[f], strong);
        }
    }
    names[n++] = "rft_l1_read<4>";
    names[n++] = "rft_shared_read<4>";
    const rft_ceiling_set near = RFT_CEILING_BIT(RFT_CEILING_L2_READ) | RFT_CEILING_BIT(RFT_CEILING_L1_READ) |
                                 RFT_CEILING_BIT(RFT_CEILING_SHARED_READ);
    return (rft_kernel_group){"rooftune_ceiling_local.cu", texts, 1, names, n, near};
}

void rft_ceilings_memory_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count) {
    for (int op = 0; op < OPERATIONS; op++) {
        groups[(*count)++] = dram_group(arena, op);
    }
    groups[(*count)++] = local_group(arena);
}

static uint64_t round_up(uint64_t bytes) {
    return (bytes + ROUND_BYTES - 1) / ROUND_BYTES * ROUND_BYTES;
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
    m->bytes = round_up(m->bytes);
    m->part_bytes = round_up(m->bytes / PART_OF_BUFFER);
    uint64_t dwarfing = round_up(PART_OF_L2 * (uint64_t)p->info.l2_bytes);
    m->part_bytes = m->part_bytes < dwarfing ? dwarfing : m->part_bytes;
    m->part_bytes = m->part_bytes < m->bytes ? m->part_bytes : m->bytes;
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
    void *const read_values[] = {&m->a, &bench->vectors, &m->never, &m->p->builtins.partials};
    void *const write_values[] = {&m->a, &bench->vectors, &m->never};
    void *const copy_values[] = {&m->a, &m->b, &bench->vectors};
    void *const axpy_values[] = {&m->a, &m->b, &m->c, &bench->vectors, &m->s};
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

static rft_bench_size dram_size(int op, int flight, uint64_t bytes, unsigned threads, unsigned resident) {
    unsigned chunks = (unsigned)(bytes / 16 / ((uint64_t)flights[flight] * threads));
    unsigned blocks = resident == 0 || resident > chunks ? chunks : resident;
    return (rft_bench_size){{blocks, threads}, bytes / 16, (double)bytes * operations[op].buffers};
}

/* One function with every block size, once with a block for each chunk and once with as many blocks as fit. */
static int add_dram(memory_benches *m, int op, int flight, int hint, rft_function *function, rft_err *err) {
    char size[32];
    rft_units_format_bytes(size, sizeof size, m->bytes);
    for (int b = 0; b < BLOCK_SIZES; b++) {
        unsigned threads = block_sizes[b], resident = 0;
        int rc = rft_bench_resident(m->p, function, threads, &resident, err);
        if (rc != RFT_OK) {
            return rc;
        }
        for (int g = 0; g < GRIDS; g++) {
            rft_bench *bench = &m->benches[m->count++];
            const rft_bench_size whole = dram_size(op, flight, m->bytes, threads, g ? resident : 0);
            *bench = (rft_bench){.function = function,
                                 .grid = whole.grid,
                                 .vectors = whole.vectors,
                                 .amount = whole.amount,
                                 .part = dram_size(op, flight, m->part_bytes, threads, g ? resident : 0)};
            bench->text = rft_arena_printf(
                m->arena, "%s, 16-byte accesses, %d in flight a thread%s, %u blocks of %u threads, %d x %s",
                operations[op].text, flights[flight], hint_texts[hint], whole.grid.blocks, threads,
                operations[op].buffers, size);
            set_dram_values(m, bench, op);
        }
    }
    return RFT_OK;
}

static int measure_dram(memory_benches *m, int op, rft_ceilings *out, rft_err *err) {
    size_t name = 0;
    int rc = RFT_OK;
    m->count = 0;
    for (int f = 0; rc == RFT_OK && f < FLIGHTS; f++) {
        for (int h = 0; rc == RFT_OK && h < operations[op].hints; h++) {
            rc = add_dram(m, op, f, h, m->functions[name++], err);
        }
    }
    return rc == RFT_OK
               ? rft_bench_best(m->p, m->benches, m->count, RFT_CACHE_COLD, &out->items[operations[op].id], err)
               : rc;
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
        void *const values[] = {&m->a,         &shape->chunks, &shape->stride,
                                &bench->steps, &m->never,      &m->p->builtins.partials};
        set_values(bench, values, 6);
    }
    return RFT_OK;
}

static int measure_l2(memory_benches *m, rft_ceiling *out, rft_err *err) {
    size_t name = 0;
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
    rft_function *function = m->functions[L2_NAMES + (shared ? 1 : 0)];
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
        void *const l1_values[] = {&m->a, &bench->steps, &m->turn, &m->never, &m->p->builtins.partials};
        set_values(bench, shared ? l1_values + 1 : l1_values, shared ? 4 : 5);
    }
    return rft_bench_best(m->p, m->benches, m->count, RFT_CACHE_HOT, out, err);
}

static int measure_near(memory_benches *m, rft_ceilings *out, rft_err *err) {
    int rc = RFT_OK;
    if (rft_ceilings_asked(m->p, RFT_CEILING_L2_READ)) {
        rc = measure_l2(m, &out->items[RFT_CEILING_L2_READ], err);
    }
    if (rc == RFT_OK && rft_ceilings_asked(m->p, RFT_CEILING_L1_READ)) {
        rc = measure_local(m, false, &out->items[RFT_CEILING_L1_READ], err);
    }
    if (rc == RFT_OK && rft_ceilings_asked(m->p, RFT_CEILING_SHARED_READ)) {
        rc = measure_local(m, true, &out->items[RFT_CEILING_SHARED_READ], err);
    }
    return rc;
}

static int measure_unit(memory_benches *m, int unit, rft_ceilings *out, rft_err *err) {
    rft_module *module = NULL;
    int rc = rft_kernels_load(m->p, &m->groups[unit], &module, m->functions, err);
    if (rc == RFT_OK) {
        rc = unit < OPERATIONS ? measure_dram(m, unit, out, err) : measure_near(m, out, err);
    }
    if (module && !m->p->gpu->vt->sticky(m->p->gpu)) {
        m->p->gpu->vt->module_free(m->p->gpu, module);
    }
    return rc;
}

/* What a unit cannot measure does not keep the others from theirs. */
static int measure_all(memory_benches *m, rft_ceilings *out, rft_err *err) {
    enum { NEAR = RFT_CEILING_SHARED_READ - RFT_CEILING_L2_READ + 1 };
    rft_err failure = RFT_ERR_INIT;
    int rc = take_buffers(m, &failure);
    if (rc != RFT_OK) {
        return rft_ceilings_excuse(m->p, m->arena, &out->items[RFT_CEILING_DRAM_READ],
                                   RFT_CEILING_SHARED_READ - RFT_CEILING_DRAM_READ + 1, &failure, err);
    }
    for (int unit = 0; rc == RFT_OK && unit < UNITS; unit++) {
        bool near = unit == OPERATIONS;
        rft_ceiling *first = &out->items[near ? RFT_CEILING_L2_READ : operations[unit].id];
        if (m->p->asked && !(m->groups[unit].ceilings & m->p->asked->wanted)) {
            continue;
        }
        if (measure_unit(m, unit, out, &failure) != RFT_OK) {
            rc = rft_ceilings_excuse(m->p, m->arena, first, near ? NEAR : 1, &failure, err);
        }
    }
    return rc;
}

int rft_ceilings_memory(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    memory_benches m = {.p = p, .arena = arena, .never = 0x7FEDCBA9u, .s = 1.5f};
    rft_device_ptr *buffers[] = {&m.a, &m.b, &m.c};
    size_t count = 0;
    rft_ceilings_memory_groups(arena, m.groups, &count);
    m.benches = rft_arena_calloc(arena, (size_t)FLIGHTS * HINTS * BLOCK_SIZES * GRIDS, sizeof *m.benches);
    int rc = measure_all(&m, out, err);
    for (int i = 0; rc == RFT_OK && i < 3; i++) {
        if (*buffers[i]) {
            p->gpu->vt->free(p->gpu, *buffers[i]);
        }
    }
    return rc;
}
