/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that change the work: skinny linear layers (docs/corrections.md, E1, E29), fewer bytes and fusion. */
#include "model/advice/advice_parts.h"

#include "base/str.h"
#include "model/roofline/amount.h"

#include <math.h>

#define SKINNY 0.5       /* decision tree: clearly memory-bound below half the ridge */
#define ON_THE_SLOPE 0.8 /* chart: within 80 % of the slope, fewer bytes is what helps */
#define MUCH_WRITTEN 0.1 /* ours: below, the writes are hardly worth saving */
#define SAME_WORK 0.05   /* of counting the declared operations and bytes as a layer's */
#define BYTES_HALVED 0.5 /* a type half as wide */

/* x (m x k) times weights (k x n), bytes an element. */
typedef struct layer {
    bool found;
    double m, n, k, element_bytes;
} layer;

static double axis_of(const rft_advice_case *c, const char *lower, const char *upper) {
    const rft_sweep *sweep = &c->run->sweeps[c->point->sweep].sweep;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (rft_text_equal(sweep->axes[i].name, lower) || rft_text_equal(sweep->axes[i].name, upper)) {
            return rft_value_number(&sweep->problems[c->point->problem].values[i]);
        }
    }
    return NAN;
}

static bool is_about(double got, double want) {
    return fabs(got - want) <= SAME_WORK * want;
}

/* Axes m, n, k by name (no m: a matrix times a vector), and the declared work must be what they say. */
static layer layer_of(const rft_advice_case *c) {
    layer l = {false, axis_of(c, "m", "M"), axis_of(c, "n", "N"), axis_of(c, "k", "K"), NAN};
    l.m = isnan(l.m) ? 1.0 : l.m;
    double elements = l.n * l.k + l.m * (l.n + l.k);
    l.element_bytes = round(rft_work_bytes(&c->point->work) / elements);
    l.found = l.m >= 1.0 && l.n > 1.0 && l.k > 1.0 && l.element_bytes >= 1.0 &&
              is_about(rft_work_ops(&c->point->work), 2.0 * l.m * l.n * l.k) &&
              is_about(rft_work_bytes(&c->point->work), l.element_bytes * elements);
    return l;
}

/* The pipe that a layer with many rows would use: its own when it is a matrix unit, else by the width of its type. */
static rft_ceiling_id layer_ceiling(const rft_advice_case *c, const layer *l) {
    rft_pipe pipe = rft_work_main_pipe(&c->point->work);
    if (rft_pipe_is_tensor(pipe)) {
        return rft_amount_pipe_ceiling(pipe);
    }
    return l->element_bytes < 1.5   ? RFT_CEILING_TENSOR_INT8
           : l->element_bytes < 2.5 ? RFT_CEILING_TENSOR_FP16
           : l->element_bytes < 4.5 ? RFT_CEILING_FP32
                                    : RFT_CEILING_FP64;
}

/* docs/corrections.md, E1: the rows from which a layer is compute-bound, M = r b N K / (2 N K - r b (N + K)); nothing
 * when it never is. */
rft_rule_verdict rft_rule_raise_m(const rft_advice_case *c, rft_rule_answer *answer) {
    layer l = layer_of(c);
    if (!l.found || !(c->memory_s > 0.0)) {
        return RFT_RULE_SILENT;
    }
    rft_ceiling_id ceiling = layer_ceiling(c, &l);
    double peak = rft_ceilings_rate(&c->run->ceilings, ceiling);
    if (isnan(peak)) {
        return rft_case_lacks(answer, rft_ceiling_name(ceiling), "this ceiling was not measured");
    }
    double ridge = peak * c->memory_s / rft_work_bytes(&c->point->work);
    double per_row = ridge * l.element_bytes;
    double denominator = 2.0 * l.n * l.k - per_row * (l.n + l.k);
    double rows = denominator > 0.0 ? per_row * l.n * l.k / denominator : (double)INFINITY;
    if (!isfinite(rows) || l.m >= SKINNY * rows) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "m", "1", l.m, SKINNY * rows);
    rft_case_trigger(answer, "ridge_m", "1", rows, NAN);
    rft_case_trigger(answer, "ridge", "op/B", ridge, NAN);
    answer->advice.gain_of = "the time of a row";
    rft_case_gain gain = {1.0 - l.m / rows, "the weights being read once for all rows up to the ridge"};
    return rft_case_offer(answer, gain, RFT_ADVICE_DECLARED,
                          rft_arena_printf(c->arena,
                                           "more rows at once: the weights are read for %.0f row%s, and %.0f would be "
                                           "needed to reach the ridge (%.0f op/B, %s)",
                                           l.m, l.m > 1.0 ? "s" : "", ceil(rows), ridge, rft_ceiling_label(ceiling)));
}

