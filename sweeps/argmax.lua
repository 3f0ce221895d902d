-- SPDX-License-Identifier: Apache-2.0
-- Where is the largest of n floats? A read of memory, if carrying a place along costs nothing.
return sweep {
  kernel = require "kernels.argmax",
  name = "argmax",
  over = { n = values(2^16, 2^22, 2^28) },
  tune = { BLOCK = values(128, 256, 512, 1024), ITEMS = values(2, 4, 8), PER_SM = values(1, 2, 4, 8, 16) },
  where = { "BLOCK * PER_SM >= 512 and BLOCK * PER_SM <= 2048" },
}
