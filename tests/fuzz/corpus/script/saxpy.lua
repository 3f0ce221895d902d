return sweep {
  kernel = kernel {
    source = "/dev/null", entry = "saxpy<VEC>", problem = { "n" },
    params = { { "VEC", 1, "help" }, { "BLOCK", 256 } },
    buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n, uniform(0, 1)) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, f32(2.0), i64(p.n) }, grid = ceil_div(p.n, c.BLOCK * c.VEC), block = c.BLOCK }
    end,
    work = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end,
    check = { reference = "/dev/null:r", odd = { n = 7 } },
  },
  over = { n = refine(values(2^20, 2^24), 2) },
  tune = { VEC = values(1, 2, 4), BLOCK = range(128, 256, 64) },
  where = { function(VEC, gpu) return VEC < gpu.sms end, "VEC * BLOCK < 9999", { "VEC", function(x) return x end } },
  measure = { cache = "hot", timeout = "2s" }, search = { budget = "10m" },
}
