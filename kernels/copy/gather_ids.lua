-- SPDX-License-Identifier: Apache-2.0
-- Which t of v rows are asked for, by the axis `order`, and what that means for memory. For problems with t, d (floats a
-- row), v and order.
local RUN = 64 -- neighbours that "clustered" asks for in a row

local ids = { kinds = { "random", "sorted", "clustered", "zipf", "duplicated" } }

function ids.fill(p)
  local args = { i64(p.v) }
  if p.order == "clustered" then args[2] = i32(RUN) end
  return from { "gather_ids.cu:" .. p.order .. "_ids", args = args }
end

-- How many of v rows t draws meet, as expected.
local function met(t, v) return v * (1 - math.exp(-t / v)) end

-- With a frequency of 1 / r: ranks added up in steps of 1 %.
local function met_zipf(t, v)
  local rows, all = 0, math.log(v + 1)
  local r = 1
  while r < v do
    local next = math.min(math.max(r + 1, math.floor(r * 1.01)), v)
    rows = rows + (next - r) * (1 - math.exp(-t * math.log((next + 1) / (r + 1)) / all / (next - r)))
    r = next
  end
  return rows + (1 - math.exp(-t * math.log(2) / all))
end

-- Different rows that are asked for.
function ids.distinct(p)
  if p.order == "sorted" then return math.min(p.t, p.v) end
  if p.order == "zipf" then return math.floor(met_zipf(p.t, p.v)) end
  if p.order == "duplicated" then return math.floor(met(p.t / 2, p.v)) + 1 end
  return math.floor(met(p.t, p.v))
end

-- Bytes that move when rows are fetched in granules of so many bytes, nothing of which is met again: L2 passes 32, device
-- memory 64. nil: some of them are.
function ids.moved(p, granule)
  local row = 4 * p.d
  if p.order == "clustered" then return row * p.t end
  if p.order == "sorted" then return math.min(p.t * math.max(row, granule), row * p.v) end
  if p.order == "random" then return p.t * math.max(row, granule) end
  if p.order == "duplicated" then return p.t // 2 * math.max(row, granule) end
  return nil
end

-- How often the busiest row is asked for.
function ids.busiest(p)
  if p.order == "duplicated" then return p.t // 2 end
  if p.order == "zipf" then return math.floor(p.t * math.log(2) / math.log(p.v + 1)) end
  return math.max(1, p.t // p.v)
end

return ids
