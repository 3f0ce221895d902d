/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, and transitions on rooflines whose knee is known because they were made up. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/transition/transition.h"

#include <time.h>

/* A linear layer of N = K = 8192 in bf16 over M rows: 2 M N K operations, 2 (N K + M K + M N) bytes. */
#define NK 8192.0
static rft_work linear_work(double m) {
    rft_work work = {.bytes_read = 2.0 * (NK * NK + m * NK), .bytes_written = 2.0 * m * NK};
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 2.0 * m * NK * NK;
    return work;
}

/* The truth: where the two times meet, for one memory ceiling. */
static double linear_knee(double bytes_s, double ops_s) {
    double low = 1.0, high = 1e6;
    for (int i = 0; i < 200; i++) {
        double m = sqrt(low * high);
        rft_work work = linear_work(m);
        *(rft_work_bytes(&work) / bytes_s > rft_work_ops(&work) / ops_s ? &low : &high) = m;
    }
    return sqrt(low * high);
}

/* Time of a machine with these ceilings; p: how sharp its knee is (t^p = tm^p + tc^p). */
static double machine_time(const rft_work *work, double bytes_s, double ops_s, double p, double efficiency) {
    double memory_s = rft_work_bytes(work) / bytes_s, compute_s = rft_work_ops(work) / ops_s;
    return pow(pow(memory_s, p) + pow(compute_s, p), 1.0 / p) / efficiency;
}

static rft_run *along_m(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "m", true, true);
    /* one memory ceiling, so that the truth is one number */
    run->ceilings.items[RFT_CEILING_DRAM_COPY].measured = false;
    return run;
}

static void add_m(rft_run *run, int64_t m, double time_s) {
    size_t problem = fixture_problem(run, &m);
    fixture_point(run, problem, NULL, time_s)->work = linear_work((double)m);
}

/* The first profile's transitions; expects `count` of them. */
static rft_transition *transitions(rft_run *run, size_t count) {
    rft_profile *profiles;
    rft_transition *found;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
    assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &found), count);
    return found;
}

static void finds_a_known_knee(void **state) {
    (void)state;
    double truth = linear_knee(4.4e12, 700e12);
    for (double p = 6.0; p < 100.0; p *= 3.0) {
        rft_run *run = along_m();
        for (int64_t m = 16; m <= 4096; m *= 2) {
            rft_work work = linear_work((double)m);
            add_m(run, m, machine_time(&work, 4.4e12, 700e12, p, 0.95));
        }
        rft_transition *t = transitions(run, 1);
        print_message("knee %.1f, sharpness %2.0f: found at %.1f in [%.0f, %.0f], ridge formula %.1f\n", truth, p,
                      t[0].where, t[0].low, t[0].high, t[0].ridge);
        assert_int_equal(t[0].kind, RFT_TRANSITION_FOUND);
        assert_null(t[0].why);
        assert_true(t[0].by_times && t[0].turn_of == RFT_TURN_OVER_INTENSITY);
        assert_true(t[0].low <= truth && truth <= t[0].high && t[0].high / t[0].low < 1.1);
        assert_true(fabs(t[0].turn.slope_before) < 0.02 && fabs(t[0].turn.slope_after - 1.0) < 0.02);
        assert_true(near(t[0].where, truth, 0.01));
        assert_true(near(t[0].ridge, truth, 0.02));
        assert_int_equal(t[0].evidence, RFT_EVIDENCE_DECLARED);
        rft_run_free(run);
    }
}

static double gauss(uint64_t *seed) {
    return sqrt(-2.0 * log(1.0 - rft_random_unit(seed))) * cos(6.283185307179586 * rft_random_unit(seed));
}

/* Random machines, 1 % noise on every time, points at 85 to 100 % of their roof: how often is the knee found, how far
 * off is it, and does its interval hold it? What is not found must say unclear. */
