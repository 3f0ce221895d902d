/* SPDX-License-Identifier: Apache-2.0 */
/* fake_nvml.h - what the libnvidia-ml.so.1 of tests answers, for the program that tests harness/gpu/nvml/nvml.c and
 * nvml_meter.c against it: the test fills it in. One device, "GPU-fake" at 0000:AB:00.0. */
#ifndef RFT_TESTS_FAKE_NVML_H
#define RFT_TESTS_FAKE_NVML_H

enum { FAKE_NVML_FIELDS = 300, FAKE_NVML_PROCESSES = 100 };
enum { FAKE_NVML_OK = 0, FAKE_NVML_INVALID = 2, FAKE_NVML_NOT_SUPPORTED = 3, FAKE_NVML_NOT_FOUND = 6 };

typedef struct fake_nvml_list {
    int status;
    unsigned count;
    unsigned pids[FAKE_NVML_PROCESSES];
    unsigned long long bytes[FAKE_NVML_PROCESSES];
} fake_nvml_list;

typedef struct fake_nvml_state {
    int init_status, started; /* started: nvmlInit less nvmlShutdown */
    const char *driver_version;
    unsigned long long energy_mj, reasons;
    int energy_status;
    unsigned sm_mhz, memory_mhz, temperature_c, power_mw;
    int field_calls, fields_status;              /* of the call as a whole */
    unsigned char has_field[FAKE_NVML_FIELDS];   /* else: not supported */
    unsigned long long field[FAKE_NVML_FIELDS];  /* given as unsigned (185, 186, 82) or unsigned long long */
    unsigned char asked_field[FAKE_NVML_FIELDS]; /* ever */
    fake_nvml_list compute, graphics, mps;
    int mig_status;
    unsigned mig, persistence;
    unsigned long long errors[2][2]; /* corrected or not, since the driver was loaded or ever */
    unsigned rows[4];                /* remapped for corrected, for uncorrected errors; pending; failed */
    unsigned links;                  /* of NVLink; the one numbered 3 is down */
} fake_nvml_state;

#endif
