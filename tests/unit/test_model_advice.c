/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of advice: a point that makes it speak with the right number, one that does not, and one it cannot judge.
 */
#include "model_fixture.h"

#include "base/str.h"
#include "model/advice/advice.h"
#include "model/run/baseline.h"

static rft_counters counters; /* of the one point that a test looks at */

static rft_run *one_problem(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1024});
    fixture_ceiling(run, RFT_CEILING_L2_READ, 9e12);
    fixture_ceiling(run, RFT_CEILING_SHARED_READ, 33e12);
    return run;
}

/* Reads and writes as many bytes, `ops` FP32 operations, in `seconds`; nothing counted. */
static rft_point *point_of(rft_run *run, double bytes, double ops, double seconds) {
    rft_point *point = fixture_point(run, 0, NULL, seconds);
    point->work.bytes_read = point->work.bytes_written = bytes / 2.0;
    point->work.pipe_ops[RFT_PIPE_FP32] = ops;
    return point;
}

/* Counters of a kernel without fault that copies these bytes. */
static rft_counters *count(rft_point *point) {
    counters = rft_counters_unknown("not asked for");
    counters.passes = 1;
    static const struct {
        rft_counter counter;
        double value;
    } fine[] = {
        {RFT_COUNTER_WARPS_ACTIVE, 0.8},
        {RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 32.0},
        {RFT_COUNTER_SECTORS_PER_LOAD, 16.0},
        {RFT_COUNTER_STORE_BYTES_PER_SECTOR, 32.0},
        {RFT_COUNTER_STALL_LONG_SCOREBOARD, 1},
        {RFT_COUNTER_STALL_BARRIER, 0.0},
        {RFT_COUNTER_STALL_WAIT, 9.0},
        {RFT_COUNTER_SHARED_CONFLICTS, 0.0},
        {RFT_COUNTER_SHARED_WAVEFRONTS, 1.0},
        {RFT_COUNTER_TENSOR_BUSY, 0.0},
        {RFT_COUNTER_LOCAL, 0.0},
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        counters.values[fine[i].counter] = fine[i].value;
    }
    counters.values[RFT_COUNTER_DRAM_READ] = point->work.bytes_read;
    counters.values[RFT_COUNTER_DRAM_WRITE] = point->work.bytes_written;
    counters.values[RFT_COUNTER_L2_READ] = point->work.bytes_read / 32.0;
    counters.values[RFT_COUNTER_L2_WRITE] = point->work.bytes_written / 32.0;
    counters.values[RFT_COUNTER_L2_HIT] = point->work.bytes_written / 32.0;
    point->counters = &counters;
    point->facts.waves = 20.0;
    point->facts.spill_bytes = 0;
    return &counters;
}

static const rft_advice *find(const rft_advice *items, size_t count_of, const char *rule) {
    for (size_t i = 0; i < count_of; i++) {
        if (rft_text_equal(items[i].rule, rule)) {
            return &items[i];
        }
    }
    return NULL;
}

static const rft_advice *spoken(const rft_advice_list *list, const char *rule) {
    const rft_advice *found = find(list->items, list->count, rule);
    return found ? found : find(list->others, list->other_count, rule);
}

static const rft_advice_missing *missed(const rft_advice_list *list, const char *rule) {
    for (size_t i = 0; i < list->missing_count; i++) {
        if (rft_text_equal(list->missing[i].rule, rule)) {
            return &list->missing[i];
        }
    }
    return NULL;
}

/* Speaks with this first number and gain. */
static void expect(rft_run *run, const rft_point *point, const char *rule, double value, double gain_frac) {
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    const rft_advice *found = spoken(&list, rule);
    if (found == NULL) {
        print_error("%s is silent; %zu rules lack a number\n", rule, list.missing_count);
    }
    assert_non_null(found);
    if (!near(found->gain_frac, gain_frac, 0.01) || !near(found->triggers[0].value, value, 0.01)) {
        print_error("%s: %g with %s\n", rule, found->triggers[0].value, rft_advice_text(found, run->arena));
    }
    assert_true(near(found->triggers[0].value, value, 0.01));
    assert_true(near(found->gain_frac, gain_frac, 0.01));
    assert_true(found->rests_on && *found->rests_on && found->text && *found->text);
}

