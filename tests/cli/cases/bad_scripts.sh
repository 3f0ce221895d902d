# SPDX-License-Identifier: Apache-2.0
# Scripts that are wrong: the message has file and line, the cause and a remedy.
write_saxpy
# bad NAME STATUS PATTERN TEXT: the script is refused with the pattern in the message.
bad() {
    printf '%s\n' "$4" >"$1.lua"
    rooftune check "$1.lua" --sample 0
    expect_error "$2" "$3"
}
k='local k = require "kernels.saxpy_kernel"'
bad syntax 3 'syntax.lua:2: ' 'return sweep {
  over = = 3 }'
bad runtime 3 'runtime.lua:2: ' 'local t = nil
return t.x'
bad called 3 'called.lua:1: ' 'local function f() local t = nil; return t.x end
local function g() return f() + 1 end
return g()'
expect_err 'traceback:'
expect_err 'called.lua:2: in '
bad unknown_key 3 'unknown_key.lua:1: sweep.ovr: unknown key, did you mean "over"' "$k return sweep { kernel = k, ovr = { n = values(1) } }"
bad wrong_type 3 'sweep.tune: expected a table, got 7' "$k return sweep { kernel = k, over = { n = values(4) }, tune = 7 }"
bad empty_axis 4 'sweep.over.n: the list of values is empty' "$k return sweep { kernel = k, over = { n = values() } }"
bad unknown_parameter 3 'sweep.where\[1\].*"BLCK", did you mean "BLOCK"' "$k return sweep { kernel = k, over = { n = values(4) }, tune = { VEC = values(1, 2) }, where = { function(BLCK) return true end } }"
bad unknown_in_text 3 'sweep.where\[1\].*"BLCK", did you mean "BLOCK"' "$k return sweep { kernel = k, over = { n = values(4) }, where = { 'BLCK < 3' } }"
bad nothing_left 4 'no configuration is valid.*function at nothing_left.lua:1' "$k return sweep { kernel = k, over = { n = values(4) }, tune = { VEC = values(1, 2) }, where = { function(VEC) return VEC > 4 end } }"
bad raising 4 'attempt to compare number with nil' "$k return sweep { kernel = k, over = { n = values(4) }, tune = { VEC = values(1, 2) }, where = { function(VEC) return VEC < nil end } }"
bad varargs 3 'sweep.where\[1\]: varargs' "$k return sweep { kernel = k, over = { n = values(4) }, where = { function(...) return true end } }"
bad not_utf8 3 'sweep caf.xe9: name: expected text in UTF-8, found the byte 0xe9' "$k return sweep { name = 'caf\\xe9', kernel = k, over = { n = values(4) } }"
bad pattern 3 'pattern.lua:1: .*pattern' 'string.find(("a"):rep(20000), "a-a-a-a-b") return sweep {}'
bad memory 3 'memory.lua: out of memory' 'local t = {} while true do t[#t + 1] = ("x"):rep(1000000) .. #t end'
bad no_io 3 'no_io.lua:1: unknown name "io"' 'io.open("/etc/passwd") return sweep {}'
bad no_sweep 3 'no_sweep.lua: return: expected sweep' 'return 7'
bad two_values 3 'two_values.lua: the file returns 2 values' 'return 7, 8'
expect_err 'remedy: several sweeps are a list: return {'
bad module_file 3 'require: no file kernels/saxpy_kernel/lua.lua' 'return require "kernels.saxpy_kernel.lua"'
expect_err 'remedy: write the name without .lua'
bad no_module 3 'no_module.lua:1: require: no file kernels/nothing.lua' 'return require "kernels.nothing"'
sed 's/saxpy.cu"/sxpy.cu"/' kernels/saxpy_kernel.lua >kernels/missing.lua
bad missing_source 5 'kernels/missing.lua:2: .*no file .*/kernels/sxpy.cu' 'return sweep { kernel = require "kernels.missing", over = { n = values(4) } }'
sed 's/c.BLOCK \* c.VEC/c.BLCK * c.VEC/' kernels/saxpy_kernel.lua >kernels/misspelt.lua
bad misspelt 3 'kernels/misspelt.lua:8: c.BLCK: unknown name, did you mean "BLOCK"' 'return sweep { kernel = require "kernels.misspelt", over = { n = values(4) } }'
# The Lua way of what other languages write, and what is written in place of a guess; tests/script has them all.
bad ampersands 3 'ampersands.lua:2: ' 'return sweep {
  over = 1 && 2 }'
expect_err 'remedy: write and'
bad strategy 3 'strategy.lua: sweep strategy: search.strategy: no search strategy "bayes"' "$k return sweep { kernel = k, over = { n = values(4) }, search = { strategy = 'bayes' } }"
expect_err 'remedy: known: auto, exhaustive, .*trees'
# A device stands for its architecture, as for `model --devices`.
sweep good 'over = { n = values(4) }'
rooftune check good.lua --arch h200 --sample 0
expect_status 0
expect_out 'for sm_90a cards, with the facts of '
rooftune check good.lua --arch sm_9
expect_error 2 'unknown architecture "sm_9"'
expect_err 'remedy: known architectures: .*; or a device: h200'
rooftune check saxpy.cu
expect_error 3 'saxpy.cu is a kernel.s source, not a sweep'
expect_err 'remedy: name the Lua file that has source = "saxpy.cu"; .*: rooftune new saxpy.cu$'
rooftune check not_there.lua
expect_error 11 'not_there.lua: No such file'
rooftune check .
expect_error 11 'Is a directory'
