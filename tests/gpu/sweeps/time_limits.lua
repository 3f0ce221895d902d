-- SPDX-License-Identifier: Apache-2.0
-- What measure.timeout ends (a kernel that never returns), and what it does not: slow kernels, a slow reference, large
-- inputs. gpu_time_limits.c knows how long each may take.
local twice = kernel {
  source = "time_limits.cu",
  entry = "twice<WAIT_MS>",
  problem = { "n", "reference_ms" },
  params = { { "WAIT_MS", 0, "of every launch; negative: for ever" }, { "BLOCK", 256, "threads a block" } },
  buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
  end,
  work = function(p) return { read = 4 * p.n, write = 4 * p.n } end,
  check = { reference = "time_limits.cu:slow_reference", odd = false },
}

return {
  sweep {
    name = "endless",
    kernel = twice,
    over = { n = values(2^16), reference_ms = values(0) },
    tune = { WAIT_MS = values(0, -1), BLOCK = values(64, 128, 256, 512) },
    where = { "WAIT_MS == 0 or BLOCK == 256" },
    measure = { timeout = "1s" },
  },
  sweep {
    name = "slow",
    kernel = twice,
    over = { n = values(2^16), reference_ms = values(2200) },
    tune = { WAIT_MS = values(0, 200) },
    measure = { timeout = "2s", race = false },
  },
  sweep {
    name = "large",
    kernel = twice,
    over = { n = values(2^30), reference_ms = values(0) },
    tune = { WAIT_MS = values(0) },
    measure = { timeout = "1s" },
  },
}