static void finds_knees_in_noise(void **state) {
    (void)state;
    uint64_t seed = 42;
    int found = 0, unclear = 0, covered = 0;
    double worst = 0.0;
    for (int experiment = 0; experiment < 500; experiment++) {
        rft_run *run = along_m();
        double bytes_s = 2e12 + 4e12 * rft_random_unit(&seed), ops_s = 2e14 + 8e14 * rft_random_unit(&seed);
        double efficiency = 0.85 + 0.15 * rft_random_unit(&seed);
        fixture_ceiling(run, RFT_CEILING_DRAM_READ, bytes_s);
        fixture_ceiling(run, RFT_CEILING_TENSOR_BF16, ops_s);
        double truth = linear_knee(bytes_s, ops_s);
        for (int64_t m = 8; m <= 8192; m *= 2) {
            rft_work work = linear_work((double)m);
            add_m(run, m, machine_time(&work, bytes_s, ops_s, 6.0, efficiency) * (1.0 + 0.01 * gauss(&seed)));
        }
        rft_profile *profiles;
        rft_transition *t;
        rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles);
        assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &t), 1);
        assert_true(t[0].kind == RFT_TRANSITION_FOUND || t[0].kind == RFT_TRANSITION_UNCLEAR);
        if (t[0].kind == RFT_TRANSITION_FOUND) {
            found++;
            covered += t[0].low <= truth && truth <= t[0].high;
            worst = fmax(worst, fabs(log(t[0].where / truth)));
        } else {
            unclear++;
        }
        rft_run_free(run);
    }
    print_message(
        "500 noisy machines: %d knees found, %d of the intervals hold them, %d unclear, worst off by %.1f %%\n", found,
        covered, unclear, 100.0 * (exp(worst) - 1.0));
    assert_true(found >= 475);
    assert_true(covered >= found * 93 / 100);
    assert_true(worst < log(1.08));
}

static void one_bound_all_along(void **state) {
    (void)state;
    rft_run *run = along_m();
    for (int64_t m = 1; m <= 64; m *= 2) {
        rft_work work = linear_work((double)m);
        add_m(run, m, machine_time(&work, 4.4e12, 700e12, 6.0, 0.9));
    }
    rft_transition *t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NONE);
    assert_string_equal(rft_transition_kind_name(t[0].kind), "none");
    rft_run_free(run);
}

/* The declared shares cross and both sides are firm, but the times just stay flat. */
static void times_that_do_not_turn_are_unclear(void **state) {
    (void)state;
    const int64_t with_outer[] = {96, 140, 170, 185}, without_outer[] = {140, 170};
    const int64_t *grids[] = {with_outer, without_outer};
    const size_t counts[] = {4, 2};
    for (int g = 0; g < 2; g++) {
        rft_run *run = along_m();
        for (size_t i = 0; i < counts[g]; i++) {
            rft_work work = linear_work(170.0);
            add_m(run, grids[g][i], rft_work_bytes(&work) / 4.4e12 * 1.25);
        }
        rft_transition *t = transitions(run, 1);
        assert_int_equal(t[0].kind, RFT_TRANSITION_UNCLEAR);
        assert_string_equal(t[0].why, "the measured times do not turn there");
        assert_true(t[0].low == 140.0 && t[0].high == 170.0);
        assert_true(isnan(t[0].where) && near(t[0].ridge, linear_knee(4.4e12, 700e12), 0.02));
        rft_run_free(run);
    }
}

/* Two measured values only: the branches through them meet in between. */
static void two_points_can_show_a_knee(void **state) {
    (void)state;
    rft_run *run = along_m();
    for (int64_t m = 64; m <= 512; m *= 8) {
        rft_work work = linear_work((double)m);
        add_m(run, m, machine_time(&work, 4.4e12, 700e12, 30.0, 0.9));
    }
    rft_transition *t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_FOUND);
    assert_true(near(t[0].where, linear_knee(4.4e12, 700e12), 0.05));
    rft_run_free(run);
}

