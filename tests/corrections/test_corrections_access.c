/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How memory is reached, from addresses (docs/corrections.md A16, A20, E7, E9, E15, E26, E32, E33). Sources: S0
 * (coalescing, GEMV, L2), S1 (embedding), S2 (latency), S4 (float4). Sectors are 32 bytes;
 * device memory is fetched in 64 bytes, which test_corrections_recorded counts.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include <math.h>
#include <stdlib.h>

#define WARP 32
#define SECTOR 32.0
#define GRANULE 64.0

/* What a warp's load touches when its threads are `stride_bytes` apart. */
static double warp_touches(double stride_bytes, double size_bytes, double piece_bytes) {
    double addresses[WARP];
    for (int lane = 0; lane < WARP; lane++) {
        addresses[lane] = lane * stride_bytes;
    }
    return work_touched_bytes(addresses, WARP, size_bytes, piece_bytes);
}

/* Useful bytes per sector of a load of floats. */
static double per_sector(double stride) {
    return WARP * 4.0 / (warp_touches(4 * stride, 4, SECTOR) / SECTOR);
}

static void a20_bytes_per_sector(void **state) {
    (void)state;
    assert_prints(per_sector(1), "32");
    assert_prints(per_sector(2), "16");
    assert_prints(per_sector(32), "4");
    assert_prints(per_sector(1) / per_sector(32), "8");
    /* Random floats of a large table: a sector each, seldom a shared one. */
    double far[WARP];
    for (int lane = 0; lane < WARP; lane++) {
        far[lane] = lane * 1e6 + 4.0 * (lane * 7 % 8);
    }
    assert_prints(WARP * 4.0 / (work_touched_bytes(far, WARP, 4, SECTOR) / SECTOR), "4");
}

/* output[i] = data[i * stride] for 2^16 outputs: bytes of device memory for each of them. */
static double dram_per_output(int stride) {
    enum { OUTPUTS = 1 << 16 };
    double *addresses = malloc(OUTPUTS * sizeof *addresses);
    assert_non_null(addresses);
    for (int i = 0; i < OUTPUTS; i++) {
        addresses[i] = 4.0 * stride * i;
    }
    double read = work_touched_bytes(addresses, OUTPUTS, 4, GRANULE);
    free(addresses);
    return read / OUTPUTS + 4.0; /* the store is coalesced */
}

static void e09_strided_read(void **state) {
    (void)state;
    /* Sectors saturate at stride 8, device memory at 16. */
    assert_true(per_sector(4) > per_sector(8) && per_sector(8) == per_sector(16));
    assert_true(dram_per_output(8) < dram_per_output(16) && dram_per_output(16) == dram_per_output(64));
    for (int stride = 1; stride <= 64; stride *= 2) {
        assert_true(dram_per_output(stride) == 4 + fmin(4.0 * stride, 64));
    }
    assert_prints(100 * 8 / dram_per_output(2), "67");
    assert_prints(100 * 8 / dram_per_output(16), "12");
    assert_prints(dram_per_output(2) / dram_per_output(1), "1.5"); /* the load alone: 2 */
    assert_prints(dram_per_output(32) / dram_per_output(1), "8.5");
    assert_prints(per_sector(1) / per_sector(32), "8"); /* the load's sectors */
    /* N threads, but only those with i * stride < N write. */
    int n = 1 << 20, writers = 0;
    for (int i = 0; i < n; i++) {
        writers += (long long)i * 32 < n;
    }
    assert_int_equal(writers, n / 32);
}

