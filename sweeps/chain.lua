-- SPDX-License-Identifier: Apache-2.0
-- x + 1, * 2, relu: what does one kernel for three save, and from which size on? 6 accesses an element become 2.
local fitting = require "kernels.fitting"
local chain = require "kernels.chain"

return sweep {
  variants = { { "three kernels", kernel = chain.unfused }, { "fused", kernel = chain.fused } },
  over = function(gpu) return { n = fitting(gpu, 24, 2^16, 2^19, 2^22, 2^25, 2^28) } end, -- to 1 GiB an array
  tune = { VEC = values(1, 2, 4), BLOCK = values(256, 512), ITEMS = values(1, 2, 4) },
}
