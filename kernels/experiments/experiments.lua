-- SPDX-License-Identifier: Apache-2.0
-- One question of the hardware each (experiments.cu); results are exact.
local LOADS, STEPS, SUMS, ROUNDS = 512, 256, 128, 32 -- experiments.cu has the same
local BLOCK = 256

local function gcd(a, b) return b == 0 and a or gcd(b, a % b) end
local function reference(name) return { reference = "experiments_reference.cu:" .. name .. "_reference", tol = 0 } end
local function checked(name, odd)
  local check = reference(name)
  check.odd = odd
  return check
end
local function one_each(p) return { x = input(u32, p.n, uniform(0, 2^31)), y = output(u32, p.n) } end
local function blocks(n) return ceil_div(n, BLOCK) end

local banks = kernel {
  name = "banks",
  source = "experiments.cu",
  entry = "banks<256>",
  problem = { "n", "stride" },
  buffers = function(p) return { x = input(u32, 31 * p.stride + LOADS), y = output(u32, p.n) } end,
  launch = function(p, c, gpu, b)
    return {
      args = { b.x, b.y, i64(p.n), i32(p.stride) },
      grid = blocks(p.n), block = BLOCK, shared = 4 * (31 * p.stride + LOADS),
    }
  end,
  work = function(p) return { int32 = LOADS * p.n, bytes = 4 * (31 * p.stride + LOADS + p.n) } end,
  -- A pass is 128 bytes of the pipe, however few are used.
  traffic = function(p)
    return { shared = blocks(p.n) * (BLOCK / 32 * LOADS * 128 * gcd(p.stride, 32) + 4 * (31 * p.stride + LOADS)) }
  end,
  check = checked("banks", { n = 65539, stride = 6 }),
}

local function divergence(name, entry, sorted)
  return kernel {
    name = "divergence_" .. name,
    source = "experiments.cu",
    entry = entry,
    problem = { "n", "paths", "lanes" },
    buffers = one_each,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n), i32(p.paths), i32(p.lanes) }, grid = ceil_div(p.n, 1024), block = 1024 }
    end,
    work = function(p) return { int32 = 2 * STEPS * p.n, bytes = 8 * p.n } end,
    -- What the pipe is busy with: lanes that wait take part.
    traffic = function(p)
      local own = p.paths == 1 and 0 or math.min(p.lanes, p.paths - 1)
      local taken = own + ((p.lanes < 32 or p.paths == 1) and 1 or 0)
      return { int32 = 2 * STEPS * p.n * (sorted and 1 or taken) }
    end,
    check = checked("divergence", { n = 65539, paths = 5, lanes = 17 }),
  }
end

local function warp_sums(way, shared)
  return kernel {
    name = "warp_sums_" .. way,
    source = "experiments.cu",
    entry = "warp_sums<" .. way .. ", 128>",
    problem = { "n" },
    buffers = one_each,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 128), block = 128 }
    end,
    -- A lane's multiply-add, and 31 additions a warp.
    work = function(p) return { int32 = SUMS * (2 * p.n + 31 * ceil_div(p.n, 32)), bytes = 8 * p.n } end,
    traffic = shared and function(p) return { shared = SUMS * ceil_div(p.n, 128) * 4 * 128 * shared } end or nil,
    check = checked("warp_sums", { n = 65539 }),
  }
end

local occupancy = kernel {
  name = "occupancy",
  source = "experiments.cu",
  entry = "occupancy<live, HELD, 256>",
  problem = { "n", "live" },
  compiled = { "live" },
  params = { { "HELD", 256, "threads that an SM shall hold: 65,536 / HELD registers each" } },
  buffers = function(p) return { x = input(u32, math.max(32, p.n * p.live), uniform(0, 2^31)), y = output(u32, p.n) } end,
  launch = function(p, c, gpu, b) return { args = { b.x, b.y, i64(p.n) }, grid = blocks(p.n), block = BLOCK } end,
  work = function(p)
    return { int32 = 2 * ROUNDS * p.live * p.n, read = 4 * p.live * p.n, write = 4 * p.n }
  end,
  traffic = function(p) return { shared = blocks(p.n) * BLOCK * 4 * (ROUNDS * p.live + 4) } end, -- without spills
  check = checked("occupancy", { n = 65539, live = 16 }),
}

