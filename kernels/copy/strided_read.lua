-- SPDX-License-Identifier: Apache-2.0
-- y[i] = x[i * stride]. Work is what is used: 4 bytes read and 4 written an output. Traffic is what has to move for it:
-- memory is fetched in pieces of 64 bytes and passes L2 in sectors of 32, so the waste grows until stride 16 and 8.
return kernel {
  source = "strided_read.cu",
  entry = "strided_read<BLOCK, ITEMS>",
  problem = { "n", "stride" },
  params = {
    { "BLOCK", 256, "threads a block" },
    { "ITEMS", 1, "loads in flight in a thread" },
  },
  buffers = function(p) return { x = input(f32, (p.n - 1) * p.stride + 1), y = output(f32, p.n) } end,
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.y, i64(p.n), i64(p.stride) }, grid = ceil_div(p.n, c.BLOCK * c.ITEMS), block = c.BLOCK }
  end,
  work = function(p) return { read = 4 * p.n, write = 4 * p.n } end,
  traffic = function(p)
    return {
      dram_read = math.min(4 * p.stride, 64) * p.n,
      dram_write = 4 * p.n,
      l2 = (math.min(4 * p.stride, 32) + 4) * p.n,
    }
  end,
  check = { reference = "strided_read_reference.cu:strided_read_reference", odd = { n = 100003, stride = 3 } },
}