static double dram_frac(const rft_advice_case *c) {
    return c->place.roof == RFT_RESOURCE_DRAM ? c->memory_s / c->median_s : (double)NAN;
}

/* docs/corrections.md, E29: weights half as wide halve nearly all bytes of a skinny layer. */
rft_rule_verdict rft_rule_quantise(const rft_advice_case *c, rft_rule_answer *answer) {
    layer l = layer_of(c);
    double weights = l.n * l.k * l.element_bytes, share = weights / rft_work_bytes(&c->point->work);
    if (!l.found || l.element_bytes < 2.0 || share < SKINNY || !(dram_frac(c) > 0.0)) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "weights_frac", "1", share, SKINNY);
    rft_case_trigger(answer, "element_bytes", "B", l.element_bytes, NAN);
    rft_case_gain gain = {BYTES_HALVED * share * dram_frac(c), "half of the weights' bytes at device memory's ceiling"};
    return rft_case_offer(answer, gain, RFT_ADVICE_DECLARED,
                          rft_arena_printf(c->arena,
                                           "quantise: %s of its bytes are weights of %.0f B; half as wide ones "
                                           "halve them",
                                           rft_case_percent(c, share), l.element_bytes));
}

/* Decision tree, memory 4; chart, "on the slope: cut bytes". Layers are for `quantise`. */
rft_rule_verdict rft_rule_narrow(const rft_advice_case *c, rft_rule_answer *answer) {
    double frac = dram_frac(c);
    if (!(frac >= ON_THE_SLOPE) || layer_of(c).found) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "dram_roof_frac", "1", frac, ON_THE_SLOPE);
    rft_case_gain gain = {BYTES_HALVED * fmin(frac, 1.0), "half of its bytes at device memory's ceiling"};
    return rft_case_offer(answer, gain, RFT_ADVICE_DECLARED,
                          rft_arena_printf(c->arena,
                                           "fewer bytes: it is at %s of device memory's ceiling; a type half "
                                           "as wide halves them",
                                           rft_case_percent(c, fmin(frac, 1.0))));
}

/* Decision tree, memory 5: what it writes, a neighbour reads. Short kernels save a launch beside. */
rft_rule_verdict rft_rule_fuse(const rft_advice_case *c, rft_rule_answer *answer) {
    double bytes = rft_work_bytes(&c->point->work), written = bytes > 0.0 ? c->point->work.bytes_written / bytes : 0.0;
    bool is_short = (c->where & RFT_CASE_SHORT) != 0 && !isnan(c->floor_s);
    if (!is_short && !(written >= MUCH_WRITTEN && dram_frac(c) >= ON_THE_SLOPE)) {
        return RFT_RULE_SILENT;
    }
    double launch_s = is_short ? c->floor_s : 0.0;
    double bytes_frac = dram_frac(c) > 0.0 ? written * fmin(dram_frac(c), 1.0) : 0.0;
    rft_case_trigger(answer, "written_frac", "1", written, MUCH_WRITTEN);
    if (is_short) {
        rft_case_trigger(answer, "launch_floor_frac", "1", launch_s / c->median_s, 1.0 / RFT_NEAR_FLOOR);
    }
    rft_case_gain gain = {fmin(bytes_frac + launch_s / c->median_s, 1.0),
                          is_short ? "the launch and the writes it would save" : "the writes it would save"};
    return rft_case_offer(answer, gain, is_short ? RFT_ADVICE_MEASURED : RFT_ADVICE_DECLARED,
                          rft_arena_printf(c->arena,
                                           "fuse it with what runs before or after: %s of its bytes are "
                                           "written, and the next kernel reads them again%s",
                                           rft_case_percent(c, written), is_short ? "; and one launch less" : ""));
}
