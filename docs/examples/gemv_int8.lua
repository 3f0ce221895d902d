-- SPDX-License-Identifier: Apache-2.0
-- gemv_int8.lua: quantised weights. The types say the bytes, a dimension says the size of a group.
return sweep {
  kernel = kernel {
    source   = "gemv_int8.cu",
    entry    = "gemv<group, VEC, WARPS>",
    problem  = { "m", "k", "group" },
    compiled = { "group" },
    params   = { { "VEC", 16, "weights per load" }, { "WARPS", 4, "rows of a block" } },
    buffers  = function(p)
      return {
        w = input(i8, p.m * p.k, uniform(-127, 128)), scales = input(f16, p.m * p.k // p.group, uniform(0.001, 0.02)),
        x = input(f16, p.k), y = output(f16, p.m),
      }
    end,
    launch   = function(p, c, gpu, b)
      return {
        args  = { b.w, b.scales, b.x, b.y, i32(p.m), i32(p.k) },
        grid  = ceil_div(p.m, c.WARPS),
        block = 32 * c.WARPS,
      }
    end,
    work     = function(p)
      return {
        fp32 = 2 * p.m * p.k, read = p.m * p.k + 2 * (p.m * p.k // p.group) + 2 * p.k, write = 2 * p.m,
        items = { "weight", p.m * p.k },
      }
    end,
    check    = {
      reference = "gemv_int8_reference.cu:reference", length = function(p) return p.k end,
      odd = { m = 1021, k = 384, group = 128 }, -- k is a multiple of the group
    },
  },
  over = { m = values(1024, 4096, 16384), k = values(4096, 16384), group = values(32, 128) },
  along = "m",
  tune = { VEC = values(4, 8, 16), WARPS = values(1, 2, 4, 8) },
}
