# SPDX-License-Identifier: Apache-2.0
# Libraries of CUDA 12 under a program built with CUDA 13's headers, and what a driver that takes no more is told.
[ -f "$FAKE_CUDA/libcuda.so.1" ] || skip "no driver of our own: built without CUDA's headers"
export LD_LIBRARY_PATH="$FAKE_CUDA" FAKE_CUDA=12
unset RFT_NVRTC RFT_CUDA_ROOT CUDA_HOME VIRTUAL_ENV CONDA_PREFIX
RFT_CUDA_ROOT=/nonexistent rooftune devices
expect_out 'names: no, /nonexistent is not'
if ! grep -q 'NVRTC: 12' out; then
    tr -s ' \n' ' ' <out >flat # lines are wrapped
    grep -q 'NVRTC: no, .* takes CUDA 12\.4.* remedy: .*nvidia-cuda-nvrtc-cu12' flat || fail "the remedy is not told"
fi
wheels=${RFT_CUDA12_WHEELS:-$SOURCE/build/cuda12-wheels}
[ -d "$wheels/nvidia/cuda_nvrtc" ] || skip "no wheels of CUDA 12 in $wheels"
export RFT_CUDA_ROOT=$wheels
rooftune devices
expect_out 'NVRTC: 12\.'
rooftune check "$SOURCE/sweeps/gemv.lua" --arch sm_90a --sample 2
expect_status 0
expect_out 'compiled [1-9][0-9]*, failed 0'
# A card that came later: the newest PTX that it knows, and that is said.
rooftune check "$SOURCE/sweeps/gemv.lua" --arch sm_110a --sample 1
expect_err 'NVRTC 12.* does not know sm_110a'
# In an activated environment of Python's.
unset RFT_CUDA_ROOT
mkdir -p venv/lib/python3.11
ln -s "$wheels" venv/lib/python3.11/site-packages
export VIRTUAL_ENV=$PWD/venv
rooftune devices
expect_out 'NVRTC: 12\.'
# A module system's CUDA_HOME with a newer release alone does not hide it.
mkdir -p newer/lib64
touch newer/lib64/libnvrtc.so.13
ln -s libnvrtc.so.13 newer/lib64/libnvrtc.so
CUDA_HOME=$PWD/newer rooftune devices
expect_out 'NVRTC: 12\.'
# A driver that takes both has the newest, but for what is named.
export FAKE_CUDA=
rooftune devices
expect_out 'NVRTC: 13\.'
export RFT_NVRTC=$wheels
rooftune devices
expect_out 'NVRTC: 12\.'
# cooperative_groups.h needs CCCL's headers, which are a wheel of their own.
if [ ! -d "$wheels/nvidia/cuda_cccl" ]; then
    cat >grouped.cu <<'C'
#include <cooperative_groups.h>
extern "C" __global__ void grouped(float *x) { x[threadIdx.x] = cooperative_groups::this_grid().thread_rank(); }
C
    rooftune new grouped.cu --size n=1024
    rooftune check grouped.lua --arch sm_90a
    tr -s ' \n' ' ' <out >flat
    grep -q 'nvidia-cuda-cccl-cu12' flat || fail "the wheel that is missing is not named"
fi
