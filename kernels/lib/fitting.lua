-- SPDX-License-Identifier: Apache-2.0
-- fitting(gpu, bytes, SIZE...): values() of the sizes that the card's free memory holds, at `bytes` each (of all buffers,
-- and 8 of the reference's for each element of the output). In place of larger ones stands the largest half, quarter ...
-- of the last that it does hold, so that a small card measures a largest problem of its own.
local SHARE = 0.85 -- the rest is the flush's, and what lies between buffers

return function(gpu, bytes, ...)
  local room = SHARE * (gpu.memory_free > 0 and gpu.memory_free or gpu.memory_bytes)
  local kept, last = {}, nil
  for _, size in ipairs { ... } do
    if room == 0 or bytes * size <= room then kept[#kept + 1] = size else last = size end
  end
  while last and last > 1 and bytes * last > room do last = last // 2 end
  if last and last > (kept[#kept] or 0) then kept[#kept + 1] = last end
  return values(table.unpack(kept))
end
