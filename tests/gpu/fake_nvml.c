/* SPDX-License-Identifier: Apache-2.0 */
/* A libnvidia-ml.so.1 for tests. Its structures are those of NVIDIA's nvml.h, written down anew. */
#include "gpu/fake_nvml.h"

#include <stdio.h>
#include <string.h>

extern fake_nvml_state fake_nvml;
fake_nvml_state fake_nvml;

typedef struct field {
    unsigned id, scope;
    long long time_us, latency_us;
    int type, status;
    union {
        unsigned narrow;
        unsigned long long wide;
    } value;
} field;

typedef struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
} process;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int status);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **out);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **out);
int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out);
int nvmlDeviceGetPowerUsage(void *device, unsigned *out);
int nvmlDeviceGetFieldValues(void *device, int count, field *fields);
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *out);
int nvmlDeviceGetTemperature(void *device, int which, unsigned *out);
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *out);
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending);
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int since, unsigned long long *out);
int nvmlDeviceGetRemappedRows(void *device, unsigned *corrected, unsigned *uncorrected, unsigned *pending,
                              unsigned *failed);
int nvmlDeviceGetPcieReplayCounter(void *device, unsigned *out);
int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *on);
int nvmlDeviceGetPersistenceMode(void *device, unsigned *out);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, process *out);
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, process *out);
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void *device, unsigned *count, process *out);

int nvmlInit_v2(void) {
    fake_nvml.started += fake_nvml.init_status == FAKE_NVML_OK;
    return fake_nvml.init_status;
}
int nvmlShutdown(void) {
    fake_nvml.started--;
    return FAKE_NVML_OK;
}
const char *nvmlErrorString(int status) {
    return status == FAKE_NVML_OK              ? "Success"
           : status == FAKE_NVML_NOT_SUPPORTED ? "Not Supported"
           : status == FAKE_NVML_NOT_FOUND     ? "Not Found"
                                               : "Another Error";
}
static int is_device(const char *name, const char *mine, void **out) {
    *out = &fake_nvml;
    return strcmp(name, mine) == 0 ? FAKE_NVML_OK : FAKE_NVML_NOT_FOUND;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **out) {
    return is_device(id, "0000:AB:00.0", out);
}
int nvmlDeviceGetHandleByUUID(const char *uuid, void **out) {
    return is_device(uuid, "GPU-fake", out);
}
int nvmlSystemGetDriverVersion(char *out, unsigned size) {
    snprintf(out, size, "%s", fake_nvml.driver_version);
    return FAKE_NVML_OK;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out) {
    (void)device;
    *out = fake_nvml.energy_mj;
    return fake_nvml.energy_status;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *out) {
    (void)device;
    *out = fake_nvml.power_mw;
    return FAKE_NVML_OK;
}
int nvmlDeviceGetFieldValues(void *device, int count, field *fields) {
    (void)device;
    fake_nvml.field_calls++;
    for (int i = 0; i < count; i++) {
        field *f = &fields[i];
        unsigned id = f->id < FAKE_NVML_FIELDS ? f->id : 0;
        f->status = fake_nvml.has_field[id] ? FAKE_NVML_OK : FAKE_NVML_NOT_SUPPORTED;
        f->type = id == 82 || id == 185 || id == 186 ? 1 : 3;
        memset(&f->value, 0xEE, sizeof f->value); /* a narrow value leaves the rest as it was */
        if (f->type == 1) {
            f->value.narrow = (unsigned)fake_nvml.field[id];
        } else {
            f->value.wide = fake_nvml.field[id];
        }
        fake_nvml.asked_field[id] = 1;
    }
    return fake_nvml.fields_status;
}
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *out) {
    (void)device;
    *out = which == 1 ? fake_nvml.sm_mhz : fake_nvml.memory_mhz;
    return which == 1 || which == 2 ? FAKE_NVML_OK : FAKE_NVML_INVALID;
}
int nvmlDeviceGetTemperature(void *device, int which, unsigned *out) {
    (void)device;
    *out = fake_nvml.temperature_c;
    return which == 0 ? FAKE_NVML_OK : FAKE_NVML_INVALID;
}
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *out) {
    (void)device;
    *out = fake_nvml.reasons;
    return FAKE_NVML_OK;
}
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending) {
    (void)device;
    *now = fake_nvml.mig;
    *pending = !fake_nvml.mig;
    return fake_nvml.mig_status;
}
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int since, unsigned long long *out) {
    (void)device;
    *out = fake_nvml.errors[kind][since];
    return FAKE_NVML_OK;
}
int nvmlDeviceGetRemappedRows(void *device, unsigned *corrected, unsigned *uncorrected, unsigned *pending,
                              unsigned *failed) {
    (void)device;
    *corrected = fake_nvml.rows[0];
    *uncorrected = fake_nvml.rows[1];
    *pending = fake_nvml.rows[2];
    *failed = fake_nvml.rows[3];
    return FAKE_NVML_OK;
}
int nvmlDeviceGetPcieReplayCounter(void *device, unsigned *out) {
    (void)device;
    *out = 5;
    return FAKE_NVML_OK;
}
int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *on) {
    (void)device;
    *on = link != 3;
    return link < fake_nvml.links ? FAKE_NVML_OK : fake_nvml.links ? FAKE_NVML_INVALID : FAKE_NVML_NOT_SUPPORTED;
}
int nvmlDeviceGetPersistenceMode(void *device, unsigned *out) {
    (void)device;
    *out = fake_nvml.persistence;
    return FAKE_NVML_OK;
}
static int list(const fake_nvml_list *from, unsigned *count, process *out) {
    if (from->status != FAKE_NVML_OK) {
        return from->status;
    }
    if (from->count > *count) {
        *count = from->count;
        return 7; /* insufficient size */
    }
    for (unsigned i = 0; i < from->count; i++) {
        out[i] = (process){.pid = from->pids[i], .bytes = from->bytes[i]};
    }
    *count = from->count;
    return FAKE_NVML_OK;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, process *out) {
    (void)device;
    return list(&fake_nvml.compute, count, out);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, process *out) {
    (void)device;
    return list(&fake_nvml.graphics, count, out);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void *device, unsigned *count, process *out) {
    (void)device;
    return list(&fake_nvml.mps, count, out);
}
