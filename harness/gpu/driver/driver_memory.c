/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver.h"

#include "base/units.h"

#include <string.h>

enum { MAPPED_MAX_BYTES = 64 << 10 };

int rft_cuda_memory_free(rft_gpu *base, uint64_t *free_bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    size_t available = 0, total = 0;
    int rc =
        rft_cuda_check(gpu, gpu->api.cuMemGetInfo(&available, &total), RFT_E_DEVICE, "asking for free memory", err);
    if (rc == 0) {
        *free_bytes = available;
    }
    return rc;
}

int rft_cuda_alloc(rft_gpu *base, uint64_t bytes, rft_device_ptr *out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    *out = 0;
    int rc = rft_cuda_usable(gpu, err);
    if (rc != 0) {
        return rc;
    }
    CUdeviceptr memory = 0;
    CUresult status = gpu->api.cuMemAlloc(&memory, bytes ? bytes : 1);
    if (status == CUDA_ERROR_OUT_OF_MEMORY) {
        char need[64], have[64] = "unknown";
        uint64_t free_bytes = 0;
        rft_units_format_bytes(need, sizeof need, bytes);
        if (rft_cuda_memory_free(base, &free_bytes, NULL) == 0) {
            rft_units_format_bytes(have, sizeof have, free_bytes);
        }
        rft_err_set(err, RFT_E_LIMIT, "out of device memory: %s asked for, %s free", need, have);
        rft_err_remedy(err, "free device memory (nvidia-smi shows what holds it), or sweep smaller problems");
        return RFT_E_LIMIT;
    }
    rc = rft_cuda_check(gpu, status, RFT_E_DEVICE, "allocating device memory", err);
    *out = rc == 0 ? memory : 0;
    return rc;
}

void rft_cuda_free(rft_gpu *base, rft_device_ptr memory) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (memory && !gpu->is_sticky) {
        /* cuMemFree waits for the device; a fault it reports comes back from the next call too. */
        rft_cuda_check(gpu, gpu->api.cuMemFree(memory), RFT_E_DEVICE, "freeing device memory", NULL);
    }
}

int rft_cuda_write(rft_gpu *base, rft_device_ptr to, const void *from, size_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (bytes == 0) {
        return 0;
    }
    int rc = rft_cuda_usable(gpu, err);
    if (rc == 0) {
        rc = rft_cuda_check(gpu, gpu->api.cuMemcpyHtoDAsync(to, from, bytes, gpu->stream), RFT_E_DEVICE,
                            "copying to the device", err);
    }
    if (rc == 0) {
        rc = rft_cuda_check(gpu, gpu->api.cuStreamSynchronize(gpu->stream), RFT_E_DEVICE, "copying to the device", err);
    }
    return rc;
}

int rft_cuda_read(rft_gpu *base, void *to, rft_device_ptr from, size_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (bytes == 0) {
        return 0;
    }
    int rc = rft_cuda_usable(gpu, err);
    if (rc == 0) {
        rc = rft_cuda_check(gpu, gpu->api.cuMemcpyDtoHAsync(to, from, bytes, gpu->stream), RFT_E_DEVICE,
                            "copying from the device", err);
    }
    if (rc == 0) {
        rc = rft_cuda_check(gpu, gpu->api.cuStreamSynchronize(gpu->stream), RFT_E_DEVICE, "copying from the device",
                            err);
    }
    return rc;
}

int rft_cuda_copy(rft_gpu *base, rft_device_ptr to, rft_device_ptr from, uint64_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (bytes == 0) {
        return 0;
    }
    return rft_cuda_check(gpu, gpu->api.cuMemcpyDtoDAsync(to, from, bytes, gpu->stream), RFT_E_DEVICE,
                          "copying on the device", err);
}

int rft_cuda_set(rft_gpu *base, rft_device_ptr to, int byte, uint64_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (bytes == 0) {
        return 0;
    }
    return rft_cuda_check(gpu, gpu->api.cuMemsetD8Async(to, (unsigned char)byte, bytes, gpu->stream), RFT_E_DEVICE,
                          "filling device memory", err);
}

