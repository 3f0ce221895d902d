/* SPDX-License-Identifier: Apache-2.0 */
/* Cards held to limits: planted cards at and around a limit, what is not judged and why, and how limits are made. */
#include "unit/model_fixture.h"

#include "model/acceptance/accept.h"
#include "model/run/run_repeat.h"
#include "unit/noise.h"

#include <stdio.h>
#include <stdlib.h>

#define PROCESSES 6
#define SAMPLES 10 /* of a process */
#define HASH "00ff"

/* A card with one problem of one sweep, measured in several processes. */
static rft_run *card_run(const char *uuid, const char *id) {
    rft_run *run = fixture_run();
    rft_sweep *sweep = &run->sweeps[0].sweep;
    run->gpu.name = "NVIDIA H200";
    run->gpu.uuid = uuid;
    run->info.id = id;
    sweep->script_hash = HASH;
    sweep->variants[0].source = "kernels/synthetic.cu";
    rft_env_set(&run->env, run->arena, "source.synthetic.cu", "aa", NULL);
    fixture_axis(run, "n", true, true);
    fixture_param(run, 0, "B", (const int64_t[]){1}, 1);
    fixture_point(run, fixture_problem(run, (const int64_t[]){4096}), (const int64_t[]){1}, 1e-3);
    rft_measurement *m = &run->points[0].rounds[0];
    m->n = PROCESSES * SAMPLES;
    m->samples_s = rft_arena_calloc(run->arena, m->n, sizeof *m->samples_s);
    m->process_n = rft_arena_calloc(run->arena, PROCESSES, sizeof *m->process_n);
    m->process_count = PROCESSES;
    for (size_t p = 0; p < PROCESSES; p++) {
        m->process_n[p] = SAMPLES;
    }
    return run;
}

/* Medians of processes lie `deviation` about the card's own time. */
static void measure(rft_run *run, double time_s, double deviation, uint64_t *seed) {
    rft_measurement *m = &run->points[0].rounds[0];
    for (size_t p = 0; p < PROCESSES; p++) {
        double median = time_s * exp(deviation * noise_normal(seed));
        for (size_t i = 0; i < SAMPLES; i++) {
            m->samples_s[p * SAMPLES + i] = median * (1.0 + 1e-5 * ((double)i - (SAMPLES - 1) / 2.0));
        }
    }
    rft_run_fill_repeats(run);
}

static rft_limits *time_limit(double at_most, rft_arena *arena) {
    char json[300];
    rft_limits *limits = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_text_format(json, sizeof json,
                    "{\"device\": \"NVIDIA H200\", \"limits\": [{\"sweep\": \"synthetic\", \"problem\": {\"n\": 4096}, "
                    "\"at_most\": %.17g}]}",
                    at_most);
    assert_int_equal(rft_limits_read(&limits, json, "l.lua", arena, &err), 0);
    return limits;
}

static rft_accept_check check_one(const rft_run *run, const rft_limits *limits, rft_arena *arena) {
    rft_acceptance *a = NULL;
    const rft_accept_input input = {run, "a.db"};
    assert_int_equal(rft_accept_runs(&a, limits, &input, 1, arena, NULL), 0);
    return a->cards[0].checks[0];
}

/* ---- risks ---- */

/* Shares of PASS and FAIL in per cent of a card whose own time is so much longer than the limit. */
static void shares(double worse_frac, int draws, double *pass, double *fail) {
    const double limit_s = 1e-3;
    uint64_t seed = 41;
    int counts[RFT_ACCEPT_VERDICTS] = {0};
    rft_run *run = card_run("GPU-a", "1");
    for (int i = 0; i < draws; i++) {
        rft_arena *arena = rft_arena_new();
        measure(run, limit_s * exp(worse_frac), 0.004, &seed);
        counts[check_one(run, time_limit(limit_s, arena), arena).verdict]++;
        rft_arena_free(arena);
    }
    rft_run_free(run);
    *pass = 100.0 * counts[RFT_ACCEPT_PASS] / draws;
    *fail = 100.0 * counts[RFT_ACCEPT_FAIL] / draws;
    printf("%+.1f %% worse: PASS %.1f %%, FAIL %.1f %%\n", 100.0 * worse_frac, *pass, *fail);
}

