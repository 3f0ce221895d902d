-- SPDX-License-Identifier: Apache-2.0
-- Copy, scale, add and triad in fp32: out = a, 1.5 a, a + b, a + 1.5 b. Returns, by these names, { vectors, bulk }: loads
-- and stores by threads, and bulk copies through shared memory (sm_90 and newer).
local FACTOR = 1.5 -- stream_reference.cu has the same

local function operation(name, type, inputs, flops)
  local facts = {
    problem = { "n" },
    buffers = function(p)
      return { a = input(f32, p.n), b = inputs == 2 and input(f32, p.n) or nil, out = output(f32, p.n) }
    end,
    work = function(p)
      return { fp32 = flops > 0 and flops * p.n or nil, read = 4 * inputs * p.n, write = 4 * p.n }
    end,
    check = { reference = "stream_reference.cu:stream_" .. name .. "_reference" },
  }
  local function args(p, b) return { b.a, inputs == 2 and b.b or b.a, b.out, f32(FACTOR), i64(p.n) } end
  local function with(more)
    for key, value in pairs(facts) do more[key] = value end
    more.source = "stream.cu"
    return kernel(more)
  end
  return {
    vectors = with {
      name = "stream_" .. name,
      entry = "stream<" .. type .. ", VEC, BLOCK, ITEMS, LOAD, STORE, (GRID > 0)>",
      params = {
        { "VEC", 1, "floats a load" },
        { "BLOCK", 256, "threads a block" },
        { "ITEMS", 1, "loads of each input in flight in a thread" },
        { "LOAD", ctype "ca", "cache operator of loads; na: past L1 (no_allocate)" },
        { "STORE", ctype "wb", "cache operator of stores" },
        { "GRID", 0, "blocks an SM that stay and take several tiles; 0: a block a tile" },
      },
      launch = function(p, c, gpu, b)
        local tiles = ceil_div(p.n, c.BLOCK * c.ITEMS * c.VEC)
        return {
          args = args(p, b),
          grid = c.GRID > 0 and math.min(tiles, c.GRID * gpu.sms) or tiles,
          block = c.BLOCK,
        }
      end,
    },
    bulk = with {
      name = "stream_" .. name .. "_bulk",
      entry = "stream_bulk<" .. type .. ", BLOCK, CHUNK, STAGES, HINT>",
      params = {
        { "BLOCK", 128, "threads a block; of a copy one works" },
        { "CHUNK", 2048, "floats a bulk copy" },
        { "STAGES", 3, "places in the ring; all but one are being loaded" },
        { "GRID", 2, "blocks an SM" },
        { "HINT", false, "evict-first in L2" },
      },
      launch = function(p, c, gpu, b)
        return {
          args = args(p, b),
          grid = math.max(1, math.min(p.n // c.CHUNK, c.GRID * gpu.sms)),
          block = c.BLOCK,
          shared = 4 * inputs * c.CHUNK * c.STAGES,
        }
      end,
      traffic = function(p) return { l2 = 4 * (inputs + 1) * p.n } end,
    },
  }
end

return {
  copy = operation("copy", "Copy", 1, 0),
  scale = operation("scale", "Scale", 1, 1),
  add = operation("add", "Add", 2, 1),
  triad = operation("triad", "Triad", 2, 2),
}
