/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVML as a meter. Prototypes of its own, as in nvml.c; every entry point is optional but those that open a device.
 *
 * The trap here: field numbers 251 to 273 changed their meaning between CUDA 13.0 and its first update (NVML's "Known
 * Issues"), and a library answers by the numbers of its own release, whatever the caller was built with.
 */
#include "gpu/meter.h"
#include "gpu/nvml/nvml_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NVML_OK = 0, NVML_INSUFFICIENT_SIZE = 7, NVML_FUNCTION_NOT_FOUND = 13 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };
enum { TYPE_DOUBLE, TYPE_UINT, TYPE_ULONG, TYPE_ULONG_LONG, TYPE_LONG_LONG, TYPE_INT, TYPE_USHORT };

/* nvml.h, NVML_FI_DEV_*. */
enum {
    FIELD_PERF_POLICY_POWER = 74, /* = CLOCKS_EVENT_REASON_SW_POWER_CAP */
    FIELD_PERF_POLICY_THERMAL = 75,
    FIELD_PERF_POLICY_SYNC_BOOST = 76, /* = CLOCKS_EVENT_REASON_SYNC_BOOST */
    FIELD_MEMORY_TEMP = 82,
    FIELD_POWER_AVERAGE = 185,
    FIELD_POWER_INSTANT = 186,
    FIELD_SW_THERMAL_FIRST = 269, /* + 1: HW_THERM_SLOWDOWN, + 2: HW_POWER_BRAKE_SLOWDOWN; until 580.81 */
    FIELD_SW_THERMAL_NOW = 251,   /* the same three since 580.82 */
    RENUMBERED_MAJOR = 580,
    RENUMBERED_MINOR = 82
};

typedef struct nvml_field {
    unsigned id, scope;
    long long time_us, latency_us;
    int type, status;
    union {
        double real;
        unsigned uint;
        unsigned long ulong;
        unsigned long long ulong_long;
        long long long_long;
        int integer;
        unsigned short ushort;
    } value;
} nvml_field;

typedef int get_indexed(nvml_device device, int which, unsigned *out);
typedef int get_processes(nvml_device device, unsigned *count, nvml_process *out);
typedef int find_device(const char *name, nvml_device *out);

/* field, type, exported name, required */
#define METER_API(X)                                                                                                   \
    X(init, int (*)(void), "nvmlInit_v2", true)                                                                        \
    X(shutdown, int (*)(void), "nvmlShutdown", true)                                                                   \
    X(error_text, const char *(*)(int), "nvmlErrorString", true)                                                       \
    X(by_pci_id, find_device *, "nvmlDeviceGetHandleByPciBusId_v2", true)                                              \
    X(by_uuid, find_device *, "nvmlDeviceGetHandleByUUID", false)                                                      \
    X(driver_version, int (*)(char *, unsigned), "nvmlSystemGetDriverVersion", false)                                  \
    X(energy, nvml_get_wide *, "nvmlDeviceGetTotalEnergyConsumption", false)                                           \
    X(power, nvml_get_unsigned *, "nvmlDeviceGetPowerUsage", false)                                                    \
    X(fields, int (*)(nvml_device, int, nvml_field *), "nvmlDeviceGetFieldValues", false)                              \
    X(clock, get_indexed *, "nvmlDeviceGetClockInfo", false)                                                           \
    X(temperature, get_indexed *, "nvmlDeviceGetTemperature", false)                                                   \
    X(reasons, nvml_get_wide *, "nvmlDeviceGetCurrentClocksEventReasons", false)                                       \
    X(reasons_old, nvml_get_wide *, "nvmlDeviceGetCurrentClocksThrottleReasons", false)                                \
    X(mig, nvml_get_pair *, "nvmlDeviceGetMigMode", false)                                                             \
    X(persistence, nvml_get_unsigned *, "nvmlDeviceGetPersistenceMode", false)                                         \
    X(compute, get_processes *, "nvmlDeviceGetComputeRunningProcesses_v3", false)                                      \
    X(graphics, get_processes *, "nvmlDeviceGetGraphicsRunningProcesses_v3", false)                                    \
    X(mps, get_processes *, "nvmlDeviceGetMPSComputeRunningProcesses_v3", false)

typedef struct meter_api {
#define METER_FIELD(field, type, name, required) __typeof__((type)0) field;
    METER_API(METER_FIELD)
#undef METER_FIELD
} meter_api;

static const rft_dynlib_symbol symbols[] = {
#define METER_SYMBOL(field, type, name, required) {name, offsetof(meter_api, field), !(required)},
    METER_API(METER_SYMBOL)
#undef METER_SYMBOL
};

typedef struct nvml_meter {
    rft_meter base; /* first: the vtable */
    meter_api api;
    void *library;
    nvml_device device;
    const rft_clock *clock;
    unsigned sw_thermal; /* this driver's number of the first of the three */
} nvml_meter;

/* ---- reading ---- */
static void set_fact(const nvml_meter *meter, rft_meter_snapshot *out, rft_meter_fact fact, int status, double value) {
    out->values[fact] = status == NVML_OK ? value : (double)NAN;
    out->reasons[fact] = status == NVML_OK ? NULL : meter->api.error_text(status);
}

static double field_value(const nvml_field *field) {
    switch (field->type) {
    case TYPE_DOUBLE:
        return field->value.real;
    case TYPE_UINT:
        return field->value.uint;
    case TYPE_ULONG:
        return (double)field->value.ulong;
    case TYPE_ULONG_LONG:
        return (double)field->value.ulong_long;
    case TYPE_LONG_LONG:
        return (double)field->value.long_long;
    case TYPE_INT:
        return field->value.integer;
    case TYPE_USHORT:
        return field->value.ushort;
    default:
        return NAN;
    }
}

typedef struct wanted_field {
    unsigned id;
    rft_meter_fact fact;
    double per_unit; /* the field counts so many to one of the fact's unit */
} wanted_field;

enum { WANTED_MAX = 12 };

static size_t wanted_fields(const nvml_meter *meter, unsigned groups, wanted_field out[WANTED_MAX]) {
    size_t n = 0;
    if (groups & RFT_METER_POWER) {
        out[n++] = (wanted_field){FIELD_POWER_AVERAGE, RFT_METER_POWER_AVERAGE_W, 1e3};
        out[n++] = (wanted_field){FIELD_POWER_INSTANT, RFT_METER_POWER_INSTANT_W, 1e3};
    }
    if (groups & RFT_METER_HEAT) {
        out[n++] = (wanted_field){FIELD_MEMORY_TEMP, RFT_METER_MEMORY_TEMPERATURE_C, 1.0};
    }
    if (groups & RFT_METER_THROTTLE) {
        out[n++] = (wanted_field){FIELD_PERF_POLICY_POWER, RFT_METER_POWER_CAP_S, 1e9};
        out[n++] = (wanted_field){FIELD_PERF_POLICY_SYNC_BOOST, RFT_METER_SYNC_BOOST_S, 1e9};
        out[n++] = (wanted_field){FIELD_PERF_POLICY_THERMAL, RFT_METER_SW_THERMAL_S, 1e9}; /* its older name */
        out[n++] = (wanted_field){meter->sw_thermal, RFT_METER_SW_THERMAL_S, 1e9};
        out[n++] = (wanted_field){meter->sw_thermal + 1, RFT_METER_HW_THERMAL_S, 1e9};
        out[n++] = (wanted_field){meter->sw_thermal + 2, RFT_METER_POWER_BRAKE_S, 1e9};
    }
    return n;
}

/* All fields in one call, which the library answers with as few questions to the driver as it can. Where a fact has
 * two fields, the later one counts if it is there. */
static void read_fields(const nvml_meter *meter, unsigned groups, rft_meter_snapshot *out) {
    wanted_field wanted[WANTED_MAX];
    nvml_field fields[WANTED_MAX] = {0};
    size_t n = wanted_fields(meter, groups, wanted);
    if (n == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        fields[i].id = wanted[i].id;
    }
    int status = meter->api.fields ? meter->api.fields(meter->device, (int)n, fields) : NVML_FUNCTION_NOT_FOUND;
    for (size_t i = 0; i < n; i++) {
        int one = status == NVML_OK ? fields[i].status : status;
        if (one == NVML_OK || isnan(out->values[wanted[i].fact])) {
            set_fact(meter, out, wanted[i].fact, one, field_value(&fields[i]) / wanted[i].per_unit);
        }
    }
}

static void read_power(const nvml_meter *meter, rft_meter_snapshot *out) {
    unsigned milliwatts = 0;
    if (isnan(out->values[RFT_METER_POWER_AVERAGE_W])) { /* a driver without the fields */
        int status = meter->api.power ? meter->api.power(meter->device, &milliwatts) : NVML_FUNCTION_NOT_FOUND;
        set_fact(meter, out, RFT_METER_POWER_AVERAGE_W, status, milliwatts / 1e3);
    }
}

static void read_clocks(const nvml_meter *meter, rft_meter_snapshot *out) {
    unsigned mhz = 0;
    int status = meter->api.clock ? meter->api.clock(meter->device, CLOCK_SM, &mhz) : NVML_FUNCTION_NOT_FOUND;
    set_fact(meter, out, RFT_METER_SM_CLOCK_MHZ, status, mhz);
    status = meter->api.clock ? meter->api.clock(meter->device, CLOCK_MEMORY, &mhz) : NVML_FUNCTION_NOT_FOUND;
    set_fact(meter, out, RFT_METER_MEMORY_CLOCK_MHZ, status, mhz);
}

static void meter_read(rft_meter *base, unsigned groups, rft_meter_snapshot *out) {
    const nvml_meter *meter = (const nvml_meter *)base;
    unsigned long long wide = 0;
    unsigned narrow = 0;
    for (int i = 0; i < RFT_METER_FACT_COUNT; i++) {
        out->values[i] = NAN;
        out->reasons[i] = "not asked for";
    }
    int64_t begun_ns = meter->clock->monotonic_ns(meter->clock->self);
    read_fields(meter, groups, out);
    if (groups & RFT_METER_ENERGY) {
        int status = meter->api.energy ? meter->api.energy(meter->device, &wide) : NVML_FUNCTION_NOT_FOUND;
        set_fact(meter, out, RFT_METER_ENERGY_J, status, (double)wide / 1e3);
    }
    if (groups & RFT_METER_POWER) {
        read_power(meter, out);
    }
    if (groups & RFT_METER_CLOCKS) {
        read_clocks(meter, out);
    }
    if (groups & RFT_METER_HEAT) {
        int status = meter->api.temperature ? meter->api.temperature(meter->device, SENSOR_GPU, &narrow)
                                            : NVML_FUNCTION_NOT_FOUND;
        set_fact(meter, out, RFT_METER_TEMPERATURE_C, status, narrow);
    }
    if (groups & RFT_METER_EVENTS) {
        nvml_get_wide *reasons = meter->api.reasons ? meter->api.reasons : meter->api.reasons_old;
        int status = reasons ? reasons(meter->device, &wide) : NVML_FUNCTION_NOT_FOUND;
        set_fact(meter, out, RFT_METER_EVENT_REASONS, status, (double)wide);
    }
    out->cost_ns = meter->clock->monotonic_ns(meter->clock->self) - begun_ns;
    out->time_ns = begun_ns + out->cost_ns / 2;
}

/* ---- other processes ---- */
static bool contains(const unsigned *pids, size_t count, unsigned pid) {
    for (size_t i = 0; i < count; i++) {
        if (pids[i] == pid) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const rft_meter_state *state, unsigned pid) {
    for (size_t i = 0; i < state->user_count; i++) {
        if (state->users[i].pid == pid) {
            return true;
        }
    }
    return false;
}

typedef struct own_pids {
    const unsigned *pids;
    size_t count;
} own_pids;

/* True when NVML answered, if only with "there are more than fit". */
static bool add_users(const nvml_meter *meter, get_processes *get, rft_meter_user_kind kind, own_pids own,
                      rft_meter_state *out) {
    nvml_process processes[RFT_METER_USERS_MAX] = {0};
    unsigned count = RFT_METER_USERS_MAX;
    int status = get ? get(meter->device, &count, processes) : NVML_FUNCTION_NOT_FOUND;
    if (status != NVML_OK && status != NVML_INSUFFICIENT_SIZE) {
        if (!out->users_reason) {
            out->users_reason = meter->api.error_text(status);
        }
        return false;
    }
    for (unsigned i = 0; status == NVML_OK && i < count && i < RFT_METER_USERS_MAX; i++) {
        const nvml_process *p = &processes[i];
        if (contains(own.pids, own.count, p->pid)) {
            out->own_count += kind == RFT_METER_COMPUTE;
        } else if (!is_listed(out, p->pid) && out->user_count < RFT_METER_USERS_MAX) {
            bool known = p->used_bytes != ~0ull;
            out->users[out->user_count++] = (rft_meter_user){p->pid, kind, known ? (int64_t)p->used_bytes : -1};
        }
    }
    if (status == NVML_INSUFFICIENT_SIZE) {
        out->users_reason = "more processes than can be listed";
    }
    return true;
}

static rft_meter_switch as_switch(const nvml_meter *meter, int status, unsigned on, const char **reason) {
    *reason = status == NVML_OK ? NULL : meter->api.error_text(status);
    return status != NVML_OK ? RFT_METER_UNKNOWN : on ? RFT_METER_ON : RFT_METER_OFF;
}

static void meter_state(rft_meter *base, const unsigned *pids, size_t pid_count, rft_meter_state *out) {
    const nvml_meter *meter = (const nvml_meter *)base;
    const own_pids own = {pids, pid_count};
    unsigned now = 0, pending = 0;
    *out = (rft_meter_state){.user_count = 0};
    bool answered = add_users(meter, meter->api.compute, RFT_METER_COMPUTE, own, out);
    answered = add_users(meter, meter->api.graphics, RFT_METER_GRAPHICS, own, out) || answered;
    answered = add_users(meter, meter->api.mps, RFT_METER_MPS, own, out) || answered;
    if (answered && out->users_reason && strncmp(out->users_reason, "more", 4) != 0) {
        out->users_reason = NULL; /* one kind the card does not have is no gap */
    }
    int status = meter->api.mig ? meter->api.mig(meter->device, &now, &pending) : NVML_FUNCTION_NOT_FOUND;
    out->mig = as_switch(meter, status, now, &out->mig_reason);
    status = meter->api.persistence ? meter->api.persistence(meter->device, &now) : NVML_FUNCTION_NOT_FOUND;
    out->persistence = as_switch(meter, status, now, &out->persistence_reason);
}

/* ---- opening ---- */
static void meter_close(rft_meter *base) {
    nvml_meter *meter = (nvml_meter *)base;
    if (meter) {
        meter->api.shutdown();
        rft_dynlib_close(meter->library);
        free(meter);
    }
}

static const rft_meter_vt vtable = {.close = meter_close, .read = meter_read, .state = meter_state};

static unsigned sw_thermal_field(const meter_api *api) {
    char version[96] = "";
    int known = api->driver_version ? api->driver_version(version, sizeof version) : NVML_FUNCTION_NOT_FOUND;
    version[sizeof version - 1] = '\0';
    char *end = version;
    long major = strtol(version, &end, 10);
    long minor = known == NVML_OK && *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    bool renumbered = major > RENUMBERED_MAJOR || (major == RENUMBERED_MAJOR && minor >= RENUMBERED_MINOR);
    return renumbered ? FIELD_SW_THERMAL_NOW : FIELD_SW_THERMAL_FIRST;
}

static int find_meter_device(nvml_meter *meter, const char *uuid, const char *pci_id, rft_err *err) {
    int status = NVML_FUNCTION_NOT_FOUND;
    if (uuid && *uuid && meter->api.by_uuid) {
        status = meter->api.by_uuid(uuid, &meter->device);
    }
    const bool is_slice = uuid && strncmp(uuid, "MIG-", 4) == 0; /* the PCI id is the whole card's */
    if (status != NVML_OK && pci_id && *pci_id && !is_slice) {
        status = meter->api.by_pci_id(pci_id, &meter->device);
    }
    if (status == NVML_OK) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_NOT_FOUND, "NVML does not know device %s: %s",
                uuid && *uuid       ? uuid
                : pci_id && *pci_id ? pci_id
                                    : "(neither UUID nor PCI id)",
                meter->api.error_text(status));
    rft_err_remedy(err, "check that nvidia-smi -L lists the device; in a container it must be given the whole device");
    return RFT_E_NOT_FOUND;
}

int rft_nvml_meter_open(rft_meter **out, const char *uuid, const char *pci_id, const rft_clock *clock, rft_err *err) {
    nvml_meter *meter = rft_alloc(sizeof *meter);
    *meter = (nvml_meter){.base.vt = &vtable, .clock = clock};
    *out = NULL;
    int rc = rft_nvml_library_open(&meter->library, &meter->api, symbols, sizeof symbols / sizeof *symbols, err);
    if (rc != RFT_OK) {
        goto done;
    }
    int status = meter->api.init();
    if (status != NVML_OK) {
        rft_err_set(err, RFT_E_NOT_FOUND, "NVML does not start: %s", meter->api.error_text(status));
        rft_err_remedy(err, "nvidia-smi tells what is wrong with the driver");
        rc = RFT_E_NOT_FOUND;
        goto done;
    }
    rc = find_meter_device(meter, uuid, pci_id, err);
    if (rc != RFT_OK) {
        meter->api.shutdown();
        goto done;
    }
    meter->sw_thermal = sw_thermal_field(&meter->api);
    *out = &meter->base;
    meter = NULL;
done:
    if (meter) {
        rft_dynlib_close(meter->library);
        free(meter);
    }
    return rc;
}