/* With one card and one limit either risk is 5 %, at the limit itself; a clear card is decided. */
static void risks_are_those_printed(void **state) {
    const int all = 16000, draws = DRAWS(all);
    double pass, fail;
    (void)state;
    shares(0.0, draws, &pass, &fail);
    assert_true(fabs(pass - 5.0) < 0.8 + noise_slack(5.0, draws, all));
    assert_true(fabs(fail - 5.0) < 0.8 + noise_slack(5.0, draws, all));
    shares(0.002, draws, &pass, &fail);
    assert_true(pass < 2.0 && fail > 10.0); /* the buyer's risk falls with the distance */
    shares(-0.02, draws / 4, &pass, &fail);
    assert_true(pass > 99.5 && fail == 0.0);
    shares(0.02, draws / 4, &pass, &fail);
    assert_true(fail > 99.5 && pass == 0.0);
}

/* Many cards at the limit: with each decision's risk divided, any wrong one is as rare as one alone would be. */
static void cards_times_limits_are_counted(void **state) {
    enum { CARDS = 8 };
    const int all = 4000, draws = DRAWS(all);
    static const char *const names[CARDS] = {"GPU-a", "GPU-b", "GPU-c", "GPU-d", "GPU-e", "GPU-f", "GPU-g", "GPU-h"};
    rft_run *runs[CARDS];
    rft_accept_input inputs[CARDS];
    uint64_t seed = 99;
    int wrong = 0;
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        runs[c] = card_run(names[c], names[c]);
        inputs[c] = (rft_accept_input){runs[c], names[c]};
    }
    for (int i = 0; i < draws; i++) {
        rft_arena *arena = rft_arena_new();
        rft_acceptance *a = NULL;
        for (int c = 0; c < CARDS; c++) {
            measure(runs[c], 1e-3 * exp(1e-9), 0.004, &seed); /* misses it by nothing */
        }
        assert_int_equal(rft_accept_runs(&a, time_limit(1e-3, arena), inputs, CARDS, arena, NULL), 0);
        assert_true(near(a->each, RFT_LIMITS_RISK / CARDS, 1e-12) && a->card_count == CARDS);
        wrong += a->counts[RFT_ACCEPT_PASS] > 0;
        rft_arena_free(arena);
    }
    printf("a PASS among %d cards that miss their limit: %.1f %% (at most 5)\n", CARDS, 100.0 * wrong / draws);
    assert_true(100.0 * wrong / draws <= 5.0 + 0.7 + noise_slack(5.0, draws, all));
    for (int c = 0; c < CARDS; c++) {
        rft_run_free(runs[c]);
    }
}

/* ---- what is not judged ---- */

static void undecided_says_why(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_run *run = card_run("GPU-a", "1");
    uint64_t seed = 5;
    (void)state;
    measure(run, 0.9e-3, 0.004, &seed);
    rft_limits *limits = time_limit(1e-3, arena);
    limits->items[0].source = rft_accept_source(run, 0, arena);
    limits->items[0].cache = "cold";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_MET);
    run->sweeps[0].sweep.script_hash = "11ff";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_OTHER_SOURCE);
    run->sweeps[0].sweep.script_hash = HASH;
    rft_env_set(&run->env, run->arena, "source.synthetic.cu", "bb", NULL);
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_OTHER_SOURCE);
    rft_env_set(&run->env, run->arena, "source.synthetic.cu", "aa", NULL);
    limits->items[0].cache = "hot";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_OTHER_CACHE);
    limits->items[0].cache = NULL;
    limits->items[0].problem.values[0] = rft_value_int(8192);
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_OTHER_PROBLEM);
    assert_non_null(strstr(check_one(run, limits, arena).reason, "was measured with n = 4096"));
    limits->items[0].problem.operation = "gemv";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_MISSING);
    limits->device = "NVIDIA H100";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_OTHER_DEVICE);
    run->gpu.uuid = "";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_NAMELESS);
    run->info.replay_of = "2";
    assert_int_equal(check_one(run, limits, arena).code, RFT_ACCEPT_REPLAY);
    assert_int_equal(check_one(run, limits, arena).verdict, RFT_ACCEPT_UNDECIDED);
    rft_run_free(run);
    rft_arena_free(arena);
}

