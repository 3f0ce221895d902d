-- SPDX-License-Identifier: Apache-2.0
-- y = x W^T, a linear layer of narrow weights: x is m x k (m tokens), W is n rows of k weights, y is m x n; sums are fp32. A
-- function of facts:
--   weights  "plain" (16 bits, as x), "fp8" (e4m3) and "int8", both with a scale for each row, or "int4"
--   x        f16 (when left out) or bf16: type of x and y
--   group    of int4: 32, 64 or 128 (when left out) neighbours of a row that share a scale
--   zeros    of int4: true where each group has a zero point; else it is 8
-- It returns { naive, wide, registers, bulk, wgmma, early, early_fetched, early_wide, fits }: naive and wide from sm_75 on (bf16
-- from sm_80), registers from sm_80, bulk and both early (of 4 and 8 bits) from sm_90, wgmma and early_wide (4 bits) on sm_90a
-- alone; fits, constraints of the others than naive.
local intensity = require "kernels.intensity"
local tiles = require "kernels.tiles"

-- A format: bits; type and fill of the weights, fill of the scales, so that y stays far below fp16's largest number; the
-- reference's type.
local formats = {
  plain = { bits = 16, name = "Plain" },
  fp8 = { bits = 8, name = "E4m3", type = e4m3, scales = uniform(0.5, 2), cuda = "__nv_fp8_e4m3" },
  int8 = { bits = 8, name = "Int8", type = i8, fill = uniform(-128, 128), scales = uniform(2^-8, 2^-6), cuda = "signed char" },
  int4 = { bits = 4, type = u8, fill = uniform(0, 256), scales = uniform(2^-5, 2^-3), cuda = "unsigned char" },
}

local ODD = { m = 5, n = 1021, k = 2053 } -- an edge in every tile; m too, which the smallest problem would leave at 1

local SPLIT = { "SPLIT", 1, "blocks that share k" }
local LAST_BLOCK = { "LAST_BLOCK", true, "the last of them adds up; else a second kernel does" }

