-- SPDX-License-Identifier: Apache-2.0
-- What the kernels on rows of bf16 share: how a row is spread over threads (rows.cuh), launches, sizes and constraints.
local l2 = require "kernels.l2_policy"

local rows = {
  EPSILON = 1e-5, -- rows_reference.cuh has the same
  odd = { { rows = 37, cols = 259 }, { rows = 5, cols = 9222 } }, -- the latter for clusters; pairs, no wider vectors
}

-- Elements a load: the widest that divides the row, so that every row begins at a multiple of it.
function rows.vector(cols)
  for _, vec in ipairs { 8, 4, 2 } do
    if cols % vec == 0 then return vec end
  end
  return 1
end

-- Vectors that a thread holds when `threads` share the row.
function rows.items(cols, threads) return ceil_div(cols, rows.vector(cols) * threads) end

-- "NAME<VEC, THREADS, BLOCK, ITEMS, EXACT, rest>" when `threads`, of one block or several, share a row.
function rows.entry(name, cols, threads, rest)
  local vec, items = rows.vector(cols), rows.items(cols, threads)
  return ("%s<%d, THREADS, BLOCK, %d, %s, %s>"):format(name, vec, items, tostring(vec * items * threads == cols), rest)
end

function rows.grid(p, c) return ceil_div(p.rows, c.BLOCK // c.THREADS) end

-- Bytes of shared memory of the staged kernels: STAGES rows for each group of threads.
function rows.staged_bytes(p, c)
  local row = 2 * rows.vector(p.cols) * rows.items(p.cols, c.THREADS) * c.THREADS
  return c.BLOCK // c.THREADS * c.STAGES * row
end

-- `launch` of the three ways that the families share; NAME as in the .cu. args(p, b, with_rows): a list of arguments.
-- A block a row, which it reads twice. REST: template arguments behind VEC.
function rows.launch_twice(name, rest, args)
  return function(p, c, gpu, b)
    return {
      entry = ("%s<%d, %s>"):format(name, rows.vector(p.cols), rest),
      args = args(p, b),
      grid = p.rows,
      block = c.BLOCK,
    }
  end
end
-- Rows in registers, of one block or of a cluster.
function rows.launch_registers(name, rest, args)
  return function(p, c, gpu, b)
    return {
      entry = rows.entry(name, p.cols, c.THREADS * c.CLUSTER, rest),
      args = args(p, b, true),
      grid = c.CLUSTER * rows.grid(p, c),
      cluster = c.CLUSTER,
      block = c.BLOCK,
    }
  end
end
-- As many blocks as fit, each with rows on their way into shared memory.
function rows.launch_staged(name, rest, args)
  return function(p, c, gpu, b)
    return {
      entry = rows.entry(name, p.cols, c.THREADS, rest),
      args = args(p, b, true),
      grid = resident(),
      block = c.BLOCK,
      shared = rows.staged_bytes(p, c),
    }
  end
end

rows.params = {
  threads = { "THREADS", 256, "threads of a block that share a row" },
  block = { "BLOCK", 256, "threads a block; BLOCK / THREADS rows" },
  held = { "HELD", 256, "threads that an SM shall hold: bounds their registers" },
  cluster = { "CLUSTER", 1, "blocks that share a row" },
  read = l2.READ,
  again = l2.AGAIN,
  write = l2.WRITE,
  stream = { "STREAM", false, "evict-first loads and stores" },
  stages = { "STAGES", 2, "rows on their way into shared memory" },
  bulk = { "BULK", false, "rows fetched by cp.async.bulk; otherwise cp.async" },
  floats = { "FLOATS", false, "exponentials stay in registers as floats; otherwise each is taken twice" },
}

-- Exponentials that a softmax takes with the row in registers.
function rows.exponentials(p, c) return (c.FLOATS and 1 or 2) * p.rows * p.cols end

-- For `where`. A thread keeps between one load and 64 elements (32 registers); a wide row has no use for few threads.
function rows.fits_registers(cols, THREADS)
  local each = rows.vector(cols) * rows.items(cols, THREADS)
  return each <= 64 and (THREADS <= 32 or cols > each * THREADS // 2)
end
function rows.whole_groups(THREADS, BLOCK) return THREADS <= BLOCK and BLOCK <= math.max(256, THREADS) end
-- Beside its words a thread needs some 16 registers.
function rows.held_blocks(cols, THREADS, BLOCK, HELD, gpu)
  local words = rows.items(cols, THREADS) * math.max(1, rows.vector(cols) // 2)
  return HELD % BLOCK == 0 and HELD <= gpu.max_threads_per_sm and gpu.registers_per_sm // HELD >= words + 16
end
function rows.fits_shared(cols, THREADS, BLOCK, STAGES, gpu)
  return rows.staged_bytes({ cols = cols }, { THREADS = THREADS, BLOCK = BLOCK, STAGES = STAGES }) + KiB <= gpu.shared_per_block
end
-- Two rows at once, until they are added.
function rows.holds_two(cols, THREADS, HELD, gpu)
  return gpu.registers_per_sm // HELD >= 2 * rows.items(cols, THREADS) * math.max(1, rows.vector(cols) // 2) + 16
end
-- Floats take two registers where bf16 take one.
function rows.holds_floats(cols, THREADS, HELD, FLOATS, gpu)
  local floats = rows.items(cols, THREADS) * rows.vector(cols)
  return not FLOATS or gpu.registers_per_sm // HELD >= floats + 24
end
-- The same for CLUSTER blocks that share one long row: sm_90 and newer.
function rows.fits_cluster(cols, THREADS, BLOCK, CLUSTER, gpu)
  return CLUSTER <= gpu.max_cluster and THREADS == BLOCK and cols >= 8192 and rows.fits_registers(cols, THREADS * CLUSTER)
end
function rows.cluster_held(cols, THREADS, BLOCK, CLUSTER, HELD, gpu)
  return rows.held_blocks(cols, THREADS * CLUSTER, BLOCK, HELD, gpu)
end
function rows.cluster_floats(cols, THREADS, CLUSTER, HELD, FLOATS, gpu)
  return rows.holds_floats(cols, THREADS * CLUSTER, HELD, FLOATS, gpu)
end
-- Hints to L2, tried where they can pay: in blocks of 128 or of a row, SMs as full as the row's registers let them be.
function rows.usual(cols, THREADS, BLOCK, HELD)
  local many = rows.vector(cols) * rows.items(cols, THREADS) > 32
  return BLOCK == math.max(128, THREADS) and (HELD >= 1536 or BLOCK == 1024 or many)
end
-- Something is asked for; a stream that goes first wants nothing to stay.
function rows.hinted(READ, WRITE)
  return (READ ~= "plain" or WRITE ~= "plain") and (READ ~= "first" or WRITE == "plain" or WRITE == "first")
end
function rows.keeps(cols, rows, WRITE, gpu) return l2.fits(2 * rows * cols, WRITE, gpu) end
-- Read twice: the first time it shall stay for the second, or nothing is asked.
function rows.reads_twice(READ, AGAIN, WRITE)
  return (READ == "last") == (AGAIN == "first") and (READ == "last" or WRITE == "plain")
end
-- In flight no more than a row, and no little part of it.
function rows.share_in_flight(cols, BLOCK, UNROLL)
  local flying = 8 * BLOCK * UNROLL
  return flying <= math.max(cols, 1024) and flying * 8 >= cols
end
-- Bulk copies: sm_90 and newer.
function rows.can_bulk(BULK, gpu) return not BULK or gpu.cc >= 90 end

-- Rows that make an array of 128 MiB, and the shapes that libraries are compared at.
local shapes = { [1024] = 32768, [32768] = 4096 }
function rows.of(p) return shapes[p.cols] or math.max(1, 2^26 // p.cols) end

return rows
