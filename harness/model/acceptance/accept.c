/* SPDX-License-Identifier: Apache-2.0 */
#include "model/acceptance/accept.h"

#include "base/fs.h"
#include "base/units.h"
#include "model/stats/tolerance.h"

#include <math.h>
#include <string.h>

#define PROCESSES_WORTH 64 /* more are not proposed */

const char *rft_accept_verdict_name(rft_accept_verdict verdict) {
    static const char *const names[RFT_ACCEPT_VERDICTS] = {"PASS", "FAIL", "UNDECIDED"};
    return names[verdict];
}

const char *rft_accept_amount(const rft_limit *limit, double value, rft_arena *arena) {
    char text[64];
    const char *unit = rft_limit_unit(limit);
    return rft_arena_strdup(arena, strcmp(unit, "s") == 0 ? rft_units_format_seconds(text, sizeof text, value, 4)
                                                          : rft_units_format_si(text, sizeof text, value, 4, unit));
}

const char *rft_accept_card_name(const rft_accept_card *card, rft_arena *arena) {
    return *card->uuid ? rft_arena_strndup(arena, card->uuid, 12) : rft_fs_name(card->paths[0]);
}

/* ---- one limit ---- */

static const char *percent(double frac, rft_arena *arena) {
    double shown = fabs(frac) * 100.0;
    return rft_arena_fixed(arena, shown, shown < 0.095 ? 3 : shown < 0.95 ? 2 : shown < 9.5 ? 1 : 0, " %");
}

/* What would tell, where more processes can. */
static const char *hint(const rft_accept_check *check, double d, double w, rft_arena *arena) {
    double wanted = ceil((double)check->reading.processes * w * w / (d * d));
    if (check->reading.processes == 0) {
        return "; more runs of the card narrow it";
    }
    return wanted <= PROCESSES_WORTH ? rft_arena_printf(arena, "; about %.0f processes would tell", wanted)
                                     : "; too near for more processes to tell";
}

static void judge_reading(rft_accept_check *check, const rft_limit *limit, double each, rft_arena *arena) {
    const rft_accept_reading *reading = &check->reading;
    check->margin = check->guard = check->risk = NAN;
    check->verdict = RFT_ACCEPT_UNDECIDED;
    check->code = reading->code;
    check->reason = reading->reason;
    if (isnan(reading->value)) {
        return;
    }
    double d = (limit->at_most ? -1.0 : 1.0) * log(reading->value / limit->value);
    const char *side = d < 0.0 ? "worse" : "better";
    check->margin = expm1(d);
    if (!(reading->deviation > 0.0) || !(reading->freedom >= 1.0)) {
        check->code = RFT_ACCEPT_ONE_PROCESS;
        check->reason = rft_arena_printf(arena,
                                         "%s %s than the limit, in one process: what another run reads is not "
                                         "known (run --processes 6)",
                                         percent(check->margin, arena), side);
        return;
    }
    double w = rft_student_t(2.0 * each, reading->freedom) * reading->deviation;
    check->guard = expm1(w);
    if (fabs(d) >= w) {
        check->verdict = d > 0.0 ? RFT_ACCEPT_PASS : RFT_ACCEPT_FAIL;
        check->code = d > 0.0 ? RFT_ACCEPT_MET : RFT_ACCEPT_SLOWER;
        check->risk = rft_student_tail(fabs(d) / reading->deviation, reading->freedom);
        check->reason = rft_arena_printf(arena, "%s %s than the limit, guard band %s", percent(check->margin, arena),
                                         side, percent(check->guard, arena));
    } else {
        check->code = RFT_ACCEPT_NEAR;
        check->reason = rft_arena_printf(arena, "%s %s than the limit, within the guard band of %s%s",
                                         percent(check->margin, arena), side, percent(check->guard, arena),
                                         hint(check, d, w, arena));
    }
}

/* ---- cards ---- */

static int gather(rft_acceptance *a, const rft_accept_input *inputs, size_t count, rft_arena *arena, rft_err *err) {
    a->cards = rft_arena_calloc(arena, count + 1, sizeof *a->cards);
    for (size_t i = 0; i < count; i++) {
        const rft_run *run = inputs[i].run;
        const char *uuid = run->gpu.uuid ? run->gpu.uuid : "";
        size_t at = 0;
        for (size_t k = 0; k < i; k++) {
            if (run->info.id && rft_text_equal(inputs[k].run->info.id, run->info.id)) {
                rft_err_set(err, RFT_E_USAGE, "%s and %s hold the same run", inputs[k].path, inputs[i].path);
                return rft_err_remedy(err, "name each run once");
            }
        }
        while (at < a->card_count && (!*uuid || strcmp(a->cards[at].uuid, uuid) != 0)) {
            at++;
        }
        rft_accept_card *card = &a->cards[at];
        if (at == a->card_count) {
            a->card_count++;
            card->uuid = uuid;
            card->device = run->gpu.name ? run->gpu.name : "not known";
            card->runs = rft_arena_calloc(arena, count - i, sizeof *card->runs);
            card->paths = rft_arena_calloc(arena, count - i, sizeof *card->paths);
        }
        card->paths[card->run_count] = inputs[i].path;
        card->runs[card->run_count++] = run;
    }
    return RFT_OK;
}

