-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp8 with scales in fp32: A is m x k, B lies as n x k, C is m x n. A function of facts:
--   scale   "tensor": one for A, one for B; "rows": for each row of A and column of B; "blocks": for 128 k's of a row of A
--           and for 128 k's of 128 columns of B, as matmul_fp8_scaled.cuh says
--   a, b    e4m3 (when left out) or e5m2, not both of them e5m2
--   out     type of C: bf16 (when left out) or f32
--   tol     tolerance
-- It returns { kernel, fits, deepest, pieces, mma, mma_fits }: on sm_90a, fits and deepest are constraints, a list and one;
-- pieces, of all but rows, { kernel, fits } of sums added up in pieces; by mma.sync.
local intensity = require "kernels.intensity"
local matmul_tiles = require "kernels.tiles"
local wgmma = require "kernels.matmul_wgmma"

local SCALED = 128 -- k's, and columns of B, that share a scale of blocks
local base, by_k = wgmma.fp8, { a = true, b = true }
local numbers = { tensor = 0, rows = 1, blocks = 2 } -- what the kernel calls them

-- How many scales an operand of so many lines has, and how they lie: lines that share one and the step to the next, the
-- same along k.
local function scales_of(scale, name, lines, k)
  if scale == "tensor" then return 1, { lines, 0, k, 0 } end
  if scale == "rows" then return lines, { 1, 1, k, 0 } end
  local blocks = ceil_div(k, SCALED)
  if name == "a" then return lines * blocks, { 1, 1, SCALED, lines } end
  local pitch = ceil_div(blocks, 4) * 4
  return ceil_div(lines, SCALED) * pitch, { SCALED, pitch, SCALED, 1 }
end

local function bytes_of_scales(scale, p)
  return 4 * (scales_of(scale, "a", p.m, p.k) + scales_of(scale, "b", p.n, p.k))
end

