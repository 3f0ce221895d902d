-- SPDX-License-Identifier: Apache-2.0
-- The statements of the store. Each begins with "-- name: NAME" and ends where the next one begins. Parameters and
-- columns come in the order of the tables in column_tables.c; store_sqlite.c checks the names as it binds.

-- name: put_info
INSERT INTO run (
  only_row, id, tool_version, tool_revision, command, started_unix_ns, finished_unix_ns, seed, replay_of, replay_path,
  replay_started_unix_ns, recompiled, recompiled_same, elapsed_s, busy_s, compile_s
) VALUES (
  1, :id, :tool_version, :tool_revision, :command, :started_unix_ns, :finished_unix_ns, :seed, :replay_of,
  :replay_path, :replay_started_unix_ns, :recompiled, :recompiled_same, :elapsed_s, :busy_s, :compile_s
);

-- name: put_gpu
INSERT INTO gpu (
  only_row, name, arch, uuid, pci_id, cc_major, cc_minor, sms, warp_size, max_threads_per_block, max_threads_per_sm,
  max_blocks_per_sm, registers_per_block, registers_per_sm, shared_per_block, shared_per_block_static, shared_per_sm,
  l2_bytes, persisting_l2_max_bytes, memory_bytes, memory_free_bytes, max_grid_x, max_grid_y, max_grid_z, max_block_x,
  max_block_y, max_block_z, max_cluster, cooperative, sm_clock_khz, memory_clock_khz, memory_bus_bits, driver_version,
  representative
) VALUES (
  1, :name, :arch, :uuid, :pci_id, :cc_major, :cc_minor, :sms, :warp_size, :max_threads_per_block,
  :max_threads_per_sm, :max_blocks_per_sm, :registers_per_block, :registers_per_sm, :shared_per_block,
  :shared_per_block_static, :shared_per_sm, :l2_bytes, :persisting_l2_max_bytes, :memory_bytes, :memory_free_bytes,
  :max_grid_x, :max_grid_y, :max_grid_z, :max_block_x, :max_block_y, :max_block_z, :max_cluster, :cooperative,
  :sm_clock_khz, :memory_clock_khz, :memory_bus_bits, :driver_version, :representative
);

-- name: put_env
INSERT INTO env (
  position, key, value, reason
) VALUES (
  :position, :key, :value, :reason
);

-- name: put_ceiling
INSERT OR REPLACE INTO ceiling (
  name, measured, reason, kernel, clock_mhz, datasheet, datasheet_basis, hardware_limit, limit_basis, at_least,
  measured_unix_ns, sustained_clock_mhz, sustained_n, sustained_min, sustained_q1, sustained_median, sustained_q3,
  sustained_max, sustained_mean, sustained_low, sustained_high, sustained_interval_is_95, sustained_iqr_frac, n,
  min, q1, median, q3, max, mean, low, high, interval_is_95, iqr_frac
) VALUES (
  :name, :measured, :reason, :kernel, :clock_mhz, :datasheet, :datasheet_basis, :hardware_limit, :limit_basis,
  :at_least, :measured_unix_ns, :sustained_clock_mhz, :sustained_n, :sustained_min, :sustained_q1,
  :sustained_median, :sustained_q3, :sustained_max, :sustained_mean, :sustained_low, :sustained_high,
  :sustained_interval_is_95, :sustained_iqr_frac, :n, :min, :q1, :median, :q3, :max, :mean, :low, :high,
  :interval_is_95, :iqr_frac
);

-- name: put_sweep
INSERT INTO sweep (
  sweep, name, path, script_hash, bare_space, item_name, cache, compile_timeout_s, point_timeout_s, min_samples,
  max_samples, noise_frac, max_seconds, min_seconds, input_seed, no_race, strategy, budget_s, budget_points, search_seed,
  search_seed_given, budget_gpu_s, goal_frac, objective, baselines, unexplored
) VALUES (
  :sweep, :name, :path, :script_hash, :bare_space, :item_name, :cache, :compile_timeout_s, :point_timeout_s,
  :min_samples, :max_samples, :noise_frac, :max_seconds, :min_seconds, :input_seed, :no_race, :strategy, :budget_s, :budget_points,
  :search_seed, :search_seed_given, :budget_gpu_s, :goal_frac, :objective, :baselines, :unexplored
) ON CONFLICT (sweep) DO UPDATE SET -- a later session may ask for more
  compile_timeout_s = excluded.compile_timeout_s, point_timeout_s = excluded.point_timeout_s,
  min_seconds = excluded.min_seconds, no_race = excluded.no_race, budget_s = excluded.budget_s,
  budget_points = excluded.budget_points, budget_gpu_s = excluded.budget_gpu_s, goal_frac = excluded.goal_frac;

