-- SPDX-License-Identifier: Apache-2.0
-- What brings data, and how early it may be asked for (arrivals.cu); results are exact. loads, copies (cp.async), bulk, tensor:
-- a sum of n words with `stages` tiles on their way; nothing, pieces, lines: what is prefetched of `words` that are read behind a
-- kernel that computes;
-- in_turn, early: a chain of small launches.
local BLOCK, LINKS, STEPS, THREADS = 256, 8, 8192, 2^15

local function grid_of(gpu) return 2 * gpu.sms end

local function arrive(name, entry, facts)
  return kernel {
    name = "arrive_" .. name,
    source = "arrivals.cu",
    entry = entry,
    problem = { "n", "stages" },
    compiled = { "stages" },
    buffers = function(p, c, gpu) return { x = input(u32, p.n), y = output(u32, BLOCK * grid_of(gpu)) } end,
    launch = function(p, c, gpu, b)
      local args = { b.x, b.y, i64(p.n) }
      if facts.map then
        table.insert(args, 1, tensor_map(b.x, { 256, p.n // 256 }, { box = { 256, 4 }, l2_promotion = 256 }))
      end
      return { args = args, grid = grid_of(gpu), block = BLOCK, shared = facts.shared * p.stages }
    end,
    work = function(p) return { int32 = p.n, read = 4 * p.n } end,
    traffic = function(p) return { shared = facts.shared > 0 and 8 * p.n or 0 } end,
    check = {
      reference = {
        "arrivals_reference.cu:arrive_reference",
        launch = function(p, c, gpu, b)
          return { args = { b.x, b.y, i64(p.n), i64(grid_of(gpu)) }, grid = grid_of(gpu), block = BLOCK }
        end,
      },
      tol = 0,
      odd = { n = 2^20 + 1023, stages = 3 },
    },
  }
end

local AHEAD = { nothing = 0, pieces = 1, lines = 2 } -- as in arrivals.cu

local function behind(ahead)
  return kernel {
    name = "weights_" .. ahead,
    source = "arrivals.cu",
    entry = "computed",
    problem = { "words" },
    buffers = function(p, c, gpu)
      return {
        x = input(u32, THREADS), y = output(u32, THREADS),
        weights = input(u32, p.words), z = output(u32, BLOCK * 8 * gpu.sms),
      }
    end,
    launch = function(p, c, gpu, b)
      return {
        {
          args = { b.x, b.y, i64(THREADS), b.weights, i64(p.words), i32(STEPS), i32(AHEAD[ahead]) },
          grid = THREADS // BLOCK, block = BLOCK + 32,
        },
        { entry = "arrive_by_threads<loads, 2>", args = { b.weights, b.z, i64(p.words) }, grid = 8 * gpu.sms, block = BLOCK },
      }
    end,
    work = function(p) return { int32 = 2 * STEPS * THREADS + p.words, bytes = 4 * p.words } end,
    check = {
      reference = {
        "arrivals_reference.cu",
        launch = function(p, c, gpu, b)
          return {
            { entry = "computed_reference", args = { b.x, b.y, i64(THREADS), i32(STEPS) }, grid = THREADS // BLOCK, block = BLOCK },
            {
              entry = "arrive_reference",
              args = { b.weights, b.z, i64(p.words), i64(8 * gpu.sms) },
              grid = 8 * gpu.sms, block = BLOCK,
            },
          }
        end,
      },
      tol = 0,
      odd = { words = 2^20 + 1023 },
    },
  }
end

local function links(name, early)
  return kernel {
    name = "links_" .. name,
    source = "arrivals.cu",
    entry = "chain_link<" .. tostring(early) .. ">",
    problem = { "n" },
    buffers = function(p)
      return { x = input(u32, p.n), w = input(u32, p.n), y = output(u32, p.n), even = temp(u32, p.n), odd = temp(u32, p.n) }
    end,
    launch = function(p, c, gpu, b)
      local list, from = {}, b.x
      for i = 1, LINKS do
        local to = i == LINKS and b.y or i % 2 == 0 and b.even or b.odd
        list[i] = { args = { from, b.w, to, i64(p.n) }, grid = ceil_div(p.n, BLOCK), block = BLOCK, pdl = early and i > 1 }
        from = to
      end
      return list
    end,
    work = function(p) return { int32 = 2 * LINKS * p.n, bytes = 12 * p.n, items = { "link", LINKS } } end,
    check = {
      reference = {
        "arrivals_reference.cu:links_reference",
        launch = function(p, c, gpu, b)
          return { args = { b.w, b.x, b.y, i64(p.n), i32(LINKS) }, grid = ceil_div(p.n, BLOCK), block = BLOCK }
        end,
      },
      tol = 0,
      odd = { n = 65539 },
    },
  }
end

return {
  loads = arrive("loads", "arrive_by_threads<loads, stages>", { shared = 0 }),
  copies = arrive("copies", "arrive_by_threads<copies, stages>", { shared = 4096 }),
  bulk = arrive("bulk", "arrive_by_accelerator<false, stages>", { shared = 4104, map = true }),
  tensor = arrive("tensor", "arrive_by_accelerator<true, stages>", { shared = 4104, map = true }),
  nothing = behind "nothing", pieces = behind "pieces", lines = behind "lines",
  in_turn = links("in_turn", false),
  early = links("early", true),
}
