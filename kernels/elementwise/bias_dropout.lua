-- SPDX-License-Identifier: Apache-2.0
-- y = dropout(relu(x + bias), p) in fp16, x rows x columns, bias along the rows; dropped by Philox4x32.
-- Returns { unfused, fused, fused_each, fused_7 }: three kernels; one; one with a Philox call for each element (else for
-- eight); one with seven rounds of Philox instead of ten. The last two have masks, and so references, of their own.
local DROP = 3277 -- of 32768: p = 0.100006. bias_dropout_reference.cu has the same constants
local SEED, OFFSET = 0x0123456789abcdef, 7

local params = {
  { "WIDTH", 256, "threads along a row, 8 elements each" },
  { "HEIGHT", 1, "rows side by side in a block" },
  { "ROWS", 1, "rows a thread takes; their loads are in flight together" },
  { "STREAM", false, "evict-first loads and stores" },
  { "GRID", 0, "blocks an SM that stay and go on below; 0: as many as it takes" },
}

local function launch_of(steps, rounds, draws)
  return function(p, c, gpu, from, bias, to)
    local vec = p.columns % 8 == 0 and 8 or 1
    local chunks, groups = ceil_div(p.columns // vec, c.WIDTH), ceil_div(p.rows, c.HEIGHT * c.ROWS)
    if c.GRID > 0 then groups = math.max(1, math.min(groups, c.GRID * gpu.sms // chunks)) end
    return {
      entry = ("bias_dropout<%s, %d, WIDTH, HEIGHT, ROWS, STREAM, (GRID > 0), %d, %d>"):format(steps, vec, rounds, draws),
      args = { from, bias, to, u32(DROP), f32(32768 / (32768 - DROP)), u64(SEED), u64(OFFSET), i64(p.rows),
        i64(p.columns) },
      grid = chunks * groups,
      block = c.WIDTH * c.HEIGHT,
    }
  end
end

local function arrays(p)
  local n = p.rows * p.columns
  return { x = input(f16, n), bias = input(f16, p.columns), y = output(f16, n) }
end

-- Addition, maximum, scaling. What random bits cost is the kernel's affair.
local function work(p)
  local n = p.rows * p.columns
  return { fp32 = 3 * n, read = 2 * (n + p.columns), write = 2 * n }
end

-- A round: two multiplications and two exclusive ors. Then a comparison and two maskings for two elements.
local function integer_operations(n, rounds, draws) return n / draws * 4 * rounds + 1.5 * n end

local function fused(name, rounds, draws, reference)
  local launch = launch_of("ALL", rounds, draws)
  return kernel {
    name = name,
    source = "bias_dropout.cu",
    entry = ("bias_dropout<ALL, 8, WIDTH, HEIGHT, ROWS, STREAM, (GRID > 0), %d, %d>"):format(rounds, draws),
    problem = { "rows", "columns" },
    params = params,
    buffers = arrays,
    launch = function(p, c, gpu, b) return launch(p, c, gpu, b.x, b.bias, b.y) end,
    work = work,
    traffic = function(p) return { int32 = integer_operations(p.rows * p.columns, rounds, draws) } end,
    check = { reference = "bias_dropout_reference.cu:" .. reference },
  }
end

local steps = {
  { "BIAS", launch_of("BIAS", 10, 8) },
  { "RELU", launch_of("RELU", 10, 8) },
  { "DROPOUT", launch_of("DROPOUT", 10, 8) },
}

local unfused = kernel {
  name = "bias_dropout_unfused",
  source = "bias_dropout.cu",
  entry = {
    "bias_dropout<BIAS, 8, WIDTH, HEIGHT, ROWS, STREAM, (GRID > 0), 10, 8>",
    "bias_dropout<RELU, 8, WIDTH, HEIGHT, ROWS, STREAM, (GRID > 0), 10, 8>",
    "bias_dropout<DROPOUT, 8, WIDTH, HEIGHT, ROWS, STREAM, (GRID > 0), 10, 8>",
  },
  problem = { "rows", "columns" },
  params = params,
  buffers = function(p)
    local b, n = arrays(p), p.rows * p.columns
    b.sum, b.positive = temp(f16, n), temp(f16, n)
    return b
  end,
  launch = function(p, c, gpu, b)
    local through, list = { b.x, b.sum, b.positive, b.y }, {}
    for i, step in ipairs(steps) do
      list[i] = step[2](p, c, gpu, through[i], b.bias, through[i + 1])
      local n = p.rows * p.columns
      list[i].work = { fp32 = n, read = 2 * n + (i == 1 and 2 * p.columns or 0), write = 2 * n }
    end
    return list
  end,
  work = work,
  -- Each kernel reads and writes an array. What lies between stays in L2 while it, and what is written beside it, fit.
  traffic = function(p, c, gpu)
    local n = p.rows * p.columns
    return {
      l2 = 12 * n,
      dram = 8 * n > gpu.l2_bytes and 12 * n or nil,
      int32 = integer_operations(n, 10, 8),
    }
  end,
  check = { reference = "bias_dropout_reference.cu:bias_dropout_reference" },
}

return {
  unfused = unfused,
  fused = fused("bias_dropout_fused", 10, 8, "bias_dropout_reference"),
  fused_each = fused("bias_dropout_each", 10, 1, "bias_dropout_each_reference"),
  fused_7 = fused("bias_dropout_7", 7, 8, "bias_dropout_7_reference"),
}
