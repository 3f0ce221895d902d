-- SPDX-License-Identifier: Apache-2.0
-- ctype: a C++ type as a template argument, word for word.
return sweep {
  name = "ctype",
  kernel = kernel {
    source = "ctype.cu",
    entry = "double_in<ELEM, VEC>",
    problem = { "n" },
    params = { { "ELEM", ctype "float", "type computed in" }, { "VEC", 1, "elements a thread" } },
    buffers = function(p) return { x = input(f32, p.n, integers { below = 1000 }), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 256 * c.VEC), block = 256 }
    end,
    work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end,
    check = { reference = "double_reference.cu:double_reference", tol = 0 },
  },
  over = { n = values(2^16) },
  tune = { ELEM = values(ctype "float", ctype "half", ctype "unsigned int", ctype "double"), VEC = values(1, 3) },
  measure = require "short_measure",
}