static void expect_silent(rft_run *run, const rft_point *point, const char *rule) {
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    const rft_advice *found = spoken(&list, rule);
    if (found) {
        print_error("%s speaks: %s\n", rule, rft_advice_text(found, run->arena));
    }
    assert_null(found);
    assert_null(missed(&list, rule));
}

static void expect_missing(rft_run *run, const rft_point *point, const char *rule, const char *metric) {
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_null(spoken(&list, rule));
    const rft_advice_missing *found = missed(&list, rule);
    assert_non_null(found);
    assert_string_equal(found->metric, metric);
    assert_non_null(found->reason);
}

/* 4.2 GB copied take 1 ms at the ceiling. */
static void coalescing(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 4e-3);
    expect_missing(run, point, "coalesce", "load_bytes_per_sector");
    rft_counters *c = count(point);
    expect_silent(run, point, "coalesce");
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8.0;
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 16.0;
    expect(run, point, "coalesce", 8.0, 0.75);
    c->values[RFT_COUNTER_L1_LOAD] =
        128.0 / 16.0 * 0.1 * c->values[RFT_COUNTER_L2_READ]; /* bulk copies read the rest */
    expect_silent(run, point, "coalesce");
    c->values[RFT_COUNTER_L1_LOAD] *= 10.0;
    expect(run, point, "coalesce", 8.0, 0.75);
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 1.0; /* indices: a cycle brings one sector, so copies read the rest */
    expect_silent(run, point, "coalesce");
    c->values[RFT_COUNTER_L1_LOAD] = NAN;
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 28.0; /* seven eighths are enough */
    expect_silent(run, point, "coalesce");
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8.0; /* but of hardly any sectors */
    c->values[RFT_COUNTER_L2_READ] = 1.0;
    expect_silent(run, point, "coalesce");
    c->values[RFT_COUNTER_STORE_BYTES_PER_SECTOR] = 4.0;
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_string_equal(spoken(&list, "coalesce")->triggers[0].name, "store_bytes_per_sector");
    rft_point *gemm = point_of(run, 4.2e7, 60e9, 2e-3); /* by its work arithmetic: a few wasted sectors are no matter */
    c = count(gemm);
    c->values[RFT_COUNTER_STORE_BYTES_PER_SECTOR] = 8.0;
    c->values[RFT_COUNTER_L2_READ] = 9.0 * c->values[RFT_COUNTER_L2_WRITE];
    expect_silent(run, gemm, "coalesce");
    c->values[RFT_COUNTER_L2_READ] = c->values[RFT_COUNTER_L2_WRITE];
    expect(run, gemm, "coalesce", 8.0, 0.5);
    c = count(point);
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 0.0; /* asynchronous copies only: no verdict on loads */
    c->values[RFT_COUNTER_STORE_BYTES_PER_SECTOR] = NAN;
    expect_missing(run, point, "coalesce", "load_bytes_per_sector");
    rft_run_free(run);
}

static void alignment(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 4e-3);
    rft_counters *c = count(point);
    expect_silent(run, point, "align");
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 5.0; /* 128 B from the middle of a sector on */
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 128.0 / 5.0;
    c->values[RFT_COUNTER_L2_WRITE] = 0.0;
    expect(run, point, "align", 5.0, 0.2);
    expect_silent(run, point, "coalesce"); /* said once */
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 32.0;
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 4.0; /* a stride, not an offset */
    expect_silent(run, point, "align");
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = NAN;
    expect_missing(run, point, "align", "sectors_per_load");
    rft_run_free(run);
}

static void vectors(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 1.25e-3);
    rft_counters *c = count(point);
    expect_silent(run, point, "vectorise");
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 4.0;
    expect(run, point, "vectorise", 4.0, 0.2);
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 0.0; /* no load took place */
    expect_silent(run, point, "vectorise");
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = NAN;
    expect_missing(run, point, "vectorise", "sectors_per_load");
    rft_run_free(run);
}

