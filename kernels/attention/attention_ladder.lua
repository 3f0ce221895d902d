-- SPDX-License-Identifier: Apache-2.0
-- Steps from attention through memory to a fused kernel, as variants: a function of the type's name and the depth of a head;
-- without a depth for all of them beside one another, in fewer configurations. Of fp8 there are those by wgmma alone.
local attention, fp8 = require "kernels.attention", require "kernels.attention_fp8"
local lists = require "kernels.lists"

-- Blocks of keys that leave few registers idle.
local keys = { [64] = { 128, 192 }, [128] = { 128, 176 }, [256] = { 80 } }
local slots = { [64] = 6, [128] = 4, [256] = 4 }

-- Blocks that stay have as much to do as one another where causal rows of all heads are gone through together; of some, which
-- L2 keeps, where they are whole rounds. Otherwise a head's keys and values are best read at a time.
local ALL = 4096
local together = ("HEADS == (causal and %d or 1)"):format(ALL)
local some_together = "causal == (HEADS > 1)"

return function(dtype, d)
  local narrow = dtype == "fp8"
  local of = narrow and fp8 or attention[dtype]
  local keys = narrow and { 128 } or keys[d] or { 128, 80 }
  local slots = narrow and (d == 128 and 8 or 5) or slots[d] or 4
  local depth = (d or narrow) and {} or { "BLOCK_N == (d == 256 and 80 or 128)" }
  local fewest = d and { keys[1] } or keys
  local above = narrow and 4 or 8 -- powers of e4m3 reach up to 448
  local function wgmma(name, tune, more)
    local all = {
      BLOCK_N = values(keys), SLOTS = values(slots), CONSUMERS = values(2), CLUSTER = values(1), OVERLAP = values(true),
      PINGPONG = values(true), ABOVE = values(above), POLYNOMIAL = values(0), HEADS = values(1), STAY = values(true),
      LONGEST = values(true),
    }
    for parameter, list in pairs(tune) do all[parameter] = list end
    return { name, kernel = of.wgmma, tune = all, where = lists.join(of.wgmma_fits, depth, more or {}) }
  end
  local blocks = d == 256 and not narrow and { 64, 80 } or keys
  local function most_slots(BLOCK_N, SLOTS, CONSUMERS, d, gpu) -- as many as there is room for
    local more = (narrow and 1 or 2) * d * (64 * CONSUMERS + (SLOTS + 2) * BLOCK_N)
    return SLOTS == 8 or more > gpu.shared_per_block - 256
  end
  local all = {
    {
      "three kernels through memory",
      kernel = of.memory,
      tune = { BLOCK = values(64, 128) },
      where = { of.here, "l <= 4096" }, -- 17 GB of scores at 16384
    },
    {
      "fused, mma.sync",
      kernel = of.mma,
      tune = {
        BLOCK_N = values(64, 128), WARPS = values(4, 8), BANDS = values(1, 2), SLOTS = values(2, 3), ABOVE = values(8),
        POLYNOMIAL = values(0),
      },
      where = lists.join(of.mma_fits, { "WARPS * BANDS == 8", "SLOTS == 2 or d == 64" }),
    },
    wgmma("wgmma, a producer warp", {
      BLOCK_N = values(fewest), OVERLAP = values(false), PINGPONG = values(false), ABOVE = values(0), STAY = values(false),
      LONGEST = values(false),
    }),
    wgmma("powers during products", { PINGPONG = values(false), ABOVE = values(0), STAY = values(false), LONGEST = values(false) }),
    wgmma("sums scaled down late", { PINGPONG = values(false), STAY = values(false), LONGEST = values(false) }),
    wgmma("ping-pong", { STAY = values(false), LONGEST = values(false) }),
    wgmma("longest first", { HEADS = values(4, 16), STAY = values(false) }, { "causal" }),
    wgmma("blocks stay", { HEADS = values(1, 12, 24, ALL) }, { some_together }),
    -- The rest changes one thing of that each.
    wgmma("K and V to two blocks", {
      BLOCK_N = values(blocks), SLOTS = values(2, 4, 6, 8), CLUSTER = values(2), HEADS = values(1, 4, 16, ALL),
      STAY = values(false, true),
    }, {
      ("HEADS == 1 and not causal and STAY or causal and STAY == (HEADS == %d) and HEADS > 1"):format(ALL),
      function(STAY, BLOCK_N, SLOTS, CONSUMERS, d, gpu)
        if not STAY then return SLOTS == slots // 2 * 2 and BLOCK_N > 64 end
        return most_slots(BLOCK_N, SLOTS, CONSUMERS, d, gpu)
      end,
    }),
    wgmma("polynomial for some powers", {
      BLOCK_N = values(blocks), SLOTS = values(2, 4, 6, 8), POLYNOMIAL = values(4, 8), HEADS = values(1, ALL),
    }, { together, most_slots }),
  }
  if d == 64 then -- of others 64 queries have too many sums for three
    table.insert(all, wgmma("three warpgroups", {
      SLOTS = values(2, 4, 6, 8), CONSUMERS = values(3), CLUSTER = values(1, 2), PINGPONG = values(false),
      POLYNOMIAL = values(0, 4, 8), HEADS = values(1, ALL),
    }, { together, "CLUSTER == 1 or POLYNOMIAL == 0", most_slots }))
  end
  if not narrow then
    local skips = wgmma("unseen keys passed by", {
      BLOCK_N = values(fewest), SLOTS = values(d == 64 and 8 or slots), CONSUMERS = values(2, 3), PINGPONG = values(false),
      HEADS = values(8, 12, 24, ALL),
    }, { "causal", "not PINGPONG" })
    skips.kernel = of.skips
    table.insert(all, d == 64 and #all or #all + 1, skips)
  end
  if narrow then
    local codes = wgmma("powers as codes", { ABOVE = values(0, above), HEADS = values(1, ALL) }, { together })
    codes.kernel = fp8.codes
    table.insert(all, codes)
  end
  return narrow and { table.unpack(all, 3) } or all
end
