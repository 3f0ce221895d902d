-- SPDX-License-Identifier: Apache-2.0
-- Probabilistic record linkage for n = 8: 48,720 of 2,415,919,104 are valid.
return require "prl_space" (8)
