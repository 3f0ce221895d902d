/* SPDX-License-Identifier: Apache-2.0 */
/* mix_read.h - a mix{} as a script writes it, checked and kept as JSON. Private to the room. */
#ifndef RFT_SCRIPT_MIX_READ_H
#define RFT_SCRIPT_MIX_READ_H

#include "script/lua/lua_read.h"

int rft_api_mix(lua_State *lua); /* mix() of the sandbox */

#endif
