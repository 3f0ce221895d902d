return sweep {
  kernel = kernel {
    source = "/dev/null", entry = "k", problem = { "n" },
    buffers = function(p)
      return { a = input(i32, p.n + 1, from "/dev/null:ns::rows<int>"), y = output(f32, p.n),
               b = input(f32, p.n, from { "/dev/null:b", args = { "a", i64(p.n), "c" }, grid = { 1, 2 }, block = 3 }),
               c = inout(u8, p.n, from { "/dev/null:c", args = { "a" }, options = { "-DX=1" } }) }
    end,
    constants = { d = input(f32, 4, from { "/dev/null:d", args = { "b" } }) },
    launch = function(p, c, gpu, b) return { args = { b.a, b.b, b.c, b.y }, grid = 1, block = 1 } end,
    work = function(p) return { bytes = pcall(file, "/dev/null") and 1 or p.n } end,
    check = { reference = "/dev/null:r" },
  },
  over = { n = values(17, 1024) },
}
