-- SPDX-License-Identifier: Apache-2.0
-- A ladder for C = A B in fp16 on tensor cores, B lying as n x k: what does each step from wmma on bring?
return require "kernels.matmul_ladder" "fp16"
