/* SPDX-License-Identifier: Apache-2.0 */
/* The table of goals against the shipped sweeps, what follows from rounds, and the process that peers live in. */
#include "base/fs.h"
#include "bench/peer_process.h"
#include "bench/peer_text.h"
#include "script/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER RFT_SOURCE_DIR "/tests/bench/peers/"

static void write_text(char *path, const char *text) {
    strcpy(path, "/tmp/rooftune-peers-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static peer_table *shipped(void) {
    peer_table *table = NULL;
    rft_err err = RFT_ERR_INIT;
    if (peer_table_read(&table, FOLDER "peers.json", &err) != RFT_OK) {
        fail_msg("%s %s", err.place, err.message);
    }
    return table;
}

/* ---- the table ---- */

static void the_table_has_a_goal_in_every_family(void **state) {
    (void)state;
    static const char *const families[] = {
        "copy",    "scale",     "add",         "triad",         "sum",        "bias+relu",     "softmax",
        "rmsnorm", "layernorm", "add+rmsnorm", "cross-entropy", "rope",       "embedding 819", "embedding+rmsnorm",
        "l2 norm", "transpose", "matmul bf16", "matmul fp8",    "matmul fp64"};
    peer_table *table = shipped();
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        bool found = false;
        for (size_t i = 0; i < table->count; i++) {
            found = found || strncmp(table->rows[i].name, families[f], strlen(families[f])) == 0;
        }
        if (!found) {
            fail_msg("no row of %s", families[f]);
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        bool is_norm = strcmp(table->rows[i].name, "l2 norm") == 0; /* its work leaves out what a chip might keep */
        assert_true(isnan(table->rows[i].useful_bytes) || (is_norm && table->rows[i].useful_bytes == 3 * 0x1p30));
        assert_true(!is_norm || !isnan(table->rows[i].useful_bytes));
        assert_true(table->rows[i].peer_count > 0);
        for (size_t p = 0; p < table->rows[i].peer_count; p++) {
            assert_false(table->rows[i].peers[p].ratio < 0.95); /* what is to come near the library at least */
        }
        assert_false(table->rows[i].goal_frac < 0.5 || table->rows[i].goal_frac >= 1);
    }
    peer_table_free(table);
}

static void a_file_names_a_sweep_and_arguments(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    const char *out[8];
    assert_string_equal(peer_file_sweep("attention-128-1-fp8", arena), "attention");
    assert_int_equal(peer_file_arguments(out, 8, "attention-128-1-fp8", arena), 3);
    assert_string_equal(out[0], "128");
    assert_string_equal(out[2], "fp8");
    assert_int_equal(peer_file_arguments(out, 8, "top_k", arena), 0);
    rft_arena_free(arena);
}

static const rft_sweep *sweep_named(const rft_script *script, const char *name) {
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        if (strcmp(rft_script_sweep(script, i)->name, name) == 0) {
            return rft_script_sweep(script, i);
        }
    }
    return NULL;
}

/* What is wrong with a row, as far as sweeps/ is concerned; NULL. */
static const char *complaint(const peer_row *row, const rft_gpu_info *gpu, rft_arena *arena) {
    rft_script *script = NULL;
    rft_err err = RFT_ERR_INIT;
    const char *arguments[8];
    size_t count = peer_file_arguments(arguments, 8, row->file, arena);
    rft_script_opts opts = {.gpu = gpu, .args = arguments, .arg_count = count};
    const char *path = rft_arena_printf(arena, RFT_SOURCE_DIR "/sweeps/%s.lua", peer_file_sweep(row->file, arena));
    if (rft_script_load(&script, path, &opts, &err) != RFT_OK) {
        return rft_arena_printf(arena, "%s: %s", path, err.message);
    }
    const char *text = NULL;
    const rft_sweep *sweep = sweep_named(script, row->sweep);
    size_t problem = 0;
    if (!sweep) {
        text = rft_arena_printf(arena, "%s has no sweep %s", path, row->sweep);
    } else if (peer_row_problem(&problem, row, sweep, &err) != RFT_OK) {
        text = rft_arena_strdup(arena, err.message);
    }
    for (size_t i = 0; !text && i < json_array_size(row->variants); i++) {
        const char *name = json_string_value(json_array_get(row->variants, i));
        bool found = false;
        for (size_t v = 0; v < sweep->variant_count; v++) {
            found = found || strcmp(sweep->variants[v].name, name) == 0;
        }
        text = found ? NULL : rft_arena_printf(arena, "sweep %s has no variant %s", sweep->name, name);
    }
    rft_script_free(script);
    return text;
}