return function(facts)
  local format, x_type = formats[facts.weights], facts.x or f16
  if not format then error(("weights are plain, fp8, int8 or int4, not %s"):format(tostring(facts.weights))) end
  local bits, cuda_x = format.bits, x_type == bf16 and "__nv_bfloat16" or "__half"
  local dtype = x_type == bf16 and "bf16" or "fp16"
  local pipe = "tensor_" .. dtype
  local group = bits == 4 and (facts.group or 128) or nil
  local zeros = group ~= nil and facts.zeros == true
  local F = group and ("Int4<%d, %s>"):format(group, tostring(zeros)) or format.name

  local record_k = 512 // bits -- neighbours of a record, as weight_formats.cuh says
  local groups = group and record_k // group or 0
  local record_bytes = 1024 + groups * (zeros and 48 or 32)
  local function row_blocks(p) return ceil_div(p.n, 16) end
  local function packed_bytes(p) return row_blocks(p) * ceil_div(p.k, record_k) * record_bytes end

  -- Bytes of W as it is given, and of what belongs to it.
  local function scales_of(p) return bits == 16 and 0 or p.n * (group and ceil_div(p.k, group) or 1) end
  local function weight_bytes(p) return p.n * ceil_div(p.k * bits, 8) + scales_of(p) * (zeros and 3 or 2) end

  -- Null where there are none.
  local function given(b) return bits < 16 and b.scales or u64(0), zeros and b.zeros or u64(0) end

  local function reference_launch(p, _, _, b)
    local scales, points = given(b)
    return {
      {
        entry = ("widen<%s, %s>"):format(format.cuda or cuda_x, tostring(bits == 4)),
        args = { b.w, scales, points, b.w_real, i64(p.n), i64(p.k), i64(bits == 16 and 0 or group or p.k),
          f64(bits == 4 and 8 or 0) },
        grid = 1024, block = 256,
      },
      {
        entry = ("widen<%s, false>"):format(cuda_x),
        args = { b.x, u64(0), u64(0), b.x_real, i64(p.m), i64(p.k), i64(0), f64(0) },
        grid = 1024, block = 256,
      },
      {
        entry = "vendor_matmul_reference<double, double, false, true, false>",
        args = { b.x_real, b.w_real, b.y, i64(p.m), i64(p.n), i64(p.k) },
        grid = 1024, block = 256,
      },
    }
  end

  local function layer(more)
    return kernel {
      name = ("linear_%s_%s"):format(facts.weights, more.name),
      source = more.source,
      entry = more.entry,
      problem = { "m", "n", "k" },
      params = more.params,
      buffers = function(p, c, gpu)
        local all = more.temps and more.temps(p, c) or {}
        all.w = input(format.type or x_type, p.n * (bits == 4 and ceil_div(p.k, 2) or p.k), format.fill)
        all.x, all.y = input(x_type, p.m * p.k), output(x_type, p.m * p.n)
        if bits < 16 then all.scales = input(f16, scales_of(p), format.scales) end
        if zeros then all.zeros = input(u8, scales_of(p), uniform(0, 16)) end
        return all
      end,
      prepare = more.prepare,
      launch = more.launch,
      work = function(p)
        local work = intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = dtype }
        work.read = weight_bytes(p) + 2 * p.m * p.k
        return work
      end,
      traffic = more.traffic,
      prior = more.prior,
      check = {
        reference = {
          "linear_weights_reference.cu",
          buffers = function(p) return { w_real = temp(f64, p.n * p.k), x_real = temp(f64, p.m * p.k) } end,
          launch = reference_launch,
        },
        length = function(p) return p.k end,
        odd = ODD,
      },
    }
  end

  -- What SPLIT blocks a tile leave behind, and the kernel that adds it up where no block does. rows, tokens: of a tile.
  local function parts_of(p, c, tokens, rows)
    local count = ceil_div(p.m, tokens) * ceil_div(p.n, rows)
    return { parts = temp(f32, c.SPLIT > 1 and count * c.SPLIT * tokens * rows or 1), counters = temp(u32, count) }
  end
  local function finished(first, p, c, b, tokens, rows)
    if c.SPLIT == 1 or c.LAST_BLOCK then return first end
    return {
      first,
      {
        entry = ("linear_finish<%s, %d, %d, SPLIT>"):format(cuda_x, tokens, rows),
        args = { b.parts, b.y, i64(p.m), i64(p.n) },
        grid = { ceil_div(p.n, rows), ceil_div(p.m, tokens) },
        block = 128,
      },
    }
  end
  local function part_bytes(p, c) return c.SPLIT > 1 and 8 * c.SPLIT * p.m * p.n or 0 end

  local function naive_launch(p, warps, b)
    local scales, points = given(b)
    return {
      entry = ("linear_naive<%s, %s, %d>"):format(F, cuda_x, warps),
      args = { b.w, scales, points, b.x, b.y, i64(p.n), i64(p.k) },
      grid = { ceil_div(p.n, warps), p.m },
      block = 32 * warps,
    }
  end

  local naive = layer {
    name = "naive",
    source = "linear_weights.cu",
    entry = ("linear_naive<%s, %s, WARPS>"):format(F, cuda_x),
    params = { { "WARPS", 8, "warps of a block, each with a row" } },
    launch = function(p, c, gpu, b)
      local scales, points = given(b)
      return {
        args = { b.w, scales, points, b.x, b.y, i64(p.n), i64(p.k) },
        grid = { ceil_div(p.n, c.WARPS), p.m },
        block = 32 * c.WARPS,
      }
    end,
    traffic = function(p)
      return { [pipe] = 0, fp32 = 2 * p.m * p.n * p.k, dram_read = weight_bytes(p) + 2 * p.m * p.k, dram_write = 2 * p.m * p.n }
    end,
  }

  -- Rows that are no multiples of 16 bytes take the naive kernel.
  local WIDE = "linear_wide<%s, %s, BLOCK, ROWS, UNROLL, SPLIT, LAST_BLOCK>"
  local wide = layer {
    name = "wide",
    source = "linear_weights.cu",
    entry = WIDE:format(F, cuda_x),
    params = {
      { "BLOCK", 128, "threads that share a row" },
      { "ROWS", 2, "rows a block works on at once" },
      { "UNROLL", 2, "16-byte loads of a row in flight in a thread" },
      SPLIT, LAST_BLOCK,
    },
    temps = function(p, c) return parts_of(p, c, 1, c.ROWS) end,
    prepare = function(p, c, gpu, b) return { memset(b.counters, 0) } end, -- each launch leaves zeros behind
    launch = function(p, c, gpu, b)
      if p.k % (128 // bits) ~= 0 then return naive_launch(p, c.BLOCK // 32, b) end
      local scales, points = given(b)
      return finished({
        entry = WIDE:format(F, cuda_x),
        args = { b.w, scales, points, b.x, b.y, b.parts, b.counters, i64(p.m), i64(p.n), i64(p.k) },
        grid = { ceil_div(p.n, c.ROWS) * c.SPLIT, p.m },
        block = c.BLOCK,
        shared = 4 * c.ROWS * c.BLOCK // 32,
      }, p, c, b, 1, c.ROWS)
    end,
    -- Each token reads W; every block its share of x, which L1 may spare.
    traffic = function(p, c)
      return {
        [pipe] = 0, fp32 = 2 * p.m * p.n * p.k,
        l2 = p.m * (weight_bytes(p) + 2 * p.k * ceil_div(p.n, c.ROWS)) + 2 * p.m * p.n + part_bytes(p, c),
        dram_read = weight_bytes(p) + 2 * p.m * p.k, dram_write = 2 * p.m * p.n,
      }
    end,
  }

  local function rows_of(c) return 16 * c.DOWN * c.WARPS_N end
  local function sums_of(c) return 4 * c.WARPS_K * c.BLOCK_M * (rows_of(c) + 4) end
  local function blocks_of(p, c) return ceil_div(p.m, c.BLOCK_M) * ceil_div(p.n, rows_of(c)) * c.SPLIT end

  -- `weights_shared`: how often they pass shared memory.
  local function traffic_of(weights_shared)
    return function(p, c)
      local token_tiles, packed = ceil_div(p.m, c.BLOCK_M), packed_bytes(p)
      return {
        [pipe] = tiles.executed(p, c.BLOCK_M, 16, record_k),
        shared = weights_shared * token_tiles * packed + 8 * c.SPLIT * c.WARPS_K * p.n * token_tiles * c.BLOCK_M,
        l2 = token_tiles * packed + 2 * p.m * p.k * ceil_div(p.n, rows_of(c)) + 2 * p.m * p.n + part_bytes(p, c),
        dram_read = packed + 2 * p.m * p.k,
        dram_write = 2 * p.m * p.n,
      }
    end
  end

  -- A warp's registers: sums, records and tokens on their way.
  local function held(BLOCK_M, DOWN, asked) return BLOCK_M * DOWN // 2 + asked * (8 * DOWN + 64 // bits * BLOCK_M // 8) end

  -- Seconds that a warp multiplies a record: an instruction waits for the one before, those of other rows and tokens less.
  local function chain_of(c) return 50 * ns * record_k / 16 * (0.8 + c.DOWN * c.BLOCK_M / 40) end

  -- Beside memory's time, that of a warp's steps: it waits for tokens, the longer the fewer records it has asked for, and
  -- multiplies. Blocks beyond those that registers and `shared` leave room for begin a round later; some 2 us each round, and
  -- for handing over. asked(c): records on their way; least, of which registers are held.
  local function prior_of(asked, least, shared)
    return function(p, c, gpu, t)
      local warps = c.WARPS_N * c.WARPS_K
      local registers = 8 + 3 * held(c.BLOCK_M, c.DOWN, math.max(asked(c), least)) // 2 + (groups > 1 and 36 * c.DOWN or 0)
      local room = gpu.registers_per_sm // (32 * math.min(255, registers)) // warps
      local resident = math.min(room, gpu.shared_per_sm // (shared(c) + 1024))
      local rounds = ceil_div(blocks_of(p, c), math.max(1, resident) * gpu.sms)
      local steps = ceil_div(p.k, record_k) / (c.WARPS_K * c.SPLIT)
      return math.max(t.dram, t.l2, t.shared, t[pipe]) + rounds * (steps * (0.2 * us / asked(c) + chain_of(c)) + 2 * us)
        + (c.SPLIT > 1 and (c.LAST_BLOCK and 2 or 3) * us or 0)
    end
  end

  local function packed(more)
    local entry = ("%s<%s, %s, %%s, BLOCK_M, DOWN, WARPS_N, WARPS_K, %s, SPLIT, LAST_BLOCK>"):format(more.kernel, F, cuda_x, more.own)
    return layer {
      name = more.name,
      source = "linear_packed.cu",
      entry = entry:format("true"),
      params = {
        { "BLOCK_M", 8, "tokens of a tile" },
        { "DOWN", 1, "times 16 rows of W of a warp" },
        { "WARPS_N", 1, "warps of a block side by side, which read the same x" },
        { "WARPS_K", 8, "warps of a block that share k" },
        more.params[1], more.params[2] or SPLIT, more.params[2] and SPLIT or LAST_BLOCK, more.params[2] and LAST_BLOCK or nil,
      },
      temps = function(p, c)
        local all = parts_of(p, c, c.BLOCK_M, rows_of(c))
        all.packed = temp(u8, packed_bytes(p))
        return all
      end,
      prepare = function(p, c, gpu, b)
        local scales, points = given(b)
        return {
          memset(b.counters, 0),
          {
            entry = ("linear_pack<%s>"):format(F),
            args = { b.w, scales, points, b.packed, i64(p.n), i64(p.k) },
            grid = { ceil_div(p.k, record_k), row_blocks(p) },
            block = 64,
          },
        }
      end,
      launch = function(p, c, gpu, b)
        return finished({
          entry = entry:format(tostring(p.k % 8 == 0)),
          args = { b.packed, (given(b)), b.x, b.y, b.parts, b.counters, i64(p.m), i64(p.n), i64(p.k) },
          grid = { ceil_div(p.n, rows_of(c)) * c.SPLIT, ceil_div(p.m, c.BLOCK_M) },
          block = 32 * c.WARPS_N * c.WARPS_K,
          shared = more.shared(c),
        }, p, c, b, c.BLOCK_M, rows_of(c))
      end,
      traffic = traffic_of(more.passes),
      prior = prior_of(more.asked, more.least or 1, more.shared),
    }
  end

  local registers = packed {
    name = "registers", kernel = "linear_registers", own = "AHEAD", passes = 0, shared = sums_of,
    asked = function(c) return c.AHEAD end,
    params = { { "AHEAD", 2, "records of a warp on their way" } },
  }

  -- Rings of all warps with their barriers; sums take their place.
  local function shared_of(c)
    local rings = c.WARPS_N * c.WARPS_K * c.STAGES * (c.DOWN * c.CHUNK * record_bytes + 8)
    return math.max(rings, sums_of(c))
  end
  local bulk = packed {
    name = "bulk", kernel = "linear_bulk", own = "CHUNK, STAGES", passes = 2, shared = shared_of,
    params = {
      { "CHUNK", 1, "records of a copy" },
      { "STAGES", 4, "copies of a warp in shared memory, one in use" },
    },
    asked = function() return 1 end, least = bits < 16 and 2 or 1, -- the next record is already being widened
  }

  -- A stage has x of BLOCK_K and the weights of CONSUMERS times 64 rows; sums take the stages' place.
  local function wide_rows(c) return 64 * c.CONSUMERS end
  local function wide_stage(c)
    return 128 * c.BLOCK_M * c.BLOCK_K // 64 + ceil_div(c.CONSUMERS * c.BLOCK_K // record_k * 4 * record_bytes, KiB) * KiB
  end
  local function wide_blocks(p, c)
    return ceil_div(p.n, wide_rows(c) * c.CLUSTER_N) * c.CLUSTER_N * c.SPLIT * ceil_div(p.m, c.BLOCK_M)
  end
  local function wide_packed(p) return 64 * ceil_div(p.n, 64) // 16 * ceil_div(p.k, 256) * (256 // record_k) * record_bytes end
  local function pitch_of(p) return ceil_div(p.k, 8) * 8 end -- rows that a tensor map can take
  local function x_wide_of(p) return temp(x_type, p.k % 8 ~= 0 and p.m * pitch_of(p) or 1) end

  -- The launch that `multiply(map)` returns, behind one that widens x's rows where a map cannot take them.
  local function with_map(p, b, lines, multiply)
    local pitch = pitch_of(p)
    local map = tensor_map(pitch == p.k and b.x or b.x_wide, { pitch, p.m },
      { strides = { 2 * pitch }, box = { 64, lines }, swizzle = 128, l2_promotion = 256 })
    if pitch == p.k then return multiply(map) end
    return {
      {
        entry = ("linear_pad<%s>"):format(cuda_x),
        args = { b.x, b.x_wide, i64(p.m), i64(p.k), i64(pitch) },
        grid = ceil_div(p.m * pitch, 256), block = 256,
      },
      multiply(map),
    }
  end

  local WGMMA = ("linear_wgmma<%s, %s, BLOCK_M, BLOCK_K, STAGES, CONSUMERS, IN_TURN, CLUSTER_N, SPLIT, RESIDENT>"):format(F, cuda_x)
  local wgmma = layer {
    name = "wgmma",
    source = "linear_wgmma.cu",
    entry = WGMMA,
    params = {
      { "BLOCK_M", 64, "tokens of a tile" },
      { "BLOCK_K", 128, "depth of a stage" },
      { "STAGES", 4, "places in shared memory for x and weights" },
      { "CONSUMERS", 1, "warpgroups of a crew, which multiply 64 rows of W each; one more warp brings" },
      { "IN_TURN", 1, "crews of a block, which take stages in turn" },
      { "CLUSTER_N", 1, "blocks of a cluster that share what they read of x" },
      { "SPLIT", 2, "blocks of a cluster that share k" },
      { "RESIDENT", 2, "blocks that an SM shall hold" },
    },
    temps = function(p) return { packed = temp(u8, wide_packed(p)), x_wide = x_wide_of(p) } end,
    prepare = function(p, c, gpu, b)
      local scales, points = given(b)
      return {
        {
          entry = ("linear_pack_64<%s>"):format(F),
          args = { b.w, scales, points, b.packed, i64(p.n), i64(p.k) },
          grid = { ceil_div(p.k, 256) * (256 // record_k), 4 * ceil_div(p.n, 64) },
          block = 64,
        },
      }
    end,
    launch = function(p, c, gpu, b)
      return with_map(p, b, c.BLOCK_M // c.CLUSTER_N, function(map)
        return {
          args = { b.packed, (given(b)), map, b.y, i32(p.m), i32(p.n), i32(p.k) },
          grid = { ceil_div(p.n, wide_rows(c) * c.CLUSTER_N) * c.CLUSTER_N * c.SPLIT, ceil_div(p.m, c.BLOCK_M) },
          cluster = c.CLUSTER_N * c.SPLIT,
          block = 128 * c.CONSUMERS * c.IN_TURN + 32,
          shared = c.STAGES * (wide_stage(c) + 16),
        }
      end)
    end,
    -- Weights go to shared memory and to registers, x to shared memory and, for each 64 rows, to the tensor cores.
    traffic = function(p, c)
      local token_tiles, all = ceil_div(p.m, c.BLOCK_M), wide_packed(p)
      local x_read = 2 * token_tiles * c.BLOCK_M * p.k * ceil_div(p.n, wide_rows(c))
      return {
        [pipe] = tiles.executed(p, c.BLOCK_M, 64, 256),
        shared = 2 * token_tiles * all + (1 + c.CONSUMERS) * x_read + 8 * c.SPLIT * c.IN_TURN * p.m * p.n,
        l2 = token_tiles * all + 2 * p.m * p.k * ceil_div(p.n, wide_rows(c) * c.CLUSTER_N) + 2 * p.m * p.n,
        dram_read = all + 2 * p.m * p.k,
        dram_write = 2 * p.m * p.n,
      }
    end,
    -- Memory, or the crew that widens, whichever takes longer: 0.3 us a stage, and 5 ns for 16 k's, more for more tokens. Blocks
    -- of a cluster wait for each other, crews' and parts' sums are added up.
    prior = function(p, c, gpu, t)
      local cluster = c.CLUSTER_N * c.SPLIT
      local rounds = ceil_div(wide_blocks(p, c), c.RESIDENT * tiles.filled(gpu, cluster))
      local steps = ceil_div(p.k, c.BLOCK_K) / (c.IN_TURN * c.SPLIT)
      local widened = rounds * steps * (0.3 * us + 5 * ns * c.BLOCK_K / 16 * (1 + c.BLOCK_M / 64))
      return (math.max(t.dram, 0.6 * t.l2, t.shared, t[pipe]) ^ 6 + widened ^ 6) ^ (1 / 6) * (cluster > 1 and 1.03 or 1)
        + rounds * (2 + 0.2 * c.IN_TURN) * us + (c.SPLIT > 1 and 1 * us or 0)
    end,
  }

  -- Rings of x, of pieces of W, and barriers; sums take their place.
  local function early_shared(c)
    local x, pieces = 128 * c.BLOCK_M * record_k // 64, c.DOWN * record_bytes
    local rings = c.WARPS_K * c.X_STAGES * (x + 16) + c.WARPS_N * c.WARPS_K * c.STAGES * (pieces + 8)
    return math.max(rings, 4 * c.WARPS_K * c.BLOCK_M * (rows_of(c) + 8))
  end
  local tiny = bits == 4 and not zeros and x_type == f16
  local PIECES = ("linear_pack_pieces<%s, DOWN, %s>"):format(F, tostring(tiny))
  -- Two launches find room in an SM with `more` stages more; `never`: they do not.
  local function early_fits(more, never)
    return function(BLOCK_M, DOWN, WARPS_N, WARPS_K, STAGES, X_STAGES, gpu)
      local c = { BLOCK_M = BLOCK_M, DOWN = DOWN, WARPS_N = WARPS_N, WARPS_K = WARPS_K, STAGES = STAGES + more, X_STAGES = X_STAGES }
      return (early_shared(c) <= gpu.shared_per_sm // 2 - 1024) ~= (never == true)
    end
  end
  local EARLY = "linear_%s<%s, %s, BLOCK_M, DOWN, WARPS_N, WARPS_K, STAGES, X_STAGES, SPLIT, AHEAD, %s>"
  local function early_blocks(p, c) return ceil_div(p.n, rows_of(c)) * c.SPLIT * ceil_div(p.m, c.BLOCK_M) end
  local function early_packed(p, c) return ceil_div(p.n, 16 * c.DOWN) * c.DOWN * ceil_div(p.k, record_k) * record_bytes end
  local function early_layer(name) return layer {
    name = name,
    source = "linear_early.cu",
    entry = EARLY:format(name, F, cuda_x, tostring(tiny)),
    params = {
      { "BLOCK_M", 8, "tokens of a tile" },
      { "DOWN", 4, "times 16 rows of W of a warp" },
      { "WARPS_N", 2, "warps of a block side by side, which read the same x" },
      { "WARPS_K", 4, "warps of a block that share its part of k" },
      { "STAGES", 2, "pieces of a warp in shared memory, one in use" },
      { "X_STAGES", 2, "places for what it multiplies them by" },
      { "SPLIT", 2, "blocks of a cluster that share k" },
      { "AHEAD", 0, "pieces that a warp has left to ask for when the next launch may begin; -1: a step behind the last" },
    },
    temps = function(p, c) return { packed = temp(u8, early_packed(p, c)), x_wide = x_wide_of(p) } end,
    prepare = function(p, c, gpu, b)
      local scales, points = given(b)
      return {
        {
          entry = PIECES,
          args = { b.w, scales, points, b.packed, i64(p.n), i64(p.k) },
          grid = { ceil_div(p.k, record_k), ceil_div(p.n, 16 * c.DOWN) * c.DOWN },
          block = 64,
        },
      }
    end,
    launch = function(p, c, gpu, b)
      return with_map(p, b, c.BLOCK_M, function(map)
        return {
          args = { b.packed, (given(b)), map, b.y, i64(p.m), i64(p.n), i64(p.k) },
          grid = { ceil_div(p.n, rows_of(c)) * c.SPLIT, ceil_div(p.m, c.BLOCK_M) },
          cluster = c.SPLIT,
          block = 32 * c.WARPS_N * c.WARPS_K,
          shared = early_shared(c),
          pdl = true,
        }
      end)
    end,
    -- Weights pass shared memory once each way, x goes there once and from there to each warp.
    traffic = function(p, c)
      local token_tiles, all = ceil_div(p.m, c.BLOCK_M), early_packed(p, c)
      local x_read = 2 * p.m * p.k * ceil_div(p.n, rows_of(c))
      return {
        [pipe] = tiles.executed(p, c.BLOCK_M, 16, record_k),
        shared = 2 * token_tiles * all + (1 + c.WARPS_N) * x_read + 8 * c.SPLIT * c.WARPS_K * p.m * p.n,
        l2 = token_tiles * all + x_read + 2 * p.m * p.n,
        dram_read = all + 2 * p.m * p.k,
        dram_write = 2 * p.m * p.n,
      }
    end,
    -- Beside memory's time, that of a warp's steps: warps side by side wait for each other before x is asked for.
    prior = function(p, c, gpu, t)
      local rounds = ceil_div(early_blocks(p, c), 2 * tiles.filled(gpu, c.SPLIT))
      local steps = ceil_div(p.k, record_k) / (c.WARPS_K * c.SPLIT)
      local waits = (c.WARPS_N > 1 and 0.6 or 0.05) * us / c.X_STAGES
      return math.max(t.dram, t.l2, t.shared, t[pipe]) + rounds * steps * (waits + chain_of(c)) + (c.SPLIT > 1 and 1 * us or 0)
        + (c.AHEAD ~= 0 and 0.1 * us or 0)
    end,
  } end
  local early, early_fetched = bits <= 8 and early_layer("early"), bits <= 8 and early_layer("early_fetched")

  local function early_wide_shared(c)
    local piece = c.BLOCK_K // record_k * 4 * record_bytes
    return c.X_STAGES * (2 * c.BLOCK_M * c.BLOCK_K + 8) + c.STAGES * (piece + 16)
  end
  local function early_wide_packed(p, c)
    return 4 * ceil_div(p.n, 64) * ceil_div(p.k, c.BLOCK_K) * (c.BLOCK_K // record_k) * record_bytes
  end
  local early_wide = group and layer {
    name = "early_wide",
    source = "linear_early_wide.cu",
    entry = ("linear_early_wide<%s, %s, BLOCK_M, BLOCK_K, CREWS, STAGES, X_STAGES, TURNS, AHEAD>"):format(F, cuda_x),
    params = {
      { "BLOCK_M", 16, "tokens of a tile" },
      { "BLOCK_K", 256, "depth of a stage" },
      { "CREWS", 2, "warpgroups of a block, which take stages in turn; two more warps bring" },
      { "STAGES", 6, "places in shared memory for weights" },
      { "X_STAGES", 6, "places for what they are multiplied by" },
      { "TURNS", 2, "times 32 k's widened, then multiplied" },
      { "AHEAD", 0, "stages left to ask for when the next launch may begin" },
    },
    temps = function(p, c) return { packed = temp(u8, early_wide_packed(p, c)), x_wide = x_wide_of(p) } end,
    prepare = function(p, c, gpu, b)
      local scales, points = given(b)
      return {
        {
          entry = ("linear_pack_wide<%s, BLOCK_K>"):format(F),
          args = { b.w, scales, points, b.packed, i64(p.n), i64(p.k) },
          grid = { ceil_div(p.k, c.BLOCK_K) * (c.BLOCK_K // record_k), 4 * ceil_div(p.n, 64) },
          block = 64,
        },
      }
    end,
    launch = function(p, c, gpu, b)
      return with_map(p, b, c.BLOCK_M, function(map)
        return {
          args = { b.packed, (given(b)), map, b.y, i32(p.m), i32(p.n), i32(p.k) },
          grid = { ceil_div(p.n, 64), ceil_div(p.m, c.BLOCK_M) },
          block = 128 * c.CREWS + 64,
          shared = early_wide_shared(c),
          pdl = true,
        }
      end)
    end,
    traffic = function(p, c)
      local token_tiles, all = ceil_div(p.m, c.BLOCK_M), early_wide_packed(p, c)
      local x_read = 2 * p.m * p.k * ceil_div(p.n, 64)
      return {
        [pipe] = tiles.executed(p, c.BLOCK_M, 64, c.BLOCK_K),
        shared = 2 * token_tiles * all + 2 * x_read + 8 * c.CREWS * p.m * p.n,
        l2 = token_tiles * all + x_read + 2 * p.m * p.n,
        dram_read = all + 2 * p.m * p.k,
        dram_write = 2 * p.m * p.n,
      }
    end,
  }

  -- Whole warps' registers; what is shared; nothing to add up without SPLIT.
  local fits = {
    "SPLIT > 1 or LAST_BLOCK",
    function(WARPS_N, WARPS_K) return WARPS_N * WARPS_K <= 16 end,
  }
  return {
    naive = naive, wide = wide, registers = registers, bulk = bulk, wgmma = wgmma, early = early, early_fetched = early_fetched,
    early_wide = early_wide,
    fits = {
      registers = {
        "gpu.cc >= 80", fits[1], fits[2],
        function(BLOCK_M, DOWN, WARPS_N, WARPS_K, AHEAD)
          return held(BLOCK_M, DOWN, AHEAD) <= (WARPS_N * WARPS_K > 8 and 80 or 176)
        end,
        function(BLOCK_M, DOWN, WARPS_N, WARPS_K, gpu)
          return sums_of { BLOCK_M = BLOCK_M, DOWN = DOWN, WARPS_N = WARPS_N, WARPS_K = WARPS_K } <= gpu.shared_per_block
        end,
      },
      bulk = {
        "gpu.cc >= 90", fits[1], fits[2],
        function(BLOCK_M, DOWN, WARPS_N, WARPS_K)
          return held(BLOCK_M, DOWN, 1) <= (WARPS_N * WARPS_K > 8 and 80 or 176)
        end,
        function(BLOCK_M, DOWN, WARPS_N, WARPS_K, CHUNK, STAGES, gpu)
          return shared_of {
            BLOCK_M = BLOCK_M, DOWN = DOWN, WARPS_N = WARPS_N, WARPS_K = WARPS_K, CHUNK = CHUNK, STAGES = STAGES,
          } <= gpu.shared_per_block
        end,
      },
      wide = { fits[1] },
      early = { "gpu.cc >= 90", fits[2], early_fits(0) },
      early_deepest = early_fits(1, true),
      early_wide = {
        "gpu.arch == 'sm_90a'", "STAGES % CREWS == 0 and X_STAGES % CREWS == 0 and X_STAGES <= STAGES",
        function(BLOCK_M, BLOCK_K, CREWS, STAGES, X_STAGES, gpu)
          local c = { BLOCK_M = BLOCK_M, BLOCK_K = BLOCK_K, CREWS = CREWS, STAGES = STAGES, X_STAGES = X_STAGES }
          return early_wide_shared(c) <= gpu.shared_per_sm // 2 - 1024
        end,
      },
      wgmma = {
        "gpu.arch == 'sm_90a'", group and "true" or "BLOCK_K == 128", -- deeper ones are multiplied one by one
        "CLUSTER_N * SPLIT <= 8 and BLOCK_M % (8 * CLUSTER_N) == 0",
        -- What a thread holds: two A's of 64 k's, sums, those of a group, and some 20 more; four warps at a time get registers.
        function(BLOCK_M, CONSUMERS, IN_TURN, RESIDENT)
          return 32 + BLOCK_M // 2 * (group and 2 or 1) + 20 <= 512 // (RESIDENT * (CONSUMERS * IN_TURN + 1)) // 8 * 8
        end,
        -- As many stages as find room, up to 12, as many for each crew; sums in their place.
        function(BLOCK_M, BLOCK_K, STAGES, CONSUMERS, IN_TURN, RESIDENT, gpu)
          local stage = wide_stage { BLOCK_M = BLOCK_M, BLOCK_K = BLOCK_K, CONSUMERS = CONSUMERS }
          local room = math.min(gpu.shared_per_block, gpu.shared_per_sm // RESIDENT - 1024)
          return STAGES == math.min(12, room // (stage + 16)) // IN_TURN * IN_TURN and STAGES > IN_TURN
            and 4 * IN_TURN * BLOCK_M * (64 * CONSUMERS + 4) <= STAGES * stage
        end,
      },
    },
    record_k = record_k, record_bytes = record_bytes,
  }
end