static void a_gap_without_a_bound_is_unclear(void **state) {
    (void)state;
    rft_run *run = along_m();
    for (int64_t m = 32; m <= 2048; m *= 2) {
        rft_work work = linear_work((double)m);
        add_m(run, m, machine_time(&work, 4.4e12, 700e12, 30.0, m == 128 || m == 256 ? 0.4 : 0.9));
    }
    rft_transition *t = transitions(run, 2);
    assert_int_equal(t[0].kind, RFT_TRANSITION_UNCLEAR);
    assert_int_equal(t[1].kind, RFT_TRANSITION_UNCLEAR);
    assert_non_null(strstr(t[0].why, "at 128: latency: nearest ceiling dram 40 %; where the times turn: "));
    assert_non_null(strstr(t[1].why, "at 256: latency"));
    rft_run_free(run);
}

static void too_little_to_say(void **state) {
    (void)state;
    rft_run *run = along_m();
    add_m(run, 64, 1e-4);
    int64_t failed = 128;
    rft_point *point = fixture_point(run, fixture_problem(run, &failed), NULL, 1e-4);
    point->outcome = RFT_OUTCOME_COMPILE_FAILED;
    rft_transition *t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NOT_EXPLORED);
    assert_non_null(t[0].why);
    rft_run_free(run);

    run = along_m();
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].measured = false;
    }
    add_m(run, 64, 1e-4), add_m(run, 128, 1e-4);
    t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NOT_EXPLORED);
    assert_non_null(strstr(t[0].why, "ceiling"));
    rft_run_free(run);
}

static void values_that_are_no_numbers(void **state) {
    (void)state;
    rft_run *run = along_m();
    rft_work memory = linear_work(16.0), compute = linear_work(2048.0);
    int64_t zero = 0;
    const char *words[] = {"wide", "narrow"};
    for (int i = 0; i < 2; i++) {
        size_t problem = fixture_problem(run, &zero);
        run->sweeps[0].sweep.problems[problem].values[0] = rft_value_text(words[i]);
        const rft_work *work = i == 0 ? &memory : &compute;
        fixture_point(run, problem, NULL, machine_time(work, 4.4e12, 700e12, 30.0, 0.9))->work = *work;
    }
    rft_transition *t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_UNCLEAR);
    assert_true(isnan(t[0].low) && isnan(t[0].where));
    rft_run_free(run);
}

/* Lines hold the other swept axes fixed, leave out odd problems, follow what `with` computes, and are sorted. */
static void profiles_follow_lines(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "m", true, true);
    fixture_axis(run, "n", true, false);
    fixture_axis(run, "k", false, false);
    const int64_t problems[][3] = {{7, 7, 7}, {64, 1, 64}, {64, 2, 64}, {16, 1, 16}, {16, 2, 16}};
    for (size_t i = 0; i < 5; i++) {
        fixture_problem(run, problems[i]);
        if (i != 4) {
            fixture_point(run, i, NULL, 1e-3 * (double)(i + 1))->work.bytes_read = 1e9;
            fixture_point(run, i, NULL, 4e-3 * (double)(i + 1))->work.bytes_read = 1e9;
        }
    }
    run->sweeps[0].sweep.problems[0].odd = true;
    rft_profile *profiles;
    assert_int_equal(rft_profiles_along_axes(run, 0, 0, run->arena, &profiles), 2);
    assert_int_equal(profiles[0].step_count, 2);
    assert_int_equal(profiles[0].problem, 1);
    assert_int_equal(profiles[0].steps[0].value.as.integer, 16);
    assert_int_equal(profiles[0].steps[1].value.as.integer, 64);
    assert_int_equal(profiles[0].steps[1].measured, 2);
    assert_true(near(profiles[0].steps[1].worst_s, 8e-3, 1e-9));
    assert_true(near(profiles[0].steps[1].median_s, 5e-3, 1e-9));
    assert_ptr_equal(profiles[0].steps[1].best, rft_run_best(run, 0, 0, 1));
    assert_int_equal(profiles[1].problem, 2);
    assert_null(profiles[1].steps[0].best); /* nothing measured at 16, 2 */
    assert_true(isnan(profiles[1].steps[0].worst_s));
    rft_run_free(run);
}

/* N = K = 4096: 15 us of latency whatever the rows, then arithmetic at 85 % of its ceiling. One point is "mostly dram"
 * by a hair; the branch is latency all the same. */
