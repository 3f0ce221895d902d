-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp8 (e4m3), C in bf16: sums as the tensor cores keep them, some 14 bits, B lying as n x k, on Hopper (sm_90a).
return require "kernels.matmul_types" "fp8"
