-- SPDX-License-Identifier: Apache-2.0
-- y = exp(x - max x) / sum over rows of bf16. Returns { three_passes, online, registers, staged }.
local rows = require "kernels.rows"
local intensity = require "kernels.intensity"

local function softmax(facts)
  return kernel {
    name = facts.name,
    source = "softmax.cu",
    entry = facts.entry,
    problem = { "rows", "cols" },
    params = facts.params,
    buffers = function(p)
      return { x = input(bf16, p.rows * p.cols, uniform(-8, 8)), y = output(bf16, p.rows * p.cols) }
    end,
    launch = facts.launch,
    work = function(p) return intensity.softmax { rows = p.rows, n = p.cols, dtype = "bf16", pipe = "fp32" } end,
    traffic = facts.traffic,
    check = {
      reference = "softmax_reference.cu:softmax_reference",
      length = function(p) return p.cols end,
      odd = rows.odd,
    },
  }
end

local function args(p, b, with_rows)
  if with_rows then return { b.x, b.y, i64(p.rows), i64(p.cols) } end
  return { b.x, b.y, i64(p.cols) }
end

local three_passes = softmax {
  name = "softmax_three_passes",
  entry = "softmax_three_passes<BLOCK>",
  params = { { "BLOCK", 256, "threads a block; a block a row" } },
  launch = function(p, c, gpu, b) return { args = args(p, b), grid = p.rows, block = c.BLOCK } end,
  traffic = function(p) return { l1 = 8 * p.rows * p.cols, sfu = 2 * p.rows * p.cols } end,
}

local online = softmax {
  name = "softmax_online",
  entry = "softmax_online<8, BLOCK, UNROLL, READ, AGAIN, WRITE>",
  params = {
    { "BLOCK", 256, "threads a block; a block a row" },
    { "UNROLL", 4, "16-byte loads in flight in a thread" },
    rows.params.read, rows.params.again, rows.params.write,
  },
  launch = rows.launch_twice("softmax_online", "BLOCK, UNROLL, READ, AGAIN, WRITE", args),
  traffic = function(p) return { l1 = 6 * p.rows * p.cols, sfu = 2 * p.rows * p.cols } end,
}

local registers = softmax {
  name = "softmax_registers",
  entry = "softmax_registers<8, THREADS, BLOCK, 1, true, CLUSTER, HELD, FLOATS, READ, WRITE>",
  params = { rows.params.threads, rows.params.block, rows.params.cluster, rows.params.held, rows.params.floats, rows.params.read, rows.params.write },
  launch = rows.launch_registers("softmax_registers", "CLUSTER, HELD, FLOATS, READ, WRITE", args),
  traffic = function(p, c) return { l1 = 4 * p.rows * p.cols, sfu = rows.exponentials(p, c) } end,
}

local staged = softmax {
  name = "softmax_staged",
  entry = "softmax_staged<8, THREADS, BLOCK, 1, true, STAGES, BULK, FLOATS, STREAM>",
  params = {
    rows.params.threads, rows.params.block, rows.params.stages, rows.params.bulk, rows.params.floats, rows.params.stream,
  },
  launch = rows.launch_staged("softmax_staged", "STAGES, BULK, FLOATS, STREAM", args),
  traffic = function(p, c) return { shared = 4 * p.rows * p.cols, sfu = rows.exponentials(p, c) } end,
}

return { three_passes = three_passes, online = online, registers = registers, staged = staged }