static void latency_then_compute(void **state) {
    (void)state;
    rft_run *run = along_m();
    const double nk = 4096.0, pipe = 700e12 * 0.85;
    for (int64_t m = 1; m <= 4096; m *= 2) {
        rft_work work = {.bytes_read = 2.0 * (nk * nk + (double)m * nk), .bytes_written = 2.0 * (double)m * nk};
        work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 2.0 * (double)m * nk * nk;
        double compute_s = work.pipe_ops[RFT_PIPE_TENSOR_BF16] / pipe, latency_s = m == 128 ? 12.9e-6 : 15e-6;
        size_t problem = fixture_problem(run, &m);
        rft_point *point = fixture_point(run, problem, NULL, pow(pow(latency_s, 4) + pow(compute_s, 4), 0.25));
        point->work = work;
        point->facts.waves = m <= 256 ? NAN : (double)m / 1066.0;
    }
    rft_transition *t;
    rft_profile *profiles;
    rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles);
    size_t count = rft_transitions_of(run, &profiles[0], run->arena, &t);
    assert_int_equal(count, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_FOUND);
    assert_int_equal(profiles[0].steps[7].bound.resource, RFT_RESOURCE_DRAM); /* at 128 */
    assert_int_equal(profiles[0].steps[t[0].from].bound.resource, RFT_RESOURCE_LATENCY);
    assert_int_equal(profiles[0].steps[t[0].to].bound.resource, RFT_RESOURCE_PIPE);
    double truth = 15e-6 * pipe / (2.0 * nk * nk);
    print_message("latency, then compute: truth %.0f, found at %.0f in [%.0f, %.0f], ridge %.0f\n", truth, t[0].where,
                  t[0].low, t[0].high, t[0].ridge);
    assert_true(near(t[0].where, truth, 0.08) && t[0].low < t[0].where && t[0].where < t[0].high);
    double bytes = 700e12 / 4.4e12 * 2.0 / 2.0; /* m nk / (nk + 2 m) = r / 2 x 2: m = r nk / (nk - 2 r) */
    assert_true(near(t[0].ridge, bytes * nk / (nk - 2.0 * bytes), 0.02));
    assert_int_equal(t[0].evidence, RFT_EVIDENCE_DECLARED);
    /* 0.48 waves take the time of one: at 512 at most 48 % of the ceiling, so the formula's place moves down */
    assert_non_null(t[0].waves_note);
    assert_non_null(
        strstr(t[0].waves_note, "0.48 waves of blocks at 512 take the time of 1: BF16 tensor at most 48 %"));
    rft_run_free(run);
}

/* Sequences of m of as many tokens, long ones of twice as many: operations grow with m, bytes do not, and the doubled
 * time is no step. Without the work it would be one. */
static void twice_the_tokens_are_no_step(void **state) {
    (void)state;
    rft_run *run = along_m();
    for (int64_t m = 16; m <= 8192; m *= 2) {
        const double tokens = m >= 2048 ? 32768.0 : 16384.0;
        rft_work work = {.bytes_read = tokens * 12288.0, .bytes_written = tokens * 4096.0};
        work.pipe_ops[RFT_PIPE_TENSOR_BF16] = tokens * 8192.0 * (double)m;
        const double compute_s = work.pipe_ops[RFT_PIPE_TENSOR_BF16] / 600e12, waits_s = tokens * 8e-9;
        size_t problem = fixture_problem(run, &m);
        fixture_point(run, problem, NULL, pow(pow(waits_s, 4) + pow(compute_s, 4), 0.25))->work = work;
    }
    rft_transition *t = transitions(run, 1);
    print_message("latency, then a pipe: found at %.0f in [%.0f, %.0f]\n", t[0].where, t[0].low, t[0].high);
    assert_int_equal(t[0].kind, RFT_TRANSITION_FOUND);
    assert_int_equal(t[0].turn_of, RFT_TURN_OVER_INTENSITY);
    assert_true(near(t[0].where, 8e-9 * 600e12 / 8192.0, 0.05));
    rft_run_free(run);
}

