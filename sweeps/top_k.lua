-- SPDX-License-Identifier: Apache-2.0
-- The k largest of each row, by passes, by lists in registers, by radix: from one (argmax by rows) to 64, of rows as a
-- layer's and as a vocabulary's.
local top_k = require "kernels.top_k"

local list = {}
for _, k in ipairs { 1, 8, 64 } do
  list[#list + 1] = { rows = 32768, cols = 4096, k = k }
  list[#list + 1] = { rows = 1024, cols = 131072, k = k }
end
list[#list + 1] = { rows = 61, cols = 4099, k = 50 } -- rows that are no multiple of a vector

return sweep {
  name = "top_k",
  variants = {
    {
      "a pass each",
      kernel = top_k.passes,
      tune = { BLOCK = values(128, 256, 512, 1024) },
      where = { "k <= 8 or rows < 100" },
    },
    {
      "lists in registers",
      kernel = top_k.lists,
      tune = { BLOCK = values(32, 64, 128, 256, 512), ITEMS = values(1, 2, 4, 8) },
    },
    { "radix", kernel = top_k.radix, tune = { BLOCK = values(256, 512, 1024) } },
  },
  problems = list,
}
