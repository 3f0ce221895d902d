-- SPDX-License-Identifier: Apache-2.0
-- prepare(): weights packed once a configuration, untimed, into a temp buffer whose size is the configuration's.
return sweep {
  name = "prepare",
  kernel = kernel {
    source = "prepare.cu",
    entry = { "multiply<PACK>", "pack<PACK>" },
    problem = { "rows", "k" },
    params = { { "PACK", 1, "columns side by side" } },
    buffers = function(p, c)
      return {
        w = input(f32, p.rows * p.k),
        x = input(f32, p.k),
        y = output(f32, p.rows),
        packed = temp(f32, p.rows * c.PACK * ceil_div(p.k, c.PACK)),
      }
    end,
    prepare = function(p, c, gpu, b)
      return {
        entry = "pack<PACK>",
        args = { b.w, b.packed, i32(p.rows), i32(p.k) },
        grid = { ceil_div(p.rows, 128), ceil_div(p.k, c.PACK) },
        block = 128,
      }
    end,
    launch = function(p, c, gpu, b)
      return { args = { b.packed, b.x, b.y, i32(p.rows), i32(p.k) }, grid = ceil_div(p.rows, 128), block = 128 }
    end,
    work = function(p) return { fp32 = 2 * p.rows * p.k, bytes = 4 * (p.rows * p.k + p.rows + p.k) } end,
    check = { reference = "prepare.cu:multiply_reference", length = function(p) return p.k end },
  },
  with = { rows = 4096, k = 512 },
  tune = { PACK = values(1, 2, 4) },
  measure = require "short_measure",
}