/* 42 MB fit the L2 of 60 MiB; 84 MB moved. */
static void l2_residency_and_rereading(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 42e6, 0.0, 40e-6);
    rft_counters *c = count(point);
    expect_silent(run, point, "l2_residency"); /* every byte once: compulsory misses are no fault */
    c->values[RFT_COUNTER_DRAM_READ] = 63e6;
    c->values[RFT_COUNTER_L2_READ] = 63e6 / 32.0;
    c->values[RFT_COUNTER_L2_HIT] = 10.0;
    expect(run, point, "l2_residency", 10.0 / (84e6 / 32.0), 0.25);
    expect(run, point, "reread", 84e6, 0.25);
    c->values[RFT_COUNTER_L2_HIT] = 0.5 * 84e6 / 32.0;
    expect_silent(run, point, "l2_residency");
    c->values[RFT_COUNTER_L2_READ] = 21e6 / 32.0; /* asked for once: device memory brings its neighbour along */
    expect_silent(run, point, "reread");
    c->values[RFT_COUNTER_L2_READ] = 63e6 / 32.0;
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8.0; /* then coalescing is what to say */
    expect_silent(run, point, "reread");
    rft_point *bare = point_of(run, 42e6, 0.0, 40e-6);
    expect_missing(run, bare, "l2_residency", "l2_hit_sectors");
    expect_missing(run, bare, "reread", "dram_read_bytes");
    bare->traffic.present = true;
    bare->traffic.evidence = RFT_EVIDENCE_MODELLED;
    bare->traffic.level_bytes[RFT_LEVEL_DRAM] = 84e6;
    expect(run, bare, "reread", 84e6, 0.25);
    rft_advice_list list = rft_advice_of(run, bare, run->arena);
    assert_int_equal(spoken(&list, "reread")->evidence, RFT_ADVICE_MODELLED);
    rft_run_free(run);
}

static void overlap(void **state) {
    (void)state;
    rft_run *run = one_problem();
    expect(run, point_of(run, 4.2e9, 45e9, 1.75e-3), "overlap", 1.0, 0.75 / 1.75); /* 1 ms and 0.75 ms */
    expect_silent(run, point_of(run, 4.2e9, 45e9, 1.1e-3), "overlap");             /* they overlap already */
    expect_silent(run, point_of(run, 4.2e9, 45e9, 4.0e-3), "overlap");             /* it is something else */
    rft_run_free(run);
}

static void matrix_units(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e7, 0.0, 2e-3);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 700e9;
    expect_missing(run, point, "tensor_use", "tensor_busy_frac");
    rft_counters *c = count(point);
    c->values[RFT_COUNTER_TENSOR_BUSY] = 0.85;
    expect_silent(run, point, "tensor_use");
    c->values[RFT_COUNTER_TENSOR_BUSY] = 0.6;
    expect(run, point, "tensor_use", 0.6, 0.4);
    rft_point *fp32 = point_of(run, 4.2e7, 60e9, 2e-3);
    expect_missing(run, fp32, "tensor_cores", "tensor_tf32");
    fixture_ceiling(run, RFT_CEILING_TENSOR_TF32, 480e12);
    expect(run, fp32, "tensor_cores", 480e12, 1.0 - 0.125e-3 / 2e-3);
    expect_silent(run, point_of(run, 4.2e9, 1e9, 2e-3), "tensor_cores"); /* memory is its roof */
    rft_run_free(run);
}

