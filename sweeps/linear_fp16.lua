-- SPDX-License-Identifier: Apache-2.0
-- A linear layer in fp16, y = x W^T, by the vendor's library: x is m x k (m tokens), W is n x k and square. Few tokens
-- wait for W to come from memory, many for the tensor units: where does that turn?
--   rooftune run sweeps/linear_fp16.lua                      n = k = 4096, 8192, 16384
--   rooftune run sweeps/linear_fp16.lua -- 8192 12288        these alone
local sides = {}
for i, word in ipairs(arg) do
  sides[i] = tonumber(word) or error(("an argument is a side of W, not \"%s\""):format(word))
end
if #sides == 0 then sides = { 4096, 8192, 16384 } end

return sweep {
  kernel = vendor.matmul { math = "fp16", transpose_b = true },
  over = {
    m = values(
      1, 2, 4, 8, 16, 32, 64, -- waiting for W
      96, 128, 160, 192, 224, 256, 288, 320, 384, 448, 512, -- where it turns on every card of today
      768, 1024, 2048, 4096
    ),
    n = values(table.unpack(sides)),
  },
  with = { k = function(p) return p.n end },
  along = "m",
  tune = { ALGO = range(0, 3) }, -- of the library's list: the first is its own choice
  measure = { max_time = 0.1 },
}