static void e07_naive_gemv(void **state) {
    (void)state;
    double k = 4096, rows = 4096;
    /* One step of a warp: 32 rows, 2 bytes of each, 8 KiB apart. Loading along a row: 64 bytes in 2 sectors. */
    assert_prints(100 * WARP * 2 / warp_touches(2 * k, 2, SECTOR), "6"); /* per cent of the sectors' bytes: 6.25 */
    assert_prints(100 * WARP * 2 / warp_touches(2, 2, SECTOR), "100");
    assert_prints(rows / 256, "16"); /* blocks, for 132 SMs */
    /* x for every row of W: as many bytes again; with 16 rows a block a 16th. */
    assert_prints(2 * k / 1024, "8"); /* KiB of x, and of a row */
    assert_prints((rows * k + rows * k) / (rows * k), "2");
    assert_prints((rows * k + rows / 16 * k) / (rows * k), "1.06");
    assert_prints(2 * rows * k / 1e6, "33.6"); /* MB: less than the 50 or 60 MB of the L2 */
    rft_run *run = recorded_run("gemv");
    assert_true(2 * rows * k < (double)run->gpu.l2_bytes);
    rft_run_free(run);
}

/* A dot product of 4096 halfs: products rounded to half as __hmul2 does, or exact, both summed in fp32. */
static void e07_rounded_products(void **state) {
    (void)state;
    assert_true(work_round_half(1.0 + 1.0 / 2048) == 1.0 && work_round_half(2049) == 2048);
    assert_true(work_round_half(ldexp(1, -24)) == ldexp(1, -24) && work_round_half(-0.1) == -0.0999755859375);
    uint64_t random = 1;
    double rounded_error = 0, exact_error = 0;
    for (int trial = 0; trial < 200; trial++) {
        float rounded = 0, exact = 0;
        double truth = 0;
        for (int k = 0; k < 4096; k++) {
            double operands[2];
            for (int i = 0; i < 2; i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                operands[i] = work_round_half((double)(random >> 40) / (1 << 23) - 1.0);
            }
            double product = operands[0] * operands[1];
            assert_true((float)product == product || fabs(product) < 1e-30); /* 22 bits: fp32 holds it exactly */
            rounded += (float)work_round_half(product);
            exact += (float)product;
            truth += product;
        }
        rounded_error += fabs(rounded - truth);
        exact_error += fabs(exact - truth);
    }
    assert_true(rounded_error > 100 * exact_error);
}

/* Little's law: bytes on their way = bandwidth x latency, at S2's 200 to 600 ns. */
static void a16_bytes_in_flight(void **state) {
    const machines *m = *state;
    double h100 = machine_rate(m, MACHINE_H100, RFT_CEILING_DRAM_READ) / 132;
    assert_prints(h100 * 200e-9 / 1024, "5"); /* KiB an SM */
    assert_prints(h100 * 600e-9 / 1024, "15");
    /* 32 bytes on their way in an SM at 600 ns are far below the roof: that is latency-bound. */
    assert_true(32 / 600e-9 < 0.01 * h100);
}

/* "Gathers cannot be pipelined: 10-15 %". The ids are there before; every thread has a load of its own on its way. */
static void e15_gather_of_rows(void **state) {
    const machines *m = *state;
    double h100 = machine_rate(m, MACHINE_H100, RFT_CEILING_DRAM_READ), latency_s = 600e-9, threads = 132 * 2048.0;
    assert_prints(100 * threads * 2 / latency_s / h100, "27"); /* one 2-byte load a thread, all threads of the GPU */
    assert_true(threads * 16 / latency_s > h100);              /* one of 16 bytes */
    /* A row of 2560 bf16 has no sector of which it needs a part only. */
    assert_true(fmod(2560 * 2, SECTOR) == 0 && fmod(2560 * 2, GRANULE) == 0);
}

/* S1: naive needs 32 loads for 128 bytes, float4 8; unrolling breaks coalescing. */
static void e26_instructions_and_unrolling(void **state) {
    (void)state;
    assert_prints(WARP * 4.0, "128"); /* bytes of one warp instruction, 4 bytes a thread */
    assert_prints(WARP * 16.0, "512");
    assert_prints(warp_touches(4, 4, SECTOR), "128");  /* striped: each of the unrolled loads is whole */
    assert_prints(warp_touches(16, 4, SECTOR), "512"); /* blocked, 4 floats a thread: 128 useful of 512 */
    /* Its bytes lack the element's size: tokens t, dimension d, ids of 4 to 8 bytes. */
    double t = 8192, d = 4096, size = 2, ids = 4;
    rft_work work = {.bytes_read = t * d * size + ids * t, .bytes_written = t * d * size};
    assert_true(rft_work_bytes(&work) == 2 * t * d * size + 4 * t);
    assert_true(rft_work_bytes(&work) > 3.9 * (t + t * d));
    /* The percentages of its profiler belong to a peak of 190 GB/s, not to 168, which 178 exceeds. */
    assert_prints(109 / 0.5728, "190");
    assert_prints(167 / 0.8742, "191");
    assert_true(178.04 > 168);
    assert_prints(100 * 178.04 / 190.3, "94");
}