static void inner_levels(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e8, 60e9, 2e-3);
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.level_bytes[RFT_LEVEL_SHARED] = 33e12 * 1.8e-3;
    expect(run, point, "reuse", 0.9, 0.5);
    point->traffic.level_bytes[RFT_LEVEL_SHARED] = 33e12 * 0.8e-3;
    expect_silent(run, point, "reuse");
    expect_missing(run, point, "bank_conflicts", "shared_conflicts");
    point->facts.shared_static_bytes = point->facts.shared_dynamic_bytes = 0;
    expect_silent(run, point, "bank_conflicts"); /* no shared memory, nothing to judge */
    point->facts.shared_static_bytes = 4096;
    rft_counters *c = count(point);
    expect_silent(run, point, "bank_conflicts");
    double sm_cycles = 132.0 * 1980e6 * 2e-3;
    c->values[RFT_COUNTER_SHARED_WAVEFRONTS] = 0.8 * sm_cycles;
    c->values[RFT_COUNTER_SHARED_CONFLICTS] = 0.4 * sm_cycles;
    expect(run, point, "bank_conflicts", 0.5, 0.4);
    point->traffic.level_bytes[RFT_LEVEL_DRAM] = 4.2e12 * 1.8e-3; /* what memory holds no conflict does */
    c->values[RFT_COUNTER_DRAM_READ] = c->values[RFT_COUNTER_DRAM_WRITE] = 2.1e12 * 1.8e-3;
    expect_silent(run, point, "bank_conflicts");
    rft_run_free(run);
}

/* What holds shared memory is not its bytes but their conflicts. */
static void conflicts_are_no_reuse(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e8, 60e9, 2e-3);
    double wavefronts = 33e12 * 1.8e-3 / RFT_WAVEFRONT_BYTES;
    count(point)->values[RFT_COUNTER_SHARED_WAVEFRONTS] = wavefronts;
    counters.values[RFT_COUNTER_SHARED_CONFLICTS] = 0.2 * wavefronts;
    expect(run, point, "reuse", 0.9, 0.5);
    counters.values[RFT_COUNTER_SHARED_CONFLICTS] = 0.9 * wavefronts;
    expect_silent(run, point, "reuse");
    rft_run_free(run);
}

/* Additions that meet hold it: fewer of them, and no wider loads. */
static void atomics(void **state) {
    (void)state;
    rft_run *run = one_problem();
    fixture_ceiling(run, RFT_CEILING_ATOMICS_L2_ONE, 1.4e9);
    rft_point *point = point_of(run, 4.2e8, 0.0, 2e-3);
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2_ONE] = 1.4e9 * 1.9e-3;
    count(point)->values[RFT_COUNTER_SECTORS_PER_LOAD] = 4.0;
    expect(run, point, "reuse", 0.95, 0.95);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_non_null(strstr(spoken(&list, "reuse")->text, "fewer atomics: L2 atomics on one address take 95 % of the "
                                                         "time; add within a warp or a block before"));
    expect_silent(run, point, "vectorise");
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2_ONE] = 0.0;
    expect_silent(run, point, "reuse");
    expect(run, point, "vectorise", 4.0, 0.95);
    rft_run_free(run);
}

static void registers(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e7, 60e9, 2e-3);
    expect_missing(run, point, "spills", "spill_bytes");
    expect_missing(run, point, "occupancy", "warps_active_frac");
    point->facts.spill_bytes = 64;
    point->facts.registers = 255;
    expect(run, point, "spills", 64.0, 0.5);
    rft_counters *c = count(point);
    point->facts.spill_bytes = 64;
    expect_silent(run, point, "spills"); /* never executed */
    c->values[RFT_COUNTER_LOCAL] = 1e6;
    expect(run, point, "spills", 64.0, 0.5);
    expect_silent(run, point, "occupancy");
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.125;
    point->has_launch = true;
    point->grid[0] = 1000;
    point->grid[1] = point->grid[2] = point->block[1] = point->block[2] = 1;
    point->block[0] = 256;
    point->facts.shared_static_bytes = point->facts.shared_dynamic_bytes = 0;
    expect(run, point, "occupancy", 0.125, 0.5);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_non_null(strstr(spoken(&list, "occupancy")->text, "255 registers a thread limit it"));
    rft_point *tight = point_of(run, 4.2e7, 60e9, 1.1e-3); /* few warps, and yet near its ceiling */
    count(tight)->values[RFT_COUNTER_WARPS_ACTIVE] = 0.125;
    expect_silent(run, tight, "occupancy");
    rft_point *other = fixture_point(run, fixture_problem(run, (const int64_t[]){2048}), NULL, 1.1e-3);
    other->work = point->work;
    other->facts.waves = 20.0;
    point->facts.occupancy_frac = 0.125;
    other->facts.occupancy_frac = 0.25; /* more reach a ceiling on another problem */
    expect(run, point, "occupancy", 0.125, 0.5);
    other->facts.occupancy_frac = 0.125; /* as few do */
    expect_silent(run, point, "occupancy");
    rft_run_free(run);
}

