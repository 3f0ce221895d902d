-- SPDX-License-Identifier: Apache-2.0
-- counts[k] = how often k, from 0 to bins - 1, is among n keys of 8, 16 or 32 bits. `data` says which keys there are
-- (histogram_keys.cu). Returns { u8, u16, i32 }, each { global, matched, shared, warps, packed, runs }.
local BLOCK = { "BLOCK", 256, "threads a block" }
local ITEMS = { "ITEMS", 4, "16-byte loads in flight in a thread" }
local PER_SM = { "PER_SM", 4, "blocks an SM" }
local COPIES = { "COPIES", 1, "of a block's counts" }

-- Of a warp whose lanes meet bins of 32-bit counters at random: passes, by how many copies lanes share (a simulation).
local PASSES = { [1] = 3.5, [2] = 3.4, [4] = 3.3, [8] = 3, [16] = 2, [32] = 1 }

-- The share of all keys that the most frequent one has.
local function busiest(p)
  if p.data == "constant" then return 1 end
  return p.data == "zipf" and math.log(2) / math.log(p.bins + 1) or 1 / p.bins
end

-- A warp's lanes have the same key.
local function in_order(p) return p.data == "constant" or p.data == "sorted" end

-- 32-byte sectors that a warp's keys meet in global memory. nil: not known.
local function sectors(p)
  if p.data == "uniform" then
    local all = ceil_div(p.bins, 8)
    return all * (1 - (1 - 1 / all) ^ 32)
  end
  return p.data ~= "zipf" and 1 or nil -- a thread's keys follow each other: in sorted data a warp's are the same
end

local function of_type(name, element, bytes, ctext)
  local function blocks(p, c, gpu)
    return math.min(ceil_div(p.n * bytes, 16 * c.BLOCK * c.ITEMS), gpu.sms * c.PER_SM)
  end

  -- Additions in shared memory, then a block's counts to global memory. Of a warp's lanes that add 1 to the same address
  -- (`same` of them) the hardware counts how many they are, and adds once.
  local function in_shared(p, c, gpu, passes, same)
    local own = blocks(p, c, gpu)
    return {
      atomics = {
        shared = passes and passes * p.n,
        shared_one = passes and busiest(p) * p.n / c.COPIES / (in_order(p) and same or 1),
        l2 = own * ceil_div(p.bins, 8),
        l2_one = own,
      },
    }
  end

  local function histogram(kind, facts)
    return kernel {
      name = ("histogram_%s_%s"):format(name, kind),
      source = "histograms.cu",
      entry = facts.entry:gsub("KEY", ctext),
      problem = { "n", "bins", "data" },
      compiled = { "data" },
      params = facts.params,
      buffers = function(p)
        local fill = from { ("histogram_keys.cu:%s_%s"):format(p.data, name), args = { i64(p.bins) } }
        return { keys = input(element, p.n, fill), counts = output(u32, p.bins) }
      end,
      launch = function(p, c, gpu, b)
        if p.n >= 2^32 then error("n is " .. p.n .. ": counters of 32 bits hold less than 2^32 keys") end
        return {
          memset(b.counts, 0),
          {
            args = { b.keys, b.counts, i64(p.n), i32(p.bins) },
            grid = blocks(p, c, gpu),
            block = c.BLOCK,
            shared = facts.shared and facts.shared(p, c) or 0,
          },
        }
      end,
      -- An addition a key.
      work = function(p) return { int32 = p.n, read = bytes * p.n, write = 4 * p.bins, items = { "key", p.n } } end,
      traffic = facts.traffic,
      check = {
        reference = {
          "histograms_reference.cu",
          launch = function(p, c, gpu, b)
            return {
              { entry = "histogram_zeros", args = { b.counts, i64(p.bins) }, grid = ceil_div(p.bins, 256), block = 256 },
              {
                entry = "histogram_" .. name,
                args = { b.keys, b.counts, i64(p.n), i64(p.bins) },
                grid = { ceil_div(p.n, 2^20), ceil_div(p.bins, 4096) },
                block = 1024,
              },
            }
          end,
        },
        odd = { n = 65539 },
      },
    }
  end

  local words = function(p, c) return 4 * (p.bins + 1) * c.COPIES end
  return {
    global = histogram("global", {
      entry = "histogram_global<KEY, BLOCK, ITEMS, Each>",
      params = { BLOCK, ITEMS, PER_SM },
      traffic = function(p)
        local met = sectors(p)
        return { atomics = { l2 = met and met * p.n / 32, l2_one = busiest(p) * p.n } }
      end,
    }),
    matched = histogram("matched", {
      entry = "histogram_global<KEY, BLOCK, ITEMS, Match>",
      params = { BLOCK, ITEMS, PER_SM },
      traffic = function(p)
        local met = sectors(p)
        return { atomics = { l2 = met and met * p.n / 32, l2_one = math.max(p.n / 32, 1) * busiest(p) } } -- at least
      end,
    }),
    shared = histogram("shared", {
      entry = "histogram_shared<KEY, BLOCK, ITEMS, COPIES, true, Each>",
      params = { BLOCK, ITEMS, PER_SM, COPIES },
      shared = words,
      traffic = function(p, c, gpu)
        local random = p.data == "uniform" or p.data == "zipf" and c.COPIES == 32
        return in_shared(p, c, gpu, random and PASSES[c.COPIES] or p.data ~= "zipf" and 1 or nil, 32 / c.COPIES)
      end,
    }),
    warps = histogram("warps", {
      entry = "histogram_shared<KEY, BLOCK, ITEMS, COPIES, false, Each>",
      params = { BLOCK, ITEMS, PER_SM, { "COPIES", 8, "of a block's counts, which warps share" } },
      shared = words,
      traffic = function(p, c, gpu)
        return in_shared(p, c, gpu, p.data == "uniform" and PASSES[1] or p.data ~= "zipf" and 1 or nil, 32)
      end,
    }),
    packed = histogram("packed", {
      entry = "histogram_packed<KEY, BLOCK, ITEMS, COPIES>",
      params = { BLOCK, ITEMS, PER_SM, { "COPIES", 32, "of a block's counts, which lanes share" } },
      shared = function(p, c) return 4 * (p.bins // 2 + 1) * c.COPIES end,
      traffic = function(p, c, gpu) return in_shared(p, c, gpu, c.COPIES == 32 and 1 or nil, 1) end,
    }),
    runs = histogram("runs", {
      entry = "histogram_shared<KEY, BLOCK, ITEMS, COPIES, true, Runs>",
      params = { BLOCK, ITEMS, PER_SM, COPIES },
      shared = words,
    }),
  }
end

return {
  u8 = of_type("u8", u8, 1, "unsigned char"),
  u16 = of_type("u16", u16, 2, "unsigned short"),
  i32 = of_type("i32", i32, 4, "int"),
}