/* Reads 2^16 floats with loads of `width` bytes a thread; bytes and warp instructions. */
static void read_all(double width, double *bytes, double *instructions) {
    *bytes = *instructions = 0;
    for (double at = 0; at < 4 * 65536.0; at += WARP * width) {
        double lanes[WARP];
        for (int lane = 0; lane < WARP; lane++) {
            lanes[lane] = at + lane * width;
        }
        *bytes += work_touched_bytes(lanes, WARP, width, SECTOR);
        *instructions += 1;
    }
}

static void e32_float4_and_bytes(void **state) {
    (void)state;
    double bytes[2], instructions[2];
    read_all(4, &bytes[0], &instructions[0]);
    read_all(16, &bytes[1], &instructions[1]);
    assert_true(bytes[0] == 4 * 65536.0 && bytes[1] == bytes[0]);
    assert_true(instructions[0] == 4 * instructions[1]);
    /* *((float4 *)&input[idx]) must lie at 16 bytes: with idx = thread one in four does, with 4 x thread all do. */
    int aligned = 0, aligned_by_four = 0;
    for (int thread = 0; thread < 256; thread++) {
        aligned += thread * 4 % 16 == 0;
        aligned_by_four += 4 * thread * 4 % 16 == 0;
    }
    assert_int_equal(aligned, 64);
    assert_int_equal(aligned_by_four, 256);
}

/* A cache of `lines` lines that drops the one not used for longest; passes over 0 .. data - 1. Hits of the last pass.
 */
static double lru_hits(int lines, int data, int passes) {
    int *last_use = calloc((size_t)data, sizeof *last_use); /* 0: not there */
    assert_non_null(last_use);
    int held = 0, now = 0, hits = 0;
    for (int pass = 0; pass < passes; pass++) {
        hits = 0;
        for (int line = 0; line < data; line++) {
            now++;
            if (last_use[line]) {
                hits++;
            } else if (held++ == lines) {
                int oldest = -1;
                for (int i = 0; i < data; i++) {
                    oldest = last_use[i] && (oldest < 0 || last_use[i] < last_use[oldest]) ? i : oldest;
                }
                last_use[oldest] = 0;
                held--;
            }
            last_use[line] = now;
        }
    }
    free(last_use);
    return (double)hits / data;
}

/* l2_analysis(): 128 MB through 50 MB is said to hit 39 %; weights that fit are said to hit min(1, 50 / weights). */
static void e33_cyclic_streaming(void **state) {
    (void)state;
    assert_prints(100 * 50.0 / 128, "39");
    assert_true(lru_hits(50, 128, 3) == 0.0);
    assert_true(lru_hits(50, 51, 3) == 0.0);
    assert_true(lru_hits(50, 50, 2) == 1.0 && lru_hits(50, 50, 1) == 0.0);
    for (double weights = 1; weights <= 50; weights++) {
        assert_true(fmin(1, 50 / weights) == 1); /* its branch weights <= 50: always 1 */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a16_bytes_in_flight),
        cmocka_unit_test(a20_bytes_per_sector),
        cmocka_unit_test(e07_naive_gemv),
        cmocka_unit_test(e07_rounded_products),
        cmocka_unit_test(e09_strided_read),
        cmocka_unit_test(e15_gather_of_rows),
        cmocka_unit_test(e26_instructions_and_unrolling),
        cmocka_unit_test(e32_float4_and_bytes),
        cmocka_unit_test(e33_cyclic_streaming),
    };
    return cmocka_run_group_tests(tests, machines_set_up, machines_tear_down);
}
