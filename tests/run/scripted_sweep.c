/* SPDX-License-Identifier: Apache-2.0 */
#include "run/scripted_sweep.h"
#include "support/plain_reference.h"

#include <math.h>
#include <string.h>

/* ---- what a script's functions would do ---- */

static int constraint(void *self, size_t variant, size_t index, const rft_value *problem, const rft_value *config,
                      bool *holds, rft_err *err) {
    (void)self, (void)variant, (void)index, (void)err;
    *holds = config[PARAM_SPEED].as.integer * 10 <= problem[0].as.integer;
    return RFT_OK;
}

static const char **texts(rft_arena *arena, const char *a, const char *b) {
    const char **items = rft_arena_calloc(arena, 3, sizeof *items);
    items[0] = a;
    items[1] = b;
    return items;
}

static rft_launch *new_launch(rft_arena *arena, int64_t n, bool too_large) {
    rft_launch *launch = rft_arena_alloc(arena, sizeof *launch);
    *launch = (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                           .entry = "victim",
                           .arg_count = 3,
                           .grid = {8, 1, 1},
                           .block = {too_large ? 2048 : 128, 1, 1},
                           .cluster = {1, 1, 1}};
    launch->args = rft_arena_calloc(arena, 3, sizeof *launch->args);
    launch->args[0] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = 0};
    launch->args[1] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = 1};
    launch->args[2] = (rft_arg){.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_I64};
    memcpy(launch->args[2].scalar, &n, sizeof n);
    return launch;
}

/* "fill_..." are fates of what fills x, whatever else it is. */
static void fill_by_kernel(rft_arena *arena, const scripted_sweep_opts *opts, const char *fate, rft_buffer *x) {
    rft_filler *filler = rft_arena_calloc(arena, 1, sizeof *filler);
    const uint64_t numbers[] = {0, x->count, 1};
    filler->shown = "victim.cu:filler";
    filler->unit = (rft_unit_spec){.source = rft_arena_printf(arena, "%s/%s", opts->folder, opts->source),
                                   .names = texts(arena, "filler", NULL),
                                   .name_count = 1,
                                   .options = texts(arena, rft_arena_printf(arena, "-DFATE=%s", fate), NULL),
                                   .option_count = 1};
    filler->launch = *new_launch(arena, (int64_t)x->count, false);
    filler->launch.entry = "filler";
    for (size_t i = 1; i < 3; i++) {
        filler->launch.args[i] = (rft_arg){.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_U64};
        memcpy(filler->launch.args[i].scalar, &numbers[i], sizeof numbers[i]);
    }
    x->fill = (rft_fill){.kind = RFT_FILL_KERNEL, .identity = rft_arena_strdup(arena, fate), .kernel = filler};
}

static rft_buffer *new_buffers(rft_arena *arena, int64_t n) {
    rft_buffer *buffers = rft_arena_calloc(arena, 2, sizeof *buffers);
    buffers[0] = (rft_buffer){
        "x", RFT_TYPE_F32, (uint64_t)n, RFT_BUFFER_INPUT, {.kind = RFT_FILL_UNIFORM, .low = -1, .high = 1}};
    buffers[1] = (rft_buffer){"y", RFT_TYPE_F32, (uint64_t)n, RFT_BUFFER_OUTPUT, {0}};
    return buffers;
}

/* The library reads x twice; what it computes is the scripted worker's. */
static void call_library(rft_arena *arena, int64_t n, int algo, rft_point_spec *out) {
    out->unit = (rft_unit_spec){0};
    out->launches = rft_arena_calloc(arena, 1, sizeof *out->launches);
    out->launches[0] =
        (rft_launch){.kind = RFT_LAUNCH_VENDOR,
                     .vendor = {.math = RFT_VENDOR_FP32, .a = 0, .b = 0, .d = 1, .m = n, .n = 1, .k = 1, .algo = algo}};
}

