-- SPDX-License-Identifier: Apache-2.0
-- y = x convolved with k filters of 3 x 3 over all c channels, zeros around, bf16 in NHWC: n images of h by w pixels, filters as
-- k x (3, 3, c). Returns { mma, im2col, fits, deepest, shared_of }: mma takes sm_80, im2col sm_90a; fits and deepest are
-- constraints of im2col, shared_of(config) mma's bytes of shared memory.
local tiles = require "kernels.tiles"
local wgmma = require "kernels.matmul_wgmma".bf16

local of = wgmma.sizes(2)

-- The product of matrices that it is.
local function product(p) return { m = p.n * p.h * p.w, n = p.k, k = 9 * p.c } end

-- Tensor maps want rows of multiples of 16 bytes.
local function wide(p) return ceil_div(p.c, 8) * 8 end

local function describe(facts)
  return kernel {
    name = "convolution_nhwc_" .. facts.name,
    source = facts.source,
    entry = facts.entry,
    options = { "-I../matmul" },
    problem = { "n", "h", "w", "c", "k" },
    params = facts.params,
    buffers = function(p)
      local all = facts.temps and facts.temps(p) or {}
      all.x, all.filters = input(bf16, p.n * p.h * p.w * p.c), input(bf16, p.k * 9 * p.c)
      all.y = output(bf16, p.n * p.h * p.w * p.k)
      return all
    end,
    launch = facts.launch,
    -- Direct: taps outside of the image count, as they do for libraries.
    work = function(p)
      local as = product(p)
      return {
        tensor_bf16 = 2 * as.m * as.n * as.k,
        read = 2 * (as.m * p.c + as.n * as.k),
        write = 2 * as.m * as.n,
        items = { "image", p.n },
      }
    end,
    traffic = facts.traffic,
    check = {
      reference = {
        "convolution_nhwc_reference.cu:convolution_nhwc_reference",
        grid = function(p) return math.min(65535, ceil_div(p.n * p.h * p.w, 64) * ceil_div(p.k, 64)) end,
        block = 256,
      },
      length = function(p) return 9 * p.c end,
      odd = { n = 3, h = 13, w = 11, c = 60, k = 75 },
    },
  }
end

-- Stages are as deep as BLOCK_K, which channels of a tap need not fill. Pixels come from memory once.
local function moved(p, c)
  local as = product(p)
  as.k = 9 * ceil_div(p.c, c.BLOCK_K) * c.BLOCK_K
  local written = 2 * as.m * as.n
  return {
    tensor_bf16 = tiles.executed(as, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K),
    dram_read = 2 * (as.m * p.c + as.n * 9 * p.c),
    dram_write = written,
  }
end

local function mma_shared(c) return 2 * c.STAGES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end

local MMA = "BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, RESIDENT"
local mma = describe {
  name = "mma",
  source = "convolution_mma.cu",
  entry = ("convolution_mma<true, %s>"):format(MMA),
  params = {
    { "BLOCK_M", 128, "pixels of a block's tile" },
    { "BLOCK_N", 128, "outputs of a block's tile" },
    { "BLOCK_K", 64, "channels of a stage" },
    { "WARP_M", 64, "pixels a warp computes" },
    { "WARP_N", 32, "outputs a warp computes" },
    { "STAGES", 3, "places for tiles in shared memory" },
    { "RESIDENT", 1, "blocks that an SM shall hold" },
  },
  launch = function(p, c, gpu, b)
    return {
      entry = ("convolution_mma<%s, %s>"):format(tostring(p.c % 8 == 0), MMA),
      args = { b.x, b.filters, b.y, i32(p.n), i32(p.h), i32(p.w), i32(p.c), i32(p.k) },
      grid = ceil_div(p.n * p.h * p.w, c.BLOCK_M) * ceil_div(p.k, c.BLOCK_N),
      block = tiles.threads(c),
      shared = mma_shared(c),
    }
  end,
  traffic = function(p, c, gpu)
    local all, read = moved(p, c), tiles.reads(product(p), 2, c.BLOCK_M, c.BLOCK_N)
    all.l2 = read + all.dram_write
    all.shared = all.tensor_bf16 * (1 / c.WARP_M + 1 / c.WARP_N) + read
    if gpu.cc < 80 then all.fp32, all.tensor_bf16 = all.tensor_bf16, 0 end -- nothing else multiplies bf16 there
    return all
  end,
}

-- Room for pixels and taps of as many channels as tensor maps take, and the copy into it.
local function wide_temps(p)
  local all = {}
  if wide(p) ~= p.c then
    all.x_wide, all.filters_wide = temp(bf16, p.n * p.h * p.w * wide(p)), temp(bf16, p.k * 9 * wide(p))
  end
  return all
end
local function widen(p, b)
  local pixels, taps, pitch = p.n * p.h * p.w, 9 * p.k, 2 * wide(p)
  return {
    entry = "pad_both<16>",
    args = {
      b.x, b.x_wide, i64(pixels * pitch // 16), i32(2 * p.c), i32(pitch),
      b.filters, b.filters_wide, i64(taps * pitch // 16), i32(2 * p.c), i32(pitch),
    },
    grid = ceil_div((pixels + taps) * pitch // 16, 256),
    block = 256,
  }
end

local im2col = describe {
  name = "im2col",
  source = "convolution_im2col.cu",
  entry = "convolution_im2col<BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP, PINGPONG, LAG,"
    .. " IN_FLIGHT, STORES>",
  params = wgmma.params,
  temps = wide_temps,
  launch = function(p, c, gpu, b)
    local channels, m, cluster = wide(p), p.n * p.h * p.w, c.CLUSTER_M * c.CLUSTER_N
    local x, filters = b.x, b.filters
    if channels ~= p.c then x, filters = b.x_wide, b.filters_wide end
    local x_map = tensor_map(x, { channels, p.w, p.h, p.n }, {
      box = { 64, c.BLOCK_M // c.CLUSTER_N }, swizzle = 128, l2_promotion = 256,
      im2col = { lower = { -1, -1 }, upper = { -1, -1 } },
    })
    local filters_map = tensor_map(filters, { 9 * channels, p.k }, {
      box = { 64, c.BLOCK_N // c.CLUSTER_M }, swizzle = 128, l2_promotion = 256,
    })
    local boxes, columns = p.k % 8 == 0, of.piece_columns(c)
    local y_map = boxes and tensor_map(b.y, { p.k, m }, { box = { columns, 64 }, swizzle = 2 * columns })
    local all = ceil_div(m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.k, c.BLOCK_N * c.CLUSTER_N)
    local own = {
      args = {
        x_map, filters_map, y_map or filters_map, b.y, i32(p.n), i32(p.h), i32(p.w), i32(channels), i32(p.k),
        i32(boxes and 1 or 0),
      },
      grid = (c.IDLE < 0 and all or math.min(all, (gpu.sms - c.IDLE) // cluster)) * cluster,
      cluster = cluster,
      block = 128 * (c.CONSUMERS + 1),
      shared = of.roles(c),
    }
    return channels ~= p.c and { widen(p, b), own } or own
  end,
  -- What L2 moves is not known: by the tiles' reads it would be more than it can.
  traffic = function(p, c)
    local all = moved(p, c)
    all.shared = all.tensor_bf16 * (1 / c.BLOCK_N + 1 / 64) + tiles.reads(product(p), 2, c.BLOCK_M, c.BLOCK_N)
      + (c.STORES > 0 and 2 or 0) * all.dram_write
    return all
  end,
}

return { mma = mma, im2col = im2col, fits = of.fits, deepest = of.deepest, shared_of = mma_shared }
