-- SPDX-License-Identifier: Apache-2.0
-- Layers of language models in bf16, C = A B, B lying as n x k: from one step of a few sequences (m = 16) to a prompt (4096).
-- Their n and k are no squares, and few tokens make few tiles: who fills the card?
local layers = require "kernels.matmul_layers"

local shapes = {}
for _, layer in ipairs {
  { n = 4096, k = 4096 },  -- attention's output in a model of 8 billion weights
  { n = 7168, k = 16384 }, -- and in one whose heads are wider than its rows
  { n = 28672, k = 8192 }, -- the way up in a model of 70 billion,
  { n = 8192, k = 28672 }, -- and down
} do
  for _, m in ipairs { 16, 64, 256, 512, 4096 } do
    shapes[#shapes + 1] = { m = m, n = layer.n, k = layer.k }
  end
end

return sweep {
  variants = layers "bf16",
  problems = shapes,
  measure = { max_time = 0.1 },
  baseline = { vendor.matmul { math = "bf16", transpose_b = true } },
}
