-- SPDX-License-Identifier: Apache-2.0
-- How often each key comes, for keys of 8, 16 and 32 bits: where are they counted, and what does it cost when all are one?
-- Additions to one address of global memory are few a clock, so what makes them there has one configuration.
local fitting = require "kernels.fitting"
local histogram = require "kernels.histograms"

-- All blocks' counts are in an SM's shared memory.
local fits = function(COPIES, bins, PER_SM, gpu) return PER_SM * (4 * COPIES * (bins + 1) + KiB) <= gpu.shared_per_sm end
local packed_fits = function(COPIES, bins, PER_SM, gpu) return PER_SM * (2 * COPIES * (bins + 2) + KiB) <= gpu.shared_per_sm end

local function keys(name, bytes, bins)
  local of = histogram[name]
  local variants = {
    { "in shared memory", kernel = of.shared, tune = { PER_SM = values(4, 8), BLOCK = values(256) } },
    {
      "a copy a bank",
      kernel = of.shared,
      tune = { PER_SM = values(1, 2, 4), BLOCK = values(256, 512, 1024), COPIES = values(4, 8, 16, 32) },
      where = {
        fits,
        "PER_SM * BLOCK == 2048 or PER_SM * BLOCK == 1024 and (PER_SM == 1 or bins > 256)",
        "COPIES >= 16 or COPIES == 8 and bins > 256 or bins > 1024",
      },
    },
    {
      "counters of 16 bits",
      kernel = of.packed,
      tune = { PER_SM = values(1, 2, 4), BLOCK = values(256, 512), COPIES = values(8, 16, 32) },
      where = { packed_fits, "PER_SM * BLOCK >= 1024 or bins > 1024", "COPIES * bins >= 8192" },
    },
    { "runs of a thread", kernel = of.runs, tune = { PER_SM = values(4, 8), BLOCK = values(256) } },
  }
  if name == "u8" then
    table.insert(variants, 1, { "global atomics", kernel = of.global, tune = { PER_SM = values(8) } })
    table.insert(variants, 2, { "equal keys of a warp", kernel = of.matched, tune = { PER_SM = values(8) } })
    table.insert(variants, 4, {
      "a copy a warp",
      kernel = of.warps,
      tune = { PER_SM = values(4, 8), BLOCK = values(256), COPIES = values(2, 8) },
    })
  end
  return sweep {
    name = "histogram_" .. name,
    variants = variants,
    over = function(gpu)
      return {
        n = fitting(gpu, bytes, 2^28),
        bins = values(bins),
        data = values("uniform", "sorted", "zipf", "constant"),
      }
    end,
  }
end

return { keys("u8", 1, 256), keys("u16", 2, 4096), keys("i32", 4, 1024) }