/* Copies feed the matrix units: few warps and their barriers are the design. */
static void fed_matrix_units(void **state) {
    (void)state;
    rft_run *run = one_problem();
    fixture_ceiling(run, RFT_CEILING_TENSOR_BF16, 900e12);
    rft_point *point = point_of(run, 4.2e7, 0.0, 2e-3);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 900e12 * 1e-3;
    rft_counters *c = count(point);
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.125;
    c->values[RFT_COUNTER_STALL_BARRIER] = 9.0;
    expect(run, point, "occupancy", 0.125, 0.5);
    c->values[RFT_COUNTER_L1_LOAD] = 0.0;
    expect_silent(run, point, "occupancy");
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    const rft_advice *barrier = spoken(&list, "barrier");
    assert_non_null(barrier);
    assert_non_null(strstr(barrier->text, "at barriers; more stages"));
    assert_null(strstr(barrier->text, "smaller blocks"));
    rft_run_free(run);
}

static void instruction_mix(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e7, 60e9, 2e-3);
    expect_missing(run, point, "instructions", "warp_instructions");
    rft_counters *c = count(point);
    double slots = 4.0 * 132.0 * 1980e6 * 2e-3;
    c->values[RFT_COUNTER_WARP_INSTRUCTIONS] = 0.7 * slots;
    c->values[RFT_COUNTER_FADD] = c->values[RFT_COUNTER_FMUL] = 0.0;
    c->values[RFT_COUNTER_FFMA] = 0.65 * slots * 32.0;
    expect_silent(run, point, "instructions");
    c->values[RFT_COUNTER_FFMA] = 0.35 * slots * 32.0;
    expect(run, point, "instructions", 0.5, 0.35);
    point->work.bytes_read = point->work.bytes_written = 2.1e12 * 1.8e-3; /* memory holds it firmly */
    c->values[RFT_COUNTER_DRAM_READ] = c->values[RFT_COUNTER_DRAM_WRITE] = 2.1e12 * 1.8e-3;
    point->work.pipe_ops[RFT_PIPE_FP32] = 60e12 * 1.7e-3;
    expect_silent(run, point, "instructions");
    rft_run_free(run);
}

static void grids(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e7, 60e9, 2e-3);
    expect_missing(run, point, "fill", "waves");
    expect_missing(run, point, "tail", "waves");
    point->facts.waves = 0.48; /* E3: 64 tiles of 128 x 256 on 132 SMs */
    expect(run, point, "fill", 0.48, 0.5);
    expect_silent(run, point, "tail");
    point->facts.waves = 1.25;
    expect_silent(run, point, "fill");
    expect(run, point, "tail", 1.25, 0.375);
    point->facts.waves = 128.0 / 132.0; /* 3 % stay empty: not worth a word */
    expect_silent(run, point, "tail");
    expect_silent(run, point, "fill");
    point->facts.waves = 0.75;
    expect(run, point, "fill", 0.75, 0.25);
    point->facts.waves = 40.2; /* 2 % */
    expect_silent(run, point, "tail");
    rft_run_free(run);
}

