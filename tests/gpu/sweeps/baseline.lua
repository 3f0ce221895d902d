-- SPDX-License-Identifier: Apache-2.0
-- cuBLASLt beside a plain kernel, in every kind of number it multiplies.
local function one(facts)
  local transposed = tostring(facts.transposed or false)
  return sweep {
    name = facts.name,
    kernel = kernel {
      source = "baseline.cu",
      entry = ("multiply<%s, %s, %s, %s>"):format(facts.input_name, facts.output_name, facts.sum, transposed),
      problem = { "m", "n", "k" },
      params = { { "BLOCK", 256, "threads a block" } },
      buffers = function(p)
        return {
          a = input(facts.input, p.m * p.k, facts.fill),
          b = input(facts.input, p.k * p.n, facts.fill),
          c = output(facts.output, p.m * p.n),
        }
      end,
      launch = function(p, c, gpu, b)
        return {
          args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
          grid = { ceil_div(p.n, c.BLOCK), p.m },
          block = c.BLOCK,
        }
      end,
      work = function(p) return { [facts.pipe] = 2 * p.m * p.n * p.k, bytes = p.m * p.n } end,
      check = {
        reference = ("baseline.cu:multiply_reference<%s, %s, %s>"):format(facts.input_name, facts.reference, transposed),
        length = function(p) return p.k end,
        odd = false,
      },
    },
    over = { n = values(2048) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = facts.baseline or vendor.matmul { transpose_b = facts.transposed },
    measure = { timeout = "20s", noise = 0.02 },
  }
end

local real = uniform(-1, 1)
return {
  one {
    name = "fp32", input = f32, input_name = "float", output = f32, output_name = "float", sum = "float",
    reference = "double", fill = real, pipe = "fp32", baseline = { "cublaslt", vendor.matmul { math = "tf32" } },
  },
  one {
    name = "fp16", input = f16, input_name = "__half", output = f16, output_name = "__half", sum = "float",
    reference = "double", fill = real, pipe = "fp32",
  },
  one {
    name = "bf16", input = bf16, input_name = "__nv_bfloat16", output = bf16, output_name = "__nv_bfloat16",
    sum = "float", reference = "double", fill = real, pipe = "fp32",
  },
  one {
    name = "fp8", input = e4m3, input_name = "__nv_fp8_e4m3", output = bf16, output_name = "__nv_bfloat16",
    sum = "float", reference = "double", fill = real, pipe = "fp32", transposed = true,
  },
  one {
    name = "int8", input = i8, input_name = "signed char", output = i32, output_name = "int", sum = "int",
    reference = "int", fill = uniform(-100, 100), pipe = "int32", transposed = true,
  },
}
