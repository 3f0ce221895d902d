-- SPDX-License-Identifier: Apache-2.0
-- What datasheets say, per device. Dense figures (datasheets print tensor figures with sparsity: halved here), in
-- operations or bytes per second. `match` is part of the device's name, as whole words; the longest match counts.
-- `basis` is the clock at which a figure holds: SMs x width x that clock gives it. Tensor FP16 on GeForce: with FP32
-- accumulation. Only figures that a datasheet or whitepaper of NVIDIA prints; an entry with `match` alone keeps a part
-- that shares another's name from getting that one's figures. Keys: see harness/model/datasheet.h.

local ampere = "A100 datasheet; NVIDIA A100 Tensor Core GPU Architecture"
local hopper = "NVIDIA H100 Tensor Core GPU Architecture"
local geforce30 = "NVIDIA Ampere GA102 GPU Architecture"
local ada = "NVIDIA Ada GPU Architecture"
local rtx_blackwell = "NVIDIA RTX Blackwell GPU Architecture"

local function with(figures, more)
  local entry = {}
  for key, value in pairs(figures) do entry[key] = value end
  for key, value in pairs(more) do entry[key] = value end
  return entry
end

local a100 = {
  source = ampere, basis = "1410 MHz",
  fp64 = 9.7e12, fp32 = 19.5e12, fp16 = 78e12, tensor_fp64 = 19.5e12, tensor_tf32 = 156e12,
  tensor_bf16 = 312e12, tensor_fp16 = 312e12, tensor_int8 = 624e12,
}
local hopper_sxm = {
  basis = "FP32, FP64 at 1980 MHz; tensor at 1830 MHz",
  fp64 = 33.5e12, fp32 = 66.9e12, fp16 = 133.8e12, tensor_fp64 = 66.9e12, tensor_tf32 = 494.7e12,
  tensor_bf16 = 989.4e12, tensor_fp16 = 989.4e12, tensor_fp8 = 1978.9e12, tensor_int8 = 1978.9e12,
}

