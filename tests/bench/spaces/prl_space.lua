-- SPDX-License-Identifier: Apache-2.0
-- Probabilistic record linkage for an input of n x n (searchspaces_provider.py of fjwillemsen/kernel_tuner_paper, MIT).
local function dimension(d, tune, where, n)
  tune["INPUT_SIZE_" .. d] = values(n)
  tune["L_CB_SIZE_" .. d] = range(1, n)
  tune["P_CB_SIZE_" .. d] = range(1, n)
  tune["OCL_DIM_" .. d] = values(0, 1)
  tune["NUM_WG_" .. d] = range(1, n)
  tune["NUM_WI_" .. d] = range(1, n)
  for _, text in ipairs {
    "INPUT_SIZE_d % L_CB_SIZE_d == 0",
    "L_CB_SIZE_d % P_CB_SIZE_d == 0",
    "(INPUT_SIZE_d / L_CB_SIZE_d) % NUM_WG_d == 0",
    "(L_CB_SIZE_d / P_CB_SIZE_d) % NUM_WI_d == 0",
    "NUM_WI_d <= INPUT_SIZE_d + NUM_WG_d - 1 / NUM_WG_d",
  } do
    where[#where + 1] = text:gsub("_d", "_" .. d)
  end
end

return function(n)
  local tune = {
    CACHE_L_CB = values(0, 1),
    CACHE_P_CB = values(0, 1),
    G_CB_RES_DEST_LEVEL = values(2),
    L_CB_RES_DEST_LEVEL = values(2, 1, 0),
    P_CB_RES_DEST_LEVEL = values(2, 1, 0),
    L_REDUCTION = values(1),
    P_WRITE_BACK = values(0),
    L_WRITE_BACK = values(1),
  }
  local where = {
    "L_CB_RES_DEST_LEVEL <= G_CB_RES_DEST_LEVEL",
    "P_CB_RES_DEST_LEVEL <= L_CB_RES_DEST_LEVEL",
    "OCL_DIM_R_1 ~= OCL_DIM_L_1",
    "NUM_WG_R_1 == 1 or NUM_WG_R_1 % L_CB_SIZE_R_1 == 0",
  }
  dimension("L_1", tune, where, n)
  dimension("R_1", tune, where, n)
  return sweep { tune = tune, where = where }
end
