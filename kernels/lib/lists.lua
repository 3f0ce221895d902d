-- SPDX-License-Identifier: Apache-2.0
-- Lists of variants or constraints, put together.
local lists = {}

-- A new list of the elements of all, one list behind the other.
function lists.join(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end

return lists
