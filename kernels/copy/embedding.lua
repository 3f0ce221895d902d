-- SPDX-License-Identifier: Apache-2.0
-- out[i] = table[ids[i]]: t tokens, rows of d elements, v rows in the table. Returns { fp16 = steps, fp32 = steps }: each
-- { items, words, shared, async, rows, bulk }, one kernel for each way to move a row.
local l2 = require "kernels.l2_policy"

local function embeddings(precision, element, ctype, bytes)
  local wide = 16 // bytes -- elements in 16 bytes

  local function embedding(facts)
    return kernel {
      name = "embedding_" .. precision .. "_" .. facts.name,
      source = "embedding.cu",
      entry = facts.entry,
      problem = { "t", "d", "v" },
      params = facts.params,
      buffers = function(p)
        return {
          ids = input(i32, p.t, integers { below = p.v, order = "random" }),
          table = input(element, p.v * p.d),
          out = output(element, p.t * p.d),
        }
      end,
      launch = facts.launch,
      -- A row for every token, as if none came twice (docs/kernels.md). Ids are four bytes.
      work = function(p)
        return { read = bytes * p.t * p.d + 4 * p.t, write = bytes * p.t * p.d, items = { "token", p.t } }
      end,
      traffic = facts.traffic,
      check = {
        reference = "embedding_reference.cu:embedding_" .. precision .. "_reference",
        tol = 0, -- a copy is exact
        odd = { {}, { d = 2056, v = 5003 } }, -- an element at a time; long rows of vectors
      },
    }
  end

  local function args(p, b) return { b.ids, b.table, b.out, i64(p.t), i64(p.d) } end
  -- Rows that are no multiple of what a load takes go an element at a time.
  local function vector(p, vec) return p.d % vec == 0 and vec or 1 end
  local function through_shared(p) return { shared = 2 * bytes * p.t * p.d } end

  local function shared_launch(p, b, vec, block)
    return {
      entry = ("embed_shared<%s, %d, BLOCK>"):format(ctype, vec),
      args = args(p, b),
      grid = p.t * ceil_div(p.d // vec, block),
      block = block,
    }
  end

  local items = embedding {
    name = "items",
    entry = "embed_items<" .. ctype .. ", VEC, BLOCK, ITEMS, BLOCKED>",
    params = {
      { "VEC", 1, "elements a load" },
      { "BLOCK", 256, "threads a block, all on one row" },
      { "ITEMS", 1, "loads in flight in a thread" },
      { "BLOCKED", false, "a thread's items are neighbours, not BLOCK apart" },
    },
    launch = function(p, c, gpu, b)
      local vec = vector(p, c.VEC)
      return {
        entry = ("embed_items<%s, %s, BLOCK, ITEMS, BLOCKED>"):format(ctype, vec == c.VEC and "VEC" or "1"),
        args = args(p, b),
        grid = p.t * ceil_div(p.d // vec, c.BLOCK * c.ITEMS),
        block = c.BLOCK,
      }
    end,
  }

  local words = embedding {
    name = "words",
    entry = "embed_words<uint4, BLOCK>",
    params = { { "BLOCK", 256, "threads a block, all on one row" } },
    launch = function(p, c, gpu, b)
      local vec = vector(p, wide)
      return {
        entry = ("embed_words<%s, BLOCK>"):format(vec == wide and "uint4" or ctype),
        args = { b.ids, b.table, b.out, i64(p.t), i64(p.d // vec) },
        grid = p.t * ceil_div(p.d // vec, c.BLOCK),
        block = c.BLOCK,
      }
    end,
  }

  local shared = embedding {
    name = "shared",
    entry = "embed_shared<" .. ctype .. ", VEC, BLOCK>",
    params = { { "VEC", 1, "elements a load" }, { "BLOCK", 256, "threads a block, all on one row" } },
    launch = function(p, c, gpu, b) return shared_launch(p, b, vector(p, c.VEC), c.BLOCK) end,
    traffic = through_shared,
  }

  local async = embedding {
    name = "async",
    entry = "embed_async<" .. ctype .. ", BLOCK, STAGES, L1>",
    params = {
      { "BLOCK", 128, "threads a block; a block a row" },
      { "STAGES", 1, "copies on their way in a thread" },
      { "L1", true, "cp.async.ca, through L1; false: .cg, past it" },
    },
    launch = function(p, c, gpu, b)
      if p.d % wide ~= 0 then return shared_launch(p, b, 1, c.BLOCK) end -- cp.async has no copies of 2 bytes
      return { args = args(p, b), grid = p.t, block = c.BLOCK }
    end,
    traffic = through_shared,
  }

  local function rows_launch(p, b, teams, block, vec)
    return {
      entry = ("embed_rows<%s, %d, %d, 64, 8, plain, plain>"):format(ctype, vec, block),
      args = args(p, b),
      grid = ceil_div(p.t, teams),
      block = block,
    }
  end

  local rows = embedding {
    name = "rows",
    entry = "embed_rows<" .. ctype .. ", " .. wide .. ", BLOCK, TEAM, ITEMS, READ, WRITE>",
    params = {
      { "BLOCK", 256, "threads a block" },
      { "TEAM", 64, "threads that share a row" },
      { "ITEMS", 4, "16-byte loads in flight in a thread" },
      { "RESIDENT", 0, "blocks an SM that go through all rows; 0: a team for every row" },
      l2.READ,
      l2.WRITE,
    },
    launch = function(p, c, gpu, b)
      local grid = ceil_div(p.t, c.BLOCK // c.TEAM)
      if c.RESIDENT > 0 then grid = math.min(grid, gpu.sms * c.RESIDENT) end
      return {
        entry = ("embed_rows<%s, %d, BLOCK, TEAM, ITEMS, READ, WRITE>"):format(ctype, vector(p, wide)),
        args = args(p, b),
        grid = grid,
        block = c.BLOCK,
      }
    end,
  }

  local bulk = embedding {
    name = "bulk",
    entry = "embed_bulk<PIECE, STAGES, STORES>",
    params = {
      { "PIECE", 4096, "bytes of a row that the copy engine moves at once" },
      { "STAGES", 4, "pieces of a block in shared memory" },
      { "STORES", 1, "of them on their way out" },
      { "RESIDENT", 4, "blocks an SM, a warp each" },
    },
    launch = function(p, c, gpu, b)
      if gpu.cc < 90 or p.d % wide ~= 0 then return rows_launch(p, b, 4, 256, vector(p, wide)) end
      return {
        args = { b.ids, b.table, b.out, i64(p.t), i64(bytes * p.d) },
        grid = math.min(p.t * ceil_div(bytes * p.d, c.PIECE), gpu.sms * c.RESIDENT),
        block = 32,
        shared = c.PIECE * c.STAGES,
      }
    end,
    traffic = through_shared,
  }

  return { items = items, words = words, shared = shared, async = async, rows = rows, bulk = bulk, wide = wide }
end

return { fp16 = embeddings("fp16", f16, "__half", 2), fp32 = embeddings("fp32", f32, "float", 4) }