static void one_process_decides_nothing(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_run *run = card_run("GPU-a", "1");
    uint64_t seed = 5;
    (void)state;
    run->points[0].rounds[0].process_count = 0;
    measure(run, 0.5e-3, 0.0, &seed);
    rft_accept_check check = check_one(run, time_limit(1e-3, arena), arena);
    assert_int_equal(check.verdict, RFT_ACCEPT_UNDECIDED);
    assert_int_equal(check.code, RFT_ACCEPT_ONE_PROCESS);
    assert_true(near(check.margin, 1.0, 0.01) && isnan(check.guard) && isnan(check.risk));
    rft_run_free(run);
    rft_arena_free(arena);
}

/* Two runs of a card that lie apart widen the band; the middle of them counts. */
static void runs_of_a_card_are_one_reading(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {card_run("GPU-a", "1"), card_run("GPU-a", "2")};
    uint64_t seed = 5;
    (void)state;
    measure(runs[0], 0.98e-3, 0.001, &seed);
    measure(runs[1], 1.02e-3, 0.001, &seed);
    rft_acceptance *a = NULL;
    const rft_accept_input inputs[] = {{runs[0], "a.db"}, {runs[1], "b.db"}};
    rft_limits *limits = time_limit(1.01e-3, arena);
    assert_int_equal(rft_accept_runs(&a, limits, inputs, 2, arena, NULL), 0);
    assert_int_equal(a->card_count, 1);
    const rft_accept_check *check = &a->cards[0].checks[0];
    assert_int_equal(check->code, RFT_ACCEPT_NEAR);
    assert_true(near(check->reading.value, 1e-3, 2e-3) && check->reading.runs == 2 &&
                check->reading.deviation > 0.019 && check->reading.freedom == 1.0);
    assert_int_equal(check_one(runs[0], limits, arena).code, RFT_ACCEPT_MET);
    /* A ceiling that was kept for the next run is one measurement. */
    rft_limits *kept = NULL;
    assert_int_equal(
        rft_limits_read(&kept,
                        "{\"device\": \"NVIDIA H200\", \"limits\": [{\"ceiling\": \"fp32\", \"at_least\": 5e13}]}",
                        "l.lua", arena, NULL),
        0);
    assert_int_equal(rft_accept_runs(&a, kept, inputs, 2, arena, NULL), 0);
    assert_int_equal(a->cards[0].checks[0].reading.runs, 1);
    fixture_ceiling(runs[1], RFT_CEILING_FP32, 60.1e12);
    assert_int_equal(rft_accept_runs(&a, kept, inputs, 2, arena, NULL), 0);
    assert_int_equal(a->cards[0].checks[0].reading.runs, 2);
    runs[1]->info.id = "1";
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_accept_runs(&a, limits, inputs, 2, arena, &err), RFT_E_USAGE);
    rft_run_free(runs[0]);
    rft_run_free(runs[1]);
    rft_arena_free(arena);
}

/* ---- making ---- */

#define REFERENCES 9

static const rft_limit *ceiling_limit(const rft_limits *limits, rft_ceiling_id id) {
    for (size_t i = 0; i < limits->count; i++) {
        if (limits->items[i].is_ceiling && limits->items[i].ceiling == id) {
            return &limits->items[i];
        }
    }
    return NULL;
}

