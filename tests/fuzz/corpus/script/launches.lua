local k = kernel {
  source = "/dev/null", entry = { "a<d, COPY>", "b" }, problem = { "n", "d" }, compiled = { "d" },
  params = { { "COPY", "ld" }, { "TT", ctype "half" }, { "FLAG", true } },
  options = function(c, gpu) return { "-I.", "-lineinfo" } end,
  buffers = function(p, c) return { a = input(bf16, p.n * 64), t = temp(u8, 64),
    i = input(i32, p.n, integers { below = 9, order = "zipf" }), y = output(f16, p.n) } end,
  prepare = function(p, c, gpu, b) return { entry = "b", args = { b.a }, grid = 1, block = 32 } end,
  launch = function(p, c, gpu, b) return {
    memset(b.t, 0),
    { args = { tensor_map(b.a, { 64, p.n }, { box = { 64, 8 }, swizzle = 128 }), b.t:offset(8), e4m3(1.5),
        tensor_map(b.a, { 8, 4, 2, p.n }, { box = { 8, 9 }, im2col = { lower = { -1, 0 }, upper = { 0, -1 } } }) },
      grid = resident(), block = { 32, 2 }, cluster = 2, shared = 4 * KiB, cooperative = true, pdl = true,
      window = { buffer = b.a, bytes = 16, hit_ratio = 0.5 } } }
  end,
  traffic = function(p, c) return { dram_read = 1, l2 = 2, issue = 3 } end,
  work = function(p) return { tensor_bf16 = 1, read = 2, write = 3, items = { "row", p.n } } end,
  check = { reference = "/dev/null:ns::r", tol = 0.1, length = function(p) return p.n end, y = { tol = 1 } },
}
return { sweep { name = "x", variants = { { "v", kernel = k, tune = { COPY = values("ld", "tma") } } },
  problems = { { n = 64 }, { n = 128 } }, with = { d = function(p) return p.n / 2 end } } }
