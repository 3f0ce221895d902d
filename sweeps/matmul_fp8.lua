-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp8 (e4m3), C in bf16: sums as the tensor cores keep them, some 14 bits, B lying as n x k, by
-- mma.sync (sm_89), then on Hopper (sm_90a) by wgmma.
return require "kernels.matmul_types" "fp8"
