-- SPDX-License-Identifier: Apache-2.0
-- Finds kernels/plain.lua two folders up, and kernels/near.lua beside itself.
local plain = require "kernels.plain"
local again = require "kernels.plain"
local near = require "kernels.near"
assert(plain == again and near == true)
return sweep { kernel = plain, over = { n = values(2048) } }
