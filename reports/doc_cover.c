/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include "base/str.h"
#include "base/units.h"
#include "model/roofline/card_peers.h"
#include "model/run/run_foreign.h"

#include <math.h>
#include <string.h>

#define NAMES_MOST 12   /* more sweeps are named in the contents */
#define VERDICTS_MOST 4 /* more sweeps than that are told in the summary */

/* What is left: a point that keeps its bound busy has no room, however low its useful rate. */
static double used_share(const rft_entry *entry) {
    bool firm = entry->bound.firmness == RFT_FIRM_BOUND && isfinite(entry->bound.frac);
    return fmax(1.0 / entry->reach.left_factor, firm ? entry->bound.frac : 0);
}

/* With what became of most points, and an example. */
static const char *no_measurement(const rft_build *b) {
    size_t counts[RFT_OUTCOME_COUNT] = {0}, most = 0;
    const char *reason = NULL;
    for (size_t i = 0; i < b->run->point_count; i++) {
        counts[b->run->points[i].outcome]++;
        most = counts[b->run->points[i].outcome] > counts[most] ? (size_t)b->run->points[i].outcome : most;
    }
    for (size_t i = 0; i < b->run->point_count && !reason; i++) {
        reason = b->run->points[i].outcome == (rft_outcome)most ? b->run->points[i].reason : NULL;
    }
    if (b->run->point_count == 0) {
        return "No valid measurement: no configuration was taken up.";
    }
    return rft_arena_printf(b->arena, "No valid measurement: %s of %s: %s%s%.200s.",
                            rft_figure_count(b->arena, counts[most]),
                            rft_words_plural(b->run->point_count, "point", "points", b->arena),
                            rft_outcome_name((rft_outcome)most), reason ? ", " : "", reason ? reason : "");
}

/* One sentence for everything: each sweep speaks through its longest-running problem; the one with most room is named.
 */
static const char *overall(const rft_build *b) {
    const rft_entry *lowest = NULL, *any = NULL, *highest = NULL, *least = NULL;
    size_t judged = 0;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_entry *entry = rft_build_showcase(b, s);
        any = any ? any : entry;
        if (entry && !isnan(entry->place.efficiency_frac)) {
            judged++;
            lowest = !lowest || used_share(entry) < used_share(lowest) ? entry : lowest;
            least = !least || entry->reach.frac < least->reach.frac ? entry : least;
            highest = !highest || entry->reach.frac > highest->reach.frac ? entry : highest;
        }
    }
    if (!any) {
        return no_measurement(b);
    }
    if (judged < 2) {
        return rft_arena_printf(b->arena, "%s.", rft_build_verdict(b, lowest ? lowest : any));
    }
    const char *low = rft_figure_percent(b->arena, least->reach.frac);
    const char *high = rft_figure_percent(b->arena, highest->reach.frac);
    bool alike = strcmp(low, high) == 0;
    return rft_arena_printf(b->arena, "%zu sweeps reach %s%s%s%s of their measured ceilings. Most is left in %s.",
                            judged, alike ? "" : low, alike ? "" : " to ", highest->reach.at_most ? "at most " : "",
                            high, rft_build_verdict(b, lowest));
}

static const char *first_known(const rft_build *b, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *value = rft_env_value(&b->run->env, keys[i]);
        if (value && *value) {
            return value;
        }
    }
    return NULL;
}

static const char *memory_text(const rft_build *b) {
    const rft_gpu_info *gpu = &b->run->gpu;
    const char *type = rft_env_value(&b->run->env, "gpu.memory_type"); /* no driver tells it; a script or import may */
    if (gpu->memory_bytes <= 0) {
        return "capacity not known";
    }
    const char *size = rft_figure_bytes(b->arena, gpu->memory_bytes);
    const char *bus =
        gpu->memory_bus_bits > 0
            ? rft_arena_printf(
                  b->arena, ", %d bit%s%s", gpu->memory_bus_bits, gpu->memory_clock_khz > 0 ? " at " : "",
                  gpu->memory_clock_khz > 0 ? rft_arena_printf(b->arena, "%d MHz", gpu->memory_clock_khz / 1000) : "")
            : "";
    return type ? rft_arena_printf(b->arena, "%s %s%s", size, type, bus)
                : rft_arena_printf(b->arena, "%s%s, type not known", size, bus);
}

static const char *driver_text(const rft_build *b) {
    static const char *const keys[] = {"driver.version", "nvml.driver_version"};
    const char *version = first_known(b, keys, sizeof keys / sizeof *keys);
    int api = b->run->gpu.driver_version;
    const char *cuda = api > 0 ? rft_arena_printf(b->arena, "CUDA %d.%d", api / 1000, api % 1000 / 10) : NULL;
    if (version && cuda) {
        return rft_arena_printf(b->arena, "%s (%s)", version, cuda);
    }
    return version ? version : cuda ? cuda : "not known";
}

static const char *sweep_names(const rft_build *b) {
    if (b->run->sweep_count > NAMES_MOST && b->opts.part != 1) {
        return rft_arena_printf(b->arena, "%zu: see the contents", b->run->sweep_count);
    }
    rft_str names = RFT_STR_INIT;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        rft_str_addf(&names, "%s%s", s ? ", " : "", b->run->sweeps[s].sweep.name);
    }
    const char *text = b->run->sweep_count ? rft_arena_strdup(b->arena, rft_str_get(&names)) : "none";
    rft_str_clear(&names);
    return text;
}

