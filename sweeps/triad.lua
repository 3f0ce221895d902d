-- SPDX-License-Identifier: Apache-2.0
-- Two reads and a write an element: the mix that a STREAM triad asks of the memory.
local fitting = require "kernels.fitting"
local triad = require "kernels.triad"

return sweep {
  kernel = triad.fp32,
  over = function(gpu) return { n = fitting(gpu, 20, 2^16, 2^19, 2^22, 2^25, 2^28) } end, -- to 1 GiB an array
  tune = {
    VEC = values(1, 2, 4),
    BLOCK = values(128, 256, 512, 1024),
    ITEMS = values(1, 2, 4, 8),
    STREAM = values(false, true),
  },
  where = { "VEC == 4 or not STREAM" }, -- the hint is a question for the widest loads
}
