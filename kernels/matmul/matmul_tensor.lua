-- SPDX-License-Identifier: Apache-2.0
-- C = A B on tensor cores: A is m x k, B lies as n x k, C is m x n, sums are fp32 (int8: int32, fp64: fp64). Returns
-- { bf16, fp16, tf32, fp8, int8, fp64 }: `kernel`, what describes a kernel of this type (for files that go on from here),
-- `element`, `out` and `cuda`; steps of a ladder: naive (bf16, fp16, fp64), wmma (bf16, fp16), mma and turns (all but
-- fp64), of which shared_of(config) and turns_shared_of(config) are the bytes of shared memory; finish (bf16, fp16), a function
-- of { layout, epilogue } as matmul_wgmma.lua has them, that returns a kernel by mma.sync and its constraints. fp32, whose B is
-- k x n, has `kernel` alone.
local epilogues = require "kernels.matmul_epilogue"
local intensity = require "kernels.intensity"
local tiles = require "kernels.tiles"

-- An element: rooftune's type, CUDA's for the reference, bytes; out: of C, the same where left out; cuda: our kernels'
-- name of the type, where it is another; reference: where B is not n x k. tol: TF32 drops 13 bits of the inputs, e4m3's
-- sums keep some 14 bits (2^-18 for each of k = 8192, and C's own).
local types = {
  bf16 = { element = { bf16, "__nv_bfloat16", 2 } },
  fp16 = { element = { f16, "__half", 2 } },
  tf32 = { element = { f32, "float", 4 }, tol = 2^-8 + 2^-12 },
  fp8 = {
    element = { e4m3, "__nv_fp8_e4m3", 1 }, cuda = "unsigned char", out = { bf16, "__nv_bfloat16", 2 }, tol = 2^-5 + 2^-7,
  },
  int8 = { element = { i8, "signed char", 1 }, out = { i32, "int", 4 } },
  fp64 = { element = { f64, "double", 8 } },
  fp32 = { element = { f32, "float", 4 }, reference = "matmul_fp32_reference.cu:matmul_fp32_reference" },
}

local BLOCK_M = { "BLOCK_M", 128, "rows of a block's tile" }
local BLOCK_N = { "BLOCK_N", 128, "columns of a block's tile" }
local WARP_M = { "WARP_M", 64, "rows a warp computes" }
local WARP_N = { "WARP_N", 64, "columns a warp computes" }
local WARP_N_8 = { "WARP_N", 32, WARP_N[3] } -- 8 warps a block, whose registers suffice for every type
local STAGES = { "STAGES", 3, "tiles in shared memory: one in use, the others on their way" }
local GROUP = { "GROUP", 8, "rows of tiles that blocks go through together, column by column" }

local function args(p, b) return { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) } end

-- What describes kernels of a type.
local function describer(dtype)
  local type = types[dtype]
  local element, out = type.element, type.out or type.element
  local sum = dtype == "int8" and "int" or "double"

  -- A kernel of this type. `facts`: name (behind the type's), source, entry, params, launch, traffic, prior; temps, a function of
  -- problem, configuration and device, for buffers of its own, and prepare for what they begin with; layout, "nn" or "nt" for
  -- a B (and an A) that lies as k x n (k x m); odd where the derived odd problem does not do; out in place of the type's;
  -- epilogue of matmul_epilogue.lua.
  return function(facts)
    local out, epilogue = facts.out or out, facts.epilogue
    local a_transposed, b_transposed = facts.layout == "nt", facts.layout == nil -- A lies as k x m, B as n x k
    local reference = ("vendor_matmul_reference.cu:vendor_matmul_reference<%s, %s, %s, %s, false>"):format(
      element[2], sum, tostring(a_transposed), tostring(b_transposed))
    if epilogue then reference = epilogue.reference_of(element[2], out[2], a_transposed, b_transposed) end
    return kernel {
      name = "matmul_" .. dtype .. "_" .. facts.name,
      source = facts.source,
      entry = facts.entry,
      options = facts.options,
      problem = { "m", "n", "k" },
      params = facts.params,
      buffers = function(p, c, gpu)
        local all = facts.temps and facts.temps(p, c, gpu) or {}
        all.a, all.b = input(element[1], p.m * p.k), input(element[1], p.n * p.k, epilogue and epilogues.fill(p))
        all.c = output(out[1], p.m * p.n)
        if epilogue then all[epilogue.input] = epilogue.buffer(p, out[1]) end
        return all
      end,
      prepare = facts.prepare,
      launch = facts.launch,
      work = function(p)
        local work = intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = dtype }
        work.write = out[3] * p.m * p.n
        return epilogue and epilogues.add_work(work, epilogue, p, out[3]) or work
      end,
      traffic = facts.traffic,
      prior = facts.prior,
      check = {
        reference = type.reference or reference,
        length = function(p) return p.k end,
        tol = type.tol,
        odd = facts.odd,
      },
    }
  end
