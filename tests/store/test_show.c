/* SPDX-License-Identifier: Apache-2.0 */
/* A run as text, JSON, CSV, and its best configurations in every form. */
#include "store/store_test.h"
#include "support/sample.h"

#include "base/json.h"
#include "cli/best_text.h"
#include "cli/show_data.h"
#include "cli/show_text.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "store/recording.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_says(const rft_str *text, const char *words) {
    if (strstr(rft_str_get(text), words) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", words, rft_str_get(text));
    }
}

static void assert_at_most_80_columns(const char *text) {
    size_t columns = 0;
    for (const char *at = text; *at; at++) {
        columns = *at == '\n' ? 0 : columns + (((unsigned char)*at & 0xc0) != 0x80);
        if (columns > 80) {
            fail_msg("over 80 columns: ...%.*s", 60, at - 60);
        }
    }
}

/* Beside the best of the largest problem, and all in a table of their own. */
static void assert_says_baselines(const rft_str *text) {
    assert_says(text, "\n    98.0 % [97.8, 98.2] of cuBLASLt; 62.5 % of torch.matmul (other protocol)\n");
    assert_says(text, "    n=1024         n/a                            n/a               skipped\n"
                      "      cuBLASLt, best heuristic (a)\n");
    assert_says(text, "    n=16384  133.14 us  [133.01, 133.32]    4.03 TB/s       98.0 %  slower\n"
                      "      cuBLASLt, best of 8 heuristics (b)\n");
    assert_says(text, "      200.0 %  faster\n      cuBLASLt, first heuristic (c)\n");
    assert_says(text, "       62.5 %  not judged\n      torch.matmul (other protocol) (d)\n");
    assert_says(text, "(a) skipped: cuBLASLt was not found; remedy: install it.\n"
                      "    (b) cuBLASLt 13.1.0: algo 66, tile 128x256.\n    (c) cuBLASLt 13.1.0: algo 5.\n"
                      "    (d) Imported, measured by another protocol: do_bench, 2026-11-20.\n");
}

static void text_says_what_was_found(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    sample_make_replay(run);
    run->info.recompiled_same = 191;
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].sweep == 0 && run->points[i].problem == 0) {
            sample_fail(&run->points[i], RFT_OUTCOME_TIMED_OUT, "why: \"this\" \\ that\tand\nthat");
        }
    }
    rft_show_run(&text, run, &(rft_show_opts){.full = true});
    assert_at_most_80_columns(rft_str_get(&text));
    assert_says(&text, "NVIDIA H200");
    assert_says(&text, "replayed recording, NVIDIA H200, 2026-11-21");
    assert_says(&text, "192 configurations compiled here, 191 with the recorded registers and spills");
    assert_says(&text, "of\n  Ceiling");
    assert_says(&text, "device memory, copy (1:1)          4.270 TB/s     \xc2\xb1"
                       "0.12 %  1980 MHz       89 %\n");
    assert_says(&text, "Not measured (no kernel of rooftune's measures it yet): ");
    assert_says(&text, "copy from host (pinned), copy");
    assert_says(&text, "Measured ceilings, kept from 3 h before this run\n");
    assert_says(&text,
                "BF16 tensor                 at least 612 TFLOP/s      n/a  1980 MHz\n" /* is no share of a sheet */
                "    sustained 450 TFLOP/s, SM clock 1545 MHz\n");
    assert_says(&text, "gemv_fp16 (cold cache)");
    assert_says(&text, "1 more are aliases");
    assert_says(&text, "36 checked on\n    an odd size");
    assert_says(&text, "Not every valid configuration was tried: budget of");
    /* 536,903,680 + 32,768 bytes in 136 us; the final round counts. */
    assert_says(&text, "n=16384  135.86  us  [135.73, 136.04]");
    assert_says(&text, "  3.95 TB/s ");
    assert_says(&text, "vectorised: ROWS=4 BLOCK=128 (tie with 1 other), 121 M rows/s, back to back\n"
                       "      2.93 TB/s, 268 kcycles; each sample is 32 runs in a row; an empty kernel\n"
                       "      takes 2.69 us;");
    assert_says(&text, "drift: the reference became 2.0 % slower over 58 min (30 readings)");
    assert_says(&text, "clock: 1 of 1 points ran below the run's steady clock (1 temperature); 1 was");
    assert_says(&text, "along n: ");
    assert_says(&text, "16 timed_out: why: \"this\" \\ that");
    assert_says(&text, "n=1048576: nothing measured");
    assert_says_baselines(&text);
    rft_str_truncate(&text, 0);
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true});
    assert_at_most_80_columns(rft_str_get(&text));
    assert_says(&text, "  Beside the baselines\n    cuBLASLt: with cuBLASLt 13.1.0\n"
                       "    torch.matmul: from do_bench, 2026-11-20\n"
                       "    n=1024, cuBLASLt: cuBLASLt was not found; remedy: install it\n");
    assert_says(&text, "95 % +-0.09 %");
    rft_str_truncate(&text, 0);
    rft_point *best = sample_best(run, 1);
    best->rounds[1].batch = 1; /* one run a sample, and no reading of the floor but the ceilings' */
    best->rounds[1].floor_s = NAN;
    best->rounds[1].clocks_mhz = NULL;
    run->ceilings.items[RFT_CEILING_LAUNCH].stats.median = 1e-4;
    run->reference_count = 1;
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true, .full = true});
    assert_says(&text, "121 M rows/s, back to back\n      2.93 TB/s; near the timer floor");
    assert_says(&text, "drift: whether the device drifted is not known: 1 reading of the reference");
    rft_str_truncate(&text, 0);
    run->info.finished_unix_ns = 0;
    run->info.replay_of = run->info.replay_path = NULL;
    rft_show_summary(&text, run);
    assert_says(&text, "not finished");
    assert_null(strstr(rft_str_get(&text), "replayed"));
    rft_str_clear(&text);
    rft_run_free(run);
}