static void every_row_is_in_the_sweeps(void **state) {
    (void)state;
    peer_table *table = shipped();
    rft_gpu_info gpu;
    rft_arena *arena = rft_arena_new();
    size_t wrong = 0;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), RFT_OK);
    for (size_t i = 0; i < table->count; i++) {
        const char *text = complaint(&table->rows[i], &gpu, arena);
        if (text) {
            print_error("row \"%s\": %s\n", table->rows[i].name, text);
            wrong++;
        }
    }
    rft_arena_free(arena);
    peer_table_free(table);
    assert_int_equal(wrong, 0);
}

static void a_broken_table_says_where(void **state) {
    (void)state;
    static const char row[] = "{\"name\":\"a\",\"op\":\"copy\",\"type\":\"f32\",\"shape\":{},\"file\":\"x\","
                              "\"sweep\":\"x\",\"at\":{},\"peers\":[]}";
    char path[64], text[1024];
    peer_table *table = NULL;
    rft_err err = RFT_ERR_INIT;
    snprintf(text, sizeof text, "{\"rows\":[%s,%s]}", row, row);
    write_text(path, text);
    assert_int_equal(peer_table_read(&table, path, &err), RFT_E_SCRIPT);
    assert_non_null(strstr(err.message, "already a row \"a\""));
    unlink(path);
    write_text(path, "{\"rows\":[{\"name\":\"a\"}]}");
    assert_int_not_equal(peer_table_read(&table, path, &err), RFT_OK);
    assert_non_null(strstr(err.message, "rows[0]"));
    unlink(path);
    assert_int_equal(peer_table_read(&table, path, &err), RFT_E_IO);
}

static void a_problem_is_found_by_some_of_its_axes(void **state) {
    (void)state;
    rft_axis axes[] = {{.name = "rows"}, {.name = "cols"}};
    rft_value values[][2] = {{rft_value_int(7), rft_value_int(8)},
                             {rft_value_int(4), rft_value_int(8)},
                             {rft_value_int(4), rft_value_int(16)}};
    rft_problem problems[] = {{.values = values[0], .odd = true}, {.values = values[1]}, {.values = values[2]}};
    rft_sweep sweep = {.name = "s", .axes = axes, .axis_count = 2, .problems = problems, .problem_count = 3};
    json_t *at[] = {json_pack("{s:i}", "cols", 8), json_pack("{s:i,s:i}", "cols", 16, "rows", 4),
                    json_pack("{s:i}", "rows", 7), json_pack("{s:i}", "depth", 1)};
    peer_row row = {.name = "r", .at = at[0]};
    rft_err err = RFT_ERR_INIT;
    size_t problem = 99;
    assert_int_equal(peer_row_problem(&problem, &row, &sweep, &err), RFT_OK);
    assert_int_equal(problem, 1);
    row.at = at[1];
    assert_int_equal(peer_row_problem(&problem, &row, &sweep, &err), RFT_OK);
    assert_int_equal(problem, 2);
    row.at = at[2]; /* the odd one only */
    assert_int_equal(peer_row_problem(&problem, &row, &sweep, &err), RFT_E_NOT_FOUND);
    row.at = at[3];
    assert_int_equal(peer_row_problem(&problem, &row, &sweep, &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "no axis depth"));
    for (size_t i = 0; i < 4; i++) {
        json_decref(at[i]);
    }
}

/* ---- what follows from rounds ---- */

static void ratios_are_taken_within_rounds(void **state) {
    (void)state;
    peer_series ours = {.round_us = {10, 12, 15, 11, 13, 14}, .rounds = 6};
    peer_series theirs = {.round_us = {20, 24, 30, 22, 26, 28}, .rounds = 6}; /* the device drifts, the ratio stays */
    rft_stats ratio = peer_ratio_stats(&ours, &theirs);
    assert_float_equal(ratio.median, 2.0, 1e-12);
    assert_float_equal(ratio.high - ratio.low, 0.0, 1e-12);
    assert_true(ratio.interval_is_95);
    theirs.round_us[2] = (double)NAN; /* it failed there */
    ratio = peer_ratio_stats(&ours, &theirs);
    assert_int_equal(ratio.n, 5);
    assert_false(ratio.interval_is_95);
    theirs.rounds = 0;
    assert_int_equal(peer_ratio_stats(&ours, &theirs).n, 0);
    assert_true(isnan(peer_ratio_stats(&ours, &theirs).median));
}

