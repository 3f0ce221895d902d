-- SPDX-License-Identifier: Apache-2.0
-- y = x convolved with a square filter, one channel, fp32; x has filter - 1 rows and columns more than y, and the filter lies in
-- constant memory. Returns { pixels, tile, registers }.
local BLOCK_X = { "BLOCK_X", 32, "threads along a row" }
local BLOCK_Y = { "BLOCK_Y", 8, "rows of threads" }
local TILE_X = { "TILE_X", 4, "pixels of a thread along a row" }
local TILE_Y = { "TILE_Y", 4, "rows of pixels of a thread" }

local function tiles(p, c) return ceil_div(p.width, c.BLOCK_X * c.TILE_X) * ceil_div(p.height, c.BLOCK_Y * c.TILE_Y) end

local function convolution(facts)
  -- What a block has in shared memory, bytes.
  local function staged(p, c)
    local pitch = c.BLOCK_X * c.TILE_X + p.filter - 1
    return 4 * (c.BLOCK_Y * c.TILE_Y + p.filter - 1) * (facts.vectors and ceil_div(pitch, 4) * 4 or pitch)
  end
  return kernel {
    name = "convolution_" .. facts.name,
    source = "convolution.cu",
    entry = facts.entry,
    problem = { "height", "width", "filter" },
    compiled = { "filter" },
    params = facts.params,
    buffers = function(p)
      return {
        x = input(f32, (p.height + p.filter - 1) * (p.width + p.filter - 1)),
        y = output(f32, p.height * p.width),
      }
    end,
    constants = function(p) return { d_filter = input(f32, p.filter * p.filter) } end,
    launch = function(p, c, gpu, b)
      local across, down = c.BLOCK_X, c.BLOCK_Y
      if facts.reads then across, down = across * c.TILE_X, down * c.TILE_Y end
      return {
        args = { b.x, b.y, i64(p.height), i64(p.width) },
        grid = { ceil_div(p.width, across), ceil_div(p.height, down) },
        block = c.BLOCK_X * c.BLOCK_Y,
        shared = facts.reads and staged(p, c) or 0,
      }
    end,
    work = function(p)
      return {
        fp32 = 2 * p.filter ^ 2 * p.height * p.width,
        read = 4 * ((p.height + p.filter - 1) * (p.width + p.filter - 1) + p.filter ^ 2),
        write = 4 * p.height * p.width,
        items = { "pixel", p.height * p.width },
      }
    end,
    -- A tile is written once; threads read 4 bytes a product, or vectors.
    traffic = facts.reads and function(p, c)
      return { shared = tiles(p, c) * (staged(p, c) + c.BLOCK_X * c.BLOCK_Y * facts.reads(p, c)) }
    end,
    check = { reference = "convolution_reference.cu:convolution_reference", length = function(p) return p.filter ^ 2 end },
  }
end

return {
  pixels = convolution {
    name = "pixels",
    entry = "convolution_pixels<BLOCK_X, BLOCK_Y>",
    params = { BLOCK_X, BLOCK_Y },
  },

  tile = convolution {
    name = "tile",
    entry = "convolution_tile<BLOCK_X, BLOCK_Y, TILE_X, TILE_Y>",
    params = { BLOCK_X, BLOCK_Y, TILE_X, TILE_Y },
    reads = function(p, c) return 4 * p.filter ^ 2 * c.TILE_X * c.TILE_Y end,
  },

  registers = convolution {
    name = "registers",
    vectors = true,
    entry = "convolution_registers<BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, UNROLLED>",
    params = {
      BLOCK_X,
      BLOCK_Y,
      { "TILE_X", 4, "pixels of a thread along a row, a multiple of 4" },
      TILE_Y,
      { "UNROLLED", false, "no loop over rows is left" },
    },
    -- Threads whose vectors lie TILE_X floats apart meet in a bank TILE_X / 4 times, up to 8.
    reads = function(p, c)
      return 16 * ceil_div(c.TILE_X + p.filter - 1, 4) * (c.TILE_Y + p.filter - 1) * math.min(c.TILE_X // 4, 8)
    end,
  },
}
