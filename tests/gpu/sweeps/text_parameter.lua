-- SPDX-License-Identifier: Apache-2.0
-- Parameters that are texts: alternatives as macros, in a constraint, and types.
return sweep {
  name = "text_parameter",
  kernel = kernel {
    source = "text_parameter.cu",
    entry = "double_through_shared",
    problem = { "n" },
    params = {
      { "COPY", "ld", "who brings x to shared memory" },
      { "ACC", ctype "float", "type computed in" },
      { "BLOCK", 256, "threads a block" },
    },
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 1024), block = c.BLOCK }
    end,
    work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end,
    check = { reference = "double_reference.cu:double_reference" },
  },
  over = { n = values(2^18) },
  tune = { COPY = values("ld", "bulk"), ACC = values(ctype "float", ctype "double"), BLOCK = values(128, 256) },
  where = { 'COPY == "ld" or BLOCK == 128' },
  measure = require "short_measure",
}
