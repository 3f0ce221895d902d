-- SPDX-License-Identifier: Apache-2.0
-- Returns nothing: require() gives true.
print(require("kernels.base").size)