/* What the sensor said, what it could not say, and two times where they differ. */
static void watts_and_sustained_times(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    json_t *root = NULL;
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true});
    assert_says(&text, "At rest, just after work and with its context open, the device drew 119 W +- 1.6\n  %.\n");
    assert_says(&text, "  Power and energy, launches back to back (by the device's own sensor)\n");
    assert_says(&text, "    n=16384    512 W       69.6 mJ  7.72 GB/s/W  3.95 TB/s     2.93 TB/s\n"
                       "      vectorised: ROWS=4 BLOCK=128 (b)\n");
    assert_says(&text, "    (a) No figure: an illegal memory access was encountered.\n"
                       "    (b) The buffers that it changes were copied back before every run: the copy\n");
    assert_says(&text, "  Burst and sustained, under load for 60 s\n");
    assert_says(&text, "    n=16384  136 us  92 %     183 us  n/a (a)    35 %  1478 MHz    n/a\n"
                       "      vectorised: ROWS=4 BLOCK=128\n");
    rft_str_truncate(&text, 0);
    rft_show_json(&text, run);
    assert_int_equal(rft_json_parse(&root, rft_str_get(&text), text.length, "show", &err), 0);
    const json_t *sweep = json_array_get(json_object_get(root, "sweeps"), 1);
    const json_t *best = json_array_get(json_object_get(sweep, "best"), 4);
    const json_t *energy = json_object_get(best, "energy"), *sustained = json_object_get(best, "sustained");
    assert_true(json_real_value(json_object_get(json_object_get(root, "idle"), "power_w")) == 118.5);
    assert_true(json_real_value(json_object_get(energy, "power_w")) == 512.25);
    /* By the names of 0.1.0, too. */
    assert_true(json_equal(json_object_get(energy, "power_w"), json_object_get(energy, "watts")));
    assert_true(json_equal(json_object_get(energy, "restored"), json_object_get(energy, "inouts_copied_back")));
    double joules = sample_best(run, 1)->loads[RFT_LOAD_ENERGY]->joules_per_run;
    assert_true(json_real_value(json_object_get(energy, "joules_per_run")) == joules);
    assert_true(fabs(json_real_value(json_object_get(energy, "joules_above_idle")) / joules - (1 - 118.5 / 512.25)) <
                1e-9);
    double rate = json_real_value(json_object_get(best, "rate_bytes_s"));
    double median_s = json_real_value(json_object_get(best, "median_s"));
    double ops = json_real_value(json_object_get(best, "rate_ops_s")) * median_s;
    double per_watt = json_real_value(json_object_get(energy, "per_watt"));
    assert_true(fabs(per_watt / (rate * median_s / joules) - 1.0) < 1e-9 ||
                fabs(per_watt / (ops / joules) - 1.0) < 1e-9);
    assert_true(json_is_null(json_object_get(energy, "reason")));
    assert_true(json_real_value(json_object_get(sustained, "median_s")) > 1.3 * median_s);
    assert_true(json_is_true(json_object_get(sustained, "differs_from_burst")));
    assert_true(json_is_null(json_object_get(sustained, "power_w")));
    assert_string_equal(json_string_value(json_object_get(sustained, "reason")),
                        "the device gives neither energy nor power");
    assert_int_equal(json_array_size(json_object_get(sweep, "loads")), 2);
    json_decref(root);
    rft_str_clear(&text);
    rft_run_free(run);
}

