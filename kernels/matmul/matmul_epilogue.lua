-- SPDX-License-Identifier: Apache-2.0
-- What is done to the sums of a matrix product before they are rounded to C: { bias, bias_relu, bias_gelu,
-- bias_gelu_erf, scale, residual }, and what they share: fill(p), B's contents; add_work(work, epilogue, p, size), of
-- an element of C of `size` bytes. Each epilogue: input, the name of what it reads; code, its name in
-- matmul_epilogue.cuh; ops, operations on an element of C; buffer(p, type) and bytes(p, size) of what it reads;
-- reference_of(element, out, a_transposed, b_transposed).
local epilogues = {}

-- Sums of some 1, where activations bend.
function epilogues.fill(p) return uniform(-3 / p.k ^ 0.5, 3 / p.k ^ 0.5) end

function epilogues.add_work(work, epilogue, p, size)
  work.fp32 = (work.fp32 or 0) + epilogue.ops * p.m * p.n
  work.read = work.read + epilogue.bytes(p, size)
  return work
end

local function add(name, epilogue)
  epilogues[name] = epilogue
  function epilogue.reference_of(element, out, a_transposed, b_transposed)
    return ("matmul_epilogue_reference.cu:%s<%s, %s, %s, %s%s>"):format(
      epilogue.reference, element, out, tostring(a_transposed), tostring(b_transposed),
      epilogue.activation and ", " .. epilogue.activation or "")
  end
end

local function add_bias(name, code, ops, activation)
  add(name, {
    input = "bias", code = code, ops = ops, reference = "bias_reference", activation = activation,
    buffer = function(p, type) return input(type, p.n) end,
    bytes = function(p, size) return size * p.n end,
  })
end

add_bias("bias", "BiasAlone", 1, 0)
add_bias("bias_relu", "BiasRelu", 2, 1)
add_bias("bias_gelu", "BiasGelu", 9, 2) -- by tanh, as cuBLASLt has it; tanh and erf are counted as one
add_bias("bias_gelu_erf", "BiasGeluErf", 6, 3)
add("scale", {
  input = "alpha", code = "Scale", ops = 1, reference = "scale_reference",
  buffer = function() return input(f32, 1, uniform(0.5, 2)) end,
  bytes = function() return 4 end,
})
add("residual", {
  input = "residual", code = "Residual", ops = 1, reference = "residual_reference",
  buffer = function(p, type) return input(type, p.m * p.n) end,
  bytes = function(p, size) return size * p.m * p.n end,
})

return epilogues