static void limits_follow_from_the_cards(void **state) {
    static const char *const names[REFERENCES] = {"GPU-a", "GPU-b", "GPU-c", "GPU-d", "GPU-e",
                                                  "GPU-f", "GPU-g", "GPU-h", "GPU-x"};
    rft_arena *arena = rft_arena_new();
    rft_run *runs[REFERENCES];
    rft_limits *limits = NULL;
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < REFERENCES; i++) {
        runs[i] = card_run(names[i], names[i]);
        measure(runs[i], 1e-3, 0.004, &seed);
        fixture_ceiling(runs[i], RFT_CEILING_DRAM_READ, 4.4e12 * exp(0.001 * (double)i));
    }
    runs[8]->gpu.name = "NVIDIA H100"; /* another model counts for nothing */
    runs[0]->ceilings.items[RFT_CEILING_FP32].datasheet = 50e12;
    runs[1]->ceilings.items[RFT_CEILING_FP32].measured = false;
    assert_int_equal(rft_limits_make(&limits, (const rft_run *const *)runs, REFERENCES, 1, arena, NULL), 0);
    assert_int_equal(limits->cards, 8);
    assert_int_equal(limits->left_out, 1);
    assert_int_equal(limits->count, 5); /* of four ceilings, of which the launch is none of the card's, and a time */
    const rft_limit *read = ceiling_limit(limits, RFT_CEILING_DRAM_READ);
    assert_int_equal(read->from, RFT_LIMIT_FROM_TOLERANCE);
    assert_int_equal(read->cards, 8);
    /* mean 0.0035, s 0.00245; k of 8 cards, content 1 - 0.05 / 4 (limits of eight cards), confidence 0.95: 4.207; and
     * the guard band */
    double guard = rft_student_t(2.0 * 0.05 / (5 * 16), 7) * 0.00244949;
    assert_true(near(read->spread, 0.00244949, 1e-5));
    assert_true(near(read->value, 4.4e12 * exp(0.0035 - 4.2069 * 0.00244949 - guard), 3e-4));
    const rft_limit *fp32 = ceiling_limit(limits, RFT_CEILING_FP32); /* of seven cards */
    assert_int_equal(fp32->from, RFT_LIMIT_FROM_DATASHEET);
    assert_true(fp32->value == 50e12);
    assert_int_equal(rft_limits_make(&limits, (const rft_run *const *)runs, 3, 1, arena, NULL), 0);
    read = ceiling_limit(limits, RFT_CEILING_DRAM_READ);
    assert_int_equal(read->from, RFT_LIMIT_FROM_CONTRACT);
    assert_true(near(read->value, 0.95 * 4.4e12, 1e-3) && read->value <= 0.95 * 4.4e12 && read->cards == 0);
    assert_true(limits->items[limits->count - 1].at_most && limits->items[limits->count - 1].value > 1.05e-3);
    size_t asked = limits->count; /* what another run of the same card has is not asked for */
    runs[1]->gpu.uuid = runs[0]->gpu.uuid;
    fixture_ceiling(runs[1], RFT_CEILING_TENSOR_FP8, 1e15);
    assert_int_equal(rft_limits_make(&limits, (const rft_run *const *)runs, 3, 1, arena, NULL), 0);
    assert_int_equal(limits->count, asked);
    rft_err err = RFT_ERR_INIT;
    runs[0]->gpu.uuid = NULL;
    assert_int_equal(rft_limits_make(&limits, (const rft_run *const *)runs, 3, 1, arena, &err), RFT_E_NOT_FOUND);
    for (size_t i = 0; i < REFERENCES; i++) {
        rft_run_free(runs[i]);
    }
    rft_arena_free(arena);
}

/* With few cards: 5 % off; of a time that scatters more from run to run, what another run of the card may read. */
static void a_card_keeps_its_own_proposal(void **state) {
    (void)state;
    const double deviations[] = {0.002, 0.05};
    for (size_t i = 0; i < 2; i++) {
        rft_arena *arena = rft_arena_new();
        rft_run *run = card_run("GPU-a", "a");
        rft_limits *limits = NULL;
        uint64_t seed = 5;
        measure(run, 1e-3, deviations[i], &seed);
        const rft_run *runs[] = {run};
        assert_int_equal(rft_limits_make(&limits, runs, 1, 1, arena, NULL), 0);
        const rft_limit *time = &limits->items[limits->count - 1];
        const rft_measurement *m = &run->points[0].rounds[0];
        double another_s = m->repeat.repeat_high, proposed_s = m->stats.median / 0.95;
        assert_true(time->at_most && time->from == RFT_LIMIT_FROM_CONTRACT);
        assert_true((another_s > proposed_s) == (i == 1));
        assert_true(i == 0 ? near(time->value, proposed_s, 1e-3)
                           : time->value > 0.999 * another_s && time->value < 1.1 * another_s);
        rft_run_free(run);
        rft_arena_free(arena);
    }
}

