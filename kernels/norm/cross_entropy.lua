-- SPDX-License-Identifier: Apache-2.0
-- loss = log(sum of exp(x)) - x[target] over rows of bf16, alone and with its gradient.
-- Returns { two_passes, online, gradient_online, gradient_registers }.
local rows = require "kernels.rows"
local intensity = require "kernels.intensity"

-- A target a row; of the softmax its operations, and where there is no gradient nothing of it is written.
local function work(p, gradient)
  local work = intensity.softmax { rows = p.rows, n = p.cols, dtype = "bf16", pipe = "fp32" }
  work.read = work.read + 4 * p.rows
  work.write = (gradient and work.write or 0) + 4 * p.rows
  if not gradient then work.fp32 = 3 * p.rows * p.cols end -- maximum, subtraction, sum
  return work
end

local function cross_entropy(facts)
  return kernel {
    name = facts.name,
    source = "cross_entropy.cu",
    entry = facts.entry,
    problem = { "rows", "cols" },
    params = facts.params,
    buffers = function(p)
      local buffers = {
        x = input(bf16, p.rows * p.cols, uniform(-8, 8)),
        target = input(i32, p.rows, integers { below = p.cols, order = "random" }),
        loss = output(f32, p.rows),
      }
      if facts.gradient then buffers.gradient = output(bf16, p.rows * p.cols) end
      return buffers
    end,
    launch = facts.launch,
    work = function(p) return work(p, facts.gradient) end,
    traffic = facts.traffic,
    check = {
      reference = "cross_entropy_reference.cu:cross_entropy_" .. (facts.gradient and "gradient_" or "") .. "reference",
      length = function(p) return p.cols end,
      odd = facts.gradient and rows.odd or rows.odd[1],
    },
  }
end

local two_passes = cross_entropy {
  name = "cross_entropy_two_passes",
  entry = "cross_entropy_two_passes<BLOCK>",
  params = { { "BLOCK", 256, "threads a block; a block a row" } },
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.target, b.loss, i64(p.cols) }, grid = p.rows, block = c.BLOCK }
  end,
  traffic = function(p) return { l1 = 4 * p.rows * p.cols } end,
}

local unroll = { "UNROLL", 4, "16-byte loads in flight in a thread" }

local online = cross_entropy {
  name = "cross_entropy_online",
  entry = "cross_entropy_online<THREADS, BLOCK, UNROLL, STREAM>",
  params = { rows.params.threads, rows.params.block, unroll, rows.params.stream },
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.target, b.loss, i64(p.rows), i64(p.cols) }, grid = rows.grid(p, c), block = c.BLOCK }
  end,
  traffic = function(p) return { l1 = 2 * p.rows * p.cols } end,
}

local function gradient_args(p, b, with_rows)
  if with_rows then return { b.x, b.target, b.loss, b.gradient, i64(p.rows), i64(p.cols) } end
  return { b.x, b.target, b.loss, b.gradient, i64(p.cols) }
end

local gradient_online = cross_entropy {
  name = "cross_entropy_gradient_online",
  gradient = true,
  entry = "cross_entropy_gradient_online<8, BLOCK, UNROLL, STREAM>",
  params = { { "BLOCK", 256, "threads a block; a block a row" }, unroll, rows.params.stream },
  launch = rows.launch_twice("cross_entropy_gradient_online", "BLOCK, UNROLL, STREAM", gradient_args),
  traffic = function(p) return { l1 = 6 * p.rows * p.cols, sfu = 2 * p.rows * p.cols } end,
}

local gradient_registers = cross_entropy {
  name = "cross_entropy_gradient_registers",
  gradient = true,
  entry = "cross_entropy_gradient_registers<8, THREADS, BLOCK, 1, true, CLUSTER, HELD, FLOATS, STREAM>",
  params = { rows.params.threads, rows.params.block, rows.params.cluster, rows.params.held, rows.params.floats, rows.params.stream },
  launch = rows.launch_registers("cross_entropy_gradient_registers", "CLUSTER, HELD, FLOATS, STREAM", gradient_args),
  traffic = function(p, c) return { l1 = 4 * p.rows * p.cols, sfu = rows.exponentials(p, c) } end,
}

return {
  two_passes = two_passes,
  online = online,
  gradient_online = gradient_online,
  gradient_registers = gradient_registers,
}
