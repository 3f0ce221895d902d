-- SPDX-License-Identifier: Apache-2.0
-- y = x / ||x||, the norm of all n values. Returns { unfused, two_launches, cooperative }: five passes over memory, three,
-- and three in one launch.

local l2 = require "kernels.l2_policy"

-- More than any GPU keeps on its chip, caches, registers and shared memory together: beyond it anyone has to read x twice.
local ON_CHIP = 256 * MiB

local BLOCK = { "BLOCK", 512, "threads a block" }
local ITEMS = { "ITEMS", 4, "16-byte loads in flight in a thread" }
local PER_SM = { "PER_SM", 4, "blocks an SM where a launch has no more than fit at once" }
local REVERSE = { "REVERSE", false, "the second pass begins where the first ended, in what L2 still holds" }
local STREAM = { "STREAM", false, "evict-first loads and stores in the second pass" }

local KEPT_MIB = { "KEPT_MIB", 0, "so much at the end of x shall stay in L2 between the passes" }

local function batches(p, c) return ceil_div(p.n, 4 * c.BLOCK * c.ITEMS) end
local function blocks(p, c, gpu) return math.min(batches(p, c), c.PER_SM * gpu.sms) end

local function l2_norm(kind, facts)
  return kernel {
    name = "l2_norm_" .. kind,
    source = "l2_norm.cu",
    entry = facts.entry,
    problem = { "n" },
    params = facts.params,
    buffers = function(p, c, gpu)
      local all = {
        x = input(f32, p.n),
        y = output(f32, p.n),
        partials = temp(f32, blocks(p, c, gpu)),
        counter = temp(u32, 1),
      }
      if facts.sum then all.sum = temp(f32, 1) end
      if facts.squares then all.squares = temp(f32, p.n) end
      return all
    end,
    prepare = function(p, c, gpu, b) return { memset(b.counter, 0) } end,
    launch = facts.launch,
    -- A multiplication and an addition for the sum, a multiplication for the result.
    work = function(p) return { fp32 = 3 * p.n, read = 4 * p.n + math.max(0, 4 * p.n - ON_CHIP), write = 4 * p.n } end,
    traffic = facts.traffic,
    -- Everything that is added up is positive, and no sum is carried through more than 2^13 additions in a row.
    check = { reference = "l2_norm_reference.cu:l2_norm_reference", length = 2^13, odd = { {}, { n = 2^25 + 1023 } } },
  }
end

local function add(p, c, gpu, b, op, from, kept)
  return {
    entry = ("add_all<%s, BLOCK, ITEMS, %s>"):format(op, kept),
    args = { from, b.sum, b.partials, b.counter, i64(p.n) },
    grid = blocks(p, c, gpu),
    block = c.BLOCK,
    work = { fp32 = op == "SumSquares" and 2 * p.n or p.n, read = 4 * p.n, write = 4 },
  }
end

local function divide(p, c, b, reverse, read, write)
  return {
    entry = ("divide_all<BLOCK, ITEMS, %s, %s, %s>"):format(reverse, read, write),
    args = { b.x, b.y, b.sum, i64(p.n) },
    grid = batches(p, c),
    block = c.BLOCK,
    work = { fp32 = p.n, read = 4 * p.n, write = 4 * p.n },
  }
end

-- What L2 holds of x when the second pass begins where the first ended; what it then writes needs room there as well.
local function second_pass(p, c, gpu, kept)
  if 8 * p.n <= gpu.l2_bytes then return 0 end
  return 4 * p.n - (c.REVERSE and math.min(4 * p.n, kept > 0 and kept or gpu.l2_bytes // 2) or 0)
end
local function fused_traffic(p, c, gpu, kept)
  return { dram_read = 4 * p.n + second_pass(p, c, gpu, kept), dram_write = 4 * p.n, l2 = 12 * p.n }
end

return {
  unfused = l2_norm("unfused", {
    entry = "square_all<BLOCK, ITEMS>",
    params = { BLOCK, ITEMS, PER_SM },
    sum = true,
    squares = true,
    launch = function(p, c, gpu, b)
      return {
        {
          args = { b.x, b.squares, i64(p.n) },
          grid = batches(p, c),
          block = c.BLOCK,
          work = { fp32 = p.n, read = 4 * p.n, write = 4 * p.n },
        },
        add(p, c, gpu, b, "SumFloat", b.squares, "0"),
        divide(p, c, b, "false", "plain", "plain"),
      }
    end,
    traffic = function(p, c, gpu)
      local traffic = { l2 = 20 * p.n }
      if 12 * p.n > 2 * gpu.l2_bytes then traffic.dram_read, traffic.dram_write = 12 * p.n, 8 * p.n end
      return traffic
    end,
  }),

  two_launches = l2_norm("two_launches", {
    entry = "add_all<SumSquares, BLOCK, ITEMS, KEPT_MIB>",
    params = { BLOCK, ITEMS, PER_SM, REVERSE, KEPT_MIB, l2.READ, l2.WRITE },
    sum = true,
    launch = function(p, c, gpu, b)
      return {
        add(p, c, gpu, b, "SumSquares", b.x, "KEPT_MIB"),
        divide(p, c, b, "REVERSE", "READ", "WRITE"),
      }
    end,
    traffic = function(p, c, gpu) return fused_traffic(p, c, gpu, c.KEPT_MIB * MiB) end,
  }),

  cooperative = l2_norm("cooperative", {
    entry = "normalise<BLOCK, ITEMS, PER_SM, REVERSE, STREAM>",
    params = { BLOCK, ITEMS, { "PER_SM", 1, PER_SM[3] }, REVERSE, STREAM },
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, b.partials, b.counter, i64(p.n) },
        grid = blocks(p, c, gpu),
        block = c.BLOCK,
        cooperative = true,
      }
    end,
    traffic = function(p, c, gpu) return fused_traffic(p, c, gpu, 0) end,
  }),
}