/* What nobody measured decides nothing: more than the hardware can do, more than all of its samples. */
static void impossible_readings_are_undecided(void **state) {
    (void)state;
    const double limits_of_hardware[] = {4e12, 4.8e12, 4.8e12, 1e15}, most[] = {5e12, 5e12, 4.1e12, 6e12};
    for (size_t i = 0; i < 4; i++) {
        rft_arena *arena = rft_arena_new();
        rft_run *run = card_run("GPU-a", "a");
        rft_ceiling *dram = &run->ceilings.items[RFT_CEILING_DRAM_READ];
        fixture_ceiling(run, RFT_CEILING_DRAM_READ, i == 3 ? 5.5e12 : 4.2e12); /* 4.9e12 by its clock and width */
        dram->limit = limits_of_hardware[i];
        dram->stats.max = most[i];
        rft_limit limit = {.is_ceiling = true, .ceiling = RFT_CEILING_DRAM_READ, .value = 4e12, .spread = NAN};
        const rft_limits limits = {.device = run->gpu.name, .items = &limit, .count = 1};
        const rft_run *runs[] = {run};
        const rft_accept_reading *read = rft_accept_read(&limits, runs, 1, arena);
        assert_int_equal(read->code, i == 1 ? RFT_ACCEPT_MET : RFT_ACCEPT_IMPOSSIBLE);
        assert_true(isfinite(read->value) == (i == 1));
        rft_run_free(run);
        rft_arena_free(arena);
    }
}

/* Of times, too; what the file says the hardware could do is not believed: 4.8 GB take 1 ms of an H200 at least. */
static void impossible_times_are_undecided(void **state) {
    (void)state;
    const double bytes[] = {4e9, 6e9, 6e9}, told[] = {4.9e12, 4.9e12, 1e15};
    for (size_t i = 0; i < 3; i++) {
        rft_arena *arena = rft_arena_new();
        rft_run *run = card_run("GPU-a", "a");
        uint64_t seed = 3;
        measure(run, 1e-3, 1e-4, &seed);
        run->points[0].work.bytes_read = bytes[i];
        run->ceilings.items[RFT_CEILING_DRAM_READ].limit = told[i];
        const rft_accept_check check = check_one(run, time_limit(2e-3, arena), arena);
        assert_int_equal(check.code, i == 0 ? RFT_ACCEPT_MET : RFT_ACCEPT_IMPOSSIBLE);
        assert_int_equal(check.verdict, i == 0 ? RFT_ACCEPT_PASS : RFT_ACCEPT_UNDECIDED);
        rft_run_free(run);
        rft_arena_free(arena);
    }
}

/* The share that a table of limits promises: of a fresh card like its ten reference cards, all limits are PASS. Cards
 * differ by 0.4 %, runs of one by 0.1 %. */
static void cards_like_the_references_pass(void **state) {
    enum { CARDS = 11 };
    static const rft_ceiling_id ids[] = {RFT_CEILING_DRAM_READ, RFT_CEILING_DRAM_COPY, RFT_CEILING_FP32,
                                         RFT_CEILING_TENSOR_BF16};
    const int all = 3200, draws = DRAWS(all);
    rft_run *runs[CARDS];
    uint64_t seed = 17;
    int passed = 0;
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        runs[c] = card_run("", "");
        runs[c]->gpu.uuid = runs[c]->info.id = rft_arena_printf(runs[c]->arena, "GPU-%d", c);
        measure(runs[c], 1e-3, 0.002, &seed);
    }
    for (int i = 0; i < draws; i++) {
        rft_arena *arena = rft_arena_new();
        rft_limits *limits = NULL;
        rft_acceptance *a = NULL;
        for (int c = 0; c < CARDS; c++) {
            measure(runs[c], 1e-3 * exp(0.004 * noise_normal(&seed)), 0.002, &seed);
            for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
                fixture_ceiling(runs[c], ids[k], 4e12 * exp(0.0041 * noise_normal(&seed)));
            }
        }
        assert_int_equal(rft_limits_make(&limits, (const rft_run *const *)runs, CARDS - 1, 1, arena, NULL), 0);
        assert_int_equal(limits->count, 5);
        const rft_accept_input input = {runs[CARDS - 1], "new.db"};
        assert_int_equal(rft_accept_runs(&a, limits, &input, 1, arena, NULL), 0);
        passed += a->verdict == RFT_ACCEPT_PASS;
        rft_arena_free(arena);
    }
    printf("a card like ten reference cards passes 5 limits in %.1f %% (at least 95)\n", 100.0 * passed / draws);
    assert_true(100.0 * passed / draws >= 95.0);
    for (int c = 0; c < CARDS; c++) {
        rft_run_free(runs[c]);
    }
}

/* ---- the file ---- */

