-- SPDX-License-Identifier: Apache-2.0
-- What datasheets say, per device. Keys: harness/model/roofline/datasheet.h.
--   Rates are per second and dense. Datasheets print tensor figures with 2:4 sparsity: twice these.
--   `match` is part of the device's name, as whole words; the longest match counts. `sms`, `bus_bits` and `dram` tell
--   parts of one name apart: a device with other ones is another part, and gets no figure.
--   `short` picks the part that is meant where people say less than its name.
--   `mhz` is the clock at which FP32 and FP64 figures hold, `tensor_mhz` that of the tensor figures where it is another:
--   SMs x width x that clock gives them. Tensor figures of GeForce parts: with FP32 accumulation (FP16 and FP8).
--   Only figures that a document of NVIDIA prints, except FP32 of parts for which it prints cores and clock alone:
--   cores x 2 x boost clock, which is what its own figures are.

local volta = "NVIDIA Tesla V100 datasheet, 2020; Tesla V100 GPU Architecture, 2017"
local turing = "NVIDIA Turing GPU Architecture, WP-09183, 2018"
local a100 = "NVIDIA A100 datasheet, 2021; A100 Tensor Core GPU Architecture, 2020"
local ga102 = "NVIDIA Ampere GA102 GPU Architecture, V2, 2021"
local ada = "NVIDIA Ada GPU Architecture, V2, 2023"
local hopper = "NVIDIA H100 Tensor Core GPU Architecture, 2022"
local blackwell = "NVIDIA Blackwell Architecture Technical Brief, 2024"
local rtx_blackwell = "NVIDIA RTX Blackwell GPU Architecture, V1, 2025"

local function with(figures, more)
  local entry = {}
  for key, value in pairs(figures) do entry[key] = value end
  for key, value in pairs(more) do entry[key] = value end
  return entry
end

-- Adds the basis of the clock, in words.
local function at(entry)
  if entry.tensor_mhz then
    entry.basis = "FP32, FP64 at " .. entry.mhz .. " MHz; tensor at " .. entry.tensor_mhz .. " MHz"
  elseif entry.mhz then
    entry.basis = entry.mhz .. " MHz"
  else
    entry.basis = "boost clock, not published"
  end
  return entry
end

-- SMs with 128 FP32 lanes: cores x 2 x boost clock.
local function by_cores(entry)
  entry.fp32 = entry.sms * 256e6 * entry.mhz
  return at(entry)
end

-- GeForce: FP16 outside the tensor units runs as FP32; with FP32 accumulation the tensor units run at half rate.
local function geforce(source, name, more)
  return by_cores(with({ match = name, name = "GeForce " .. name, source = source }, more))
end
local function page(name) return "NVIDIA product page of the GeForce " .. name end

-- SMs with 64 FP32 lanes.
local function geforce_16_20(name, sms, mhz, dram, memory, bytes, bits, gbps, watts, part)
  local whole = (name:find "TITAN" and "" or "GeForce ") .. name .. (part or "")
  return at { match = name, name = whole, source = page(name), cc = 75, sms = sms, mhz = mhz, dram = dram,
              memory = memory, memory_bytes = bytes, bus_bits = bits, memory_gbps = gbps, tdp_w = watts,
              fp32 = sms * 128e6 * mhz, pcie = "3.0 x16" }
end

local tu102 = {
  source = turing, cc = 75, sms = 72, mhz = 1770, dram = 672e9, memory = "GDDR6", bus_bits = 384, memory_gbps = 14,
  tdp_w = 260, fp32 = 16.3e12, tensor_fp16 = 130.5e12, tensor_int8 = 261e12, pcie = "3.0 x16",
}
local v100 = {
  source = volta, cc = 70, sms = 80, memory = "HBM2", memory_bytes = 16e9, bus_bits = 4096, memory_gbps = 1.758,
  dram = 900e9, pcie = "3.0 x16",
}
local v100_sxm = with(v100, { mhz = 1530, fp64 = 7.8e12, fp32 = 15.7e12, tensor_fp16 = 125e12, tdp_w = 300,
                              nvlink = 300e9 })
local v100_pcie = with(v100, { mhz = 1380, fp64 = 7e12, fp32 = 14e12, tensor_fp16 = 112e12, tdp_w = 250 })
local ampere = {
  source = a100, cc = 80, sms = 108, mhz = 1410, fp64 = 9.7e12, fp32 = 19.5e12, fp16 = 78e12,
  tensor_fp64 = 19.5e12, tensor_tf32 = 156e12, tensor_bf16 = 312e12, tensor_fp16 = 312e12, tensor_int8 = 624e12,
  bus_bits = 5120, nvlink = 600e9, pcie = "4.0 x16",
}
local hopper_sxm = {
  cc = 90, sms = 132, mhz = 1980, tensor_mhz = 1830,
  fp64 = 33.5e12, fp32 = 66.9e12, fp16 = 133.8e12, tensor_fp64 = 66.9e12, tensor_tf32 = 494.7e12,
  tensor_bf16 = 989.4e12, tensor_fp16 = 989.4e12, tensor_fp8 = 1978.9e12, tensor_int8 = 1978.9e12,
  nvlink = 900e9, pcie = "5.0 x16",
}
-- 132 SMs on a PCIe card; the clocks are not published.
local hopper_nvl = {
  cc = 90, sms = 132, fp64 = 30e12, fp32 = 60e12, tensor_fp64 = 60e12, tensor_tf32 = 417.5e12,
  tensor_bf16 = 835.5e12, tensor_fp16 = 835.5e12, tensor_fp8 = 1670.5e12, tensor_int8 = 1670.5e12,
  pcie = "5.0 x16",
}

