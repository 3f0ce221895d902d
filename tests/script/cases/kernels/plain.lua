-- SPDX-License-Identifier: Apache-2.0
local base = require "kernels.base"
return kernel {
  source = "plain.cu",
  entry = "plain",
  problem = { "n" },
  buffers = function(p) return { y = output(f32, p.n) } end,
  launch = function(p, c, gpu, b) return { args = { b.y }, grid = base.size, block = 32 } end,
  options = { "-Iinclude" },
  work = function(p) return { write = 4 * p.n } end,
  check = { reference = "plain.cu:plain_reference" },
}
