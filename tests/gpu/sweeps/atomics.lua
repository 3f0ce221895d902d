-- SPDX-License-Identifier: Apache-2.0
-- What atomics hold back: additions into one word of the L2 and into many, and a histogram in shared memory.
local BLOCK = { "BLOCK", 256, "threads a block" }

local in_l2 = kernel {
  name = "in_l2",
  source = "atomics.cu",
  entry = "count_in_l2",
  problem = { "n", "bins" },
  params = { BLOCK },
  buffers = function(p) return { h = output(u32, p.bins) } end,
  launch = function(p, c, gpu, b)
    return {
      memset(b.h, 0),
      { args = { b.h, i64(p.n), i64(p.bins) }, grid = math.min(8 * gpu.sms, ceil_div(p.n, c.BLOCK)), block = c.BLOCK },
    }
  end,
  work = function(p) return { write = 4 * p.bins } end,
  traffic = function(p) return { atomics = { l2 = math.min(1, p.bins / 32) * p.n, l2_one = p.n / p.bins } } end,
  check = { reference = "atomics.cu:counts_in_l2", odd = { n = 100003, bins = 64 } },
}

-- 32 lanes with random bytes meet 3.5 deep in the worst of the 32 banks.
local in_shared = kernel {
  name = "in_shared",
  source = "atomics.cu",
  entry = "histogram_in_shared",
  problem = { "n" },
  params = { BLOCK },
  buffers = function(p) return { x = input(u8, p.n, integers { below = 256 }), h = output(u32, 256) } end,
  launch = function(p, c, gpu, b)
    return {
      memset(b.h, 0),
      { args = { b.x, b.h, i64(p.n) }, grid = 2048 // c.BLOCK * gpu.sms, block = c.BLOCK },
    }
  end,
  work = function(p) return { read = p.n, write = 1024, items = { "byte", p.n } } end,
  traffic = function(p) return { atomics = { shared = 3.5 * p.n } } end,
  check = { reference = "atomics.cu:histogram_of_bytes" },
}

return {
  sweep {
    name = "one_word", kernel = in_l2, over = { bins = values(1) }, with = { n = 2^20 },
    tune = { BLOCK = values(128, 256) }, measure = require "short_measure",
  },
  sweep {
    name = "many_words", kernel = in_l2, over = { bins = values(2^20) }, with = { n = 2^26 },
    tune = { BLOCK = values(256, 512) }, measure = require "short_measure",
  },
  sweep {
    name = "histogram", kernel = in_shared, over = { n = values(2^28) },
    tune = { BLOCK = values(256, 512) }, measure = require "short_measure",
  },
}
