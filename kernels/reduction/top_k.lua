-- SPDX-License-Identifier: Apache-2.0
-- The k (at most 64) largest of each row, in falling order, and where they are. Returns { passes, lists, radix }.
local BLOCK = { "BLOCK", 256, "threads a block, which has a row" }

local function top_k(kind, facts)
  return kernel {
    name = "top_k_" .. kind,
    source = "top_k.cu",
    entry = facts.entry,
    problem = { "rows", "cols", "k" },
    params = facts.params,
    buffers = function(p)
      return { x = input(f32, p.rows * p.cols), values = output(f32, p.rows * p.k), places = output(i32, p.rows * p.k) }
    end,
    launch = function(p, c, gpu, b)
      local vec = p.cols % 4 == 0 and 4 or 1
      return {
        entry = facts.spelled(p, vec),
        args = { b.x, b.values, b.places, i64(p.cols), i32(p.k) },
        grid = p.rows,
        block = c.BLOCK,
      }
    end,
    -- A comparison an element.
    work = function(p) return { fp32 = p.rows * p.cols, read = 4 * p.rows * p.cols, write = 8 * p.rows * p.k } end,
    check = {
      reference = { "top_k_reference.cu:top_k_reference", grid = function(p) return p.rows end, block = 256 },
      tol = 0,
    },
  }
end

return {
  passes = top_k("passes", {
    entry = "top_k_passes<4, BLOCK>",
    params = { BLOCK },
    spelled = function(p, vec) return ("top_k_passes<%d, BLOCK>"):format(vec) end,
  }),
  lists = top_k("lists", {
    entry = "top_k_lists<4, BLOCK, ITEMS, 1>",
    params = { { "BLOCK", 128, BLOCK[3] }, { "ITEMS", 4, "16-byte loads in flight in a thread" } },
    spelled = function(p, vec) return ("top_k_lists<%d, BLOCK, ITEMS, %d>"):format(vec, p.k <= 32 and 1 or 2) end,
  }),
  radix = top_k("radix", {
    entry = "top_k_radix<4, BLOCK>",
    params = { BLOCK },
    spelled = function(p, vec) return ("top_k_radix<%d, BLOCK>"):format(vec) end,
  }),
}
