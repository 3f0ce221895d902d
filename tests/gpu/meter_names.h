/* SPDX-License-Identifier: Apache-2.0 */
/* meter_names.h - what the facts of gpu/meter.h are called: "ENERGY_J". */
#ifndef TEST_METER_NAMES_H
#define TEST_METER_NAMES_H

#include "gpu/meter.h"

static const char *const meter_names[] = {
#define METER_NAME(name, group) #name,
    RFT_METER_MAP(METER_NAME)
#undef METER_NAME
};

#endif
