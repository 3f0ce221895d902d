# SPDX-License-Identifier: Apache-2.0
write_saxpy
mkdir kernels && mv saxpy_kernel.lua saxpy.cu saxpy_reference.cu kernels/
# bad NAME STATUS PATTERN BODY: the sweep is refused with the pattern in its message.
bad() {
    printf '%s\n' "$4" >"$1.lua"
    rooftune check "$1.lua" --sample 0
    [ "$status" = "$2" ] || fail "$1: expected exit status $2, got $status"
    grep -q -e "$3" err || fail "$1: stderr lacks: $3"
}
k='local k = require "kernels.saxpy_kernel"'
bad syntax 3 'syntax.lua:2' 'return sweep {
  over = = 3 }'
bad runtime 3 'runtime.lua:2' 'local t = nil
return t.x'
bad runtime 3 'traceback' 'local function f() local t = nil; return t.x end
return f()'
bad unknown_key 3 'did you mean "over"' "$k return sweep { kernel = k, ovr = { n = values(1) } }"
bad wrong_type 3 'tune' "$k return sweep { kernel = k, over = { n = values(4) }, tune = 7 }"
bad empty_axis 4 'over.n' "$k return sweep { kernel = k, over = { n = values() } }"
bad unknown_parameter 3 'did you mean "BLOCK"' "$k return sweep { kernel = k, over = { n = values(4) }, tune = { VEC = values(1, 2) }, where = { function(BLCK) return true end } }"
bad nothing_left 4 'no configuration is valid' "$k return sweep { kernel = k, over = { n = values(4) }, tune = { VEC = values(1, 2) }, where = { function(VEC) return VEC > 4 end } }"
bad varargs 3 'varargs' "$k return sweep { kernel = k, over = { n = values(4) }, where = { function(...) return true end } }"
bad endless 3 'limit' 'while true do end'
bad pattern 3 'pattern' 'string.find(("a"):rep(20000), "a-a-a-a-b") return sweep {}'
bad memory 3 'memory' 'local t = {} while true do t[#t + 1] = ("x"):rep(1000000) end'
bad no_io 3 'io' 'io.open("/etc/passwd") return sweep {}'
sed 's/saxpy.cu"/sxpy.cu"/' kernels/saxpy_kernel.lua >kernels/missing.lua
bad missing_source 5 'sxpy.cu' 'return sweep { kernel = require "kernels.missing", over = { n = values(4) } }'
rooftune check not_there.lua
expect_status 11
expect_err 'not_there.lua'
