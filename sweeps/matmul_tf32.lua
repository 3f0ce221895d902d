-- SPDX-License-Identifier: Apache-2.0
-- C = A B in TF32: fp32 as read by tensor cores, B lying as n x k, by mma.sync, then on Hopper (sm_90a) by wgmma.
return require "kernels.matmul_types" "tf32"
