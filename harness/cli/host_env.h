/* SPDX-License-Identifier: Apache-2.0 */
/* host_env.h - what is known of the machine and the program. */
#ifndef RFT_CLI_HOST_ENV_H
#define RFT_CLI_HOST_ENV_H

#include "model/run/run.h"

/* Facts of host and program: keys "host.*", "rooftune.*". */
void rft_host_env(rft_env *env, rft_arena *arena);

#endif
