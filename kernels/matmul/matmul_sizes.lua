-- SPDX-License-Identifier: Apache-2.0
-- The sizes of square products: a function that returns those behind `--`, or all, and the words there that are none.
return function()
  local sizes, words = {}, {}
  for _, word in ipairs(arg) do
    local list = tonumber(word) and sizes or words
    list[#list + 1] = tonumber(word) or word
  end
  if #sizes == 0 then sizes = { 512, 1000, 1024, 2048, 4096, 8192, 16384 } end -- 1000: no multiple of any tile
  return sizes, words
end
