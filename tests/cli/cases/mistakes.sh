# SPDX-License-Identifier: Apache-2.0
# Mistakes of a first sweep, each one line of docs/examples/saxpy: `check` tells place, cause and remedy without a GPU.
# What it cannot tell is in tests/gpu/gpu_mistakes.c.
cp "$SOURCE/docs/examples/saxpy.lua" good.lua
cp "$SOURCE/docs/examples/saxpy.cu" good.cu
# edited FILE LINE TEXT: the file with the text in place of the line; LINE+ puts it before the line.
edited() {
    case $2 in
    *+) awk -v n="${2%+}" -v t="$3" 'NR == n { print t } { print }' "$1" ;;
    *) awk -v n="$2" -v t="$3" 'NR == n { $0 = t } { print }' "$1" ;;
    esac
}
# mistake NAME STATUS LINE TEXT CAUSE REMEDY [OPTION...]: LINE of saxpy.lua, or cuLINE of saxpy.cu. The cause, with its
# place, stands on stderr or stdout, the remedy on stderr.
mistake() {
    name=$1 wanted=$2 line=$3 text=$4 cause=$5 remedy=$6
    shift 6
    cp good.lua saxpy.lua
    cp good.cu saxpy.cu
    case $line in
    cu*) edited good.cu "${line#cu}" "$text" >saxpy.cu ;;
    *) edited good.lua "$line" "$text" >saxpy.lua ;;
    esac
    rooftune check saxpy.lua "$@"
    [ "$status" = "$wanted" ] || fail "$name: expected exit status $wanted, got $status"
    cat out err >said
    grep -q -e "$cause" said || fail "$name: nothing says: $cause"
    grep '^  remedy: ' err | grep -q -e "$remedy" || fail "$name: no remedy says: $remedy"
}
# Of what follows nothing is compiled.
script() { mistake "$1" 3 "$2" "$3" "$4" "$5"; }
script key_typo 20 'ovr = { n = values(1) },' 'saxpy.lua:20: sweep.ovr: unknown key, did you mean "over"?' 'known: name, kernel'
script launch_key_typo 14 'blocksize = 1,' 'saxpy.lua:14: launch.blocksize: unknown key, did you mean "block"?' 'known: entry, args'
script tune_unknown 21 'tune = { VECT = values(1) },' 'saxpy.lua:21: sweep.tune.VECT: .* no such parameter, did you mean "VEC"?' 'known: VEC, BLOCK$'
script where_unknown 21+ 'where = { "VEC * BLOK <= 2048" },' 'saxpy.lua:21: sweep.where\[1\]: .*"BLOK", did you mean "BLOCK"?' 'known: VEC, BLOCK, n, gpu'
script no_return 3 'local s = sweep {' 'saxpy.lua: the file returns nothing' 'return sweep'
script launch_no_return 11 'local l = {' 'saxpy.lua:10: launch: .*is return forgotten?' 'return { ... }'
script wrong_axis 13 'grid = p.m,' 'saxpy.lua:13: p.m: unknown name' 'known: n$'
mistake no_reference_file 5 18 'check = { reference = "saxpi.cu:saxpy_reference" },' 'saxpy.lua:18: kernel.check.reference: there is no file saxpi.cu' 'relative to the file'
script grid_zero 13 'grid = p.n // 2^40,' 'saxpy.lua:13: for n=1048576 VEC=1 BLOCK=256: launch.grid: 0 is outside' 'ceil_div() rounds up'
script string_number 21 'tune = { BLOCK = values("128", "256") },' 'saxpy.lua:21: sweep.tune.BLOCK: .*of another kind' 'drop the quotes: 128'
script string_mixed 21 'tune = { BLOCK = values("128", 256) },' 'saxpy.lua:21: sweep.tune.BLOCK\[2\]: .*cannot be mixed' 'drop the quotes: 128'
script untyped_scalar 12 'args = { b.x, b.y, 2.0, i64(p.n) },' 'saxpy.lua:12: launch.args\[3\]: a plain number has no type' 'write i32(...), i64(...)'
script buffer_typo 12 'args = { b.x, b.z },' 'saxpy.lua:12: b.z: unknown name' 'known: x, y$'
script pow2_exponents 20 'over = { n = pow2_values(20, 28) },' 'saxpy.lua:20: pow2_values: .*powers of two' 'values, not exponents'
mistake contradiction 4 21+ 'where = { "VEC > 2", "VEC * BLOCK < 512" },' 'saxpy.lua: .*contradict each other: VEC > 2; VEC \* BLOCK < 512' 'loosen `where`'
script syntax 7 'problem = { "n" }' "saxpy.lua:8: '}' expected (to close '{' at line 4)" 'is a comma missing'
script work_typo 17 'work = function(p) return { fp_32 = 2 * p.n } end,' 'saxpy.lua:17: work.fp_32: unknown key, did you mean "fp32"?' 'known: bytes'
script work_missing 17 '' 'saxpy.lua:4: kernel: the key "work" is missing' 'add work = function(p)'
script no_check 18 '' 'saxpy.lua:4: kernel: the key "check" is missing' 'no point is timed that was not verified'
script c_in_work 17 'work = function(p, c) return { fp32 = c.VEC * p.n } end,' "saxpy.lua:17: .*nil value (local 'c')" 'belongs in traffic'
script type_string 9 'buffers = function(p) return { x = input("f32", p.n) } end,' 'saxpy.lua:9: input.type: expected an element type' 'without quotes'
script single_over 20 'over = { n = 2^20 },' 'saxpy.lua:20: sweep.over.n: expected values' 'with = {'
script global 3+ 'N = 4' 'saxpy.lua:3: "N" would become a global name' 'write "local"'
script strategy 21+ 'search = { strategy = "bayes" },' 'saxpy.lua: .*no search strategy "bayes"' 'known: auto, exhaustive'
script read_file 3+ 'local f = io.open("sizes.csv")' 'saxpy.lua:3: unknown name "io"' 'reads no files'
script environment 3+ 'local n = os.getenv("N")' 'saxpy.lua:3: unknown name "os"' 'read arg\[1\]'
script random 3+ 'local n = math.random(3)' 'saxpy.lua:3: unknown name "math.random"' 'strategy = "random"'
script check_key 18 'check = { reference = "saxpy.cu:saxpy_reference", tolerance = 1e-3 },' 'saxpy.lua:18: kernel.check.tolerance: unknown key, did you mean "tol"?' 'OUTPUT = { tol'
mistake where_nil 4 21+ 'where = { function(VEC) local ok = VEC > 1 end },' 'saxpy.lua:21: the constraint gave nil' 'true or false for all values'
script where_equal 21+ 'where = { "VEC = 4" },' 'saxpy.lua:21: sweep.where\[1\]: "VEC = 4" is a statement' 'compare with =='
script where_and 21+ 'where = { "VEC > 1 && BLOCK > 128" },' 'saxpy.lua:21: sweep.where\[1\]: not valid Lua' 'write and'
script where_not_equal 21+ 'where = { "VEC != 1" },' 'saxpy.lua:21: sweep.where\[1\]: not valid Lua' 'write ~='
script where_string 21+ 'where = "VEC > 1",' 'saxpy.lua:21: sweep.where: expected a table, got the text "VEC > 1"' 'where = { "VEC'
mistake empty 4 21 'tune = { VEC = values() },' 'saxpy.lua:21: sweep.tune.VEC: the list of values is empty' 'at least one value'
script range_step 21 'tune = { VEC = range(1, 4, 0) },' 'saxpy.lua:21: range: the step must be greater than 0' 'from, to, step'
script budget 21+ 'search = { budget = "ten minutes" },' 'saxpy.lua:21: sweep.search.budget: "ten minutes" is no budget' '(gpu:30s)'
script missing_axis 20 'over = {},' "saxpy.lua:3: sweep: the problem's dimension \"n\" has no value" 'in over = {'
script check_input 18 'check = { reference = "saxpy.cu:saxpy_reference", x = { tol = 1 } },' 'saxpy.lua:4: check.x: no output buffer' 'known: y$'
script refine_param 21 'tune = { VEC = refine(values(1, 2), 2) },' 'saxpy.lua:21: sweep.tune.VEC: refine() is for the dimensions' 'all its values'
script problem_string 7 'problem = "n",' 'saxpy.lua:7: kernel.problem: expected a table' 'problem = { "n" }'
script params_flat 8 'params = { "VEC", "BLOCK" },' 'saxpy.lua:8: kernel.params\[1\]: expected a table' 'params = { { "VEC"'
script params_map 8 'params = { VEC = 1, BLOCK = 256 },' 'saxpy.lua:8: kernel.params: expected a list .*it has the key' 'params = { { "VEC"'
script launch_order 10 'launch = function(p, c, b)' 'saxpy.lua:12: gpu.x: unknown name; by its position the parameter is gpu' '(p, c, gpu, b)'
script launch_short 10 'launch = function(p)' 'saxpy.lua:12: unknown name "b"' 'function(p, c, gpu, b)'
script not_declared 6 'entry = saxpy,' 'saxpy.lua:6: unknown name "saxpy"' 'a text stands in quotes'
script dots 21 'tune = { VEC = 1..4 },' 'saxpy.lua:21: malformed number' 'range(1, 4, 1)'
script twice 21 'tune = { VEC = values(1, 1) },' 'saxpy.lua:21: sweep.tune.VEC\[2\]: the value is there twice' 'leave one of the two out'
script size_text 20 'over = { n = values("2^20") },' 'saxpy.lua:20: sweep.over.n: a dimension with texts must be compiled' 'without quotes: 2^20'
script buffers_list 9 'buffers = function(p) return { input(f32, p.n) } end,' 'saxpy.lua:9: buffers: expected NAME = input(...), got a list' 'x = input(f32'
script python_list 20 'over = { n = [2^20, 2^24] },' 'saxpy.lua:20: unexpected symbol' 'values to try: values(1, 2, 4)'
script comment 20+ '// sizes' 'saxpy.lua:20: unexpected symbol' 'a comment begins with --'
script quoted_number 12 'args = { b.x, b.y, f32("2.0"), i64(p.n) },' 'saxpy.lua:12: f32: expected a number' 'drop the quotes: 2.0'
script block_zero 14 'block = c.BLOCK // 1000,' 'saxpy.lua:14: for n=1048576 VEC=1 BLOCK=256: launch.block: 0 is outside' 'block = c.BLOCK'
script along 21+ 'along = "m",' 'saxpy.lua:21: sweep.along: .*no dimension "m"' 'known: n$'
script wrong_field 17 'works = 1,' 'saxpy.lua:17: kernel.works: unknown key, did you mean "work"?' 'known: name, source'
script no_kernel 4 'kernl = kernel {' 'saxpy.lua:4: sweep.kernl: unknown key, did you mean "kernel"?' 'known: name, kernel'
script kernel_not_called 4 'kernel = {' 'saxpy.lua:4: sweep.kernel: expected kernel {' 'kernel = kernel {'
script odd_unknown 18 'check = { reference = "saxpy.cu:saxpy_reference", odd = { m = 1021 } },' 'saxpy.lua:18: kernel.check.odd.m: no dimension' 'known: n$'
script odd_number 18 'check = { reference = "saxpy.cu:saxpy_reference", odd = 1021 },' 'saxpy.lua:18: kernel.check.odd: expected a table, got 1021' 'odd = false'
script plain_list 21 'tune = { VEC = { 1, 2, 4 } },' 'saxpy.lua:21: sweep.tune.VEC: expected values' 'write values(1, 2, 4)'
script colon 6 'entry: "saxpy<VEC>",' 'saxpy.lua:6: <name> expected' 'followed by =, not by a colon'
script where_or 21+ 'where = { "VEC > 1 || BLOCK > 128" },' 'saxpy.lua:21: sweep.where\[1\]: not valid Lua' 'write or'
script where_in 21+ 'where = { "VEC in (1, 2)" },' 'saxpy.lua:21: sweep.where\[1\]: not valid Lua' 'write VEC == 1 or VEC == 2'
script where_lambda 21+ 'where = { "lambda VEC: VEC > 1" },' 'saxpy.lua:21: sweep.where\[1\]: not valid Lua' 'a function is written function(VEC'
script where_ternary 21+ 'where = { "VEC > 1 ? BLOCK < 256 : true" },' 'saxpy.lua:21: sweep.where\[1\]: not valid Lua' 'A and B or C for A ? B : C'
script where_prefix 21+ 'where = { "c.VEC > 1" },' 'saxpy.lua:21: .*dimension is named "c"' 'no c. or p.'
script where_max 21+ 'where = { "max(VEC, BLOCK) <= 256" },' 'saxpy.lua:21: .*dimension is named "max"' 'write math.max'
mistake where_between 4 21+ 'where = { "1 <= VEC <= 4" },' 'attempt to compare boolean with number' '1 <= VEC and VEC <= 4'
mistake where_not 4 21+ 'where = { "not VEC == 1" },' 'this constraint alone leaves nothing: not VEC == 1' 'write A ~= B'
script numbers_in_text 21 'tune = { VEC = "1,2,4" },' 'saxpy.lua:21: sweep.tune.VEC: .*of another kind' 'as a list: values(1,2,4)'
script types_in_one 8 'params = { { "VEC", 1 }, { "BLOCK", 256 }, { "TYPE", ctype("float", "half") } },' 'saxpy.lua:8: ctype: one type at a time, 2 are given' 'values(ctype "float", ctype "half")'
script one_letter 8 'params = { { "VEC", 1 }, { "BLOCK", 256 }, { "T", ctype "float" } },' 'saxpy.lua:8: .*"T" is too short' 'entry = "scale<TYPE>"'
script option_of_param 7 'problem = { "n" }, options = { "-DBLOCK=64" },' 'options\[1\]: -DBLOCK=64 defines BLOCK again' '`tune`, or `over`, gives its value'
script with_p 20 'over = { n = values(1024) }, with = { k = p.n },' 'saxpy.lua:20: unknown name "p"' 'with = { k = function(p)'
script iterations 21+ 'measure = { iterations = 7 },' 'saxpy.lua:21: sweep.measure.iterations: unknown key, did you mean "min_samples"?' 'known: cache'
script per_cent 21+ 'search = { goal = "95%" },' 'saxpy.lua:21: sweep.search.goal: expected a number' 'goal = 0.95'
script fill_number 9 'buffers = function(p) return { x = input(f32, p.n, 0.5) } end,' 'saxpy.lua:9: input.fill: expected uniform' 'uniform(0.5, 0.5) is 0.5 everywhere'
script pointer_arithmetic 12 'args = { b.x + 4, b.y },' 'saxpy.lua:12: attempt to perform arithmetic' 'b.x:offset(bytes)'
script typographic 6 'entry = “saxpy”,' "saxpy.lua:6: unexpected symbol near '<.226>'" 'not of ASCII'
# The endless script is in endless_script.sh: it takes its time.

