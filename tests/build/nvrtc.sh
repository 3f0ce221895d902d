#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvrtc.sh SOURCE BUILD: with CUDA headers found, NVRTC must be found and compile as well. The tests that need it are
# skipped where it is missing; this one fails there, so that a broken installation is not taken for a passed suite.
set -u
said=$(RFT_CACHE=off "$2/rooftune" check "$1/sweeps/copy_scale.lua" --arch sm_90a --sample 1 2>&1)
status=$?
echo "$said"
[ $status -eq 0 ] && echo "$said" | grep -qE 'compiled [1-9][0-9]*, failed 0'