return {
  with(a100, { match = "A100-SXM4-40GB", name = "A100 SXM 40 GB", dram = 1.555e12 }),
  with(a100, { match = "A100-PCIE-40GB", name = "A100 PCIe 40 GB", dram = 1.555e12 }),
  with(a100, { match = "A100-SXM4-80GB", name = "A100 SXM 80 GB", dram = 2.039e12 }),
  with(a100, { match = "A100 80GB PCIe", name = "A100 PCIe 80 GB", dram = 1.935e12 }),
  {
    match = "A10", name = "A10", source = "NVIDIA A10 datasheet", basis = "1695 MHz",
    dram = 600e9, fp32 = 31.2e12, tensor_tf32 = 62.5e12, tensor_bf16 = 125e12, tensor_fp16 = 125e12,
    tensor_int8 = 250e12,
  },
  {
    match = "A30", name = "A30", source = "NVIDIA A30 datasheet", basis = "1440 MHz",
    dram = 933e9, fp64 = 5.2e12, fp32 = 10.3e12, tensor_fp64 = 10.3e12, tensor_tf32 = 82e12,
    tensor_bf16 = 165e12, tensor_fp16 = 165e12, tensor_int8 = 330e12,
  },
  {
    match = "L4", name = "L4", source = "NVIDIA L4 datasheet", basis = "2040 MHz",
    dram = 300e9, fp32 = 30.3e12, tensor_tf32 = 60e12, tensor_bf16 = 121e12, tensor_fp16 = 121e12,
    tensor_fp8 = 242.5e12, tensor_int8 = 242.5e12,
  },
  {
    match = "L40S", name = "L40S", source = "NVIDIA L40S datasheet", basis = "2520 MHz",
    dram = 864e9, fp32 = 91.6e12, tensor_tf32 = 183e12, tensor_bf16 = 362e12, tensor_fp16 = 362e12,
    tensor_fp8 = 733e12, tensor_int8 = 733e12,
  },
  with(hopper_sxm, { match = "H100 80GB HBM3", name = "H100 SXM", source = hopper, dram = 3.35e12 }),
  {
    match = "H100 PCIe", name = "H100 PCIe", source = hopper, basis = "FP32, FP64 at 1755 MHz; tensor at 1620 MHz",
    dram = 2.0e12, fp64 = 25.6e12, fp32 = 51.2e12, fp16 = 102.4e12, tensor_fp64 = 51.2e12, tensor_tf32 = 378e12,
    tensor_bf16 = 756e12, tensor_fp16 = 756e12, tensor_fp8 = 1513e12, tensor_int8 = 1513e12,
  },
  {
    match = "H100 NVL", name = "H100 NVL", source = "NVIDIA H100 datasheet", basis = "boost clock",
    dram = 3.9e12, fp64 = 30e12, fp32 = 60e12, tensor_fp64 = 60e12, tensor_tf32 = 417.5e12, tensor_bf16 = 835.5e12,
    tensor_fp16 = 835.5e12, tensor_fp8 = 1670.5e12, tensor_int8 = 1670.5e12,
  },
  with(hopper_sxm, { match = "H200", name = "H200 SXM", source = "NVIDIA H200 datasheet", dram = 4.8e12 }),
  { match = "H200 NVL", name = "H200 NVL" },
  with(hopper_sxm, { match = "GH200 480GB", name = "GH200, 96 GB HBM3", source = "NVIDIA GH200 datasheet",
                     dram = 4.0e12 }),
  with(hopper_sxm, { match = "GH200 144G HBM3e", name = "GH200, 144 GB HBM3e", source = "NVIDIA GH200 datasheet",
                     dram = 4.9e12 }),
  { -- the GPU of an HGX B200, 180 GB
    match = "B200", name = "B200", source = "NVIDIA HGX B200 specifications", basis = "boost clock",
    dram = 7.7e12, fp64 = 37e12, fp32 = 75e12, tensor_fp64 = 37e12, tensor_tf32 = 1100e12, tensor_bf16 = 2250e12,
    tensor_fp16 = 2250e12, tensor_fp8 = 4500e12, tensor_int8 = 4500e12,
  },
  {
    match = "RTX 3090", name = "GeForce RTX 3090", source = geforce30, basis = "1695 MHz",
    dram = 936e9, fp32 = 35.6e12, fp16 = 35.6e12, tensor_tf32 = 35.6e12, tensor_bf16 = 71e12, tensor_fp16 = 71e12,
    tensor_int8 = 284e12,
  },
  { match = "RTX 3090 Ti", name = "GeForce RTX 3090 Ti" },
  {
    match = "RTX 4090", name = "GeForce RTX 4090", source = ada, basis = "2520 MHz",
    dram = 1.008e12, fp32 = 82.6e12, fp16 = 82.6e12, tensor_tf32 = 82.6e12, tensor_bf16 = 165.2e12,
    tensor_fp16 = 165.2e12, tensor_fp8 = 330.3e12, tensor_int8 = 660.6e12,
  },
  { match = "RTX 4090 D", name = "GeForce RTX 4090 D" },
  { match = "RTX 4090 Laptop GPU", name = "GeForce RTX 4090 Laptop" },
  {
    match = "RTX 5090", name = "GeForce RTX 5090", source = rtx_blackwell, basis = "2407 MHz",
    dram = 1.792e12, fp32 = 104.8e12, fp16 = 104.8e12, tensor_tf32 = 104.8e12, tensor_bf16 = 209.5e12,
    tensor_fp16 = 209.5e12, tensor_fp8 = 419e12, tensor_int8 = 838e12,
  },
  { match = "RTX 5090 D", name = "GeForce RTX 5090 D" },
  { match = "RTX 5090 Laptop GPU", name = "GeForce RTX 5090 Laptop" },
  {
    match = "RTX 6000 Ada", name = "RTX 6000 Ada", source = ada, basis = "2505 MHz",
    dram = 960e9, fp32 = 91.1e12, fp16 = 91.1e12, tensor_tf32 = 182.1e12, tensor_bf16 = 364.2e12,
    tensor_fp16 = 364.2e12, tensor_fp8 = 728.5e12, tensor_int8 = 728.5e12,
  },
  {
    match = "RTX PRO 6000 Blackwell Workstation Edition", name = "RTX PRO 6000 Blackwell Workstation",
    source = "NVIDIA RTX PRO 6000 Blackwell datasheet", basis = "boost clock", dram = 1.792e12, fp32 = 125e12,
  },
  {
    match = "RTX PRO 6000 Blackwell Max-Q Workstation Edition", name = "RTX PRO 6000 Blackwell Max-Q",
    source = "NVIDIA RTX PRO 6000 Blackwell datasheet", basis = "boost clock", dram = 1.792e12, fp32 = 110e12,
  },
  {
    match = "RTX PRO 6000 Blackwell Server Edition", name = "RTX PRO 6000 Blackwell Server",
    source = "NVIDIA RTX PRO 6000 Blackwell datasheet", basis = "boost clock", dram = 1.597e12, fp32 = 120e12,
  },
}