/* {"power_w", "per_watt", "per_watt_of", ...} of the one point whose energy is known: its rate back to back, per watt.
 */
static void assert_rate_per_watt(rft_run *run, double work, const char *unit) {
    const rft_load *load = sample_best(run, 1)->loads[RFT_LOAD_ENERGY];
    rft_str text = RFT_STR_INIT;
    json_t *energy = rft_print_json(rft_finding_energy(run, sample_best(run, 1), run->arena));
    double per_watt = json_real_value(json_object_get(energy, "per_watt"));
    double joules = json_real_value(json_object_get(energy, "joules_per_run"));
    double watts = json_real_value(json_object_get(energy, "power_w"));
    assert_true(fabs(joules / load->run_s / watts - 1.0) <= load->uncertainty_frac);
    assert_true(fabs(per_watt * watts / (work / load->run_s) - 1.0) <= load->uncertainty_frac);
    assert_string_equal(json_string_value(json_object_get(energy, "per_watt_of")), unit);
    rft_print_text(&text, rft_finding_energy(run, sample_best(run, 1), run->arena), &(rft_print_opts){.indent = 13});
    assert_says(&text, rft_arena_printf(run->arena, "%s/W", unit));
    json_decref(energy);
    rft_str_clear(&text);
}

/* A point that memory binds is told in bytes, one that a pipe binds in operations. */
static void rates_per_watt(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_work *work = &sample_best(run, 1)->work;
    assert_rate_per_watt(run, work->bytes_read + work->bytes_written, "B/s");
    work->pipe_ops[RFT_PIPE_FP32] = 1e12;
    sample_best(run, 1)->counters = NULL; /* which know of less */
    assert_rate_per_watt(run, 1e12, "FLOP/s");
    rft_run_free(run);
}

static void power_that_was_left_out(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    const rft_load left_out =
        rft_load_left_out("not measured: 5.0 s beside a run of 4.3 s; --energy largest measures it");
    run->idle = &left_out;
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true});
    assert_says(&text, "Power was not measured: 5.0 s beside a run of 4.3 s; --energy largest measures\n  it.\n");
    assert_null(strstr(rft_str_get(&text), "At rest"));
    json_t *idle = rft_print_json(rft_finding_idle(run, run->arena));
    assert_true(json_is_null(json_object_get(idle, "power_w")));
    assert_string_equal(json_string_value(json_object_get(idle, "reason")), left_out.energy_reason);
    json_decref(idle);
    rft_str_clear(&text);
    rft_run_free(run);
}