#define OF(text) "{\"device\": \"x\", \"limits\": [" text "]}"
#define READ "\"ceiling\": \"dram_read\""

static void a_wrong_file_is_told_where(void **state) {
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{}", "does not return a table of limits"},
        {"[1]", "does not return a table of limits"},
        {"{\"limits\": [1]}", "device: the device is missing"},
        {"{\"device\": \"\", \"limits\": []}", "device: expected a text"},
        {"{\"device\": \"x\", \"limits\": {}}", "limits: expected a list of 1 to 1024"},
        {"{\"device\": \"x\", \"riks\": 1, \"limits\": []}", "riks: unknown key, did you mean \"risk\"?"},
        {"{\"device\": \"x\", \"risk\": 2, \"limits\": []}", "risk: expected a number, 1e-06 to 0.5"},
        {"{\"device\": \"x\", \"share\": null, \"limits\": []}", "share: expected a number"},
        {OF("7"), "limits[1]: expected a table"},
        {OF("{}"), "what the limit is of is missing"},
        {OF("{" READ ", \"at_lesat\": 1}"), "limits[1].at_lesat: unknown key, did you mean \"at_least\"?"},
        {OF("{\"ceiling\": \"dram_raed\", \"at_least\": 1}"),
         "\"dram_raed\" is not known, did you mean \"dram_read\"?"},
        {OF("{" READ "}"), "limits[1].at_least: the limit is missing"},
        {OF("{" READ ", \"at_least\": 1, \"at_most\": 2}"), "there are two limits"},
        {OF("{" READ ", \"at_most\": 2}"), "a rate is limited by at_least"},
        {OF("{\"ceiling\": \"launch\", \"at_least\": 2}"), "a time is limited by at_most"},
        {OF("{" READ ", \"at_least\": 0}"), "limits[1].at_least: expected a number, 1e-12 to 1e+21"},
        {OF("{" READ ", \"at_least\": \"4.5 TB/s\"}"), "limits[1].at_least: expected a number"},
        {OF("{" READ ", \"at_least\": 4500, \"unit\": \"GB/s\"}"), "\"GB/s\" is not the unit of this figure"},
        {OF("{" READ ", \"at_least\": 1, \"sustained\": 1}"), "limits[1].sustained: expected true or false"},
        {OF("{" READ ", \"at_least\": 1, \"from\": \"contarct\"}"), "did you mean \"contract\"?"},
        {OF("{" READ ", \"at_least\": 1, \"cards\": -3}"), "limits[1].cards: expected a number, 1 to"},
        {OF("{" READ ", \"at_least\": 1}, {" READ ", \"at_least\": 2}"), "limits[2]: limits[1] is of the same figure"},
        {OF("{" READ ", \"sweep\": \"gemv\", \"at_least\": 1}"), "of a ceiling or of a sweep"},
        {OF("{\"sweep\": \"gemv\", \"at_most\": 1}"), "limits[1].problem: expected up to 64 dimensions"},
        {OF("{\"sweep\": \"gemv\", \"problem\": {\"n\": []}, \"at_most\": 1}"),
         "limits[1].problem.n: expected a number"},
        {OF("{\"sweep\": 7, \"problem\": {}, \"at_most\": 1}"), "limits[1].sweep: expected a text"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_arena *arena = rft_arena_new();
        rft_limits *limits = NULL;
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_limits_read(&limits, cases[i].json, "l.lua", arena, &err), RFT_E_SCRIPT);
        if (!strstr(err.message, cases[i].message) || strcmp(err.place, "l.lua") != 0 || !*err.remedy) {
            fail_msg("%s: %s: %s", cases[i].json, err.place, err.message);
        }
        rft_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(risks_are_those_printed),
        cmocka_unit_test(cards_times_limits_are_counted),
        cmocka_unit_test(undecided_says_why),
        cmocka_unit_test(one_process_decides_nothing),
        cmocka_unit_test(runs_of_a_card_are_one_reading),
        cmocka_unit_test(limits_follow_from_the_cards),
        cmocka_unit_test(a_card_keeps_its_own_proposal),
        cmocka_unit_test(impossible_readings_are_undecided),
        cmocka_unit_test(impossible_times_are_undecided),
        cmocka_unit_test(cards_like_the_references_pass),
        cmocka_unit_test(a_wrong_file_is_told_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