# What is declared, without compiling.
mistake work_zero 0 17 'work = function(p) return { fp32 = 0, bytes = 0 } end,' 'saxpy.lua:4: work of variant saxpy is nothing' 'give what the problem needs' --sample 0
mistake work_empty 0 17 'work = function(p) return { } end,' 'saxpy.lua:4: work of variant saxpy is nothing' 'give what the problem needs' --sample 0
need_nvrtc

# Between script and code. The values are few so that little is compiled.
sed -i '20s/.*/  over = { n = values(2^20, 2^28) },/; 21s/.*/  tune = { VEC = values(1, 2), BLOCK = values(128, 256) },/' good.lua
source() { mistake "$1" 5 "$2" "$3" "$4" "$5"; }
source no_reference_name 18 'check = { reference = "saxpy.cu:saxpy_ref" },' 'saxpy.cu has no kernel saxpy_ref; did you mean' 'correct it, or name another in `check`'
source semicolon cu13 'pack<VEC> py = *reinterpret_cast<pack<VEC> *>(y + first)' 'saxpy.cu(15): error: expected a ";"' 'the log above'
source reference_type cu28 '__global__ void saxpy_reference(const float *x, float *y, long long n) {' 'argument 2 of saxpy_reference is the buffer y of f64.*: it takes float \*; write double \* there' 'correct it'
source too_few 12 'args = { b.x, b.y, i64(p.n) },' 'saxpy<1> takes 4 parameters, 3 are given: x, y, one i64' 'the log above'
source width 12 'args = { b.x, b.y, f32(2.0), i32(p.n) },' 'argument 4 of saxpy<1> is i32(268435456), 4 bytes: it takes long long, 8 bytes; write i64' 'the log above'
source swapped 12 'args = { b.x, b.y, i64(p.n), f32(2.0) },' 'argument 3 of saxpy<1> .*arguments 3 and 4 are swapped?' 'the log above'
source entry_typo 6 'entry = "sapxy<VEC>",' 'saxpy.cu has no kernel sapxy; did you mean saxpy?' 'the log above'
source no_template 6 'entry = "saxpy",' 'entry "saxpy" does not fit saxpy, .*VEC is a macro here (-DVEC=1), since entry does not name it' 'the log above'
nothing() { mistake "$1" 12 "$2" "$3" "$4" 'what exceeds the device'; }
nothing huge_shared 14 'block = c.BLOCK, shared = 1 * MiB,' 'VEC=1 BLOCK=256 and 3 more  *skipped: dynamic shared memory (bytes) is 1048576, the device allows'
nothing block_too_big 14 'block = 2048,' 'skipped: block.x is 2048, the device allows 1024'
nothing grid_huge 13 'grid = { 1, p.n },' 'skipped: grid.y is 268435456, the device allows 65535'
mistake some_shared 12 14 'block = c.BLOCK, shared = (c.BLOCK // 256) * MiB,' 'BLOCK=256 and 1 more  *skipped: dynamic shared memory' 'by `where`' --strict