static void ceilings_of_every_kind(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    run->ceilings.items[RFT_CEILING_TENSOR_FP8].datasheet = 1.979e15;
    run->ceilings.items[RFT_CEILING_TENSOR_FP8].reason = "not asked for";
    const rft_finding *ceilings = rft_finding_ceilings(run, run->arena);
    rft_print_text(&text, ceilings, &(rft_print_opts){.full = true});
    rft_print_text(&text, rft_finding_operations(run, run->arena), &(rft_print_opts){.full = true});
    assert_says(&text, "BF16 tensor                   at least 612 TFLOP/s      n/a  1980 MHz\n");
    assert_says(&text, "  sustained 450 TFLOP/s, SM clock 1545 MHz\n");
    assert_says(&text, "\"At least\": measured on a path slower than this architecture's own");
    assert_says(&text, "(not asked for): FP8");
    assert_says(&text, "INT32 multiply-add and logic, atomics,\n  FP64 tensor"); /* eight of one kind, said once */
    assert_says(&text, "BF16 tensor              989    TFLOP/s   1.07 PFLOP/s  132 x 4096 x 1980 MHz\n"
                       "  mma.sync, 8 in flight\n");
    assert_says(&text, "FP8 tensor                 1.98 PFLOP/s            n/a  n/a\n");
    rft_str ridges = RFT_STR_INIT; /* a table still, once atomics are measured */
    run->ceilings.items[RFT_CEILING_ATOMICS_L2_F32_ONE] = run->ceilings.items[RFT_CEILING_FP32];
    rft_print_text(&ridges, rft_finding_ridges(run, run->arena), &(rft_print_opts){.full = true});
    assert_says(&ridges, "\nridge, op/B ");
    assert_null(strstr(rft_str_get(&ridges), "atomics"));
    rft_str_clear(&ridges);
    json_t *json = rft_print_json(ceilings);
    const json_t *bf16 = json_object_get(json, "tensor_bf16"), *copy = json_object_get(json, "dram_copy");
    assert_true(json_is_true(json_object_get(bf16, "at_least")) && json_is_false(json_object_get(copy, "at_least")));
    assert_true(json_real_value(json_object_get(bf16, "sustained")) == 450e12);
    assert_true(json_is_null(json_object_get(copy, "sustained")));
    assert_true(json_integer_value(json_object_get(bf16, "measured_unix_ns")) > 0);
    assert_true(json_is_null(json_object_get(copy, "measured_unix_ns")));
    json_decref(json);
    rft_str_clear(&text);
    rft_run_free(run);
}

static void failures_of_one_kind_are_counted_together(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_many(run, 40);
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < 30; i++) {
        run->points[i].outcome = i < 10 ? RFT_OUTCOME_CRASHED : RFT_OUTCOME_SKIPPED;
        run->points[i].reason = rft_arena_printf(run->arena, "needs %zu.%zu of 3.6 GiB", i, i + 1);
    }
    json_t *list = rft_print_json(rft_finding_failures(run, 0, arena));
    const json_t *first = json_array_get(list, 0), *second = json_array_get(list, 1);
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "count")), 20);
    assert_int_equal(json_integer_value(json_object_get(first, "example_point")), 11);
    assert_int_equal(json_integer_value(json_object_get(second, "count")), 10);
    assert_string_equal(json_string_value(json_object_get(second, "outcome")), "crashed");
    json_decref(list);
    rft_arena_free(arena);
    rft_run_free(run);
}