/* FAIL goes before UNDECIDED before PASS. */
static rft_accept_verdict worst(const size_t counts[RFT_ACCEPT_VERDICTS]) {
    return counts[RFT_ACCEPT_FAIL]        ? RFT_ACCEPT_FAIL
           : counts[RFT_ACCEPT_UNDECIDED] ? RFT_ACCEPT_UNDECIDED
                                          : RFT_ACCEPT_PASS;
}

/* The runs of a card that say something, or all where none does: one run of another device spoils no other. */
static void judge_card(rft_acceptance *a, rft_accept_card *card, rft_arena *arena) {
    const rft_limits *limits = a->limits;
    rft_accept_reading *readings = rft_accept_read(limits, card->runs, card->run_count, arena);
    const char *reason = NULL;
    size_t refused = 0;
    for (size_t r = 0; r < card->run_count; r++) {
        refused += rft_accept_refuses(card->runs[r], limits->device, &reason, arena) != RFT_ACCEPT_MET;
    }
    card->checks = rft_arena_calloc(arena, limits->count, sizeof *card->checks);
    for (size_t i = 0; i < limits->count; i++) {
        rft_accept_check *check = &card->checks[i];
        check->reading = readings[i];
        judge_reading(check, &limits->items[i], a->each, arena);
        card->counts[check->verdict]++;
        if (check->verdict == RFT_ACCEPT_PASS) {
            a->buyers_risk = (isnan(a->buyers_risk) ? 0.0 : a->buyers_risk) + check->risk;
        } else if (check->verdict == RFT_ACCEPT_FAIL) {
            a->sellers_risk = (isnan(a->sellers_risk) ? 0.0 : a->sellers_risk) + check->risk;
        }
    }
    card->verdict = worst(card->counts);
    card->reason = refused == card->run_count ? card->checks[0].reason : NULL;
}

int rft_accept_runs(rft_acceptance **out, const rft_limits *limits, const rft_accept_input *inputs, size_t count,
                    rft_arena *arena, rft_err *err) {
    rft_acceptance *a = rft_arena_calloc(arena, 1, sizeof *a);
    *a = (rft_acceptance){.limits = limits, .buyers_risk = NAN, .sellers_risk = NAN};
    *out = a;
    if (count == 0) {
        rft_err_set(err, RFT_E_USAGE, "test takes the runs of the delivered cards, none was given");
        return rft_err_remedy(err, "rooftune test LIMITS.lua RUN.db...");
    }
    int rc = gather(a, inputs, count, arena, err);
    if (rc != RFT_OK) {
        return rc;
    }
    a->each = limits->risk / ((double)a->card_count * (double)limits->count);
    for (size_t i = 0; i < limits->count; i++) {
        a->tolerances += limits->items[i].from == RFT_LIMIT_FROM_TOLERANCE;
    }
    for (size_t c = 0; c < a->card_count; c++) {
        judge_card(a, &a->cards[c], arena);
        a->counts[a->cards[c].verdict]++;
    }
    a->verdict = worst(a->counts);
    return RFT_OK;
}

/* "1 of 3 cards misses a limit, " */
static void add_count(rft_str *out, const rft_acceptance *a, rft_accept_verdict verdict, const char *one,
                      const char *many) {
    size_t count = a->counts[verdict];
    if (count) {
        rft_str_addf(out, "%s%zu of %zu cards %s", out->length ? ", " : "", count, a->card_count,
                     count == 1 ? one : many);
    }
}

const char *rft_accept_sentence(const rft_acceptance *a, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    add_count(&text, a, RFT_ACCEPT_FAIL, "misses a limit", "miss a limit");
    add_count(&text, a, RFT_ACCEPT_UNDECIDED, "is undecided", "are undecided");
    add_count(&text, a, RFT_ACCEPT_PASS, "meets all limits", "meet all limits");
    const char *kept = rft_arena_printf(arena, "%s: %s", rft_accept_verdict_name(a->verdict), rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}
