/* SPDX-License-Identifier: Apache-2.0 */
/* field_tables.c - which fields there are (field.h). A field that comes, goes or is named anew changes the run file:
 * RFT_STORE_SCHEMA (store/store.h) takes the next number. */
#include "model/run/field.h"
#include "model/run/run.h"

#include <math.h>

/* The help comes first of what follows the kind, then what else is to be said: .flags, .range, .unit, .was. */
#define NAMED(type, name_, member, kind_, ...)                                                                         \
    { .name = (name_), .kind = RFT_FIELD_##kind_, .offset = offsetof(type, member), .help = __VA_ARGS__ }
#define FIELD(type, member, kind_, ...) NAMED(type, #member, member, kind_, __VA_ARGS__)
/* A list, and how many it has. */
#define LIST(type, name_, member, counted, kind_, ...)                                                                 \
    {                                                                                                                  \
        .name = (name_), .kind = RFT_FIELD_##kind_, .offset = offsetof(type, member),                                  \
        .count_offset = offsetof(type, counted), .help = __VA_ARGS__                                                   \
    }
#define ROUNDED .flags = RFT_FIELD_ROUNDED
#define SHOWN RFT_FIELD_SHOWN
#define CSV RFT_FIELD_CSV
#define UPDATED RFT_FIELD_UPDATED
#define UP_TO(most) .range = {0, (most)}
#define ANY .range = {-INFINITY, INFINITY}
#define TIB (1024.0 * 1024 * 1024 * 1024)
#define TABLE(name)                                                                                                    \
    { #name, name##_items, sizeof name##_items / sizeof *name##_items }

#define INFO(member, kind, ...) FIELD(rft_run_info, member, kind, __VA_ARGS__)
#define SUM .flags = RFT_FIELD_ROUNDED | RFT_FIELD_UPDATED
static const rft_field info_items[] = {
    INFO(id, NAME, "12 hex digits"),
    INFO(tool_version, NAME, "version of the rooftune that wrote it"),
    INFO(tool_revision, NAME, "its git revision, + where files were changed"),
    INFO(command, NAME, "as typed"),
    INFO(started_unix_ns, INT64, "when it began"),
    INFO(finished_unix_ns, INT64, "when it ended; 0: not finished", .flags = UPDATED),
    INFO(seed, UINT64, "order of trying"),
    INFO(replay_of, TEXT, "id of the recorded run that answered instead of a device"),
    INFO(replay_path, TEXT, "the recording's file"),
    INFO(replay_started_unix_ns, INT64, "when the recorded run began"),
    INFO(recompiled, UINT64, "of a replay: configurations that were compiled", .flags = UPDATED),
    INFO(recompiled_same, UINT64, "of these, as the recording has them", .flags = UPDATED),
    INFO(elapsed_s, REAL, "wall time, over all sessions", SUM),
    INFO(busy_s, REAL, "of it the GPU was verifying and measuring", SUM),
    INFO(compile_s, REAL, "core-seconds of the compile workers", SUM),
};
const rft_fields rft_fields_info = TABLE(info);

/* 0 is not known, as in what was read from other tuners' files. */
#define GPU(member, kind, ...) FIELD(rft_gpu_info, member, kind, __VA_ARGS__)
#define BYTES(most) UP_TO(most), .unit = "B"
static const rft_field gpu_items[] = {
    GPU(name, NAME, "as the driver calls it"),
    GPU(arch, NAME, "what is compiled for"),
    GPU(uuid, NAME, "of this card"),
    GPU(pci_id, NAME, "its place in the machine"),
    GPU(cc_major, INT, "compute capability, before the point", UP_TO(99)),
    GPU(cc_minor, INT, "behind it", UP_TO(99)),
    GPU(sms, INT, "streaming multiprocessors", UP_TO(65536)),
    GPU(warp_size, INT, "threads of a warp", UP_TO(1024)),
    GPU(max_threads_per_block, INT, "limit of a block", UP_TO(65536)),
    GPU(max_threads_per_sm, INT, "limit of an SM", UP_TO(65536)),
    GPU(max_blocks_per_sm, INT, "limit of an SM", UP_TO(65536)),
    GPU(registers_per_block, INT, "limit of a block", UP_TO(1 << 24)),
    GPU(registers_per_sm, INT, "limit of an SM", UP_TO(1 << 24)),
    GPU(shared_per_block, INT64, "shared memory a block may ask for", BYTES(TIB)),
    GPU(shared_per_block_static, INT64, "shared memory a block has without asking", BYTES(TIB)),
    GPU(shared_per_sm, INT64, "shared memory of an SM", BYTES(TIB)),
    GPU(l2_bytes, INT64, "L2 cache", UP_TO(TIB)),
    GPU(persisting_l2_max_bytes, INT64, "of it may be set aside for access windows", UP_TO(TIB)),
    GPU(memory_bytes, INT64, "device memory", UP_TO(1024 * TIB)),
    GPU(memory_free_bytes, INT64, "of it free when asked", UP_TO(1024 * TIB)),
    NAMED(rft_gpu_info, "max_grid_x", max_grid[0], INT64, "limit of a grid", UP_TO(INT32_MAX)),
    NAMED(rft_gpu_info, "max_grid_y", max_grid[1], INT64, "limit of a grid", UP_TO(INT32_MAX)),
    NAMED(rft_gpu_info, "max_grid_z", max_grid[2], INT64, "limit of a grid", UP_TO(INT32_MAX)),
    NAMED(rft_gpu_info, "max_block_x", max_block[0], INT, "limit of a block", UP_TO(65536)),
    NAMED(rft_gpu_info, "max_block_y", max_block[1], INT, "limit of a block", UP_TO(65536)),
    NAMED(rft_gpu_info, "max_block_z", max_block[2], INT, "limit of a block", UP_TO(65536)),
    GPU(max_cluster, INT, "blocks of a cluster; 0: no clusters", UP_TO(65536)),
    GPU(cooperative, BOOL, "cooperative launches"),
    GPU(sm_clock_khz, INT, "maximum"),
    GPU(memory_clock_khz, INT, "maximum"),
    GPU(memory_bus_bits, INT, "width of the memory's bus", UP_TO(1 << 20), .unit = "bit"),
    GPU(driver_version, INT, "13000 is 13.0"),
    GPU(representative, BOOL, "stands for its architecture, is no device"),
};
const rft_fields rft_fields_gpu = TABLE(gpu);

#define CEILING(member, kind, ...) FIELD(rft_ceiling, member, kind, __VA_ARGS__)
#define SUSTAINED(member, kind, ...)                                                                                   \
    NAMED(rft_ceiling, "sustained_" #member, sustained.member, kind, "of the rate under load: " __VA_ARGS__)
static const rft_field ceiling_items[] = {
    CEILING(measured, BOOL, "there is a rate"),
    CEILING(reason, TEXT, "why there is none"),
    CEILING(kernel, TEXT, "the operation behind it"),
    CEILING(clock_mhz, REAL, "median SM clock meanwhile"),
    CEILING(datasheet, REAL, "the datasheet's rate", .range = {1e-9, RFT_NUMBER_MAX}), /* shares are of it */
    CEILING(datasheet_basis, TEXT, "what that is at"),
    NAMED(rft_ceiling, "hardware_limit", limit, REAL, "what the hardware's widths and clocks allow"),
    CEILING(limit_basis, TEXT, "which widths and clocks"),
    CEILING(at_least, FLAG, "a lower bound: nothing is judged by it"),
    CEILING(measured_unix_ns, COUNT64, "when; before the run's beginning where it was kept from another session"),
    CEILING(sustained_clock_mhz, REAL, "median SM clock under load"),
    CEILING(sustained_power_w, REAL, "drawn by the whole card under load"),
    SUSTAINED(n, LENGTH, "samples; 0: not measured"),
    SUSTAINED(min, REAL, "least"),
    SUSTAINED(q1, REAL, "first quartile"),
    SUSTAINED(median, REAL, "median"),
    SUSTAINED(q3, REAL, "third quartile"),
    SUSTAINED(max, REAL, "most"),
    SUSTAINED(mean, REAL, "mean"),
    SUSTAINED(low, REAL, "lower end of the median's interval"),
    SUSTAINED(high, REAL, "upper end"),
    SUSTAINED(interval_is_95, FLAG, "the interval has 95 %"),
    SUSTAINED(iqr_frac, REAL, "quartiles' distance over the median"),
};
const rft_fields rft_fields_ceiling = TABLE(ceiling);

#define STATS(member, kind, ...) FIELD(rft_stats, member, kind, __VA_ARGS__)
static const rft_field stats_items[] = {
    STATS(n, SIZE, "samples"),
    STATS(min, REAL, "least"),
    STATS(q1, REAL, "first quartile"),
    STATS(median, REAL, "median"),
    STATS(q3, REAL, "third quartile"),
    STATS(max, REAL, "most"),
    STATS(mean, REAL, "mean"),
    STATS(low, REAL, "lower end of the median's interval"),
    STATS(high, REAL, "upper end"),
    STATS(interval_is_95, BOOL, "the interval has 95 %; with few samples it is their range"),
    STATS(iqr_frac, REAL, "quartiles' distance over the median"),
};
const rft_fields rft_fields_stats = TABLE(stats);

#define SWEEP(member, kind, ...) FIELD(rft_sweep, member, kind, __VA_ARGS__)
static const rft_field sweep_items[] = {
    SWEEP(name, NAME, "of the file, or the script's own"),
    SWEEP(path, NAME, "the script"),
    SWEEP(script_hash, NAME, "SHA-256 of it and what it required"),
    SWEEP(bare_space, BOOL, "no kernel: a space alone"),
    SWEEP(item_name, TEXT, "what the work's items are"),
    SWEEP(diagnostic, KNOWN, "1: it explains the card and is no workload; null: not recorded", UP_TO(1)),
    SWEEP(note, TEXT, "what the script says of its picture"),
};
const rft_fields rft_fields_sweep = TABLE(sweep);

#define OPTION(member, kind, ...) FIELD(rft_measure_opts, member, kind, __VA_ARGS__)
static const rft_field measure_opts_items[] = {
    OPTION(cache, CACHE, "what the L2 holds when a sample begins: cold, hot or rotating"),
    OPTION(mode, TIMING, "how launches reach the device: events (one by one) or graph"),
    OPTION(compile_timeout_s, REAL, "limit of a compilation", .flags = UPDATED),
    OPTION(point_timeout_s, REAL, "limit of a point's launches", .flags = UPDATED),
    OPTION(min_samples, INT, "samples of a point, at least"),
    OPTION(max_samples, INT, "at most"),
    OPTION(noise_frac, REAL, "half width of the interval over the median that ends sampling"),
    OPTION(max_seconds, REAL, "limit of timing a point", .unit = "s"),
    OPTION(min_seconds, AMOUNT, "GPU time of its samples at least", .unit = "s", .flags = UPDATED),
    NAMED(rft_measure_opts, "input_seed", seed, UINT64, "of what fills the buffers"),
    OPTION(processes, COUNT, "device processes of the final round; 0: as many as it takes, or not recorded",
           .flags = UPDATED),
    OPTION(no_race, FLAG, "what is clearly slower is measured to the end all the same", .flags = UPDATED),
};
const rft_fields rft_fields_measure_opts = TABLE(measure_opts);

#define SEARCH(member, kind, ...) FIELD(rft_search_opts, member, kind, __VA_ARGS__)
static const rft_field search_opts_items[] = {
    SEARCH(strategy, NAME, "how the space is searched"),
    SEARCH(budget_s, REAL, "limit of time; 0: none", .flags = UPDATED),
    SEARCH(budget_points, UINT64, "limit of points; 0: none", .flags = UPDATED),
    NAMED(rft_search_opts, "search_seed", seed, UINT64, "of the search"),
    NAMED(rft_search_opts, "search_seed_given", seed_given, BOOL, "the seed was asked for"),
    SEARCH(budget_gpu_s, AMOUNT, "limit of verifying and measuring; 0: none", .flags = UPDATED),
    SEARCH(goal_frac, AMOUNT, "share of the roof that ends the search; 0: none", .flags = UPDATED),
    SEARCH(objective, OBJECTIVE, "what the best takes least of: time, energy or edp"),
};
const rft_fields rft_fields_search_opts = TABLE(search_opts);

#define AXIS(member, kind, ...) FIELD(rft_axis, member, kind, __VA_ARGS__)
static const rft_field axis_items[] = {
    AXIS(name, NAME, "of the axis"),
    AXIS(swept, BOOL, "it has values of its own; else it is derived"),
    AXIS(along, BOOL, "findings are told along it"),
    AXIS(compiled, BOOL, "its values are compiled in"),
    AXIS(refine_depth, INT, "how often refine() may halve an interval", UP_TO(RFT_REFINED_MAX)),
};
const rft_fields rft_fields_axis = TABLE(axis);

#define PROBLEM(member, kind, ...) FIELD(rft_problem, member, kind, __VA_ARGS__)
static const rft_field problem_items[] = {
    PROBLEM(odd, BOOL, "verified only, never timed"),
    PROBLEM(refined, COUNT, "how often an interval was halved for it by refine(); 0: of the grid",
            UP_TO(RFT_REFINED_MAX)),
};
const rft_fields rft_fields_problem = TABLE(problem);

#define VARIANT(member, kind, ...) FIELD(rft_variant, member, kind, __VA_ARGS__)
static const rft_field variant_items[] = {
    VARIANT(name, NAME, "of the variant"),
    VARIANT(kernel, NAME, "its kernel"),
    VARIANT(source, NAME, "the source's file"),
    VARIANT(entry, NAME, "what is launched, as written"),
    VARIANT(unverified_reference, TEXT,
            "the variant it is compared with, where nothing verifies that one; null: none, or not recorded"),
};
const rft_fields rft_fields_variant = TABLE(variant);

#define PARAM(member, kind, ...) FIELD(rft_param, member, kind, __VA_ARGS__)
static const rft_field param_items[] = {
    PARAM(name, NAME, "of the parameter"),
    PARAM(help, NAME, "the script's words on it"),
    PARAM(in_entry, BOOL, "it stands in the entry's name"),
};
const rft_fields rft_fields_param = TABLE(param);

#define POINT(member, kind, ...) FIELD(rft_point, member, kind, __VA_ARGS__)
#define AT(name, member, most, ...) NAMED(rft_point, name, member, INT64, __VA_ARGS__, UP_TO(most))
static const rft_field point_items[] = {
    POINT(id, INT64, "1, 2, ... in the order committed"),
    POINT(sweep, SIZE, "index of its sweep"),
    POINT(variant, SIZE, "index of its variant"),
    POINT(problem, SIZE, "index of its problem"),
    POINT(outcome, OUTCOME, "what became of it", .flags = CSV),
    POINT(reason, TEXT, "why it is not ok", .flags = CSV),
    POINT(log, TEXT, "of the compiler, or the fault"),
    POINT(alias_of, COUNT64, "the point with the same cubin and launch, whose numbers these are; 0: its own",
          .flags = CSV),
    POINT(workers_lost, COUNT, "device workers that ended over it"),
    POINT(is_default, BOOL, "every parameter has its default"),
    POINT(transferred, FLAG, "tried early: it was among the best of another problem"),
    POINT(prior, REAL, "what the sweep's prior says: the lower, the better it should be", .flags = CSV),
    POINT(has_launch, BOOL, "the shape of its first launch is known:"),
    /* As far as launch() may go: a configuration that exceeds the device is a point, too. */
    AT("grid_x", grid[0], TIB, "blocks"),
    AT("grid_y", grid[1], TIB, "blocks"),
    AT("grid_z", grid[2], TIB, "blocks"),
    AT("block_x", block[0], 1 << 20, "threads"),
    AT("block_y", block[1], 1 << 20, "threads"),
    AT("block_z", block[2], 1 << 20, "threads"),
};
const rft_fields rft_fields_point = TABLE(point);

#define FACTS(member, kind, ...) FIELD(rft_facts, member, kind, __VA_ARGS__)
static const rft_field facts_items[] = {
    FACTS(registers, KNOWN, "of a thread, the most of its launches", UP_TO(1 << 16), .flags = CSV),
    FACTS(spill_bytes, KNOWN, "stores and loads of spilled registers in the code", .flags = CSV),
    FACTS(stack_bytes, KNOWN, "of a thread"),
    FACTS(shared_static_bytes, BYTES, "shared memory that the code declares", UP_TO(TIB)),
    FACTS(shared_dynamic_bytes, BYTES, "shared memory that the launch asks for", UP_TO(TIB)),
    FACTS(blocks_per_sm, KNOWN, "that fit on an SM at once", UP_TO(1 << 16)),
    FACTS(occupancy_frac, REAL, "resident warps of the most an SM can have, in theory", .flags = CSV),
    FACTS(waves, REAL, "blocks of the grid over those the device holds at once"),
    FACTS(cubin_hash, TEXT, "SHA-256 of the code"),
    FACTS(compile_s, REAL, "of NVRTC; 0: it came from the cache", ROUNDED),
    FACTS(from_cache, BOOL, "nothing was compiled for it"),
};
const rft_fields rft_fields_facts = TABLE(facts);

/* What a kernel computed may be anything. */
#define VERIFIED(name, member, kind, ...) NAMED(rft_verification, name, member, kind, __VA_ARGS__, ANY)
static const rft_field verification_items[] = {
    VERIFIED("verified", done, BOOL, "its outputs were compared with the reference's"),
    VERIFIED("tol", tol, REAL, "tolerance of the worst buffer"),
    VERIFIED("worst_frac", worst_frac, REAL, "worst error over what is allowed: up to 1 passes; inf: integers differ"),
    VERIFIED("rms_frac", rms_frac, REAL, "root mean square of the errors over what is allowed, of the worst buffer"),
    VERIFIED("worst_abs_error", worst_abs_error, REAL, "error of that element"),
    VERIFIED("worst_got", got, REAL, "what it is"),
    VERIFIED("worst_want", want, REAL, "what the reference has"),
    VERIFIED("worst_buffer", buffer, TEXT, "where it is"),
    VERIFIED("worst_index", index, UINT64, "which element"),
    VERIFIED("wrong_count", wrong_count, UINT64, "elements outside the tolerance"),
    VERIFIED("total_count", total_count, UINT64, "elements compared"),
    VERIFIED("sanitizer", sanitizer, TEXT,
             "compute-sanitizer: clean, errors, or why not; null: --sanitize was not given"),
};
const rft_fields rft_fields_verification = TABLE(verification);

static double cycles(const void *measurement) {
    return rft_measurement_cycles(measurement);
}

#define MEASURED(member, kind, ...) FIELD(rft_measurement, member, kind, __VA_ARGS__)
#define TOLD .flags = RFT_FIELD_ROUNDED | RFT_FIELD_SHOWN
static const rft_field measurement_items[] = {
    MEASURED(stop, STOP, "why sampling ended"),
    MEASURED(cache, CACHE, "what the L2 held when a sample began: cold, hot or rotating", .flags = SHOWN | CSV),
    MEASURED(batch, COUNT, "runs of the point in each sample, which is their mean", .flags = SHOWN | CSV),
    MEASURED(mode, TIMING, "how its launches reached the device: events (one by one) or graph", .flags = SHOWN | CSV),
    MEASURED(clock_mhz, REAL, "SM clock at which the median run took its cycles", TOLD | CSV),
    {.name = "cycles",
     .kind = RFT_FIELD_REAL,
     .flags = RFT_FIELD_UNSTORED | SHOWN | CSV,
     .help = "SM cycles of a run, median over the samples",
     .derived = cycles},
    MEASURED(floor_s, REAL, "an empty kernel between the same two events; null where the point is far from it",
             TOLD | CSV),
    MEASURED(first_run_s, REAL, "the verified run: the first, with the host's gaps between its launches", TOLD | CSV),
    MEASURED(attempts, COUNT, "how often it was measured; null: the clock was not looked at", .flags = SHOWN),
    MEASURED(throttled_frac, REAL, "share of the samples kept that ran more than 5 % below the run's clock", TOLD,
             .was = "affected_frac"),
    MEASURED(throttled_below_mhz, REAL, "that clock", TOLD, .was = "steady_mhz"),
    MEASURED(
        throttled_by, TEXT,
        "what held the clock down: power_cap, sync_boost, sw_thermal, hw_thermal or power_brake; null: nothing known",
        .flags = SHOWN, .was = "throttle_cause"),
    MEASURED(throttle_note, TEXT, "the same in a sentence"),
    MEASURED(turns, COUNT, "turns of the final round so far"),
    MEASURED(wall_s, AMOUNT, "time spent on it", ROUNDED),
    MEASURED(verify_s, AMOUNT, "of it comparing with the reference", ROUNDED),
    MEASURED(busy_s, REAL, "of it the GPU ran what is verified and measured", ROUNDED),
    LIST(rft_measurement, "samples", samples_s, n, REALS, "one run of the point, in the order taken", .unit = "s",
         .range = {RFT_SAMPLE_MIN_S, RFT_SAMPLE_MAX_S}, .flags = RFT_FIELD_UNRECORDED),
    LIST(rft_measurement, "clocks", clocks_mhz, n, BESIDE, "SM clock of each sample", .unit = "MHz",
         UP_TO(RFT_CLOCK_MAX_MHZ), .flags = RFT_FIELD_UNRECORDED),
    LIST(rft_measurement, "steps", step_s, step_count, REALS, "final round: median of each launch alone", .unit = "s",
         UP_TO(RFT_SAMPLE_MAX_S), .flags = RFT_FIELD_UNRECORDED),
    LIST(rft_measurement, "process_n", process_n, process_count, COUNTS,
         "final round: samples of each device process, in the order taken"),
    MEASURED(recorded_s, REAL, "the one time that another tuner tells of its samples"),
    MEASURED(recorded_flop_s, REAL, "rate that another tuner recorded, by its own count of operations",
             .unit = "FLOP/s", .flags = SHOWN),
    MEASURED(recorded_bytes_s, REAL, "rate that another tuner recorded, by its own count of bytes", .unit = "B/s",
             .flags = SHOWN),
};
const rft_fields rft_fields_measurement = TABLE(measurement);

#define LOAD(member, kind, ...) FIELD(rft_load, member, kind, __VA_ARGS__)
#define DEGREES ROUNDED, .range = {-1000, 1e6}
#define THROTTLED(name, text, words)                                                                                   \
    NAMED(rft_load, "throttled_" text "_frac", throttled_frac[RFT_THROTTLE_##name], REAL,                              \
          "share of the window that the clock was held down: " words, ROUNDED),
static const rft_field load_items[] = {
    LOAD(kind, LOAD_KIND, "energy: about a second; soak: as long as asked; idle: nothing was launched",
         .flags = RFT_FIELD_UNRECORDED),
    LOAD(reason, TEXT, "why nothing of it is known"),
    LOAD(asked_s, REAL, "it was to last so long; 0: all of it was left out", ROUNDED),
    LOAD(window_s, REAL, "what is told was seen in the last so many seconds", ROUNDED),
    LOAD(runs, UINT64, "of the point, in the window"),
    LOAD(run_s, REAL, "window over runs", ROUNDED),
    LOAD(restored, BOOL, "inouts were copied back before each run"),
    LOAD(cut, BOOL, "it was ended before its time", .flags = RFT_FIELD_UNSTORED | RFT_FIELD_UNRECORDED),
    LOAD(source, TEXT, "the sensor"),
    LOAD(energy_reason, TEXT, "why there is none"),
    LOAD(power_w, REAL, "drawn by the whole card", ROUNDED | CSV),
    LOAD(joules_per_run, REAL, "energy of one run of the point", ROUNDED | CSV, .unit = "J"),
    LOAD(uncertainty_frac, REAL, "half width of both", ROUNDED),
    LOAD(update_s, REAL, "between two updates of the sensor", ROUNDED),
    LOAD(temperature_start_c, REAL, "when the window began", DEGREES),
    LOAD(temperature_end_c, REAL, "when it ended", DEGREES),
    LOAD(clock_mhz, REAL, "median SM clock", ROUNDED),
    RFT_THROTTLE_MAP(THROTTLED) /* */
    NAMED(rft_load, "sustained_n", stats.n, SIZE, "the last so many samples of a soak count",
          .flags = RFT_FIELD_UNRECORDED),
    NAMED(rft_load, "sustained_s", stats.median, REAL, "their median", .flags = RFT_FIELD_UNRECORDED),
    LIST(rft_load, "samples", samples_s, n, REALS, "of a soak, as those of a measurement", .unit = "s",
         .range = {RFT_SAMPLE_MIN_S, RFT_SAMPLE_MAX_S}, .flags = RFT_FIELD_UNRECORDED),
    LIST(rft_load, "at", at_s, n, BESIDE, "when each was taken, from the beginning", .unit = "s",
         UP_TO(RFT_SAMPLE_MAX_S), .flags = RFT_FIELD_UNRECORDED),
    LIST(rft_load, "clocks", clocks_mhz, n, BESIDE, "SM clock of each", .unit = "MHz", UP_TO(RFT_CLOCK_MAX_MHZ),
         .flags = RFT_FIELD_UNRECORDED),
};
const rft_fields rft_fields_load = TABLE(load);

#define COUNTER(member, kind, ...) FIELD(rft_counter_raw, member, kind, __VA_ARGS__)
static const rft_field counter_items[] = {
    COUNTER(name, NAME, "names with __ are CUPTI's own"),
    COUNTER(value, REAL, "what was counted"),
    COUNTER(reason, TEXT, "why there is none"),
};
const rft_fields rft_fields_counter = TABLE(counter);

#define REFERENCE(member, kind, ...) FIELD(rft_reference, member, kind, __VA_ARGS__)
static const rft_field reference_items[] = {
    REFERENCE(sweep, SIZE, "index of the sweep"),
    REFERENCE(problem, SIZE, "index of the problem"),
    REFERENCE(point, INT64, "the reference: what was measured again"),
    REFERENCE(after_point, INT64, "behind which point"),
    REFERENCE(time_s, REAL, "when, from the run's beginning", ROUNDED),
    REFERENCE(n, SIZE, "samples"),
    REFERENCE(median, REAL, "null: it failed", .unit = "s", ROUNDED),
    REFERENCE(low, REAL, "lower end of the median's interval", .unit = "s", ROUNDED),
    REFERENCE(high, REAL, "upper end", .unit = "s", ROUNDED),
    REFERENCE(clock_mhz, REAL, "median SM clock", ROUNDED),
};
const rft_fields rft_fields_reference = TABLE(reference);

#define BASELINE(member, kind, ...) FIELD(rft_baseline, member, kind, __VA_ARGS__)
static const rft_field baseline_items[] = {
    BASELINE(sweep, SIZE, "index of the sweep"),
    BASELINE(problem, SIZE, "index of the problem"),
    BASELINE(name, NAME, "what it is called"),
    BASELINE(which, NAME, "best and first of the library's list; given: imported"),
    NAMED(rft_baseline, "protocol", same_protocol, PROTOCOL, "same: measured in this run, as its points are; other"),
    BASELINE(tried, COUNT, "algorithms of the list that were timed"),
    BASELINE(outcome, OUTCOME, "what became of it"),
    BASELINE(reason, TEXT, "why it is not ok"),
    BASELINE(library, TEXT, "with its version"),
    NAMED(rft_baseline, "algorithm", algo, TEXT, "which of the library's"),
    BASELINE(algo_at, KNOWN, "its place in the library's list, from 0"),
    BASELINE(source, TEXT, "imported: where it is from"),
};
const rft_fields rft_fields_baseline = TABLE(baseline);

#define WORK(name, member, kind, ...) NAMED(rft_work, name, member, kind, __VA_ARGS__)
#define WORK_PIPE(name, text, label, ...)                                                                              \
    WORK("work_" text, pipe_ops[RFT_PIPE_##name], AMOUNT, label ": operations anyone must do"),
static const rft_field work_items[] = {
    WORK("work_bytes_read", bytes_read, AMOUNT, "anyone must read", .unit = "B"),
    WORK("work_bytes_written", bytes_written, AMOUNT, "anyone must write", .unit = "B"),
    WORK("work_items", items, AMOUNT, "of the script's own kind"),
    WORK("work_item_name", item_name, TEXT, "which kind"), RFT_PIPE_MAP(WORK_PIPE)};
const rft_fields rft_fields_work = TABLE(work);

#define TRAFFIC(name, member, kind, ...) NAMED(rft_traffic, name, member, kind, __VA_ARGS__)
#define TRAFFIC_LEVEL(name, text, label)                                                                               \
    TRAFFIC("traffic_" text, level_bytes[RFT_LEVEL_##name], REAL, "moved through: " label, .unit = "B"),
#define TRAFFIC_PIPE(name, text, label, ...)                                                                           \
    TRAFFIC("traffic_" text, pipe_ops[RFT_PIPE_##name], REAL, label ": operations it does"),
static const rft_field traffic_items[] = {
    TRAFFIC("traffic_present", present, BOOL, "the script says what this configuration moves:"),
    TRAFFIC("traffic_evidence", evidence, EVIDENCE, "modelled or counted"),
    TRAFFIC("traffic_dram_read_frac", dram_read_frac, REAL, "share of device memory's bytes that are read"),
    TRAFFIC("traffic_warp_instructions", warp_instructions, REAL, "executed"),
    RFT_LEVEL_MAP(TRAFFIC_LEVEL) RFT_PIPE_MAP(TRAFFIC_PIPE)};
const rft_fields rft_fields_traffic = TABLE(traffic);

const rft_fields *const rft_fields_all[RFT_FIELDS_COUNT] = {
    &rft_fields_info,    &rft_fields_gpu,          &rft_fields_ceiling,     &rft_fields_stats,
    &rft_fields_sweep,   &rft_fields_measure_opts, &rft_fields_search_opts, &rft_fields_axis,
    &rft_fields_problem, &rft_fields_variant,      &rft_fields_param,       &rft_fields_point,
    &rft_fields_facts,   &rft_fields_verification, &rft_fields_measurement, &rft_fields_load,
    &rft_fields_counter, &rft_fields_reference,    &rft_fields_baseline,    &rft_fields_work,
    &rft_fields_traffic};
