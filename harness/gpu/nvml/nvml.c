/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVML with prototypes of its own: its header is missing from many toolkits, and these entry points have kept their
 * arguments for years. Every one is optional; what a driver or device does not give is a fact without value, with
 * NVML's own words for why.
 */
#include "gpu/gpu.h"
#include "gpu/meter.h"
#include "gpu/nvml/nvml_parts.h"

#include <stdlib.h>
#include <unistd.h>

enum { NVML_OK = 0, NVML_INSUFFICIENT_SIZE = 7, NVML_FUNCTION_NOT_FOUND = 13 };
enum { CLOCK_GRAPHICS = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

typedef struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
} nvml_memory;

typedef int get_clock(nvml_device device, int type, unsigned *out_mhz);
/* Rows of memory replaced for corrected and for uncorrected errors; whether a replacement waits for a reset, or failed.
 */
typedef int get_rows(nvml_device device, unsigned *corrected, unsigned *uncorrected, unsigned *pending,
                     unsigned *failed);

/* field, type, exported name, required */
#define NVML_MAP(X)                                                                                                    \
    X(init, int (*)(void), "nvmlInit_v2", true)                                                                        \
    X(shutdown, int (*)(void), "nvmlShutdown", true)                                                                   \
    X(error_text, const char *(*)(int), "nvmlErrorString", true)                                                       \
    X(by_pci_id, int (*)(const char *, nvml_device *), "nvmlDeviceGetHandleByPciBusId_v2", true)                       \
    X(driver_version, int (*)(char *, unsigned), "nvmlSystemGetDriverVersion", false)                                  \
    X(version, int (*)(char *, unsigned), "nvmlSystemGetNVMLVersion", false)                                           \
    X(vbios, int (*)(nvml_device, char *, unsigned), "nvmlDeviceGetVbiosVersion", false)                               \
    X(serial, int (*)(nvml_device, char *, unsigned), "nvmlDeviceGetSerial", false)                                    \
    X(power_limit, nvml_get_unsigned *, "nvmlDeviceGetPowerManagementLimit", false)                                    \
    X(power_default, nvml_get_unsigned *, "nvmlDeviceGetPowerManagementDefaultLimit", false)                           \
    X(power_enforced, nvml_get_unsigned *, "nvmlDeviceGetEnforcedPowerLimit", false)                                   \
    X(power_range, nvml_get_pair *, "nvmlDeviceGetPowerManagementLimitConstraints", false)                             \
    X(power_now, nvml_get_unsigned *, "nvmlDeviceGetPowerUsage", false)                                                \
    X(energy, nvml_get_wide *, "nvmlDeviceGetTotalEnergyConsumption", false)                                           \
    X(temperature, get_clock *, "nvmlDeviceGetTemperature", false)                                                     \
    X(clock_now, get_clock *, "nvmlDeviceGetClockInfo", false)                                                         \
    X(clock_max, get_clock *, "nvmlDeviceGetMaxClockInfo", false)                                                      \
    X(clock_set, get_clock *, "nvmlDeviceGetApplicationsClock", false)                                                 \
    X(state, nvml_get_unsigned *, "nvmlDeviceGetPerformanceState", false)                                              \
    X(reasons, nvml_get_wide *, "nvmlDeviceGetCurrentClocksEventReasons", false)                                       \
    X(reasons_old, nvml_get_wide *, "nvmlDeviceGetCurrentClocksThrottleReasons", false)                                \
    X(persistence, nvml_get_unsigned *, "nvmlDeviceGetPersistenceMode", false)                                         \
    X(ecc, nvml_get_pair *, "nvmlDeviceGetEccMode", false)                                                             \
    X(ecc_errors, int (*)(nvml_device, int, int, unsigned long long *), "nvmlDeviceGetTotalEccErrors", false)          \
    X(rows, get_rows *, "nvmlDeviceGetRemappedRows", false)                                                            \
    X(replays, nvml_get_unsigned *, "nvmlDeviceGetPcieReplayCounter", false)                                           \
    X(nvlink, int (*)(nvml_device, unsigned, unsigned *), "nvmlDeviceGetNvLinkState", false)                           \
    X(mig, nvml_get_pair *, "nvmlDeviceGetMigMode", false)                                                             \
    X(pcie_gen, nvml_get_unsigned *, "nvmlDeviceGetCurrPcieLinkGeneration", false)                                     \
    X(pcie_width, nvml_get_unsigned *, "nvmlDeviceGetCurrPcieLinkWidth", false)                                        \
    X(pcie_gen_max, nvml_get_unsigned *, "nvmlDeviceGetMaxPcieLinkGeneration", false)                                  \
    X(pcie_width_max, nvml_get_unsigned *, "nvmlDeviceGetMaxPcieLinkWidth", false)                                     \
    X(memory, int (*)(nvml_device, nvml_memory *), "nvmlDeviceGetMemoryInfo", false)                                   \
    X(processes, int (*)(nvml_device, unsigned *, nvml_process *), "nvmlDeviceGetComputeRunningProcesses_v3", false)   \
    X(mps, int (*)(nvml_device, unsigned *, nvml_process *), "nvmlDeviceGetMPSComputeRunningProcesses_v3", false)

