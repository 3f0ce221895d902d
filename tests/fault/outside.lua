-- SPDX-License-Identifier: Apache-2.0
-- One element outside of a buffer: written, which the padding tells (gpu_faults.c), and read, which compute-sanitizer
-- does (gpu_sanitize.c).
local function outside(odd)
  return kernel {
    source = "fault_outside.cu",
    entry = "outside",
    problem = { "n" },
    params = { { "WHERE", "nowhere", "what is touched outside of the buffers" } },
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n), scratch = temp(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, b.scratch, i64(p.n) }, grid = ceil_div(p.n, 256), block = 256 }
    end,
    work = function(p) return { fp32 = p.n, bytes = 16 * p.n } end,
    check = { reference = "fault_reference.cu:fault_reference", odd = odd }, -- nil: the language chooses one
  }
end

return {
  sweep {
    name = "outside",
    kernel = outside(false),
    over = { n = values(2^20, 2^20 + 3, 1000, 1003) }, -- whole pages, and not; small, and not a multiple of 16 bytes
    tune = {
      WHERE = values("nowhere", "behind_output", "before_output", "behind_input", "before_input", "behind_temp",
        "before_temp", "copied"),
    },
    measure = { noise = 0.2, max_samples = 20 },
  },
  sweep {
    name = "reads",
    kernel = outside(nil),
    over = { n = values(1000) },
    tune = { WHERE = values("read") },
    measure = { noise = 0.2, max_samples = 20 },
  },
}