return {
  -- Volta: NVRTC 12 compiles for it, 13 does not.
  at(with(v100_sxm, { match = "V100-SXM2-16GB", name = "V100 SXM2, 16 GB" })),
  at(with(v100_sxm, { match = "V100-SXM2-32GB", short = "v100", name = "V100 SXM2, 32 GB", memory_bytes = 32e9 })),
  at(with(v100_pcie, { match = "V100-PCIE-16GB", name = "V100 PCIe, 16 GB" })),
  at(with(v100_pcie, { match = "V100-PCIE-32GB", name = "V100 PCIe, 32 GB", memory_bytes = 32e9 })),

  -- Turing. Of the Quadros and T4 tensor figures are whole, of GeForce with FP32 accumulation, at half the rate.
  at { match = "T4", name = "T4", source = "NVIDIA T4 datasheet, 2019", cc = 75, sms = 40, mhz = 1590, dram = 320e9,
       memory = "GDDR6", memory_bytes = 16e9, bus_bits = 256, memory_gbps = 10, tdp_w = 70, fp32 = 8.1e12,
       tensor_fp16 = 65e12, tensor_int8 = 130e12, pcie = "3.0 x16" },
  at(with(tu102, { match = "Quadro RTX 6000", name = "Quadro RTX 6000", memory_bytes = 24e9 })),
  at(with(tu102, { match = "Quadro RTX 8000", name = "Quadro RTX 8000", memory_bytes = 48e9 })),
  at { match = "Quadro RTX 5000", name = "Quadro RTX 5000", source = turing, cc = 75, sms = 48, mhz = 1815, dram = 448e9,
       memory = "GDDR6", memory_bytes = 16e9, bus_bits = 256, memory_gbps = 14, tdp_w = 230, fp32 = 11.2e12,
       tensor_fp16 = 89.2e12, tensor_int8 = 178.4e12, pcie = "3.0 x16" },
  at { match = "Quadro RTX 4000", name = "Quadro RTX 4000", source = "NVIDIA Quadro RTX 4000 datasheet, 2019", cc = 75,
       sms = 36, mhz = 1545, dram = 416e9, memory = "GDDR6", memory_bytes = 8e9, bus_bits = 256, memory_gbps = 13,
       tdp_w = 160, fp32 = 7.1e12, tensor_fp16 = 57e12, pcie = "3.0 x16" },
  at { match = "RTX 2080 Ti", name = "GeForce RTX 2080 Ti", source = turing, cc = 75, sms = 68, mhz = 1545, dram = 616e9,
       memory = "GDDR6", memory_bytes = 11e9, bus_bits = 352, memory_gbps = 14, tdp_w = 250, fp32 = 13.4e12,
       tensor_fp16 = 53.8e12, tensor_int8 = 215.2e12, pcie = "3.0 x16" },
  at { match = "RTX 2080", name = "GeForce RTX 2080", source = turing, cc = 75, sms = 46, mhz = 1710, dram = 448e9,
       memory = "GDDR6", memory_bytes = 8e9, bus_bits = 256, memory_gbps = 14, tdp_w = 215, fp32 = 10.1e12,
       tensor_fp16 = 40.3e12, tensor_int8 = 161.1e12, pcie = "3.0 x16" },
  at { match = "RTX 2070", name = "GeForce RTX 2070", source = turing, cc = 75, sms = 36, mhz = 1620, dram = 448e9,
       memory = "GDDR6", memory_bytes = 8e9, bus_bits = 256, memory_gbps = 14, tdp_w = 175, fp32 = 7.5e12,
       tensor_fp16 = 29.9e12, tensor_int8 = 119.4e12, pcie = "3.0 x16" },

  -- Turing, GeForce of 2019: cores and clock alone; FP16 is not printed. GTX 16 has no tensor units.
  geforce_16_20("TITAN RTX", 72, 1770, 672e9, "GDDR6", 24e9, 384, 14, 280),
  geforce_16_20("RTX 2060", 30, 1680, 336e9, "GDDR6", 6e9, 192, 14, 160),
  geforce_16_20("RTX 2060", 34, 1650, 336e9, "GDDR6", 12e9, 192, 14, 185, ", 12 GB"),
  geforce_16_20("RTX 2060 SUPER", 34, 1650, 448e9, "GDDR6", 8e9, 256, 14, 175),
  geforce_16_20("RTX 2070 SUPER", 40, 1770, 448e9, "GDDR6", 8e9, 256, 14, 215),
  geforce_16_20("RTX 2080 SUPER", 48, 1815, 496e9, "GDDR6", 8e9, 256, 15.5, 250),
  geforce_16_20("GTX 1660 Ti", 24, 1770, 288e9, "GDDR6", 6e9, 192, 12, 120),
  geforce_16_20("GTX 1660 SUPER", 22, 1785, 336e9, "GDDR6", 6e9, 192, 14, 125),
  geforce_16_20("GTX 1660", 22, 1785, 192e9, "GDDR5", 6e9, 192, 8, 120),
  geforce_16_20("GTX 1650", 14, 1665, 128e9, "GDDR5", 4e9, 128, 8, 75),
  geforce_16_20("GTX 1650", 14, 1590, 192e9, "GDDR6", 4e9, 128, 12, 75, ", GDDR6"),

  -- Ampere, data centre
  at(with(ampere, { match = "A100-SXM4-40GB", name = "A100 SXM 40 GB", dram = 1.555e12, memory = "HBM2",
                    memory_bytes = 40e9, memory_gbps = 2.43, tdp_w = 400 })),
  at(with(ampere, { match = "A100-PCIE-40GB", name = "A100 PCIe 40 GB", dram = 1.555e12, memory = "HBM2",
                    memory_bytes = 40e9, memory_gbps = 2.43, tdp_w = 250 })),
  at(with(ampere, { match = "A100-SXM4-80GB", short = "a100", name = "A100 SXM 80 GB", dram = 2.039e12,
                    memory = "HBM2e", memory_bytes = 80e9, memory_gbps = 3.186, tdp_w = 400 })),
  at(with(ampere, { match = "A100 80GB PCIe", name = "A100 PCIe 80 GB", dram = 1.935e12, memory = "HBM2e",
                    memory_bytes = 80e9, memory_gbps = 3.024, tdp_w = 300 })),
  at { match = "A30", name = "A30", source = "NVIDIA A30 datasheet, 2021", cc = 80, sms = 56, mhz = 1440,
       dram = 933e9, memory = "HBM2", memory_bytes = 24e9, bus_bits = 3072, memory_gbps = 2.43, tdp_w = 165,
       fp64 = 5.2e12, fp32 = 10.3e12, tensor_fp64 = 10.3e12, tensor_tf32 = 82e12, tensor_bf16 = 165e12,
       tensor_fp16 = 165e12, tensor_int8 = 330e12, nvlink = 200e9, pcie = "4.0 x16" },
  at { match = "A10", name = "A10", source = "NVIDIA A10 datasheet, 2021", cc = 86, sms = 72, mhz = 1695,
       dram = 600e9, memory = "GDDR6", memory_bytes = 24e9, bus_bits = 384, memory_gbps = 12.5, tdp_w = 150,
       fp32 = 31.2e12, tensor_tf32 = 62.5e12, tensor_bf16 = 125e12, tensor_fp16 = 125e12, tensor_int8 = 250e12,
       pcie = "4.0 x16" },
  at { match = "A16", name = "A16, one of its four GPUs", source = "NVIDIA A16 datasheet, 2021", cc = 86, sms = 10,
       mhz = 1755, dram = 200e9, memory = "GDDR6", memory_bytes = 16e9, bus_bits = 128, memory_gbps = 12.5,
       fp32 = 4.5e12, tensor_tf32 = 9e12, tensor_fp16 = 17.9e12, tensor_int8 = 35.9e12, pcie = "4.0 x16" },
  at { match = "A40", name = "A40", source = "NVIDIA A40 datasheet, 2021", cc = 86, sms = 84, mhz = 1740,
       dram = 696e9, memory = "GDDR6", memory_bytes = 48e9, bus_bits = 384, memory_gbps = 14.5, tdp_w = 300,
       fp32 = 37.4e12, tensor_tf32 = 74.8e12, tensor_bf16 = 149.7e12, tensor_fp16 = 149.7e12, tensor_int8 = 299.3e12,
       nvlink = 112.5e9, pcie = "4.0 x16" },
  at { match = "A2", name = "A2", source = "NVIDIA A2 datasheet, 2021", cc = 86, sms = 10, mhz = 1770,
       dram = 200e9, memory = "GDDR6", memory_bytes = 16e9, bus_bits = 128, memory_gbps = 12.5, tdp_w = 60,
       fp32 = 4.5e12, tensor_tf32 = 9e12, tensor_bf16 = 18e12, tensor_fp16 = 18e12, tensor_int8 = 36e12,
       pcie = "4.0 x8" },

  -- Ampere, workstation
  at { match = "RTX A6000", name = "RTX A6000", source = ga102, cc = 86, sms = 84, mhz = 1800,
       dram = 768e9, memory = "GDDR6", memory_bytes = 48e9, bus_bits = 384, memory_gbps = 16, tdp_w = 300,
       fp32 = 38.7e12, fp16 = 38.7e12, tensor_tf32 = 77.4e12, tensor_bf16 = 154.8e12, tensor_fp16 = 154.8e12,
       tensor_int8 = 309.7e12, nvlink = 112.5e9, pcie = "4.0 x16" },
  at { match = "RTX A5500", name = "RTX A5500", source = "NVIDIA RTX A5500 datasheet, 2022", cc = 86, sms = 80,
       mhz = 1665, dram = 768e9, memory = "GDDR6", memory_bytes = 24e9, bus_bits = 384, memory_gbps = 16, tdp_w = 230,
       fp32 = 34.1e12, tensor_fp16 = 136.4e12, nvlink = 112.5e9, pcie = "4.0 x16" },
  at { match = "RTX A5000", name = "RTX A5000", source = "NVIDIA RTX A5000 datasheet, 2021", cc = 86, sms = 64,
       mhz = 1695, dram = 768e9, memory = "GDDR6", memory_bytes = 24e9, bus_bits = 384, memory_gbps = 16, tdp_w = 230,
       fp32 = 27.8e12, tensor_fp16 = 111.1e12, nvlink = 112.5e9, pcie = "4.0 x16" },
  at { match = "RTX A4500", name = "RTX A4500", source = "NVIDIA RTX A4500 datasheet, 2021", cc = 86, sms = 56,
       mhz = 1650, dram = 640e9, memory = "GDDR6", memory_bytes = 20e9, bus_bits = 320, memory_gbps = 16, tdp_w = 200,
       fp32 = 23.7e12, tensor_fp16 = 94.6e12, nvlink = 112.5e9, pcie = "4.0 x16" },
  at { match = "RTX A4000", name = "RTX A4000", source = "NVIDIA RTX A4000 datasheet, 2021", cc = 86, sms = 48,
       mhz = 1560, dram = 448e9, memory = "GDDR6", memory_bytes = 16e9, bus_bits = 256, memory_gbps = 14, tdp_w = 140,
       fp32 = 19.2e12, tensor_fp16 = 76.7e12, pcie = "4.0 x16" },
  at { match = "RTX A2000", name = "RTX A2000, 6 GB", source = "NVIDIA RTX A2000 datasheet, 2021", cc = 86, sms = 26,
       mhz = 1200, dram = 288e9, memory = "GDDR6", memory_bytes = 6e9, bus_bits = 192, memory_gbps = 12, tdp_w = 70,
       fp32 = 8e12, tensor_fp16 = 31.95e12, pcie = "4.0 x16" },
  at { match = "RTX A2000 12GB", name = "RTX A2000, 12 GB", source = "NVIDIA RTX A2000 12GB datasheet, 2021", cc = 86,
       sms = 26, mhz = 1200, dram = 288e9, memory = "GDDR6", memory_bytes = 12e9, bus_bits = 192, memory_gbps = 12,
       tdp_w = 70, fp32 = 8e12, tensor_fp16 = 31.95e12, pcie = "4.0 x16" },

  at { match = "RTX A400", name = "RTX A400", source = "NVIDIA RTX A400 datasheet, 2024", cc = 86, sms = 6, mhz = 1762,
       dram = 96e9, memory = "GDDR6", memory_bytes = 4e9, bus_bits = 64, memory_gbps = 12, tdp_w = 50, fp32 = 2.7e12,
       tensor_fp16 = 10.85e12, tensor_int8 = 21.65e12, pcie = "4.0 x8" },
  at { match = "RTX A1000", name = "RTX A1000", source = "NVIDIA RTX A1000 datasheet, 2024", cc = 86, sms = 18,
       mhz = 1462, dram = 192e9, memory = "GDDR6", memory_bytes = 8e9, bus_bits = 128, memory_gbps = 12, tdp_w = 50,
       fp32 = 6.7e12, tensor_fp16 = 26.9e12, pcie = "4.0 x8" },

  -- Ada, data centre. The L40's sheet gives it half the L40S's tensor rates at the same width.
  at { match = "L4", name = "L4", source = "NVIDIA L4 datasheet, 2023", cc = 89, sms = 58, mhz = 2040,
       dram = 300e9, memory = "GDDR6", memory_bytes = 24e9, bus_bits = 192, memory_gbps = 12.5, tdp_w = 72,
       fp32 = 30.3e12, tensor_tf32 = 60e12, tensor_bf16 = 121e12, tensor_fp16 = 121e12, tensor_fp8 = 242.5e12,
       tensor_int8 = 242.5e12, pcie = "4.0 x16" },
  at { match = "L40", name = "L40", source = "NVIDIA L40 datasheet, 2022", cc = 89, sms = 142, mhz = 2490,
       dram = 864e9, memory = "GDDR6", memory_bytes = 48e9, bus_bits = 384, memory_gbps = 18, tdp_w = 300,
       fp32 = 90.5e12, tensor_tf32 = 90.5e12, tensor_bf16 = 181.05e12, tensor_fp16 = 181.05e12, tensor_fp8 = 362e12,
       tensor_int8 = 362e12, pcie = "4.0 x16" },
  at { match = "L40S", name = "L40S", source = "NVIDIA L40S datasheet, 2023", cc = 89, sms = 142, mhz = 2520,
       dram = 864e9, memory = "GDDR6", memory_bytes = 48e9, bus_bits = 384, memory_gbps = 18, tdp_w = 350,
       fp32 = 91.6e12, tensor_tf32 = 183e12, tensor_bf16 = 362.05e12, tensor_fp16 = 362.05e12, tensor_fp8 = 733e12,
       tensor_int8 = 733e12, pcie = "4.0 x16" },

  -- Ada, workstation
  at { match = "RTX 6000 Ada", name = "RTX 6000 Ada", source = ada, cc = 89, sms = 142, mhz = 2505,
       dram = 960e9, memory = "GDDR6", memory_bytes = 48e9, bus_bits = 384, memory_gbps = 20, tdp_w = 300,
       fp32 = 91.1e12, fp16 = 91.1e12, tensor_tf32 = 182.1e12, tensor_bf16 = 364.2e12, tensor_fp16 = 364.2e12,
       tensor_fp8 = 728.5e12, tensor_int8 = 728.5e12, pcie = "4.0 x16" },
  at { match = "RTX 5000 Ada", name = "RTX 5000 Ada", source = "NVIDIA RTX 5000 Ada datasheet, 2023", cc = 89,
       sms = 100, mhz = 2550, dram = 576e9, memory = "GDDR6", memory_bytes = 32e9, bus_bits = 256, memory_gbps = 18,
       tdp_w = 250, fp32 = 65.3e12, tensor_fp8 = 522.2e12, pcie = "4.0 x16" },
  at { match = "RTX 4500 Ada", name = "RTX 4500 Ada", source = "NVIDIA RTX 4500 Ada datasheet, 2023", cc = 89,
       sms = 60, mhz = 2580, dram = 432e9, memory = "GDDR6", memory_bytes = 24e9, bus_bits = 192, memory_gbps = 18,
       tdp_w = 210, fp32 = 39.6e12, tensor_fp8 = 317e12, pcie = "4.0 x16" },
  at { match = "RTX 4000 Ada", name = "RTX 4000 Ada", source = "NVIDIA RTX 4000 Ada datasheet, 2023", cc = 89,
       sms = 48, mhz = 2175, dram = 360e9, memory = "GDDR6", memory_bytes = 20e9, bus_bits = 160, memory_gbps = 18,
       tdp_w = 130, fp32 = 26.7e12, tensor_fp8 = 213.8e12, pcie = "4.0 x16" },
  at { match = "RTX 4000 SFF Ada", name = "RTX 4000 SFF Ada", source = "NVIDIA RTX 4000 SFF Ada datasheet, 2023",
       cc = 89, sms = 48, mhz = 1560, dram = 280e9, memory = "GDDR6", memory_bytes = 20e9, bus_bits = 160,
       memory_gbps = 14, tdp_w = 70, fp32 = 19.2e12, tensor_fp8 = 153.4e12, pcie = "4.0 x16" },
  at { match = "RTX 2000 Ada", name = "RTX 2000 Ada", source = "NVIDIA RTX 2000 Ada datasheet, 2024", cc = 89,
       sms = 22, mhz = 2130, dram = 224e9, memory = "GDDR6", memory_bytes = 16e9, bus_bits = 128, memory_gbps = 14,
       tdp_w = 70, fp32 = 12e12, tensor_fp8 = 95.95e12, pcie = "4.0 x8" },

  -- Hopper
  at(with(hopper_sxm, { match = "H100 80GB HBM3", short = "h100", name = "H100 SXM", source = hopper, dram = 3.35e12,
                        memory = "HBM3", memory_bytes = 80e9, bus_bits = 5120, memory_gbps = 5.24, tdp_w = 700 })),
  at { match = "H100 PCIe", name = "H100 PCIe", source = hopper, cc = 90, sms = 114, mhz = 1755, tensor_mhz = 1620,
       dram = 2.0e12, memory = "HBM2e", memory_bytes = 80e9, bus_bits = 5120, tdp_w = 350,
       fp64 = 25.6e12, fp32 = 51.2e12, fp16 = 102.4e12, tensor_fp64 = 51.2e12, tensor_tf32 = 378e12,
       tensor_bf16 = 756e12, tensor_fp16 = 756e12, tensor_fp8 = 1513e12, tensor_int8 = 1513e12,
       nvlink = 600e9, pcie = "5.0 x16" },
  at(with(hopper_nvl, { match = "H100 NVL", name = "H100 NVL", source = "NVIDIA H100 datasheet, 2024", dram = 3.9e12,
                        memory = "HBM3", memory_bytes = 94e9, tdp_w = 400, nvlink = 600e9 })),
  at(with(hopper_sxm, { match = "H200", name = "H200 SXM", source = "NVIDIA H200 datasheet, 2024", dram = 4.8e12,
                        memory = "HBM3e", memory_bytes = 141e9, bus_bits = 6144, tdp_w = 700 })),
  at(with(hopper_nvl, { match = "H200 NVL", name = "H200 NVL", source = "NVIDIA H200 datasheet, 2024", dram = 4.8e12,
                        memory = "HBM3e", memory_bytes = 141e9, bus_bits = 6144, tdp_w = 600, nvlink = 900e9 })),
  -- NVLink-C2C, whose sheet counts both directions, in place of PCIe.
  at(with(hopper_sxm, { match = "GH200 480GB", name = "GH200, 96 GB HBM3", source = "NVIDIA GH200 datasheet, 2024",
                        h2d = 450e9, d2h = 450e9, dram = 4.0e12, memory = "HBM3", memory_bytes = 96e9, bus_bits = 6144 })),
  at(with(hopper_sxm, { match = "GH200 144G HBM3e", short = "gh200", name = "GH200, 144 GB HBM3e", dram = 4.9e12,
                        h2d = 450e9, d2h = 450e9,
                        memory = "HBM3e", source = "NVIDIA GH200 datasheet, 2024", memory_bytes = 144e9,
                        bus_bits = 6144 })),

  -- Blackwell, data centre: the brief's table of a single GPU (its tensor columns are sparse: halved).
  at { match = "B200", name = "B200 (HGX)", source = blackwell, cc = 100, sms = 148, dram = 7.7e12, memory = "HBM3e",
       memory_bytes = 180e9, tdp_w = 1000, fp64 = 37e12, fp32 = 75e12, tensor_fp64 = 37e12, tensor_tf32 = 1100e12,
       tensor_bf16 = 2250e12, tensor_fp16 = 2250e12, tensor_fp8 = 4500e12, tensor_int8 = 4500e12,
       nvlink = 1.8e12, pcie = "5.0 x16" },
  at { match = "GB200", name = "GB200", source = blackwell, cc = 100, dram = 8e12, memory = "HBM3e",
       memory_bytes = 186e9, tdp_w = 1200, fp64 = 40e12, fp32 = 80e12, tensor_fp64 = 40e12, tensor_tf32 = 1250e12,
       tensor_bf16 = 2500e12, tensor_fp16 = 2500e12, tensor_fp8 = 5000e12, tensor_int8 = 5000e12,
       nvlink = 1.8e12, pcie = "5.0 x16" },
  at { match = "B300", name = "B300 (HGX)", source = "NVIDIA HGX platform specifications, 2025", cc = 103, dram = 8e12,
       memory = "HBM3e", memory_bytes = 288e9, tdp_w = 1100, fp64 = 1.25e12, fp32 = 75e12, tensor_tf32 = 1125e12,
       tensor_bf16 = 2250e12, tensor_fp16 = 2250e12, tensor_fp8 = 4500e12, nvlink = 1.8e12, pcie = "6.0 x16" },
  at { match = "GB300", name = "GB300", source = "NVIDIA GB300 NVL72 specifications, 2025", cc = 103, dram = 8e12,
       memory = "HBM3e", memory_bytes = 288e9, tensor_tf32 = 1250e12, tensor_bf16 = 2500e12, tensor_fp16 = 2500e12,
       tensor_fp8 = 5000e12, nvlink = 1.8e12, pcie = "6.0 x16" },
  at { match = "GB10", name = "GB10 (DGX Spark)", source = "NVIDIA DGX Spark hardware guide, 2025", cc = 121, sms = 48,
       dram = 273e9, memory = "LPDDR5X", memory_bytes = 128e9, bus_bits = 256, tdp_w = 140 },
  at { match = "Thor", name = "Jetson T5000 (Thor)", source = "NVIDIA Jetson AGX Thor datasheet, 2025", cc = 110,
       sms = 20, dram = 273e9, memory = "LPDDR5X", memory_bytes = 128e9, bus_bits = 256, tdp_w = 130 },

  -- Blackwell, workstation and server cards
  at { match = "RTX PRO 6000 Blackwell Workstation Edition", name = "RTX PRO 6000 Blackwell Workstation", cc = 120,
       source = "NVIDIA RTX PRO 6000 Blackwell datasheet, 2025", sms = 188, dram = 1.792e12, memory = "GDDR7",
       memory_bytes = 96e9, bus_bits = 512, memory_gbps = 28, tdp_w = 600, fp32 = 125e12, pcie = "5.0 x16" },
  at { match = "RTX PRO 6000 Blackwell Max-Q Workstation Edition", name = "RTX PRO 6000 Blackwell Max-Q", cc = 120,
       source = "NVIDIA RTX PRO 6000 Blackwell datasheet, 2025", sms = 188, dram = 1.792e12, memory = "GDDR7",
       memory_bytes = 96e9, bus_bits = 512, memory_gbps = 28, tdp_w = 300, fp32 = 110e12, pcie = "5.0 x16" },
  at { match = "RTX PRO 6000 Blackwell Server Edition", name = "RTX PRO 6000 Blackwell Server", cc = 120,
       source = "NVIDIA RTX PRO 6000 Blackwell datasheet, 2025", sms = 188, dram = 1.597e12, memory = "GDDR7",
       memory_bytes = 96e9, bus_bits = 512, tdp_w = 600, fp32 = 120e12, pcie = "5.0 x16" },
  at { match = "RTX PRO 5000 Blackwell", name = "RTX PRO 5000 Blackwell", cc = 120, sms = 110, dram = 1.344e12,
       source = "NVIDIA RTX PRO 5000 Blackwell datasheet, 2025", memory = "GDDR7", bus_bits = 384, memory_gbps = 28,
       tdp_w = 300, pcie = "5.0 x16" },
  at { match = "RTX PRO 4500 Blackwell", name = "RTX PRO 4500 Blackwell", cc = 120, sms = 82, dram = 896e9,
       source = "NVIDIA RTX PRO 4500 Blackwell datasheet, 2025", memory = "GDDR7", memory_bytes = 32e9, bus_bits = 256,
       memory_gbps = 28, tdp_w = 200, pcie = "5.0 x16" },
  at { match = "RTX PRO 4000 Blackwell", name = "RTX PRO 4000 Blackwell", cc = 120, sms = 70, dram = 672e9,
       source = "NVIDIA RTX PRO 4000 Blackwell datasheet, 2025", memory = "GDDR7", memory_bytes = 24e9, bus_bits = 192,
       memory_gbps = 28, tdp_w = 140, pcie = "5.0 x16" },
  at { match = "RTX PRO 4000 Blackwell SFF Edition", name = "RTX PRO 4000 Blackwell SFF", cc = 120, sms = 70,
       dram = 432e9, source = "NVIDIA RTX PRO 4000 Blackwell SFF datasheet, 2025", memory = "GDDR7",
       memory_bytes = 24e9, bus_bits = 192, memory_gbps = 18, tdp_w = 70, pcie = "5.0 x8" },
  at { match = "RTX PRO 2000 Blackwell", name = "RTX PRO 2000 Blackwell", cc = 120, sms = 34, dram = 288e9,
       source = "NVIDIA RTX PRO 2000 Blackwell datasheet, 2025", memory = "GDDR7", memory_bytes = 16e9, bus_bits = 128,
       memory_gbps = 18, tdp_w = 70, pcie = "5.0 x8" },

  -- GeForce 30
  geforce(page "RTX 3050", "RTX 3050", { cc = 86, sms = 20, mhz = 1777, dram = 224e9, memory = "GDDR6",
    memory_bytes = 8e9, bus_bits = 128, memory_gbps = 14, tdp_w = 130, pcie = "4.0 x8" }),
  geforce(page "RTX 3050", "RTX 3050", { name = "GeForce RTX 3050, 6 GB", cc = 86, sms = 18, mhz = 1470, dram = 168e9,
    memory = "GDDR6", memory_bytes = 6e9, bus_bits = 96, memory_gbps = 14, tdp_w = 70, pcie = "4.0 x8" }),
  geforce(page "RTX 3060", "RTX 3060", { name = "GeForce RTX 3060, 8 GB", cc = 86, sms = 28, mhz = 1777, dram = 240e9,
    memory = "GDDR6", memory_bytes = 8e9, bus_bits = 128, memory_gbps = 15, tdp_w = 170, pcie = "4.0 x16" }),
  geforce(page "RTX 3060", "RTX 3060", { cc = 86, sms = 28, mhz = 1777, dram = 360e9, memory = "GDDR6",
    memory_bytes = 12e9, bus_bits = 192, memory_gbps = 15, tdp_w = 170, pcie = "4.0 x16" }),
  geforce(page "RTX 3060 Ti", "RTX 3060 Ti", { cc = 86, sms = 38, mhz = 1665, dram = 448e9, memory = "GDDR6",
    memory_bytes = 8e9, bus_bits = 256, memory_gbps = 14, tdp_w = 200, pcie = "4.0 x16" }),
  geforce(page "RTX 3060 Ti", "RTX 3060 Ti", { name = "GeForce RTX 3060 Ti, GDDR6X", cc = 86, sms = 38, mhz = 1665,
    dram = 608e9, memory = "GDDR6X", memory_bytes = 8e9, bus_bits = 256, memory_gbps = 19, tdp_w = 200,
    pcie = "4.0 x16" }),
  geforce(ga102, "RTX 3070", { cc = 86, sms = 46, mhz = 1725, dram = 448e9, memory = "GDDR6",
    memory_bytes = 8e9, bus_bits = 256, memory_gbps = 14, tdp_w = 220, pcie = "4.0 x16", fp16 = 20.3e12,
    tensor_tf32 = 20.3e12, tensor_bf16 = 40.6e12, tensor_fp16 = 40.6e12, tensor_int8 = 162.6e12 }),
  geforce(page "RTX 3070 Ti", "RTX 3070 Ti", { cc = 86, sms = 48, mhz = 1770, dram = 608e9, memory = "GDDR6X",
    memory_bytes = 8e9, bus_bits = 256, memory_gbps = 19, tdp_w = 290, pcie = "4.0 x16" }),
  geforce(ga102, "RTX 3080", { cc = 86, sms = 68, mhz = 1710, dram = 760e9, memory = "GDDR6X",
    memory_bytes = 10e9, bus_bits = 320, memory_gbps = 19, tdp_w = 320, pcie = "4.0 x16", fp16 = 29.8e12,
    tensor_tf32 = 29.8e12, tensor_bf16 = 59.5e12, tensor_fp16 = 59.5e12, tensor_int8 = 238e12 }),
  geforce(page "RTX 3080", "RTX 3080", { name = "GeForce RTX 3080, 12 GB", cc = 86, sms = 70, mhz = 1710,
    dram = 912e9, memory = "GDDR6X", memory_bytes = 12e9, bus_bits = 384, memory_gbps = 19, tdp_w = 350,
    pcie = "4.0 x16" }),
  geforce(page "RTX 3080 Ti", "RTX 3080 Ti", { cc = 86, sms = 80, mhz = 1665, dram = 912e9, memory = "GDDR6X",
    memory_bytes = 12e9, bus_bits = 384, memory_gbps = 19, tdp_w = 350, pcie = "4.0 x16" }),
  geforce(ga102, "RTX 3090", { cc = 86, sms = 82, mhz = 1695, dram = 936e9, memory = "GDDR6X",
    memory_bytes = 24e9, bus_bits = 384, memory_gbps = 19.5, tdp_w = 350, pcie = "4.0 x16", fp16 = 35.6e12,
    tensor_tf32 = 35.6e12, tensor_bf16 = 71e12, tensor_fp16 = 71e12, tensor_int8 = 284e12 }),
  geforce(page "RTX 3090 Ti", "RTX 3090 Ti", { cc = 86, sms = 84, mhz = 1860, dram = 1.008e12, memory = "GDDR6X",
    memory_bytes = 24e9, bus_bits = 384, memory_gbps = 21, tdp_w = 450, pcie = "4.0 x16" }),

  -- GeForce 40
  geforce(page "RTX 4060", "RTX 4060", { cc = 89, sms = 24, mhz = 2460, dram = 272e9, memory = "GDDR6",
    memory_bytes = 8e9, bus_bits = 128, memory_gbps = 17, tdp_w = 115, pcie = "4.0 x8" }),
  geforce(page "RTX 4060 Ti", "RTX 4060 Ti", { cc = 89, sms = 34, mhz = 2535, dram = 288e9, memory = "GDDR6",
    bus_bits = 128, memory_gbps = 18, tdp_w = 160, pcie = "4.0 x8" }),
  geforce(page "RTX 4070", "RTX 4070", { cc = 89, sms = 46, mhz = 2475, dram = 504e9, memory = "GDDR6X",
    memory_bytes = 12e9, bus_bits = 192, memory_gbps = 21, tdp_w = 200, pcie = "4.0 x16" }),
  geforce(page "RTX 4070", "RTX 4070", { name = "GeForce RTX 4070, GDDR6", cc = 89, sms = 46, mhz = 2475, dram = 480e9,
    memory = "GDDR6", memory_bytes = 12e9, bus_bits = 192, memory_gbps = 20, tdp_w = 200, pcie = "4.0 x16" }),
  geforce(page "RTX 4070 SUPER", "RTX 4070 SUPER", { cc = 89, sms = 56, mhz = 2475, dram = 504e9, memory = "GDDR6X",
    memory_bytes = 12e9, bus_bits = 192, memory_gbps = 21, tdp_w = 220, pcie = "4.0 x16" }),
  geforce(page "RTX 4070 Ti", "RTX 4070 Ti", { cc = 89, sms = 60, mhz = 2610, dram = 504e9, memory = "GDDR6X",
    memory_bytes = 12e9, bus_bits = 192, memory_gbps = 21, tdp_w = 285, pcie = "4.0 x16" }),
  geforce(page "RTX 4070 Ti SUPER", "RTX 4070 Ti SUPER", { cc = 89, sms = 66, mhz = 2610, dram = 672e9,
    memory = "GDDR6X", memory_bytes = 16e9, bus_bits = 256, memory_gbps = 21, tdp_w = 285, pcie = "4.0 x16" }),
  geforce(ada, "RTX 4080", { cc = 89, sms = 76, mhz = 2505, dram = 716.8e9, memory = "GDDR6X",
    memory_bytes = 16e9, bus_bits = 256, memory_gbps = 22.4, tdp_w = 320, pcie = "4.0 x16", fp16 = 48.7e12,
    tensor_tf32 = 48.7e12, tensor_bf16 = 97.5e12, tensor_fp16 = 97.5e12, tensor_fp8 = 194.9e12,
    tensor_int8 = 389.9e12 }),
  geforce(page "RTX 4080 SUPER", "RTX 4080 SUPER", { cc = 89, sms = 80, mhz = 2550, dram = 736e9, memory = "GDDR6X",
    memory_bytes = 16e9, bus_bits = 256, memory_gbps = 23, tdp_w = 320, pcie = "4.0 x16" }),
  geforce(ada, "RTX 4090", { cc = 89, sms = 128, mhz = 2520, dram = 1.008e12, memory = "GDDR6X",
    memory_bytes = 24e9, bus_bits = 384, memory_gbps = 21, tdp_w = 450, pcie = "4.0 x16", fp16 = 82.6e12,
    tensor_tf32 = 82.6e12, tensor_bf16 = 165.2e12, tensor_fp16 = 165.2e12, tensor_fp8 = 330.3e12,
    tensor_int8 = 660.6e12 }),
  geforce(page "RTX 4090 D", "RTX 4090 D", { cc = 89, sms = 114, mhz = 2520, dram = 1.008e12, memory = "GDDR6X",
    memory_bytes = 24e9, bus_bits = 384, memory_gbps = 21, tdp_w = 425, pcie = "4.0 x16" }),

  -- GeForce 50
  geforce(page "RTX 5050", "RTX 5050", { cc = 120, sms = 20, mhz = 2572, dram = 320e9, memory = "GDDR6",
    memory_bytes = 8e9, bus_bits = 128, memory_gbps = 20, tdp_w = 130, pcie = "5.0 x8" }),
  geforce(page "RTX 5060", "RTX 5060", { cc = 120, sms = 30, mhz = 2497, dram = 448e9, memory = "GDDR7",
    memory_bytes = 8e9, bus_bits = 128, memory_gbps = 28, tdp_w = 145, pcie = "5.0 x8" }),
  geforce(page "RTX 5060 Ti", "RTX 5060 Ti", { cc = 120, sms = 36, mhz = 2572, dram = 448e9, memory = "GDDR7",
    bus_bits = 128, memory_gbps = 28, tdp_w = 180, pcie = "5.0 x8" }),
  geforce(rtx_blackwell, "RTX 5070", { cc = 120, sms = 48, mhz = 2512, dram = 672e9, memory = "GDDR7",
    memory_bytes = 12e9, bus_bits = 192, memory_gbps = 28, tdp_w = 250, pcie = "5.0 x16", fp16 = 30.9e12,
    tensor_tf32 = 30.9e12, tensor_bf16 = 61.7e12, tensor_fp16 = 61.7e12, tensor_fp8 = 123.5e12,
    tensor_int8 = 246.9e12 }),
  geforce(rtx_blackwell, "RTX 5070 Ti", { cc = 120, sms = 70, mhz = 2452, dram = 896e9, memory = "GDDR7",
    memory_bytes = 16e9, bus_bits = 256, memory_gbps = 28, tdp_w = 300, pcie = "5.0 x16", fp16 = 43.9e12,
    tensor_tf32 = 43.9e12, tensor_bf16 = 87.9e12, tensor_fp16 = 87.9e12, tensor_fp8 = 175.8e12,
    tensor_int8 = 351.5e12 }),
  geforce(rtx_blackwell, "RTX 5080", { cc = 120, sms = 84, mhz = 2617, dram = 960e9, memory = "GDDR7",
    memory_bytes = 16e9, bus_bits = 256, memory_gbps = 30, tdp_w = 360, pcie = "5.0 x16", fp16 = 56.3e12,
    tensor_tf32 = 56.3e12, tensor_bf16 = 112.6e12, tensor_fp16 = 112.6e12, tensor_fp8 = 225.1e12,
    tensor_int8 = 450.2e12 }),
  geforce(rtx_blackwell, "RTX 5090", { cc = 120, sms = 170, mhz = 2407, dram = 1.792e12, memory = "GDDR7",
    memory_bytes = 32e9, bus_bits = 512, memory_gbps = 28, tdp_w = 575, pcie = "5.0 x16", fp16 = 104.8e12,
    tensor_tf32 = 104.8e12, tensor_bf16 = 209.5e12, tensor_fp16 = 209.5e12, tensor_fp8 = 419e12,
    tensor_int8 = 838e12 }),
  { match = "RTX 5090 D", name = "GeForce RTX 5090 D" },
}
