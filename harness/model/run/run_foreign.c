/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_foreign.h"

const char *rft_run_foreign(const rft_run *run) {
    return rft_env_value(&run->env, RFT_ENV_FOREIGN);
}

const char *rft_run_foreign_notice(const rft_run *run, rft_arena *arena) {
    const char *format = rft_run_foreign(run);
    return format ? rft_arena_printf(arena, "another tuner's measurements (%s): not verified by rooftune, no ceilings",
                                     format)
                  : NULL;
}