-- name: put_axis
INSERT INTO axis (
  sweep, axis, name, swept, along, compiled, refine_depth, axis_values
) VALUES (
  :sweep, :axis, :name, :swept, :along, :compiled, :refine_depth, :axis_values
);

-- name: put_problem
INSERT INTO problem (
  sweep, problem, odd, problem_values, refined
) VALUES (
  :sweep, :problem, :odd, :problem_values, :refined
);

-- name: put_variant
INSERT INTO variant (
  sweep, variant, name, kernel, source, entry
) VALUES (
  :sweep, :variant, :name, :kernel, :source, :entry
);

-- name: put_param
INSERT INTO param (
  sweep, variant, param, name, help, in_entry, default_value, param_values
) VALUES (
  :sweep, :variant, :param, :name, :help, :in_entry, :default_value, :param_values
);

-- name: put_constraint
INSERT INTO space_constraint (
  sweep, variant, position, text, params, axes
) VALUES (
  :sweep, :variant, :position, :text, :params, :axes
);

-- name: put_space
INSERT INTO space (
  sweep, variant, problem, cartesian, valid
) VALUES (
  :sweep, :variant, :problem, :cartesian, :valid
);

-- name: put_point
INSERT OR REPLACE INTO point (
  id, sweep, variant, problem, outcome, reason, log, alias_of, workers_lost, is_default, transferred, has_launch, grid_x, grid_y,
  grid_z, block_x, block_y, block_z, config, registers, spill_bytes, stack_bytes, shared_static_bytes,
  shared_dynamic_bytes, blocks_per_sm, occupancy_frac, waves, cubin_hash, compile_s, from_cache, verified, tol,
  worst_frac, worst_abs_error, worst_got, worst_want, worst_buffer, worst_index, wrong_count, total_count,
  work_bytes_read, work_bytes_written, work_items, work_item_name, work_fp64, work_fp32, work_fp16, work_sfu,
  work_int32, work_tensor_fp64, work_tensor_tf32, work_tensor_bf16, work_tensor_fp16, work_tensor_fp8,
  work_tensor_int8, traffic_present, traffic_evidence, traffic_dram_read_frac, traffic_warp_instructions,
  traffic_dram, traffic_l2, traffic_l1, traffic_shared, traffic_fp64, traffic_fp32, traffic_fp16, traffic_sfu,
  traffic_int32, traffic_tensor_fp64, traffic_tensor_tf32, traffic_tensor_bf16, traffic_tensor_fp16,
  traffic_tensor_fp8, traffic_tensor_int8, steps
) VALUES (
  :id, :sweep, :variant, :problem, :outcome, :reason, :log, :alias_of, :workers_lost, :is_default, :transferred, :has_launch,
  :grid_x, :grid_y, :grid_z, :block_x, :block_y, :block_z, :config, :registers, :spill_bytes, :stack_bytes,
  :shared_static_bytes, :shared_dynamic_bytes, :blocks_per_sm, :occupancy_frac, :waves, :cubin_hash, :compile_s,
  :from_cache, :verified, :tol, :worst_frac, :worst_abs_error, :worst_got, :worst_want, :worst_buffer, :worst_index,
  :wrong_count, :total_count, :work_bytes_read, :work_bytes_written, :work_items, :work_item_name, :work_fp64,
  :work_fp32, :work_fp16, :work_sfu, :work_int32, :work_tensor_fp64, :work_tensor_tf32, :work_tensor_bf16,
  :work_tensor_fp16, :work_tensor_fp8, :work_tensor_int8, :traffic_present, :traffic_evidence,
  :traffic_dram_read_frac, :traffic_warp_instructions, :traffic_dram, :traffic_l2, :traffic_l1, :traffic_shared,
  :traffic_fp64, :traffic_fp32, :traffic_fp16, :traffic_sfu, :traffic_int32, :traffic_tensor_fp64,
  :traffic_tensor_tf32, :traffic_tensor_bf16, :traffic_tensor_fp16, :traffic_tensor_fp8, :traffic_tensor_int8, :steps
);

-- name: put_measurement
INSERT OR REPLACE INTO measurement (
  point, round, stop, cache, clock_mhz, wall_s, verify_s, busy_s, batch, floor_s, attempts, affected_frac, steady_mhz,
  throttle_cause, throttle_note, turns, n, min, q1, median, q3, max, mean, low, high, interval_is_95, iqr_frac,
  samples, clocks, steps
) VALUES (
  :point, :round, :stop, :cache, :clock_mhz, :wall_s, :verify_s, :busy_s, :batch, :floor_s, :attempts, :affected_frac,
  :steady_mhz, :throttle_cause, :throttle_note, :turns, :n, :min, :q1, :median, :q3, :max, :mean, :low, :high,
  :interval_is_95, :iqr_frac, :samples, :clocks, :steps
);

