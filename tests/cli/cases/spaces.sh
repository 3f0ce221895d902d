# SPDX-License-Identifier: Apache-2.0
# Bare spaces: counts, what is wrong with a space, and that texts and functions say the same.
space() { # NAME TUNE WHERE
    printf 'return sweep { tune = { %s }, where = { %s } }\n' "$2" "$3" >"$1.lua"
}
count() { # NAME VALID
    rooftune check "$1.lua" --json -
    expect_status 0
    expect_out "\"valid\":$2,\"exact\":true,\"enumerate_seconds\":"
}
for known in dedispersion:22272:11130 expdist:9732096:294000 hotspot:22200000:349853 gemm_clblast:663552:116928 \
    microhh:1166400:138600 prl_2:36864:1200 prl_4:9437184:10800 prl_8:2415919104:48720; do
    name=${known%%:*}
    rest=${known#*:}
    rooftune check "$SOURCE/tests/bench/spaces/$name.lua" --json -
    expect_status 0
    expect_out "\"configurations\":${rest%:*},\"valid\":${rest#*:},\"exact\":true"
done

# One value, several kinds of parameters, texts and functions.
space one 'A = 7, B = values(1, 2), C = values("half", "float"), D = values(true, false)' \
    '"A > B", function(C, D) return C == "half" or D end'
count one 6
rooftune check one.lua
expect_out 'space: 6 of 8 valid'

# A space of 10^12 is counted exactly; one that cannot be is said to be estimated.
space parts 'A = range(1, 1000), B = range(1, 1000), C = range(1, 1000), D = range(1, 1000), E = values(0, 1)' '"A <= B", "C <= D"'
count parts 501000500000
names=
sum=0
for i in 1 2 3 4 5 6 7 8 9; do
    names="$names P$i = range(0, 19),"
    sum="$sum + P$i * $((i * i * 37 % 101))"
done
space too_large "$names Q = values(0, 1)" "\"($sum) % 101 == 0\""
rooftune check too_large.lua --json -
expect_status 0
expect_out '"exact":false'
expect_err 'warning: sweep too_large: too large to be counted exactly: about .* configurations are valid (estimated: '
rooftune check too_large.lua
expect_out 'space: about .* valid over all problems (estimated: .* of 10000 drawn are valid)'

# Errors: the configuration is named, counted, and the others stay.
space zero 'A = range(1, 4), B = range(0, 2)' '"A % B == 0"'
rooftune check zero.lua
expect_status 0
expect_err "raised an error for 4 sets of values.*the first: A=1 B=0: where \"A % B == 0\":1: attempt to perform 'n%0'"
expect_out 'space: 6 of 12 valid'
space zero_function 'A = range(1, 4), B = range(0, 2)' 'function(A, B) return A % B == 0 end'
rooftune check zero_function.lua
expect_err 'raised an error for 4 sets of values.*the first: A=1 B=0: zero_function.lua:1: attempt to perform'
expect_out 'space: 6 of 12 valid'
space real_zero 'A = range(1, 4), B = range(0, 2)' '"A / B < 3"' # a real division by zero is infinite, no error
count real_zero 6

# Neither true nor false.
space number 'A = range(1, 4)' '"A % 2"'
rooftune check number.lua
expect_error 4 'no configuration is valid: a constraint raises an error: A=1: where "A % 2".*gave 1, not true or false, as in "A % B == 0"'
space nothing 'A = range(1, 4)' 'function(A) local even = A % 2 == 0 end'
rooftune check nothing.lua
expect_error 4 'A=1: nothing.lua:1: the constraint gave nil, not true or false (does it return anything?)'

# Contradictions: only what is needed for one.
space two 'A = range(1, 8), B = range(1, 8)' '"A + B > 3", "A >= 6", "B ~= 2", "A * B < 5", "B > 0"'
rooftune check two.lua
expect_error 4 'no configuration is valid; these constraints contradict each other: A >= 6; A \* B < 5$'
space alone 'A = range(1, 8), B = range(1, 8)' '"A <= B", function(B) return B > 8 end'
rooftune check alone.lua
expect_error 4 'no configuration is valid; this constraint alone leaves nothing: function at alone.lua:1'
space why 'A = range(1, 8)' '"A > 8 -- too small: take larger.lua", "A > 2"'
rooftune check why.lua
expect_error 4 'this constraint alone leaves nothing: A > 8$'
expect_err 'remedy: too small: take larger.lua'

# Lists.
space twice 'A = values(1, 2, 1)' ''
rooftune check twice.lua
expect_error 3 'sweep.tune.A.*the value is there twice'
space mixed 'A = values(1, "half")' ''
rooftune check mixed.lua
expect_error 3 'sweep.tune.A.*cannot be mixed in one list'
space unknown 'A = values(1, 2)' '"A < BB"'
rooftune check unknown.lua
expect_error 3 'sweep.where.*no parameter or dimension is named "BB"'
printf 'local list = {}\nfor i = 1, 5000 do list[i] = i %% 4999 end\nreturn sweep { tune = { A = values(list) } }\n' >far.lua
rooftune check far.lua
expect_error 3 'sweep.tune.A\[5000\].*the value is there twice'