local chains = kernel {
  name = "chains",
  source = "experiments.cu",
  entry = "chains<CHAINS, WARPS>",
  problem = { "n" },
  params = {
    { "CHAINS", 1, "independent multiply-adds of a thread" },
    { "WARPS", 4, "warps an SM" },
  },
  buffers = function(p) return { x = input(i32, p.n, uniform(-1, 2)), y = output(f32, p.n) } end,
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.y, i64(p.n) }, grid = gpu.sms, block = c.WARPS * 32 }
  end,
  work = function(p) return { fp32 = 2 * STEPS * p.n, bytes = 8 * p.n } end,
  check = checked("chains", { n = 65539 }),
}

local function additions(scope)
  return kernel {
    name = "additions_" .. scope,
    source = "experiments.cu",
    entry = "additions<of_" .. scope .. ">",
    problem = { "n", "addresses" },
    buffers = function(p)
      return { x = input(u32, p.n, uniform(0, 2^31)), y = inout(u32, p.addresses, uniform(0, 2^31)) }
    end,
    launch = function(p, c, gpu, b)
      local grid = ceil_div(p.n, 4096)
      local width = math.max(1, p.addresses // grid)
      return { args = { b.x, b.y, i64(p.n), u32(p.addresses), u32(width) }, grid = grid, block = BLOCK }
    end,
    work = function(p)
      local met = 4 * math.min(p.addresses, p.n)
      return { int32 = p.n, read = 4 * p.n + met, write = met, items = { "addition", p.n } }
    end,
    traffic = function(p)
      local width = math.max(1, p.addresses // ceil_div(p.n, 4096))
      local sectors = ceil_div(math.min(width, 32), 8)
      return { atomics = { l2 = ceil_div(p.n, 32) * sectors, l2_one = ceil_div(p.n, p.addresses) } }
    end,
    check = {
      reference = {
        "experiments_reference.cu:additions_reference", grid = function(p) return blocks(p.n) end, block = BLOCK,
      },
      odd = { n = 65539, addresses = 100 },
    },
  }
end

local window = kernel {
  name = "window",
  source = "experiments.cu",
  entry = "added<PERCENT>",
  problem = { "keep", "pass" },
  params = { { "PERCENT", 0, "of what is kept, the share that the L2 sets aside for; 0: no window" } },
  buffers = function(p)
    return {
      kept = input(u32, p.keep), passing = input(u32, p.pass),
      y = output(u32, 2^18), z = output(u32, 2^18),
    }
  end,
  launch = function(p, c, gpu, b)
    local function adds(x, y, n, kept)
      return { args = { x, y, i64(n) }, grid = 1024, block = BLOCK, window = kept }
    end
    return {
      adds(b.kept, b.y, p.keep, c.PERCENT > 0 and { buffer = b.kept, hit_ratio = c.PERCENT / 100 } or nil),
      adds(b.passing, b.z, p.pass),
    }
  end,
  work = function(p) return { int32 = p.keep + p.pass, read = 4 * (p.keep + p.pass), write = 2^21 } end,
  traffic = function(p) return { l2 = 4 * (p.keep + p.pass) + 2^21 } end,
  check = checked("window", { keep = 300007, pass = 1001 }),
}

local rates = kernel {
  name = "rates",
  source = "experiments.cu",
  entry = "rates<add>",
  problem = { "n", "instruction" },
  compiled = { "instruction" },
  buffers = one_each,
  launch = function(p, c, gpu, b)
    return {
      entry = "rates<" .. p.instruction .. ">",
      args = { b.x, b.y, i64(p.n) }, grid = blocks(p.n), block = BLOCK,
    }
  end,
  -- At least: that many additions, or what keeps a result in use.
  work = function(p) return { int32 = STEPS * p.n, bytes = 8 * p.n, items = { "operation", STEPS * p.n } } end,
  check = checked("rates", { n = 65539, instruction = "add" }),
}

return {
  banks = banks,
  mixed = divergence("mixed", "divergence<false>", false),
  sorted = divergence("sorted", "divergence<true>", true),
  -- Passes of shared memory for a sum: five stores and loads; a store and eight words of 16 bytes for all lanes.
  shuffles = warp_sums("shuffles"), redux = warp_sums("redux"), tree = warp_sums("tree", 10),
  broadcast = warp_sums("broadcast", 9),
  occupancy = occupancy,
  chains = chains,
  of_block = additions("block"), of_device = additions("device"), of_system = additions("system"),
  window = window,
  rates = rates,
}
