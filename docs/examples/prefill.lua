-- SPDX-License-Identifier: Apache-2.0
-- One operation whose energy is in the recording: every figure of a mix is there.
return mix {
  name = "prefill of 4096 tokens, the largest layer",
  unit = "token",
  per = 4096,
  { "linear_fp16", { m = 4096, n = 16384 }, count = 80 },
  prices = { currency = "EUR", date = "2026-11", years = 4, kwh = 0.30, devices = { ["NVIDIA H200"] = 32000 } },
}
