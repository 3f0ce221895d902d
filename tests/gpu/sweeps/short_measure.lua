-- SPDX-License-Identifier: Apache-2.0
-- These sweeps are about launches, not about times: few samples, and none is called noisy.
return { noise = 0.2, max_samples = 12, timeout = "5s" }
