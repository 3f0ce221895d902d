-- SPDX-License-Identifier: Apache-2.0
local function fail() return nil + 1 end
local x = fail()
return x
