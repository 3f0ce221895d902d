-- SPDX-License-Identifier: Apache-2.0
-- Stream compaction: those of x below `percent`, of whole numbers from 0 to 99, move to the front of y in their order.
-- Returns { three, look_back }: kernels that read x twice, and once.
local PIECE = 4096 -- of the reference

local function select_if(kind, facts)
  return kernel {
    name = "select_" .. kind,
    source = "select.cu",
    entry = facts.entry,
    problem = { "n", "percent" },
    params = facts.params,
    buffers = function(p, c)
      local all = {
        x = input(i32, p.n, uniform(0, 100)),
        y = inout(i32, p.n, uniform(-1, -1)), -- what lies behind those that are kept stays
        count = output(i32, 1),
      }
      facts.buffers(all, ceil_div(p.n, 4 * c.BLOCK * c.ROWS))
      return all
    end,
    prepare = facts.prepare,
    launch = facts.launch,
    work = function(p) return { int32 = p.n, read = 4 * p.n, write = 4 * (p.n * p.percent // 100) } end,
    traffic = facts.traffic,
    check = {
      reference = {
        "select_reference.cu",
        buffers = function(p) return { sums = temp(i32, ceil_div(p.n, PIECE)) } end,
        launch = function(p, c, gpu, b)
          local grid, limit = ceil_div(p.n, 64 * PIECE), i32(p.percent)
          return {
            { entry = "select_pieces", args = { b.x, b.sums, i64(p.n), limit }, grid = grid, block = 64 },
            { entry = "select_before", args = { b.sums, b.count, i64(p.n) }, grid = 1, block = 1024 },
            { entry = "select_again", args = { b.x, b.y, b.sums, i64(p.n), limit }, grid = grid, block = 64 },
          }
        end,
      },
    },
  }
end

local BLOCK = { "BLOCK", 256, "threads a block" }
local ROWS = { "ROWS", 4, "16-byte vectors in registers in a thread" }
local STAGED = { "STAGED", true, "what a block keeps is put together in shared memory first" }

local function passes(reads)
  return function(p, c, gpu)
    local kept = 4 * (p.n * p.percent // 100)
    local traffic = { shared = c.STAGED and 2 * kept or nil }
    if 4 * p.n > 4 * gpu.l2_bytes then traffic.dram_read, traffic.dram_write = 4 * reads * p.n, kept end
    return traffic
  end
end

return {
  three = select_if("three", {
    entry = "select_count<BLOCK, ROWS>",
    params = { BLOCK, ROWS, STAGED },
    buffers = function(all, tiles) all.sums = temp(i32, tiles) end,
    launch = function(p, c, gpu, b)
      local tiles = ceil_div(p.n, 4 * c.BLOCK * c.ROWS)
      return {
        { args = { b.x, b.sums, i64(p.n), i32(p.percent) }, grid = tiles, block = c.BLOCK },
        { entry = "scan_of_sums<int, 512, 4>", args = { b.sums, i32(tiles) }, grid = 1, block = 512 },
        {
          entry = "select_write<BLOCK, ROWS, STAGED>",
          args = { b.x, b.y, b.count, b.sums, i64(p.n), i32(p.percent) },
          grid = tiles,
          block = c.BLOCK,
        },
      }
    end,
    traffic = passes(2),
  }),

  look_back = select_if("look_back", {
    entry = "select_look_back<BLOCK, ROWS, STAGED, HELD>",
    params = { BLOCK, ROWS, STAGED, { "HELD", 1024, "threads that an SM shall hold, which bounds the registers" } },
    buffers = function(all, tiles) all.state = temp(u64, 2 + 2 * tiles) end,
    prepare = function(p, c, gpu, b) return { memset(b.state, 0) } end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, b.count, b.state, i64(p.n), i32(p.percent) },
        grid = ceil_div(p.n, 4 * c.BLOCK * c.ROWS),
        block = c.BLOCK,
      }
    end,
    traffic = passes(1),
  }),
}
