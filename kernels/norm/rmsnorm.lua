-- SPDX-License-Identifier: Apache-2.0
-- y = x / sqrt(mean(x^2) + epsilon) * weight over rows of bf16. Returns { scalar, shared, registers, twice, staged }.
local rows = require "kernels.rows"
local intensity = require "kernels.intensity"

local function rmsnorm(facts)
  return kernel {
    name = facts.name,
    source = "rmsnorm.cu",
    entry = facts.entry,
    problem = { "rows", "cols" },
    params = facts.params,
    buffers = function(p)
      return { x = input(bf16, p.rows * p.cols), weight = input(bf16, p.cols), y = output(bf16, p.rows * p.cols) }
    end,
    launch = facts.launch,
    work = function(p) return intensity.rmsnorm { rows = p.rows, n = p.cols, dtype = "bf16", pipe = "fp32" } end,
    traffic = facts.traffic,
    check = {
      reference = "rmsnorm_reference.cu:rmsnorm_reference",
      length = function(p) return p.cols end,
      odd = rows.odd,
    },
  }
end

local function args(p, b, with_rows)
  if with_rows then return { b.x, b.weight, b.y, i64(p.rows), i64(p.cols), f32(rows.EPSILON) } end
  return { b.x, b.weight, b.y, i64(p.cols), f32(rows.EPSILON) }
end

local scalar = rmsnorm {
  name = "rmsnorm_scalar",
  entry = "rmsnorm_scalar<BLOCK>",
  params = { { "BLOCK", 256, "threads a block; a block a row" } },
  launch = function(p, c, gpu, b) return { args = args(p, b), grid = p.rows, block = c.BLOCK } end,
  -- x is read twice, and the weights by every row.
  traffic = function(p) return { l1 = 8 * p.rows * p.cols } end,
}

local shared = rmsnorm {
  name = "rmsnorm_shared",
  entry = "rmsnorm_shared<VEC, BLOCK>",
  params = { { "VEC", 2, "elements a load" }, { "BLOCK", 256, "threads a block; a block a row" } },
  launch = function(p, c, gpu, b)
    return {
      entry = ("rmsnorm_shared<%s, BLOCK>"):format(p.cols % c.VEC == 0 and "VEC" or "1"),
      args = args(p, b),
      grid = p.rows,
      block = c.BLOCK,
      shared = 2 * p.cols,
    }
  end,
  traffic = function(p) return { l1 = 6 * p.rows * p.cols, shared = 4 * p.rows * p.cols } end,
}

local registers = rmsnorm {
  name = "rmsnorm_registers",
  entry = "rmsnorm_registers<8, THREADS, BLOCK, 1, true, CLUSTER, HELD, READ, WRITE>",
  params = { rows.params.threads, rows.params.block, rows.params.cluster, rows.params.held, rows.params.read, rows.params.write },
  launch = rows.launch_registers("rmsnorm_registers", "CLUSTER, HELD, READ, WRITE", args),
  traffic = function(p) return { l1 = 6 * p.rows * p.cols } end,
}

local twice = rmsnorm {
  name = "rmsnorm_twice",
  entry = "rmsnorm_twice<8, BLOCK, UNROLL, READ, AGAIN, WRITE>",
  params = {
    { "BLOCK", 256, "threads a block; a block a row" },
    { "UNROLL", 4, "16-byte loads in flight in a thread" },
    rows.params.read, rows.params.again, rows.params.write,
  },
  launch = rows.launch_twice("rmsnorm_twice", "BLOCK, UNROLL, READ, AGAIN, WRITE", args),
  traffic = function(p) return { l1 = 8 * p.rows * p.cols } end,
}

local staged = rmsnorm {
  name = "rmsnorm_staged",
  entry = "rmsnorm_staged<8, THREADS, BLOCK, 1, true, STAGES, BULK, STREAM>",
  params = { rows.params.threads, rows.params.block, rows.params.stages, rows.params.bulk, rows.params.stream },
  launch = rows.launch_staged("rmsnorm_staged", "STAGES, BULK, STREAM", args),
  traffic = function(p) return { shared = 4 * p.rows * p.cols } end,
}

return { scalar = scalar, shared = shared, registers = registers, twice = twice, staged = staged }
