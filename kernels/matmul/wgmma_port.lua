-- SPDX-License-Identifier: Apache-2.0
-- wgmma from shared memory while TMA writes there: wgmma_port.cu. Multiplications of 64 x columns x 64, `steps` a block.
local FEED = { lines = 4096, bytes = 8192, stages = 16 } -- 512 KiB in L2 for all

return kernel {
  name = "wgmma_port",
  source = "wgmma_port.cu",
  entry = "wgmma_port<columns, GROUPS, WRITE, CLUSTER>",
  problem = { "columns", "steps" },
  compiled = { "columns" },
  params = {
    { "GROUPS", 2, "warpgroups that multiply" },
    { "WRITE", 0, "bytes a clock that TMA writes meanwhile" },
    { "CLUSTER", 1, "blocks that share what L2 gives" },
  },
  buffers = function(p)
    return {
      a = input(bf16, 64 * 64), b = input(bf16, p.columns * 64), feed = input(bf16, FEED.lines * 64),
      y = output(bf16, 64 * p.columns),
    }
  end,
  launch = function(p, c, gpu, b)
    local map = tensor_map(b.feed, { 64, FEED.lines }, { box = { 64, 64 // c.CLUSTER }, swizzle = 128 })
    return {
      args = { b.a, b.b, map, b.y, i32(p.steps), i32(FEED.lines), i32(0) },
      grid = gpu.sms // c.CLUSTER * c.CLUSTER,
      cluster = c.CLUSTER,
      block = c.GROUPS * 128 + 32,
      shared = 180 * KiB, -- no less than it needs, and an SM has one block
    }
  end,
  work = function(p) return { tensor_bf16 = 2 * 64 * p.columns * 64 * p.steps, bytes = 2 * (64 * 64 + 128 * p.columns) } end,
  traffic = function(p, c, gpu)
    local blocks, clocks = gpu.sms // c.CLUSTER * c.CLUSTER, p.steps * 4 * p.columns / 2
    return {
      tensor_bf16 = blocks * 2 * 64 * p.columns * 64 * p.steps,
      shared = blocks * (p.steps * 128 * (64 + p.columns) + c.WRITE * clocks),
      l2 = blocks * c.WRITE * clocks / c.CLUSTER,
    }
  end,
  check = { reference = "wgmma_port_reference.cu:wgmma_port_reference", length = 64 },
}