int rft_cuda_mapped(rft_gpu *base, size_t bytes, void **host, rft_device_ptr *device, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    void *memory = NULL;
    CUdeviceptr address = 0;
    int rc = rft_cuda_usable(gpu, err);
    if (rc != 0) {
        return rc;
    }
    if (bytes == 0 || bytes > MAPPED_MAX_BYTES) {
        return rft_err_set(err, RFT_E_LIMIT, "mapped memory of %zu bytes: 1 to %d are allowed", bytes,
                           MAPPED_MAX_BYTES);
    }
    rc = rft_cuda_check(gpu, gpu->api.cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP), RFT_E_DEVICE,
                        "allocating mapped host memory", err);
    if (rc != 0) {
        return rc;
    }
    mapped_block *block = rft_arena_alloc(gpu->arena, sizeof *block);
    *block = (mapped_block){.host = memory, .next = gpu->mapped};
    gpu->mapped = block;
    memset(memory, 0, bytes);
    rc = rft_cuda_check(gpu, gpu->api.cuMemHostGetDevicePointer(&address, memory, 0), RFT_E_DEVICE,
                        "mapping host memory", err);
    if (rc == 0) {
        *host = memory;
        *device = address;
    }
    return rc;
}

/* ---- pinned host memory ---- */
int rft_cuda_host_alloc(rft_gpu *base, uint64_t bytes, void **out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    void *memory = NULL;
    *out = NULL;
    int rc = rft_cuda_usable(gpu, err);
    if (rc != 0) {
        return rc;
    }
    CUresult status = gpu->api.cuMemHostAlloc(&memory, bytes ? bytes : 1, CU_MEMHOSTALLOC_DEVICEMAP);
    if (status == CUDA_ERROR_OUT_OF_MEMORY) {
        char need[64];
        rft_units_format_bytes(need, sizeof need, bytes);
        rft_err_set(err, RFT_E_LIMIT, "out of host memory: %s of pinned memory asked for", need);
        rft_err_remedy(err, "raise the limit on locked memory (ulimit -l), or free memory of the host");
        return RFT_E_LIMIT;
    }
    rc = rft_cuda_check(gpu, status, RFT_E_DEVICE, "allocating pinned host memory", err);
    if (rc == 0) {
        mapped_block *block = rft_arena_alloc(gpu->arena, sizeof *block);
        *block = (mapped_block){.host = memory, .next = gpu->mapped};
        gpu->mapped = block;
        *out = memory;
    }
    return rc;
}

void rft_cuda_host_free(rft_gpu *base, void *host) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (!host || gpu->is_sticky ||
        rft_cuda_check(gpu, gpu->api.cuStreamSynchronize(gpu->stream), RFT_E_DEVICE, "freeing pinned memory", NULL)) {
        return;
    }
    for (mapped_block **at = &gpu->mapped; *at; at = &(*at)->next) {
        if ((*at)->host == host) {
            *at = (*at)->next; /* the list's own memory is the arena's */
            rft_cuda_check(gpu, gpu->api.cuMemFreeHost(host), RFT_E_DEVICE, "freeing pinned memory", NULL);
            return;
        }
    }
}

int rft_cuda_host_to_device(rft_gpu *base, rft_device_ptr to, const void *from, uint64_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    return bytes == 0 ? 0
                      : rft_cuda_check(gpu, gpu->api.cuMemcpyHtoDAsync(to, from, bytes, gpu->stream), RFT_E_DEVICE,
                                       "copying to the device", err);
}

int rft_cuda_device_to_host(rft_gpu *base, void *to, rft_device_ptr from, uint64_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    return bytes == 0 ? 0
                      : rft_cuda_check(gpu, gpu->api.cuMemcpyDtoHAsync(to, from, bytes, gpu->stream), RFT_E_DEVICE,
                                       "copying from the device", err);
}

/* ---- tensor maps ---- */
static CUtensorMapDataType tensor_type(rft_type type) {
    switch (type) {
    case RFT_TYPE_F64:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case RFT_TYPE_F32:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case RFT_TYPE_F16:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case RFT_TYPE_BF16:
        return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case RFT_TYPE_I16:
    case RFT_TYPE_U16:
        return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case RFT_TYPE_I32:
        return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case RFT_TYPE_U32:
        return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case RFT_TYPE_I64:
        return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case RFT_TYPE_U64:
        return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    default: /* one byte: a map moves bits, so fp8 and int8 are the same to it */
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    }
}

/* NULL: nothing amiss. */
static const char *im2col_fault(const rft_tensor_map *map) {
    if (map->rank < 3) {
        return "im2col needs three to five dimensions";
    }
    if (map->box[1] < 1 || map->box[1] > 1024) {
        return "a box of im2col must have 1 to 1024 pixels";
    }
    for (int i = 0; i < map->rank - 2; i++) {
        int most = RFT_IM2COL_MOST(map->rank), lower = map->lower[i], upper = map->upper[i];
        if (lower < -most - 1 || lower > most || upper < -most - 1 || upper > most) {
            return "a corner of im2col is out of range";
        }
        if ((int64_t)map->dims[1 + i] + upper - lower < 1) {
            return "no pixel lies between the corners of im2col";
        }
    }
    return NULL;
}

