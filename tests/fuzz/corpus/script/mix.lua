return mix { name = "d", unit = "token", per = 2, { "gemv", { n = 8, s = "x", t = true }, count = 0.5 },
  prices = { currency = "EUR", date = "2026-11-21", kwh = 0.3, years = 4, devices = { ["NVIDIA H200"] = 32000 } },
  names = { ["GPU-1"] = "rack" }, remarks = { "r" } }
