-- SPDX-License-Identifier: Apache-2.0
local shared = { 1, 2.5, 1e300 }
return {
  list = shared,
  again = shared,
  nested = { b = true, a = "quote \" and \\ and \n", c = {} },
  big = 2 ^ 40,
  none = 0 / 0,
  mix = mix { name = "decode", unit = "token", per = 32, { "gemv", { m = 1, n = 2 }, count = 160 }, { "copy", {}, count = 1 } },
}