/* What cuda.h demands of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, whose own answer is only "invalid
 * argument". NULL: nothing amiss. */
static const char *tensor_map_fault(const rft_tensor_map *map, size_t element, const uint64_t strides[5],
                                    rft_device_ptr memory) {
    if (map->rank < 1 || map->rank > 5) {
        return "the rank must be 1 to 5";
    }
    if (memory % 16) {
        return "the address must be a multiple of 16 bytes";
    }
    if (map->swizzle != 0 && map->swizzle != 32 && map->swizzle != 64 && map->swizzle != 128) {
        return "the swizzle must be 0, 32, 64 or 128 bytes";
    }
    if (map->l2_promotion != 0 && map->l2_promotion != 64 && map->l2_promotion != 128 && map->l2_promotion != 256) {
        return "l2_promotion must be 0, 64, 128 or 256 bytes";
    }
    for (int i = 0; i < map->rank; i++) {
        if (map->dims[i] < 1 || map->dims[i] > (uint64_t)1 << 32) {
            return "every dimension must be 1 to 2^32 elements";
        }
        if ((i == 0 || !map->im2col) && (map->box[i] < 1 || map->box[i] > 256)) {
            return "every side of the box must be 1 to 256 elements";
        }
        if (i > 0 && (strides[i - 1] % 16 || strides[i - 1] >= (uint64_t)1 << 40)) {
            return "strides must be multiples of 16 bytes below 2^40 (pad the rows)";
        }
    }
    size_t inner = map->box[0] * element;
    if (inner % 16) {
        return "the box's first side must be a multiple of 16 bytes";
    }
    if (map->swizzle && inner > (size_t)map->swizzle) {
        return "the box's first side must not be wider than the swizzle";
    }
    return map->im2col ? im2col_fault(map) : NULL;
}

int rft_cuda_tensor_map(rft_gpu *base, const rft_tensor_map *map, rft_type type, rft_device_ptr memory,
                        unsigned char out[128], rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    size_t element = rft_type_bytes(type);
    uint64_t strides[5] = {0};
    for (int i = 0; i + 1 < map->rank && i < 4; i++) {
        uint64_t dense = map->dims[i] * (i > 0 ? strides[i - 1] : element);
        strides[i] = map->strides[i] ? map->strides[i] : dense;
    }
    const char *fault = tensor_map_fault(map, element, strides, memory);
    if (fault) {
        return rft_err_set(err, RFT_E_LIMIT, "tensor map refused: %s", fault);
    }
    if (gpu->info.cc_major < 9) {
        return rft_err_set(err, RFT_E_LIMIT, "tensor map refused: %s has no TMA (sm_90 and newer have)",
                           gpu->info.name);
    }
    const cuuint32_t element_strides[5] = {1, 1, 1, 1, 1};
    CUtensorMapSwizzle swizzle = map->swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                 : map->swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                 : map->swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                      : CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapL2promotion promotion = map->l2_promotion == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                       : map->l2_promotion == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                       : map->l2_promotion == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
                                                                  : CU_TENSOR_MAP_L2_PROMOTION_NONE;
    CUtensorMap encoded;
    cuuint64_t sizes[5] = {0}, steps[5] = {0};
    for (int i = 0; i < map->rank; i++) {
        sizes[i] = map->dims[i];
        steps[i] = strides[i];
    }
    CUtensorMapDataType elements = map->tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : tensor_type(type);
    void *address = (void *)(uintptr_t)memory;
    CUresult status =
        map->im2col ? gpu->api.cuTensorMapEncodeIm2col(&encoded, elements, (cuuint32_t)map->rank, address, sizes, steps,
                                                       map->lower, map->upper, map->box[0], map->box[1],
                                                       element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                                       promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                    : gpu->api.cuTensorMapEncodeTiled(&encoded, elements, (cuuint32_t)map->rank, address, sizes, steps,
                                                      map->box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                                      promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    int rc = rft_cuda_check(gpu, status, RFT_E_LIMIT, "tensor map refused", err);
    if (rc == 0) {
        memcpy(out, &encoded, sizeof encoded);
    }
    return rc;
}
_Static_assert(sizeof(CUtensorMap) == 128, "a TMA descriptor has 128 bytes");
