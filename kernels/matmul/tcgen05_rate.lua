-- SPDX-License-Identifier: Apache-2.0
-- The ceiling of sm_100a's tensor cores, multiplications of 128 x columns x 64, `steps` a block: tcgen05_rate.cu. No card
-- has run it.
local LINES, DEPTH, BYTES = 128, 64, 2

return kernel {
  name = "tcgen05_rate",
  source = "tcgen05_rate.cu",
  entry = "tcgen05_rate<columns>",
  problem = { "columns", "steps" },
  compiled = { "columns" },
  buffers = function(p)
    return { a = input(bf16, LINES * DEPTH), b = input(bf16, p.columns * DEPTH), y = output(bf16, LINES * p.columns) }
  end,
  launch = function(p, c, gpu, b)
    local function map(buffer, lines) return tensor_map(buffer, { DEPTH, lines }, { box = { DEPTH, lines }, swizzle = 128 }) end
    return {
      args = { map(b.a, LINES), map(b.b, p.columns), b.y, i32(p.steps) },
      grid = gpu.sms,
      block = 192,
      shared = BYTES * (LINES + p.columns) * DEPTH + 24,
    }
  end,
  work = function(p)
    return { tensor_bf16 = 2 * LINES * p.columns * DEPTH * p.steps, bytes = BYTES * (LINES * DEPTH + (DEPTH + LINES) * p.columns) }
  end,
  traffic = function(p, c, gpu) return { tensor_bf16 = gpu.sms * 2 * LINES * p.columns * DEPTH * p.steps } end,
  check = { reference = "tcgen05_rate_reference.cu:tcgen05_rate_reference", length = DEPTH, odd = false },
}
