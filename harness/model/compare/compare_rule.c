/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compare/compare_rule.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rft_compare_verdict_name(rft_compare_verdict verdict) {
    static const char *const names[] = {"none", "FASTER", "SLOWER", "SAME", "AMBIGUOUS"};
    return names[verdict];
}

/* Distance in logarithms; infinite where an interval reaches down to 0. */
static double apart(double below, double above) {
    return below > 0.0 ? log(above / below) : INFINITY;
}

rft_compare_ratio rft_compare_ratio_of(const rft_stats *first, const rft_stats *other) {
    rft_compare_ratio out = {NAN, NAN, NAN, false, 0.0};
    if (!(first->median > 0.0) || !(other->median > 0.0)) {
        return out;
    }
    out.ratio = first->median / other->median;
    if (isfinite(first->low) && isfinite(first->high) && isfinite(other->low) && isfinite(other->high)) {
        double down = hypot(apart(first->low, first->median), apart(other->median, other->high));
        double up = hypot(apart(first->median, first->high), apart(other->low, other->median));
        out.low = out.ratio * exp(-down);
        out.high = out.ratio * exp(up);
        out.interval = first->interval_is_95 && other->interval_is_95;
    }
    return out;
}

void rft_compare_mean_add(rft_compare_mean *to, const rft_compare_ratio *ratio, double weight) {
    double scale = to->additive ? ratio->ratio : 1.0;
    double down = to->additive ? ratio->ratio - ratio->low : log(ratio->ratio / ratio->low);
    double up = to->additive ? ratio->high - ratio->ratio : log(ratio->high / ratio->ratio);
    to->sum += weight * (to->additive ? ratio->ratio : log(ratio->ratio));
    to->weight += weight;
    to->count++;
    to->no_interval = to->no_interval || !ratio->interval;
    rft_error_sum_add(&to->down, weight * down, weight * fmin(down, scale * ratio->common));
    rft_error_sum_add(&to->up, weight * up, weight * fmin(up, scale * ratio->common));
}

rft_compare_ratio rft_compare_mean_of(const rft_compare_mean *of) {
    rft_compare_ratio out = {NAN, NAN, NAN, false, 0.0};
    if (of->count == 0) {
        return out;
    }
    double middle = of->sum / of->weight, down = rft_error_sum_half(&of->down) / of->weight;
    double up = rft_error_sum_half(&of->up) / of->weight;
    out.ratio = of->additive ? middle : exp(middle);
    out.interval = !of->no_interval && isfinite(down) && isfinite(up);
    if (out.interval) {
        out.low = of->additive ? middle - down : exp(middle - down);
        out.high = of->additive ? middle + up : exp(middle + up);
    }
    return out;
}

static bool within_margin(const rft_compare_ratio *r) {
    return r->low >= 1.0 / (1.0 + RFT_COMPARE_MARGIN_FRAC) && r->high <= 1.0 + RFT_COMPARE_MARGIN_FRAC;
}

rft_compare_verdict rft_compare_mean_verdict(const rft_compare_ratio *mean) {
    if (isnan(mean->ratio)) {
        return RFT_COMPARE_NONE;
    }
    if (mean->interval && within_margin(mean)) {
        return RFT_COMPARE_SAME;
    }
    return !mean->interval || (mean->low <= 1.0 && mean->high >= 1.0) ? RFT_COMPARE_AMBIGUOUS
           : mean->low > 1.0                                          ? RFT_COMPARE_FASTER
                                                                      : RFT_COMPARE_SLOWER;
}

static rft_compare_verdict by_interval(const rft_compare_ratio *r) {
    double low = r->ratio * pow(r->low / r->ratio, RFT_COMPARE_SHOWN_WIDER);
    double high = r->ratio * pow(r->high / r->ratio, RFT_COMPARE_SHOWN_WIDER);
    if (low > 1.0 + RFT_COMPARE_SHOWN_FRAC) {
        return RFT_COMPARE_FASTER;
    }
    if (high < 1.0 / (1.0 + RFT_COMPARE_SHOWN_FRAC)) {
        return RFT_COMPARE_SLOWER;
    }
    return within_margin(r) ? RFT_COMPARE_SAME : RFT_COMPARE_AMBIGUOUS;
}

/* What is not known may be any distance; above its roof a point cannot gain. */
static double roof_distance(double roof) {
    return isnan(roof) ? INFINITY : fmax(roof, 1.0);
}

static bool effort_matters(const rft_compare_case *of, rft_compare_verdict verdict) {
    double farthest = fmax(roof_distance(of->first_roof), roof_distance(of->other_roof));
    double gap = fmax(of->ratio.ratio, 1.0 / of->ratio.ratio);
    if (verdict == RFT_COMPARE_SAME) {
        return farthest > 1.0 + RFT_COMPARE_MARGIN_FRAC;
    }
    return gap <= farthest;
}

rft_compare_verdict rft_compare_judge(const rft_compare_case *of, rft_compare_doubt *doubt) {
    rft_compare_doubt why = RFT_DOUBT_NONE;
    rft_compare_verdict verdict = RFT_COMPARE_NONE;
    if (isnan(of->ratio.ratio)) {
        verdict = RFT_COMPARE_NONE;
    } else if (of->other_workload) {
        why = RFT_DOUBT_WORKLOAD;
    } else if (!of->ratio.interval) {
        why = RFT_DOUBT_INTERVAL;
    } else {
        verdict = by_interval(&of->ratio);
        bool shown = verdict == RFT_COMPARE_FASTER || verdict == RFT_COMPARE_SLOWER;
        if (verdict == RFT_COMPARE_AMBIGUOUS) {
            why = RFT_DOUBT_NEITHER;
        } else if (of->effort_differs && effort_matters(of, verdict)) {
            why = RFT_DOUBT_EFFORT;
        } else if (shown && of->spread > 1.0 && fabs(log(of->ratio.ratio)) <= log(of->spread)) {
            why = RFT_DOUBT_SPREAD;
        }
    }
    if (doubt) {
        *doubt = why;
    }
    return why == RFT_DOUBT_NONE ? verdict : RFT_COMPARE_AMBIGUOUS;
}
