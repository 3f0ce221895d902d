/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_order.cuh - what kernels share that multiply a matrix in an order of their own. */
#ifndef RFT_KERNELS_SPMV_ORDER_CUH
#define RFT_KERNELS_SPMV_ORDER_CUH

/* The launch behind may begin (PDL); what the one in front wrote is there. */
__device__ __forceinline__ void next_may_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void await_launch_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* By one block: of `count` lengths, where each begins; one more is the end. */
extern "C" __global__ void __launch_bounds__(1024) spmv_starts(int *starts, int count) {
    __shared__ int before[1025];
    const int part = (count + 1023) / 1024, thread = threadIdx.x;
    const int first = part * thread < count ? part * thread : count, end = count - first < part ? count : first + part;
    int sum = 0;
    for (int i = first; i < end; i++) {
        sum += starts[i];
    }
    before[thread + 1] = sum;
    __syncthreads();
    if (thread == 0) {
        before[0] = 0;
        for (int i = 1; i <= 1024; i++) {
            before[i] += before[i - 1];
        }
        starts[count] = before[1024];
    }
    __syncthreads();
    sum = before[thread];
    for (int i = first; i < end; i++) {
        const int length = starts[i];
        starts[i] = sum;
        sum += length;
    }
}

#endif
