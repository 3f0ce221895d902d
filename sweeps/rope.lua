-- SPDX-License-Identifier: Apache-2.0
-- Rotary position embedding: 3 operations an element that is read and written, so it waits for memory however it is done. What
-- is lost by an element a thread, by kernels of their own for q and k, by tables that are loaded again for every head?
local rope = require "kernels.rope"

local blocks = values(128, 256, 512)
local wide = {
  VEC = values(4, 8),
  BLOCK = values(64, 128, 256, 512),
  HEADS = values(1, 2, 4, 5, 8, 10),
  STREAM = values(false, true),
}
local fits = {
  "VEC * HEADS <= 64", -- low and high: VEC * HEADS registers
  "VEC == 8 or HEADS == 4 or HEADS == 8", -- 8-byte loads where as many bytes are in flight
}

-- Whole tokens: 64 KiB an SM and more are on their way.
local function bulk_step(steps)
  return {
    "copy engine",
    kernel = steps.bulk,
    tune = { BLOCK = values(64, 128, 256), STAGES = values(2, 3, 4, 6), RESIDENT = values(1, 2, 3, 4, 6, 8) },
    where = {
      function(gpu) return gpu.cc >= 90 end,
      function(STAGES, RESIDENT, BLOCK, gpu, q_heads, k_heads, d)
        local held = STAGES * RESIDENT * steps.token_bytes({ q_heads = q_heads, k_heads = k_heads, d = d })
        if held > gpu.shared_per_sm - 2 * KiB * RESIDENT then return false end
        return (held >= 64 * KiB and BLOCK * RESIDENT >= 256) or q_heads + k_heads < 32 -- few heads: whatever fits
      end,
    },
  }
end

local problem_list = {
  { t = 16384, q_heads = 32, k_heads = 8, d = 128 },
  { t = 2047, q_heads = 32, k_heads = 32, d = 80 },
}

return {
  sweep {
    name = "rope_bf16",
    variants = {
      { "an element a thread", kernel = rope.bf16.element, tune = { BLOCK = blocks } },
      { "a pair a thread", kernel = rope.bf16.apart, tune = { VEC = values(1), BLOCK = blocks } },
      { "vectors, q and k apart", kernel = rope.bf16.apart, tune = { VEC = values(2, 4, 8), BLOCK = blocks } },
      { "q and k in one launch", kernel = rope.bf16.together, tune = wide, where = fits },
      { "in place", kernel = rope.bf16.in_place, tune = wide, where = fits },
      bulk_step(rope.bf16),
    },
    problems = problem_list,
  },
  sweep {
    name = "rope_bf16_fp32_tables",
    variants = {
      { "q and k in one launch", kernel = rope.fp32.together, tune = wide, where = fits },
      { "in place", kernel = rope.fp32.in_place, tune = wide, where = fits },
    },
    problems = problem_list,
  },
}