-- name: put_reference
INSERT OR REPLACE INTO reference (
  position, sweep, problem, point, after_point, time_s, n, median, low, high, clock_mhz
) VALUES (
  :position, :sweep, :problem, :point, :after_point, :time_s, :n, :median, :low, :high, :clock_mhz
);

-- name: drop_measurements
DELETE FROM measurement WHERE point = :point;

-- name: drop_counters
DELETE FROM counter WHERE point = :point;

-- name: put_counter
INSERT OR REPLACE INTO counter (
  point, name, value, reason, passes
) VALUES (
  :point, :name, :value, :reason, :passes
);

-- name: put_load
INSERT OR REPLACE INTO load (
  point, kind, reason, asked_s, window_s, runs, run_s, restored, source, energy_reason, power_w, joules_per_run,
  uncertainty_frac, update_s, temperature_start_c, temperature_end_c, clock_mhz, throttled_power_cap_frac,
  throttled_sync_boost_frac, throttled_sw_thermal_frac, throttled_hw_thermal_frac, throttled_power_brake_frac,
  sustained_n, sustained_s, samples, at, clocks
) VALUES (
  :point, :kind, :reason, :asked_s, :window_s, :runs, :run_s, :restored, :source, :energy_reason, :power_w,
  :joules_per_run, :uncertainty_frac, :update_s, :temperature_start_c, :temperature_end_c, :clock_mhz,
  :throttled_power_cap_frac, :throttled_sync_boost_frac, :throttled_sw_thermal_frac, :throttled_hw_thermal_frac,
  :throttled_power_brake_frac, :sustained_n, :sustained_s, :samples, :at, :clocks
);

-- name: put_baseline
INSERT OR REPLACE INTO baseline (
  sweep, problem, name, which, protocol, tried, outcome, reason, library, algorithm, source, stop, cache, batch, floor_s,
  clock_mhz, wall_s, verify_s, busy_s, verified, tol, worst_frac, worst_abs_error, worst_got, worst_want, worst_buffer,
  worst_index, wrong_count, total_count, n, min, q1, median, q3, max, mean, low, high, interval_is_95, iqr_frac, samples,
  clocks
) VALUES (
  :sweep, :problem, :name, :which, :protocol, :tried, :outcome, :reason, :library, :algorithm, :source, :stop,
  :cache, :batch, :floor_s, :clock_mhz, :wall_s, :verify_s, :busy_s, :verified, :tol, :worst_frac, :worst_abs_error,
  :worst_got, :worst_want, :worst_buffer, :worst_index, :wrong_count, :total_count, :n, :min, :q1, :median, :q3,
  :max, :mean, :low, :high, :interval_is_95, :iqr_frac, :samples, :clocks
);

-- name: begin
BEGIN IMMEDIATE;

-- name: commit
COMMIT;

-- name: put_unexplored
UPDATE sweep SET unexplored = :unexplored WHERE sweep = :sweep;

-- name: finish
UPDATE run SET finished_unix_ns = :finished_unix_ns, recompiled = :recompiled, recompiled_same = :recompiled_same,
  elapsed_s = :elapsed_s, busy_s = :busy_s, compile_s = :compile_s;

-- name: get_info
SELECT
  id, tool_version, tool_revision, command, started_unix_ns, finished_unix_ns, seed, replay_of, replay_path,
  replay_started_unix_ns, recompiled, recompiled_same, elapsed_s, busy_s, compile_s
FROM run;

-- name: get_gpu
SELECT
  name, arch, uuid, pci_id, cc_major, cc_minor, sms, warp_size, max_threads_per_block, max_threads_per_sm,
  max_blocks_per_sm, registers_per_block, registers_per_sm, shared_per_block, shared_per_block_static, shared_per_sm,
  l2_bytes, persisting_l2_max_bytes, memory_bytes, memory_free_bytes, max_grid_x, max_grid_y, max_grid_z, max_block_x,
  max_block_y, max_block_z, max_cluster, cooperative, sm_clock_khz, memory_clock_khz, memory_bus_bits, driver_version,
  representative
FROM gpu;

-- name: get_env
SELECT
  position, key, value, reason
FROM env ORDER BY position;

