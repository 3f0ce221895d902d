-- SPDX-License-Identifier: Apache-2.0
-- y = A x, A of n rows and columns with `mean` nonzeros a row on average, in compressed sparse rows. `shape` is band, uniform,
-- power (rows of very different lengths) or block (of 8 by 8). Returns { f32, f64 }, each { teams, merge }.
local BLOCK = { "BLOCK", 256, "threads a block" }

local function fills(p)
  local lengths = p.shape == "power" and "power" or "equal"
  local one_block = p.shape == "power" and 1 or nil
  local offsets = from {
    "spmv_inputs.cu:" .. lengths .. "_offsets",
    args = { i64(p.mean) },
    grid = one_block,
    block = one_block and 1024,
  }
  return offsets, from { "spmv_inputs.cu:" .. p.shape .. "_columns", args = { "offsets", i64(p.n) } }
end

local function spmv(name, element, type_name, bytes, pipe)
  local function one(kind, facts)
    return kernel {
      name = "spmv_" .. name .. "_" .. kind,
      source = "spmv.cu",
      entry = facts.entry:gsub("TYPE", type_name),
      problem = { "n", "mean", "shape" },
      compiled = { "shape" },
      params = facts.params,
      buffers = function(p)
        local offsets, columns = fills(p)
        return {
          values = input(element, p.n * p.mean, uniform(0, 1)),
          columns = input(i32, p.n * p.mean, columns),
          offsets = input(i32, p.n + 1, offsets),
          x = input(element, p.n, uniform(0, 1)),
          y = output(element, p.n),
        }
      end,
      launch = facts.launch,
      work = function(p) -- x once
        local nonzeros = p.n * p.mean
        return {
          [pipe] = 2 * nonzeros,
          read = (bytes + 4) * nonzeros + 4 * (p.n + 1) + bytes * p.n,
          write = bytes * p.n,
          items = { "nonzero", nonzeros },
        }
      end,
      -- Where columns have nothing to do with each other and x is larger than what an SM keeps, each asks for a sector.
      traffic = function(p, c)
        local scattered = p.shape == "uniform" and bytes * p.n >= 16 * MiB
        return {
          l2 = scattered and (bytes + 4 + 32) * p.n * p.mean + (4 + bytes) * p.n or nil,
          atomics = facts.atomics and element == f32 and { l2_f32 = facts.atomics(p, c) } or nil,
        }
      end,
      check = {
        reference = {
          "spmv_reference.cu:spmv_" .. name .. "_reference",
          grid = function(p) return math.min(ceil_div(p.n, 4), 2^16) end,
          block = 128,
        },
        -- All numbers are positive, so that one relative tolerance fits rows of any length. The longest of "power" has some
        -- n^0.7 times the shortest, which a third of the mean is.
        length = function(p) return p.shape == "power" and math.ceil(p.mean * (1 + p.n ^ 0.7 / 3)) or p.mean end,
      },
    }
  end
  local function args(p, b) return b.values, b.columns, b.offsets, b.x, b.y, i32(p.n) end

  return {
    teams = one("teams", {
      entry = "spmv_teams<TYPE, BLOCK, TEAM, LOAD>",
      params = {
        BLOCK,
        { "TEAM", 8, "threads that share a row: 1 to 32" },
        { "LOAD", ctype "na", "cache operator of loads of A; na: no place in L1" },
      },
      launch = function(p, c, gpu, b)
        return { args = { args(p, b) }, grid = ceil_div(p.n, c.BLOCK // c.TEAM), block = c.BLOCK }
      end,
    }),

    merge = one("merge", {
      entry = "spmv_merge<TYPE, BLOCK, ITEMS>",
      params = { BLOCK, { "ITEMS", 7, "nonzeros and ends of rows a thread; odd ones avoid bank conflicts" } },
      launch = function(p, c, gpu, b)
        local all = { args(p, b) }
        all[#all + 1] = i32(p.n * p.mean)
        return {
          memset(b.y, 0),
          { args = all, grid = ceil_div(p.n * (p.mean + 1), c.BLOCK * c.ITEMS), block = c.BLOCK },
        }
      end,
      atomics = function(p, c) return 2 * ceil_div(p.n * (p.mean + 1), c.BLOCK * c.ITEMS) end,
    }),
  }
end

return { f32 = spmv("f32", f32, "float", 4, "fp32"), f64 = spmv("f64", f64, "double", 8, "fp64") }
