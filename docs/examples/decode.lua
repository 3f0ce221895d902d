-- SPDX-License-Identifier: Apache-2.0
-- A made-up decoder of 80 layers with square weights, 32 sequences at once: what a token costs, as far as the linear
-- layers and the copies between them go.
--   rooftune run --mix docs/examples/decode.lua --package decode.tar.gz
--   rooftune report linear_fp16.db copy_scale.db --mix docs/examples/decode.lua
return mix {
  name = "decoder of 80 layers, batch 32",
  unit = "token",
  per = 32,
  sweeps = { "linear_fp16.lua", "copy_scale.lua" },
  { "linear_fp16", { m = 32, n = 8192, k = 8192 }, count = 4 * 80 },
  { "linear_fp16", { m = 32, n = 16384, k = 16384 }, count = 2 * 80 },
  { "copy_scale_fp16", { n = 2097152 }, count = 80 },
  prices = {
    currency = "EUR",
    date = "2026-11",
    years = 4,
    kwh = 0.30,
    devices = { ["NVIDIA H200"] = 32000, ["NVIDIA H100 80GB HBM3"] = 26000 },
  },
  names = { ["NVIDIA H200"] = "the one that is lent" },
  remarks = { "Prices are made up, and stand here so that the arithmetic can be seen." },
}
