-- SPDX-License-Identifier: Apache-2.0
-- y = x transposed; x is m rows of n. Returns { f16, f32, f64 }, each { naive, tile, padded, swizzled, registers, vectors,
-- tma }: a ladder of kernels.

-- Passes that shared memory needs when the 32 lanes of a warp read a column of a tile whose rows have `pitch` elements: the
-- most different words that one bank is asked for. Words of 8 bytes are served half a warp at a time.
local function passes_of_column(bytes, pitch, swizzle)
  local lanes = bytes == 8 and 16 or 32
  local asked, worst = {}, 0
  for row = 0, lanes - 1 do
    local word = (row * pitch + (swizzle and row or 0)) * bytes // 4 -- the column 0 ~ row of a swizzled tile
    local bank = word % 32
    asked[bank] = asked[bank] or { count = 0 }
    if not asked[bank][word] then
      asked[bank][word] = true
      asked[bank].count = asked[bank].count + 1
      worst = math.max(worst, asked[bank].count)
    end
  end
  return worst * (32 // lanes)
end

local ORDER = { "ORDER", "rows", "order of tiles: along rows of x, of y, diagonally, in bands of 8 or 32 rows of tiles" }
local TILE_M = { "TILE_M", 32, "rows of a tile" }
local TILE_N = { "TILE_N", 32, "columns of a tile" }
local STREAM = { "STREAM", false, "evict-first loads and stores" }

local function transposes(element, name, bytes)
  local wide = 16 // bytes -- elements in 16 bytes

  local function transpose(facts)
    return kernel {
      name = "transpose_" .. name .. "_" .. facts.name,
      source = "transpose.cu",
      entry = facts.entry,
      problem = { "m", "n" },
      params = facts.params,
      buffers = function(p) return { x = input(element, p.m * p.n), y = output(element, p.m * p.n) } end,
      launch = facts.launch,
      work = function(p) return { read = bytes * p.m * p.n, write = bytes * p.m * p.n } end,
      traffic = facts.traffic,
      check = { reference = "transpose_reference.cu:transpose_" .. name .. "_reference" },
    }
  end

  -- One block a tile.
  local function launch_tiles(p, b, tile_m, tile_n, more)
    local rows, cols = ceil_div(p.m, tile_m), ceil_div(p.n, tile_n)
    more.args = more.args or { b.x, b.y, i64(p.m), i64(p.n) }
    more.args[#more.args + 1] = u32(rows)
    more.args[#more.args + 1] = u32(cols)
    more.grid = rows * cols
    return more
  end

  -- Rows that are no multiples of 16 bytes go element by element.
  local function is_wide(p) return p.m % wide == 0 and p.n % wide == 0 end
  local function launch_odd(p, b)
    local entry = ("transpose_tile<%d, 32, 32, 4, 1, false>"):format(bytes)
    return launch_tiles(p, b, 32, 32, { entry = entry, block = 256 })
  end

  local naive = transpose {
    name = "naive",
    entry = ("transpose_naive<%d, BLOCK_X, BLOCK_Y>"):format(bytes),
    params = {
      { "SIDE", "read", "the coalesced side: a warp reads, or writes, 32 neighbours" },
      { "BLOCK_X", 32, "threads along the coalesced side" },
      { "BLOCK_Y", 8, "threads along the other" },
    },
    launch = function(p, c, gpu, b)
      local reads = c.SIDE == "read"
      return launch_tiles(p, b, reads and c.BLOCK_Y or c.BLOCK_X, reads and c.BLOCK_X or c.BLOCK_Y, {
        block = { c.BLOCK_X, c.BLOCK_Y },
      })
    end,
    -- Each store of a column is a sector of 32 bytes on its way to L2. Loads of a column find in L1 what neighbouring warps
    -- have brought, or do not: not known.
    traffic = function(p, c)
      if c.SIDE ~= "read" then return {} end
      return { l2 = (bytes + 32) * p.m * p.n }
    end,
  }

  local function tiled(kind, pad, swizzle)
    local params = { TILE_M, TILE_N, { "ITEMS", 4, "elements a thread" }, ORDER }
    if pad == "PAD" then table.insert(params, 3, { "PAD", 1, "elements behind each row of the tile" }) end
    return transpose {
      name = kind,
      entry = ("transpose_tile<%d, TILE_M, TILE_N, ITEMS, %s, %s>"):format(bytes, pad, tostring(swizzle)),
      params = params,
      launch = function(p, c, gpu, b)
        return launch_tiles(p, b, c.TILE_M, c.TILE_N, { block = c.TILE_M * c.TILE_N // c.ITEMS })
      end,
      -- A pass of a warp is 128 bytes of the pipe, however little it uses: one to write a row, more to read a column.
      traffic = function(p, c)
        local row = math.max(4, bytes)
        local column = 4 * passes_of_column(bytes, c.TILE_N + (pad == "PAD" and c.PAD or 0), swizzle)
        return { l2 = 2 * bytes * p.m * p.n, shared = (row + column) * p.m * p.n }
      end,
    }
  end

  local registers = transpose {
    name = "registers",
    entry = ("transpose_registers<%d, TILE_M, TILE_N, LANES_N, STREAM>"):format(bytes),
    params = { { "TILE_M", 64, TILE_M[3] }, { "TILE_N", 64, TILE_N[3] },
               { "LANES_N", 8, "lanes of a warp side by side along a row of x" }, STREAM, ORDER },
    launch = function(p, c, gpu, b)
      if not is_wide(p) then return launch_odd(p, b) end
      return launch_tiles(p, b, c.TILE_M, c.TILE_N, { block = c.TILE_M * c.TILE_N // (wide * wide) })
    end,
    traffic = function(p, c) return { l2 = 2 * bytes * p.m * p.n } end,
  }

  local function wide_traffic(p) return { l2 = 2 * bytes * p.m * p.n, shared = 2 * bytes * p.m * p.n } end
  local function wide_params(first)
    return { { "TILE_M", 64, TILE_M[3] }, { "TILE_N", 64, TILE_N[3] },
             { "ITEMS", 1, "squares of 16 bytes by 16 bytes a thread" }, first, ORDER }
  end
  local function threads(c) return c.TILE_M * c.TILE_N // (wide * wide * c.ITEMS) end

  local vectors = transpose {
    name = "vectors",
    entry = ("transpose_vectors<%d, TILE_M, TILE_N, ITEMS, STREAM>"):format(bytes),
    params = wide_params(STREAM),
    launch = function(p, c, gpu, b)
      if not is_wide(p) then return launch_odd(p, b) end
      return launch_tiles(p, b, c.TILE_M, c.TILE_N, { block = threads(c), shared = bytes * c.TILE_M * c.TILE_N })
    end,
    traffic = wide_traffic,
  }

  local tma = transpose {
    name = "tma",
    entry = ("transpose_tma<%d, TILE_M, TILE_N, ITEMS>"):format(bytes),
    params = wide_params { "PROMOTE", 256, "bytes that L2 fetches at once for a tile that is read" },
    launch = function(p, c, gpu, b)
      if not is_wide(p) then return launch_odd(p, b) end
      local span = 128 // bytes
      local from = tensor_map(b.x, { p.n, p.m }, { box = { span, c.TILE_M }, swizzle = 128, l2_promotion = c.PROMOTE })
      local to = tensor_map(b.y, { p.m, p.n }, { box = { span, c.TILE_N }, swizzle = 128 })
      return launch_tiles(p, b, c.TILE_M, c.TILE_N, {
        args = { from, to, i32(p.m), i32(p.n) },
        block = threads(c),
        shared = bytes * c.TILE_M * c.TILE_N + 16, -- the barrier lies behind the tile
      })
    end,
    -- Each byte is brought, read by a thread, written by a thread, and taken away.
    traffic = function(p) return { l2 = 2 * bytes * p.m * p.n, shared = 4 * bytes * p.m * p.n } end,
  }

  return {
    naive = naive,
    tile = tiled("tile", "0", false),
    padded = tiled("padded", "PAD", false),
    swizzled = tiled("swizzled", "0", true),
    registers = registers,
    vectors = vectors,
    tma = tma,
  }
end

return { f16 = transposes(f16, "f16", 2), f32 = transposes(f32, "f32", 4), f64 = transposes(f64, "f64", 8) }
