-- SPDX-License-Identifier: Apache-2.0
-- sum_cub.lua: a reduction in two launches with a temporary buffer between them; CUB comes with CUDA's headers.
return sweep {
  kernel = kernel {
    source  = "sum_cub.cu",
    entry   = "add_parts<BLOCK, ITEMS, ALGORITHM>",
    problem = { "n" },
    params  = {
      { "BLOCK", 256, "threads of a block" },
      { "ITEMS", 8, "floats that a thread loads at once" },
      { "WAVES", 4, "blocks per SM of the first launch" },
      { "ALGORITHM", ctype "cub::BLOCK_REDUCE_WARP_REDUCTIONS", "how CUB adds within a block" },
    },
    buffers = function(p, c, gpu)
      return { ["in"] = input(f32, p.n), parts = temp(f32, c.WAVES * gpu.sms), total = output(f32, 1) }
    end,
    launch  = function(p, c, gpu, b)
      local parts = math.min(c.WAVES * gpu.sms, ceil_div(p.n, c.BLOCK * c.ITEMS))
      return {
        { args = { b["in"], b.parts, i64(p.n) }, grid = parts, block = c.BLOCK },
        { args = { b.parts, b.total, i64(parts) }, grid = 1, block = c.BLOCK },
      }
    end,
    work    = function(p) return { fp32 = p.n, read = 4 * p.n } end,
    check   = { reference = "sum_cub_reference.cu:reference", length = function(p) return p.n end },
  },
  over = { n = values(2^20, 2^24, 2^28) },
  tune = {
    BLOCK = values(128, 256, 512), ITEMS = values(4, 8, 16), WAVES = values(1, 2, 4, 8),
    ALGORITHM = values(ctype "cub::BLOCK_REDUCE_RAKING", ctype "cub::BLOCK_REDUCE_WARP_REDUCTIONS"),
  },
}