-- name: get_ceilings
SELECT
  name, measured, reason, kernel, clock_mhz, datasheet, datasheet_basis, hardware_limit, limit_basis, at_least,
  measured_unix_ns, sustained_clock_mhz, sustained_n, sustained_min, sustained_q1, sustained_median, sustained_q3,
  sustained_max, sustained_mean, sustained_low, sustained_high, sustained_interval_is_95, sustained_iqr_frac, n,
  min, q1, median, q3, max, mean, low, high, interval_is_95, iqr_frac
FROM ceiling;

-- name: get_sweeps
SELECT
  sweep, name, path, script_hash, bare_space, item_name, cache, compile_timeout_s, point_timeout_s, min_samples,
  max_samples, noise_frac, max_seconds, min_seconds, input_seed, no_race, strategy, budget_s, budget_points, search_seed,
  search_seed_given, budget_gpu_s, goal_frac, objective, baselines, unexplored
FROM sweep ORDER BY sweep;

-- name: get_axes
SELECT
  sweep, axis, name, swept, along, compiled, refine_depth, axis_values
FROM axis ORDER BY sweep, axis;

-- name: get_problems
SELECT
  sweep, problem, odd, problem_values, refined
FROM problem ORDER BY sweep, problem;

-- name: get_variants
SELECT
  sweep, variant, name, kernel, source, entry
FROM variant ORDER BY sweep, variant;

-- name: get_params
SELECT
  sweep, variant, param, name, help, in_entry, default_value, param_values
FROM param ORDER BY sweep, variant, param;

-- name: get_constraints
SELECT
  sweep, variant, position, text, params, axes
FROM space_constraint ORDER BY sweep, variant, position;

-- name: get_spaces
SELECT
  sweep, variant, problem, cartesian, valid
FROM space ORDER BY sweep, problem, variant;

-- name: get_points
SELECT
  id, sweep, variant, problem, outcome, reason, log, alias_of, workers_lost, is_default, transferred, has_launch, grid_x, grid_y,
  grid_z, block_x, block_y, block_z, config, registers, spill_bytes, stack_bytes, shared_static_bytes,
  shared_dynamic_bytes, blocks_per_sm, occupancy_frac, waves, cubin_hash, compile_s, from_cache, verified, tol,
  worst_frac, worst_abs_error, worst_got, worst_want, worst_buffer, worst_index, wrong_count, total_count,
  work_bytes_read, work_bytes_written, work_items, work_item_name, work_fp64, work_fp32, work_fp16, work_sfu,
  work_int32, work_tensor_fp64, work_tensor_tf32, work_tensor_bf16, work_tensor_fp16, work_tensor_fp8,
  work_tensor_int8, traffic_present, traffic_evidence, traffic_dram_read_frac, traffic_warp_instructions,
  traffic_dram, traffic_l2, traffic_l1, traffic_shared, traffic_fp64, traffic_fp32, traffic_fp16, traffic_sfu,
  traffic_int32, traffic_tensor_fp64, traffic_tensor_tf32, traffic_tensor_bf16, traffic_tensor_fp16,
  traffic_tensor_fp8, traffic_tensor_int8, steps
FROM point ORDER BY id;

-- name: get_measurements
SELECT
  point, round, stop, cache, clock_mhz, wall_s, verify_s, busy_s, batch, floor_s, attempts, affected_frac, steady_mhz,
  throttle_cause, throttle_note, turns, n, min, q1, median, q3, max, mean, low, high, interval_is_95, iqr_frac,
  samples, clocks, steps
FROM measurement ORDER BY point, round;

-- name: get_counters
SELECT
  point, name, value, reason, passes
FROM counter ORDER BY point, rowid;

-- name: get_loads
SELECT
  point, kind, reason, asked_s, window_s, runs, run_s, restored, source, energy_reason, power_w, joules_per_run,
  uncertainty_frac, update_s, temperature_start_c, temperature_end_c, clock_mhz, throttled_power_cap_frac,
  throttled_sync_boost_frac, throttled_sw_thermal_frac, throttled_hw_thermal_frac, throttled_power_brake_frac,
  sustained_n, samples, at, clocks
FROM load ORDER BY point, kind;

-- name: get_baselines
SELECT
  sweep, problem, name, which, protocol, tried, outcome, reason, library, algorithm, source, stop, cache, batch, floor_s,
  clock_mhz, wall_s, verify_s, busy_s, verified, tol, worst_frac, worst_abs_error, worst_got, worst_want, worst_buffer,
  worst_index, wrong_count, total_count, n, min, q1, median, q3, max, mean, low, high, interval_is_95, iqr_frac, samples,
  clocks
FROM baseline ORDER BY rowid;

-- name: get_references
SELECT
  position, sweep, problem, point, after_point, time_s, n, median, low, high, clock_mhz
FROM reference ORDER BY position;