static void json_carries_the_findings(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    json_t *root = NULL;
    rft_show_json(&text, run);
    assert_int_equal(rft_json_parse(&root, rft_str_get(&text), text.length, "show", &err), 0);
    const json_t *sweep = json_array_get(json_object_get(root, "sweeps"), 1);
    const json_t *best = json_array_get(json_object_get(sweep, "best"), 4);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(best, "problem"), "n")), 16384);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(best, "configuration"), "ROWS")), 4);
    assert_int_equal(json_integer_value(json_object_get(best, "samples")), 12);
    assert_string_equal(json_string_value(json_object_get(best, "cache")), "rotating");
    assert_int_equal(json_integer_value(json_object_get(best, "batch")), 32);
    assert_true(fabs(json_real_value(json_object_get(best, "cycles")) / (135.86e-6 * 1971e6) - 1.0) < 0.01);
    assert_true(json_real_value(json_object_get(best, "floor_s")) == 2.6875e-6);
    assert_int_equal(json_integer_value(json_object_get(best, "attempts")), 4);
    assert_true(json_real_value(json_object_get(best, "throttled_frac")) == 0.5);
    assert_string_equal(json_string_value(json_object_get(best, "throttled_by")), "sw_thermal");
    const json_t *drift = json_object_get(root, "drift"), *throttled = json_object_get(root, "throttled");
    assert_string_equal(json_string_value(json_object_get(drift, "kind")), "trend");
    assert_int_equal(json_integer_value(json_object_get(drift, "readings")), 30);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(throttled, "causes"), "sw_thermal")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(sweep, "counts"), "aliases")), 1);
    const json_t *matmul = json_array_get(json_object_get(root, "sweeps"), 2);
    assert_int_equal(json_array_size(json_object_get(matmul, "failures")), 3);
    assert_int_equal(json_array_size(json_object_get(sweep, "baselines")), 4);
    const json_t *beside = json_object_get(best, "baselines");
    assert_int_equal(json_array_size(beside), 3);
    const json_t *lt = json_array_get(beside, 0), *torch = json_array_get(beside, 2);
    assert_string_equal(json_string_value(json_object_get(lt, "label")), "cuBLASLt, best of 8 heuristics");
    assert_string_equal(json_string_value(json_object_get(lt, "protocol")), "same");
    assert_true(fabs(json_real_value(json_object_get(lt, "best_frac")) - 0.98) < 1e-3);
    assert_true(json_is_false(json_object_get(lt, "tie")) && json_is_true(json_object_get(lt, "verified")));
    assert_string_equal(json_string_value(json_object_get(torch, "protocol")), "other");
    assert_true(json_is_null(json_object_get(torch, "tie")) && json_is_null(json_object_get(torch, "verified")));
    assert_true(json_is_null(json_object_get(torch, "low_s")));
    json_decref(root);
    rft_str_truncate(&text, 0);
    sample_best(run, 1)->work.pipe_ops[RFT_PIPE_FP16] = 1e15; /* a pipe without a ceiling */
    run->reference_count = 1;
    rft_show_json(&text, run);
    assert_int_equal(rft_json_parse(&root, rft_str_get(&text), text.length, "show", &err), 0);
    sweep = json_array_get(json_object_get(root, "sweeps"), 1);
    best = json_array_get(json_object_get(sweep, "best"), 4);
    assert_true(json_is_null(json_object_get(best, "efficiency_frac")));
    drift = json_object_get(root, "drift");
    assert_string_equal(json_string_value(json_object_get(drift, "kind")), "unknown");
    assert_int_equal(json_integer_value(json_object_get(drift, "readings")), 1);
    json_decref(root);
    rft_str_clear(&text);
    rft_run_free(run);
}

#define SAMPLES_CELL 9   /* of a line, from 0 */
#define BEHIND_REFINED 9 /* its state: clock, what is left, back to back; processes; power_w by its old name */

static size_t heading_cells(const rft_str *csv) {
    size_t cells = 1;
    for (const char *at = rft_str_get(csv); *at != '\n'; at++) {
        cells += *at == ',';
    }
    return cells;
}

static void csv_has_a_line_for_every_point(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        point->reason = point->outcome == RFT_OUTCOME_SKIPPED          ? "plain"
                        : point->outcome == RFT_OUTCOME_COMPILE_FAILED ? "why: \"this\" \\ that\tand\nthat"
                                                                       : point->reason;
    }
    rft_show_csv(&text, run);
    assert_says(&text, "187,gemv_fp16,vectorised,n=16384 scale=0.5,ROWS=4 BLOCK=128,ok,,,,12,0.0001358");
    assert_says(&text, "188,gemv_fp16,vectorised,n=16384 scale=0.5,ROWS=4 BLOCK=256,ok,,187,,12,");
    /* Of one that was not measured: no cell between its samples and how often it was refined, and none behind it. */
    rft_str empty = RFT_STR_INIT;
    rft_str_add(&empty, ",skipped,plain,,,0");
    for (size_t cell = SAMPLES_CELL + 1, cells = heading_cells(&text); cell + 1 + BEHIND_REFINED < cells; cell++) {
        rft_str_add_char(&empty, ',');
    }
    rft_str_add(&empty, ",0");
    for (size_t cell = 0; cell < BEHIND_REFINED; cell++) {
        rft_str_add_char(&empty, ',');
    }
    rft_str_add(&empty, "\n");
    assert_says(&text, rft_str_get(&empty));
    rft_str_clear(&empty);
    assert_says(&text, "\"why: \"\"this\"\" \\ that");
    rft_str_clear(&text);
    rft_run_free(run);
}

