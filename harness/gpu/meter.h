/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter.h - the seam to what watches a device from outside while it works: energy, power, clocks, temperatures, what
 * holds the clock down and for how long, and which other processes are there. Implementation: nvml_meter.c (NVML,
 * opened at run time). Reading never disturbs what runs; what it costs is in docs/power.md.
 */
#ifndef RFT_GPU_METER_H
#define RFT_GPU_METER_H

#include "base/clock.h"
#include "base/err.h"
#include "model/stats/energy.h"
#include "model/stats/throttle.h"

#include <stddef.h>
#include <stdint.h>

/* What is read together: a call pays for the groups it asks for. */
typedef enum rft_meter_group {
    RFT_METER_ENERGY = 1, /* may take milliseconds on some cards */
    RFT_METER_POWER = 2,
    RFT_METER_CLOCKS = 4,
    RFT_METER_HEAT = 8,
    RFT_METER_EVENTS = 16,   /* what holds the clock down at this moment */
    RFT_METER_THROTTLE = 32, /* for how long it did so far, per cause */
    RFT_METER_ALL = 63
} rft_meter_group;

/* fact, group. The causes' order is that of model/stats/throttle.h. */
#define RFT_METER_MAP(X)                                                                                               \
    X(ENERGY_J, ENERGY) /* since the driver was loaded */                                                              \
    X(POWER_INSTANT_W, POWER)                                                                                          \
    X(POWER_AVERAGE_W, POWER) /* of the last second; Ampere A100 and before Ampere: instant */                         \
    X(SM_CLOCK_MHZ, CLOCKS)                                                                                            \
    X(MEMORY_CLOCK_MHZ, CLOCKS)                                                                                        \
    X(TEMPERATURE_C, HEAT)                                                                                             \
    X(MEMORY_TEMPERATURE_C, HEAT)                                                                                      \
    X(EVENT_REASONS, EVENTS) /* bits, exact in a double: rft_meter_reasons_text() */                                   \
    X(POWER_CAP_S, THROTTLE)                                                                                           \
    X(SYNC_BOOST_S, THROTTLE)                                                                                          \
    X(SW_THERMAL_S, THROTTLE)                                                                                          \
    X(HW_THERMAL_S, THROTTLE)                                                                                          \
    X(POWER_BRAKE_S, THROTTLE)

typedef enum rft_meter_fact {
#define RFT_METER_ENUM(name, group) RFT_METER_##name,
    RFT_METER_MAP(RFT_METER_ENUM)
#undef RFT_METER_ENUM
        RFT_METER_FACT_COUNT
} rft_meter_fact;

typedef struct rft_meter_snapshot {
    int64_t time_ns;                           /* the clock's monotonic time, in the middle of reading */
    int64_t cost_ns;                           /* reading took so long */
    double values[RFT_METER_FACT_COUNT];       /* NaN = not known */
    const char *reasons[RFT_METER_FACT_COUNT]; /* why not; NULL where the value is there. Static, or as long as the
                                                * meter */
} rft_meter_snapshot;

/* The same readings as the model takes them; what was not asked for is NaN. */
rft_throttle_counters rft_meter_counters(const rft_meter_snapshot *snapshot);
/* `from_ns` becomes time 0. Power is the instant one, else the average. */
rft_energy_reading rft_meter_energy(const rft_meter_snapshot *snapshot, int64_t from_ns);
/* What holds the clock down at this moment, by its event reasons; COUNT: nothing that has a counter of its own, or they
 * are not known. */
rft_throttle_cause rft_meter_cause(const rft_meter_snapshot *snapshot);
/* "software power cap, hardware slowdown"; "none"; "" for NaN. Returns `out`, always terminated. */
char *rft_meter_reasons_text(double reasons, char *out, size_t size);

/* ---- other processes, and the mode ---- */
typedef enum rft_meter_user_kind { RFT_METER_COMPUTE, RFT_METER_GRAPHICS, RFT_METER_MPS } rft_meter_user_kind;
typedef struct rft_meter_user {
    unsigned pid; /* of the host's numbering where NVML runs in a container */
    rft_meter_user_kind kind;
    int64_t used_bytes; /* -1 = not known */
} rft_meter_user;

enum { RFT_METER_USERS_MAX = 64 };
typedef enum rft_meter_switch { RFT_METER_OFF, RFT_METER_ON, RFT_METER_UNKNOWN } rft_meter_switch;
typedef struct rft_meter_state {
    rft_meter_user users[RFT_METER_USERS_MAX]; /* without the caller's own processes, a process once */
    size_t user_count;
    size_t own_count;         /* of own_pids, seen and left out; 0 with a context open: pids cannot be told apart */
    const char *users_reason; /* why users are not known; NULL */
    rft_meter_switch mig, persistence;
    const char *mig_reason, *persistence_reason; /* why UNKNOWN; NULL */
} rft_meter_state;

typedef struct rft_meter rft_meter;
typedef struct rft_meter_vt {
    void (*close)(rft_meter *meter);
    /* Reads the groups asked for (rft_meter_group, or-ed); the others are NaN with the reason "not asked for". */
    void (*read)(rft_meter *meter, unsigned groups, rft_meter_snapshot *out);
    void (*state)(rft_meter *meter, const unsigned *own_pids, size_t own_count, rft_meter_state *out);
} rft_meter_vt;
struct rft_meter {
    const rft_meter_vt *vt;
};

/* Opens NVML's view of a device, by UUID ("GPU-..."), else by PCI id ("0000:01:00.0"); either may be NULL or "".
 * A slice ("MIG-...") is not found by PCI id, which is the whole card's. `clock` must outlive the meter.
 * RFT_E_NOT_FOUND with a remedy: no NVML, or it does not know the device; a run goes on without. One thread a meter; a
 * process may have several. */
int rft_nvml_meter_open(rft_meter **out, const char *uuid, const char *pci_id, const rft_clock *clock, rft_err *err);

#endif