/* F.linear of PyTorch 2 in fp16 on an H200, M = 1 to 2048, milliseconds: times with waves and changes of kernel in
 * them. N = K = 4096 waits on latency, then on arithmetic; 8192 on memory, then on arithmetic (datasheet's ridge: 217).
 */
static void measured_layers(void **state) {
    (void)state;
    static const double times_ms[2][12] = {
        {.01917, .01891, .01894, .01901, .01907, .0193, .01792, .01904, .02384, .02883, .05043, .09491},
        {.04827, .0481, .04829, .04843, .04378, .04397, .04586, .04557, .05427, .10605, .20666, .40381}};
    static const rft_resource from[2] = {RFT_RESOURCE_LATENCY, RFT_RESOURCE_DRAM};
    static const double ridges[2] = {198.0, 188.0};
    for (int layer = 0; layer < 2; layer++) {
        rft_run *run = along_m();
        fixture_ceiling(run, RFT_CEILING_TENSOR_FP16, 790e12);
        double nk = layer == 0 ? 4096.0 : 8192.0;
        for (int i = 0; i < 12; i++) {
            int64_t m = (int64_t)1 << i;
            rft_point *point = fixture_point(run, fixture_problem(run, &m), NULL, 1e-3 * times_ms[layer][i]);
            point->work =
                (rft_work){.bytes_read = 2.0 * (nk * nk + (double)m * nk), .bytes_written = 2.0 * (double)m * nk};
            point->work.pipe_ops[RFT_PIPE_TENSOR_FP16] = 2.0 * (double)m * nk * nk;
        }
        rft_transition *t;
        rft_profile *profiles;
        rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles);
        assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &t), 1);
        print_message("F.linear, N = K = %.0f: at %.0f in [%.0f, %.0f], ridge %.0f, scatter %.0f %%\n", nk, t[0].where,
                      t[0].low, t[0].high, t[0].ridge, 100.0 * t[0].scatter_frac);
        assert_int_equal(t[0].kind, RFT_TRANSITION_FOUND);
        assert_int_equal(profiles[0].steps[t[0].from].bound.resource, from[layer]);
        assert_int_equal(profiles[0].steps[t[0].to].bound.resource, RFT_RESOURCE_PIPE);
        assert_true(near(t[0].ridge, ridges[layer], 0.01));
        assert_true(layer == 0 ? t[0].low > 256.0 && t[0].high < 1024.0 && t[0].scatter_frac > 0.03
                               : t[0].low > 188.0 && t[0].low < 217.0 && t[0].high > 217.0 && t[0].high < 256.0);
        rft_run_free(run);
    }
}

/* Decoding by heads of one key and value, from an H200: flat up to a tile of 64, a second tile, flat again. */
static void a_step_is_no_turn(void **state) {
    (void)state;
    static const int64_t heads[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128};
    static const double us[] = {125.71, 125.9, 125.81, 125.86, 126.97, 126.98, 127.35, 127.63, 171.07, 170.87};
    rft_run *run = along_m();
    for (size_t i = 0; i < 10; i++) {
        rft_point *point = fixture_point(run, fixture_problem(run, &heads[i]), NULL, us[i] / 1e6);
        point->work.bytes_read = 5.37e8;
    }
    rft_transition *t;
    rft_profile *profiles;
    rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles);
    assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &t), 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NONE);
    assert_non_null(strstr(t[0].why, "a step"));
    rft_run_free(run);
}

