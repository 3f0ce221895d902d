-- SPDX-License-Identifier: Apache-2.0
-- index[0] = where the largest of n floats is, the first of equal ones.
return kernel {
  name = "argmax",
  source = "argmax.cu",
  entry = "argmax_keys<BLOCK, ITEMS>",
  problem = { "n" },
  params = {
    { "BLOCK", 256, "threads a block" },
    { "ITEMS", 4, "16-byte loads in flight in a thread" },
    { "PER_SM", 4, "blocks an SM" },
  },
  buffers = function(p)
    return {
      x = input(f32, p.n, uniform(-1000, 1000)),
      index = output(i32, 1),
      best = temp(u64, 1),
      done = temp(u32, 1),
    }
  end,
  prepare = function(p, c, gpu, b) return { memset(b.best, 0), memset(b.done, 0) } end,
  launch = function(p, c, gpu, b)
    return {
      args = { b.x, b.index, b.best, b.done, i64(p.n) },
      grid = math.min(math.max(1, p.n // (4 * c.BLOCK * c.ITEMS)), gpu.sms * c.PER_SM),
      block = c.BLOCK,
    }
  end,
  work = function(p) return { fp32 = p.n, read = 4 * p.n, write = 4 } end,
  check = { reference = { "argmax_reference.cu:argmax_reference", grid = 1, block = 1024 } },
}
