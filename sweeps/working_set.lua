-- SPDX-License-Identifier: Apache-2.0
-- A copy whose arrays stay where the run before left them: while both fit the L2 its rate is the L2's, beyond it is
-- device memory's. Where is the step, and how steep is it?
local copy_scale = require "kernels.copy_scale"

return sweep {
  diagnostic = true,
  kernel = copy_scale.fp32,
  over = { n = refine(pow2_values(2^18, 2^27), 3) }, -- 2 MiB to 1 GiB in both arrays
  tune = { VEC = values(4), BLOCK = values(256, 512), ITEMS = values(1, 4), STREAM = values(false) },
  measure = { cache = "hot" },
}