/* Useful bytes of a strided read: flat, then falling with the stride, then flat where every sector is its own. */
/* As fp8 on an H200: 1000 is no multiple of a tile, and slower than 1024. */
static void sizes_that_are_not_alike_place_nothing(void **state) {
    (void)state;
    static const double n[] = {1000, 1024, 2048, 4096, 8192};
    for (int alike = 0; alike < 2; alike++) {
        rft_run *run = fixture_run();
        fixture_axis(run, "n", true, true);
        const double us[] = {alike ? 15.9 : 40, 16, 27, 206, 1640};
        for (size_t i = 0; i < 5; i++) {
            rft_point *point =
                fixture_point(run, fixture_problem(run, (const int64_t[]){(int64_t)n[i]}), NULL, us[i] / 1e6);
            point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 2 * n[i] * n[i] * n[i];
            point->work.bytes_read = 4 * n[i] * n[i];
        }
        rft_profile *profiles;
        rft_transition *t;
        assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
        size_t count = rft_transitions_of(run, &profiles[0], run->arena, &t), found = 0, told = 0;
        for (size_t i = 0; i < count; i++) {
            found += t[i].kind == RFT_TRANSITION_FOUND;
            told += t[i].why && strstr(t[i].why, "from 1000 to 1024 the times fall though the work grows") &&
                    t[i].kind == RFT_TRANSITION_UNCLEAR && isnan(t[i].where) && t[i].low < t[i].high;
        }
        assert_int_equal(found, alike);
        assert_int_equal(told, !alike);
        rft_run_free(run);
    }
}

static rft_run *stride(double first, double last, double factor) {
    rft_run *run = fixture_run();
    fixture_axis(run, "stride", true, true);
    for (double at = first; at <= last; at *= factor) {
        int64_t value = (int64_t)round(100.0 * at);
        double waste = pow(pow(fmax(1.0, at), -6.0) + pow(8.0, -6.0), -1.0 / 6.0);
        rft_point *point = fixture_point(run, fixture_problem(run, &value), NULL, 1e9 * waste / 4.0e12);
        point->work.bytes_read = 1e9;
        point->traffic.present = true;
        point->traffic.level_bytes[RFT_LEVEL_DRAM] = 1e9 * waste;
    }
    return run;
}

static void a_stride_turns_twice_under_one_bound(void **state) {
    (void)state;
    rft_run *run = stride(0.2, 80.0, 1.28);
    rft_transition *t = transitions(run, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(t[i].kind, RFT_TRANSITION_TURN);
        assert_string_equal(rft_transition_kind_name(t[i].kind), "turn of the times");
        assert_int_equal(t[i].turn_of, RFT_TURN_OF_TIME_PER_WORK);
        assert_true(t[i].by_times && isnan(t[i].ridge) && t[i].from != t[i].to);
    }
    assert_true(near(t[0].where, 100.0, 0.1) && t[0].turn.slope_after > 0.9);
    assert_true(near(t[1].where, 800.0, 0.1) && t[1].turn.slope_after < 0.1);
    rft_run_free(run);

    /* from the first turn on there is one only */
    run = stride(1.0, 64.0, 2.0);
    t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_TURN);
    assert_true(near(t[0].where, 800.0, 0.1) && t[0].turn.slope_after < t[0].turn.slope_before);
    rft_run_free(run);
    /* six values do not show two: said as it is, and the bound is one */
    run = stride(0.25, 256.0, 4.0);
    t = transitions(run, 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NONE);
    assert_string_equal(t[0].why, "the times follow neither one law nor two that meet: a step, or more than one turn: "
                                  "more values would tell");
    rft_run_free(run);
}

/* A working set, hot: the rate of the L2, then that of device memory between two values of the grid. */
static void a_step_is_measured_between(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_ceiling(run, RFT_CEILING_L2_READ, 9e12);
    fixture_axis(run, "bytes", true, true);
    for (int64_t bytes = (int64_t)1 << 22; bytes <= (int64_t)1 << 34; bytes *= 2) {
        bool fits = bytes <= run->gpu.l2_bytes;
        rft_point *point =
            fixture_point(run, fixture_problem(run, &bytes), NULL, 20.0 * (double)bytes / (fits ? 8.5e12 : 4.1e12));
        point->work.bytes_read = 20.0 * (double)bytes;
        point->traffic.present = true;
        point->traffic.level_bytes[fits ? RFT_LEVEL_L2 : RFT_LEVEL_DRAM] = 20.0 * (double)bytes;
        point->work.bytes_read = fits ? 1.0 : point->work.bytes_read;
    }
    rft_transition *t = transitions(run, 1);
    print_message("a step: %s, %s\n", rft_transition_kind_name(t[0].kind), t[0].why ? t[0].why : "");
    assert_int_equal(t[0].kind, RFT_TRANSITION_UNCLEAR);
    assert_true(t[0].low == 33554432.0 && t[0].high == 67108864.0 && isnan(t[0].where));
    assert_non_null(strstr(t[0].why, "measure between 33554432 and 67108864 (refine)"));
    rft_run_free(run);
}

