-- SPDX-License-Identifier: Apache-2.0
-- What does it cost? A question of the hardware each, and one picture that answers it.
local arrivals = require "kernels.arrivals"
local boxes = require "kernels.matmul_mma_boxes".fp16
local k = require "kernels.experiments"
local lists = require "kernels.lists"
local phases = require "kernels.phases"
local tensor = require "kernels.matmul_tensor".fp16
local tiles = require "kernels.tiles"

-- Warps whose lanes take several paths, and the same work sorted so that a warp takes one.
local branches = { { "mixed in a warp", kernel = k.mixed }, { "a path a warp", kernel = k.sorted } }

-- One tile and one way to multiply; what brings A and B differs. (Bulk copies put no rows where mma.sync reads them without
-- conflicts: matmul_ffma.lua has what needs none.)
local function product(name, kernel, where, tune)
  tune.BLOCK_M, tune.BLOCK_N, tune.WARP_M, tune.WARP_N = values(128), values(128, 256), values(64), values(64)
  where = lists.join(where, { "BLOCK_N == (gpu.shared_per_block > 100 * KiB and 256 or 128)" })
  return { name, kernel = kernel, tune = tune, where = where }
end

local function window(name, percent)
  return {
    name, kernel = k.window, tune = { PERCENT = values(percent) },
    where = percent > 0 and { "gpu.persisting_l2_max_bytes > 0" } or nil,
  }
end

