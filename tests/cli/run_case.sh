#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_case.sh CASE.sh: runs one case in a scratch folder, with the functions below. A case fails at its first broken
# expectation and shows what the program said. Exit status 77: skipped, with the reason.
set -eu
case_file=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export RFT_CACHE="$scratch/cache" LC_ALL=C
QUICK="$SOURCE/sweeps/recorded/nvidia-h200/quick.json.gz"

fail() {
    echo "FAILED: $*"
    echo "--- status ${status-none}; stdout:"
    head -40 out 2>/dev/null || true
    echo "--- stderr:"
    head -60 err 2>/dev/null || true
    exit 1
}
skip() {
    echo "skipped: $*"
    exit 77
}
# rooftune ARGS...: leaves status, out and err.
rooftune() {
    status=0
    "$ROOFTUNE" "$@" >out 2>err </dev/null || status=$?
}
expect_status() { [ "$status" = "$1" ] || fail "expected exit status $1, got $status"; }
# The last command failed as it should: this exit status, this in its message, and a remedy.
expect_error() {
    expect_status "$1"
    expect_err "$2"
    grep -q '^  remedy: .' err || fail "stderr names no remedy"
}
expect_out() { grep -q -e "$1" out || fail "stdout lacks: $1"; }
expect_err() { grep -q -e "$1" err || fail "stderr lacks: $1"; }
# In columns, not bytes: [FILE] has no line that does not fit a terminal.
expect_narrow() { [ "$(LC_ALL=C.UTF-8 wc -L <"${1:-out}")" -le 80 ] || fail "wider than 80 columns"; }
expect_file() { [ -s "$1" ] || fail "no file $1"; }
need_nvrtc() {
    rooftune devices
    grep -q '^  NVRTC: no,' out && skip "no NVRTC here"
    return 0
}
# And what its replay compiles, which half of the time of such a case went into (RFT_CACHE=off: compile it again).
need_recording() {
    [ -f "$QUICK" ] || skip "no recording of the quick sweep"
    [ ! -d "${QUICK_CUBINS:-}" ] || [ -e "$scratch/cache" ] || cp -a "$QUICK_CUBINS" "$scratch/cache"
}
# A one-kernel sweep's files, whose pieces a case can break: kernels/saxpy_kernel.lua and what it names.
write_saxpy() {
    mkdir -p kernels
    (cd kernels && write_saxpy_files)
}
# sweep NAME FIELDS: writes NAME.lua, a sweep of the saxpy kernel with these fields.
sweep() { printf 'return sweep { kernel = require "kernels.saxpy_kernel", %s }\n' "$2" >"$1.lua"; }
write_saxpy_files() {
    cat >saxpy.cu <<'CU'
template <int VEC> __global__ void saxpy(const float *x, float *y, float a, long long n) {
    long long i = (blockIdx.x * (long long)BLOCK + threadIdx.x) * VEC;
    for (int k = 0; k < VEC && i + k < n; k++) y[i + k] += a * x[i + k];
}
CU
    cat >saxpy_reference.cu <<'CU'
extern "C" __global__ void saxpy_reference(const float *x, double *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] += 2.0 * x[i];
}
CU
    cat >saxpy_kernel.lua <<'LUA'
return kernel {
  source  = "saxpy.cu",
  entry   = "saxpy<VEC>",
  problem = { "n" },
  params  = { { "VEC", 1, "floats per thread" }, { "BLOCK", 256, "threads per block" } },
  buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n) } end,
  launch  = function(p, c, gpu, b)
    return { args = { b.x, b.y, f32(2.0), i64(p.n) }, grid = ceil_div(p.n, c.BLOCK * c.VEC), block = c.BLOCK }
  end,
  work    = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end,
  check   = { reference = "saxpy_reference.cu:saxpy_reference" },
}
LUA
}
# `$slowly rooftune ...`: on one core, so that a large machine does not finish before it is stopped.
core=$(taskset -cp $$ 2>/dev/null | sed -n 's/.*: \([0-9]*\).*/\1/p')
slowly=${core:+taskset -c $core}
# The processes that still run of those that were started with CASE_OF=$scratch.
left_over() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2>/dev/null)" = "$(readlink -f "$ROOFTUNE")" ] || continue
        grep -q "CASE_OF=$scratch" "$process/environ" 2>/dev/null && echo "${process#/proc/}"
    done
    return 0
}
expect_none_left() {
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$(left_over)" ] || return 0
        sleep 0.2
    done
    fail "processes were left behind: $(left_over)"
}
. "$case_file"
