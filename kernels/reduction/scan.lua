-- SPDX-License-Identifier: Apache-2.0
-- y[i] = x[0] + ... + x[i]. Returns { i32, f32, f64 }, each { three, look_back, look_ahead }: three kernels that read x
-- twice, and two that read it once.
local BLOCK = { "BLOCK", 256, "threads a block" }
local PIECE = 4096 -- of the reference
local ROWS = { "ROWS", 4, "16-byte vectors in registers in a thread" }

local function scans(name, element, ctype, bytes, pipe)
  local vec = 16 // bytes

  local function scan(kind, facts)
    return kernel {
      name = "scan_" .. name .. "_" .. kind,
      source = "scan.cu",
      entry = facts.entry:gsub("TYPE", ctype),
      problem = { "n" },
      params = facts.params,
      buffers = function(p, c, gpu)
        local all = { x = input(element, p.n), y = output(element, p.n) }
        facts.buffers(all, p, c)
        return all
      end,
      prepare = facts.prepare,
      launch = facts.launch,
      work = function(p) return { [pipe] = p.n, read = bytes * p.n, write = bytes * p.n } end,
      traffic = facts.traffic,
      -- A sum goes through up to 64 additions in its tile and at most one for each tile before it, of 512 elements or more.
      -- What rounding may cost grows with the square root of that, and is judged beside the mean of all |y|.
      check = {
        reference = {
          "scan_reference.cu",
          buffers = function(p) return { sums = temp(element == i32 and i32 or f64, ceil_div(p.n, PIECE)) } end,
          launch = function(p, c, gpu, b)
            local grid = ceil_div(p.n, 64 * PIECE)
            return {
              { entry = name .. "_sums", args = { b.x, b.sums, i64(p.n) }, grid = grid, block = 64 },
              { entry = name .. "_before", args = { b.sums, i64(p.n) }, grid = 1, block = 1024 },
              { entry = name .. "_pieces", args = { b.x, b.y, b.sums, i64(p.n) }, grid = grid, block = 64 },
            }
          end,
        },
        length = function(p) return element == i32 and 1 or 64 + p.n / 512 end,
      },
    }
  end

  local function tile(c) return c.BLOCK * c.ROWS * vec end
  -- A counter, and what each tile tells; zero once, then each launch knows its own (look_back.cuh).
  local function state(all, tiles) all.state = temp(u64, 2 + 2 * tiles) end
  local function prepare(p, c, gpu, b) return { memset(b.state, 0) } end
  local function passes(reads)
    return function(p, c, gpu, reverse)
      local traffic = { l2 = (reads + 1) * bytes * p.n }
      if 2 * bytes * p.n > 4 * gpu.l2_bytes then
        traffic.dram_read, traffic.dram_write = reads * bytes * p.n, bytes * p.n
        if reverse then traffic.dram_read = traffic.dram_read - gpu.l2_bytes // 2 end
      end
      return traffic
    end
  end

  return {
    three = scan("three", {
      entry = "scan_sums<TYPE, BLOCK, ROWS>",
      params = { BLOCK, ROWS, { "REVERSE", false, "the last kernel begins at the end, in what L2 still holds" } },
      buffers = function(all, p, c) all.sums = temp(element, ceil_div(p.n, tile(c))) end,
      launch = function(p, c, gpu, b)
        local tiles = ceil_div(p.n, tile(c))
        return {
          {
            args = { b.x, b.sums, i64(p.n) },
            grid = tiles,
            block = c.BLOCK,
            work = { [pipe] = p.n, read = bytes * p.n, write = bytes * tiles },
          },
          {
            entry = ("scan_of_sums<%s, 512, 4>"):format(ctype),
            args = { b.sums, i32(tiles) },
            grid = 1,
            block = 512,
            work = { [pipe] = tiles, read = bytes * tiles, write = bytes * tiles },
          },
          {
            entry = ("scan_add<%s, BLOCK, ROWS, REVERSE>"):format(ctype),
            args = { b.x, b.y, b.sums, i64(p.n) },
            grid = tiles,
            block = c.BLOCK,
            work = { [pipe] = p.n, read = bytes * p.n + bytes * tiles, write = bytes * p.n },
          },
        }
      end,
      traffic = function(p, c, gpu) return passes(2)(p, c, gpu, c.REVERSE) end,
    }),

    look_back = scan("look_back", {
      entry = "scan_look_back<TYPE, BLOCK, ROWS, HELD, DELAY>",
      params = {
        BLOCK,
        { "ROWS", 8, ROWS[3] },
        { "HELD", 1024, "threads that an SM shall hold, which bounds the registers" },
        { "DELAY", 0, "nanoseconds between two looks at what a tile tells" },
      },
      buffers = function(all, p, c) state(all, ceil_div(p.n, tile(c))) end,
      prepare = prepare,
      launch = function(p, c, gpu, b)
        return { args = { b.x, b.y, b.state, i64(p.n) }, grid = ceil_div(p.n, tile(c)), block = c.BLOCK }
      end,
      traffic = function(p, c, gpu) return passes(1)(p, c, gpu, false) end,
    }),

    look_ahead = scan("look_ahead", {
      entry = "scan_look_ahead<TYPE, TILE_KIB * 1024, STAGES, WARPS, SUMMERS, PER_SM>",
      params = {
        { "TILE_KIB", 16, "KiB of a tile" },
        { "STAGES", 6, "tiles of a block in shared memory" },
        { "WARPS", 8, "warps that scan and write" },
        { "SUMMERS", 4, "warps that add a tile up" },
        { "PER_SM", 1, "blocks an SM" },
      },
      buffers = function(all, p, c) state(all, ceil_div(bytes * p.n, 1024 * c.TILE_KIB)) end,
      prepare = prepare,
      launch = function(p, c, gpu, b)
        local stage = bytes * c.WARPS + 2 * bytes + 8 -- of scan.cu: Stage
        return {
          args = { b.x, b.y, b.state, i64(p.n) },
          grid = math.min(ceil_div(bytes * p.n, 1024 * c.TILE_KIB), gpu.sms * c.PER_SM),
          block = 32 * (c.WARPS + c.SUMMERS + 2),
          shared = c.STAGES * (1024 * c.TILE_KIB + stage + 5 * 8),
        }
      end,
      traffic = function(p, c, gpu)
        local traffic = passes(1)(p, c, gpu, false)
        traffic.shared = 3 * bytes * p.n -- in, and read twice
        return traffic
      end,
    }),
  }
end

return {
  i32 = scans("i32", i32, "int", 4, "int32"),
  f32 = scans("f32", f32, "float", 4, "fp32"),
  f64 = scans("f64", f64, "double", 8, "fp64"),
}