# Warnings: nothing fails, and --strict takes them as failures.
warning() {
    mistake "$1" 12 "$2" "$3" "$4" "$5" --strict
    mistake "$1" 0 "$2" "$3" "^warning: $4" "$5"
}
warning reference_without_n cu28 '__global__ void saxpy_reference(const float *x, double *y) { const long long n = 1 << 20;' "saxpy.cu: the reference saxpy_reference does not take the problem's n" 'long long'
warning one_too_many 12 'args = { b.x, b.y, f32(2.0), i64(p.n), i32(1) },' 'saxpy.lua:4: variant saxpy: saxpy<1> takes 4 parameters, 5 are given: argument 5, one i32, is never read' 'take it out of `args`'
warning bytes_are_elements 17 'work = function(p) return { fp32 = 2 * p.n, bytes = p.n } end,' 'saxpy.lua:4: variant saxpy: work declares 268 MB, which is the number of elements of y: they take 4 bytes each' 'times their size'
warning output_is_read 9 'buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,' 'saxpy.lua:4: variant saxpy: work declares 3.22 GB, and reading and writing each buffer once is 2.15 GB' 'an output read first (inout)?'
warning buffer_short 9 'buffers = function(p) return { x = input(f32, p.n // 2), y = inout(f32, p.n) } end,' 'saxpy.lua:4: variant saxpy: work declares 3.22 GB, and reading and writing each buffer once is 2.68 GB' 'is a buffer shorter'
warning outputs_not_written 17 'work = function(p) return { bytes = 3 * p.n } end, buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,' 'saxpy.lua:4: variant saxpy: work declares 805 MB, and the outputs alone are 1.07 GB' 'count what is read and what is written'
mistake output_not_given 5 9 'buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n), z = output(f32, p.n) } end,' '^warning: saxpy.lua:4: variant saxpy: the output z is given to no launch' '`args` of a launch'
expect_err 'saxpy_reference cannot be launched'
warning buffers_swapped 12 'args = { b.y, b.x, f32(2.0), i64(p.n) },' 'saxpy.lua:4: variant saxpy: the output y is only given where a kernel takes a pointer to const' 'are two buffers swapped in `args`?'
sed -i '8s/"threads per block" }/&, { "UNROLL", 4, "unused" }/' good.lua
warning unused_param 21 'tune = { UNROLL = values(1, 4), VEC = values(1, 2), BLOCK = 256 },' 'saxpy.lua:4: variant saxpy: UNROLL changes nothing: 2 values gave the same code and launch (8 pairs looked at)' 'or leave it out of tune'
sed -i '8s/template <int VEC>/template <int VEC, int UNROLL>/' good.cu
sed -i '6s/<VEC>/<VEC, UNROLL>/' good.lua
warning unused_argument 21 'tune = { UNROLL = values(1, 4), BLOCK = 256 },' 'saxpy.lua:4: variant saxpy: UNROLL changes nothing: 2 values gave the same code and launch (4 pairs looked at)' 'or leave it out of tune'
cp "$SOURCE/docs/examples/saxpy.cu" good.cu
cp "$SOURCE/docs/examples/saxpy.lua" good.lua
sed -i '21s/.*/  tune = { VEC = values(2, 4), BLOCK = 1024 },/' good.lua
mistake huge_memory 12 20 'over = { n = values(2^20, 2^40) },' 'nothing of the sample can run for n=1099511627776: needs 20480.0 of 80.0 GiB' 'by `where`' --strict

# What is right is told, too: nothing is tuned; the file itself.
cp good.cu saxpy.cu
sed '21d' good.lua >saxpy.lua
rooftune check saxpy.lua --strict
expect_status 0
expect_out '^  saxpy: 3 of 3 valid over all problems; nothing is tuned$'
edited good.cu 11+ '__shared__ float row[BLOCK]; if (n < 0) y[0] = row[threadIdx.x];' >saxpy.cu
cp good.lua saxpy.lua
rooftune check saxpy.lua --strict
expect_status 0
[ ! -s err ] || fail "a good sweep is warned of"
expect_out '^GPU time: at least [0-9.]* ms by the datasheet'
rooftune check saxpy.lua --json -
expect_out '"gpu_seconds_least":0.0[0-9]*,"warnings":\[\]'
# Nothing of this is to be seen without a launch.
rooftune check "$SOURCE/tests/gpu/sweeps/mistakes.lua" --strict
expect_status 0
