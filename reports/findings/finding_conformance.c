/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies that publish measurements ask of one, and whether this run meets it. The rules are those of SPECaccel
 * 2023 (run and reporting rules), MLPerf Inference (rules, power measurement), the EE HPC WG's power measurement
 * methodology 2.0, and STREAM's and BabelStream's own pages; each in one line, none quoted. */
#include "reports/figures.h"
#include "reports/findings/conformance.h"
#include "reports/findings/words.h"

#include "base/str.h"
#include "model/run/run_base.h"
#include "model/run/run_foreign.h"

#include <math.h>
#include <string.h>

#define SPEC_SAMPLES 3
#define STREAM_SAMPLES 10
#define STREAM_CACHES 4.0 /* an array is so many times the last cache */
#define MLPERF_SECONDS 600.0
#define POWER_UPDATE_S 1.0 /* EE HPC WG, Level 1: a reading a second */

/* A rule asks for facts of the environment. */
typedef struct fact {
    const char *key, *words;
} fact;

static void add_facts(const rft_conform *s, const char *id, const char *rule, const fact *facts, size_t n) {
    rft_str told = RFT_STR_INIT, missing = RFT_STR_INIT;
    for (size_t i = 0; i < n; i++) {
        rft_str *list = rft_env_value(&s->run->env, facts[i].key) ? &told : &missing;
        rft_str_addf(list, "%s%s", list->length ? ", " : "", facts[i].words);
    }
    const char *why = rft_arena_printf(s->arena, "%s: %s", missing.length ? "not known" : "told",
                                       rft_str_get(missing.length ? &missing : &told));
    rft_conform_rule(s, id, rule, missing.length ? RFT_NOT_MET : RFT_MET, why);
    rft_str_clear(&told);
    rft_str_clear(&missing);
}
#define FACTS(list) list, sizeof(list) / sizeof *(list)

/* ---- rules of a best ---- */

static size_t samples_of(const rft_point *best) {
    const rft_measurement *m = rft_point_measurement(best);
    return m ? m->n : 0;
}

static bool has_median(const rft_run *run, const rft_point *best) {
    (void)run;
    return samples_of(best) >= SPEC_SAMPLES;
}

static bool has_clock(const rft_run *run, const rft_point *best) {
    (void)run;
    const rft_measurement *m = rft_point_measurement(best);
    return m && isfinite(m->clock_mhz);
}

static bool is_uncached(const rft_run *run, const rft_point *best) {
    const rft_measurement *m = rft_point_measurement(best);
    return m && !rft_run_foreign(run) && m->cache != RFT_CACHE_HOT;
}

static bool has_load(const rft_run *run, const rft_point *best) {
    return best->problem == rft_run_largest(run, best->sweep);
}

static bool lasts(const rft_run *run, const rft_point *best) {
    (void)run;
    const rft_load *soak = best->loads[RFT_LOAD_SOAK];
    return soak && !soak->reason && soak->asked_s >= MLPERF_SECONDS;
}

/* ---- SPEC ---- */

static rft_conform_tally bases(const rft_conform *s) {
    rft_conform_tally t = {0};
    for (size_t i = 0; i < s->run->sweep_count; i++) {
        const rft_base base = rft_run_base(s->run, i, NULL);
        if (base.problems > 1) {
            rft_conform_count(&t, &s->run->sweeps[i].sweep, base.point != NULL);
        }
    }
    return t;
}

/* Here a sweep without any result counts, too. */
static rft_conform_tally validated(const rft_conform *s) {
    rft_conform_tally t = rft_conform_tally_of(s, NULL, rft_conform_verified);
    for (size_t i = 0; i < s->run->sweep_count; i++) {
        if (rft_run_largest(s->run, i) == SIZE_MAX) {
            rft_conform_count(&t, &s->run->sweeps[i].sweep, false);
        }
    }
    return t;
}

static rft_conform_tally hashes(const rft_conform *s) {
    rft_conform_tally t = {0};
    for (size_t i = 0; i < s->run->sweep_count; i++) {
        rft_conform_count(&t, &s->run->sweeps[i].sweep,
                          !rft_run_foreign(s->run) && s->run->sweeps[i].sweep.script_hash && s->run->info.command);
    }
    return t;
}

