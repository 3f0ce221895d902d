-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp64: A is m x k, B lies as n x k. Returns { naive, dmma, turns, shared_of }: without tensor cores; on them;
-- by blocks that stay. shared_of(config) are the bytes of shared memory of the last two.
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"

local DOUBLE = 8 -- bytes

local function shared_of(c) return DOUBLE * c.STAGES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end

local params = {
  { "DEPTH", 4, "k of the instruction: 4, m8n8k4; 8 and 16, m16n8k8 and m16n8k16 from sm_90 on" },
  { "BLOCK_M", 128, "rows of a block's tile" },
  { "BLOCK_N", 128, "columns of a block's tile" },
  { "BLOCK_K", 16, "depth of a tile in shared memory" },
  { "WARP_M", 64, "rows a warp computes" },
  { "WARP_N", 32, "columns a warp computes" },
  { "STAGES", 3, "tiles in shared memory: one in use, the others on their way" },
  { "GROUP", 8, "rows of tiles that blocks go through together, column by column" },
}

-- `facts`: name, source, parameters of the template, params; blocks(config, gpu), how many stay, where they do.
local function on_tensor_cores(facts)
  return tensor.fp64.kernel {
    name = facts.name,
    source = facts.source,
    entry = ("%s<true, %s>"):format(facts.source:match "^[^.]+", facts.parameters),
    params = facts.params,
    launch = function(p, c, gpu, b)
      local all = ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M)
      return {
        -- Rows of an odd k do not begin at 16 bytes.
        entry = ("%s<%s, %s>"):format(facts.source:match "^[^.]+", tostring(p.k % 2 == 0), facts.parameters),
        args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
        grid = facts.blocks and math.min(all, facts.blocks(c, gpu)) or all,
        block = tiles.threads(c),
        shared = shared_of(c),
      }
    end,
    traffic = function(p, c, gpu)
      return tiles.traffic("tensor_fp64", p, c, gpu, { bytes = DOUBLE, shared = shared_of(c), group = c.GROUP })
    end,
  }
end

local DMMA = "DEPTH, BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, GROUP"
local dmma = on_tensor_cores { name = "dmma", source = "matmul_dmma.cu", parameters = DMMA, params = params }

local turns = on_tensor_cores {
  name = "dmma_turns",
  source = "matmul_dmma_turns.cu",
  parameters = DMMA .. ", RESIDENT",
  params = lists.join(params, {
    { "RESIDENT", 1, "blocks that stay on an SM, which limits the registers of a thread" },
  }),
  blocks = function(c, gpu) return gpu.sms * c.RESIDENT end,
}

return { naive = tensor.fp64.naive, dmma = dmma, turns = turns, shared_of = shared_of }
