return sweep { tune = { AA = pow2_values(1, 8), BB = values(true, false) }, where = { "AA > 1 or BB" } }