/* "one card, one host, one run of 6 min 10 s: N = 1" */
static const char *sample_text(const rft_build *b) {
    double elapsed_s = b->run->info.elapsed_s;
    char time[40];
    bool told = elapsed_s > 0 && !rft_words_replay(b->run, b->arena);
    rft_peers peers = rft_peers_of(b->run, b->opts.references, b->opts.reference_count, b->arena);
    const char *length =
        told ? rft_arena_printf(b->arena, " of %s", rft_units_format_seconds(time, sizeof time, elapsed_s, 2)) : "";
    const char *beside = peers.cards
                             ? rft_arena_printf(b->arena, ", beside stored runs of %s",
                                                rft_words_plural(peers.cards, "other card", "other cards", b->arena))
                             : "";
    return rft_arena_printf(b->arena, "one card, one host, one run%s: N = 1%s", length, beside);
}

static void add_facts(rft_build *b) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    const rft_run_info *info = &b->run->info;
    const rft_gpu_info *gpu = &b->run->gpu;
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    table->plain = true;
    rft_doc_pair(b->doc, table, "Device", gpu->name ? gpu->name : "not known");
    if (gpu->representative) {
        rft_doc_pair(b->doc, table, "", "stands for its architecture: no real device was asked");
    }
    rft_doc_pair(b->doc, table, "PCI id", gpu->pci_id && *gpu->pci_id ? gpu->pci_id : "not known");
    rft_doc_pair(b->doc, table, "Memory", memory_text(b));
    rft_doc_pair(b->doc, table, "Architecture",
                 gpu->sms > 0 ? rft_arena_printf(b->arena, "%s, %d SMs", gpu->arch ? gpu->arch : "not known", gpu->sms)
                              : "not known");
    rft_doc_pair(b->doc, table, "Driver", driver_text(b));
    rft_doc_pair(b->doc, table, "Date", rft_figure_time(b->arena, info->started_unix_ns));
    if (rft_words_replay(b->run, b->arena)) {
        rft_doc_pair(b->doc, table, "Recording",
                     rft_arena_printf(b->arena, "%s, run %s, measured %s",
                                      info->replay_path ? info->replay_path : "file name not kept",
                                      info->replay_of ? info->replay_of : "not known",
                                      rft_figure_time(b->arena, info->replay_started_unix_ns)));
        rft_doc_pair(
            b->doc, table, "Compiled again",
            info->recompiled > 0
                ? rft_arena_printf(b->arena, "%s; registers and spills as recorded in %s of them",
                                   rft_words_plural(info->recompiled, "configuration", "configurations", b->arena),
                                   rft_figure_count(b->arena, info->recompiled_same))
                : "none: times and static facts are the recording's");
    }
    rft_doc_pair(b->doc, table, "Sweeps", sweep_names(b));
    rft_doc_pair(b->doc, table, "Tool",
                 rft_arena_printf(b->arena, "rooftune %s, revision %s",
                                  info->tool_version ? info->tool_version : "not known",
                                  info->tool_revision ? info->tool_revision : "not known"));
    rft_doc_pair(b->doc, table, "Sample size", sample_text(b));
}

void rft_build_cover(rft_build *b) {
    const char *notice = rft_words_replay(b->run, b->arena);
    const char *foreign = rft_run_foreign_notice(b->run, b->arena);
    rft_doc_heading(b->doc, 1,
                    rft_arena_printf(b->arena, foreign ? "%s: a foreign recording" : "%s under its measured roofline",
                                     b->run->gpu.name ? b->run->gpu.name : "Unknown device"),
                    "cover");
    if (notice) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG, rft_arena_printf(b->arena, "This is a %s.", notice));
    }
    if (foreign) {
        const char *work = rft_run_foreign_work_notice(b->run, b->arena);
        rft_doc_text(b->doc, RFT_TEXT_STRONG,
                     rft_arena_printf(b->arena, "These are %s%s%s.", foreign, work ? "; " : "", work ? work : ""));
    }
    rft_doc_text(b->doc, RFT_TEXT_LEAD, overall(b));
    rft_build_key_figures(b);
    add_facts(b);
    rft_build_cover_chart(b);
    if (b->run->sweep_count > 1 && b->run->sweep_count <= VERDICTS_MOST) {
        rft_doc_heading(b->doc, 2, "In one line each", NULL);
        for (size_t s = 0; s < b->run->sweep_count; s++) {
            const rft_entry *entry = rft_build_showcase(b, s);
            rft_doc_text(b->doc, RFT_TEXT_BODY,
                         entry ? rft_arena_printf(b->arena, "%s.", rft_build_verdict(b, entry))
                               : rft_arena_printf(b->arena, "%s: no valid measurement.", b->run->sweeps[s].sweep.name));
        }
    }
    rft_doc_heading(b->doc, 2, "Contents", NULL);
    rft_doc_contents(b->doc);
    rft_doc_new_page(b->doc);
}
