-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp32, A is m x k and B is k x n, of data that is "uniform" in [-1, 1), "wide" or "cancelling"
-- (matmul_data.cu). Returns { fma, bf16, bf16_short, bf16_early, tf32, fits, mma, mma_fits }: plain FMA; on tensor cores that
-- multiply narrower numbers, short where 16 bits are enough, early with PDL; and constraints of these: on sm_90a, and by
-- mma.sync (mma has the first, the second and tf32).
local intensity = require "kernels.intensity"
local tiles = require "kernels.tiles"

local FLOAT = 4 -- bytes

-- `opposite` 1: the second half of k has the other sign. `apart`: elements from one k to the next.
local function fill_of(p, apart, opposite)
  if p.inputs == "wide" then return from "matmul_data.cu:wide" end
  if p.inputs == "cancelling" then
    return from { "matmul_data.cu:cancelling", args = { i64(apart), i64(p.k), i32(opposite) } }
  end
  if p.inputs ~= "uniform" then error("inputs = " .. p.inputs .. ": expected uniform, wide or cancelling") end
  return uniform(-1, 1)
end

local function matmul(facts)
  return kernel {
    name = facts.name,
    source = facts.source,
    entry = facts.entry,
    problem = { "m", "n", "k", "inputs" },
    compiled = { "inputs" }, -- as every dimension that is a text; no kernel asks for it
    params = facts.params,
    buffers = function(p)
      local all = facts.temps and facts.temps(p) or {}
      all.a, all.b = input(f32, p.m * p.k, fill_of(p, 1, 0)), input(f32, p.k * p.n, fill_of(p, p.n, 1))
      all.c = output(f32, p.m * p.n)
      return all
    end,
    launch = facts.launch,
    work = function(p) return intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = "fp32", pipe = facts.pipe } end,
    traffic = facts.traffic,
    prior = facts.prior,
    check = {
      reference = {
        "vendor_matmul_reference.cu",
        launch = function(p, c, gpu, b)
          return {
            entry = "vendor_matmul_reference<float, double, false, false, false>",
            args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
            grid = ceil_div(p.m, 64) * ceil_div(p.n, 64),
            block = 256,
          }
        end,
      },
      -- The tolerance is by its root: what is cancelled away was rounded like a sum 2^6 as large.
      length = function(p) return p.k * (p.inputs == "cancelling" and 2^12 or 1) * (facts.loose or 1)^2 end,
    },
  }
end

local fma = matmul {
  name = "matmul_emulated_fma",
  source = "matmul_fp32.cu",
  entry = "matmul_register<4, TILE_M, 128, 16, 8, 8, 2, 2>",
  params = { { "TILE_M", 128, "rows of a block's tile" } },
  launch = function(p, c, gpu, b)
    local vec = p.n % 4 == 0 and p.k % 4 == 0 and 4 or 1
    return {
      entry = ("matmul_register<%d, TILE_M, 128, 16, 8, 8, 2, 2>"):format(vec),
      args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
      grid = { ceil_div(p.n, 128), ceil_div(p.m, c.TILE_M) },
      block = c.TILE_M * 2,
      shared = FLOAT * 2 * (c.TILE_M * 20 + 16 * 128),
    }
  end,
}

local CHUNK = { "CHUNK", 64, "k's that are added up on the tensor cores, before fp32 adds the sum" }
local function products_param(products)
  return { "PRODUCTS", products, "of planes of A and B: 3 or 4 of two planes each, 6 or 9 of three" }
end

-- Planes that so many products need.
local function planes_of(c) return c.PRODUCTS > 4 and 3 or 2 end

-- Of numbers of `size` bytes: a stage, and all of shared memory, of which the barriers take 16 bytes a stage.
local function stage_of(size, c) return size * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end
local function shared_of(size, c)
  return c.STAGES * (stage_of(size, c) + 16) + c.CONSUMERS * c.STORES * FLOAT * 64 * 32
end

-- Rows of planes begin at multiples of 16 bytes.
local function pitch_of(p) return ceil_div(p.k, 8) * 8 end

