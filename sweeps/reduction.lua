-- SPDX-License-Identifier: Apache-2.0
-- One value out of 2^28: a read of memory and nothing else, if the threads do not wait for each other. The ladder is what
-- merges: atomics, a tree in shared memory, shuffles; then how much is in flight, and what merges what the blocks leave.
local reduction = require "kernels.reduction"

local blocks = values(128, 256, 512, 1024)
local function few(n) return n <= 2^22 end -- an atomic operation a value takes a second beyond

-- The whole space for one operation, its centre for the others.
local function vectors(kernel, full)
  return {
    "16 B vectors",
    kernel = kernel,
    tune = {
      BLOCK = full and blocks or values(256, 512),
      ITEMS = full and values(1, 2, 4, 8, 16) or values(4, 8),
      PER_SM = values(0, 1, 2, 4, 8, 16),
      STREAM = full and values(false, true) or values(false),
      FINISH = values("atomic", "last_block", "two_kernels"),
    },
    where = {
      "PER_SM == 0 or (BLOCK * PER_SM >= 512 and BLOCK * PER_SM <= 2048)",
      "ITEMS > 1 or PER_SM == 0",
      "FINISH == 'last_block' or PER_SM == 0 or BLOCK == 512",
      "FINISH ~= 'last_block' or PER_SM > 0 or BLOCK == 256", -- one block that merges what thousands leave: once, to see it
      "not STREAM or (FINISH == 'last_block' and PER_SM > 0 and ITEMS >= 4)",
    },
  }
end

local function bulk(kernel, full)
  return {
    "bulk copies",
    kernel = kernel,
    tune = {
      BLOCK = full and values(128, 256, 512) or values(256),
      CHUNK_KIB = values(8, 16, 32),
      STAGES = values(2, 4, 8),
      PER_SM = values(1, 2, 4),
    },
    where = {
      "gpu.cc >= 90",
      "PER_SM * STAGES * (1024 * CHUNK_KIB + 1024) <= gpu.shared_per_sm",
      "PER_SM * STAGES * CHUNK_KIB >= 48", -- KiB in flight that an SM needs
    },
  }
end

local function ladder(name, kernels, full)
  local tune = { BLOCK = full and blocks or values(256) }
  local variants = {
    { "atomic a thread", kernel = kernels.threads, tune = tune, where = { few } },
    { "atomic a warp", kernel = kernels.warps, tune = tune },
    { "shared-memory tree", kernel = kernels.tree, tune = tune },
    { "shuffles", kernel = kernels.shuffles, tune = tune },
  }
  if kernels.redux then variants[#variants + 1] = { "redux.sync", kernel = kernels.redux, tune = tune } end
  variants[#variants + 1] = vectors(kernels.vectors, full)
  variants[#variants + 1] = bulk(kernels.bulk, full)
  return sweep { name = name, variants = variants, over = { n = values(2^16, 2^22, 2^28) } } -- to 1 GiB
end

return {
  ladder("reduce_sum_fp32", reduction.sum_f32, true),
  ladder("reduce_max_fp32", reduction.max_f32, false),
  ladder("reduce_sum_int32", reduction.sum_i32, false),
}