typedef struct nvml_api {
#define NVML_FIELD(field, type, name, required) __typeof__((type)0) field;
    NVML_MAP(NVML_FIELD)
#undef NVML_FIELD
} nvml_api;

static const rft_dynlib_symbol symbols[] = {
#define NVML_SYMBOL(field, type, name, required) {name, offsetof(nvml_api, field), !(required)},
    NVML_MAP(NVML_SYMBOL)
#undef NVML_SYMBOL
};

typedef struct nvml_talk {
    nvml_api api;
    nvml_device device;
    rft_env *env;
    rft_arena *arena;
} nvml_talk;

/* Every key this file sets, so that each has at least a reason when NVML cannot be asked at all. */
static const char *const keys[] = {"nvml.driver_version",
                                   "nvml.version",
                                   "nvml.vbios",
                                   "nvml.serial",
                                   "nvml.power_limit_w",
                                   "nvml.power_limit_default_w",
                                   "nvml.power_limit_enforced_w",
                                   "nvml.power_limit_min_w",
                                   "nvml.power_limit_max_w",
                                   "nvml.power_w",
                                   "nvml.energy_counter",
                                   "nvml.temperature_c",
                                   "nvml.sm_clock_mhz",
                                   "nvml.sm_clock_max_mhz",
                                   "nvml.memory_clock_mhz",
                                   "nvml.memory_clock_max_mhz",
                                   "nvml.application_sm_clock_mhz",
                                   "nvml.application_memory_clock_mhz",
                                   "nvml.performance_state",
                                   "nvml.clock_event_reasons",
                                   "nvml.persistence",
                                   "nvml.ecc",
                                   "nvml.ecc_uncorrected",
                                   "nvml.ecc_uncorrected_lifetime",
                                   "nvml.ecc_corrected",
                                   "nvml.rows_remapped",
                                   "nvml.row_remapping",
                                   "nvml.mig",
                                   "nvml.pcie_generation",
                                   "nvml.pcie_width",
                                   "nvml.pcie_replays",
                                   "nvml.nvlinks",
                                   "nvml.memory_total_bytes",
                                   "nvml.memory_used_bytes",
                                   "nvml.other_processes",
                                   "nvml.mps_processes"};

/* ---- facts ---- */
static void set_text(nvml_talk *t, const char *key, int status, const char *value) {
    rft_env_set(t->env, t->arena, key, status == NVML_OK ? value : NULL,
                status == NVML_OK ? NULL : t->api.error_text(status));
}

static void set_count(nvml_talk *t, const char *key, int status, unsigned long long value) {
    set_text(t, key, status, rft_arena_printf(t->arena, "%llu", value));
}

static void set_watts(nvml_talk *t, const char *key, int status, unsigned milliwatts) {
    rft_str text = RFT_STR_INIT;
    rft_str_add_double(&text, (double)(milliwatts / 100) / 10.0);
    set_text(t, key, status, rft_str_get(&text));
    rft_str_clear(&text);
}

static int ask_nvml(const nvml_talk *t, nvml_get_unsigned *get, unsigned *out) {
    *out = 0;
    return get ? get(t->device, out) : NVML_FUNCTION_NOT_FOUND;
}

static int ask_clock(const nvml_talk *t, get_clock *get, int type, unsigned *out) {
    *out = 0;
    return get ? get(t->device, type, out) : NVML_FUNCTION_NOT_FOUND;
}

static void set_switch(nvml_talk *t, const char *key, int status, unsigned on) {
    set_text(t, key, status, on ? "on" : "off");
}

static void add_power(nvml_talk *t) {
    unsigned value = 0, low = 0, high = 0;
    unsigned long long energy_mj = 0;
    int status = ask_nvml(t, t->api.power_limit, &value);
    set_watts(t, "nvml.power_limit_w", status, value);
    status = ask_nvml(t, t->api.power_default, &value);
    set_watts(t, "nvml.power_limit_default_w", status, value);
    status = ask_nvml(t, t->api.power_enforced, &value);
    set_watts(t, "nvml.power_limit_enforced_w", status, value);
    status = t->api.power_range ? t->api.power_range(t->device, &low, &high) : NVML_FUNCTION_NOT_FOUND;
    set_watts(t, "nvml.power_limit_min_w", status, low);
    set_watts(t, "nvml.power_limit_max_w", status, high);
    status = ask_nvml(t, t->api.power_now, &value);
    set_watts(t, "nvml.power_w", status, value);
    status = t->api.energy ? t->api.energy(t->device, &energy_mj) : NVML_FUNCTION_NOT_FOUND;
    set_text(t, "nvml.energy_counter", status, "supported");
}

