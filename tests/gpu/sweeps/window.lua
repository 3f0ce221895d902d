-- SPDX-License-Identifier: Apache-2.0
-- window: the table is kept in L2, for all or half of its lines; 0 stands for no window. The cache stays warm.
return sweep {
  name = "window",
  kernel = kernel {
    source = "window.cu",
    entry = "look_up",
    problem = { "n", "m" },
    params = { { "HIT", 0, "share of the table that is kept" } },
    buffers = function(p)
      return { table = input(f32, p.m), pick = input(i32, p.n, integers { below = p.m }), y = output(f32, p.n) }
    end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.table, b.pick, b.y, i64(p.n) },
        grid = ceil_div(p.n, 256),
        block = 256,
        window = c.HIT > 0 and { buffer = b.table, bytes = 4 * p.m, hit_ratio = c.HIT } or nil,
      }
    end,
    work = function(p) return { fp32 = p.n, bytes = 8 * p.n + 4 * p.m } end,
    check = { reference = "window.cu:look_up_reference" },
  },
  over = { n = values(2^20) },
  with = { m = 2^18 },
  tune = { HIT = values(0, 0.5, 1) },
  where = { function(HIT, gpu) return HIT == 0 or gpu.persisting_l2_max_bytes > 0 end },
  measure = { cache = "hot", noise = 0.2, max_samples = 12 },
}
