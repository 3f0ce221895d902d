# SPDX-License-Identifier: Apache-2.0
# Libraries of CUDA 12 under a program built with CUDA 13's headers, and what a driver that takes no more is told.
[ -f "$FAKE_CUDA/libcuda.so.1" ] || skip "no driver of our own: built without CUDA's headers"
export LD_LIBRARY_PATH="$FAKE_CUDA" FAKE_CUDA=12
unset RFT_NVRTC RFT_CUDA_ROOT CUDA_HOME VIRTUAL_ENV CONDA_PREFIX
# told WORDS: as `devices` tells it, with its lines joined again.
told() {
    rooftune devices
    tr -s ' \n' ' ' <out >flat
    grep -q -e "$1" flat || fail "it does not say: $1"
}
RFT_CUDA_ROOT=/nonexistent told 'what RFT_CUDA_ROOT names: no, /nonexistent is not there'
if ! grep -q 'NVRTC: 12' out; then
    grep -q 'NVRTC: no, .* takes CUDA 12\.4.* remedy: .*nvidia-cuda-nvrtc-cu12' flat || fail "the remedy is not told"
fi
# A folder without any, a library of another machine (RISC-V), one that is switched off, a driver of CUDA 11.
mkdir -p none foreign/lib64
cp "$LD_LIBRARY_PATH/libcuda.so.1" foreign/lib64/libnvrtc.so.12
printf '\363' | dd of=foreign/lib64/libnvrtc.so.12 bs=1 seek=18 conv=notrunc 2>/dev/null
RFT_CUDA_ROOT=$PWD/none RFT_NVRTC=$PWD/foreign RFT_CUPTI=off RFT_CUBLASLT=off told \
    "in $PWD/none is neither NVRTC, CUPTI nor cuBLASLt of a release that the driver takes"
for words in 'RFT_NVRTC names: no, NVRTC cannot be opened: .*/libnvrtc.so.12: not a library for this machine' \
    'CUPTI, for the counters: no, switched off: RFT_CUPTI=off' 'tensor ceilings: no, switched off: RFT_CUBLASLT=off'; do
    grep -q -e "$words" flat || fail "it does not say: $words"
done
# A virtual GPU has no sheet, nor will it have one; what NVRTC 13 compiles for no more is not newer than it.
FAKE_CUDA=volta FAKE_NAME='GRID V100D-32C' told 'datasheet: no, this is a virtual GPU, which shares a card: no sheet tells its rates ceilings'
grep -q 'NVRTC: 12' flat || grep -q 'NVRTC: no' flat ||
    grep -q 'NVRTC for device 0: no, it does not compile for sm_70 any more; .* older CUDA release' flat ||
    fail "an older card is not told"
FAKE_CUDA=old told 'NVRTC: no, .* remedy: update the driver (CUDA 12 needs release 525'
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
# Debian's pip installs into dist-packages, of one of several Pythons.
unset VIRTUAL_ENV
mkdir -p conda/lib/python3.9/site-packages conda/lib/python3.12
ln -s "$wheels" conda/lib/python3.12/dist-packages
export CONDA_PREFIX=$PWD/conda
# A module system's CUDA_HOME with a newer release alone does not hide it.
mkdir -p newer/lib64
touch newer/lib64/libnvrtc.so.13
ln -s libnvrtc.so.13 newer/lib64/libnvrtc.so
CUDA_HOME=$PWD/newer rooftune devices
expect_out 'NVRTC: 12\.'
# A driver that takes both has the newest, but for what is named.
export FAKE_CUDA=
told 'NVRTC: 13\.'
newest=$(sed 's/.*NVRTC: 13[^,]*, \([^ ]*\) .*/\1/' flat)
export RFT_NVRTC=$wheels
told 'NVRTC: 12\.[^,]*, [^ ]*/libnvrtc.so.12 '
CUDA_HOME=$(dirname "$(dirname "$newest")") told 'NVRTC: 12\.[^,]*, [^ ]*/libnvrtc.so.12 '
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
