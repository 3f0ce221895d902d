-- SPDX-License-Identifier: Apache-2.0
-- Tensor cores that read shared memory while something is written there: `wgmma` beside TMA (wgmma_port.cu), on other
-- cards `mma`: mma.sync beside cp.async (mma_port.cu). Multiplications of 64 x columns x 64, `steps` a block, of `blocks`
-- that do the same, one an SM.
local FEED = { lines = 4096, bytes = 8192, stages = 16 } -- 512 KiB in L2 for all

local function operations(p, blocks) return blocks * 2 * 64 * p.columns * 64 * p.steps end
local function blocks_of(p, c) return p.blocks // c.CLUSTER * c.CLUSTER end

local function port(facts)
  return kernel {
    name = facts.name,
    source = facts.name .. ".cu",
    entry = facts.entry,
    problem = { "columns", "steps", "blocks" },
    compiled = { "columns" },
    params = facts.params,
    buffers = function(p)
      return {
        a = input(bf16, 64 * 64), b = input(bf16, p.columns * 64), feed = input(bf16, FEED.lines * 64),
        y = output(bf16, 64 * p.columns),
      }
    end,
    launch = facts.launch,
    work = function(p) return { tensor_bf16 = operations(p, p.blocks), bytes = 2 * (64 * 64 + 128 * p.columns) } end,
    traffic = facts.traffic,
    check = { reference = "wgmma_port_reference.cu:wgmma_port_reference", length = 64 },
  }
end

local wgmma = port {
  name = "wgmma_port",
  entry = "wgmma_port<columns, GROUPS, WRITE, CLUSTER>",
  params = {
    { "GROUPS", 2, "warpgroups that multiply" },
    { "WRITE", 0, "bytes a clock that TMA writes meanwhile" },
    { "CLUSTER", 1, "blocks that share what L2 gives" },
  },
  launch = function(p, c, gpu, b)
    local map = tensor_map(b.feed, { 64, FEED.lines }, { box = { 64, 64 // c.CLUSTER }, swizzle = 128 })
    return {
      args = { b.a, b.b, map, b.y, i32(p.steps), i32(FEED.lines), i32(0) },
      grid = blocks_of(p, c),
      cluster = c.CLUSTER,
      block = c.GROUPS * 128 + 32,
      shared = 180 * KiB, -- no less than it needs, and an SM has one block
    }
  end,
  traffic = function(p, c, gpu)
    local blocks, clocks = blocks_of(p, c), p.steps * 4 * p.columns / 2
    return {
      tensor_bf16 = operations(p, blocks),
      shared = blocks * (p.steps * 128 * (64 + p.columns) + c.WRITE * clocks),
      l2 = blocks * c.WRITE * clocks / c.CLUSTER,
    }
  end,
}

local mma = port {
  name = "mma_port",
  entry = "mma_port<columns, GROUPS, WRITE>",
  params = {
    { "GROUPS", 2, "times four warps that multiply" },
    { "WRITE", 0, "bytes that cp.async writes while 1,024 products are added" },
  },
  launch = function(p, c, gpu, b)
    return {
      args = { b.a, b.b, b.feed, b.y, i32(p.steps), i32(FEED.lines) },
      grid = p.blocks,
      block = c.GROUPS * 128 + 32,
      shared = gpu.shared_per_block, -- an SM has one block
    }
  end,
  -- Of the 64 x columns a warp has 32 x columns / 2.
  traffic = function(p, c, gpu)
    local written = c.WRITE * 4 * p.columns * p.steps
    return {
      [gpu.cc < 80 and "fp32" or "tensor_bf16"] = operations(p, p.blocks),
      shared = p.blocks * (p.steps * 4 * 128 * (32 + p.columns / 2) + written),
      l2 = p.blocks * written,
    }
  end,
}

return { wgmma = wgmma, mma = mma }
