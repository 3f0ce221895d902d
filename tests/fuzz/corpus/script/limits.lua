return { device = "x", risk = 0.1, limits = {
  { ceiling = "dram_read", at_least = 4.5e12, unit = "B/s", from = "tolerance", cards = 9, spread = 0.003 },
  { sweep = "gemv", problem = { n = 16384, ["end"] = "a" }, at_most = 125e-6, cache = "cold", note = "4.2" } } }
