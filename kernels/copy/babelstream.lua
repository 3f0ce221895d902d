-- SPDX-License-Identifier: Apache-2.0
-- BabelStream's five in fp64: copy, mul, add, triad and dot, by these names. Bytes are counted by its rules: every array
-- that a kernel reads or writes, once.
local S = 0.4 -- babelstream_reference.cu has the same

local VEC = { "VEC", 1, "doubles a load" }
local BLOCK = { "BLOCK", 1024, "threads a block" }

local function elements(name, type, inputs, flops)
  return kernel {
    name = "babelstream_" .. name,
    source = "babelstream.cu",
    entry = "elements<" .. type .. ", VEC, BLOCK, ITEMS>",
    problem = { "n" },
    params = { VEC, BLOCK, { "ITEMS", 1, "loads of each input in flight in a thread" } },
    buffers = function(p)
      return { x = input(f64, p.n), y = inputs == 2 and input(f64, p.n) or nil, z = output(f64, p.n) }
    end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, inputs == 2 and b.y or b.x, b.z, f64(S), i64(p.n) },
        grid = ceil_div(p.n, c.VEC * c.BLOCK * c.ITEMS),
        block = c.BLOCK,
      }
    end,
    work = function(p)
      return { fp64 = flops > 0 and flops * p.n or nil, read = 8 * inputs * p.n, write = 8 * p.n }
    end,
    check = { reference = "babelstream_reference.cu:babelstream_" .. name .. "_reference" },
  }
end

local dot = kernel {
  name = "babelstream_dot",
  source = "babelstream.cu",
  entry = "dot<VEC, BLOCK>",
  problem = { "n" },
  params = { VEC, BLOCK, { "PER_SM", 4, "blocks an SM" } },
  buffers = function(p, c, gpu)
    return {
      x = input(f64, p.n, uniform(0.5, 1.5)),
      y = input(f64, p.n, uniform(0.5, 1.5)),
      z = output(f64, 1),
      sums = temp(f64, c.PER_SM * gpu.sms),
    }
  end,
  launch = function(p, c, gpu, b)
    local blocks = c.PER_SM * gpu.sms
    return {
      { args = { b.x, b.y, b.sums, i64(p.n) }, grid = blocks, block = c.BLOCK },
      { entry = "add_sums<256>", args = { b.sums, b.z, i32(blocks) }, grid = 1, block = 256 },
    }
  end,
  work = function(p) return { fp64 = 2 * p.n, read = 16 * p.n } end,
  check = { reference = "babelstream_reference.cu:babelstream_dot_reference", length = function(p) return p.n end },
}

return {
  copy = elements("copy", "Copy", 1, 0),
  mul = elements("mul", "Mul", 1, 1),
  add = elements("add", "Add", 2, 1),
  triad = elements("triad", "Triad", 2, 2),
  dot = dot,
}
