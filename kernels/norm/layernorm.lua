-- SPDX-License-Identifier: Apache-2.0
-- y = (x - mean) / sqrt(variance + epsilon) * weight + bias over rows of bf16.
-- Returns { three_passes, welford, registers, staged }.
local rows = require "kernels.rows"
local intensity = require "kernels.intensity"

local function layernorm(facts)
  return kernel {
    name = facts.name,
    source = "layernorm.cu",
    entry = facts.entry,
    problem = { "rows", "cols" },
    params = facts.params,
    buffers = function(p)
      return {
        x = input(bf16, p.rows * p.cols, uniform(-1, 3)), -- a mean that is not zero: a wrong variance shows
        weight = input(bf16, p.cols),
        bias = input(bf16, p.cols),
        y = output(bf16, p.rows * p.cols),
      }
    end,
    launch = facts.launch,
    work = function(p) return intensity.layernorm { rows = p.rows, n = p.cols, dtype = "bf16", pipe = "fp32" } end,
    traffic = facts.traffic,
    check = {
      reference = "layernorm_reference.cu:layernorm_reference",
      length = function(p) return p.cols end,
      odd = rows.odd,
    },
  }
end

local function args(p, b, with_rows)
  local list = { b.x, b.weight, b.bias, b.y }
  if with_rows then list[#list + 1] = i64(p.rows) end
  list[#list + 1] = i64(p.cols)
  list[#list + 1] = f32(rows.EPSILON)
  return list
end

local three_passes = layernorm {
  name = "layernorm_three_passes",
  entry = "layernorm_three_passes<BLOCK>",
  params = { { "BLOCK", 256, "threads a block; a block a row" } },
  launch = function(p, c, gpu, b) return { args = args(p, b), grid = p.rows, block = c.BLOCK } end,
  -- x three times, weights and biases by every row.
  traffic = function(p) return { l1 = 12 * p.rows * p.cols } end,
}

local welford = layernorm {
  name = "layernorm_welford",
  entry = "layernorm_welford<8, BLOCK, UNROLL, READ, AGAIN, WRITE>",
  params = {
    { "BLOCK", 256, "threads a block; a block a row" },
    { "UNROLL", 4, "16-byte loads in flight in a thread" },
    rows.params.read, rows.params.again, rows.params.write,
  },
  launch = rows.launch_twice("layernorm_welford", "BLOCK, UNROLL, READ, AGAIN, WRITE", args),
  traffic = function(p) return { l1 = 10 * p.rows * p.cols } end,
}

local once = { "ONCE", false, "one exchange of moments between threads; otherwise two of sums" }

local registers = layernorm {
  name = "layernorm_registers",
  entry = "layernorm_registers<8, THREADS, BLOCK, 1, true, CLUSTER, HELD, ONCE, READ, WRITE>",
  params = { rows.params.threads, rows.params.block, rows.params.cluster, rows.params.held, once, rows.params.read, rows.params.write },
  launch = rows.launch_registers("layernorm_registers", "CLUSTER, HELD, ONCE, READ, WRITE", args),
  traffic = function(p) return { l1 = 8 * p.rows * p.cols } end,
}

local staged = layernorm {
  name = "layernorm_staged",
  entry = "layernorm_staged<8, THREADS, BLOCK, 1, true, STAGES, BULK, ONCE, STREAM>",
  params = { rows.params.threads, rows.params.block, rows.params.stages, rows.params.bulk, once, rows.params.stream },
  launch = rows.launch_staged("layernorm_staged", "STAGES, BULK, ONCE, STREAM", args),
  traffic = function(p) return { shared = 4 * p.rows * p.cols } end,
}

return { three_passes = three_passes, welford = welford, registers = registers, staged = staged }