/* Uniform in (0, 1) for each index: the same in every run of the test. */
static double drawn(uint64_t index) {
    uint64_t x = index * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static void six_rounds_hold_the_true_ratio(void **state) {
    (void)state;
    enum { EXPERIMENTS = 4000, NEEDED = EXPERIMENTS * 95 / 100 };
    uint64_t index = 1;
    unsigned held = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
        peer_series ours = {.rounds = 6}, theirs = {.rounds = 6};
        for (size_t r = 0; r < 6; r++) {
            double clock = 1 + 0.05 * drawn(index++); /* common to both */
            ours.round_us[r] = 100 * clock * exp(0.01 * (drawn(index++) - 0.5));
            theirs.round_us[r] = 130 * clock * exp(0.01 * (drawn(index++) - 0.5));
        }
        rft_stats ratio = peer_ratio_stats(&ours, &theirs);
        held += ratio.low <= 1.3 && ratio.high >= 1.3;
        assert_true(ratio.high - ratio.low < 0.03);
    }
    assert_in_range(held, NEEDED, EXPERIMENTS - 1);
}

static void a_verdict_says_when_it_is_unsure(void **state) {
    (void)state;
    assert_string_equal(peer_verdict(1.20, 1.18, 1.22, 1.1), "met");
    assert_string_equal(peer_verdict(1.20, 1.18, 1.22, 1.19), "met, unsure");
    assert_string_equal(peer_verdict(1.20, 1.18, 1.22, 1.21), "not met, unsure");
    assert_string_equal(peer_verdict(1.20, 1.18, 1.22, 1.3), "not met");
    assert_string_equal(peer_verdict(1.20, 1.18, 1.22, (double)NAN), "");
    assert_string_equal(peer_verdict((double)NAN, (double)NAN, (double)NAN, 1.3), "");
}

static void a_row_is_lines_of_a_table(void **state) {
    (void)state;
    peer_row row = {.name = "softmax",
                    .goal_frac = 0.88,
                    .peers = {{"eager", (double)NAN}, {"compile", 2.3}, {"liger", 1.7}},
                    .peer_count = 3};
    peer_row_result result = {
        .row = &row,
        .useful_bytes = 268435456,
        .floor_us = 58.9,
        .ceiling = "dram_copy",
        .peak = 4.8e12,
        .clock_mhz = 1602,
        .power_w = (double)NAN,
        .ours = {.round_us = {62, 62, 62, 62, 62, 63}, .rounds = 6},
        .peers = {{&row.peers[0], {.round_us = {200, 200, 200, 200, 200, 200}, .rounds = 6}, NULL, 1611},
                  {&row.peers[1], {.round_us = {155, 155, 155, 155, 155, 126}, .rounds = 6}, NULL, (double)NAN},
                  {&row.peers[2], {.round_us = {0}, .rounds = 0}, "not installed", (double)NAN}}};
    rft_str text = RFT_STR_INIT;
    peer_tally tally = {0};
    peer_add_row(&text, &result);
    peer_count_verdicts(&tally, &result);
    assert_string_equal(
        rft_str_get(&text),
        "| softmax | 62.00 [62.00, 63.00] | 1602 | - | 4330 | 90.2 % | 88 %: met | 58.90 (95 %) | eager | 200.0 "
        "[200.0, 200.0] | "
        "1611 | 1342 | 3.226 [3.175, 3.226] | - |  |\n"
        "| | | | | | | | | compile | 155.0 [126.0, 155.0] | - | 1732 | 2.500 [2.000, 2.500] | 2.30 | met, unsure |\n"
        "| | | | | | | | | liger | - | - | - | - | 1.70 | not measured: not installed |\n");
    assert_int_equal(tally.met, 2);
    assert_int_equal(tally.unsure, 1);
    assert_int_equal(tally.missed, 0);
    assert_int_equal(tally.not_measured, 1);
    json_t *json = peer_row_json(&result);
    assert_int_equal(json_array_size(json_object_get(json, "peers")), 3);
    assert_float_equal(rft_json_real_or(json, "peak_frac", 0), 0.902, 0.001);
    assert_float_equal(rft_json_real_or(json, "floor_us", 0), 58.9, 1e-9);
    assert_string_equal(json_string_value(json_object_get(json, "floor_ceiling")), "dram_copy");
    json_decref(json);
    rft_str_clear(&text);
}

