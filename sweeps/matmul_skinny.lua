-- SPDX-License-Identifier: Apache-2.0
-- A linear layer in bf16, y = x W^T, by kernels of our own beside the vendor's library: x is m x k (m tokens), W is n x k
-- and square. Where does the layer turn from waiting for W to waiting for the tensor units? (linear_fp16.lua asks that of
-- the library alone.)
--   rooftune run sweeps/matmul_skinny.lua                   n = k = 8192
--   rooftune run sweeps/matmul_skinny.lua -- 4096 16384     these instead
local layers = require "kernels.matmul_layers"
local sides = {}
for i, word in ipairs(arg) do
  sides[i] = tonumber(word) or error(("an argument is a side of W, not \"%s\""):format(word))
end
if #sides == 0 then sides = { 8192 } end

return sweep {
  variants = layers("bf16", true),
  over = {
    m = refine(values(1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192), 1),
    n = values(table.unpack(sides)),
  },
  with = { k = function(p) return p.n end },
  along = "m",
  measure = { max_time = 0.1 },
  baseline = { vendor.matmul { math = "bf16", transpose_b = true } },
}
