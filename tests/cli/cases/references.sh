# SPDX-License-Identifier: Apache-2.0
# References: launched as the script says, several launches with scratch, a variant; what is wrong with one is told.
cat >k.cu <<'CU'
extern "C" __global__ void scale(const float *x, float *y, long long n) {
    __shared__ float row[BLOCK];
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    row[threadIdx.x] = i < n ? x[i] : 0;
    if (i < n) y[i] = row[threadIdx.x] * order;
}
extern "C" __global__ void in_one_file(const float *x, double *y, long long n) {}
CU
cat >r.cu <<'CU'
extern "C" __global__ void plain(const float *x, double *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * order;
}
extern "C" __global__ void both(const float *x, double *y, long long which, long long n) {}
extern "C" __global__ void more(const float *x, double *y, long long which, long long n, long long m) {}
extern "C" __global__ void sum(const float *x, double *s) {}
extern "C" __global__ void spread(const double *s, double *y) {}
CU
echo 'extern "C" __global__ void named(const float *x, double *y, long long order, long long n) {}' >named.cu
# of REFERENCE: of.lua, a sweep with it; `order` is compiled and comes first.
of() {
    cat >of.lua <<LUA
local function k(name, reference)
  return kernel {
    name = name, source = "k.cu", entry = "scale", problem = { "order", "n" }, compiled = { "order" },
    params = { { "BLOCK", 256 } },
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
    end,
    work = function(p) return { bytes = 8 * p.n } end,
    check = { reference = reference },
  }
end
return sweep {
  variants = { { "first", kernel = k("a", $1) }, { "other", kernel = k("b", ${2:-\"r.cu:plain\"}) } },
  over = { n = values(1024), order = values(1, 2) },
  tune = { BLOCK = values(64, 128) },
  ${3:-}
}
LUA
}
check() { of "$@"; rooftune check of.lua --sample 1; }

# What the script alone tells.
export RFT_NVRTC=off
check '{ "r.cu:plain", grid = 0 }'
expect_error 3 'check.reference.grid: 0 is outside'
check '{ "r.cu:plain", gird = 3 }'
expect_error 3 'check.reference.gird: unknown key, did you mean "grid"'
check '{ "r.cu:plain", block = "256" }'
expect_error 3 'drop the quotes: 256'
check '{ "r.cu:plain", grid = function(p) return p.m end }'
expect_error 3 'p.m: unknown name'
check '{ "r.cu", grid = 3 }'
expect_error 3 'expected "FILE.cu:NAME", got "r.cu"'
check '"first"'
expect_error 3 'or variant "NAME" of the sweep'
check '{ "r.cu:sum", launch = function(p, c, gpu, b) return { grid = c.BLOCK, block = 1 } end }'
expect_error 3 'a reference is the same for all configurations'
check '{ "r.cu", launch = function(p, c, gpu, b) return { grid = 1, block = 1 } end }'
expect_error 3 'each launch names its kernel'
check '{ "r.cu:sum", launch = function(p, c, gpu, b) return { grid = 1, block = 1, work = {} } end }'
expect_error 3 'check.reference.work: a reference is not measured'
check '{ "r.cu:sum", launch = function(p, c, gpu, b) return memset(b.y, 0) end }'
expect_error 3 'no kernel is launched'
check '{ "r.cu:sum", launch = function(p, c, gpu, b) return { grid = 1, block = 1 } end, grid = 3 }'
expect_error 3 'each launch has its own grid, block and shared'
check '{ "r.cu:sum", buffers = function(p) return { s = temp(f64, 1) } end }'
expect_error 3 'add launch = function'
launch='launch = function(p, c, gpu, b) return { grid = 1, block = 1 } end'
check "{ \"r.cu:sum\", buffers = function(p) return { s = output(f64, 1) } end, $launch }"
expect_error 3 'a reference.s own buffers are temp'
check "{ \"r.cu:sum\", buffers = function(p) return { x = temp(f64, 1) } end, $launch }"
expect_error 3 'the kernel has a buffer of this name'

# Variants: which, at which values; circles.
check '"r.cu:plain"' 'variant "fist"'
expect_error 3 'the sweep has no variant "fist", did you mean "first"'
check '"r.cu:plain"' '{ variant "first", set = { BLOC = 64 } }'
expect_error 3 'variant "first" has no such parameter, did you mean "BLOCK"'
check '"r.cu:plain"' '{ variant "first", set = { BLOCK = 256 } }'
expect_error 3 'check.reference.set.BLOCK: the sweep has no such value'
check '"r.cu:plain"' '{ variant "first", grid = 3 }'
expect_error 3 'a variant brings its own launches'
check 'variant "other"' 'variant "first"'
expect_error 3 'variant "other" is itself compared with variant "first"'
check '"r.cu:plain"' 'variant "first"'
expect_status 0
unset RFT_NVRTC
# Values of one kind.
cat >wide.cu <<'CU'
template <int W> __global__ void wide(const float *x, float *y, long long n) { if (threadIdx.x < n) y[threadIdx.x] = W * x[threadIdx.x]; }
extern "C" __global__ void plain(const float *x, double *y, PLAIN) { if (threadIdx.x < n) y[threadIdx.x] = W * x[threadIdx.x]; }
CU
cat >wide.lua <<'LUA'
local k = kernel {
  source = "wide.cu", entry = "wide<W>", problem = { "n", "W" }, compiled = { "W" },
  buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
  launch = function(p, c, gpu, b) return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 64), block = 64 } end,
  work = function(p) return { bytes = 8 * p.n } end,
  check = { reference = "wide.cu:plain" },
}
return sweep { kernel = k, problems = { { n = 64, W = 2 }, { n = 128, W = arg[1] or 2 } } }
LUA
rooftune check wide.lua -- two
expect_error 3 'wide.lua:8: sweep.problems\[2\].W: a text, and the first problem has a number'
need_nvrtc
# A compiled dimension of one letter is no macro: the reference takes it behind the others.
for params in 'long long n' 'long long W, long long n'; do
    sed "s/PLAIN/$params/" wide.cu >wide_"${#params}".cu
    sed "s/wide.cu:/wide_${#params}.cu:/" wide.lua >wide_"${#params}".lua
done
rooftune check wide_11.lua --sample 1
expect_error 5 'plain does not compile'
expect_out 'rooftune: W is no macro in the reference: it comes as a parameter, long long W'
rooftune check wide_24.lua --sample 1
expect_err '^warning: wide_24.cu: parameter 3 of plain is called W and gets n'

# Without a parameter for the compiled dimension, and with one.
for r in plain both; do
    check "{ \"r.cu:$r\", grid = function(p) return { ceil_div(p.n, 64), p.order } end, block = 32, shared = 128 }"
    expect_status 0
    expect_out "reference r.cu:$r compiles$"
done
check '"r.cu:more"'
expect_error 5 'the reference r.cu:more cannot be launched'
expect_out 'more takes 5 parameters, 4 are given: x, y, one i64, one i64'
check '"named.cu:named"'
expect_error 5 'does not compile'
expect_out 'order is a macro in the reference (-Dorder=2): .* leave the parameter out'
check '"k.cu:in_one_file"'
expect_error 5 'does not compile'
expect_out 'BLOCK is a parameter of the kernel (-DBLOCK=64), and a reference is compiled without them: .* file of its own'

# Launches of their own: each is held to its kernel.
steps() {
    printf '{ "r.cu", buffers = function(p) return { s = temp(%s, 1) } end, launch = function(p, c, gpu, b) return {
    memset(b.s, 0), { entry = "sum", args = { b.x, b.s }, grid = gpu.sms, block = 256 },
    { entry = "spread", args = { b.s, b.y }, grid = 4, block = { 16, 16 } } } end }' "$1"
}
check "$(steps f64)"
expect_status 0
expect_out 'reference r.cu compiles$'
check "$(steps f32)"
expect_status 0 # scratch goes anywhere
check "$(steps f64 | sed 's/b.s, b.y/b.y/')"
expect_error 5 'the reference r.cu cannot be launched'
expect_out 'spread takes 2 parameters, 1 is given: y'
check "$(steps f64 | sed 's/"spread"/"spred"/')"
expect_error 5 'the reference r.cu does not compile'
expect_out 'did you mean spread'

