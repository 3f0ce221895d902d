/* SPDX-License-Identifier: Apache-2.0 */
/* Nsight Compute's counters of a point: both pages of its CSV in every spelling of numbers, which launches are the
 * point's, and what is said of files that are not of it. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "base/str.h"
#include "model/roofline/counted.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

#define SASS(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"

/* What ncu prints of the default set, in the units it picks itself and in base units. */
static const struct row {
    const char *metric, *unit, *value, *base_unit, *base;
} rows[] = {
    {"gpu__time_duration.sum", "us", "1,051.26", "ns", "1051260"},
    {"sm__cycles_elapsed.avg.per_second", "Ghz", "1.98", "cycle/second", "1,980,000,000.00"},
    {"dram__bytes_read.sum", "Mbyte", "268.44", "byte", "268,440,000"},
    {"dram__bytes_write.sum", "Kbyte", "27.65", "byte", "27,650"},
    {"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "8,388,608", "sector", "8,388,608"},
    {"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "1,024", "sector", "1,024"},
    {"lts__t_sectors_srcunit_tex_lookup_hit.sum", "sector", "5,300", "sector", "5,300"},
    {"l1tex__lsu_writeback_active_mem_lgds.sum", "cycle", "102,400", "cycle", "102,400"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", "55,292", "", "55,292"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", "3", "", "3"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "34.04", "%", "34.04"},
    {"smsp__issue_active.avg.per_cycle_active", "inst/cycle", "0.24", "inst/cycle", "0.24"},
    {"smsp__inst_executed.sum", "inst", "798,720", "inst", "798,720"},
    {SASS("fadd"), "inst", "1,318,912", "inst", "1,318,912"},
    {SASS("fmul"), "inst", "0", "inst", "0"},
    {SASS("ffma"), "Minst", "4.19", "inst", "4,190,000"},
    {SASS("dadd"), "inst", "0", "inst", "0"},
    {SASS("dmul"), "inst", "0", "inst", "0"},
    {SASS("dfma"), "inst", "0", "inst", "0"},
    {SASS("hadd"), "inst", "0", "inst", "0"},
    {SASS("hmul"), "inst", "0", "inst", "0"},
    {SASS("hfma"), "inst", "0", "inst", "0"},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "byte/sector", "32", "byte/sector", "32"},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", "", "n/a", "", "(!) nan"},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "", "16", "", "16"},
    {"launch__registers_per_thread", "register/thread", "32", "register/thread", "32"},
    {"profiler__replayer_passes", "pass", "5", "pass", "5"},
    {"numa__cpu_affinity", "", "0,2", "", "0,2"}, /* no number */
    {"launch__grid_dim_x", "", "65,536", "", "65,536"},
    {"launch__grid_dim_y", "", "1", "", "1"},
    {"launch__grid_dim_z", "", "1", "", "1"},
    {"launch__block_dim_x", "", "256", "", "256"},
    {"launch__block_dim_y", "", "1", "", "1"},
    {"launch__block_dim_z", "", "1", "", "1"},
};
#define ROWS (sizeof rows / sizeof *rows)

#define OWN "void gemv<(int)8>(const __half *, __half *, long long)"
#define SHAPE "\"(256, 1, 1)\",\"(65536, 1, 1)\""
#define VERSION "NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.0.0 (build 1) (public-release)\n"
#define PROF "==PROF== Profiling \"gemv\" - 0: 0%....50%....100% - 5 passes\n"

typedef struct csv_form {
    bool details, base;
    bool old;               /* as versions of 2020 and 2021: no columns for shape and card */
    bool whole;             /* no decimals and no groups: "34", "1980000000" */
    const char *kernels[4]; /* of the launches; NULL: OWN alone */
    const char *shape, *cc;
    const char *without;                           /* a metric that is not there */
    const char *unit_of, *unit, *value_of, *value; /* one that is different */
    char comma;                                    /* ',' -> and '.' ->; 0: as they are */
    char point;
} csv_form;

static const char *localised(const csv_form *form, const char *text, char out[40]) {
    rft_text_format(out, 40, "%s", text);
    if (form->whole) {
        size_t used = 0;
        for (const char *c = text; *c && *c != '.'; c++) {
            out[used] = *c;
            used += *c != ',' ? 1 : 0;
        }
        out[used] = '\0';
    }
    for (char *c = out; *c; c++) {
        *c = *c == ',' && form->comma ? form->comma : *c == '.' && form->point ? form->point : *c;
    }
    return out;
}

static const char *unit_of(const csv_form *form, const struct row *row) {
    return rft_text_equal(form->unit_of, row->metric) ? form->unit : form->base ? row->base_unit : row->unit;
}

static const char *value_of(const csv_form *form, const struct row *row, char out[40]) {
    return rft_text_equal(form->value_of, row->metric) ? form->value
                                                       : localised(form, form->base ? row->base : row->value, out);
}

static void add_launch(rft_str *out, const csv_form *form, size_t id, const char *kernel) {
    if (form->old) {
        rft_str_addf(out, "\"%zu\",\"77\",\"rooftune\",\"127.0.0.1\",\"%s\",\"2021-Nov-08 19:56:53\",\"1\",\"7\"", id,
                     kernel);
        return;
    }
    rft_str_addf(out, "\"%zu\",\"77\",\"rooftune\",\"127.0.0.1\",\"%s\",\"1\",\"7\",%s,\"0\",\"%s\"", id, kernel,
                 form->shape ? form->shape : SHAPE, form->cc ? form->cc : "9.0");
}

static void add_details(rft_str *out, const csv_form *form, size_t id, const char *kernel) {
    char cell[40];
    for (size_t i = 0; i < ROWS; i++) {
        if (!rft_text_equal(form->without, rows[i].metric)) {
            add_launch(out, form, id, kernel);
            /* Behind the value nothing but a comma, as ncu does it. */
            rft_str_addf(out, ",\"Command line profiler metrics\",\"%s\",\"%s\",\"%s\",\n", rows[i].metric,
                         unit_of(form, &rows[i]), value_of(form, &rows[i], cell));
        }
    }
    add_launch(out, form, id, kernel);
    rft_str_add(out, ",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"so, \"\"look\"\"\",\"\",\"\"\n");
}

static void add_raw(rft_str *out, const csv_form *form, size_t id, const char *kernel) {
    char cell[40];
    add_launch(out, form, id, kernel);
    for (size_t i = 0; i < ROWS; i++) {
        if (!rft_text_equal(form->without, rows[i].metric)) {
            rft_str_addf(out, ",\"%s\"", value_of(form, &rows[i], cell));
        }
    }
    rft_str_add(out, "\n");
}

static void add_head(rft_str *out, const csv_form *form) {
    rft_str_addf(out, "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",%s",
                 form->old ? "\"Kernel Time\",\"Context\",\"Stream\""
                           : "\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"");
    if (form->details) {
        rft_str_add(out, ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\","
                         "\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n");
        return;
    }
    for (int units = 0; units < 2; units++) {
        rft_str_add(out, units ? "\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"" : "");
        rft_str_add(out, units && !form->old ? ",\"\",\"\",\"\"" : "");
        for (size_t i = 0; i < ROWS; i++) {
            if (!rft_text_equal(form->without, rows[i].metric)) {
                rft_str_addf(out, ",\"%s\"", units ? unit_of(form, &rows[i]) : rows[i].metric);
            }
        }
    }
    rft_str_add(out, "\n");
}

static const char *csv_of(const csv_form *form, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    rft_str_add(&out, VERSION PROF "point 1: \"some\" words of the program\n");
    add_head(&out, form);
    for (size_t i = 0; i == 0 || (i < 4 && form->kernels[i]); i++) {
        const char *kernel = form->kernels[i] ? form->kernels[i] : OWN;
        if (form->details) {
            add_details(&out, form, i, kernel);
        } else {
            add_raw(&out, form, i, kernel);
        }
    }
    rft_str_add(&out, "==PROF== Disconnected from process 77\n");
    const char *text = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

/* Point 1: gemv<VEC> with VEC = 8, one launch, counters refused. */
static rft_run *new_run(void) {
    rft_run *run = sample_run_new();
    rft_point *point = &run->points[0];
    const rft_counter_set set = rft_counter_set_default();
    const rft_counters refused = rft_counters_refused(&set, "no permission (ERR_NVGPUCTRPERM)", run->arena);
    run->gpu.cc_major = 9;
    run->gpu.cc_minor = 0;
    point->config[0] = rft_value_int(8);
    point->has_launch = true;
    point->counters = rft_counters_copy(&refused, run->arena);
    point->rounds[0] = run->points[1].rounds[0];
    return run;
}

static int import(rft_run *run, const csv_form *form, rft_ncu_taken *taken, rft_err *err) {
    const char *text = csv_of(form, run->arena);
    rft_err_clear(err);
    return rft_ncu_import(run, 1, text, strlen(text), "/tmp/some/ncu.csv", taken, err);
}

static const rft_counters *expect_taken(rft_run *run, const csv_form *form) {
    rft_ncu_taken taken;
    rft_err err = RFT_ERR_INIT;
    if (import(run, form, &taken, &err) != RFT_OK) {
        fail_msg("%s: %s\n%s", err.place, err.message, csv_of(form, run->arena));
    }
    assert_int_equal(taken.point, 1);
    assert_ptr_equal(run->points[0].counters->source, taken.source);
    return run->points[0].counters;
}

static void assert_near(double got, double want) {
    if (!(fabs(got - want) <= 1e-9 * fabs(want))) {
        fail_msg("%.17g, not %.17g", got, want);
    }
}

static void check_counts(const rft_counters *c) {
    assert_string_equal(c->source, "Nsight Compute 2025.3.0.0, ncu.csv");
    assert_int_equal(c->passes, 5);
    assert_near(c->values[RFT_COUNTER_TIME], 1.05126e-3);
    assert_near(c->values[RFT_COUNTER_SM_CLOCK], 1.98e9);
    assert_near(c->values[RFT_COUNTER_DRAM_READ], 268.44e6);
    assert_near(c->values[RFT_COUNTER_DRAM_WRITE], 27650);
    assert_near(c->values[RFT_COUNTER_L1_LOAD], 128 * 102400.0);
    assert_near(c->values[RFT_COUNTER_WARPS_ACTIVE], 0.3404);
    assert_near(c->values[RFT_COUNTER_FFMA], 4.19e6);
    assert_true(isnan(c->values[RFT_COUNTER_STORE_BYTES_PER_SECTOR]));
    assert_non_null(strstr(c->reasons[RFT_COUNTER_STORE_BYTES_PER_SECTOR], "no value"));
    assert_string_equal(c->reasons[RFT_COUNTER_XU], RFT_COUNTER_NOT_ASKED);
}

static void both_pages_say_the_same_in_any_locale(void **state) {
    static const csv_form forms[] = {
        {.details = false},
        {.details = true},
        {.base = true},
        {.details = true, .base = true},
        {.comma = '.', .point = ','}, /* Germany */
        {.base = true, .comma = '.', .point = ','},
        {.comma = ' ', .point = ','},  /* France */
        {.comma = '\'', .point = '.'}, /* Switzerland */
        {.old = true},
        {.old = true, .details = true, .base = true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        rft_run *run = new_run();
        check_counts(expect_taken(run, &forms[i]));
        rft_traffic traffic = rft_counted_traffic(&run->points[0]);
        assert_true(traffic.present && traffic.evidence == RFT_EVIDENCE_COUNTED);
        assert_near(traffic.level_bytes[RFT_LEVEL_DRAM], 268.44e6 + 27650);
        rft_run_free(run);
    }
    (void)state;
}

/* A file without any decimals: nanoseconds have no parts, so "14.912" is a group of three as in Germany, and
 * microseconds have some. */
static void whole_numbers_tell_groups_from_decimals(void **state) {
    static const struct {
        const char *value, *unit;
        double want; /* s */
    } cases[] = {
        {"14.912", "ns", 14912e-9},  {"14,912", "ns", 14912e-9}, {"14.912", "nsecond", 14912e-9},
        {"14.912", "us", 14.912e-6}, {"14,912", "us", 14912e-6}, {"2.508.800", "ns", 2508800e-9},
        {"14.91", "us", 14.91e-6},   {"14,91", "us", 14.91e-6},  {"0.912", "ms", 0.912e-3},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        rft_run *run = new_run();
        size_t at = i / 2;
        const csv_form form = {.base = true,
                               .whole = true,
                               .details = i % 2,
                               .unit_of = "gpu__time_duration.sum",
                               .unit = cases[at].unit,
                               .value_of = "gpu__time_duration.sum",
                               .value = cases[at].value};
        assert_near(expect_taken(run, &form)->values[RFT_COUNTER_TIME], cases[at].want);
        rft_run_free(run);
    }
    (void)state;
}

/* Kernels that fill buffers are passed over; of several runs of the point the last is taken. */
static void the_launches_of_the_point_are_found(void **state) {
    rft_run *run = new_run();
    rft_ncu_taken taken;
    rft_err err = RFT_ERR_INIT;
    const csv_form form = {.kernels = {"fill(unsigned char *)", OWN, "void gemv<(int)1>(T1)", OWN}};
    assert_int_equal(import(run, &form, &taken, &err), RFT_OK);
    assert_int_equal(taken.runs, 2);
    check_counts(run->points[0].counters);
    const csv_form details = {.details = true, .kernels = {OWN, OWN, "gemv"}};
    assert_int_equal(import(run, &details, &taken, &err), RFT_OK); /* again: in place of what was imported */
    assert_int_equal(taken.runs, 3);
    check_counts(run->points[0].counters);
    rft_run_free(run);
    (void)state;
}

/* Sums add up; averages do not, nor does what depends on the caches, which ncu flushes before each launch. */
static void several_launches_are_one_point(void **state) {
    rft_run *run = new_run();
    rft_point *point = &run->points[0];
    point->step_count = 3;
    point->steps = rft_arena_calloc(run->arena, 3, sizeof *point->steps);
    point->steps[0].name = "memset part";
    point->steps[1].name = "scan<8>";
    point->steps[2].name = "add";
    const csv_form form = {.kernels = {"void scan<(int)8>(T1)", "fill(int)", "add(float *)"}};
    const rft_counters *c = expect_taken(run, &form);
    assert_near(c->values[RFT_COUNTER_TIME], 2 * 1.05126e-3);
    assert_near(c->values[RFT_COUNTER_FFMA], 2 * 4.19e6);
    assert_near(c->values[RFT_COUNTER_L2_READ], 2 * 8388608.0);
    assert_non_null(strstr(c->reasons[RFT_COUNTER_WARPS_ACTIVE], "average"));
    assert_non_null(strstr(c->reasons[RFT_COUNTER_DRAM_READ], "flushed"));
    assert_non_null(strstr(c->reasons[RFT_COUNTER_L2_HIT], "flushed"));
    rft_ncu_taken taken;
    rft_err err = RFT_ERR_INIT;
    const csv_form torn = {.kernels = {"add(float *)", "void scan<(int)8>(T1)"}};
    assert_int_equal(import(run, &torn, &taken, &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "do not follow each other"));
    point->steps[2].name = "vendor.matmul";
    assert_int_equal(import(run, &form, &taken, &err), RFT_E_USAGE);
    rft_run_free(run);
    (void)state;
}

static void a_hot_point_keeps_no_dram(void **state) {
    rft_run *run = new_run();
    run->points[0].rounds[0].cache = RFT_CACHE_HOT;
    const rft_counters *c = expect_taken(run, &(csv_form){.base = true});
    assert_true(isnan(c->values[RFT_COUNTER_DRAM_READ]));
    assert_non_null(strstr(c->reasons[RFT_COUNTER_DRAM_READ], "what the run before left"));
    assert_near(c->values[RFT_COUNTER_L2_READ], 8388608.0);
    rft_run_free(run);
    (void)state;
}

static void what_is_not_the_points_is_refused(void **state) {
    static const struct {
        csv_form form;
        const char *message, *remedy;
    } cases[] = {
        {{.kernels = {"fill(int)", "copy(int)"}}, "no launch of gemv<8> in it; its kernels: fill, copy", "--ncu"},
        {{.kernels = {"void gemv<(int)4>(T1)"}}, "the point launches gemv<8>; the file has void gemv<(int)4>", "--set"},
        {{.shape = "\"(128, 1, 1)\",\"(65536, 1, 1)\""},
         "gemv<8> was launched with grid 65536 x 1 x 1, block 128 x 1 x 1; point 1 has grid 65536 x 1 x 1, block 256",
         "--at"},
        {{.cc = "8.0"}, "counted on compute capability 8.0; the run is of 9.0", "card of the run's kind"},
        {{.value_of = "launch__registers_per_thread", .value = "40"},
         "it is other code: 40 registers a thread, point 1 has 32",
         "same NVRTC"},
        {{.without = "dram__bytes_read.sum"},
         "1 of the default set's quantities is not in it, for want of dram__bytes_read.sum",
         "--ncu"},
        {{.details = true, .without = SASS("fadd")}, "for want of " SASS("fadd"), "--ncu"},
        {{.unit_of = "dram__bytes_read.sum", .unit = "%"},
         "has the unit \"%\"; known for it: byte",
         "print-units base"},
        {{.unit_of = "gpu__time_duration.sum", .unit = "cycle"}, "has the unit \"cycle\"; known for it: ns", "base"},
        {{.unit_of = "smsp__inst_executed.sum", .unit = "%"}, "has the unit \"%\"; known for it: a count", "base"},
        {{.unit_of = "sm__cycles_elapsed.avg.per_second", .unit = "us"}, "known for it: hz", "base"},
        {{.value_of = "smsp__inst_executed.sum", .value = "many"}, "is no number: \"many\"", "as it is"},
        {{.value_of = "smsp__inst_executed.sum", .value = "1,23,4.5"}, "is no number: \"1,23,4.5\"", "as it is"},
        {{.old = true, .without = "launch__block_dim_y"},
         "no columns \"Block Size\" and \"Grid Size\", nor launch__block_dim_y",
         "--ncu"},
        {{.old = true, .value_of = "launch__grid_dim_x", .value = "(!) nan"}, "nor launch__grid_dim_x", "--ncu"},
        {{.old = true, .value_of = "launch__grid_dim_x", .value = "7"}, "launched with grid 7 x 1 x 1", "--at"},
        {{.value_of = "smsp__inst_executed.sum", .value = "798.720"}, "decimal point, others", "LC_ALL=C"},
        {{.value_of = "smsp__inst_executed.sum", .value = "798.720,5"}, "decimal point, others", "LC_ALL=C"},
        {{.shape = "\"256\",\"65536\""}, "grid and block are no (x, y, z)", "as it is"},
        {{.shape = "\"(256, 1, 1)\""}, "damaged: 44 cells for 45 columns", "as it is"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_run *run = new_run();
        rft_ncu_taken taken;
        rft_err err = RFT_ERR_INIT;
        int rc = import(run, &cases[i].form, &taken, &err);
        if (rc != RFT_E_RECORDING || !strstr(err.message, cases[i].message) || !strstr(err.remedy, cases[i].remedy) ||
            !strstr(err.place, "ncu.csv")) {
            fail_msg("case %zu: %d: %s: %s; %s", i, rc, err.place, err.message, err.remedy);
        }
        assert_null(run->points[0].counters->source);
        rft_run_free(run);
    }
    (void)state;
}

static void files_that_are_no_table_are_refused(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "there is no table"},
        {"name,n,seconds\n", "there is no table"},
        {PROF "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n==PROF== x\n", "ERR_NVGPUCTRPERM"},
        {"\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"\",\"\",\"\"\n\"0\",\"gemv\",\"1\"\n",
         "no columns \"Block Size\" and"},
        {"\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
         "Value\"\n\"0\",\"gemv\",\"Duration\",\"us\",\"1.05\"\n"
         "==PROF== Disconnected\n",
         "labels of sections (\"Duration\"), not names"},
        {"NVR\2\n", "it is a report of Nsight Compute, no CSV"},
        {"\xFF\xFE\"\1I\1", "its text is UTF-16"},
        {PROF "\"Process ID\",\"Kernel Name\",\"Invocations\",\"Minimum\"\n", "summary over launches"},
        {PROF "  gemv (1, 1, 1)x(1, 1, 1)\n    Metric Name     Metric Unit\n", "printed it for people"},
        {"\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Minimum\"\n",
         "no columns \"Metric Unit\""},
        {"\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a__b.sum\"\n", "the table is empty"},
        {"\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a__b.sum\"\n\"0\",\"k\",\"(1, 1, 1)\",\"(1, 1, "
         "1)\",\"1\"\n",
         "the line of units is missing"},
        {"\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a__b.sum\"\n\"\",\"\",\"\",\"\",\"\"\n\"0\",\"k",
         "not closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_run *run = new_run();
        rft_ncu_taken taken;
        rft_err err = RFT_ERR_INIT;
        int rc = rft_ncu_import(run, 1, cases[i].text, strlen(cases[i].text), "ncu.csv", &taken, &err);
        if (rc != RFT_E_RECORDING || !strstr(err.message, cases[i].message) || !err.remedy[0]) {
            fail_msg("case %zu: %d: %s", i, rc, err.message);
        }
        rft_run_free(run);
    }
    (void)state;
}

/* What rooftune counted itself stays; an alias stands for another; and it all survives the disk. */
static void own_counts_stay_and_imported_ones_are_kept(void **state) {
    rft_run *run = new_run();
    rft_ncu_taken taken;
    rft_err err = RFT_ERR_INIT;
    rft_counters own = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    own.values[RFT_COUNTER_DRAM_READ] = 1;
    run->points[0].counters = &own;
    assert_int_equal(import(run, &(csv_form){.base = true}, &taken, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "counters of its own"));
    run->points[0].counters = NULL;
    check_counts(expect_taken(run, &(csv_form){.base = true}));
    assert_int_equal(rft_ncu_import(run, 99999, "", 0, "x", &taken, &err), RFT_E_NOT_FOUND);

    const char *text = csv_of(&(csv_form){.base = true}, run->arena);
    assert_int_equal(rft_ncu_import(run, 1, text, strlen(text), "a/b\x1b[31m\n\xff\xc3\xa4.csv", &taken, &err), 0);
    assert_string_equal(taken.source, "Nsight Compute 2025.3.0.0, b?[31m??\xc3\xa4.csv");
    check_counts(expect_taken(run, &(csv_form){.base = true}));

    rft_store *store = NULL;
    rft_run *back = NULL;
    const char *path = temporary_path(0, "run.db"), *recording = temporary_path(1, "run.json.gz");
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_whole(store, run, &err), 0);
    rft_store_close(store);
    assert_int_equal(rft_recording_write(run, recording, &err), 0);
    const char *paths[] = {path, recording};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rft_store_load(&back, paths[i], &err), 0);
        assert_string_equal(back->points[0].counters->source, "Nsight Compute 2025.3.0.0, ncu.csv");
        assert_null(back->points[1].counters->source);
        rft_run_free(back);
    }
    rft_run_free(run);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_pages_say_the_same_in_any_locale),
        cmocka_unit_test(whole_numbers_tell_groups_from_decimals),
        cmocka_unit_test(the_launches_of_the_point_are_found),
        cmocka_unit_test(several_launches_are_one_point),
        cmocka_unit_test(a_hot_point_keeps_no_dram),
        cmocka_unit_test(what_is_not_the_points_is_refused),
        cmocka_unit_test(files_that_are_no_table_are_refused),
        cmocka_unit_test(own_counts_stay_and_imported_ones_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
