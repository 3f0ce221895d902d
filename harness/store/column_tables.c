/* SPDX-License-Identifier: Apache-2.0 */
/* column_tables.c - which fields there are (column.h). A change here is a change of schema: schema.sql, query.sql and
 * RFT_STORE_SCHEMA follow; tests/store compares the names. */
#include "model/run/run.h"
#include "store/column.h"

#include <math.h>

#define COLUMN(type, name_, kind_, member)                                                                             \
    { .name = (name_), .kind = RFT_COLUMN_##kind_, .offset = offsetof(type, member) }
#define ROUNDED(type, name_, kind_, member)                                                                            \
    { .name = (name_), .kind = RFT_COLUMN_##kind_, .rounded = true, .offset = offsetof(type, member) }
#define WITHIN(type, name_, kind_, member, low_, high_)                                                                \
    {                                                                                                                  \
        .name = (name_), .kind = RFT_COLUMN_##kind_, .offset = offsetof(type, member), .range = {(low_), (high_) }     \
    }
#define TIB (1024.0 * 1024 * 1024 * 1024)
#define TABLE(name)                                                                                                    \
    { name, sizeof(name) / sizeof((name)[0]) }

#define INFO(member, kind) COLUMN(rft_run_info, #member, kind, member)
static const rft_column info[] = {INFO(id, NAME),
                                  INFO(tool_version, NAME),
                                  INFO(tool_revision, NAME),
                                  INFO(command, NAME),
                                  INFO(started_unix_ns, INT64),
                                  INFO(finished_unix_ns, INT64),
                                  INFO(seed, UINT64),
                                  INFO(replay_of, TEXT),
                                  INFO(replay_path, TEXT),
                                  INFO(replay_started_unix_ns, INT64),
                                  INFO(recompiled, UINT64),
                                  INFO(recompiled_same, UINT64),
                                  ROUNDED(rft_run_info, "elapsed_s", REAL, elapsed_s),
                                  ROUNDED(rft_run_info, "busy_s", REAL, busy_s),
                                  ROUNDED(rft_run_info, "compile_s", REAL, compile_s)};
const rft_columns rft_columns_info = TABLE(info);

#define GPU(member, kind) COLUMN(rft_gpu_info, #member, kind, member)
#define GPU_AS(name, member, kind, most) WITHIN(rft_gpu_info, name, kind, member, 0, most)
#define GPU_TO(member, kind, most) GPU_AS(#member, member, kind, most)
/* 0 is not known, as in what was read from other tuners' files. */
static const rft_column gpu[] = {GPU(name, NAME),
                                 GPU(arch, NAME),
                                 GPU(uuid, NAME),
                                 GPU(pci_id, NAME),
                                 GPU_TO(cc_major, INT, 99),
                                 GPU_TO(cc_minor, INT, 99),
                                 GPU_TO(sms, INT, 65536),
                                 GPU_TO(warp_size, INT, 1024),
                                 GPU_TO(max_threads_per_block, INT, 65536),
                                 GPU_TO(max_threads_per_sm, INT, 65536),
                                 GPU_TO(max_blocks_per_sm, INT, 65536),
                                 GPU_TO(registers_per_block, INT, 1 << 24),
                                 GPU_TO(registers_per_sm, INT, 1 << 24),
                                 GPU_TO(shared_per_block, INT64, TIB),
                                 GPU_TO(shared_per_block_static, INT64, TIB),
                                 GPU_TO(shared_per_sm, INT64, TIB),
                                 GPU_TO(l2_bytes, INT64, TIB),
                                 GPU_TO(persisting_l2_max_bytes, INT64, TIB),
                                 GPU_TO(memory_bytes, INT64, 1024 * TIB),
                                 GPU_TO(memory_free_bytes, INT64, 1024 * TIB),
                                 GPU_AS("max_grid_x", max_grid[0], INT64, INT32_MAX),
                                 GPU_AS("max_grid_y", max_grid[1], INT64, INT32_MAX),
                                 GPU_AS("max_grid_z", max_grid[2], INT64, INT32_MAX),
                                 GPU_AS("max_block_x", max_block[0], INT, 65536),
                                 GPU_AS("max_block_y", max_block[1], INT, 65536),
                                 GPU_AS("max_block_z", max_block[2], INT, 65536),
                                 GPU_TO(max_cluster, INT, 65536),
                                 GPU(cooperative, BOOL),
                                 GPU(sm_clock_khz, INT),
                                 GPU(memory_clock_khz, INT),
                                 GPU_TO(memory_bus_bits, INT, 1 << 20),
                                 GPU(driver_version, INT),
                                 GPU(representative, BOOL)};
const rft_columns rft_columns_gpu = TABLE(gpu);

#define CEILING(member, kind) COLUMN(rft_ceiling, #member, kind, member)
#define SUSTAINED(member, kind) COLUMN(rft_ceiling, "sustained_" #member, kind, sustained.member)
static const rft_column ceiling[] = {CEILING(measured, BOOL),
                                     CEILING(reason, TEXT),
                                     CEILING(kernel, TEXT),
                                     CEILING(clock_mhz, REAL),
                                     CEILING(datasheet, REAL),
                                     CEILING(datasheet_basis, TEXT),
                                     COLUMN(rft_ceiling, "hardware_limit", REAL, limit),
                                     CEILING(limit_basis, TEXT),
                                     CEILING(at_least, FLAG),
                                     CEILING(measured_unix_ns, COUNT64),
                                     CEILING(sustained_clock_mhz, REAL),
                                     SUSTAINED(n, LENGTH),
                                     SUSTAINED(min, REAL),
                                     SUSTAINED(q1, REAL),
                                     SUSTAINED(median, REAL),
                                     SUSTAINED(q3, REAL),
                                     SUSTAINED(max, REAL),
                                     SUSTAINED(mean, REAL),
                                     SUSTAINED(low, REAL),
                                     SUSTAINED(high, REAL),
                                     SUSTAINED(interval_is_95, FLAG),
                                     SUSTAINED(iqr_frac, REAL)};
const rft_columns rft_columns_ceiling = TABLE(ceiling);

#define STATS(member, kind) COLUMN(rft_stats, #member, kind, member)
static const rft_column stats[] = {
    STATS(n, SIZE),       STATS(min, REAL),  STATS(q1, REAL),  STATS(median, REAL), STATS(q3, REAL),
    STATS(max, REAL),     STATS(mean, REAL), STATS(low, REAL), STATS(high, REAL),   STATS(interval_is_95, BOOL),
    STATS(iqr_frac, REAL)};
const rft_columns rft_columns_stats = TABLE(stats);

#define SWEEP(member, kind) COLUMN(rft_sweep, #member, kind, member)
#define SWEEP_AS(name, member, kind) COLUMN(rft_sweep, name, kind, member)
static const rft_column sweep[] = {SWEEP(name, NAME),
                                   SWEEP(path, NAME),
                                   SWEEP(script_hash, NAME),
                                   SWEEP(bare_space, BOOL),
                                   SWEEP(item_name, TEXT),
                                   SWEEP_AS("cache", measure.cache, CACHE),
                                   SWEEP_AS("compile_timeout_s", measure.compile_timeout_s, REAL),
                                   SWEEP_AS("point_timeout_s", measure.point_timeout_s, REAL),
                                   SWEEP_AS("min_samples", measure.min_samples, INT),
                                   SWEEP_AS("max_samples", measure.max_samples, INT),
                                   SWEEP_AS("noise_frac", measure.noise_frac, REAL),
                                   SWEEP_AS("max_seconds", measure.max_seconds, REAL),
                                   SWEEP_AS("min_seconds", measure.min_seconds, AMOUNT),
                                   SWEEP_AS("input_seed", measure.seed, UINT64),
                                   SWEEP_AS("no_race", measure.no_race, FLAG),
                                   SWEEP_AS("strategy", search.strategy, NAME),
                                   SWEEP_AS("budget_s", search.budget_s, REAL),
                                   SWEEP_AS("budget_points", search.budget_points, UINT64),
                                   SWEEP_AS("search_seed", search.seed, UINT64),
                                   SWEEP_AS("search_seed_given", search.seed_given, BOOL),
                                   SWEEP_AS("budget_gpu_s", search.budget_gpu_s, AMOUNT),
                                   SWEEP_AS("goal_frac", search.goal_frac, AMOUNT),
                                   SWEEP_AS("objective", search.objective, OBJECTIVE)};
const rft_columns rft_columns_sweep = TABLE(sweep);

#define AXIS(member, kind) COLUMN(rft_axis, #member, kind, member)
static const rft_column axis[] = {AXIS(name, NAME), AXIS(swept, BOOL), AXIS(along, BOOL), AXIS(compiled, BOOL),
                                  WITHIN(rft_axis, "refine_depth", INT, refine_depth, 0, RFT_REFINED_MAX)};
const rft_columns rft_columns_axis = TABLE(axis);

#define VARIANT(member, kind) COLUMN(rft_variant, #member, kind, member)
static const rft_column variant[] = {VARIANT(name, NAME), VARIANT(kernel, NAME), VARIANT(source, NAME),
                                     VARIANT(entry, NAME)};
const rft_columns rft_columns_variant = TABLE(variant);

#define PARAM(member, kind) COLUMN(rft_param, #member, kind, member)
static const rft_column param[] = {PARAM(name, NAME), PARAM(help, NAME), PARAM(in_entry, BOOL)};
const rft_columns rft_columns_param = TABLE(param);

#define POINT(member, kind) COLUMN(rft_point, #member, kind, member)
/* As far as launch() may go: a configuration that exceeds the device is a point, too. */
#define POINT_TO(name, member, most) WITHIN(rft_point, name, INT64, member, 0, most)
static const rft_column point[] = {POINT(id, INT64),
                                   POINT(sweep, SIZE),
                                   POINT(variant, SIZE),
                                   POINT(problem, SIZE),
                                   POINT(outcome, OUTCOME),
                                   POINT(reason, TEXT),
                                   POINT(log, TEXT),
                                   POINT(alias_of, INT64),
                                   POINT(workers_lost, COUNT),
                                   POINT(is_default, BOOL),
                                   POINT(transferred, FLAG),
                                   POINT(has_launch, BOOL),
                                   POINT_TO("grid_x", grid[0], TIB),
                                   POINT_TO("grid_y", grid[1], TIB),
                                   POINT_TO("grid_z", grid[2], TIB),
                                   POINT_TO("block_x", block[0], 1 << 20),
                                   POINT_TO("block_y", block[1], 1 << 20),
                                   POINT_TO("block_z", block[2], 1 << 20)};
const rft_columns rft_columns_point = TABLE(point);

#define FACTS(member, kind) COLUMN(rft_facts, #member, kind, member)
static const rft_column facts[] = {WITHIN(rft_facts, "registers", KNOWN, registers, 0, 1 << 16),
                                   FACTS(spill_bytes, KNOWN),
                                   FACTS(stack_bytes, KNOWN),
                                   WITHIN(rft_facts, "shared_static_bytes", BYTES, shared_static_bytes, 0, TIB),
                                   WITHIN(rft_facts, "shared_dynamic_bytes", BYTES, shared_dynamic_bytes, 0, TIB),
                                   WITHIN(rft_facts, "blocks_per_sm", KNOWN, blocks_per_sm, 0, 1 << 16),
                                   FACTS(occupancy_frac, REAL),
                                   FACTS(waves, REAL),
                                   FACTS(cubin_hash, TEXT),
                                   ROUNDED(rft_facts, "compile_s", REAL, compile_s),
                                   FACTS(from_cache, BOOL)};
const rft_columns rft_columns_facts = TABLE(facts);

/* What a kernel computed may be anything. */
#define VERIFIED(name, member, kind) WITHIN(rft_verification, name, kind, member, -INFINITY, INFINITY)
static const rft_column verification[] = {VERIFIED("verified", done, BOOL),
                                          VERIFIED("tol", tol, REAL),
                                          VERIFIED("worst_frac", worst_frac, REAL),
                                          VERIFIED("worst_abs_error", worst_abs_error, REAL),
                                          VERIFIED("worst_got", got, REAL),
                                          VERIFIED("worst_want", want, REAL),
                                          VERIFIED("worst_buffer", buffer, TEXT),
                                          VERIFIED("worst_index", index, UINT64),
                                          VERIFIED("wrong_count", wrong_count, UINT64),
                                          VERIFIED("total_count", total_count, UINT64)};
const rft_columns rft_columns_verification = TABLE(verification);

#define MEASURED(member, kind) ROUNDED(rft_measurement, #member, kind, member)
static const rft_column measurement[] = {
    MEASURED(stop, STOP),          MEASURED(cache, CACHE),     MEASURED(clock_mhz, REAL),
    MEASURED(wall_s, REAL),        MEASURED(verify_s, REAL),   MEASURED(busy_s, REAL),
    MEASURED(batch, COUNT),        MEASURED(floor_s, REAL),    MEASURED(attempts, COUNT),
    MEASURED(affected_frac, REAL), MEASURED(steady_mhz, REAL), MEASURED(throttle_cause, TEXT),
    MEASURED(throttle_note, TEXT), MEASURED(turns, COUNT)};
const rft_columns rft_columns_measurement = TABLE(measurement);

#define REFERENCE(member, kind) ROUNDED(rft_reference, #member, kind, member)
static const rft_column reference[] = {REFERENCE(sweep, SIZE),        REFERENCE(problem, SIZE), REFERENCE(point, INT64),
                                       REFERENCE(after_point, INT64), REFERENCE(time_s, REAL),  REFERENCE(n, SIZE),
                                       REFERENCE(median, REAL),       REFERENCE(low, REAL),     REFERENCE(high, REAL),
                                       REFERENCE(clock_mhz, REAL)};
const rft_columns rft_columns_reference = TABLE(reference);

#define LOAD(member, kind) ROUNDED(rft_load, #member, kind, member)
#define DEGREES(member)                                                                                                \
    {                                                                                                                  \
        .name = #member, .kind = RFT_COLUMN_REAL, .rounded = true, .offset = offsetof(rft_load, member), .range = {    \
            -1000,                                                                                                     \
            1e6                                                                                                        \
        }                                                                                                              \
    }
#define THROTTLED(name, text, words)                                                                                   \
    ROUNDED(rft_load, "throttled_" text "_frac", REAL, throttled_frac[RFT_THROTTLE_##name]),
static const rft_column load[] = {LOAD(reason, TEXT),
                                  LOAD(asked_s, REAL),
                                  LOAD(window_s, REAL),
                                  LOAD(runs, UINT64),
                                  LOAD(run_s, REAL),
                                  LOAD(restored, BOOL),
                                  LOAD(source, TEXT),
                                  LOAD(energy_reason, TEXT),
                                  LOAD(power_w, REAL),
                                  LOAD(joules_per_run, REAL),
                                  LOAD(uncertainty_frac, REAL),
                                  LOAD(update_s, REAL),
                                  DEGREES(temperature_start_c),
                                  DEGREES(temperature_end_c),
                                  LOAD(clock_mhz, REAL),
                                  RFT_THROTTLE_MAP(THROTTLED)};
const rft_columns rft_columns_load = TABLE(load);

#define WORK(name, member, kind) COLUMN(rft_work, name, kind, member)
static const rft_column work[] = {WORK("work_bytes_read", bytes_read, AMOUNT),
                                  WORK("work_bytes_written", bytes_written, AMOUNT), WORK("work_items", items, AMOUNT),
                                  WORK("work_item_name", item_name, TEXT),
#define WORK_PIPE(name, text, ...) WORK("work_" text, pipe_ops[RFT_PIPE_##name], AMOUNT),
                                  RFT_PIPE_MAP(WORK_PIPE)};
const rft_columns rft_columns_work = TABLE(work);

#define TRAFFIC(name, member, kind) COLUMN(rft_traffic, name, kind, member)
static const rft_column traffic[] = {TRAFFIC("traffic_present", present, BOOL),
                                     TRAFFIC("traffic_evidence", evidence, EVIDENCE),
                                     TRAFFIC("traffic_dram_read_frac", dram_read_frac, REAL),
                                     TRAFFIC("traffic_warp_instructions", warp_instructions, REAL),
#define TRAFFIC_LEVEL(name, text, label) TRAFFIC("traffic_" text, level_bytes[RFT_LEVEL_##name], REAL),
                                     RFT_LEVEL_MAP(TRAFFIC_LEVEL)
#define TRAFFIC_PIPE(name, text, ...) TRAFFIC("traffic_" text, pipe_ops[RFT_PIPE_##name], REAL),
                                         RFT_PIPE_MAP(TRAFFIC_PIPE)};
const rft_columns rft_columns_traffic = TABLE(traffic);