# A variant: told with its configuration, and what verifies it.
check '"r.cu:plain"' '{ variant "first", set = { BLOCK = 128 } }'
expect_status 0
expect_out 'reference variant first (BLOCK=128) compiles; on each problem it is first verified against r.cu:plain$'
rooftune check of.lua --sample 1 --json -
expect_out '"reference":"variant first (BLOCK=128)".*"verified_against":"r.cu:plain"'
check '"r.cu:plain"' 'variant "first"' 'where = { "BLOCK > 64" },'
expect_status 5
expect_out 'variant first (BLOCK=64), the reference, is left out for this problem by BLOCK > 64'
check 'variant "first"' 'variant "first"'
expect_status 0
expect_err 'variant first (BLOCK=64) is the reference, and nothing verifies it: a wrong result of its own passes'
[ "$(grep -c 'nothing verifies it' err)" = 1 ] || fail "told more than once"
expect_out 'reference variant first (BLOCK=64) compiles; nothing verifies it: it is the truth, unverified$'

# What nothing verified is said wherever the results are: in the run file, on the terminal, in JSON, on the page.
if [ -f "$QUICK" ]; then
    of 'variant "first"' 'variant "first"'
    rooftune run of.lua -d "replay:$QUICK" --no-report -o of.db # what it lacks is not measured; the sweep is stored
    rooftune show of.db
    expect_out 'Results are compared with variant first (BLOCK=64), which nothing verifies'
    of '"r.cu:plain"' '{ variant "first", set = { BLOCK = 128 } }'
    rooftune run of.lua -d "replay:$QUICK" --no-report -o good.db
    rooftune show good.db --json -
    expect_out '"name":"of"'
    if grep -q 'unverified_references' out; then fail "a verified variant is told as unverified"; fi
    gzip -dc "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz" |
        sed 's/\("entry":"gemv_naive<BLOCK>","unverified_reference":\)null/\1"variant naive (BLOCK=64)"/' >r.json
    rooftune show r.json
    expect_out 'Results of naive are compared with variant naive (BLOCK=64), which nothing'
    rooftune show r.json --json -
    expect_out '"unverified_references":\[{"variant":"naive","reference":"variant naive (BLOCK=64)"}\]'
    rooftune best r.json
    if grep -q 'nothing verifies' out; then fail "best tells of a variant that it does not name"; fi
    sed 's/\("entry":"gemv_vectorised[^"]*","unverified_reference":\)null/\1"variant naive (BLOCK=64)"/' r.json >b.json
    rooftune best b.json
    expect_out '^  n=2048: vectorised, .* us; compared with variant naive (BLOCK=64), which nothing verifies$'
    rooftune best b.json --format header
    expect_out '^/\* n=2048 .*; compared with variant naive (BLOCK=64), which nothing verifies \*/$'
    rooftune best b.json --format lua
    expect_out ', median_s = [0-9.e-]*, unverified_reference = "variant naive (BLOCK=64)" },$'
    rooftune best b.json --json -
    expect_out '"variant":"vectorised","unverified_reference":"variant naive (BLOCK=64)"'
    rooftune report r.json -o r.pdf
    expect_status 0
    if command -v pdftotext >/dev/null; then
        pdftotext -layout r.pdf text
        grep -q 'Results of naive are compared with variant naive' text || fail "the sweep's pages do not say so"
        grep -q 'variant that nothing verifies' text || fail "the method's pages do not say so"
    fi
fi
