/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver.h"

/* By number where releases of cuda.h differ: 226 contained error, 721 tensor memory leak, 911 external device. */
static bool poisons_context(CUresult status) {
    switch ((int)status) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case 226:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case 721:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case 911:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

typedef struct cuda_remedy {
    int status;
    const char *text;
} cuda_remedy;

static const char *const find_fault = "run this point alone under compute-sanitizer: rooftune point ... --bare";

static const char *remedy_for(CUresult status) {
    static const cuda_remedy rows[] = {
        {CUDA_ERROR_OUT_OF_MEMORY, "free device memory (nvidia-smi shows what holds it), or sweep smaller problems"},
        {CUDA_ERROR_STUB_LIBRARY,
         "the toolkit's stub of libcuda was loaded: take its stubs folder out of LD_LIBRARY_PATH"},
        {CUDA_ERROR_DEVICE_UNAVAILABLE,
         "another process holds the device exclusively, or its compute mode prohibits use: nvidia-smi -q -d COMPUTE"},
        {CUDA_ERROR_NO_DEVICE, "check that nvidia-smi lists a GPU; a container must be started with it, and "
                               "CUDA_VISIBLE_DEVICES must not hide it"},
        {CUDA_ERROR_INVALID_DEVICE, "`rooftune devices` lists the devices"},
        {CUDA_ERROR_DEVICE_NOT_LICENSED, "the virtual GPU needs a licence"},
        {CUDA_ERROR_NO_BINARY_FOR_GPU, "the code is for another architecture than this device"},
        {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "update the driver, or use the NVRTC of an older CUDA release"},
        {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the driver is installed without libnvidia-ptxjitcompiler"},
        {CUDA_ERROR_OPERATING_SYSTEM, "the device files /dev/nvidia* must exist and be open to this user"},
        {CUDA_ERROR_SYSTEM_NOT_READY, "on machines with NVSwitch the service nvidia-fabricmanager must run"},
        {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "the driver's library and kernel module are of different releases: reboot, "
                                            "or use the container's host release"},
        {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
         "the forward-compatibility libcuda does not run on this GPU: take it out of the loader's path"},
        {CUDA_ERROR_MPS_CONNECTION_FAILED, "the MPS server does not answer: restart nvidia-cuda-mps-control, or unset "
                                           "CUDA_MPS_PIPE_DIRECTORY"},
        {CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "too many processes share this GPU through MPS"},
        {CUDA_ERROR_UNKNOWN, "load the driver's kernel modules (nvidia-modprobe -u), and see dmesg for Xid messages"},
        {CUDA_ERROR_ECC_UNCORRECTABLE, "the device's memory is faulty: see nvidia-smi -q -d ECC"},
        {CUDA_ERROR_LAUNCH_TIMEOUT, "the display's watchdog ended the kernel: use a GPU without a display, or smaller "
                                    "problems"},
        {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
         "use smaller blocks or fewer registers (__launch_bounds__, --maxrregcount)"},
        {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "use grid = resident(): all blocks must fit at once"},
        {CUDA_ERROR_INVALID_CLUSTER_SIZE, "use a smaller cluster; the grid must be a multiple of it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].status == (int)status) {
            return rows[i].text;
        }
    }
    return poisons_context(status) ? find_fault : "";
}

int rft_cuda_error(const rft_cuda_api *api, CUresult status, int code, const char *what, rft_err *err) {
    const char *name = NULL, *text = NULL;
    if (api->cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) {
        name = "CUDA error";
    }
    if (api->cuGetErrorString(status, &text) != CUDA_SUCCESS || !text) {
        text = "unknown to the driver";
    }
    rft_err_set(err, code, "%s: %s (%d): %s", what, name, (int)status, text);
    rft_err_remedy(err, "%s", remedy_for(status));
    return code;
}

int rft_cuda_check(cuda_gpu *gpu, CUresult status, int code, const char *what, rft_err *err) {
    if (status == CUDA_SUCCESS) {
        return 0;
    }
    if (poisons_context(status)) {
        gpu->is_sticky = true;
        code = RFT_E_DEVICE;
    }
    return rft_cuda_error(&gpu->api, status, code, what, err);
}

int rft_cuda_usable(const cuda_gpu *gpu, rft_err *err) {
    if (!gpu->is_sticky) {
        return 0;
    }
    rft_err_set(err, RFT_E_DEVICE, "an earlier fault poisoned the CUDA context; this process must end");
    return RFT_E_DEVICE;
}