static void add_clocks(nvml_talk *t) {
    unsigned value = 0;
    unsigned long long bits = 0;
    char names[400];
    int status = ask_clock(t, t->api.temperature, 0, &value);
    set_count(t, "nvml.temperature_c", status, value);
    status = ask_clock(t, t->api.clock_now, CLOCK_SM, &value);
    set_count(t, "nvml.sm_clock_mhz", status, value);
    status = ask_clock(t, t->api.clock_max, CLOCK_SM, &value);
    set_count(t, "nvml.sm_clock_max_mhz", status, value);
    status = ask_clock(t, t->api.clock_now, CLOCK_MEMORY, &value);
    set_count(t, "nvml.memory_clock_mhz", status, value);
    status = ask_clock(t, t->api.clock_max, CLOCK_MEMORY, &value);
    set_count(t, "nvml.memory_clock_max_mhz", status, value);
    status = ask_clock(t, t->api.clock_set, CLOCK_SM, &value);
    set_count(t, "nvml.application_sm_clock_mhz", status, value);
    status = ask_clock(t, t->api.clock_set, CLOCK_MEMORY, &value);
    set_count(t, "nvml.application_memory_clock_mhz", status, value);
    status = ask_nvml(t, t->api.state, &value);
    set_text(t, "nvml.performance_state", status, rft_arena_printf(t->arena, "P%u", value));
    nvml_get_wide *reasons = t->api.reasons ? t->api.reasons : t->api.reasons_old;
    status = reasons ? reasons(t->device, &bits) : NVML_FUNCTION_NOT_FOUND;
    set_text(t, "nvml.clock_event_reasons", status, rft_meter_reasons_text((double)bits, names, sizeof names));
}

/* Total errors: corrected (0) or not (1), since the driver was loaded (0) or in the card's life (1). */
static void set_errors(nvml_talk *t, const char *key, int kind, int since) {
    unsigned long long errors = 0;
    int status = t->api.ecc_errors ? t->api.ecc_errors(t->device, kind, since, &errors) : NVML_FUNCTION_NOT_FOUND;
    set_count(t, key, status, errors);
}

static void add_memory_health(nvml_talk *t) {
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    set_errors(t, "nvml.ecc_uncorrected", 1, 0);
    set_errors(t, "nvml.ecc_uncorrected_lifetime", 1, 1);
    set_errors(t, "nvml.ecc_corrected", 0, 0);
    int status =
        t->api.rows ? t->api.rows(t->device, &corrected, &uncorrected, &pending, &failed) : NVML_FUNCTION_NOT_FOUND;
    set_count(t, "nvml.rows_remapped", status, (unsigned long long)corrected + uncorrected);
    set_text(t, "nvml.row_remapping", status, failed ? "failed" : pending ? "pending" : "ok");
}

static void add_modes(nvml_talk *t) {
    unsigned now = 0, pending = 0;
    int status = ask_nvml(t, t->api.persistence, &now);
    set_switch(t, "nvml.persistence", status, now);
    status = t->api.ecc ? t->api.ecc(t->device, &now, &pending) : NVML_FUNCTION_NOT_FOUND;
    set_switch(t, "nvml.ecc", status, now);
    add_memory_health(t);
    status = t->api.mig ? t->api.mig(t->device, &now, &pending) : NVML_FUNCTION_NOT_FOUND;
    set_switch(t, "nvml.mig", status, now);
}

static void add_nvlinks(nvml_talk *t) {
    enum { LINKS_MOST = 36 };
    unsigned links = 0, active = 0, on = 0;
    int first = NVML_FUNCTION_NOT_FOUND;
    for (unsigned link = 0; t->api.nvlink && link < LINKS_MOST; link++) {
        int status = t->api.nvlink(t->device, link, &on);
        first = link == 0 ? status : first;
        links += status == NVML_OK;
        active += status == NVML_OK && on;
    }
    set_text(t, "nvml.nvlinks", first, rft_arena_printf(t->arena, "%u of %u", active, links));
}