/* A tile whose L2 traffic falls with its size until the pipe is the bound; only `traffic` can tell. */
static rft_run *tiles(bool with_traffic) {
    rft_run *run = fixture_run();
    fixture_ceiling(run, RFT_CEILING_L2_READ, 9e12);
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){4096});
    fixture_param(run, 0, "TILE", (const int64_t[]){64, 8, 16, 32, 128}, 5);
    fixture_param(run, 0, "VEC", (const int64_t[]){1, 2}, 2);
    fixture_param(run, 0, "FIXED", (const int64_t[]){1}, 1);
    double ops = 2.0 * 4096.0 * 4096.0 * 4096.0;
    for (int64_t tile = 8; tile <= 128; tile *= 2) {
        for (int64_t vec = 1; vec <= 2; vec++) {
            double l2_bytes = 4.0 * ops / (double)tile;
            double time_s = fmax(l2_bytes / 9e12, ops / 60e12) / 0.9 * (vec == 1 ? 1.1 : 1.0);
            rft_point *point = fixture_point(run, 0, (const int64_t[]){tile, vec, 1}, time_s);
            point->work.pipe_ops[RFT_PIPE_FP32] = ops;
            point->work.bytes_read = 1e8;
            if (with_traffic) {
                point->traffic.present = true;
                point->traffic.level_bytes[RFT_LEVEL_L2] = l2_bytes;
            }
        }
    }
    return run;
}

static void along_a_parameter_only_with_traffic(void **state) {
    (void)state;
    rft_run *run = tiles(true);
    rft_profile *profiles;
    rft_transition *t;
    assert_int_equal(rft_profiles_along_params(run, 0, 0, 0, run->arena, &profiles), 2);
    assert_true(profiles[0].along_param && profiles[0].index == 0);
    assert_int_equal(profiles[0].step_count, 5);
    assert_int_equal(profiles[0].steps[0].value.as.integer, 8); /* ascending, whatever the script's order */
    assert_int_equal(profiles[0].steps[0].measured, 2);
    assert_int_equal(profiles[0].steps[0].best->config[1].as.integer, 2);
    assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &t), 1);
    /* equal times at 26.7, which no tile has: all that is known are the two around it */
    assert_int_equal(t[0].kind, RFT_TRANSITION_CHANGE);
    assert_int_equal(t[0].evidence, RFT_EVIDENCE_DECLARED); /* the pipe's operations are the work's */
    assert_true(t[0].low == 16.0 && t[0].high == 32.0 && isnan(t[0].where));
    assert_int_equal(rft_transitions_of(run, &profiles[1], run->arena, &t), 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NONE);
    rft_run_free(run);

    run = tiles(false);
    assert_int_equal(rft_profiles_along_params(run, 0, 0, 0, run->arena, &profiles), 2);
    assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &t), 1);
    assert_int_equal(t[0].kind, RFT_TRANSITION_NOT_EXPLORED);
    assert_non_null(strstr(t[0].why, "does not depend on parameters"));
    rft_run_free(run);
}

/* A recording of another tuner may have as many values as results; looked through once, not once a value. */
static void many_values_take_no_longer_than_they_are(void **state) {
    enum { VALUES = 200000 };
    rft_run *run = fixture_run();
    rft_profile *profiles = NULL;
    clock_t begun = clock();
    (void)state;
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1});
    fixture_param(run, 0, "SEED", (const int64_t[]){1, 2}, 2);
    rft_param *param = &run->sweeps[0].sweep.variants[0].params[0];
    param->values = rft_arena_calloc(run->arena, VALUES, sizeof *param->values);
    for (param->value_count = 0; param->value_count < VALUES; param->value_count++) {
        param->values[param->value_count] = rft_value_int((int64_t)param->value_count);
    }
    fixture_point(run, 0, (const int64_t[]){1}, 1e-3);
    fixture_point(run, 0, (const int64_t[]){VALUES - 1}, 2e-3);
    assert_int_equal(rft_profiles_along_params(run, 0, 0, 0, run->arena, &profiles), 1);
    assert_int_equal(profiles[0].step_count, VALUES);
    assert_int_equal(rft_profile_measured(&profiles[0]), 2);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 2.0);
    rft_run_free(run);
}

