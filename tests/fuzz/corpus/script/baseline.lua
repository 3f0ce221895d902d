return sweep {
  kernel = kernel { source = "saxpy.cu", entry = "k", problem = { "n" },
    buffers = function(p) return { a = input(f16, 4 * p.n), b = input(f16, 4 * p.n), c = output(f32, p.n * p.n) } end,
    launch = function(p, c, gpu, b) return { args = { b.a, b.b, b.c }, grid = 1, block = 32 } end,
    work = function(p) return { bytes = p.n } end,
    check = { reference = "saxpy.cu:saxpy_reference" } },
  over = { n = values(16, 32) },
  baseline = { vendor.matmul { m = "n", k = 4, transpose_b = true, tol = 0.1 }, vendor.matmul { m = "n", k = function(p) return 4 end, name = "x", exact = true } },
}
