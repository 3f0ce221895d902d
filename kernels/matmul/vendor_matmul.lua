-- SPDX-License-Identifier: Apache-2.0
-- What vendor.matmul { … } is where a kernel stands: C (m x n) = A (m x k) times B (k x n) by the vendor's library, with
-- its problem, buffers, work and reference. Called by sweep {} itself; docs/baselines.md.

local epilogues = require "kernels.matmul_epilogue"

-- What the reference multiplies, and the pipe that the operations are work of.
local kinds = {
  fp32 = { "float", "fp32" },
  tf32 = { "float", "tensor_tf32" },
  fp16 = { "__half", "tensor_fp16" },
  bf16 = { "__nv_bfloat16", "tensor_bf16" },
  fp8 = { "__nv_fp8_e4m3", "tensor_fp8" },
  int8 = { "signed char", "tensor_int8" },
  fp64 = { "double", "tensor_fp64" },
}
-- As the reference spells an element of C.
local elements = { f64 = "double", f32 = "float", f16 = "__half", bf16 = "__nv_bfloat16" }
local types = { f64 = f64, f32 = f32, f16 = f16, bf16 = bf16, e4m3 = e4m3, i8 = i8, i32 = i32 }
local bytes = { f64 = 8, f32 = 4, f16 = 2, bf16 = 2, e4m3 = 1, i8 = 1, i32 = 4 }

return function(matmul, facts)
  local element, pipe = kinds[facts.math][1], kinds[facts.math][2]
  local sum = facts.output == "i32" and "int" or "double"
  local epilogue = epilogues[facts.epilogue] -- nil: none
  local reference = ("vendor_matmul_reference.cu:vendor_matmul_reference<%s, %s, %s, %s, %s>"):format(
    element, sum, tostring(facts.transpose_a), tostring(facts.transpose_b), tostring(facts.transpose_c))
  if epilogue then
    reference = epilogue.reference_of(element, elements[facts.output], facts.transpose_a, facts.transpose_b)
  end
  local odd -- as rooftune derives it
  if facts.math == "fp8" or facts.math == "int8" then odd = false end -- the library wants multiples of 16
  return kernel {
    problem = { "m", "n", "k" },
    buffers = function(p)
      local all = {
        a = input(types[facts.input], p.m * p.k),
        b = input(types[facts.input], p.k * p.n, epilogue and epilogues.fill(p)),
        c = output(types[facts.output], p.m * p.n),
      }
      if epilogue then all[epilogue.input] = epilogue.buffer(p, types[facts.output]) end
      return all
    end,
    launch = matmul,
    work = function(p)
      local work = {
        [pipe] = 2 * p.m * p.n * p.k,
        read = bytes[facts.input] * (p.m * p.k + p.k * p.n),
        write = bytes[facts.output] * p.m * p.n,
      }
      return epilogue and epilogues.add_work(work, epilogue, p, bytes[facts.output]) or work
    end,
    check = {
      reference = reference,
      length = function(p) return p.k end,
      odd = odd,
    },
  }
end
