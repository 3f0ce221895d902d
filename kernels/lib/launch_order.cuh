/* SPDX-License-Identifier: Apache-2.0 */
/* launch_order.cuh - launches that may begin before those in front of them end (`pdl`; sm_90 and newer). */
#ifndef RFT_KERNELS_LAUNCH_ORDER_CUH
#define RFT_KERNELS_LAUNCH_ORDER_CUH

/* From here on may the next one begin. */
__device__ __forceinline__ void launch_next() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/* Until the launch in front of this one has ended: what it wrote is there. */
__device__ __forceinline__ void await_launch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#endif
