-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic intensity, turned by hand. Unrolling and wide loads change no intensity; operations an element do, and
-- where they pass the ridge the bound turns from device memory to the FP32 pipe.
local fitting = require "kernels.fitting"
local flops = require "kernels.flops"

local blocks = values(128, 256, 512)

local function ladder(kernel, ilp, more)
  local function step(name, vec, items)
    local tune = { VEC = vec, BLOCK = blocks, ITEMS = items }
    for key, list in pairs(more or {}) do tune[key] = list end
    return { name, kernel = kernel, tune = tune }
  end
  return {
    step("baseline", values(1), values(1)),
    step("unrolled x4", values(1), values(4)),
    step("float4", values(4), values(1)),
    ilp and step(ilp, values(4), values(2, 4)) or nil,
  }
end

return {
  sweep {
    name = "flops_product",
    diagnostic = true,
    variants = ladder(flops.product),
    over = function(gpu) return { n = fitting(gpu, 20, 2^22, 2^25, 2^28) } end,
  },
  sweep {
    name = "flops_log_exp",
    diagnostic = true,
    variants = ladder(flops.log_exp, "float4, ILP", { FAST = values(false, true) }),
    over = function(gpu) return { n = fitting(gpu, 20, 2^22, 2^25, 2^28) } end,
  },
  sweep {
    name = "flops_polynomial",
    diagnostic = true,
    variants = ladder(flops.polynomial, "float4, ILP"),
    over = { flops = refine(pow2_values(2, 512), 2) }, -- 0.25 to 64 operations a byte
    with = { n = 2^26 },
  },
}
