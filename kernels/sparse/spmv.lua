-- SPDX-License-Identifier: Apache-2.0
-- y = A x, A of n rows and columns with `mean` nonzeros a row on average, in compressed sparse rows. `shape` is band, uniform,
-- power (rows of very different lengths) or block (of 8 by 8). Returns { f32, f64 }, each { teams, merge,
-- sorted }; the last keeps A in an order of its own, and sorted_fit are its constraints.
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
      source = facts.source or "spmv.cu",
      entry = facts.entry:gsub("TYPE", type_name),
      problem = { "n", "mean", "shape" },
      compiled = { "shape" },
      params = facts.params,
      buffers = function(p, c, gpu)
        local offsets, columns = fills(p)
        local all = facts.temps and facts.temps(p, c, gpu) or {}
        local own = {
          values = input(element, p.n * p.mean, uniform(0, 1)),
          columns = input(i32, p.n * p.mean, columns),
          offsets = input(i32, p.n + 1, offsets),
          x = input(element, p.n, uniform(0, 1)),
          y = output(element, p.n),
        }
        for key, value in pairs(own) do all[key] = value end
        return all
      end,
      options = facts.options,
      prepare = facts.prepare,
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
      traffic = facts.traffic or function(p, c)
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

  local CHUNK, FINE, SEGMENT = 128, 64, 2^16
  local is_f32 = element == f32
  -- The sums of fp64 for all rows are more than all SMs hold at once.
  local function sorted_groups(c, gpu) return gpu.sms * (is_f32 and 1 or c.GROUPS) end
  local function sorted_pieces(p, c, gpu) return sorted_groups(c, gpu) * ceil_div(p.n, SEGMENT) end

  return {
    sorted = one("sorted", {
      source = "spmv_sorted.cu",
      entry = "spmv_sorted<SUMS, SPLIT, BLOCK, UNROLL, LOAD>",
      options = not is_f32 and { "-DVALUE=" .. type_name } or nil,
      params = {
        { "SUMS", is_f32 and 36864 or 18432, "sums of a block, in shared memory" },
        { "SPLIT", 1024, "nonzeros of a long row for each of its sums" },
        { "BLOCK", 1024, "threads a block" .. (is_f32 and ", of which an SM has one" or "") },
        { "UNROLL", 1, ("times %d bytes of values that a thread asks for at once"):format(4 * bytes) },
        { "LOAD", ctype "na", "cache operator of loads of A; na: no place in L1" },
        not is_f32 and { "GROUPS", 2, "blocks for each SM, one after another or side by side" } or nil,
      },
      temps = function(p, c, gpu)
        local groups, pieces = sorted_groups(c, gpu), sorted_pieces(p, c, gpu)
        local chunks = p.n * p.mean // CHUNK + pieces
        return {
          own_values = temp(element, CHUNK * chunks), places = temp(u16, 2 * CHUNK * chunks), firsts = temp(i32, chunks),
          counts = temp(i32, groups * ceil_div(p.n, FINE)), starts = temp(i32, pieces + 1),
          splits = temp(i32, 2 * (groups + 1)),
        }
      end,
      prepare = function(p, c, gpu, b)
        local groups, pieces = sorted_groups(c, gpu), sorted_pieces(p, c, gpu)
        local rows, segments = i32(p.n), i32(ceil_div(p.n, SEGMENT))
        local function of_groups(entry, ...)
          return { entry = ("%s<SUMS, SPLIT, 32, %d>"):format(entry, FINE), args = { ... }, grid = 32 * groups, block = 256 }
        end
        return {
          memset(b.counts, 0), memset(b.own_values, 0), memset(b.places, 255),
          {
            entry = "spmv_splits", args = { b.offsets, b.splits, rows, i32(groups) },
            grid = ceil_div(groups + 1, 256), block = 256,
          },
          of_groups("spmv_count", b.columns, b.offsets, b.splits, b.counts, rows),
          {
            entry = ("spmv_pieces<%d>"):format(FINE), args = { b.counts, b.starts, rows, segments },
            grid = pieces, block = SEGMENT // FINE,
          },
          { entry = "spmv_starts", args = { b.starts, i32(pieces) }, grid = 1, block = 1024 },
          of_groups(
            "spmv_sort", b.values, b.columns, b.offsets, b.splits, b.starts, b.counts, b.own_values, b.places, b.firsts, rows,
            segments
          ),
        }
      end,
      launch = function(p, c, gpu, b)
        local groups = sorted_groups(c, gpu)
        return {
          {
            entry = "spmv_clear", args = { b.splits, b.y, i32(p.n), i32(groups) },
            grid = ceil_div(groups, 256), block = 256,
          },
          {
            args = {
              b.own_values, b.places, b.firsts, b.starts, b.splits, b.values, b.columns, b.offsets, b.x, b.y, i32(p.n),
              i32(ceil_div(p.n, SEGMENT)),
            },
            grid = groups, block = c.BLOCK, shared = bytes * c.SUMS, pdl = gpu.cc >= 90,
          },
        }
      end,
      -- Columns that are drawn evenly leave out exp(-8 nonzeros of a block / n) of x's sectors (fp64: 4); some are asked for by two warps.
      traffic = function(p, c, gpu)
        local nonzeros, groups, of_sector = p.n * p.mean, sorted_groups(c, gpu), 32 // bytes
        local sectors = groups * p.n / of_sector * (1 - math.exp(-of_sector * p.mean / groups))
        return {
          l2 = (bytes + 4) * nonzeros + 2 * bytes * p.n + (p.shape == "uniform" and 32 * sectors or 0),
          shared = bytes * nonzeros,
          atomics = is_f32 and { shared_f32 = 3.5 * nonzeros } or nil,
        }
      end,
    }),
    sorted_fit = is_f32 and {
      "SUMS == (gpu.shared_per_block >= 147456 and 36864 or gpu.shared_per_block >= 98304 and 24576 or 12288) -- the most that fit",
      function(n, mean, SUMS, SPLIT, gpu) return n * mean // gpu.sms // SPLIT + 2 < SUMS end,
    } or {
      "SUMS == (GROUPS == 2 and gpu.shared_per_block >= 147456 and 18432 or gpu.shared_per_block >= 98304 and 12288 or 6144)",
      function(n, mean, SUMS, SPLIT, GROUPS, gpu) return n * mean // (gpu.sms * GROUPS) // SPLIT + 2 < SUMS end,
    },
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
