# SPDX-License-Identifier: Apache-2.0
# A script that does not end is stopped; no pattern of Lua's own library can make it hang either.
printf 'local n = 0\nwhile true do n = n + 1 end\n' >endless.lua
rooftune check endless.lua
expect_error 3 'endless.lua:2: stopped at the limit'
