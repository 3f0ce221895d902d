-- SPDX-License-Identifier: Apache-2.0
-- Attention, some 16384 tokens of 2048 elements in sequences of l (one of 32768 has twice as many): what does each step from
-- three kernels through memory to a fused one bring, and what is waited for as sequences grow?
--   rooftune run sweeps/attention.lua               heads of 128
--   rooftune run sweeps/attention.lua -- 64 4 bf16  heads of 64 (64, 128, 256), of which 4 share K and V, in bf16
--   rooftune run sweeps/attention.lua -- 128 1 fp8  e4m3 with a scale a head (128, 256)
--   rooftune run sweeps/attention.lua -- all        heads of 64, 128 and 256 beside one another: what is waited for as they grow?
local ladder = require "kernels.attention_ladder"
local sharing, dtype = tonumber(arg[2] or 1), arg[3] or "fp16"
if #arg > 3 or not ({ fp16 = true, bf16 = true, fp8 = true })[dtype] then
  error "the third and last argument is fp16, bf16 or fp8"
end
local depths = dtype == "fp8" and { 128, 256 } or { 64, 128, 256 }
local d = arg[1] ~= "all" and tonumber(arg[1] or 128) or nil
if arg[1] ~= "all" then
  if d ~= 64 and d ~= 128 and d ~= 256 then error(("a head has 64, 128 or 256 elements, or all, not \"%s\""):format(arg[1])) end
  if dtype == "fp8" and d == 64 then error "fp8 is of heads of 128 or 256: give -- 128 1 fp8" end
  depths = { d }
end
local fewest = 2048 // depths[#depths] -- heads
if not sharing or sharing < 1 or fewest % sharing ~= 0 then
  error(("of %d heads %s cannot share K and V: give a divisor"):format(fewest, arg[2]))
end

return sweep {
  variants = ladder(dtype, d),
  over = { -- closest where what is waited for changes; whole tiles of queries, since part-filled ones turn the times, too
    l = d and values(128, 256, 384, 512, 640, 768, 1024, 1536, 2048, 4096, 8192, 16384, 32768) or values(512, 2048, 8192),
    causal = values(false, true),
    d = not d and values(depths) or nil,
  },
  with = {
    b = function(p) return (16384 + p.l // 2) // p.l end,
    h = function(p) return 2048 // (d or p.d) end,
    kv = function(p) return 2048 // (d or p.d) // sharing end,
    d = d,
  },
  along = d and "l" or "d",
  measure = { max_time = 0.1 },
}
