-- SPDX-License-Identifier: Apache-2.0
-- y[0] = sum or maximum of n values. Returns { sum_f32, max_f32, sum_i32 }, each { threads, warps, tree, shuffles,
-- redux (integers), vectors, bulk }: a ladder of kernels.
local BLOCK = { "BLOCK", 256, "threads a block" }

local function reductions(facts)
  local function reduction(kind, more)
    return kernel {
      name = facts.name .. "_" .. kind,
      source = "reduction.cu",
      entry = more.entry:gsub("OP", facts.op),
      problem = { "n" },
      params = more.params,
      buffers = more.buffers or function(p)
        return { x = input(facts.element, p.n, facts.fill), y = output(facts.element, 1) }
      end,
      prepare = more.prepare,
      launch = more.launch,
      work = function(p) return { [facts.pipe] = p.n, read = 4 * p.n, write = 4 } end,
      traffic = more.traffic,
      -- Signed values, so that even the few at the end are missed among the 65,539 of the odd problem, with a mean of 1/32 that
      -- keeps the sum away from zero. No sum is carried through more than 2^23 additions in a row: what rounding may cost
      -- grows with the square root of that.
      check = {
        reference = "reduction_reference.cu:" .. facts.name .. "_reference",
        length = function(p) return facts.rounds and math.min(p.n, 2^23) or 1 end,
      },
    }
  end

  -- A value a thread; the results, of `each` values, are merged into y by atomics: all of them on one address. Where the order
  -- cannot matter the compiler merges a warp's first. (A maximum is no addition, but takes as long.)
  local one_address = facts.rounds and "l2_f32_one" or "l2_one"
  local function by_atomics(kind, entry, each, shared)
    return reduction(kind, {
      entry = entry,
      params = { BLOCK },
      launch = function(p, c, gpu, b)
        return {
          memset(b.y, facts.neutral_byte),
          { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK },
        }
      end,
      traffic = function(p, c)
        return { shared = shared and shared * p.n, atomics = { [one_address] = ceil_div(p.n, each(c)) } }
      end,
    })
  end
  local function thread() return facts.rounds and 1 or facts.op == "MaxFloat" and 16 or 32 end -- of each sign apart
  local function warp() return 32 end
  local function block(c) return c.BLOCK end

  -- Blocks that share the batches among them.
  local function blocks_of(p, gpu, per_sm, batch)
    local batches = math.max(1, p.n // batch)
    return per_sm == 0 and batches or math.min(batches, per_sm * gpu.sms)
  end
  local function partial_buffers(batch)
    return function(p, c, gpu)
      return {
        x = input(facts.element, p.n, facts.fill),
        y = output(facts.element, 1),
        partials = temp(facts.element, blocks_of(p, gpu, c.PER_SM, batch(c))),
        counter = temp(u32, 1),
      }
    end
  end
  local function prepare(p, c, gpu, b) return { memset(b.counter, 0) } end

  local function vector_batch(c) return 4 * c.BLOCK * c.ITEMS end
  local function bulk_batch(c) return 256 * c.CHUNK_KIB end

  return {
    threads = by_atomics("threads", "reduce_threads<OP, BLOCK>", thread),
    warps = by_atomics("warps", "reduce_warps<OP, BLOCK>", warp),
    -- Written once; then two are read and one is written for each that goes: three times the values in all rounds.
    tree = by_atomics("tree", "reduce_tree<OP, BLOCK>", block, 16),
    shuffles = by_atomics("shuffles", "reduce_shuffles<OP, BLOCK, false>", block),
    redux = facts.op == "SumInt" and by_atomics("redux", "reduce_shuffles<OP, BLOCK, true>", block) or nil,

    vectors = reduction("vectors", {
      entry = "reduce_vectors<OP, BLOCK, ITEMS, STREAM>",
      params = {
        BLOCK,
        { "ITEMS", 4, "16-byte loads in flight in a thread" },
        { "PER_SM", 4, "blocks an SM; 0: a block for every batch" },
        { "STREAM", false, "evict-first loads" },
        { "FINISH", "last_block", "what merges the blocks' results: atomics, the last block, or a second kernel" },
      },
      buffers = partial_buffers(vector_batch),
      prepare = prepare,
      launch = function(p, c, gpu, b)
        local blocks = blocks_of(p, gpu, c.PER_SM, vector_batch(c))
        local reduce = { args = { b.x, b.y, b.partials, b.counter, i64(p.n) }, grid = blocks, block = c.BLOCK }
        if c.FINISH == "atomic" then return { memset(b.y, facts.neutral_byte), reduce } end
        if c.FINISH == "last_block" then return reduce end
        return {
          reduce,
          {
            entry = ("reduce_partials<%s, 1024>"):format(facts.op),
            args = { b.partials, b.y, i32(blocks) },
            grid = 1,
            block = 1024,
          },
        }
      end,
    }),

    bulk = reduction("bulk", {
      entry = "reduce_bulk<OP, BLOCK, CHUNK_KIB * 1024, STAGES>",
      params = {
        BLOCK,
        { "CHUNK_KIB", 8, "KiB of a copy" },
        { "STAGES", 4, "copies in flight in a block" },
        { "PER_SM", 2, "blocks an SM" },
      },
      buffers = partial_buffers(bulk_batch),
      prepare = prepare,
      launch = function(p, c, gpu, b)
        return {
          args = { b.x, b.y, b.partials, b.counter, i64(p.n) },
          grid = blocks_of(p, gpu, c.PER_SM, bulk_batch(c)),
          block = c.BLOCK,
          shared = c.STAGES * (1024 * c.CHUNK_KIB + 8),
        }
      end,
      traffic = function(p) return { shared = 8 * p.n } end, -- in and out
    }),
  }
end

return {
  sum_f32 = reductions {
    name = "sum_f32", op = "SumFloat", element = f32, pipe = "fp32", fill = uniform(-1, 1.0625), neutral_byte = 0,
    rounds = true,
  },
  max_f32 = reductions {
    name = "max_f32", op = "MaxFloat", element = f32, pipe = "fp32", fill = uniform(-1000, 1000), neutral_byte = 255,
  },
  sum_i32 = reductions {
    name = "sum_i32", op = "SumInt", element = i32, pipe = "int32", fill = uniform(-1000, 1000), neutral_byte = 0,
  },
}
