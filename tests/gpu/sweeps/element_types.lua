-- SPDX-License-Identifier: Apache-2.0
-- Every element type as an output, the small ones as inputs.
local measure = require "short_measure"

local function one(name, entry, reference, x, y)
  return sweep {
    name = name,
    kernel = kernel {
      source = "element_types.cu",
      entry = entry,
      problem = { "n" },
      buffers = function(p) return { x = x(p.n), y = output(y, p.n) } end,
      launch = function(p, c, gpu, b)
        return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 256), block = 256 }
      end,
      work = function(p) return { bytes = p.n } end,
      check = { reference = "element_types.cu:" .. reference },
    },
    over = { n = values(2^16) },
    measure = measure,
  }
end

local floating = {
  { "f64", f64, "double" }, { "f32", f32, "float" }, { "f16", f16, "__half" }, { "bf16", bf16, "__nv_bfloat16" },
  { "e4m3", e4m3, "__nv_fp8_e4m3" }, { "e5m2", e5m2, "__nv_fp8_e5m2" },
}
local whole = {
  { "i8", i8, "signed char" }, { "u8", u8, "unsigned char" }, { "i16", i16, "short" }, { "u16", u16, "unsigned short" },
  { "i32", i32, "int" }, { "u32", u32, "unsigned int" }, { "i64", i64, "long long" },
  { "u64", u64, "unsigned long long" },
}

local sweeps = {}
for _, type in ipairs(floating) do
  local function x(n) return input(f32, n, uniform(-4, 4)) end
  sweeps[#sweeps + 1] = one("output_" .. type[1], "halve<" .. type[3] .. ">", "halve_reference", x, type[2])
end
for _, type in ipairs(whole) do
  local function x(n) return input(type[2], n, integers { below = 100 }) end
  local reference = "scale_reference<" .. type[3] .. ">"
  sweeps[#sweeps + 1] = one("output_" .. type[1], "scale<" .. type[3] .. ">", reference, x, type[2])
end
for i = 3, 6 do
  local type = floating[i]
  local function x(n) return input(type[2], n, uniform(-8, 8)) end
  local reference = "widen_reference<" .. type[3] .. ">"
  sweeps[#sweeps + 1] = one("input_" .. type[1], "widen<" .. type[3] .. ">", reference, x, f32)
end
return sweeps
