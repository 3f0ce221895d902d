/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

rft_finding *rft_finding_base(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_base base = rft_run_base(run, sweep, NULL);
    return rft_finding_base_of(run, sweep, &base, arena);
}

rft_finding *rft_finding_base_of(const rft_run *run, size_t sweep, const rft_base *of, rft_arena *arena) {
    const rft_base base = *of;
    if (base.problems < 2) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "problems", rft_datum_count((int64_t)base.problems));
    rft_finding_set(f, "candidates", rft_datum_count((int64_t)base.candidates));
    if (!base.point) {
        rft_finding_body(
            f, RFT_TO_PEOPLE,
            "Base and peak: no configuration was measured at all %zu problems, so what one for all of them "
            "would cost is not known.",
            base.problems);
        return f;
    }
    const char *problem = rft_words_problem(run, sweep, base.worst_problem, arena);
    const char *variant = run->sweeps[sweep].sweep.variants[base.point->variant].name;
    const char *config = rft_run_config_text(run, base.point, false, arena);
    rft_finding_set(f, "variant", rft_datum_text(variant));
    rft_finding_set(f, "configuration", rft_datum_text(config));
    rft_finding_set(f, "frac", rft_datum_number(base.frac));
    rft_finding_set(f, "worst_frac", rft_datum_number(base.worst_frac));
    rft_finding_set(f, "worst_problem", rft_datum_text(problem));
    bool several = run->sweeps[sweep].sweep.variant_count > 1;
    const char *what = several && *config ? rft_arena_printf(arena, "%s: %s", variant, config)
                       : several          ? variant
                                          : config;
    if (base.worst_frac >= 1.0) {
        rft_finding_body(f, RFT_TO_PEOPLE,
                         "Base and peak are the same: one configuration is the fastest at all %zu problems%s%s.",
                         base.problems, *what ? ": " : "", what);
        return f;
    }
    rft_finding_body(
        f, RFT_TO_PEOPLE,
        "Base and peak: one configuration for all %zu problems (base) has %.1f %% of the speed of the best "
        "for each (peak), as the geometric mean, and %.1f %% at worst, at %s%s%s. It is %s.",
        base.problems, 100 * base.frac, 100 * base.worst_frac, problem, *what ? ": " : "", what,
        base.candidates == 1 ? "the only one that was measured at all of them"
                             : rft_arena_printf(arena, "the best of %zu measured at all of them", base.candidates));
    return f;
}
