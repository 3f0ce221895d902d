-- SPDX-License-Identifier: Apache-2.0
-- Calculators: the work of common operations, in the form that a kernel's `work` returns. docs/calculators.md.
--   local intensity = require "kernels.intensity"
--   work = function(p) return intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = "bf16" } end
-- `rooftune model` answers from the same functions. Bytes are compulsory: every operand once. Operations: an FMA is two.

-- dtype: bytes of an element, pipe of matrix products. Sums, scales and comparisons are formed in FP32 (FP64 for fp64).
local types = {
  fp64 = { 8, "tensor_fp64" },
  fp32 = { 4, "fp32" },
  tf32 = { 4, "tensor_tf32" },
  fp16 = { 2, "tensor_fp16" },
  bf16 = { 2, "tensor_bf16" },
  fp8 = { 1, "tensor_fp8" },
  int8 = { 1, "tensor_int8" },
  int4 = { 0.5 }, -- for weights: products are formed in a wider type
}
local type_names = { "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "int4" }
local pipes = {
  "fp64", "fp32", "fp16", "tensor_fp64", "tensor_tf32", "tensor_bf16", "tensor_fp16", "tensor_fp8", "tensor_int8",
}

-- What every model takes beside its dimensions. Texts; the default is said in words.
local options = {
  { "dtype", "bf16", "type of the inputs; of everything that has no type of its own" },
  { "weight", "as dtype", "type of the weights (gemm: B; gemv: W; norms: gamma and beta)" },
  { "out", "as dtype", "type of the result" },
  { "score", "as dtype", "attention: type of the scores in memory" },
  { "pipe", "by dtype", "of the products (gemm, attention) or of all operations" },
}

local function add(work, key, amount)
  if amount > 0 then work[key] = (work[key] or 0) + amount end
end

-- t: elem, weight, out, score = bytes; matrix, vector = pipes.
local function gemm(p, t)
  local results, work = p.batch * p.m * p.n, {}
  add(work, t.matrix, 2 * results * p.k)
  add(work, t.vector, p.epilogue * results)
  work.read = p.batch * (p.m * p.k * t.elem + p.k * p.n * t.weight)
  work.write = results * t.out
  if p.fused == 0 and p.epilogue > 0 then -- a kernel of its own reads and writes the result again
    work.read = work.read + results * t.out
    work.write = work.write + results * t.out
  end
  return work
end

local function gemv(p, t)
  return { [t.vector] = 2 * p.n * p.k, read = p.n * p.k * t.weight + p.k * t.elem, write = p.n * t.out }
end

local function dot(p, t) return { [t.vector] = 2 * p.n, read = 2 * p.n * t.elem, write = t.out } end

local function elementwise(p, t)
  local work, between = {}, p.n * (p.kernels - 1) * t.elem
  add(work, t.vector, p.ops * p.n)
  work.read = p.n * p.reads * t.elem + between
  work.write = p.n * p.writes * t.out + between
  return work
end

-- Maximum, subtraction, sum and scaling; the exponential is the special-function unit's.
local function softmax(p, t)
  local elements = p.rows * p.n
  return { [t.vector] = 4 * elements, sfu = elements, read = p.passes * elements * t.elem, write = elements * t.out }
end

-- gamma (and beta) are read once for all rows. With a residual the sum x + r is a result too.
local function norm(p, t, ops, weights)
  local elements = p.rows * p.n
  local work = { read = elements * t.elem + weights * p.n * t.weight, write = elements * t.out }
  if p.residual == 1 then
    work.read = work.read + (p.fused == 1 and 1 or 2) * elements * t.elem -- alone, the norm reads the sum again
    work.write = work.write + elements * t.elem
  end
  add(work, t.vector, (ops + p.residual) * elements)
  return work
end
local function layernorm(p, t) return norm(p, t, p.ops, 2) end
local function rmsnorm(p, t) return norm(p, t, 4, 1) end

-- A pair (a, b) becomes (a cos - b sin, a sin + b cos): 6 operations for 2 elements.
local function rope(p, t)
  local elements = p.tokens * p.heads * p.d
  local tables = p.tables * p.tokens * p.d * t.weight
  return { [t.vector] = 3 * elements, read = elements * t.elem + tables, write = elements * t.out }
end

local function embedding(p, t)
  local elements, work = p.tokens * p.d, {}
  work.read = elements * t.weight + p.tokens * p.id_bytes
  work.write = elements * t.out
  if p.norm == 1 then
    add(work, t.vector, 4 * elements)
    work.read = work.read + p.d * t.weight
    if p.fused == 0 then -- the rows are written, and read again by the norm
      work.read = work.read + elements * t.out
      work.write = work.write + elements * t.out
    end
  end
  return work
end

local function attention_of(p, t, pairs_a_head, scores)
  local heads = p.batch * p.heads
  local work = {}
  add(work, t.matrix, 4 * heads * pairs_a_head * p.d)
  add(work, t.vector, 4 * heads * pairs_a_head)
  add(work, "sfu", heads * pairs_a_head)
  local queries, keys = heads * p.l * p.d, p.batch * p.kv_heads * p.keys * p.d
  work.read = (queries + 2 * keys) * t.elem + scores * t.score
  work.write = queries * t.out + scores * t.score
  return work
end

-- All scores, also those that a causal mask drops; each goes to memory and comes back `passes` times.
local function attention(p, t)
  local all = p.l * p.keys
  return attention_of(p, t, all, p.passes * p.batch * p.heads * all)
end

-- Causal: query i of l sees the first keys - l + i of them.
local function flash(p, t)
  local all = p.l * p.keys
  return attention_of(p, t, p.causal == 1 and all - p.l * (p.l - 1) / 2 or all, 0)
end

-- name, what it is, dimensions { name, default (none: must be given; a text: as that dimension), help }, work
local models = {
  { "gemm", "C = A B, A m x k, B k x n; a linear layer of m tokens", {
    { "m", nil, "rows of A and C; tokens" }, { "n", nil, "columns of B and C" }, { "k", nil, "columns of A" },
    { "batch", 1, "products, each with its own A and B" },
    { "epilogue", 0, "operations on each element of the result (bias, activation)" },
    { "fused", 1, "0: the epilogue is a kernel of its own" } }, gemm },
  { "gemv", "y = W x, W n x k", { { "n", nil, "rows of W" }, { "k", nil, "columns of W" } }, gemv },
  { "dot", "sum of x[i] y[i]", { { "n", nil, "elements" } }, dot },
  { "elementwise", "a chain of operations on each element", {
    { "n", nil, "elements" }, { "ops", 1, "operations on an element, all together" },
    { "reads", 1, "arrays read" }, { "writes", 1, "arrays written" },
    { "kernels", 1, "kernels it takes; 1 = fused, each more writes and reads an array between" } }, elementwise },
  { "softmax", "over the n elements of each row", {
    { "rows", nil, "rows" }, { "n", nil, "elements of a row" },
    { "passes", 1, "times the input is read; 1 = the row is kept on chip" } }, softmax },
  { "layernorm", "over the n elements of each row, with scale and shift", {
    { "rows", nil, "rows; tokens" }, { "n", nil, "elements of a row" },
    { "ops", 7, "operations on an element; 8 where x - mean is formed twice" },
    { "residual", 0, "1: of x + r, which is a result too" }, { "fused", 1, "0: x + r is a kernel of its own" } },
    layernorm },
  { "rmsnorm", "over the n elements of each row, with scale", {
    { "rows", nil, "rows; tokens" }, { "n", nil, "elements of a row" },
    { "residual", 0, "1: of x + r, which is a result too" }, { "fused", 1, "0: x + r is a kernel of its own" } },
    rmsnorm },
  { "rope", "rotates pairs of elements by angles of their token", {
    { "tokens", nil, "tokens" }, { "d", nil, "elements of a head" }, { "heads", 1, "heads, of queries and keys" },
    { "tables", 0, "1: cosines and sines are read" } }, rope },
  { "embedding", "rows of a table, picked by ids", {
    { "tokens", nil, "ids" }, { "d", nil, "elements of a row" }, { "id_bytes", 8, "bytes of an id" },
    { "norm", 0, "1: with RMSNorm of the rows" }, { "fused", 1, "0: the norm is a kernel of its own" } }, embedding },
  { "attention", "naive: the scores go through memory", {
    { "l", nil, "queries; tokens" }, { "d", nil, "elements of a head" }, { "heads", 1, "heads of queries" },
    { "batch", 1, "sequences" }, { "keys", "l", "keys" }, { "kv_heads", "heads", "heads of keys and values" },
    { "passes", 1, "times the scores are written and read; 2: softmax is a kernel of its own" } },
    attention },
  { "flash", "attention whose scores stay on chip", {
    { "l", nil, "queries; tokens" }, { "d", nil, "elements of a head" }, { "heads", 1, "heads of queries" },
    { "batch", 1, "sequences" }, { "keys", "l", "keys" }, { "kv_heads", "heads", "heads of keys and values" },
    { "causal", 0, "1: a query sees the keys up to its own place" } }, flash },
}
local flags = { fused = true, residual = true, causal = true, norm = true, tables = true }

-- ---- from a table of facts to work ----

-- `level` below is error()'s: whose line an error names. This one names none.
local NO_PLACE = -100

local function names_of(list)
  local names = {}
  for i, entry in ipairs(list) do names[i] = type(entry) == "table" and entry[1] or entry end
  return table.concat(names, ", ")
end

local function contains(list, word)
  for _, entry in ipairs(list) do
    if (type(entry) == "table" and entry[1] or entry) == word then return true end
  end
  return false
end

-- Values of all dimensions. A text names the dimension whose value it takes.
local function dimensions_of(model, facts, level)
  local values = {}
  local function value_of(name, seen)
    local given, dimension = facts[name], nil
    for _, entry in ipairs(model[3]) do dimension = entry[1] == name and entry or dimension end
    if not dimension then
      error(model[1] .. ": no dimension \"" .. name .. "\" (" .. names_of(model[3]) .. ")", level + 1)
    end
    if given == nil then given = dimension[2] end
    if given == nil then
      error(model[1] .. " needs " .. name .. ": " .. dimension[3], level + 1)
    end
    if type(given) == "string" and not tonumber(given) then
      if seen[name] then error(model[1] .. "." .. name .. " is as itself, in a circle", level + 1) end
      seen[name] = true
      return value_of(given, seen)
    end
    local value = given == true and 1 or given == false and 0 or tonumber(given)
    local least = flags[name] and 0 or (dimension[2] == 0 or name == "ops" or name == "id_bytes" or name == "writes")
      and 0 or 1
    if not value or not (value >= least and value <= 1e15) or (flags[name] and value ~= 0 and value ~= 1) then
      error(model[1] .. "." .. name .. " = " .. tostring(given) .. ": expected "
        .. (flags[name] and "0 or 1" or "a number from " .. least .. " to 1e15"), level + 1)
    end
    return value
  end
  for _, entry in ipairs(model[3]) do values[entry[1]] = value_of(entry[1], {}) end
  if model[1] == "flash" and values.causal == 1 and values.keys < values.l then
    error("flash: causal needs at least as many keys as queries", level)
  end
  return values
end

local function types_of(model, facts, level)
  local function bytes(key, absent)
    local name = facts[key]
    if name == nil then return absent end
    if not types[name] then
      error(model[1] .. "." .. key .. " = " .. tostring(name) .. ": expected " .. names_of(type_names), level + 1)
    end
    return types[name][1]
  end
  local dtype = facts.dtype or "bf16"
  local elem = bytes("dtype", types.bf16[1])
  local matrix = types[dtype][2]
  local pipe = facts.pipe
  if pipe ~= nil and not contains(pipes, pipe) then
    error(model[1] .. ".pipe = " .. tostring(pipe) .. ": expected " .. names_of(pipes), level)
  end
  if not matrix and not pipe then
    error(model[1] .. ".dtype = " .. dtype .. ": no pipe multiplies it; a weight can be " .. dtype
      .. ", or say pipe = ...", level)
  end
  local uses_matrix = contains({ "gemm", "attention", "flash" }, model[1])
  local vector = dtype == "fp64" and "fp64" or "fp32"
  return {
    elem = elem, weight = bytes("weight", elem), out = bytes("out", elem), score = bytes("score", elem),
    matrix = pipe or matrix, vector = not uses_matrix and pipe or vector,
  }
end

local function work_of(model, facts, level)
  for key in pairs(facts) do
    if not contains(model[3], key) and not contains(options, key) then
      error(model[1] .. ": unknown \"" .. tostring(key) .. "\"; it takes " .. names_of(model[3]) .. " and "
        .. names_of(options), level)
    end
  end
  return model[4](dimensions_of(model, facts, level + 1), types_of(model, facts, level + 1))
end

local intensity = {}
local by_name = {}
for _, model in ipairs(models) do
  by_name[model[1]] = model
  intensity[model[1]] = function(facts)
    local work = work_of(model, facts, 3) -- no tail call: an error's place is the caller's
    return work
  end
end

-- Operations on the pipe that has most of them, per byte. And that pipe.
function intensity.of(work)
  local most, main = 0, nil
  for _, pipe in ipairs(pipes) do
    if (work[pipe] or 0) > most then most, main = work[pipe], pipe end
  end
  return most / ((work.read or 0) + (work.write or 0)), main
end

-- Where, along one dimension, the intensity passes the ridge (operations per byte): nil when it never does, 1 when it
-- is beyond from the start. For intensities that rise along the dimension.
function intensity.turn(name, facts, axis, ridge)
  local tried = {}
  for key, value in pairs(facts) do tried[key] = value end
  local function at(value)
    tried[axis] = value
    return (intensity.of(work_of(by_name[name], tried, 4)))
  end
  local low, high = 1, 2^40
  if at(low) >= ridge then return 1 end
  if at(high) < ridge then return nil end
  while high / low > 1 + 1e-9 do
    local middle = math.sqrt(low * high)
    if at(middle) < ridge then low = middle else high = middle end
  end
  return high
end

-- ---- for `rooftune model` ----

-- What there is: models with their dimensions, options, types, pipes.
function intensity.catalogue()
  local list = {}
  for i, model in ipairs(models) do
    local dimensions = {}
    for k, entry in ipairs(model[3]) do
      dimensions[k] = { name = entry[1], absent = entry[2] ~= nil and tostring(entry[2]) or nil, help = entry[3] }
    end
    list[i] = { name = model[1], help = model[2], dimensions = dimensions }
  end
  local taken = {}
  for i, entry in ipairs(options) do taken[i] = { name = entry[1], absent = entry[2], help = entry[3] } end
  return { models = list, options = taken, types = type_names, pipes = pipes }
end

-- Words as they are typed: MODEL KEY=VALUE ... MODEL KEY=VALUE ...; one work for each model.
-- "@KEY" and "@RIDGE,RIDGE,..." behind a model: also its turns along KEY, false where there is none.
function intensity.answer(words)
  local answers, facts, name, axis = {}, nil, nil, nil
  for _, word in ipairs(words) do
    local key, value = word:match("^([%w_]+)=(.*)$")
    if key then
      facts[key] = tonumber(value) or value
    elseif word:match("^@%a") then
      axis = word:sub(2)
    elseif word:match("^@") then
      local turns = {}
      for ridge in word:gmatch("[^@,]+") do
        turns[#turns + 1] = intensity.turn(name, facts, axis, tonumber(ridge)) or false
      end
      answers[#answers].turns = turns
    else
      name, facts = word, {}
      answers[#answers + 1] = { model = word, facts = facts }
    end
  end
  for _, answer in ipairs(answers) do
    local good, result = pcall(work_of, by_name[answer.model], answer.facts, NO_PLACE)
    answer[good and "work" or "wrong"] = result
  end
  return answers
end

return intensity
