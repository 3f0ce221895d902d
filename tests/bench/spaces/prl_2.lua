-- SPDX-License-Identifier: Apache-2.0
-- Probabilistic record linkage for n = 2: 1,200 of 36,864 are valid.
return require "prl_space" (2)