static void add_link(nvml_talk *t) {
    unsigned now = 0, most = 0;
    int status = ask_nvml(t, t->api.pcie_gen, &now);
    int status_max = ask_nvml(t, t->api.pcie_gen_max, &most);
    set_text(t, "nvml.pcie_generation", status,
             status_max == NVML_OK ? rft_arena_printf(t->arena, "%u of %u", now, most)
                                   : rft_arena_printf(t->arena, "%u", now));
    status = ask_nvml(t, t->api.pcie_width, &now);
    status_max = ask_nvml(t, t->api.pcie_width_max, &most);
    set_text(t, "nvml.pcie_width", status,
             status_max == NVML_OK ? rft_arena_printf(t->arena, "x%u of x%u", now, most)
                                   : rft_arena_printf(t->arena, "x%u", now));
    status = ask_nvml(t, t->api.replays, &now);
    set_count(t, "nvml.pcie_replays", status, now);
    add_nvlinks(t);
}

/* Our own process is not counted where it can be told apart (in a container NVML may name the host's numbers). */
static void add_use(nvml_talk *t) {
    enum { MOST = 256 };
    nvml_memory memory = {0};
    int status = t->api.memory ? t->api.memory(t->device, &memory) : NVML_FUNCTION_NOT_FOUND;
    set_count(t, "nvml.memory_total_bytes", status, memory.total);
    set_count(t, "nvml.memory_used_bytes", status, memory.used);
    nvml_process *processes = rft_arena_calloc(t->arena, MOST, sizeof *processes);
    unsigned count = MOST, others = 0;
    status = t->api.processes ? t->api.processes(t->device, &count, processes) : NVML_FUNCTION_NOT_FOUND;
    bool too_many = status == NVML_INSUFFICIENT_SIZE;
    for (unsigned i = 0; status == NVML_OK && i < count; i++) {
        others += processes[i].pid != (unsigned)getpid();
    }
    set_count(t, "nvml.other_processes", too_many ? NVML_OK : status, too_many ? count : others);
    count = MOST;
    status = t->api.mps ? t->api.mps(t->device, &count, processes) : NVML_FUNCTION_NOT_FOUND;
    set_count(t, "nvml.mps_processes", status == NVML_INSUFFICIENT_SIZE ? NVML_OK : status, count);
}

static void add_versions(nvml_talk *t) {
    char text[96] = "";
    int status = t->api.driver_version ? t->api.driver_version(text, sizeof text) : NVML_FUNCTION_NOT_FOUND;
    set_text(t, "nvml.driver_version", status, text);
    status = t->api.version ? t->api.version(text, sizeof text) : NVML_FUNCTION_NOT_FOUND;
    set_text(t, "nvml.version", status, text);
    status = t->api.vbios ? t->api.vbios(t->device, text, sizeof text) : NVML_FUNCTION_NOT_FOUND;
    set_text(t, "nvml.vbios", status, text);
    status = t->api.serial ? t->api.serial(t->device, text, sizeof text) : NVML_FUNCTION_NOT_FOUND;
    set_text(t, "nvml.serial", status, text);
}

static void no_fact(nvml_talk *t, const char *reason) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        rft_env_set(t->env, t->arena, keys[i], NULL, reason);
    }
}

int rft_nvml_library_open(void **handle, void *table, const rft_dynlib_symbol *wanted, size_t count, rft_err *err) {
    static const char *const files[] = {"libnvidia-ml.so.1", NULL};
    const rft_dynlib_spec spec = {
        .title = "NVML",
        .files = files,
        .symbols = wanted,
        .symbol_count = count,
        .code = RFT_E_NOT_FOUND,
        .remedy = "it comes with the NVIDIA driver; a container must be given it",
    };
    return rft_dynlib_open(handle, table, &spec, err);
}

void rft_nvml_describe(const char *pci_id, rft_env *env, rft_arena *arena) {
    nvml_talk t = {.env = env, .arena = arena};
    rft_err err = RFT_ERR_INIT;
    void *handle = NULL;
    if (rft_nvml_library_open(&handle, &t.api, symbols, sizeof symbols / sizeof *symbols, &err) != 0) {
        no_fact(&t, "NVML cannot be opened");
        return;
    }
    int status = t.api.init();
    if (status != NVML_OK) {
        no_fact(&t, rft_arena_printf(arena, "NVML does not start: %s", t.api.error_text(status)));
    } else if ((status = t.api.by_pci_id(pci_id ? pci_id : "", &t.device)) != NVML_OK) {
        no_fact(&t, rft_arena_printf(arena, "NVML does not know device %s: %s", pci_id ? pci_id : "(no PCI id)",
                                     t.api.error_text(status)));
        t.api.shutdown();
    } else {
        add_versions(&t);
        add_power(&t);
        add_clocks(&t);
        add_modes(&t);
        add_link(&t);
        add_use(&t);
        t.api.shutdown();
    }
    rft_dynlib_close(handle);
}