static void add_measured(const rft_conform *s) {
    const char *replay = rft_words_replay(s->run, s->arena), *foreign = rft_run_foreign_notice(s->run, s->arena);
    bool none = s->best_count == 0;
    rft_conform_rule(s, "observation", "All is measured, or marked an estimate",
                     none                ? RFT_NOT_APPLICABLE
                     : replay || foreign ? RFT_NOT_MET
                                         : RFT_MET,
                     none      ? "nothing was measured"
                     : replay  ? replay
                     : foreign ? foreign
                               : "measured in this run");
}

static void add_spec(rft_conform *s) {
    static const fact machine[] = {{"gpu.name", "card"},       {"gpu.memory_bytes", "memory"},
                                   {"nvml.vbios", "firmware"}, {"driver.version", "driver"},
                                   {"host.cpu", "processor"},  {"host.memory", "its memory"},
                                   {"host.os", "system"}};
    static const fact tunables[] = {{"nvml.power_limit_enforced_w", "power limit"},
                                    {"nvml.application_sm_clock_mhz", "SM clock that is set"},
                                    {"nvml.application_memory_clock_mhz", "memory clock"},
                                    {"nvml.ecc", "ECC"}};
    const char *nvrtc = rft_env_value(&s->run->env, "nvrtc.version");
    rft_conform_body(s, "spec",
                     "SPEC, as in the run and reporting rules of accel 2023 (no result here is a SPEC score)");
    add_measured(s);
    rft_conform_tallied(s, "base_and_peak", "Base (one for all) and peak (best of each)", bases(s), "both are told");
    rft_conform_tallied(s, "median", "At least 3 iterations, the median told",
                        rft_conform_tally_of(s, NULL, has_median), "3 samples or more behind every best");
    rft_conform_tallied(s, "validated", "Every result is validated", validated(s),
                        "every best compared with a verified reference");
    add_facts(s, "system", "Hardware, firmware, driver, system told", FACTS(machine));
    add_facts(s, "tunables", "Tunables told: power limit, clocks, ECC", FACTS(tunables));
    rft_conform_tallied(s, "clocks", "The clock during a result is known", rft_conform_tally_of(s, NULL, has_clock),
                        "SM clock read beside every best");
    rft_conform_rule(s, "compiler", "Compiler and all its options told", RFT_NOT_MET,
                     nvrtc ? rft_arena_printf(s->arena,
                                              "NVRTC %.24s, parameters told; a kernel's own options: its script alone",
                                              nvrtc)
                           : "neither compiler nor a kernel's own options are known");
    rft_conform_tallied(s, "sources", "Command and sources can be traced", hashes(s),
                        "command and the script's hash are told");
    rft_conform_rule(s, "continuous", "All of it ran in one go", RFT_NOT_MET,
                     "how often the run was continued is not recorded");
    rft_conform_rule(s, "availability", "Dates from which all can be bought", RFT_NOT_MET,
                     "a run does not know them: add yours");
}

/* ---- MLPerf ---- */

static void add_description(const rft_conform *s) {
    const rft_item *item = rft_finding_find(rft_finding_system(s->run, s->arena), RFT_ITEM_TABLE);
    size_t known = 0, all = item ? item->table->row_count : 0;
    for (size_t i = 0; i < all; i++) {
        known += item->table->rows[i].cells[1].kind == RFT_DATUM_TEXT;
    }
    rft_conform_rule(s, "system", "System description is complete", all > 0 && known == all ? RFT_MET : RFT_NOT_MET,
                     rft_arena_printf(s->arena, "%zu of %zu fields are known (appendix): add the others", known, all));
}

static void add_duration(const rft_conform *s) {
    double longest = 0.0;
    for (size_t i = 0; i < s->best_count; i++) {
        const rft_load *soak = s->bests[i]->loads[RFT_LOAD_SOAK];
        longest = soak && !soak->reason ? fmax(longest, soak->asked_s) : longest;
    }
    rft_conform_tally t = rft_conform_tally_of(s, has_load, lasts);
    rft_conform_rule(s, "duration", "A performance run lasts 600 s or more", rft_conform_state_of(&t),
                     t.asked == 0     ? "nothing was measured"
                     : longest == 0.0 ? "no best was held under load (--soak)"
                                      : rft_conform_words(s, &t,
                                                          rft_arena_printf(s->arena, "longest load %s s",
                                                                           rft_figure_plain(s->arena, longest, 3))));
}