-- Constraints: those of matmul_wgmma.lua's roles, whose sums take twice the registers where they are promoted (of two
-- consumers a thread has 240 of them, of three 160).
local function fits(scale, sizes)
  local all = { table.unpack(sizes.fits) }
  all[#all + 1] = scale == "blocks" and "PROMOTE == 128 and BLOCK_K == 128" or "PROMOTE % BLOCK_K == 0"
  all[#all + 1] = "PROMOTE == 0 or not PINGPONG"
  all[#all + 1] = "not TURNS or (PROMOTE == BLOCK_K and CONSUMERS == 2 and LAG == 0)"
  all[#all + 1] = "PROMOTE == 0 or (PROMOTE == BLOCK_K and BLOCK_M // CONSUMERS + 64 or 2 * BLOCK_M // CONSUMERS) * BLOCK_N"
    .. " <= 128 * (CONSUMERS == 3 and 128 or 192)"
  if scale == "blocks" then all[#all + 1] = "BLOCK_N <= 160 or BLOCK_N == 192 or BLOCK_N == 256" end -- two scales at most
  return all
end

-- Of scales read ahead: whole sums, or pieces of them, two of which a thread holds beside its sums.
local function ahead_fits(scale, sizes)
  local all = { table.unpack(sizes.fits) }
  all[#all + 1] = "CONSUMERS == 2"
  if scale == "rows" then
    all[#all + 1] = "ACROSS == 0"
  else
    all[#all + 1] = "ACROSS > 0 and BLOCK_K == 128 and not PINGPONG and LAG == 0"
    all[#all + 1] = "BLOCK_N % (16 * ACROSS) == 0 and BLOCK_M // 128 * ACROSS % 2 == 0"
    all[#all + 1] = "BLOCK_M // 128 * BLOCK_N // 2 + BLOCK_N // ACROSS <= 192"
    if scale == "blocks" then all[#all + 1] = "BLOCK_N % 128 == 0" end
  end
  return all
end

return function(facts)
  local scale = facts.scale
  local a_type, b_type, out = facts.a or e4m3, facts.b or e4m3, facts.out or bf16
  local a_wide, b_wide = a_type == e5m2, b_type == e5m2
  local element = (a_wide or b_wide) and ("Fp8<%s, %s>"):format(tostring(a_wide), tostring(b_wide)) or "unsigned char"
  local out_size = out == f32 and 4 or 2
  -- Scales of rows are applied in front of C, a tile's are kept; those of blocks come with a stage.
  local beside = scale == "blocks" and function(c) return 4 * c.BLOCK_M + 32 end or nil
  local sizes = base.sizes(out_size, scale == "rows" and 4 or 0, beside)
  local params = {}
  for i, param in ipairs(base.params) do
    if param[1] == "BLOCK_N" then param = { "BLOCK_N", 128, param[3] } end -- 256 leave no registers for a second set
    if param[1] ~= "IN_FLIGHT" then params[#params + 1] = param end
  end
  params[#params + 1] = { "PROMOTE", 128, "k's whose sum is formed by the tensor cores before it is added in fp32; 0: all" }
  params[#params + 1] = { "TURNS", false, "a consumer begins such a sum when the other is half through one" }

  local function entry_of(source, parameters)
    return ("%s<%s, %s, %d, %s>"):format(source, element, out == f32 and "float" or "__nv_bfloat16", numbers[scale], parameters)
  end

  local function reference_launch(p, _, _, b)
    local function times(name, type, lines)
      local _, lie = scales_of(scale, name, lines, p.k)
      return {
        entry = ("times_scales<__nv_fp8_%s>"):format(type == e5m2 and "e5m2" or "e4m3"),
        args = { b[name], b[name .. "_scale"], b[name .. "_real"], i64(lines), i64(p.k),
          i64(lie[1]), i64(lie[2]), i64(lie[3]), i64(lie[4]) },
        grid = 1024,
        block = 256,
      }
    end
    return {
      times("a", a_type, p.m),
      times("b", b_type, p.n),
      {
        entry = "vendor_matmul_reference<double, double, false, true, false>",
        args = { b.a_real, b.b_real, b.c, i64(p.m), i64(p.n), i64(p.k) },
        grid = 1024,
        block = 256,
      },
    }
  end

  local function work(p)
    local work = intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = "fp8" }
    work.read = work.read + bytes_of_scales(scale, p)
    work.write = out_size * p.m * p.n
    return work
  end
  -- Operands, scales and C, beside `all`.
  local function buffers(all, p)
    all.a, all.b = input(a_type, p.m * p.k), input(b_type, p.n * p.k)
    all.a_scale = input(f32, scales_of(scale, "a", p.m, p.k), uniform(0.5, 2))
    all.b_scale = input(f32, scales_of(scale, "b", p.n, p.k), uniform(0.5, 2))
    all.c = output(out, p.m * p.n)
    return all
  end
  local check = {
    reference = {
      "matmul_fp8_scaled_reference.cu",
      buffers = function(p) return { a_real = temp(f64, p.m * p.k), b_real = temp(f64, p.n * p.k) } end,
      launch = reference_launch,
    },
    length = function(p) return p.k end,
    tol = facts.tol,
  }

  -- Promotion adds each partial sum once; a block's scale makes that a multiplication and an addition.
  local function scaling(p, c, promote)
    local sums = ceil_div(p.m, c.BLOCK_M) * c.BLOCK_M * ceil_div(p.n, c.BLOCK_N) * c.BLOCK_N
    local added = promote > 0 and ceil_div(p.k, promote) or 0
    return sums * (scale == "blocks" and 2 * added or added + (scale == "rows" and 2 or 1))
  end

  -- A kernel by wgmma. of: name, source, params, parameters of its entry; unstaged: those where lines of A's scales are no
  -- multiples of 16 bytes.
  local function by_roles(of)
    return kernel {
      name = "matmul_fp8_" .. of.name,
      source = of.source .. ".cu",
      entry = entry_of(of.source, of.parameters),
      problem = { "m", "n", "k" },
      params = of.params,
      buffers = function(p) return buffers(base.temps(p), p) end,
      launch = function(p, c, gpu, b)
        local cluster = c.CLUSTER_M * c.CLUSTER_N
        local tiles = ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N)
        local clusters = c.IDLE < 0 and tiles or math.min(tiles, (gpu.sms - c.IDLE) // cluster)
        return base.with_maps(p, b, by_k, function(map)
          local a_map, b_map = map("a", c.BLOCK_M, c.CLUSTER_N), map("b", c.BLOCK_N, c.CLUSTER_M)
          local boxes, columns = p.n * out_size % 16 == 0, sizes.piece_columns(c)
          local c_map = boxes and tensor_map(b.c, { p.n, p.m }, { box = { columns, 64 }, swizzle = out_size * columns })
          return {
            entry = of.unstaged and p.m % 4 > 0 and entry_of(of.source, of.unstaged) or nil,
            args = {
              a_map, b_map, c_map or a_map, b.a_scale, b.b_scale, b.c, i32(p.m), i32(p.n), i32(p.k), i32(boxes and 1 or 0),
            },
            grid = clusters * cluster,
            cluster = cluster,
            block = 128 * (c.CONSUMERS + 1),
            shared = sizes.roles(c),
          }
        end, true)
      end,
      work = work,
      traffic = function(p, c, gpu)
        local passes, wider = c.STORES > 0 and 2 or 0, (out_size - 2) * p.m * p.n -- there C is bf16
        local moved = base.moved(p, c, gpu, c.CLUSTER_M, c.CLUSTER_N, c.GROUP, passes)
        moved.shared, moved.l2, moved.dram_write = moved.shared + passes * wider, moved.l2 + wider, moved.dram_write + wider
        local sums = ceil_div(p.m, c.BLOCK_M) * c.BLOCK_M * ceil_div(p.n, c.BLOCK_N) * c.BLOCK_N
        moved.fp32 = scaling(p, c, of.params == params and c.PROMOTE or c.ACROSS > 0 and SCALED or 0)
        moved.dram_read = moved.dram_read + bytes_of_scales(scale, p)
        moved.l2 = moved.l2 + (scale == "blocks" and sums / c.BLOCK_N * 4 * ceil_div(p.k, SCALED) or bytes_of_scales(scale, p))
        return moved
      end,
      -- As matmul_wgmma.lua's roles; what is added takes its time beside the tensor cores', turns take barriers.
      prior = function(p, c, gpu, t)
        local turns = of.params == params and c.TURNS
        return base.estimate(p, c, gpu, t, by_k, out_size, math.max(t.tensor_fp8, t.fp32)) * (turns and 1.04 or 1)
      end,
      check = check,
    }
  end

  local sets = by_roles { -- of sums
    name = scale, source = "matmul_fp8_scaled", params = params,
    parameters = "BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP, PINGPONG, LAG, STORES, PROMOTE, TURNS",
  }
  local AHEAD = "BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP, PINGPONG, LAG, STORES, ACROSS, "
  local ahead_params = { table.unpack(params, 1, #params - 2) }
  ahead_params[#ahead_params + 1] = {
    "ACROSS", scale == "rows" and 0 or 2, "pieces a row of sums, added up in fp32 every 128 k's; 0: none, whole sums",
  }
  local ahead = by_roles {
    name = scale == "rows" and scale or "pieces_" .. scale, source = "matmul_fp8_ahead", params = ahead_params,
    parameters = AHEAD .. "true", unstaged = scale == "blocks" and AHEAD .. "false",
  }

  -- By mma.sync. PROMOTE as above; a block's tile has one scale of B where scales are of blocks.
  local function mma_shared(c) return c.STAGES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end
  local MMA = "BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, GROUP, PROMOTE"
  local function entry(aligned)
    return ("matmul_mma_scaled<%s, %s, %s, %d, %s, %s>"):format(
      tostring(a_wide), tostring(b_wide), out == f32 and "float" or "__nv_bfloat16", numbers[scale], tostring(aligned), MMA)
  end
  local mma = kernel {
    name = "matmul_fp8_mma_" .. scale,
    source = "matmul_mma_scaled.cu",
    entry = entry(true),
    problem = { "m", "n", "k" },
    params = {
      { "BLOCK_M", 128, "rows of a block's tile" }, { "BLOCK_N", 128, "columns of a block's tile" },
      { "BLOCK_K", 64, "depth of a tile in shared memory" }, { "WARP_M", 64, "rows a warp computes" },
      { "WARP_N", 32, "columns a warp computes" }, { "STAGES", 3, "tiles in shared memory" },
      { "GROUP", 8, "rows of tiles that blocks go through together" }, params[#params - 1],
    },
    buffers = function(p) return buffers({}, p) end,
    launch = function(p, c, gpu, b)
      return {
        entry = entry(p.k % 16 == 0),
        args = { b.a, b.b, b.a_scale, b.b_scale, b.c, i64(p.m), i64(p.n), i64(p.k) },
        grid = ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M),
        block = matmul_tiles.threads(c),
        shared = mma_shared(c),
      }
    end,
    work = work,
    -- Where nothing multiplies fp8 the pipe is fp16's.
    traffic = function(p, c, gpu)
      local eights = (gpu.cc == 89 or gpu.cc >= 120) and not b_wide
      local moved = matmul_tiles.traffic(eights and "tensor_fp8" or "tensor_fp16", p, c, gpu, {
        bytes = 1, out_bytes = out_size, shared = mma_shared(c), group = c.GROUP,
      })
      if not eights then moved.tensor_fp8 = 0 end
      moved.fp32 = scaling(p, c, c.PROMOTE)
      local scales = bytes_of_scales(scale, p)
      moved.l2, moved.dram_read = moved.l2 + scales, moved.dram_read + scales
      return moved
    end,
    check = check,
  }
  return {
    kernel = scale == "rows" and ahead or sets, fits = (scale == "rows" and ahead_fits or fits)(scale, sizes),
    deepest = sizes.deepest, pieces = scale ~= "rows" and { kernel = ahead, fits = ahead_fits(scale, sizes) } or nil, mma = mma,
    mma_fits = {
      "gpu.cc >= 75", "PROMOTE % BLOCK_K == 0", matmul_tiles.four_or_eight_warps,
      scale == "blocks" and "PROMOTE == 128 and 128 % BLOCK_N == 0" or "PROMOTE == 0 or WARP_M * WARP_N <= 64 * 32",
      function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, gpu)
        return mma_shared { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES } <= gpu.shared_per_block
      end,
    },
  }
end
