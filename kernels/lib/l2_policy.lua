-- SPDX-License-Identifier: Apache-2.0
-- Hints to L2 as values of parameters: types of l2_policy.cuh.
local l2 = {
  READ = { "READ", ctype "plain", "what loads ask of L2" },
  AGAIN = { "AGAIN", ctype "plain", "what the second reading asks of L2" },
  WRITE = { "WRITE", ctype "plain", "what stores ask of L2; last_N: one line in N stays" },
}

function l2.hints(...)
  local list = {}
  for i, name in ipairs { ... } do list[i] = ctype(name) end
  return values(list)
end
l2.stores = l2.hints("plain", "first", "last", "last_2", "last_4", "last_8", "last_16", "last_32")

-- For `where`: does what shall stay of `bytes` have room in L2, and is it worth asking? No matter of the others.
function l2.fits(bytes, hint, gpu)
  if hint:sub(1, 4) ~= "last" then return true end
  local stays = bytes // (tonumber(hint:match("_(%d+)$")) or 1)
  return stays >= gpu.l2_bytes // 4 and stays <= gpu.l2_bytes + gpu.l2_bytes // 4
end

return l2
