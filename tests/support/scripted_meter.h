/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripted_meter.h - an rft_meter that follows a script, on the clock of a scripted GPU (or any other).
 *
 * Power is what it was last set to; the energy counter is its integral and moves in steps of the sensor's period, as a
 * card's does. A cause of throttling is active for the share of the time it was last given.
 */
#ifndef RFT_TEST_SCRIPTED_METER_H
#define RFT_TEST_SCRIPTED_METER_H

#include "gpu/meter.h"

typedef struct rft_scripted_meter rft_scripted_meter;

/* 100 W from now on, updates every 0.1 s, 1980 MHz, 40 degrees, nothing throttled. `clock` is borrowed. */
rft_scripted_meter *rft_scripted_meter_new(const rft_clock *clock);
void rft_scripted_meter_free(rft_scripted_meter *meter); /* the same as vt->close */
rft_meter *rft_scripted_meter_device(rft_scripted_meter *meter);

/* From now on. */
void rft_scripted_meter_power(rft_scripted_meter *meter, double power_w);
void rft_scripted_meter_throttle(rft_scripted_meter *meter, rft_throttle_cause cause, double share);
/* A fact that is no energy, power or throttling: its value from now on. */
void rft_scripted_meter_fact(rft_scripted_meter *meter, rft_meter_fact fact, double value);
/* The device does not give this fact, and says why (a static text). */
void rft_scripted_meter_missing(rft_scripted_meter *meter, rft_meter_fact fact, const char *reason);
/* Every reading of the energy takes so long (NVML on some cards); 0 at first. The clock's sleep() passes the time. */
void rft_scripted_meter_cost(rft_scripted_meter *meter, double cost_s);
unsigned rft_scripted_meter_reads(const rft_scripted_meter *meter);

#endif
