-- SPDX-License-Identifier: Apache-2.0
-- BabelStream's five kernels in fp64 with its 2^25 elements an array, and with 2^27: as published (a double a thread,
-- blocks of 1024), and tuned. Its arrays hold constants, so that it can verify; here they are random, and every element
-- is compared with a reference.
local fitting = require "kernels.fitting"
local babelstream = require "kernels.babelstream"

local function sweep_of(name)
  local dot = name == "dot"
  return sweep {
    name = "babelstream_" .. name,
    variants = {
      { "as published", kernel = babelstream[name] },
      {
        "tuned",
        kernel = babelstream[name],
        tune = {
          VEC = values(1, 2),
          BLOCK = values(256, 512, 1024),
          [dot and "PER_SM" or "ITEMS"] = values(1, 2, 4),
        },
        where = dot and { "BLOCK * PER_SM <= gpu.max_threads_per_sm" } or nil,
      },
    },
    over = function(gpu) return { n = fitting(gpu, 32, 2^25, 2^27) } end,
  }
end

return { sweep_of("copy"), sweep_of("mul"), sweep_of("add"), sweep_of("triad"), sweep_of("dot") }
