-- SPDX-License-Identifier: Apache-2.0
-- RMSNorm of the rows that ids pick, in fp16 with fp32 sums: out[i] = x / sqrt(mean(x^2) + eps) * weight, x = table[ids[i]].
-- Returns { unfused, block, registers, bulk }: two kernels, a block a row, a row in registers, rows by the copy engine.
local l2 = require "kernels.l2_policy"

local EPS = 1e-6 -- embedding_norm_reference.cu has the same
local BYTES, WIDE = 2, 8 -- of a half; halves in 16 bytes

local function row_bytes(p) return BYTES * p.t * p.d end
local function norm_work(p) return { fp32 = 4 * p.t * p.d, read = row_bytes(p) + BYTES * p.d, write = row_bytes(p) } end

local function embedding_norm(facts)
  return kernel {
    name = "embedding_norm_" .. facts.name,
    source = "embedding_norm.cu",
    entry = facts.entry,
    problem = { "t", "d", "v" },
    params = facts.params,
    buffers = function(p)
      local buffers = {
        ids = input(i32, p.t, integers { below = p.v, order = "random" }),
        table = input(f16, p.v * p.d),
        weight = input(f16, p.d, uniform(0.5, 1.5)),
        out = output(f16, p.t * p.d),
      }
      if facts.name == "unfused" then buffers.rows = temp(f16, p.t * p.d) end
      return buffers
    end,
    launch = facts.launch,
    -- A square, a sum and two products an element; a row for every token, as if none came twice.
    work = function(p)
      local work = norm_work(p)
      work.read = work.read + 4 * p.t
      work.items = { "token", p.t }
      return work
    end,
    traffic = facts.traffic,
    check = { reference = "embedding_norm_reference.cu:embedding_norm_reference" },
  }
end

local function vector(p, vec) return p.d % vec == 0 and vec or 1 end

-- The norm alone or with the gather in it; rows that are no multiple of 16 bytes are read twice, a half at a time.
local function registers_launch(p, c, b, from, gather)
  local args = { b.ids, from, b.weight, b.out, f32(EPS), i64(p.t), i64(p.d) }
  if p.d % WIDE ~= 0 then
    return { entry = ("norm_block<1, %d, false, plain, plain, plain, %s>"):format(c.BLOCK, gather), args = args, grid = p.t, block = c.BLOCK }
  end
  local items = ceil_div(p.d, WIDE * c.TEAM)
  return {
    entry = ("norm_registers<8, BLOCK, TEAM, %d, ROWS, READ, WRITE, %s>"):format(items, gather),
    args = args,
    grid = ceil_div(p.t, c.BLOCK // c.TEAM * c.ROWS),
    block = c.BLOCK,
  }
end

local registers_params = {
  { "BLOCK", 256, "threads a block" },
  { "TEAM", 128, "threads that share a row" },
  { "ROWS", 1, "rows a team takes one after the other" },
  l2.READ,
  l2.WRITE,
}

local unfused = embedding_norm {
  name = "unfused",
  entry = { "embed_rows<__half, 8, 256, 64, 8, plain, plain>", "norm_registers<8, BLOCK, TEAM, 4, ROWS, READ, WRITE, false>" },
  params = registers_params,
  launch = function(p, c, gpu, b)
    local norm = registers_launch(p, c, b, b.rows, "false")
    norm.work = norm_work(p)
    return {
      {
        entry = ("embed_rows<__half, %d, 256, 64, 8, plain, plain>"):format(vector(p, WIDE)),
        args = { b.ids, b.table, b.rows, i64(p.t), i64(p.d) },
        grid = ceil_div(p.t, 4),
        block = 256,
        work = { read = row_bytes(p) + 4 * p.t, write = row_bytes(p) },
      },
      norm,
    }
  end,
  traffic = function(p) return { l2 = 4 * row_bytes(p) + 4 * p.t } end,
}

local block = embedding_norm {
  name = "block",
  entry = "norm_block<VEC, BLOCK, KEEP, READ, AGAIN, WRITE, true>",
  params = {
    { "VEC", 8, "halves a load" },
    { "BLOCK", 256, "threads that share a row" },
    { "KEEP", true, "the row waits in shared memory for its second use; false: it is read again" },
    l2.READ,
    l2.AGAIN,
    l2.WRITE,
  },
  launch = function(p, c, gpu, b)
    local vec = vector(p, c.VEC)
    return {
      entry = ("norm_block<%s, BLOCK, KEEP, READ, AGAIN, WRITE, true>"):format(vec == c.VEC and "VEC" or "1"),
      args = { b.ids, b.table, b.weight, b.out, f32(EPS), i64(p.t), i64(p.d) },
      grid = p.t,
      block = c.BLOCK,
      shared = c.KEEP and BYTES * p.d or 0,
    }
  end,
  -- Rows, weights; the second reading of a row is L1's or L2's.
  traffic = function(p, c) return { shared = c.KEEP and 2 * row_bytes(p) or 0, l1 = (c.KEEP and 3 or 4) * row_bytes(p) } end,
}

local registers = embedding_norm {
  name = "registers",
  entry = "norm_registers<8, BLOCK, TEAM, 4, ROWS, READ, WRITE, true>",
  params = registers_params,
  launch = function(p, c, gpu, b) return registers_launch(p, c, b, b.table, "true") end,
  traffic = function(p, c) return { l1 = (2 + 1 / c.ROWS) * row_bytes(p) } end,
}

local bulk = embedding_norm {
  name = "bulk",
  entry = "norm_bulk<BLOCK, 4, STAGES, WRITE>",
  params = {
    { "BLOCK", 128, "threads that share a row" },
    { "STAGES", 4, "rows of a block on their way to shared memory" },
    { "RESIDENT", 4, "blocks an SM" },
    l2.WRITE,
  },
  launch = function(p, c, gpu, b)
    local args = { b.ids, b.table, b.weight, b.out, f32(EPS), i64(p.t), i64(p.d) }
    if gpu.cc < 90 or p.d % WIDE ~= 0 then
      local entry = ("norm_block<%d, BLOCK, false, plain, plain, plain, true>"):format(vector(p, WIDE))
      return { entry = entry, args = args, grid = p.t, block = c.BLOCK }
    end
    return {
      entry = ("norm_bulk<BLOCK, %d, STAGES, WRITE>"):format(ceil_div(p.d, WIDE * c.BLOCK)),
      args = args,
      grid = math.min(p.t, gpu.sms * c.RESIDENT),
      block = c.BLOCK,
      shared = BYTES * p.d * c.STAGES,
    }
  end,
  traffic = function(p) return { shared = 2 * row_bytes(p) } end,
}

return { unfused = unfused, block = block, registers = registers, bulk = bulk }
