-- SPDX-License-Identifier: Apache-2.0
-- In a folder of kernels: found with its folder's name and without.
print("inner runs")
return { base = require "kernels.base" }
