-- SPDX-License-Identifier: Apache-2.0
-- cuBLASLt as the kernel, in every kind of number and every layout of the shipped reference.
local function one(name, facts)
  return sweep {
    name = name,
    kernel = vendor.matmul(facts),
    over = { m = values(16, 320) },
    with = { n = 576, k = 1056 },
    tune = { ALGO = range(0, 2) },
    measure = require "short_measure",
  }
end

return {
  one("fp32", { math = "fp32" }),
  one("tf32", { math = "tf32", transpose_c = true }),
  one("fp16", { math = "fp16", transpose_b = true }),
  one("fp16_f32", { math = "fp16", transpose_a = true, output = f32 }),
  one("bf16", { math = "bf16", transpose_a = true, transpose_b = true, transpose_c = true }),
  one("fp8", { math = "fp8", transpose_b = true, output = f16 }),
  one("int8", { math = "int8", transpose_b = true }),
  one("fp64", { math = "fp64", transpose_b = true }),
}
