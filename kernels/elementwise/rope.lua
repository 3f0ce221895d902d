-- SPDX-License-Identifier: Apache-2.0
-- Rotary position embedding of q and k in bf16: t tokens, heads of d, halves' layout. Returns { bf16 = steps, fp32 = steps }
-- by the type of the tables of cosines and sines: each { element, apart, together, in_place, bulk }.
local BYTES = 2 -- of an element

local function elements(p) return p.t * (p.q_heads + p.k_heads) * p.d end

local function ropes(table_name, table_type, table_ctype, table_bytes)
  local function table_size(p) return 2 * table_bytes * p.t * (p.d // 2) end
  local function work_of(p, heads) -- four products and two sums a pair; each row of the tables once
    local count = p.t * heads * p.d
    return { fp32 = 3 * count, read = BYTES * count + table_size(p), write = BYTES * count }
  end

  -- What a token has: its heads and its rows of the tables.
  local function token_bytes(p) return BYTES * (p.q_heads + p.k_heads) * p.d + table_bytes * p.d end

  local function rope(facts)
    return kernel {
      name = "rope_" .. facts.name .. "_" .. table_name .. "_tables",
      source = "rope.cu",
      entry = facts.entry,
      problem = { "t", "q_heads", "k_heads", "d" },
      params = facts.params,
      buffers = function(p)
        local q, k, angles = p.t * p.q_heads * p.d, p.t * p.k_heads * p.d, p.t * (p.d // 2)
        local buffers = { cos = input(table_type, angles), sin = input(table_type, angles) }
        if facts.in_place then
          buffers.q, buffers.k = inout(bf16, q), inout(bf16, k)
        else
          buffers.q, buffers.k, buffers.q_out, buffers.k_out = input(bf16, q), input(bf16, k), output(bf16, q), output(bf16, k)
        end
        return buffers
      end,
      launch = facts.launch,
      work = function(p)
        local work = work_of(p, p.q_heads + p.k_heads)
        work.items = { "token", p.t }
        return work
      end,
      traffic = facts.traffic,
      check = {
        reference = ("rope_reference.cu:%s<%s>"):format(
          facts.in_place and "rope_in_place_reference" or "rope_reference", table_ctype
        ),
        odd = { t = 1021, q_heads = 7, k_heads = 3, d = 102 }, -- d is even in any rotation; its half is odd here
      },
    }
  end

  local function vector(p, vec) return p.d // 2 % vec == 0 and vec or 1 end

  -- `x` names what is read and written, and how many heads of each there are.
  local function launch_of(p, c, b, x)
    local vec, heads = vector(p, c.VEC), x.q_heads + x.k_heads
    return {
      entry = ("rope_heads<%s, %s, BLOCK, HEADS, STREAM>"):format(table_ctype, vec == c.VEC and "VEC" or "1"),
      args = { x.q, x.k, b.cos, b.sin, x.q_out, x.k_out, i32(p.t), i32(x.q_heads), i32(x.k_heads), i32(p.d) },
      grid = ceil_div(p.t * ceil_div(heads, c.HEADS) * (p.d // 2 // vec), c.BLOCK),
      block = c.BLOCK,
    }
  end

  local function alone(p, c, b, x, out, heads)
    local launch = launch_of(p, c, b, { q = x, k = x, q_out = out, k_out = out, q_heads = heads, k_heads = 0 })
    launch.work = work_of(p, heads)
    return launch
  end

  local function both(p, c, b, q_out, k_out)
    return launch_of(
      p, c, b, { q = b.q, k = b.k, q_out = q_out, k_out = k_out, q_heads = p.q_heads, k_heads = p.k_heads }
    )
  end

  -- What L2 passes on: each part of the tables once for every HEADS heads, at most.
  local function traffic(p, c)
    return { l2 = 2 * BYTES * elements(p) + table_size(p) * ceil_div(p.q_heads + p.k_heads, c.HEADS) }
  end

  local element = rope {
    name = "element",
    entry = "rope_element<" .. table_ctype .. ", BLOCK>",
    params = { { "BLOCK", 256, "threads a block, all on one token" } },
    launch = function(p, c, gpu, b)
      local function one(x, out, heads)
        return {
          args = { x, b.cos, b.sin, out, i32(heads), i32(p.d) },
          grid = p.t * ceil_div(heads * p.d, c.BLOCK),
          block = c.BLOCK,
          work = work_of(p, heads),
        }
      end
      return { one(b.q, b.q_out, p.q_heads), one(b.k, b.k_out, p.k_heads) }
    end,
  }

  local params = {
    { "VEC", 8, "elements a load" },
    { "BLOCK", 256, "threads a block" },
    { "HEADS", 1, "heads of a thread, which share its cosines and sines" },
    { "STREAM", false, "evict-first loads and stores" },
  }
  local entry = "rope_heads<" .. table_ctype .. ", VEC, BLOCK, HEADS, STREAM>"

  local apart = rope {
    name = "apart",
    entry = entry,
    params = params,
    launch = function(p, c, gpu, b)
      return { alone(p, c, b, b.q, b.q_out, p.q_heads), alone(p, c, b, b.k, b.k_out, p.k_heads) }
    end,
  }

  local together = rope {
    name = "together",
    entry = entry,
    params = params,
    launch = function(p, c, gpu, b) return both(p, c, b, b.q_out, b.k_out) end,
    traffic = traffic,
  }

  local in_place = rope {
    name = "in_place",
    in_place = true,
    entry = entry,
    params = params,
    launch = function(p, c, gpu, b) return both(p, c, b, b.q, b.k) end,
    traffic = traffic,
  }

  local bulk = rope {
    name = "bulk",
    entry = "rope_bulk<" .. table_ctype .. ", BLOCK, STAGES>",
    params = {
      { "BLOCK", 128, "threads a block" },
      { "STAGES", 3, "tokens of a block on their way to shared memory" },
      { "RESIDENT", 4, "blocks an SM" },
    },
    launch = function(p, c, gpu, b)
      if gpu.cc < 90 or p.d % 16 ~= 0 then
        local vec = vector(p, 8)
        local launch = both(p, { VEC = vec, BLOCK = c.BLOCK, HEADS = 1 }, b, b.q_out, b.k_out)
        launch.entry = ("rope_heads<%s, %d, BLOCK, 1, false>"):format(table_ctype, vec)
        return launch
      end
      return {
        args = { b.q, b.k, b.cos, b.sin, b.q_out, b.k_out, i32(p.t), i32(p.q_heads), i32(p.k_heads), i32(p.d) },
        grid = math.min(p.t, gpu.sms * c.RESIDENT),
        block = c.BLOCK,
        shared = c.STAGES * token_bytes(p),
      }
    end,
    traffic = function(p, c) -- tables: once in, once out for every head
      local heads = p.q_heads + p.k_heads
      return { shared = 2 * BYTES * elements(p) + table_size(p) * (1 + heads) }
    end,
  }

  return {
    element = element,
    apart = apart,
    together = together,
    in_place = in_place,
    bulk = bulk,
    token_bytes = token_bytes,
  }
end

return { bf16 = ropes("bf16", bf16, "__nv_bfloat16", 2), fp32 = ropes("fp32", f32, "float", 4) }
