# SPDX-License-Identifier: Apache-2.0
write_saxpy
need_nvrtc
sed -i 's/y\[i + k\] += a/y[i + k] += b/' saxpy.cu
cat saxpy_kernel.lua >k.lua
mkdir kernels && mv k.lua saxpy.cu saxpy_reference.cu kernels/
printf 'return sweep { kernel = require "kernels.k", over = { n = values(4) } }\n' >s.lua
rooftune check s.lua
expect_status 5
expect_out 'compile_failed'
expect_out 'identifier "b" is undefined'
expect_out 'VEC=1 BLOCK=256'
