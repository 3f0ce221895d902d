-- SPDX-License-Identifier: Apache-2.0
-- C = A B on the tensor cores of sm_90a alone (wgmma): A is m x k, B lies as n x k, C is m x n; sums are fp32, of int8
-- int32. Returns { bf16, fp16, tf32, fp8, int8 }, each { tma, roles, fits, deepest }, the first two also { stored,
-- roles_nn, roles_nt }: stored, tma and roles go on from matmul_tensor.lua's ladder; roles_nn and roles_nt have B as
-- k x n, the latter A as k x m; fits and deepest are constraints of roles. C of tf32 is fp32, of fp8 bf16, of int8 int32.
-- All but int8 also { with_epilogue }: a function of the name of an epilogue of matmul_epilogue.lua, and { layout = "nn" or
-- "nt", fp32 = true: C is fp32 }, that returns roles with it, and its fits and deepest.
-- overlapping is roles whose last tiles begin earlier, over those before them; `overlap`, beside the types, are its options.
-- with_maps, temps, moved, estimate, params and sizes are for files that go on from here.
local epilogues = require "kernels.matmul_epilogue"
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"

-- What wgmma.cuh calls the type of A and B.
local names = { bf16 = "__nv_bfloat16", fp16 = "__half", tf32 = "float", fp8 = "unsigned char", int8 = "signed char" }

local OVERLAP = { "-DTILES_OVERLAP" }

local BLOCK_M = { "BLOCK_M", 128, "rows of a tile of C" }
local BLOCK_N = { "BLOCK_N", 128, "columns of a tile of C" }
local GROUPS = { "GROUPS", 2, "warpgroups that share a tile" }
local STAGES = { "STAGES", 4, "places for tiles of A and B in shared memory" }

-- Of an element of `size` bytes, C's of `out_size`: bytes of shared memory, of which the barriers take 16 a stage; and
-- constraints. column_size: what each consumer keeps of a tile's column. beside(c): what else comes with a stage.
local function sizes(size, out_size, column_size, beside)
  local of = {}
  column_size = column_size or 0
  function of.stage(c) return size * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end
  function of.piece_columns(c) return c.BLOCK_N % 64 == 0 and out_size == 2 and 64 or 32 end
  function of.roles(c)
    return c.STAGES * (of.stage(c) + (beside and beside(c) or 0) + 16) + c.CONSUMERS * (c.STORES * out_size * 64 * of.piece_columns(c) + column_size * c.BLOCK_N)
  end

  -- Whole instructions of 64 rows; a thread's sums beside some 40 other registers (of three consumers a thread begins
  -- with 128, of two it takes 240); the stages in shared memory; parts of a tile for each block of a cluster.
  of.fits = {
    "gpu.arch == 'sm_90a'",
    "not PINGPONG or (CONSUMERS == 2 and LAG == 0)",
    "LAG == 0 or (CONSUMERS == 2 and LAG < STAGES)",
    "BLOCK_M % (PINGPONG and 64 or 64 * CONSUMERS) == 0 and BLOCK_N % 32 == 0",
    "BLOCK_M * BLOCK_N <= 128 * (PINGPONG and 192 or CONSUMERS == 3 and 3 * 96 or CONSUMERS * 192)",
    function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, STORES, gpu)
      local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES, CONSUMERS = CONSUMERS, STORES = STORES }
      return of.roles(c) <= gpu.shared_per_block
    end,
    "BLOCK_M % (8 * CLUSTER_N) == 0 and BLOCK_N % (8 * CLUSTER_M) == 0",
  }

  -- One stage more would not fit.
  function of.deepest(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, STORES, gpu)
    local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES, CONSUMERS = CONSUMERS, STORES = STORES }
    c.STAGES = STAGES + 1
    return of.roles(c) > gpu.shared_per_block
  end
  return of
end

-- Which of A and B have k contiguous.
local function by_k_of(layout) return { a = layout ~= "nt", b = layout == nil } end

-- How an operand, "a" or "b", lies.
local function rows_of(p, name, by_k)
  local lines = name == "a" and p.m or p.n
  if by_k[name] then return lines, p.k end
  return p.k, lines
end