static bool has_power(const rft_conform *s);

static void add_mlperf(rft_conform *s) {
    rft_conform_body(s, "mlperf", "MLPerf Inference, rules and power measurement (no result here is an MLPerf result)");
    add_description(s);
    rft_conform_tally t = rft_conform_tally_of(s, NULL, rft_conform_verified);
    rft_conform_rule(s, "accuracy", "Accuracy on the data set beside performance", RFT_NOT_APPLICABLE,
                     rft_arena_printf(s->arena, "kernels have no model; outputs are verified in %zu of %s", t.met,
                                      rft_words_plural(t.asked, "sweep", "sweeps", s->arena)));
    add_duration(s);
    rft_conform_tallied(s, "caching", "No result comes from a cache of queries",
                        rft_conform_tally_of(s, NULL, is_uncached),
                        "caches flushed, or buffers rotated, between samples");
    rft_conform_rule(s, "availability", "Available, preview or research", RFT_NOT_MET,
                     "a run does not know it: add yours");
    rft_conform_rule(s, "power", "Power by an approved analyser at the wall",
                     has_power(s) ? RFT_NOT_MET : RFT_NOT_APPLICABLE,
                     has_power(s) ? "the card's own sensor, no analyser" : "no power was measured");
}

/* ---- EE HPC WG ---- */

static bool reads_power(const rft_load *load) {
    return load && load->source && isfinite(load->power_w);
}

static bool has_power(const rft_conform *s) {
    bool found = reads_power(s->run->idle);
    for (size_t i = 0; i < s->run->point_count && !found; i++) {
        found = reads_power(s->run->points[i].loads[RFT_LOAD_ENERGY]) ||
                reads_power(s->run->points[i].loads[RFT_LOAD_SOAK]);
    }
    return found;
}

/* The slowest sensor of all loads; NaN where one did not tell, or none was read. */
static double slowest_update_s(const rft_conform *s) {
    double slowest = (double)NAN;
    for (size_t i = 0; i < s->run->point_count; i++) {
        const rft_load *load = s->run->points[i].loads[RFT_LOAD_ENERGY];
        if (reads_power(load)) {
            if (!(load->update_s > 0.0)) {
                return (double)NAN;
            }
            slowest = fmax(slowest, load->update_s);
        }
    }
    return slowest;
}

static void add_power(rft_conform *s) {
    static const fact limits[] = {{"nvml.power_limit_enforced_w", "power limit"}, {"nvml.sm_clock_max_mhz", "clock"}};
    rft_conform_body(s, "ee_hpc_wg",
                     "EE HPC Working Group, power measurement methodology 2.0 (Green500): the weakest aspect counts");
    if (!has_power(s)) {
        rft_conform_rule(s, "level", "Four aspects, three levels", RFT_NOT_APPLICABLE,
                         "no power was measured; by the card's own sensor it would be below Level 1");
        return;
    }
    double update_s = slowest_update_s(s);
    rft_conform_rule(s, "granularity", "Aspect 1: a reading a second under load",
                     isnan(update_s)              ? RFT_NOT_MET
                     : update_s <= POWER_UPDATE_S ? RFT_MET
                                                  : RFT_NOT_MET,
                     isnan(update_s) ? "no energy of a result, or the sensor's rate is not known"
                                     : rft_arena_printf(s->arena, "the sensor reads at least every %s",
                                                        rft_figure_si(s->arena, update_s, "s")));
    rft_conform_rule(s, "fraction", "Aspect 2: a stated share of the nodes", RFT_NOT_MET,
                     "one card; no node is metered");
    rft_conform_rule(s, "subsystems", "Aspect 3: all that takes part, host included", RFT_NOT_MET,
                     "the card alone, without host, fans and network");
    rft_conform_rule(s, "meter", "Aspect 4: an accurate meter upstream", RFT_NOT_MET,
                     "the card's own sensor, of no stated accuracy: below Level 1");
    rft_conform_rule(s, "idle", "Power at rest told", reads_power(s->run->idle) ? RFT_MET : RFT_NOT_MET,
                     reads_power(s->run->idle)
                         ? rft_arena_printf(s->arena, "%s W", rft_figure_plain(s->arena, s->run->idle->power_w, 3))
                         : "not measured");
    add_facts(s, "tunables", "Tunables that change power told", FACTS(limits));
    rft_conform_rule(s, "environment", "Temperature of the air told", RFT_NOT_MET, "a run knows the card's own alone");
}

