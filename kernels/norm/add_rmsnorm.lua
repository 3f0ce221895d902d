-- SPDX-License-Identifier: Apache-2.0
-- sum = x + residual, y = RMSNorm(sum) * weight over rows of bf16. Returns { two_kernels, fused }.
local rows = require "kernels.rows"
local intensity = require "kernels.intensity"

local function work(p, residual)
  return intensity.rmsnorm { rows = p.rows, n = p.cols, residual = residual, dtype = "bf16", pipe = "fp32" }
end

local function add_rmsnorm(facts)
  return kernel {
    name = facts.name,
    source = "add_rmsnorm.cu",
    entry = facts.entry,
    problem = { "rows", "cols" },
    params = { rows.params.threads, rows.params.block, rows.params.held, rows.params.read, rows.params.write },
    buffers = function(p)
      local n = p.rows * p.cols
      return {
        x = input(bf16, n), residual = input(bf16, n), weight = input(bf16, p.cols),
        sum = output(bf16, n), y = output(bf16, n),
      }
    end,
    launch = facts.launch,
    work = function(p) return work(p, 1) end,
    traffic = facts.traffic,
    check = {
      reference = "add_rmsnorm_reference.cu:add_rmsnorm_reference",
      length = function(p) return p.cols end,
      odd = { rows = 37, cols = 259 },
    },
  }
end

local ITEMS = 4 -- vectors of a thread in the kernel that adds

local two_kernels = add_rmsnorm {
  name = "add_then_rmsnorm",
  entry = { "add_rows<8, 4>", "rmsnorm_alone<8, THREADS, BLOCK, 1, true, HELD, READ, WRITE>" },
  launch = function(p, c, gpu, b)
    local n, vec = p.rows * p.cols, rows.vector(p.cols)
    return {
      {
        entry = ("add_rows<%d, %d>"):format(vec, ITEMS),
        args = { b.x, b.residual, b.sum, i64(n) },
        grid = ceil_div(n, 256 * ITEMS * vec),
        block = 256,
        work = { fp32 = n, read = 4 * n, write = 2 * n },
      },
      {
        entry = rows.entry("rmsnorm_alone", p.cols, c.THREADS, "HELD, READ, WRITE"),
        args = { b.sum, b.weight, b.y, i64(p.rows), i64(p.cols), f32(rows.EPSILON) },
        grid = rows.grid(p, c),
        block = c.BLOCK,
        work = work(p, 0),
      },
    }
  end,
  traffic = function(p) return { l1 = 12 * p.rows * p.cols } end,
}

local fused = add_rmsnorm {
  name = "add_rmsnorm",
  entry = "add_rmsnorm<8, THREADS, BLOCK, 1, true, HELD, READ, WRITE>",
  launch = function(p, c, gpu, b)
    return {
      entry = rows.entry("add_rmsnorm", p.cols, c.THREADS, "HELD, READ, WRITE"),
      args = { b.x, b.residual, b.weight, b.sum, b.y, i64(p.rows), i64(p.cols), f32(rows.EPSILON) },
      grid = rows.grid(p, c),
      block = c.BLOCK,
    }
  end,
  traffic = function(p) return { l1 = 10 * p.rows * p.cols } end,
}

return { two_kernels = two_kernels, fused = fused }
