-- SPDX-License-Identifier: Apache-2.0
-- What does a stride cost? 2^25 outputs from up to 8 GiB: far more than any L2 at every stride.
local strided_read = require "kernels.strided_read"

return sweep {
  diagnostic = true,
  kernel = strided_read,
  over = { stride = values(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64) },
  with = { n = 2^25 },
  tune = { BLOCK = values(128, 256, 512), ITEMS = values(1, 2, 4, 8) },
}