static int point(void *self, size_t variant, const rft_value *problem, const rft_value *config, rft_arena *arena,
                 rft_point_spec *out, rft_err *err) {
    const scripted_sweep_opts *opts = self;
    const char *fate = config[PARAM_FATE].as.text;
    int64_t n = problem[0].as.integer;
    if (strcmp(fate, "script_error") == 0) {
        rft_err_set(err, RFT_E_SCRIPT, "attempt to call a nil value");
        return rft_err_place(err, "scripted.lua:7");
    }
    const char *speed =
        rft_arena_printf(arena, "-DSPEED=%lld", (long long)config[PARAM_SPEED].as.integer + (long long)variant);
    *out = (rft_point_spec){.buffers = new_buffers(arena, n),
                            .buffer_count = 2,
                            .launches = new_launch(arena, n, strcmp(fate, "too_large") == 0),
                            .launch_count = 1,
                            .traffic = rft_traffic_unknown()};
    if (strncmp(fate, "fill_", 5) == 0) {
        fill_by_kernel(arena, opts, fate, &out->buffers[0]);
    }
    out->unit = (rft_unit_spec){.source = rft_arena_printf(arena, "%s/%s", opts->folder, opts->source),
                                .names = texts(arena, "victim", NULL),
                                .name_count = 1,
                                .options = texts(arena, rft_arena_printf(arena, "-DFATE=%s", fate), speed),
                                .option_count = 2};
    const rft_reference_dims dims = {.values = problem, .count = 1};
    out->check = (rft_check){.tol = NAN, .length = 1};
    out->check.reference = plain_reference(out, "reference", &dims, arena);
    out->check.reference->unit =
        (rft_unit_spec){.source = rft_arena_printf(arena, "%s/%s", opts->folder, opts->reference),
                        .names = texts(arena, "reference", NULL),
                        .name_count = 1};
    out->work.bytes_read = out->work.bytes_written = 4.0 * (double)n;
    out->work.pipe_ops[RFT_PIPE_FP32] = (double)n;
    if (opts->modelled_frac > 0) {
        double speed_s = (double)config[PARAM_SPEED].as.integer * 1e-6;
        out->traffic.present = true;
        out->traffic.evidence = RFT_EVIDENCE_MODELLED;
        out->traffic.level_bytes[RFT_LEVEL_SHARED] = opts->modelled_frac * speed_s * SCRIPTED_SHARED_LIMIT;
    }
    if (opts->library) {
        call_library(arena, n, (int)config[PARAM_SPEED].as.integer - 1, out);
    }
    return RFT_OK;
}

static int prior(void *self, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                 rft_err *err) {
    const scripted_sweep_opts *opts = self;
    (void)variant, (void)problem;
    *out = opts->prior ? opts->prior(config) : 0;
    if (*out < 0) {
        rft_err_set(err, RFT_E_SCRIPT, "prior: expected a number above 0, got -1");
        return rft_err_place(err, "scripted.lua:11");
    }
    return RFT_OK;
}

static int complete(void *self, rft_value *values, rft_arena *arena, rft_err *err) {
    (void)self, (void)values, (void)arena, (void)err;
    return RFT_OK;
}

static int baseline(void *self, size_t index, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                    rft_err *err) {
    const scripted_sweep_opts *opts = self;
    bool filled = opts->fates[0] && strcmp(opts->fates[0], "fill_ok") == 0;
    const rft_value config[PARAM_COUNT] = {rft_value_text(filled ? "fill_ok" : "ok"), rft_value_int(10),
                                           rft_value_int(0)};
    int64_t n = problem[0].as.integer;
    if (opts->baseline_error) {
        rft_err_set(err, RFT_E_SCRIPT, "vendor.matmul.a: no buffer has the name \"a\"");
        return rft_err_place(err, "scripted.lua:9");
    }
    int rc = point(self, 0, problem, config, arena, out, err);
    if (!opts->baseline_binary) {
        call_library(arena, n, (int)index, out);
    }
    return rc;
}

static const rft_sweep_vt scripted_vt = {
    .constraint = constraint, .point = point, .prior = prior, .complete = complete, .baseline = baseline};

/* ---- the data ---- */

static rft_param new_param(rft_arena *arena, const char *name, size_t count) {
    return (rft_param){.name = name,
                       .help = "",
                       .values = rft_arena_calloc(arena, count + 1, sizeof(rft_value)),
                       .value_count = count};
}

static rft_param *new_params(rft_arena *arena, const scripted_sweep_opts *opts) {
    rft_param *params = rft_arena_calloc(arena, PARAM_COUNT, sizeof *params);
    size_t fates = 0, speeds = 0;
    while (opts->fates[fates]) {
        fates++;
    }
    while (opts->speeds[speeds]) {
        speeds++;
    }
    params[PARAM_FATE] = new_param(arena, "FATE", fates);
    params[PARAM_SPEED] = new_param(arena, "SPEED", speeds);
    params[PARAM_COSMETIC] = new_param(arena, "COSMETIC", (size_t)opts->cosmetics);
    for (size_t i = 0; i < fates; i++) {
        params[PARAM_FATE].values[i] = rft_value_text(opts->fates[i]);
    }
    for (size_t i = 0; i < speeds; i++) {
        params[PARAM_SPEED].values[i] = rft_value_int(opts->speeds[i]);
    }
    for (int i = 0; i < opts->cosmetics; i++) {
        params[PARAM_COSMETIC].values[i] = rft_value_int(i);
    }
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        params[i].default_value = params[i].values[0];
    }
    return params;
}

