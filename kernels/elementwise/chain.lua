-- SPDX-License-Identifier: Apache-2.0
-- y = relu((x + 1) * 2) in fp32. Returns { unfused, fused }: three kernels with two arrays between, or one.
local params = {
  { "VEC", 1, "floats a load" },
  { "BLOCK", 256, "threads a block" },
  { "ITEMS", 1, "loads in flight in a thread" },
}

local function step(operation, p, c, from, to)
  return {
    entry = "chain<" .. operation .. ", VEC, BLOCK, ITEMS>",
    args = { from, to, i64(p.n) },
    grid = ceil_div(p.n, c.VEC * c.BLOCK * c.ITEMS),
    block = c.BLOCK,
    work = { fp32 = p.n, read = 4 * p.n, write = 4 * p.n },
  }
end

local function work(p) return { fp32 = 3 * p.n, read = 4 * p.n, write = 4 * p.n } end

return {
  unfused = kernel {
    name = "chain_unfused",
    source = "chain.cu",
    entry = { "chain<AddOne, VEC, BLOCK, ITEMS>", "chain<Twice, VEC, BLOCK, ITEMS>", "chain<Relu, VEC, BLOCK, ITEMS>" },
    problem = { "n" },
    params = params,
    buffers = function(p)
      return { x = input(f32, p.n), y = output(f32, p.n), sum = temp(f32, p.n), twice = temp(f32, p.n) }
    end,
    launch = function(p, c, gpu, b)
      return {
        step("AddOne", p, c, b.x, b.sum),
        step("Twice", p, c, b.sum, b.twice),
        step("Relu", p, c, b.twice, b.y),
      }
    end,
    work = work,
    -- Each kernel reads and writes an array. What lies between stays in L2 while it, and what is written beside it, fit.
    traffic = function(p, c, gpu)
      return { l2 = 24 * p.n, dram = 16 * p.n > gpu.l2_bytes and 24 * p.n or nil }
    end,
    check = { reference = "chain_reference.cu:chain_reference" },
  },
  fused = kernel {
    name = "chain_fused",
    source = "chain.cu",
    entry = "chain<All, VEC, BLOCK, ITEMS>",
    problem = { "n" },
    params = params,
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, i64(p.n) },
        grid = ceil_div(p.n, c.VEC * c.BLOCK * c.ITEMS),
        block = c.BLOCK,
      }
    end,
    work = work,
    check = { reference = "chain_reference.cu:chain_reference" },
  },
}