/* 48 KiB an SM on an H200 (CUB); 64 warps x 0.25 x 4 sectors of 32 B are 2 KiB. */
static void bytes_in_flight(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 4e-3);
    expect_missing(run, point, "in_flight", "warps_active_frac");
    rft_counters *c = count(point);
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = NAN;
    expect_missing(run, point, "in_flight", "sectors_per_load");
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 4.0;
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.25;
    expect(run, point, "in_flight", 2048.0, 0.75);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_true(spoken(&list, "in_flight")->triggers[0].threshold == 49152.0);
    assert_non_null(strstr(spoken(&list, "in_flight")->text, "24 independent loads a thread"));
    c->values[RFT_COUNTER_SECTORS_PER_LOAD] = 32.0;
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.8;
    expect_silent(run, point, "in_flight");
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.73; /* 46.7 KiB of 48: what is missing brings no more than itself */
    expect_silent(run, point, "in_flight");
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.6;
    list = rft_advice_of(run, point, run->arena);
    assert_true(near(spoken(&list, "in_flight")->gain_frac, 0.2, 1e-6));
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.25;
    c->values[RFT_COUNTER_L1_LOAD] = 0.4 * 128.0 / 16.0 * c->values[RFT_COUNTER_L2_READ]; /* copies bring most */
    expect_silent(run, point, "in_flight");
    c->values[RFT_COUNTER_L1_LOAD] = NAN;
    run->gpu.cc_major = 8; /* an unknown one: 1 us x 4.4 TB/s over 132 SMs */
    run->gpu.cc_minor = 6;
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.25;
    list = rft_advice_of(run, point, run->arena);
    assert_true(near(spoken(&list, "in_flight")->triggers[0].threshold, 4.4e6 / 132.0, 1e-9));
    rft_run_free(run);
}

static void waiting(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 4e-3);
    expect_missing(run, point, "prefetch", "stall_long_scoreboard");
    expect_missing(run, point, "barrier", "stall_barrier");
    rft_counters *c = count(point);
    expect_silent(run, point, "prefetch");
    expect_silent(run, point, "barrier");
    c->values[RFT_COUNTER_STALL_LONG_SCOREBOARD] = 36.0;
    expect(run, point, "prefetch", 0.8, 0.75);
    c->values[RFT_COUNTER_STALL_BARRIER] = 15.0; /* of 60 */
    expect(run, point, "barrier", 0.25, 0.25);
    rft_run_free(run);
}

static void launches(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e5, 0.0, 5.4e-6);
    expect(run, point, "graph", 2.7e-6, 0.5);
    expect(run, point, "fuse", 0.5, 0.5 * 0.1 / 5.4 + 0.5);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_string_equal(find(list.others, list.other_count, "graph")->with, "another launch");
    assert_string_equal(find(list.others, list.other_count, "fuse")->with, "other work");
    assert_null(spoken(&list, "vectorise")); /* what it does in between hardly matters */
    assert_null(missed(&list, "coalesce"));
    expect_silent(run, point_of(run, 42e6, 0.0, 28e-6), "graph"); /* ten floors */
    rft_run_free(run);
}

static void small_problems(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 132.0 * 49152.0, 0.0, 6e-6); /* as many bytes as must be on the way */
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    const rft_advice *batch = find(list.others, list.other_count, "batch");
    assert_non_null(batch);
    assert_true(near(batch->triggers[0].value, 49152.0, 1e-9) && near(batch->triggers[0].threshold, 4 * 49152.0, 1e-9));
    assert_string_equal(batch->gain_of, "the time of one problem");
    expect_silent(run, point_of(run, 132.0 * 49152.0 * 5.0, 0.0, 40e-6), "batch");
    rft_run_free(run);
}