static void best_speaks_five_languages(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    const rft_run *one = run;
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    sample_make_replay(run);
    assert_int_equal(rft_best_text(&text, &one, 1, "text", &err), 0);
    assert_says(&text, "  n=16384: vectorised, ROWS=4 BLOCK=128  136 us");
    rft_str_truncate(&text, 0);
    assert_int_equal(rft_best_text(&text, &one, 1, "header", &err), 0);
    assert_says(&text, "#elif defined(GEMV_FP16_FOR_N) && GEMV_FP16_FOR_N == 16384\n");
    assert_says(&text, "#define GEMV_FP16_VARIANT \"vectorised\"\n#define GEMV_FP16_VARIANT_VECTORISED 1\n");
    assert_says(&text, "#define GEMV_FP16_ROWS 4\n");
    assert_says(&text, "replayed recording");
    rft_str_truncate(&text, 0);
    assert_int_equal(rft_best_text(&text, &one, 1, "lua", &err), 0);
    assert_says(&text,
                "[\"gemv_fp16\"] = {\n    { problem = { [\"n\"] = 1024, [\"scale\"] = 0.5 }, variant = \"vectorised\"");
    rft_str_truncate(&text, 0);
    assert_int_equal(rft_best_text(&text, &one, 1, "csv", &err), 0);
    assert_says(&text, "\ngemv_fp16,n=16384,vectorised,ROWS=4 BLOCK=128,0.000");
    rft_str_truncate(&text, 0);
    assert_int_equal(rft_best_text(&text, &one, 1, "json", &err), 0);
    assert_says(&text, "\"best\":{\"copy_scale\":[{");
    assert_int_equal(rft_best_text(&text, &one, 1, "xml", &err), RFT_E_USAGE);
    assert_non_null(strstr(err.remedy, "header"));
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].outcome = RFT_OUTCOME_CRASHED;
    }
    assert_int_equal(rft_best_text(&text, &one, 1, "text", &err), RFT_E_NOT_FOUND);
    rft_str_clear(&text);
    rft_run_free(run);
}

/* Numbers do not follow LC_ALL: a decimal comma in a CSV would be another column. */
static void a_comma_locale_changes_nothing(void **state) {
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
    setlocale(LC_ALL, "C");
    rft_run *run = sample_findings();
    rft_str plain = RFT_STR_INIT, comma = RFT_STR_INIT;
    rft_show_run(&plain, run, &(rft_show_opts){0});
    rft_show_json(&plain, run);
    rft_show_csv(&plain, run);
    rft_recording_text(run, &plain);
    assert_true(setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "fr_FR.UTF-8") != NULL);
    rft_show_run(&comma, run, &(rft_show_opts){0});
    rft_show_json(&comma, run);
    rft_show_csv(&comma, run);
    rft_recording_text(run, &comma);
    setlocale(LC_ALL, "C");
    assert_string_equal(rft_str_get(&plain), rft_str_get(&comma));
    rft_str_clear(&plain);
    rft_str_clear(&comma);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_says_what_was_found),
                                       cmocka_unit_test(watts_and_sustained_times),
                                       cmocka_unit_test(rates_per_watt),
                                       cmocka_unit_test(power_that_was_left_out),
                                       cmocka_unit_test(ceilings_of_every_kind),
                                       cmocka_unit_test(failures_of_one_kind_are_counted_together),
                                       cmocka_unit_test(json_carries_the_findings),
                                       cmocka_unit_test(csv_has_a_line_for_every_point),
                                       cmocka_unit_test(best_speaks_five_languages),
                                       cmocka_unit_test(a_comma_locale_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
