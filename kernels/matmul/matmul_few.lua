-- SPDX-License-Identifier: Apache-2.0
-- At n = 16384, where a product takes 6 to 24 ms on an H200, few of a ladder's steps: a function of its variants and of the
-- type's name, that returns them with the last steps alone beyond n = 8192, by tiles that fill the SM.
local boxes = require "kernels.matmul_mma_boxes"
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"

local LARGE = "BLOCK_M * BLOCK_N == 128 * 256"
local ROLES = "BLOCK_M * BLOCK_N >= 128 * 192 and BLOCK_M * BLOCK_N <= 128 * 256 and CLUSTER_M * CLUSTER_N == 2 and GROUP == 8"
  .. " and IDLE == 0 and LAG == 0 and STORES <= 2"

return function(variants, dtype)
  local few = {
    [tensor[dtype].turns] = LARGE, [boxes[dtype].kernel] = "BLOCK_M * BLOCK_N >= 128 * 128", [boxes[dtype].roles] = "LAG == 1",
  }
  for _, variant in ipairs(variants) do
    local large = few[variant.kernel] or variant.kernel == wgmma[dtype].roles and variant.tune.ORDER and ROLES
    variant.where = lists.join(variant.where, { "n <= 8192" .. (large and " or " .. large or "") })
  end
  return variants
end