end

local function ladder(dtype)
  local type, describe, pipe = types[dtype], describer(dtype), "tensor_" .. dtype
  local BYTES, out_bytes = type.element[3], (type.out or type.element)[3]
  local cuda_type = type.cuda or type.element[2]
  local BLOCK_K = { "BLOCK_K", 64 // BYTES, "depth of a tile in shared memory" }

  -- Shared memory, bytes: of turns, the places of the tiles; of mma also, in the same room, a C of 16 bits by rows of a warp.
  local function turns_shared_of(c) return BYTES * c.STAGES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end
  local function shared_of(c)
    local rows = BYTES == 2 and BYTES * c.BLOCK_M * c.BLOCK_N * (c.WARP_N + 8) // c.WARP_N or 0
    return math.max(turns_shared_of(c), rows)
  end

  -- fp8 is widened to fp16 where no tensor core multiplies it. (On sm_90 and sm_100 as well: recordings have it as fp8.)
  -- sm_75 multiplies bf16 and TF32 by fp32.
  local function executed_by(gpu, traffic)
    if (dtype == "bf16" or dtype == "tf32") and gpu.cc < 80 then traffic.fp32, traffic[pipe] = traffic[pipe], 0 end
    if dtype == "fp8" and gpu.cc < 89 then traffic.tensor_fp16, traffic[pipe] = traffic[pipe], 0 end
    return traffic
  end

  -- Rows that do not begin at multiples of 16 bytes are read an element at a time.
  local function entry_for(p, name, parameters)
    return ("%s<%s, %s, %s>"):format(name, cuda_type, tostring(p.k * BYTES % 16 == 0), parameters)
  end

  local naive = describe {
    name = "naive",
    source = "matmul_tensor.cu",
    entry = ("matmul_naive<%s, BLOCK_X, BLOCK_Y>"):format(cuda_type),
    params = { { "BLOCK_X", 32, "columns a block" }, { "BLOCK_Y", 8, "rows a block" } },
    launch = function(p, c, gpu, b)
      return {
        args = args(p, b),
        grid = { ceil_div(p.n, c.BLOCK_X), ceil_div(p.m, c.BLOCK_Y) },
        block = { c.BLOCK_X, c.BLOCK_Y },
      }
    end,
    -- No tensor core multiplies. A warp's 32 rows of B are as many sectors, which L1 may keep for the next steps of k.
    traffic = function(p, c)
      return {
        [pipe] = 0,
        [dtype == "fp64" and "fp64" or "fp32"] = 2 * p.m * p.n * p.k,
        l2 = tiles.reads(p, BYTES, c.BLOCK_Y, c.BLOCK_X) + BYTES * p.m * p.n,
      }
    end,
  }

  local WMMA = "BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N"
  local wmma = describe {
    name = "wmma",
    source = "matmul_tensor.cu",
    entry = ("matmul_wmma<%s, true, %s>"):format(cuda_type, WMMA),
    params = { BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N_8 },
    launch = function(p, c, gpu, b)
      return {
        entry = entry_for(p, "matmul_wmma", WMMA),
        args = args(p, b),
        grid = { ceil_div(p.n, c.BLOCK_N), ceil_div(p.m, c.BLOCK_M) },
        block = tiles.threads(c),
      }
    end,
    traffic = function(p, c, gpu)
      local patches = 16 * 16 * 4 * tiles.threads(c) // 32 -- a fragment of C a warp, as floats
      local shared = BYTES * (c.BLOCK_M + c.BLOCK_N) * (c.BLOCK_K + 8) + patches
      return tiles.traffic(pipe, p, c, gpu, { bytes = BYTES, shared = shared, c_bytes = 8 })
    end,
  }

  local MMA = "BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, SWIZZLE, AHEAD, GROUP, RESIDENT"
  local mma = describe {
    name = "mma",
    source = "matmul_mma.cu",
    entry = ("matmul_mma<%s, true, %s>"):format(cuda_type, MMA),
    params = {
      BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, BYTES == 2 and WARP_N or WARP_N_8, STAGES,
      { "SWIZZLE", true, "rows of a tile lie so that ldmatrix meets each bank once" },
      { "AHEAD", true, "fragments are read while those before them are multiplied" },
      GROUP,
      { "RESIDENT", 1, "blocks an SM shall hold, which limits the registers of a thread" },
    },
    launch = function(p, c, gpu, b)
      return {
        entry = entry_for(p, "matmul_mma", MMA),
        args = args(p, b),
        grid = ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M),
        block = tiles.threads(c),
        shared = shared_of(c),
      }
    end,
    -- Without SWIZZLE the eight rows that ldmatrix reads together begin in two banks (rows of 64 bytes), or in one.
    traffic = function(p, c, gpu)
      return executed_by(gpu, tiles.traffic(pipe, p, c, gpu, {
        bytes = BYTES, out_bytes = out_bytes, shared = shared_of(c), passes = c.SWIZZLE and 1 or c.BLOCK_K * BYTES // 16,
        c_bytes = BYTES == 2 and 4 or 0, group = c.GROUP,
      }))
    end,
  }

  local TURNS = "BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, GROUP, RESIDENT"
  local turns = describe {
    name = "mma_turns",
    source = "matmul_mma_turns.cu",
    entry = ("matmul_mma_turns<%s, true, %s>"):format(cuda_type, TURNS),
    params = {
      BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N_8, STAGES, GROUP,
      { "RESIDENT", 1, "blocks that stay on an SM, which limits the registers of a thread" },
    },
    launch = function(p, c, gpu, b)
      return {
        entry = entry_for(p, "matmul_mma_turns", TURNS),
        args = args(p, b),
        grid = math.min(ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M), gpu.sms * c.RESIDENT),
        block = tiles.threads(c),
        shared = turns_shared_of(c),
      }
    end,
    traffic = function(p, c, gpu)
      return executed_by(gpu, tiles.traffic(pipe, p, c, gpu, {
        bytes = BYTES, out_bytes = out_bytes, shared = turns_shared_of(c), group = c.GROUP,
      }))
    end,
  }

  -- Where no sm_90a is: other layouts, epilogues.
  local FINISH = "BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, GROUP"
  local function finish(facts)
    local epilogue = facts.epilogue and epilogues[facts.epilogue]
    local a_by_k, b_by_k = facts.layout ~= "nt", facts.layout == nil
    local function entry(aligned)
      return ("matmul_mma_finish<%s, %s, %s, %s, %s, %s>"):format(
        cuda_type, tostring(a_by_k), tostring(b_by_k), tostring(aligned), FINISH, epilogue and epilogue.code or "Plain")
    end
    local function is_aligned(p)
      return (a_by_k and p.k or p.m) % 8 == 0 and (b_by_k and p.k or p.n) % 8 == 0
    end
    local made = describe {
      name = "mma_" .. (facts.epilogue or "finish") .. (facts.layout and "_" .. facts.layout or ""),
      layout = facts.layout,
      epilogue = epilogue,
      source = "matmul_mma_finish.cu",
      entry = entry(true),
      params = {
        BLOCK_M, BLOCK_N, { "BLOCK_K", 64, BLOCK_K[3] }, WARP_M, WARP_N_8, { "STAGES", 2, STAGES[3] }, GROUP,
      },
      launch = function(p, c, gpu, b)
        return {
          entry = entry(is_aligned(p)),
          args = { b.a, b.b, b.c, epilogue and b[epilogue.input] or u64(0), i64(p.m), i64(p.n), i64(p.k) },
          grid = ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M),
          block = tiles.threads(c),
          shared = turns_shared_of(c),
        }
      end,
      traffic = function(p, c, gpu)
        local facts = { bytes = BYTES, shared = turns_shared_of(c), group = c.GROUP }
        local all = executed_by(gpu, tiles.traffic(pipe, p, c, gpu, facts))
        if epilogue then
          local read = epilogue.bytes(p, BYTES)
          all.fp32, all.dram_read = (all.fp32 or 0) + epilogue.ops * p.m * p.n, all.dram_read + read
          all.l2 = all.l2 + read * (epilogue.input == "bias" and ceil_div(p.m, c.BLOCK_M) or 1)
        end
        return all
      end,
    }
    local here = (facts.fma and "gpu.cc >= 75 and gpu.cc < 80") or (dtype == "fp16" and "gpu.cc >= 75" or "gpu.cc >= 80")
    return made, { here, tiles.four_or_eight_warps, tiles.fits(turns_shared_of) }
  end

  local steps = {
    kernel = describe, element = type.element, out = type.out or type.element, cuda = cuda_type,
    shared_of = shared_of, turns_shared_of = turns_shared_of,
  }
  if dtype == "bf16" or dtype == "fp16" then steps.naive, steps.wmma, steps.finish = naive, wmma, finish end
  if dtype == "fp64" then steps.naive = naive else steps.mma, steps.turns = mma, turns end
  return steps
end

local tensor = {}
for dtype in pairs(types) do tensor[dtype] = dtype == "fp32" and { kernel = describer(dtype) } or ladder(dtype) end
return tensor