/* ---- STREAM ---- */

/* The kernels by their names; a sweep is taken for one of them where its kernel is called "stream_" or "babelstream_"
 * and one of these. Arrays read; all but dot write one. */
static const struct {
    const char *name;
    int read, kind; /* of STREAM's four; -1: BabelStream's own */
} streams[] = {{"copy", 1, 0}, {"scale", 1, 1}, {"mul", 1, 1}, {"add", 2, 2}, {"triad", 2, 3}, {"dot", 2, -1}};
#define STREAM_COUNT (sizeof streams / sizeof *streams)

/* Its place; STREAM_COUNT: none of them. */
static size_t stream_named(const char *kernel) {
    size_t i = STREAM_COUNT;
    if (kernel && (rft_text_starts(kernel, "stream_") || rft_text_starts(kernel, "babelstream_"))) {
        const char *name = strchr(kernel, '_') + 1;
        for (i = 0; i < STREAM_COUNT && !rft_text_equal(name, streams[i].name); i++) {
        }
    }
    return i;
}

static size_t stream_of(const rft_run *run, const rft_point *best) {
    return stream_named(run->sweeps[best->sweep].sweep.variants[best->variant].kernel);
}

static bool is_stream(const rft_run *run, const rft_point *best) {
    return stream_of(run, best) < STREAM_COUNT;
}

static bool is_dot(const rft_run *run, const rft_point *best) {
    return streams[stream_of(run, best)].kind < 0;
}

/* Of a stream; 0 where its work is not declared. */
static double array_bytes(const rft_run *run, const rft_point *best) {
    return is_dot(run, best) ? best->work.bytes_read / 2.0 : best->work.bytes_written;
}

static bool is_large(const rft_run *run, const rft_point *best) {
    return run->gpu.l2_bytes > 0 && array_bytes(run, best) >= STREAM_CACHES * (double)run->gpu.l2_bytes;
}

static bool is_repeated(const rft_run *run, const rft_point *best) {
    (void)run;
    return rft_point_measurement(best)->n >= STREAM_SAMPLES;
}

static bool counts_once(const rft_run *run, const rft_point *best) {
    double array = array_bytes(run, best), read = streams[stream_of(run, best)].read * array;
    return array > 0.0 && fabs(best->work.bytes_read - read) <= 1e-6 * read &&
           (!is_dot(run, best) || best->work.bytes_written <= 1e-3 * read);
}

static bool is_arithmetic(const rft_run *run, const rft_point *best) {
    return is_stream(run, best) && rft_work_ops(&best->work) > 0.0;
}

static bool is_double(const rft_run *run, const rft_point *best) {
    (void)run;
    return best->work.pipe_ops[RFT_PIPE_FP64] >= rft_work_ops(&best->work);
}

/* A sweep of them without any result counts here, too. */
static rft_conform_tally validated_streams(const rft_conform *s) {
    rft_conform_tally t = rft_conform_tally_of(s, is_stream, rft_conform_verified);
    for (size_t i = 0; i < s->run->sweep_count; i++) {
        const rft_sweep *sweep = &s->run->sweeps[i].sweep;
        if (rft_run_largest(s->run, i) == SIZE_MAX && sweep->variant_count > 0 &&
            stream_named(sweep->variants[0].kernel) < STREAM_COUNT) {
            rft_conform_count(&t, sweep, false);
        }
    }
    return t;
}

static void add_kernels(const rft_conform *s) {
    bool have[4] = {false};
    size_t count = 0;
    for (size_t i = 0; i < s->best_count; i++) {
        size_t at = stream_of(s->run, s->bests[i]);
        if (at < STREAM_COUNT && streams[at].kind >= 0) {
            count += !have[streams[at].kind];
            have[streams[at].kind] = true;
        }
    }
    rft_conform_rule(s, "kernels", "Copy, scale (mul), add and triad", count == 4 ? RFT_MET : RFT_NOT_MET,
                     rft_arena_printf(s->arena, "%zu of the 4 were measured", count));
}