local function ladder(dtype)
  local element, _, BYTES = table.unpack(tensor[dtype].element)
  local own_out, cuda_type = tensor[dtype].out, names[dtype]
  local of, line = sizes(BYTES, own_out[3]), 128 // BYTES -- elements of a slab's line
  local BLOCK_K = { "BLOCK_K", line, "depth of a stage" }
  local describe, pipe = tensor[dtype].kernel, "tensor_" .. dtype

  -- Tensor maps want rows of multiples of 16 bytes.
  local function wide(row) return ceil_div(row, 16 // BYTES) * (16 // BYTES) end

  -- Room for the operands whose rows tensor maps do not take.
  local function temps_of(by_k)
    return function(p)
      local all = {}
      for _, name in ipairs { "a", "b" } do
        local rows, columns = rows_of(p, name, by_k)
        if columns ~= wide(columns) then all[name .. "_wide"] = temp(element, rows * wide(columns)) end
      end
      return all
    end
  end

  -- Copies with wider rows, { from, to, rows, columns, pitch } each: a launch an operand, an element a thread; `together`:
  -- one for both, 16 bytes a thread.
  local function copies(all, together)
    local launches = {}
    if not together then
      for i, copy in ipairs(all) do
        local from, to, rows, columns, pitch = table.unpack(copy)
        launches[i] = {
          entry = ("pad_rows<%s>"):format(cuda_type),
          args = { from, to, i64(rows), i32(columns), i32(pitch) },
          grid = ceil_div(rows * pitch, 256),
          block = 256,
        }
      end
    elseif #all > 0 then
      local args, pieces = {}, 0
      for i = 1, 2 do
        local from, to, rows, columns, pitch = table.unpack(all[math.min(i, #all)])
        local own = i <= #all and rows * pitch * BYTES // 16 or 0
        table.move({ from, to, i64(own), i32(BYTES * columns), i32(BYTES * pitch) }, 1, 5, #args + 1, args)
        pieces = pieces + own
      end
      launches[1] = { entry = "pad_both<16>", args = args, grid = ceil_div(pieces, 256), block = 256 }
    end
    return launches
  end

  -- The launch that `multiply(map)` returns, behind the copies that it needs. map(name, lines, parts): an operand in boxes
  -- of a line along its rows; across, `lines` rows of A or columns of B, or 64 k's, brought by so many blocks.
  local function with_maps(p, b, by_k, multiply, together)
    local copied = {}
    local function map(name, lines, parts)
      local rows, columns = rows_of(p, name, by_k)
      local pitch, source = wide(columns), b[name]
      if pitch ~= columns then
        source = b[name .. "_wide"]
        copied[#copied + 1] = { b[name], source, rows, columns, pitch }
      end
      return tensor_map(source, { columns, rows }, {
        strides = { BYTES * pitch }, box = { line, (by_k[name] and lines or 64) // parts }, swizzle = 128, l2_promotion = 256,
        tf32 = dtype == "tf32", -- rounded, not cut off; and bits that are zero cost no energy where they are not multiplied
      })
    end
    local last = multiply(map)
    local launches = copies(copied, together)
    launches[#launches + 1] = last
    return #launches > 1 and launches or last
  end

  -- Blocks of a cluster (blocks_m x blocks_n) read as one; `passes` of C go through shared memory. Instructions of 64 x
  -- BLOCK_N read 64 rows of A and BLOCK_N columns of B.
  local function moved(p, c, gpu, blocks_m, blocks_n, group, passes, out)
    local executed = tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K)
    local tile_m, tile_n, written = c.BLOCK_M * blocks_m, c.BLOCK_N * blocks_n, (out or own_out)[3] * p.m * p.n
    return {
      [pipe] = executed,
      shared = executed / 2 * BYTES * (1 / c.BLOCK_N + 1 / 64) + tiles.reads(p, BYTES, c.BLOCK_M, c.BLOCK_N)
        + passes * written,
      l2 = tiles.reads(p, BYTES, tile_m, tile_n) + written,
      dram_read = tiles.dram_reads(p, BYTES, tile_m, tile_n, gpu.sms // (blocks_m * blocks_n), gpu.l2_bytes, group),
      dram_write = written,
    }
  end

  -- A tile takes what its longest part takes on an SM, and more where others come near: the pipe, shared memory and the
  -- L2 (less than modelled, since reads overlap and serve several; twice where rows do not begin with a line), and 0.7 us
  -- of latency for each time that it empties the ring. Sums that leave from registers hold it up, those of 32 bits in
  -- short pieces. All wait for the SMs that have a tile more, and clusters that find no place for a second round; blocks
  -- of a cluster wait for each other when they begin. What memory reads costs power, SMs that idle leave the others some.
  -- by_k as above; out_bytes, of an element of C; multiplying, seconds of the pipes.
  local function estimate(p, c, gpu, t, by_k, out_bytes, multiplying)
    local blocks, written = c.CLUSTER_M * c.CLUSTER_N, out_bytes * p.m * p.n
    local clusters = ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N)
    local of_sm = gpu.sms / (ceil_div(p.m, c.BLOCK_M) * ceil_div(p.n, c.BLOCK_N)) -- times an SM's share of all is a tile
    local _, a_row = rows_of(p, "a", by_k)
    local _, b_row = rows_of(p, "b", by_k)
    local lines = (a_row * BYTES % 128 + b_row * BYTES % 128 > 0) and 2 or 1
    local latency = 0.7 * us * ceil_div(p.k, c.BLOCK_K) / c.STAGES / of_sm
    local tile = (multiplying ^ 6 + (0.6 * t.shared) ^ 6 + (0.4 * lines * t.l2) ^ 6 + latency ^ 6) ^ (1 / 6) * of_sm
    if c.STORES == 0 then
      local read = tiles.reads(p, BYTES, c.BLOCK_M * c.CLUSTER_M, c.BLOCK_N * c.CLUSTER_N)
      tile = tile + (out_bytes == 4 and 8 or 1) * t.l2 * written / (read + written) * of_sm
    end
    local begun = c.IDLE >= 0 and math.min(clusters, (gpu.sms - c.IDLE) // blocks) or clusters -- at once, if they find a place
    local rounds = ceil_div(clusters, begun) * ceil_div(begun * blocks, tiles.filled(gpu, blocks))
    local idle = math.max(0, c.IDLE) / gpu.sms
    return (rounds * tile + t.dram / 2 + (blocks > 1 and 1 * us or 0)) * (1 - idle / 4) * (c.PINGPONG and 0.98 or 1)
      * ((c.LAG > 0 or c.ORDER == "hilbert") and 1.005 or 1)
  end

  local STORED = "BLOCK_M, BLOCK_N, BLOCK_K, GROUPS"
  local stored = describe {
    name = "wgmma_stored",
    source = "matmul_wgmma.cu",
    entry = ("matmul_wgmma_stored<%s, true, %s>"):format(cuda_type, STORED),
    params = { BLOCK_M, BLOCK_N, BLOCK_K, GROUPS },
    launch = function(p, c, gpu, b)
      return {
        entry = ("matmul_wgmma_stored<%s, %s, %s>"):format(cuda_type, tostring(p.k % 8 == 0), STORED),
        args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
        grid = { ceil_div(p.n, c.BLOCK_N), ceil_div(p.m, c.BLOCK_M) },
        block = 128 * c.GROUPS,
        shared = of.stage(c),
      }
    end,
    traffic = function(p, c, gpu) return moved(p, c, gpu, 1, 1, 1, 0) end,
  }

  local tma = describe {
    name = "wgmma_tma",
    source = "matmul_wgmma.cu",
    entry = ("matmul_wgmma_tma<%s, %s, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, GROUPS>"):format(cuda_type, own_out[2]),
    params = { BLOCK_M, BLOCK_N, BLOCK_K, STAGES, GROUPS },
    temps = temps_of(by_k_of()),
    launch = function(p, c, gpu, b)
      return with_maps(p, b, by_k_of(), function(map)
        return {
          args = { map("a", c.BLOCK_M, 1), map("b", c.BLOCK_N, 1), b.c, i64(p.m), i64(p.n), i32(p.k) },
          grid = { ceil_div(p.n, c.BLOCK_N), ceil_div(p.m, c.BLOCK_M) },
          block = 128 * c.GROUPS,
          shared = c.STAGES * (of.stage(c) + 8),
        }
      end)
    end,
    traffic = function(p, c, gpu) return moved(p, c, gpu, 1, 1, 1, 0) end,
  }

  local roles_params = {
    BLOCK_M, { "BLOCK_N", 256, BLOCK_N[3] }, BLOCK_K, STAGES,
    { "CONSUMERS", 2, "warpgroups that multiply; one more brings tiles" },
    { "CLUSTER_M", 2, "tiles of a cluster along m: its blocks share what they read of B" },
    { "CLUSTER_N", 1, "tiles of a cluster along n: its blocks share what they read of A" },
    { "ORDER", "rows", "of clusters' tiles: GROUP rows, or columns, at a time; hilbert: along his curve" },
    { "GROUP", 8, "rows or columns of clusters' tiles that are gone through together" },
    { "IDLE", 0, "SMs left without a block that stays; -1: none stays, a block has one tile" },
    { "PINGPONG", false, "consumers have tiles of their own, in turn" },
    { "LAG", 0, "stages that the second consumer stays behind, so that one stores while the other multiplies" },
    { "IN_FLIGHT", 1, "stages still being multiplied when the next is begun" },
    { "STORES", 2, "pieces of C on their way in shared memory, each consumer; 0: from registers" },
  }

  -- facts: layout as above; epilogue, its name; out in place of the type's; options.
  local function roles(facts)
    local layout, out, epilogue = facts.layout, facts.out or own_out, facts.epilogue and epilogues[facts.epilogue]
    local by_k, of = by_k_of(layout), sizes(BYTES, out[3], epilogue and epilogue.input == "bias" and 4 or 0)
    local name = "wgmma_" .. (facts.epilogue or facts.options and "overlapping" or "roles") .. (facts.out and "_fp32" or "")
      .. (layout and "_" .. layout or "")
    local described = describe {
      name = name,
      layout = layout,
      out = facts.out,
      epilogue = epilogue,
      options = facts.options,
      source = epilogue and "matmul_wgmma_epilogue.cu" or "matmul_wgmma_roles.cu",
      entry = ("matmul_wgmma_%s<%s, %s, %s, %s, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP,"
        .. " PINGPONG, LAG, IN_FLIGHT, STORES%s>"):format(epilogue and "epilogue" or "roles", cuda_type, out[2],
        tostring(by_k.a), tostring(by_k.b), epilogue and ", " .. epilogue.code or ""),
      params = roles_params,
      temps = temps_of(by_k),
      launch = function(p, c, gpu, b)
        local cluster = c.CLUSTER_M * c.CLUSTER_N
        local all = ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N)
        local clusters = c.IDLE < 0 and all or math.min(all, (gpu.sms - c.IDLE) // cluster)
        return with_maps(p, b, by_k, function(map)
          local a_map, b_map = map("a", c.BLOCK_M, c.CLUSTER_N), map("b", c.BLOCK_N, c.CLUSTER_M)
          local boxes, columns = p.n * out[3] % 16 == 0, of.piece_columns(c)
          local c_map = boxes and tensor_map(b.c, { p.n, p.m }, { box = { columns, 64 }, swizzle = out[3] * columns })
          local args = { a_map, b_map, c_map or a_map, b.c, i32(p.m), i32(p.n), i32(p.k), i32(boxes and 1 or 0) }
          if epilogue then table.insert(args, 5, b[epilogue.input]) end
          return {
            args = args,
            grid = clusters * cluster,
            cluster = cluster,
            block = 128 * (c.CONSUMERS + 1),
            shared = of.roles(c),
          }
        end)
      end,
      traffic = function(p, c, gpu)
        local all = moved(p, c, gpu, c.CLUSTER_M, c.CLUSTER_N, c.GROUP, c.STORES > 0 and 2 or 0, out)
        if epilogue then
          local read = epilogue.bytes(p, out[3])
          all.fp32 = epilogue.ops * p.m * p.n
          all.dram_read = all.dram_read + read
          all.l2 = all.l2 + read * (epilogue.input == "bias" and ceil_div(p.m, c.BLOCK_M) or 1)
        end
        return all
      end,
      prior = function(p, c, gpu, t) return estimate(p, c, gpu, t, by_k, out[3], t[pipe]) end,
    }
    return described, of.fits, of.deepest
  end

  local all = {
    tma = tma, roles = roles {}, overlapping = roles { options = OVERLAP }, fits = of.fits, deepest = of.deepest, with_maps = with_maps, temps = temps_of(by_k_of()),
    moved = moved, estimate = estimate, params = roles_params, sizes = function(out_size, column_size, beside) return sizes(BYTES, out_size, column_size, beside) end,
  }
  if BYTES == 2 then
    all.stored, all.roles_nn, all.roles_nt = stored, roles { layout = "nn" }, roles { layout = "nt" }
  end
  if dtype ~= "int8" then
    function all.with_epilogue(name, more)
      assert(type(epilogues[name]) == "table", "no epilogue has this name")
      more = more or {}
      return roles { epilogue = name, layout = more.layout, out = more.fp32 and tensor.tf32.out or nil }
    end
  end
  return all
end

local wgmma = { overlap = OVERLAP }
for dtype in pairs(names) do wgmma[dtype] = ladder(dtype) end
return wgmma
