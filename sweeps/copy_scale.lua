-- SPDX-License-Identifier: Apache-2.0
-- How wide must a load be, and how many must be in flight, before an elementwise kernel runs at the memory's rate?
local fitting = require "kernels.fitting"
local copy_scale = require "kernels.copy_scale"

local blocks, items = values(128, 256, 512, 1024), values(1, 2, 4, 8)

-- A step of the ladder: VEC elements a load.
local function step(name, copy, vec, stream)
  return { name, kernel = copy, tune = { VEC = values(vec), BLOCK = blocks, ITEMS = items, STREAM = stream } }
end

local plain, either = values(false), values(false, true)

return {
  sweep {
    name = "copy_scale_fp32",
    variants = {
      step("4 B loads", copy_scale.fp32, 1, plain),
      step("8 B loads", copy_scale.fp32, 2, plain),
      step("16 B loads", copy_scale.fp32, 4, either),
    },
    over = function(gpu) return { n = fitting(gpu, 16, 2^16, 2^18, 2^20, 2^22, 2^24, 2^26, 2^28) } end, -- to 1 GiB an array
  },
  sweep {
    name = "copy_scale_fp16",
    variants = {
      step("2 B loads", copy_scale.fp16, 1, plain),
      step("4 B loads (half2)", copy_scale.fp16, 2, plain),
      step("8 B loads", copy_scale.fp16, 4, plain),
      step("16 B loads", copy_scale.fp16, 8, either),
    },
    over = function(gpu) return { n = fitting(gpu, 12, 2^17, 2^19, 2^21, 2^23, 2^25, 2^27, 2^29) } end,
  },
}
