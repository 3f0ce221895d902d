-- SPDX-License-Identifier: Apache-2.0
-- A run: one file, one execution on one device. What each column means is in docs/store.md.
-- Absent is NULL, never 0. Lists and configurations are JSON. Times are seconds unless the name says otherwise.

CREATE TABLE run (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  id TEXT, tool_version TEXT, tool_revision TEXT, command TEXT,
  started_unix_ns INTEGER NOT NULL, finished_unix_ns INTEGER NOT NULL, seed INTEGER NOT NULL,
  replay_of TEXT, replay_path TEXT, replay_started_unix_ns INTEGER NOT NULL,
  recompiled INTEGER NOT NULL, recompiled_same INTEGER NOT NULL,
  elapsed_s REAL, busy_s REAL, compile_s REAL
) STRICT;

CREATE TABLE gpu (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  name TEXT, arch TEXT, uuid TEXT, pci_id TEXT,
  cc_major INTEGER NOT NULL, cc_minor INTEGER NOT NULL, sms INTEGER NOT NULL, warp_size INTEGER NOT NULL,
  max_threads_per_block INTEGER NOT NULL, max_threads_per_sm INTEGER NOT NULL, max_blocks_per_sm INTEGER NOT NULL,
  registers_per_block INTEGER NOT NULL, registers_per_sm INTEGER NOT NULL,
  shared_per_block INTEGER NOT NULL, shared_per_block_static INTEGER NOT NULL, shared_per_sm INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL, persisting_l2_max_bytes INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL, memory_free_bytes INTEGER NOT NULL,
  max_grid_x INTEGER NOT NULL, max_grid_y INTEGER NOT NULL, max_grid_z INTEGER NOT NULL,
  max_block_x INTEGER NOT NULL, max_block_y INTEGER NOT NULL, max_block_z INTEGER NOT NULL,
  max_cluster INTEGER NOT NULL, cooperative INTEGER NOT NULL,
  sm_clock_khz INTEGER NOT NULL, memory_clock_khz INTEGER NOT NULL, memory_bus_bits INTEGER NOT NULL,
  driver_version INTEGER NOT NULL, representative INTEGER NOT NULL
) STRICT;

CREATE TABLE env (
  position INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE, value TEXT, reason TEXT
) STRICT;

CREATE TABLE ceiling (
  name TEXT PRIMARY KEY,
  measured INTEGER NOT NULL, reason TEXT, kernel TEXT, clock_mhz REAL,
  datasheet REAL, datasheet_basis TEXT, hardware_limit REAL, limit_basis TEXT,
  at_least INTEGER, measured_unix_ns INTEGER, sustained_clock_mhz REAL,
  sustained_n INTEGER, sustained_min REAL, sustained_q1 REAL, sustained_median REAL, sustained_q3 REAL,
  sustained_max REAL, sustained_mean REAL, sustained_low REAL, sustained_high REAL,
  sustained_interval_is_95 INTEGER, sustained_iqr_frac REAL,
  n INTEGER NOT NULL, min REAL, q1 REAL, median REAL, q3 REAL, max REAL, mean REAL, low REAL, high REAL,
  interval_is_95 INTEGER NOT NULL, iqr_frac REAL
) STRICT;

CREATE TABLE sweep (
  sweep INTEGER PRIMARY KEY,
  name TEXT, path TEXT, script_hash TEXT, bare_space INTEGER NOT NULL, item_name TEXT,
  cache TEXT NOT NULL, compile_timeout_s REAL, point_timeout_s REAL,
  min_samples INTEGER NOT NULL, max_samples INTEGER NOT NULL, noise_frac REAL, max_seconds REAL,
  min_seconds REAL, input_seed INTEGER NOT NULL, no_race INTEGER,
  strategy TEXT, budget_s REAL, budget_points INTEGER NOT NULL, search_seed INTEGER NOT NULL,
  search_seed_given INTEGER NOT NULL, budget_gpu_s REAL, goal_frac REAL, objective TEXT,
  baselines TEXT NOT NULL, unexplored TEXT
) STRICT;

CREATE TABLE axis (
  sweep INTEGER NOT NULL REFERENCES sweep, axis INTEGER NOT NULL,
  name TEXT, swept INTEGER NOT NULL, along INTEGER NOT NULL, compiled INTEGER NOT NULL, refine_depth INTEGER NOT NULL,
  axis_values TEXT NOT NULL,
  PRIMARY KEY (sweep, axis)
) STRICT, WITHOUT ROWID;

CREATE TABLE problem (
  sweep INTEGER NOT NULL REFERENCES sweep, problem INTEGER NOT NULL,
  odd INTEGER NOT NULL, problem_values TEXT NOT NULL, refined INTEGER,
  PRIMARY KEY (sweep, problem)
) STRICT, WITHOUT ROWID;

