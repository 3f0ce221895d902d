-- SPDX-License-Identifier: Apache-2.0
-- C = A B of int8 with sums in int32, B lying as n x k, by mma.sync, then on Hopper (sm_90a) by wgmma.
return require "kernels.matmul_types" "int8"
