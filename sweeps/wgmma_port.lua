-- SPDX-License-Identifier: Apache-2.0
-- Do TMA's writes to shared memory take time from wgmma's reads? An instruction of 64 x columns x 16 reads 2 KiB of A and
-- 32 columns bytes of B in columns / 2 clocks: 128 bytes a clock at 64 columns, 96 at 128, 85 at 192, 80 at 256. If both
-- share 128 bytes a clock, time grows with WRITE from 0 on at 64 columns, from 32 on at 128, from 48 on at 256. L2 gives
-- an SM about 40 bytes a clock: more is fed to pairs of blocks, each of which asks for half. On other cards the same of
-- mma.sync and cp.async: ldmatrix reads as many bytes while 1,024 products are added, a clock of an A100's.
--   rooftune run sweeps/wgmma_port.lua -- tcgen05   sm_100a's tensor cores alone; no card has run it
if #arg > 0 then
  if #arg > 1 or arg[1] ~= "tcgen05" then error(("an argument is tcgen05, not \"%s\""):format(table.concat(arg, " "))) end
  return sweep {
    name = "tcgen05_rate",
    diagnostic = true,
    kernel = require "kernels.tcgen05_rate",
    problems = { { columns = 64, steps = 8192 }, { columns = 128, steps = 4096 }, { columns = 256, steps = 2048 } },
    where = { "gpu.arch == 'sm_100a' -- tensor memory is sm_100a's alone: take this sweep without tcgen05" },
  }
end

local port = require "kernels.wgmma_port"

return sweep {
  diagnostic = true,
  variants = {
    {
      "wgmma_port",
      kernel = port.wgmma,
      tune = { GROUPS = values(1, 2), WRITE = values(0, 8, 16, 32, 48, 64), CLUSTER = values(1, 2) },
      where = { "gpu.arch == 'sm_90a'", "CLUSTER == 1 and WRITE <= 32 or CLUSTER == 2 and WRITE >= 32" },
    },
    {
      "mma.sync",
      kernel = port.mma,
      tune = { GROUPS = values(1, 2), WRITE = values(0, 8, 16, 32, 48) },
      where = { "gpu.cc >= 75 and gpu.arch ~= 'sm_90a'", "40 * 1024 + 128 * columns <= gpu.shared_per_block" },
    },
  },
  problems = function(gpu) -- 2^20 clocks of wgmma's tensor cores each
    local function of(columns, steps) return { columns = columns, steps = steps, blocks = gpu.sms } end
    return { of(64, 8192), of(128, 4096), of(192, 2730), of(256, 2048) }
  end,
}
