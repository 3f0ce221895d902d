-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic an element, fp32. Returns { product, log_exp, polynomial }: out = a b (1 operation, 12 bytes),
-- y = log(exp(x)), and a polynomial in Horner's form with `flops` operations on 8 bytes.
local LEADING, SLOPE = 1.25, 0.75 -- exact; flops_reference.cu has the same

local function params(more)
  local list = {
    { "VEC", 1, "floats a load" },
    { "BLOCK", 256, "threads a block" },
    { "ITEMS", 1, "vectors of a thread: loads in flight, and independent chains of arithmetic" },
  }
  list[#list + 1] = more
  return list
end

local function launch_with(args)
  return function(p, c, gpu, b)
    return { args = args(p, b), grid = ceil_div(p.n, c.VEC * c.BLOCK * c.ITEMS), block = c.BLOCK }
  end
end

local function one_input(p) return { x = input(f32, p.n), y = output(f32, p.n) } end

return {
  product = kernel {
    name = "product",
    source = "flops.cu",
    entry = "product<VEC, BLOCK, ITEMS>",
    problem = { "n" },
    params = params(),
    buffers = function(p) return { a = input(f32, p.n), b = input(f32, p.n), out = output(f32, p.n) } end,
    launch = launch_with(function(p, b) return { b.a, b.b, b.out, i64(p.n) } end),
    work = function(p) return { fp32 = p.n, read = 8 * p.n, write = 4 * p.n } end,
    check = { reference = "flops_reference.cu:product_reference" },
  },
  log_exp = kernel {
    name = "log_exp",
    source = "flops.cu",
    entry = "log_exp<VEC, BLOCK, ITEMS, FAST>",
    problem = { "n" },
    params = params { "FAST", false, "special-function unit and a scaling, instead of the accurate functions" },
    buffers = one_input,
    launch = launch_with(function(p, b) return { b.x, b.y, i64(p.n) } end),
    -- At least: an exponential, a logarithm, and the scaling to and from base 2.
    work = function(p) return { fp32 = 2 * p.n, sfu = 2 * p.n, read = 4 * p.n, write = 4 * p.n } end,
    -- lg2 near 1 is right to 2^-21.4 (CUDA C++ Programming Guide, intrinsic functions); the mean of |y| is 0.5.
    check = { reference = "flops_reference.cu:log_exp_reference", tol = 4e-6 },
  },
  polynomial = kernel {
    name = "polynomial",
    source = "flops.cu",
    entry = "polynomial<VEC, BLOCK, ITEMS>",
    problem = { "n", "flops" },
    params = params(),
    buffers = one_input,
    launch = launch_with(function(p, b) return { b.x, b.y, f32(LEADING), f32(SLOPE), i64(p.n), i64(p.flops) } end),
    work = function(p) return { fp32 = p.flops * p.n, read = 4 * p.n, write = 4 * p.n } end,
    check = { reference = "flops_reference.cu:polynomial_reference", length = function(p) return p.flops end },
  },
}
