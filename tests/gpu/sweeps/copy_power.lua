-- SPDX-License-Identifier: Apache-2.0
-- 1 GiB to 1 GiB: nothing of it comes from a cache, so watts and times are those of device memory.
return sweep {
  name = "copy_power",
  kernel = kernel {
    source = "copy_power.cu",
    entry = "copy_power<VEC>",
    problem = { "n" },
    params = { { "VEC", 4, "floats a load" }, { "BLOCK", 256, "threads a block" } },
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK * c.VEC), block = c.BLOCK }
    end,
    work = function(p) return { read = 4 * p.n, write = 4 * p.n } end,
    check = { reference = "copy_power.cu:copy_power_reference" },
  },
  over = { n = values(2^28) },
  tune = { VEC = values(1, 4), BLOCK = values(256, 512) },
}
