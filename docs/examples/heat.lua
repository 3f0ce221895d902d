-- SPDX-License-Identifier: Apache-2.0
-- heat.lua, a first sweep written by `rooftune new`
local function of(entry, rows)
  return kernel {
    source  = "heat.cu",
    entry   = entry,
    problem = { "n" },
    params  = {
      { "BLOCK_X", 32, "threads of a block" },
      { "BLOCK_Y", 8, "threads of a block" },
      rows and { "ROWS", 1, "rows of a thread" },
    },
    buffers = function(p)
      return {
        from = input(f32, p.n * p.n),
        to = output(f32, p.n * p.n),
      }
    end,
    launch  = function(p, c, gpu, b)
      return {
        args  = { b.from, b.to, i32(p.n) },
        grid  = { ceil_div(p.n, c.BLOCK_X), ceil_div(p.n, c.BLOCK_Y * (rows and c.ROWS or 1)) },
        block = { c.BLOCK_X, c.BLOCK_Y },
      }
    end,
    work    = function(p) return { fp32 = 6 * p.n * p.n, read = 4 * p.n * p.n, write = 4 * p.n * p.n } end,
    check   = { reference = "heat_reference.cu:reference" },
  }
end

return sweep {
  variants = {
    { "a cell", kernel = of("heat") },
    { "rows", kernel = of("heat_rows<ROWS>", true), tune = { ROWS = values(2, 4, 8, 16) } },
  },
  over = { n = values(8192) },
  tune = {
    BLOCK_X = values(16, 32, 64),
    BLOCK_Y = values(4, 8, 16),
  }, where = { "BLOCK_X * BLOCK_Y <= 1024" },
}
