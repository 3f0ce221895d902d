-- SPDX-License-Identifier: Apache-2.0
-- Steps that the ladders of layernorm, softmax and rmsnorm share, as variants of a sweep. `more`: values of the parameters
-- that a family has of its own.
local l2 = require "kernels.l2_policy"
local rows = require "kernels.rows"

local ladder = { blocks = values(128, 256, 512, 1024) }
local either, held = values(false, true), values(1024, 1536, 2048)

local function step(name, kernel, tune, more, where)
  for param, list in pairs(more) do tune[param] = list end
  return { name, kernel = kernel, tune = tune, where = where }
end

-- A block a row, which it reads twice.
function ladder.twice(name, kernel)
  return step(name, kernel, {
    BLOCK = ladder.blocks,
    UNROLL = values(1, 2, 4),
    READ = l2.hints("plain", "last"),
    AGAIN = l2.hints("plain", "first"),
    WRITE = l2.stores,
  }, {}, { rows.reads_twice, rows.share_in_flight, rows.keeps })
end

function ladder.registers(kernel, more)
  return step("row in registers", kernel, {
    THREADS = pow2_values(8, 1024),
    BLOCK = values(64, 128, 256, 512, 1024),
    CLUSTER = values(1),
    HELD = held,
  }, more, { rows.fits_registers, rows.whole_groups, rows.held_blocks, more.FLOATS and rows.holds_floats })
end

function ladder.hints(kernel, more)
  return step("row in registers, L2 hints", kernel, {
    THREADS = pow2_values(8, 1024),
    BLOCK = ladder.blocks,
    CLUSTER = values(1),
    HELD = held,
    READ = l2.hints("plain", "first", "fetch_128"),
    WRITE = l2.stores,
  }, more, { rows.fits_registers, rows.held_blocks, rows.usual, rows.hinted, rows.keeps })
end

function ladder.cluster(kernel, more)
  return step("row over a cluster", kernel, {
    THREADS = values(256, 512, 1024),
    BLOCK = values(256, 512, 1024),
    CLUSTER = values(2, 4, 8),
    HELD = held,
  }, more, { rows.fits_cluster, rows.cluster_held, more.FLOATS and rows.cluster_floats })
end

function ladder.staged(kernel, more)
  return step("next rows fetched meanwhile", kernel, {
    THREADS = pow2_values(32, 1024),
    BLOCK = ladder.blocks,
    STAGES = values(2, 3),
    BULK = either,
    STREAM = either,
  }, more, { rows.fits_registers, rows.whole_groups, rows.fits_shared, rows.can_bulk })
end

return ladder
