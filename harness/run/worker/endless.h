/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endless.h - references and fills that did not end, by problem and code: every other point of the problem would wait
 * as long for nothing. A key map holds them: rft_key_map_clear().
 */
#ifndef RFT_RUN_ENDLESS_H
#define RFT_RUN_ENDLESS_H

#include "run/plan/key_map.h"
#include "run/worker/phase.h"

/* `request` ran into a limit at `at`. What is neither its reference nor a fill by a kernel is not noted. */
void rft_endless_note(rft_key_map *endless, const rft_probe_request *request, rft_phase_at at);
/* Why `request` is not to be started: it needs one of them. NULL: it does not. Text in `arena`. */
const char *rft_endless_reason(const rft_key_map *endless, const rft_probe_request *request, rft_arena *arena);

#endif