/* ---- the process ---- */

static json_t *asking(const char *what) {
    return json_pack("{s:s,s:s,s:s,s:s,s:{s:i,s:i},s:i,s:s,s:s}", "do", what, "peer", "eager", "op", "softmax", "type",
                     "bf16", "shape", "rows", 4, "cols", 8, "samples", 3, "cache", "cold", "flush", "flush.cubin");
}

/* A program with the real protocol and nothing that it times. */
static void write_peer(char *path, const char *make) {
    char text[1024];
    snprintf(text, sizeof text,
             "import os, sys, time\nsys.dont_write_bytecode = True\nsys.path.insert(0, '%s')\nimport torch_peer\n%s\n"
             "torch_peer.serve(sys.stdin, sys.stdout, make)\n",
             FOLDER, make);
    write_text(path, text);
}

static void need_python(void) {
    if (system("python3 -c pass 2>/dev/null") != 0) {
        skip();
    }
}

static void a_peer_answers_and_says_what_it_cannot(void **state) {
    (void)state;
    need_python();
    char path[64];
    write_peer(path, "make = torch_peer.NoBench");
    peer_process *process = peer_process_new(path, "/dev/null");
    json_t *reply = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(peer_process_ask(process, asking("time"), 20, &reply, &err), RFT_E_NOTHING); /* not prepared */
    assert_non_null(strstr(err.message, "KeyError"));
    assert_int_equal(peer_process_ask(process, asking("prepare"), 20, &reply, &err), RFT_OK);
    json_decref(reply);
    assert_int_equal(peer_process_ask(process, asking("time"), 20, &reply, &err), RFT_OK);
    assert_int_equal(json_array_size(json_object_get(reply, "samples_us")), 3);
    json_decref(reply);
    peer_process_free(process);
    unlink(path);
}

static void without_torch_every_answer_says_so(void **state) {
    (void)state;
    need_python();
    char path[64];
    write_peer(path, "def make(): raise ModuleNotFoundError(\"No module named 'torch'\")");
    peer_process *process = peer_process_new(path, "/dev/null");
    json_t *reply = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(peer_process_ask(process, asking("about"), 20, &reply, &err), RFT_E_NOTHING);
    assert_string_equal(err.message, "ModuleNotFoundError: No module named 'torch'");
    peer_process_free(process);
    unlink(path);
}

static void one_that_ends_or_hangs_is_started_again(void **state) {
    (void)state;
    need_python();
    char path[64];
    write_peer(path, "class make(torch_peer.NoBench):\n"
                     "    def time(self, *a): os._exit(3)\n"
                     "    def drop(self): time.sleep(60)\n");
    peer_process *process = peer_process_new(path, "/dev/null");
    json_t *reply = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(peer_process_ask(process, asking("time"), 20, &reply, &err), RFT_E_WORKER);
    assert_non_null(strstr(err.message, "ended"));
    assert_int_equal(peer_process_ask(process, asking("about"), 20, &reply, &err), RFT_OK);
    json_decref(reply);
    assert_int_equal(peer_process_ask(process, asking("drop"), 0.2, &reply, &err), RFT_E_WORKER);
    assert_non_null(strstr(err.message, "no answer within"));
    assert_int_equal(peer_process_ask(process, asking("about"), 20, &reply, &err), RFT_OK);
    json_decref(reply);
    peer_process_free(process);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_a_goal_in_every_family),
        cmocka_unit_test(a_file_names_a_sweep_and_arguments),
        cmocka_unit_test(every_row_is_in_the_sweeps),
        cmocka_unit_test(a_broken_table_says_where),
        cmocka_unit_test(a_problem_is_found_by_some_of_its_axes),
        cmocka_unit_test(ratios_are_taken_within_rounds),
        cmocka_unit_test(six_rounds_hold_the_true_ratio),
        cmocka_unit_test(a_verdict_says_when_it_is_unsure),
        cmocka_unit_test(a_row_is_lines_of_a_table),
        cmocka_unit_test(a_peer_answers_and_says_what_it_cannot),
        cmocka_unit_test(without_torch_every_answer_says_so),
        cmocka_unit_test(one_that_ends_or_hangs_is_started_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