CREATE TABLE variant (
  sweep INTEGER NOT NULL REFERENCES sweep, variant INTEGER NOT NULL,
  name TEXT, kernel TEXT, source TEXT, entry TEXT,
  PRIMARY KEY (sweep, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE param (
  sweep INTEGER NOT NULL, variant INTEGER NOT NULL, param INTEGER NOT NULL,
  name TEXT, help TEXT, in_entry INTEGER NOT NULL, default_value TEXT NOT NULL, param_values TEXT NOT NULL,
  PRIMARY KEY (sweep, variant, param),
  FOREIGN KEY (sweep, variant) REFERENCES variant
) STRICT, WITHOUT ROWID;

-- params and axes: indices of what the constraint needs
CREATE TABLE space_constraint (
  sweep INTEGER NOT NULL, variant INTEGER NOT NULL, position INTEGER NOT NULL,
  text TEXT, params TEXT NOT NULL, axes TEXT NOT NULL,
  PRIMARY KEY (sweep, variant, position),
  FOREIGN KEY (sweep, variant) REFERENCES variant
) STRICT, WITHOUT ROWID;

-- configurations a variant has on a problem
CREATE TABLE space (
  sweep INTEGER NOT NULL, variant INTEGER NOT NULL, problem INTEGER NOT NULL,
  cartesian INTEGER NOT NULL, valid INTEGER NOT NULL,
  PRIMARY KEY (sweep, variant, problem),
  FOREIGN KEY (sweep, variant) REFERENCES variant,
  FOREIGN KEY (sweep, problem) REFERENCES problem
) STRICT, WITHOUT ROWID;

CREATE TABLE point (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL, variant INTEGER NOT NULL, problem INTEGER NOT NULL,
  outcome TEXT NOT NULL, reason TEXT, log TEXT,
  alias_of INTEGER NOT NULL, workers_lost INTEGER NOT NULL, is_default INTEGER NOT NULL, transferred INTEGER,
  has_launch INTEGER NOT NULL, grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  config TEXT NOT NULL,
  registers INTEGER, spill_bytes INTEGER, stack_bytes INTEGER, shared_static_bytes INTEGER,
  shared_dynamic_bytes INTEGER, blocks_per_sm INTEGER, occupancy_frac REAL, waves REAL, cubin_hash TEXT,
  compile_s REAL, from_cache INTEGER NOT NULL,
  verified INTEGER NOT NULL, tol REAL, worst_frac REAL, worst_abs_error REAL, worst_got REAL, worst_want REAL,
  worst_buffer TEXT, worst_index INTEGER NOT NULL, wrong_count INTEGER NOT NULL, total_count INTEGER NOT NULL,
  work_bytes_read REAL, work_bytes_written REAL, work_items REAL, work_item_name TEXT,
  work_fp64 REAL, work_fp32 REAL, work_fp16 REAL, work_sfu REAL, work_int32 REAL, work_tensor_fp64 REAL,
  work_tensor_tf32 REAL, work_tensor_bf16 REAL, work_tensor_fp16 REAL, work_tensor_fp8 REAL, work_tensor_int8 REAL,
  traffic_present INTEGER NOT NULL, traffic_evidence TEXT NOT NULL, traffic_dram_read_frac REAL,
  traffic_warp_instructions REAL, traffic_dram REAL, traffic_l2 REAL, traffic_l1 REAL, traffic_shared REAL,
  traffic_fp64 REAL, traffic_fp32 REAL, traffic_fp16 REAL, traffic_sfu REAL, traffic_int32 REAL,
  traffic_tensor_fp64 REAL, traffic_tensor_tf32 REAL, traffic_tensor_bf16 REAL, traffic_tensor_fp16 REAL,
  traffic_tensor_fp8 REAL, traffic_tensor_int8 REAL,
  steps TEXT -- JSON: the launches where there are several, each with the work and traffic of its own
) STRICT;

-- round 0: the sweep; 1: the final round of the best few. samples and steps: little-endian doubles, seconds; clocks:
-- of each sample, MHz (NaN: not read)
CREATE TABLE measurement (
  point INTEGER NOT NULL REFERENCES point, round INTEGER NOT NULL,
  stop TEXT NOT NULL, cache TEXT NOT NULL, clock_mhz REAL, wall_s REAL, verify_s REAL, busy_s REAL,
  batch INTEGER, floor_s REAL,
  attempts INTEGER, affected_frac REAL, steady_mhz REAL, throttle_cause TEXT, throttle_note TEXT, turns INTEGER,
  n INTEGER NOT NULL, min REAL, q1 REAL, median REAL, q3 REAL, max REAL, mean REAL, low REAL, high REAL,
  interval_is_95 INTEGER NOT NULL, iqr_frac REAL,
  samples BLOB NOT NULL, clocks BLOB, steps BLOB NOT NULL,
  PRIMARY KEY (point, round)
) STRICT;

-- hardware counters of a point: NULL with its reason where one could not be had; passes: runs of the point it took
CREATE TABLE counter (
  point INTEGER NOT NULL REFERENCES point, name TEXT NOT NULL, value REAL, reason TEXT, passes INTEGER NOT NULL,
  UNIQUE (point, name)
) STRICT;

-- a point under load: energy (about a second), soak (as long as was asked for); idle: of the device, point 0. Seen in
-- the last window_s seconds. samples, at, clocks: of a soak, little-endian doubles; seconds, seconds from its beginning,
-- MHz. The last sustained_n samples count, their median is sustained_s
CREATE TABLE load (
  point INTEGER NOT NULL, kind TEXT NOT NULL,
  reason TEXT, asked_s REAL, window_s REAL, runs INTEGER NOT NULL, run_s REAL, restored INTEGER NOT NULL,
  source TEXT, energy_reason TEXT, power_w REAL, joules_per_run REAL, uncertainty_frac REAL, update_s REAL,
  temperature_start_c REAL, temperature_end_c REAL, clock_mhz REAL,
  throttled_power_cap_frac REAL, throttled_sync_boost_frac REAL, throttled_sw_thermal_frac REAL,
  throttled_hw_thermal_frac REAL, throttled_power_brake_frac REAL,
  sustained_n INTEGER NOT NULL, sustained_s REAL,
  samples BLOB NOT NULL, at BLOB NOT NULL, clocks BLOB NOT NULL,
  PRIMARY KEY (point, kind)
) STRICT;

-- what others take for a problem. protocol 'same': measured in this run, as its points are; 'other': imported.
-- which: 'best' and 'first' of the library's list, of which `tried` were timed; 'given': imported
CREATE TABLE baseline (
  sweep INTEGER NOT NULL, problem INTEGER NOT NULL, name TEXT NOT NULL, which TEXT NOT NULL,
  protocol TEXT NOT NULL CHECK (protocol IN ('same', 'other')),
  tried INTEGER, outcome TEXT NOT NULL, reason TEXT, library TEXT, algorithm TEXT, source TEXT,
  stop TEXT NOT NULL, cache TEXT NOT NULL, batch INTEGER, floor_s REAL, clock_mhz REAL, wall_s REAL, verify_s REAL,
  busy_s REAL,
  verified INTEGER NOT NULL, tol REAL, worst_frac REAL, worst_abs_error REAL, worst_got REAL, worst_want REAL,
  worst_buffer TEXT, worst_index INTEGER NOT NULL, wrong_count INTEGER NOT NULL, total_count INTEGER NOT NULL,
  n INTEGER NOT NULL, min REAL, q1 REAL, median REAL, q3 REAL, max REAL, mean REAL, low REAL, high REAL,
  interval_is_95 INTEGER NOT NULL, iqr_frac REAL,
  samples BLOB NOT NULL, clocks BLOB,
  UNIQUE (sweep, problem, name, which, protocol),
  FOREIGN KEY (sweep, problem) REFERENCES problem
) STRICT;

-- readings of each problem's reference configuration, one after every 20 points: did the device change meanwhile?
CREATE TABLE reference (
  position INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL, problem INTEGER NOT NULL, point INTEGER NOT NULL, after_point INTEGER NOT NULL,
  time_s REAL, n INTEGER NOT NULL, median REAL, low REAL, high REAL, clock_mhz REAL,
  FOREIGN KEY (sweep, problem) REFERENCES problem
) STRICT;

-- For people with a sqlite3 shell: what was measured, the reported round of each point.
CREATE VIEW measured AS
  SELECT point.id, sweep.name AS sweep, variant.name AS variant, problem.problem_values AS problem, point.config,
         point.outcome, m.median AS median_s, m.low AS low_s, m.high AS high_s, m.n, m.round,
         (point.work_bytes_read + point.work_bytes_written) / m.median AS useful_bytes_s,
         point.registers, point.spill_bytes, point.occupancy_frac
  FROM point
  JOIN sweep ON sweep.sweep = point.sweep
  JOIN variant ON variant.sweep = point.sweep AND variant.variant = point.variant
  JOIN problem ON problem.sweep = point.sweep AND problem.problem = point.problem
  JOIN measurement AS m ON m.point = point.id AND m.n > 0
       AND m.round = (SELECT max(round) FROM measurement WHERE point = point.id AND n > 0)
  WHERE point.alias_of = 0 AND point.outcome IN ('ok', 'noisy') AND NOT problem.odd;