/* E1: N = K = 4096 in two bytes on 900 TFLOP/s and 4.4 TB/s: ridge 204.5, M = 227. */
static void skinny_layers(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "m", true, true);
    fixture_axis(run, "n", false, false);
    fixture_axis(run, "k", false, false);
    fixture_problem(run, (const int64_t[]){4, 4096, 4096});
    fixture_problem(run, (const int64_t[]){2048, 4096, 4096});
    rft_point *point = fixture_point(run, 0, NULL, 12e-6);
    point->work.bytes_read = 2.0 * 4096 * (4096 + 4);
    point->work.bytes_written = 2.0 * 4096 * 4;
    point->work.pipe_ops[RFT_PIPE_TENSOR_FP16] = 2.0 * 4 * 4096 * 4096;
    fixture_ceiling(run, RFT_CEILING_TENSOR_FP16, 900e12);
    double ridge = 900e12 / 4.4e12, rows = 2.0 * ridge * 4096.0 / (2.0 * 4096.0 - 4.0 * ridge);
    expect(run, point, "raise_m", 4.0, 1.0 - 4.0 / rows);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    const rft_advice *raise = find(list.others, list.other_count, "raise_m");
    assert_string_equal(raise->gain_of, "the time of a row");
    assert_true(near(raise->triggers[1].value, rows, 1e-3) && near(rows, 227.0, 0.01));
    expect(run, point, "quantise", 0.998, 0.5 * 0.998 * (point->work.bytes_read + 32768.0) / 4.4e12 / 12e-6);
    expect_silent(run, point, "narrow"); /* said once */
    rft_point *full = fixture_point(run, 1, NULL, 100e-6);
    full->work.bytes_read = 2.0 * 4096 * (4096 + 2048);
    full->work.bytes_written = 2.0 * 4096 * 2048;
    full->work.pipe_ops[RFT_PIPE_TENSOR_FP16] = 2.0 * 2048 * 4096 * 4096;
    expect_silent(run, full, "raise_m");
    expect_silent(run, full, "quantise");
    point->work.pipe_ops[RFT_PIPE_TENSOR_FP16] *= 3.0; /* whatever it is, it is no such layer */
    expect_silent(run, point, "raise_m");
    expect_silent(run, point, "quantise");
    rft_run_free(run);
}

static void fewer_bytes(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 1.1e-3);
    expect(run, point, "narrow", 1.0 / 1.1, 0.5 / 1.1);
    expect(run, point, "fuse", 0.5, 0.5 / 1.1);
    expect_silent(run, point_of(run, 4.2e9, 0.0, 2e-3), "narrow"); /* off the slope other things come first */
    expect_silent(run, point_of(run, 4.2e9, 0.0, 2e-3), "fuse");
    rft_run_free(run);
}

static void put_baseline(rft_run *run, double median_s, bool same_protocol) {
    rft_baseline baseline = rft_baseline_none(run->arena, 0, 0, "cuBLASLt", RFT_BASELINE_BEST);
    baseline.same_protocol = same_protocol;
    baseline.outcome = RFT_OUTCOME_OK;
    baseline.algo = "tile 128x256";
    baseline.measurement = fixture_measurement(run, median_s);
    rft_run_put_baseline(run, &baseline);
}

static void a_faster_baseline(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e7, 60e9, 2e-3);
    put_baseline(run, 1.8e-3, true);
    expect(run, point, "baseline", 1.8e-3, 0.1);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_int_equal(spoken(&list, "baseline")->evidence, RFT_ADVICE_MEASURED);
    assert_non_null(strstr(spoken(&list, "baseline")->text, "tile 128x256"));
    put_baseline(run, 2.2e-3, true);
    expect_silent(run, point, "baseline");
    put_baseline(run, 1.0e-3, false); /* another protocol proves nothing */
    expect_silent(run, point, "baseline");
    rft_run_free(run);
}

static void nothing_at_the_ceiling(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 1e-3 / 0.98);
    rft_counters *c = count(point);
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8.0;
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.1;
    c->values[RFT_COUNTER_STALL_LONG_SCOREBOARD] = 100.0;
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_int_equal(list.count, 0);
    assert_int_equal(list.missing_count, 0);
    assert_non_null(strstr(list.nothing, "at 98 % of its ceiling, device memory, copy (1:1)"));
    rft_point *gemm = point_of(run, 4.2e7, 60e9, 1e-3 / 0.98); /* a compute roof likewise */
    list = rft_advice_of(run, gemm, run->arena);
    assert_int_equal(list.count, 0);
    rft_point *beyond = point_of(run, 4.2e9, 0.0, 0.7e-3);
    list = rft_advice_of(run, beyond, run->arena);
    assert_int_equal(list.count, 0);
    rft_point *lost = point_of(run, 4.2e9, 0.0, 1e-3);
    lost->outcome = RFT_OUTCOME_TIMED_OUT;
    list = rft_advice_of(run, lost, run->arena);
    assert_true(list.count == 0 && list.other_count == 0 && list.missing_count == 0);
    assert_string_equal(list.nothing, "not measured");
    rft_run_free(run);
}