static void add_stream(rft_conform *s) {
    rft_conform_body(s, "stream", "STREAM and BabelStream, run rules");
    rft_conform_tally large = rft_conform_tally_of(s, is_stream, is_large),
                      doubles = rft_conform_tally_of(s, is_arithmetic, is_double);
    if (large.asked == 0) {
        rft_conform_rule(s, "kernels", "Copy, scale (mul), add and triad", RFT_NOT_APPLICABLE,
                         "no kernel of these was measured (stream_copy, babelstream_mul ...)");
        return;
    }
    add_kernels(s);
    rft_conform_rule(s, "arrays", "An array is at least 4 times the last cache", rft_conform_state_of(&large),
                     s->run->gpu.l2_bytes > 0
                         ? rft_conform_words(s, &large,
                                             rft_arena_printf(s->arena, "all arrays at least 4 x %s of L2",
                                                              rft_figure_bytes(s->arena, s->run->gpu.l2_bytes)))
                         : "the size of the L2 is not known");
    rft_conform_rule(s, "fp64", "Elements are doubles",
                     doubles.asked == 0 ? RFT_NOT_MET : rft_conform_state_of(&doubles),
                     doubles.asked == 0 ? "no sweep declares arithmetic, so the type is not known"
                                        : rft_conform_words(s, &doubles, "arithmetic in fp64 (a copy has none)"));
    rft_conform_tallied(s, "iterations", "At least 10 iterations", rft_conform_tally_of(s, is_stream, is_repeated),
                        "10 samples or more behind every best");
    rft_conform_rule(s, "best", "The best iteration after the first is the result", RFT_NOT_MET,
                     "medians are told here: a best of many reads higher");
    rft_conform_tallied(s, "bytes", "Bytes: every array once", rft_conform_tally_of(s, is_stream, counts_once),
                        "counted so");
    rft_conform_tallied(s, "validated", "Results are validated", validated_streams(s),
                        "every best compared with a reference");
}

/* ---- the page ---- */

static void collect_bests(rft_conform *s) {
    size_t most = 0;
    for (size_t i = 0; i < s->run->sweep_count; i++) {
        most += s->run->sweeps[i].sweep.problem_count;
    }
    s->bests = rft_arena_calloc(s->arena, most + 1, sizeof *s->bests);
    for (size_t i = 0; i < s->run->sweep_count; i++) {
        for (size_t p = 0; p < s->run->sweeps[i].sweep.problem_count; p++) {
            const rft_point *best = rft_run_best(s->run, i, SIZE_MAX, p);
            if (best) {
                s->bests[s->best_count++] = best;
            }
        }
    }
}

rft_finding *rft_finding_conformance(const rft_run *run, rft_arena *arena) {
    static const rft_trait fields[RFT_CONFORM_FIELDS] = {
        [RFT_CONFORM_BODY] = {.key = "body"},
        [RFT_CONFORM_ID] = {.key = "rule"},
        [RFT_CONFORM_RULE] = {.key = "asks", .title = "What is asked", .wraps = true},
        [RFT_CONFORM_STATE] = {.key = "state", .title = "This run"},
        [RFT_CONFORM_WHY] = {.key = "why", .title = "Why", .wraps = true},
    };
    rft_conform s = {.run = run, .arena = arena};
    rft_finding *f = rft_finding_new(arena);
    rft_finding_chapter(f, 1, "Conformance", "conformance");
    rft_finding_heading(f, RFT_IN_TEXT, 1, "Conformance");
    rft_finding_note(
        f, RFT_ON_PAGE,
        "What four bodies ask of a result that is published, a line each in our words, and what this run's own data "
        "say. What the run does not know counts as not met; sweeps without a result count under validation alone. It "
        "is no certificate: none of these bodies has seen it.");
    s.table = rft_finding_table(f, "", fields, RFT_CONFORM_FIELDS);
    collect_bests(&s);
    add_spec(&s);
    add_mlperf(&s);
    add_power(&s);
    add_stream(&s);
    return f;
}
