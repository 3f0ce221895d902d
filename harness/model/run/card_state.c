/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/card_state.h"

#include <stdio.h>

const rft_state_key rft_state_keys[] = {{"nvml.ecc_uncorrected", "uncorrected memory errors", false},
                                        {"nvml.ecc_corrected", "corrected memory errors", false},
                                        {"nvml.rows_remapped", "remapped rows", false},
                                        {"nvml.row_remapping", "remapping of rows", false},
                                        {"nvml.pcie_width", "PCIe width", false},
                                        {"nvml.pcie_replays", "PCIe replays", false},
                                        {"nvml.nvlinks", "NVLink links", false},
                                        {"nvml.pcie_generation", "PCIe generation", true},
                                        {"nvml.clock_event_reasons", "what holds the clock down", true},
                                        {"nvml.temperature_c", "temperature (C)", true},
                                        {NULL, NULL, false}};

const char *rft_state_after(const rft_run *run, const char *key) {
    char after[96];
    snprintf(after, sizeof after, RFT_STATE_AFTER "%s", key);
    return rft_env_value(&run->env, after);
}
