/* SPDX-License-Identifier: Apache-2.0 */
/* shared_address.cuh - what PTX calls a place in shared memory. */
#ifndef RFT_KERNELS_SHARED_ADDRESS_CUH
#define RFT_KERNELS_SHARED_ADDRESS_CUH

__device__ __forceinline__ unsigned shared_address(const void *place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

#endif
