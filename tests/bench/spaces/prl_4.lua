-- SPDX-License-Identifier: Apache-2.0
-- Probabilistic record linkage for n = 4: 10,800 of 9,437,184 are valid.
return require "prl_space" (4)