return {
  sweep {
    name = "bank_conflicts",
    note = "Shared memory answers a warp in as many passes as lanes meet in one of its 32 banks: gcd(stride, 32). Odd "
      .. "strides cost nothing, a stride of 32 costs 32 passes; the steps of the line are the powers of two.",
    diagnostic = true,
    kernel = k.banks,
    over = { stride = values(1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 20, 24, 31, 32) },
    with = { n = 2^20 },
  },
  sweep {
    name = "divergence_paths",
    note = "A warp goes through every path that any of its lanes takes, so its time grows with the paths; the same work "
      .. "sorted so that a warp has one path hardly grows.",
    diagnostic = true,
    variants = branches,
    over = { paths = values(1, 2, 3, 4, 8, 16, 32) },
    with = { n = 2^22, lanes = 31 },
  },
  sweep {
    name = "divergence_share",
    note = "Of 32 lanes, how many take the branch. One lane costs as much as sixteen: the warp waits for the path, "
      .. "whoever is on it; with none or all of them the other path is not walked.",
    diagnostic = true,
    variants = branches,
    over = { lanes = values(0, 1, 8, 16, 24, 31, 32) },
    with = { n = 2^22, paths = 2 },
  },
  sweep {
    name = "warp_sums",
    note = "The same sums four ways. With few warps the longest chain of dependent steps decides, with many the passes "
      .. "through shared memory that shuffles and redux.sync do without.",
    diagnostic = true,
    variants = {
      { "tree in shared memory", kernel = k.tree },
      { "all read all", kernel = k.broadcast },
      { "shuffles", kernel = k.shuffles },
      { "redux.sync", kernel = k.redux, where = { "gpu.cc >= 80" } },
    },
    over = { n = values(2^12, 2^14, 2^16, 2^18, 2^20) },
  },
  sweep {
    name = "occupancy",
    note = "With few values alive in a thread it does not matter how many threads an SM holds (HELD); with many, more "
      .. "threads hide what each waits for, until their registers no longer hold the values and spilling undoes it.",
    diagnostic = true,
    kernel = k.occupancy,
    over = { live = values(16, 32, 64, 96) },
    with = { n = 2^19 },
    tune = { HELD = values(256, 512, 768, 1024, 1280, 1536, 2048) },
    where = { "HELD <= gpu.max_threads_per_sm" },
  },
  sweep {
    name = "chains",
    note = "Warps and independent operations hide the same latency: their product counts. Four chains of one warp do "
      .. "about as much as four warps of one chain, until the pipe is full.",
    diagnostic = true,
    kernel = k.chains,
    over = { n = values(2^20) },
    tune = { CHAINS = values(1, 2, 3, 4, 6, 8), WARPS = values(1, 2, 4, 8, 16) },
    measure = { race = false }, -- all are the picture
  },
  sweep {
    name = "atomic_scopes",
    note = "What sharing a word costs: with fewer addresses additions wait for each other. Lines on each other say that "
      .. "a narrower scope saves nothing; that of a block asks for words of its own, as many as there are blocks.",
    diagnostic = true,
    variants = {
      { "system", kernel = k.of_system },
      { "device", kernel = k.of_device },
      { "block", kernel = k.of_block, where = { "addresses * 4096 >= n" } },
    },
    over = { addresses = values(1, 16, 256, 1024, 2^13, 2^16, 2^20) },
    with = { n = 2^22 },
  },
  sweep {
    name = "l2_window",
    note = "What is read again each run, 8 to 80 MB, with 4 KiB or 256 MiB passing by in between. A window is to keep it in "
      .. "L2, up to what may be set aside; where its line lies above that of no window, it costs more than it keeps.",
    diagnostic = true,
    variants = {
      window("no window", 0),
      window("a quarter of it kept", 25),
      window("half of it kept", 50),
      window("all of it kept", 100),
    },
    over = {
      keep = values(2*10^6, 4*10^6, 6*10^6, 8*10^6, 10*10^6, 12*10^6, 14*10^6, 16*10^6, 20*10^6), pass = values(2^10, 2^26),
    },
    along = "keep",
    measure = { cache = "hot", race = false, max_time = 0.1 },
  },
  sweep {
    name = "instruction_rates",
    note = "The same number of each instruction. What takes longer than additions has a narrower pipe (popcounts, "
      .. "conversions), or is several instructions: a division some twenty.",
    diagnostic = true,
    kernel = k.rates,
    over = {
      instruction = values("add", "logic", "shift", "multiply_high", "popcount", "leading_zeros", "division", "from_int",
        "to_int", "to_double"),
    },
    with = { n = 2^22 },
  },
  sweep {
    name = "arrivals",
    note = "8 KiB an SM are on their way for each stage, whichever way they are asked for: bandwidth climbs with the "
      .. "stages (bytes on their way = bandwidth x latency) and is flat from some 48 KiB an SM.",
    diagnostic = true,
    variants = {
      { "loads into registers", kernel = arrivals.loads },
      { "cp.async", kernel = arrivals.copies, where = { "gpu.cc >= 80" } },
      { "bulk copies", kernel = arrivals.bulk, where = { "gpu.cc >= 90" } },
      { "tensor map", kernel = arrivals.tensor, where = { "gpu.cc >= 90" } },
    },
    over = { stages = values(1, 2, 3, 4, 6, 8, 12, 16) },
    with = { n = 2^27 },
  },
  sweep {
    name = "arrivals_product",
    note = "The same for tiles of 128 x 256 of a product, 48 KiB a stage: how many stages each way to bring them needs before "
      .. "the tensor cores wait for nothing.",
    diagnostic = true,
    variants = {
      product("loads into registers", tensor.mma, { "gpu.cc >= 75", tiles.fits(tensor.shared_of) },
        { BLOCK_K = values(64), STAGES = values(1), AHEAD = values(false) }),
      product("cp.async", tensor.turns, { "gpu.cc >= 80", tiles.stay(tensor.turns_shared_of) },
        { BLOCK_K = values(64), STAGES = values(2, 3, 4) }),
      product("tensor map", boxes.kernel, boxes.fits, { STAGES = values(2, 3, 4) }),
    },
    over = { n = values(1024, 2048, 4096, 8192) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    measure = { race = false, max_time = 0.1 }, -- STAGES are the picture
  },
  sweep {
    name = "weights_ahead",
    note = "What the next kernel reads comes to L2 while this one computes. A line below the first one shows what "
      .. "prefetching saves, above it what asking costs; lines on each other say that it is read no faster from L2.",
    diagnostic = true,
    variants = {
      { "read when needed", kernel = arrivals.nothing },
      { "prefetched in pieces", kernel = arrivals.pieces, where = { "gpu.cc >= 90" } },
      { "prefetched line by line", kernel = arrivals.lines },
    },
    over = { words = values(2^19, 2^20, 2^21, 2^22, 3 * 2^21, 2^23, 3 * 2^22, 2^24, 2^25) },
  },
  sweep {
    name = "dependent_launches",
    note = "Eight kernels in a chain. Begun early (pdl), the next is set up before this one ends: about half the time "
      .. "where launches are most of it; where grids are large its waiting blocks are in the way.",
    diagnostic = true,
    variants = {
      { "one behind the other", kernel = arrivals.in_turn },
      { "begun early", kernel = arrivals.early, where = { "gpu.cc >= 90" } },
    },
    over = { n = values(2^10, 2^12, 2^14, 2^16, 2^18, 2^20, 2^22, 2^24) },
  },
  sweep {
    name = "phases",
    note = "Eight phases, each in need of the one before. Blocks that stay wait for each other instead of a launch, all for "
      .. "all (a cooperative grid) or each for the tile that it needs (blocks draw tiles).",
    diagnostic = true,
    variants = {
      { "a launch a phase", kernel = phases.launches },
      {
        "one cooperative grid", kernel = phases.meeting, tune = { PER_SM = values(2, 8) },
        where = lists.join(phases.fits, { "gpu.cooperative" }),
      },
      { "blocks draw tiles", kernel = phases.drawing, tune = { PER_SM = values(2, 8) }, where = phases.fits },
    },
    over = { n = values(2^12, 2^14, 2^16, 2^18, 2^20, 2^22, 2^24, 2^26) },
  },
}