-- Launches that write planes of A and B.
local function splits_of(p, b, cuda_type, planes)
  local pitch = pitch_of(p)
  local function split(name, whole) return ("%s<%s, %d, %s, 256>"):format(name, cuda_type, planes, tostring(whole)) end
  return {
    entry = split("split_rows", p.k % 4 == 0),
    args = { b.a, b.a_planes, i64(p.m), i32(p.k), i32(pitch) },
    grid = ceil_div(p.m * pitch // 4, 256),
    block = 256,
  }, {
    entry = split("split_turned", p.n % 4 == 0),
    args = { b.b, b.b_planes, i32(p.k), i64(p.n), i32(pitch) },
    grid = { ceil_div(p.n, 64), ceil_div(pitch, 64) },
    block = 256,
    shared = FLOAT * 64 * 65,
  }
end
local function planes_for(p, element)
  return { a_planes = temp(element, 3 * p.m * pitch_of(p)), b_planes = temp(element, 3 * p.n * pitch_of(p)) }
end

-- `loose`: times the tolerance of fp32. `early`: with PDL as a parameter.
local function emulated(dtype, element, cuda_type, size, products, loose, early)
  local line = 128 // size -- numbers of a stage's line
  local pipe = "tensor_" .. dtype
  local params = {
    products_param(products), CHUNK,
    { "BLOCK_M", 128, "rows of a tile of C" },
    { "BLOCK_N", 128, "columns of a tile of C" },
    { "BLOCK_K", line, "depth of a stage, which has a plane's tile of A and B" },
    { "STAGES", 6, "places for these in shared memory" },
    { "CONSUMERS", 2, "warpgroups that multiply, 64 rows each; one more brings tiles" },
    { "CLUSTER_M", 2, "tiles of a cluster along m: its blocks share what they read of B" },
    { "CLUSTER_N", 1, "tiles of a cluster along n: its blocks share what they read of A" },
    { "GROUP", 8, "rows of clusters' tiles that are gone through together" },
    { "LAG", true, "the second of two consumers begins each tile behind the first: one adds while the other multiplies" },
    { "STORES", 2, "pieces of C on their way in shared memory, each consumer; 0: from registers" },
  }
  if early then params[#params + 1] = { "PDL", true, "the product, and B's planes, begin before the launch in front of them ends" } end
  return matmul {
    name = "matmul_emulated_" .. dtype .. (loose and "_short" or early and "_early" or ""),
    source = "matmul_emulated.cu",
    pipe = pipe,
    loose = loose,
    entry = ("matmul_emulated<%s, PRODUCTS, CHUNK, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP,"
      .. " LAG, STORES>"):format(cuda_type),
    params = params,
    temps = function(p) return planes_for(p, element) end,
    launch = function(p, c, gpu, b)
      local planes, pitch = planes_of(c), pitch_of(p)
      local cluster = c.CLUSTER_M * c.CLUSTER_N
      local all = ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N)
      local function map(buffer, rows, lines)
        return tensor_map(buffer, { pitch, planes * rows }, { box = { line, lines }, swizzle = 128, l2_promotion = 256 })
      end
      local a_map, b_map = map(b.a_planes, p.m, c.BLOCK_M // c.CLUSTER_N), map(b.b_planes, p.n, c.BLOCK_N // c.CLUSTER_M)
      local boxes = p.n % 4 == 0
      local c_map = boxes and tensor_map(b.c, { p.n, p.m }, { box = { 32, 64 }, swizzle = 128 })
      local split_a, split_b = splits_of(p, b, cuda_type, planes)
      local pdl = early and c.PDL
      split_b.pdl = pdl
      return {
        split_a,
        split_b,
        {
          pdl = pdl,
          args = { a_map, b_map, c_map or a_map, b.c, i32(p.m), i32(p.n), i32(p.k), i32(boxes and 1 or 0) },
          grid = math.min(all, gpu.sms // cluster) * cluster,
          cluster = cluster,
          block = 128 * (c.CONSUMERS + 1),
          shared = shared_of(size, c),
        },
      }
    end,
    -- A plane's tile comes once for all its products. In front of that all planes are written.
    traffic = function(p, c, gpu)
      local planes, tile_m, tile_n = planes_of(c), c.BLOCK_M * c.CLUSTER_M, c.BLOCK_N * c.CLUSTER_N
      local executed = c.PRODUCTS * tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K)
      local written, inputs = FLOAT * p.m * p.n, p.k * (p.m + p.n)
      local split = (FLOAT + planes * size) * inputs
      return {
        [pipe] = executed,
        shared = executed / 2 * size * (1 / c.BLOCK_N + 1 / 64) + planes * tiles.reads(p, size, c.BLOCK_M, c.BLOCK_N)
          + (c.STORES > 0 and 2 or 0) * written,
        l2 = planes * tiles.reads(p, size, tile_m, tile_n) + written + split,
        dram_read = FLOAT * inputs
          + tiles.dram_reads(p, planes * size, tile_m, tile_n, gpu.sms // (c.CLUSTER_M * c.CLUSTER_N), gpu.l2_bytes, c.GROUP),
        dram_write = planes * size * inputs + written,
      }
    end,
    -- The slowest of pipe, L2 and shared memory; SMs wait for those that have a tile more, steps where the ring has no room for
    -- the planes of two, and the pipe where no other warpgroup multiplies while one adds.
    prior = function(p, c, gpu, t)
      local all = ceil_div(p.m, c.BLOCK_M) * ceil_div(p.n, c.BLOCK_N)
      return math.max(t[pipe], 0.6 * t.l2, t.shared) * ceil_div(all, gpu.sms) * gpu.sms / all
        * (c.STAGES < 2 * planes_of(c) and 1.2 or 1) * (c.LAG and 1 or 1.05)
    end,
  }
end

-- Constraints of kernels whose numbers have `size` bytes: sums of a chunk and of the whole in registers; a step's planes in
-- shared memory and one on its way, but no place less than fit.
local function fits(size)
  return {
    "gpu.arch == 'sm_90a'",
    "BLOCK_M == 64 * CONSUMERS and BLOCK_N % 32 == 0 and BLOCK_N <= (CONSUMERS == 3 and 128 or 192)",
    "CONSUMERS == 2 or not LAG",
    "BLOCK_M % (8 * CLUSTER_N) == 0 and BLOCK_N % (8 * CLUSTER_M) == 0",
    function(PRODUCTS, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, STORES, gpu)
      local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES, CONSUMERS = CONSUMERS, STORES = STORES }
      local bytes = shared_of(size, c)
      return STAGES > planes_of { PRODUCTS = PRODUCTS } and bytes <= gpu.shared_per_block
        and (bytes + stage_of(size, c) + 16 > gpu.shared_per_block or STAGES == 8)
    end,
  }
end

-- The same by mma.sync: a stage has the tiles of all planes.
local function mma_shared(size, c)
  return size * planes_of(c) * c.STAGES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K
end

local function by_mma(dtype, element, cuda_type, size, products, loose)
  local pipe = "tensor_" .. dtype
  return matmul {
    name = "matmul_emulated_mma_" .. dtype .. (loose and "_short" or ""),
    source = "matmul_mma_planes.cu",
    pipe = pipe,
    loose = loose,
    entry = ("matmul_mma_planes<%s, PRODUCTS, CHUNK, BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, GROUP>"):format(cuda_type),
    params = {
      products_param(products), CHUNK,
      { "BLOCK_M", 128, "rows of a block's tile" },
      { "BLOCK_N", 128, "columns of a block's tile" },
      { "BLOCK_K", 64 // size, "depth of a stage, which has the tiles of all planes" },
      { "WARP_M", 64, "rows a warp computes" },
      { "WARP_N", 32, "columns a warp computes" },
      { "STAGES", 2, "places for these in shared memory" },
      { "GROUP", 8, "rows of tiles that blocks go through together" },
    },
    temps = function(p) return planes_for(p, element) end,
    launch = function(p, c, gpu, b)
      local split_a, split_b = splits_of(p, b, cuda_type, planes_of(c))
      return {
        split_a,
        split_b,
        {
          args = { b.a_planes, b.b_planes, b.c, i64(p.m), i64(p.n), i64(pitch_of(p)) },
          grid = ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M),
          block = tiles.threads(c),
          shared = mma_shared(size, c),
        },
      }
    end,
    traffic = function(p, c, gpu)
      local planes, written, inputs = planes_of(c), FLOAT * p.m * p.n, p.k * (p.m + p.n)
      local executed = c.PRODUCTS * tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K)
      local read, split = planes * tiles.reads(p, size, c.BLOCK_M, c.BLOCK_N), (FLOAT + planes * size) * inputs
      return {
        [pipe] = executed,
        shared = executed / 2 * size * (1 / c.WARP_M + 1 / c.WARP_N) + read,
        l2 = read + written + split,
        dram_read = FLOAT * inputs
          + tiles.dram_reads(p, planes * size, c.BLOCK_M, c.BLOCK_N, gpu.sms, gpu.l2_bytes, c.GROUP),
        dram_write = planes * size * inputs + written,
      }
    end,
  }
end

local function mma_fits(size)
  return {
    "gpu.cc >= 80", "CHUNK % BLOCK_K == 0", tiles.four_or_eight_warps,
    function(PRODUCTS, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, gpu)
      local c = { PRODUCTS = PRODUCTS, BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES }
      return mma_shared(size, c) <= gpu.shared_per_block
    end,
  }
end

return {
  fma = fma,
  bf16 = emulated("bf16", bf16, "__nv_bfloat16", 2, 6),
  bf16_short = emulated("bf16", bf16, "__nv_bfloat16", 2, 3, 4),
  bf16_early = emulated("bf16", bf16, "__nv_bfloat16", 2, 6, nil, true),
  tf32 = emulated("tf32", f32, "float", 4, 3),
  fits = fits,
  mma = {
    bf16 = by_mma("bf16", bf16, "__nv_bfloat16", 2, 6),
    bf16_short = by_mma("bf16", bf16, "__nv_bfloat16", 2, 3, 4),
    tf32 = by_mma("tf32", f32, "float", 4, 3),
  },
  mma_fits = mma_fits,
}