static rft_constraint *new_constraint(rft_arena *arena) {
    rft_constraint *made = rft_arena_alloc(arena, sizeof *made);
    *made = (rft_constraint){.text = "10 * SPEED <= n", .param_count = 1, .axis_count = 1};
    made->params = rft_arena_calloc(arena, 1, sizeof *made->params);
    made->axes = rft_arena_calloc(arena, 1, sizeof *made->axes);
    made->params[0] = PARAM_SPEED;
    return made;
}

static void add_problems(rft_arena *arena, rft_sweep *sweep, const scripted_sweep_opts *opts) {
    sweep->axes = rft_arena_alloc(arena, sizeof *sweep->axes);
    sweep->axis_count = 1;
    sweep->axes[0] = (rft_axis){.name = "n", .swept = true, .along = true, .refine_depth = opts->refine};
    sweep->axes[0].values = rft_arena_calloc(arena, 8, sizeof(rft_value));
    sweep->problems = rft_arena_calloc(arena, 9, sizeof *sweep->problems);
    if (opts->odd) {
        rft_value odd = rft_value_int(opts->odd);
        sweep->problems[sweep->problem_count++] = (rft_problem){rft_values_copy(arena, &odd, 1), true, 0};
    }
    for (size_t i = 0; i < 8 && opts->sizes[i]; i++) {
        rft_value n = rft_value_int(opts->sizes[i]);
        sweep->axes[0].values[sweep->axes[0].value_count++] = n;
        sweep->problems[sweep->problem_count++] = (rft_problem){rft_values_copy(arena, &n, 1), false, 0};
    }
}

rft_sweep *scripted_sweep_new(rft_arena *arena, const scripted_sweep_opts *given) {
    scripted_sweep_opts *opts = rft_arena_memdup(arena, given, sizeof *given);
    rft_sweep *sweep = rft_arena_alloc(arena, sizeof *sweep);
    opts->fates[0] = opts->fates[0] ? opts->fates[0] : "ok";
    opts->speeds[0] = opts->speeds[0] ? opts->speeds[0] : 10;
    opts->sizes[0] = opts->sizes[0] ? opts->sizes[0] : 1000;
    opts->cosmetics = opts->cosmetics ? opts->cosmetics : 1;
    opts->source = opts->source ? opts->source : "victim.cu";
    opts->reference = opts->reference ? opts->reference : "reference.cu";
    *sweep = (rft_sweep){.name = opts->name ? opts->name : "scripted",
                         .path = rft_arena_printf(arena, "%s/scripted.lua", opts->folder),
                         .script_hash = "5c",
                         .measure = RFT_MEASURE_OPTS_INIT,
                         .search = {.strategy = "auto", .seed = 1},
                         .vt = &scripted_vt,
                         .self = opts};
    sweep->measure.max_samples = 20;
    sweep->measure.processes = 1; /* tests of several ask for them */
    sweep->measure.compile_timeout_s = 1.5;
    sweep->measure.point_timeout_s = 2;
    add_problems(arena, sweep, opts);
    sweep->variant_count = opts->variants ? (size_t)opts->variants : 1;
    sweep->variants = rft_arena_calloc(arena, sweep->variant_count, sizeof *sweep->variants);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        sweep->variants[v] = (rft_variant){.name = rft_arena_printf(arena, "variant %zu", v),
                                           .kernel = "victim",
                                           .source = rft_arena_printf(arena, "%s/victim.cu", opts->folder),
                                           .entry = "victim",
                                           .params = new_params(arena, opts),
                                           .param_count = PARAM_COUNT};
        if (opts->constrained) {
            sweep->variants[v].constraints = new_constraint(arena);
            sweep->variants[v].constraint_count = 1;
        }
    }
    sweep->baselines = rft_arena_calloc(arena, 5, sizeof *sweep->baselines);
    while (sweep->baseline_count < 4 && opts->baselines[sweep->baseline_count]) {
        sweep->baselines[sweep->baseline_count] = opts->baselines[sweep->baseline_count];
        sweep->baseline_count++;
    }
    return sweep;
}
