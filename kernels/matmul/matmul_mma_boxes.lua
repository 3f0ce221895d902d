-- SPDX-License-Identifier: Apache-2.0
-- C = A B by mma.sync from tiles that TMA brings (sm_90 and newer), B lying as n x k: { bf16, fp16, tf32, fp8, int8 }, a kernel
-- each with fits, its constraints; and roles, one with a warp for the tiles alone (sm_90a), with roles_fits.
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"
local wgmma = require "kernels.matmul_wgmma"

local by_k = { a = true, b = true }

-- Bytes of shared memory: a stage is 128 bytes of k deep, and has two barriers.
local function shared_of(c) return c.STAGES * (128 * (c.BLOCK_M + c.BLOCK_N) + 16) end

local function fits(BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, gpu)
  local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, WARP_M = WARP_M, WARP_N = WARP_N, STAGES = STAGES }
  local threads = tiles.threads(c)
  return threads >= 128 and threads <= 256 and shared_of(c) <= gpu.shared_per_block
end

local WARP, WARPS = 64, 8 -- of roles: rows and columns of a warp; warps that multiply
local PIECES = 2 * 16 * 128 -- and bytes of C that a warp has on its way

local function roles_shared_of(c) return shared_of(c) + WARPS * PIECES + 8 end

local function roles_fit(BLOCK_M, BLOCK_N, STAGES, gpu)
  return roles_shared_of { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, STAGES = STAGES } <= gpu.shared_per_block
end

local BLOCK_M = { "BLOCK_M", 128, "rows of a block's tile" }
local BLOCK_N = { "BLOCK_N", 256, "columns of a block's tile" }
local STAGES = { "STAGES", 4, "places for tiles of A and B in shared memory" }
local GROUP = { "GROUP", 8, "rows of tiles that blocks go through together, column by column" }

local function boxes(dtype)
  local BYTES, out_bytes, matmul = tensor[dtype].element[3], tensor[dtype].out[3], wgmma[dtype]

  -- facts: name, source, entry, params; args(p, b, map), those behind the maps of A and B, map being one of them; warp_m(c) and
  -- warp_n(c), rows and columns of a warp; threads(c); shared(c), bytes; c_bytes, of an element of C that pass through shared memory.
  local function described(facts)
    return tensor[dtype].kernel {
      name = facts.name,
      source = facts.source,
      entry = facts.entry:format(tensor[dtype].cuda),
      params = facts.params,
      temps = matmul.temps,
      launch = function(p, c, gpu, b)
        return matmul.with_maps(p, b, by_k, function(map)
          local a_map, b_map = map("a", c.BLOCK_M, 1), map("b", c.BLOCK_N, 1)
          return {
            args = { a_map, b_map, table.unpack(facts.args(p, b, a_map)) },
            grid = math.min(ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M), gpu.sms),
            block = facts.threads(c),
            shared = facts.shared(c),
          }
        end)
      end,
      traffic = function(p, c, gpu)
        return tiles.traffic("tensor_" .. dtype, p, { BLOCK_M = c.BLOCK_M, BLOCK_N = c.BLOCK_N, BLOCK_K = 128 // BYTES,
          WARP_M = facts.warp_m(c), WARP_N = facts.warp_n(c) }, gpu, {
          bytes = BYTES, out_bytes = out_bytes, shared = facts.shared(c), group = c.GROUP, c_bytes = facts.c_bytes,
        })
      end,
    }
  end

  local kernel = described {
    name = "mma_boxes",
    source = "matmul_mma_boxes.cu",
    entry = "matmul_mma_boxes<%s, BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, GROUP>",
    params = {
      BLOCK_M, BLOCK_N, { "WARP_M", 64, "rows a warp computes" }, { "WARP_N", 64, "columns a warp computes" }, STAGES, GROUP,
    },
    args = function(p, b) return { b.c, i32(p.m), i32(p.n), i32(p.k) } end,
    warp_m = function(c) return c.WARP_M end,
    warp_n = function(c) return c.WARP_N end,
    threads = tiles.threads,
    shared = shared_of,
  }
  local roles = described {
    name = "mma_roles",
    source = "matmul_mma_roles.cu",
    entry = "matmul_mma_roles<%s, BLOCK_M, BLOCK_N, STAGES, GROUP, LAG>",
    params = {
      BLOCK_M, BLOCK_N, STAGES, GROUP,
      { "LAG", 1, "stages that half of the warps begin behind the others, so that one half stores while the other multiplies" },
    },
    args = function(p, b, a_map)
      local boxes = p.n * out_bytes % 16 == 0
      local c_map = boxes and tensor_map(b.c, { p.n, p.m }, { box = { 128 // out_bytes, 16 }, swizzle = 128 })
      return { c_map or a_map, b.c, i32(p.m), i32(p.n), i32(p.k), i32(boxes and 1 or 0) }
    end,
    warp_m = function() return WARP end,
    warp_n = function() return WARP end,
    threads = function() return 32 * WARPS + 128 end,
    shared = roles_shared_of,
    c_bytes = 2 * out_bytes,
  }
  return {
    kernel = kernel, fits = { "gpu.cc >= 90", fits },
    roles = roles, roles_fits = { "gpu.arch == 'sm_90a'", "BLOCK_M * BLOCK_N == 128 * 256", roles_fit },
  }
end

local all = {}
for _, dtype in ipairs { "bf16", "fp16", "tf32", "fp8", "int8" } do all[dtype] = boxes(dtype) end
return all