static void importance_splits_the_variance(void **state) {
    (void)state;
    rft_run *run = tiles(true);
    double importance[3];
    rft_param_importance(run, 0, 0, 0, importance);
    /* a full factorial with additive logs: the shares add up */
    assert_true(importance[0] > 0.95 && importance[1] > 0.0 && importance[1] < 0.05);
    assert_true(near(importance[0] + importance[1], 1.0, 1e-9));
    assert_true(importance[2] == 0.0);
    rft_run_free(run);

    run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1});
    fixture_param(run, 0, "TILE", (const int64_t[]){1, 2}, 2);
    fixture_point(run, 0, (const int64_t[]){1}, 1e-3);
    fixture_point(run, 0, (const int64_t[]){2}, 2e-3);
    rft_param_importance(run, 0, 0, 0, importance);
    assert_true(isnan(importance[0]));
    fixture_point(run, 0, (const int64_t[]){2}, 2e-3);
    rft_param_importance(run, 0, 0, 0, importance);
    assert_true(near(importance[0], 1.0, 1e-9));
    rft_run_free(run);
}

/* The final round runs on a warmer card: its few stand beside each other, or none of them beside the rest. */
static void a_parameter_is_held_against_itself_in_one_round(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    rft_profile *profiles;
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1});
    fixture_param(run, 0, "STAGES", (const int64_t[]){3, 4}, 2);
    rft_point *three = fixture_point(run, 0, (const int64_t[]){3}, 1.38e-3);
    rft_point *four = fixture_point(run, 0, (const int64_t[]){4}, 1.37e-3);
    four->rounds[1] = fixture_measurement(run, 1.46e-3);
    for (int both = 0; both < 2; both++) {
        assert_int_equal(rft_profiles_along_params(run, 0, 0, 0, run->arena, &profiles), 1);
        assert_true(profiles[0].steps[0].best == three && profiles[0].steps[1].best == four);
        assert_true(near(profiles[0].steps[0].best_s, both ? 1.48e-3 : 1.38e-3, 1e-9));
        assert_true(near(profiles[0].steps[1].best_s, both ? 1.46e-3 : 1.37e-3, 1e-9));
        three->rounds[1] = fixture_measurement(run, 1.48e-3);
    }
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_known_knee),
        cmocka_unit_test(finds_knees_in_noise),
        cmocka_unit_test(one_bound_all_along),
        cmocka_unit_test(times_that_do_not_turn_are_unclear),
        cmocka_unit_test(two_points_can_show_a_knee),
        cmocka_unit_test(a_gap_without_a_bound_is_unclear),
        cmocka_unit_test(latency_then_compute),
        cmocka_unit_test(twice_the_tokens_are_no_step),
        cmocka_unit_test(measured_layers),
        cmocka_unit_test(a_step_is_no_turn),
        cmocka_unit_test(a_stride_turns_twice_under_one_bound),
        cmocka_unit_test(a_step_is_measured_between),
        cmocka_unit_test(too_little_to_say),
        cmocka_unit_test(values_that_are_no_numbers),
        cmocka_unit_test(profiles_follow_lines),
        cmocka_unit_test(along_a_parameter_only_with_traffic),
        cmocka_unit_test(sizes_that_are_not_alike_place_nothing),
        cmocka_unit_test(many_values_take_no_longer_than_they_are),
        cmocka_unit_test(importance_splits_the_variance),
        cmocka_unit_test(a_parameter_is_held_against_itself_in_one_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
