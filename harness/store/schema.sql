-- SPDX-License-Identifier: Apache-2.0
-- A run: one file, one execution on one device. docs/store.md says what a row of each table is.
-- Absent is NULL, never 0. Lists and configurations are JSON. Times are seconds unless the name says otherwise.
--
-- In place of each line "-- fields: ..." stand the columns of these structs (model/run/field_tables.c), with what they
-- say: `sqlite3 RUN.db .schema` shows them.

CREATE TABLE run (
  only_row INTEGER PRIMARY KEY,
  -- fields: info
  CHECK (only_row = 1)
) STRICT;

CREATE TABLE gpu (
  only_row INTEGER PRIMARY KEY,
  -- fields: gpu
  CHECK (only_row = 1)
) STRICT;

CREATE TABLE env (
  position INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE, value TEXT, reason TEXT
) STRICT;

CREATE TABLE ceiling (
  name TEXT NOT NULL,
  -- fields: ceiling stats
  PRIMARY KEY (name)
) STRICT;

CREATE TABLE sweep (
  sweep INTEGER PRIMARY KEY,
  -- fields: sweep measure_opts search_opts
  baselines TEXT NOT NULL, -- names
  unexplored TEXT -- why configurations were left untried
) STRICT;

CREATE TABLE axis (
  sweep INTEGER NOT NULL REFERENCES sweep, axis INTEGER NOT NULL,
  -- fields: axis
  axis_values TEXT NOT NULL,
  PRIMARY KEY (sweep, axis)
) STRICT, WITHOUT ROWID;

CREATE TABLE problem (
  sweep INTEGER NOT NULL REFERENCES sweep, problem INTEGER NOT NULL,
  -- fields: problem
  problem_values TEXT NOT NULL,
  PRIMARY KEY (sweep, problem)
) STRICT, WITHOUT ROWID;

CREATE TABLE variant (
  sweep INTEGER NOT NULL REFERENCES sweep, variant INTEGER NOT NULL,
  -- fields: variant
  PRIMARY KEY (sweep, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE param (
  sweep INTEGER NOT NULL, variant INTEGER NOT NULL, param INTEGER NOT NULL,
  -- fields: param
  default_value TEXT NOT NULL, param_values TEXT NOT NULL,
  PRIMARY KEY (sweep, variant, param),
  FOREIGN KEY (sweep, variant) REFERENCES variant
) STRICT, WITHOUT ROWID;

CREATE TABLE space_constraint (
  sweep INTEGER NOT NULL, variant INTEGER NOT NULL, position INTEGER NOT NULL,
  text TEXT, params TEXT NOT NULL, axes TEXT NOT NULL, -- params and axes: indices of what it needs
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
  -- fields: point
  config TEXT NOT NULL,
  -- fields: facts verification work traffic
  steps TEXT, -- the launches where there are several, each with the work and traffic of its own
  PRIMARY KEY (id)
) STRICT;

-- lists of numbers are little-endian doubles
CREATE TABLE measurement (
  point INTEGER NOT NULL REFERENCES point,
  round INTEGER NOT NULL, -- 0: the sweep; 1: the final round of the best few
  -- fields: measurement stats
  PRIMARY KEY (point, round)
) STRICT;

CREATE TABLE counter (
  point INTEGER NOT NULL REFERENCES point,
  -- fields: counter
  passes INTEGER NOT NULL, -- runs of the point that its session took; 0: none, or imported and not known
  source TEXT, -- "Nsight Compute 2025.3.0.0, ncu.csv": imported from there; null: counted by rooftune
  UNIQUE (point, name)
) STRICT;

CREATE TABLE load (
  point INTEGER NOT NULL, -- 0: the idle device
  -- fields: load
  PRIMARY KEY (point, kind)
) STRICT;

CREATE TABLE baseline (
  -- fields: baseline measurement verification stats
  UNIQUE (sweep, problem, name, which, protocol),
  FOREIGN KEY (sweep, problem) REFERENCES problem
) STRICT;

-- readings of each problem's reference configuration, one after every 20 points: did the device change meanwhile?
CREATE TABLE reference (
  position INTEGER PRIMARY KEY,
  -- fields: reference
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
