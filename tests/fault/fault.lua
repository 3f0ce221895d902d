-- SPDX-License-Identifier: Apache-2.0
-- Configurations that go wrong, each in its own way; `none` goes right, at several places of the order, so that points
-- after a fault are seen to work. gpu_faults.c knows what must become of each.
local faults = {
  "none",
  "out_of_bounds", "misaligned", "trap", "assertion", "stack_overflow", -- the device stops
  "wrong_result", "nan", "unwritten", "unstable", "writes_input", "writes_constant", -- the result is wrong
  "endless", "slow", -- the time is over
  "too_many_threads", "too_much_shared", "too_much_memory", "does_not_fit_at_once", "too_large_cluster", -- no launch
  "does_not_compile", "script_error",
}

-- What launch() returns, changed for one fault.
local launches = {
  too_many_threads = function(launch) launch.block = 2048 end,
  too_much_shared = function(launch, gpu) launch.shared = gpu.shared_per_block + 1 end,
  does_not_fit_at_once = function(launch) launch.cooperative, launch.grid = true, 2^20 end,
  too_large_cluster = function(launch) launch.cluster, launch.grid = 64, 64 end,
  unwritten = function(launch) launch.entry = "half_written" end,
  script_error = function() error("this configuration has no launch") end,
}

local function is_late(FAULT) return FAULT == "endless" or FAULT == "slow" end

local function faults_sweep(name, where, timeout)
  return sweep {
    name = name,
    kernel = kernel {
      source = "fault.cu",
      entry = { "victim", "half_written" },
      problem = { "n" },
      params = { { "FAULT", "none", "what goes wrong" }, { "BLOCK", 256, "threads a block" } },
      buffers = function(p, c, gpu)
        return {
          x = input(f32, p.n),
          y = output(f32, p.n),
          scratch = temp(u8, c.FAULT == "too_much_memory" and 2 * gpu.memory_bytes or 16),
        }
      end,
      constants = { unchanging = i32(3) },
      launch = function(p, c, gpu, b)
        local launch = { args = { b.x, b.y, b.scratch, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
        if launches[c.FAULT] then
          launches[c.FAULT](launch, gpu)
        end
        return launch
      end,
      work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end,
      check = { reference = "fault_reference.cu:fault_reference", odd = false },
    },
    over = { n = values(2^16) },
    tune = { FAULT = values(faults), BLOCK = values(64, 128, 256, 512) },
    where = { 'FAULT == "none" or BLOCK == 256', where },
    measure = { timeout = timeout, noise = 0.2, max_samples = 20 },
  }
end

return {
  -- How soon the driver tells of a fault is its own: once, on a busy host, not within 2.5 s.
  faults_sweep("faults", function(FAULT) return not is_late(FAULT) end, "20s"),
  sweep {
    name = "odd_size",
    kernel = kernel {
      source = "fault_odd.cu",
      entry = "by_four",
      problem = { "n" },
      params = { { "TAIL", "guarded", "what becomes of the last elements" } },
      buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
      launch = function(p, c, gpu, b)
        return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 4 * 128), block = 128 }
      end,
      work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end,
      check = { reference = "fault_reference.cu:fault_reference" },
    },
    over = { n = values(2^16) },
    tune = { TAIL = values("guarded", "dropped", "prints") },
    measure = { noise = 0.2, max_samples = 20 },
  },
  faults_sweep("late", function(FAULT) return FAULT == "none" or is_late(FAULT) end, "1s"),
}