static void most_valuable_first(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 4e-3);
    rft_counters *c = count(point);
    c->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8.0;
    c->values[RFT_COUNTER_STALL_BARRIER] = 5.0; /* a third: the least of them */
    c->values[RFT_COUNTER_WARPS_ACTIVE] = 0.25;
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_true(list.count >= 3);
    for (size_t i = 1; i < list.count; i++) {
        assert_true(list.items[i - 1].gain_frac >= list.items[i].gain_frac);
    }
    assert_string_equal(list.items[0].rule, "coalesce"); /* equal gains as in the tree */
    assert_string_equal(list.items[1].rule, "occupancy");
    assert_string_equal(list.items[list.count - 1].rule, "barrier");
    assert_null(list.nothing);
    assert_string_equal(
        rft_advice_text(&list.items[0], run->arena),
        "fix coalescing: loads use 8.0 B of the 32 B of a sector; let neighbouring threads read "
        "neighbouring words, change the layout, or sort by index: at most 75 % of the time (by its roof, "
        "device memory, copy (1:1); counted)");
    rft_run_free(run);
}

static void what_could_not_be_judged(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.2e9, 0.0, 4e-3);
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_string_equal(missed(&list, "coalesce")->metric, "load_bytes_per_sector");
    assert_string_equal(missed(&list, "prefetch")->metric, "stall_long_scoreboard");
    assert_string_equal(missed(&list, "prefetch")->reason, "not counted");
    assert_non_null(list.nothing);
    count(point);
    counters.values[RFT_COUNTER_STALL_LONG_SCOREBOARD] = NAN;
    list = rft_advice_of(run, point, run->arena);
    assert_string_equal(missed(&list, "prefetch")->reason, "not asked for");
    /* without a ceiling nothing bounds a gain */
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].measured = false;
    }
    counters.values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8.0;
    list = rft_advice_of(run, point, run->arena);
    assert_int_equal(list.count, 0);
    assert_string_equal(list.nothing, "there is no measured ceiling to judge its work by");
    rft_run_free(run);
}

static void rule_names(void **state) {
    (void)state;
    size_t count_of = 0;
    while (rft_advice_rule_name(count_of)) {
        count_of++;
    }
    assert_int_equal(count_of, 29);
    assert_string_equal(rft_advice_rule_name(0), "coalesce");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coalescing),
        cmocka_unit_test(alignment),
        cmocka_unit_test(vectors),
        cmocka_unit_test(l2_residency_and_rereading),
        cmocka_unit_test(overlap),
        cmocka_unit_test(matrix_units),
        cmocka_unit_test(inner_levels),
        cmocka_unit_test(conflicts_are_no_reuse),
        cmocka_unit_test(atomics),
        cmocka_unit_test(fed_matrix_units),
        cmocka_unit_test(registers),
        cmocka_unit_test(instruction_mix),
        cmocka_unit_test(grids),
        cmocka_unit_test(bytes_in_flight),
        cmocka_unit_test(waiting),
        cmocka_unit_test(launches),
        cmocka_unit_test(small_problems),
        cmocka_unit_test(skinny_layers),
        cmocka_unit_test(fewer_bytes),
        cmocka_unit_test(a_faster_baseline),
        cmocka_unit_test(nothing_at_the_ceiling),
        cmocka_unit_test(most_valuable_first),
        cmocka_unit_test(what_could_not_be_judged),
        cmocka_unit_test(rule_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
