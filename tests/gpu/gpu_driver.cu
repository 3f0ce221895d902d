/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for gpu_driver.c: one for each thing a launch can ask for, and one for each way to fail. */

template <int VEC> __global__ void saxpy(float *y, const float *x, float a, long long n) {
    long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * VEC;
    for (int v = 0; v < VEC; v++) {
        if (i + v < n) {
            y[i + v] += a * x[i + v];
        }
    }
}

/* Turns `count` floats around through dynamic shared memory. */
extern "C" __global__ void reverse(float *data, int count) {
    extern __shared__ float staged[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        staged[i] = data[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        data[i] = staged[count - 1 - i];
    }
}

/* All blocks meet; never ends unless all of them run at once. */
extern "C" __global__ void meet(int *arrived, int *left) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < (int)gridDim.x) {
        }
        atomicAdd(left, 1);
    }
}

extern "C" __global__ void post(volatile unsigned *mailbox, unsigned value) {
    mailbox[threadIdx.x] = value + threadIdx.x;
    __threadfence_system();
}

#if __CUDA_ARCH__ >= 900
/* out[0]: blocks; out[1]: sum of cluster sizes; out[2 + r]: blocks of rank r. */
extern "C" __global__ void count_clusters(int *out) {
    unsigned size, rank;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        atomicAdd(&out[0], 1);
        atomicAdd(&out[1], (int)size);
        atomicAdd(&out[2 + rank], 1);
    }
}

/* For launches with programmatic stream serialization: `first` is slow and lets the next begin early, `second` waits. */
extern "C" __global__ void first(int *value) {
    asm volatile("griddepcontrol.launch_dependents;");
    for (int i = 0; i < 100; i++) {
        __nanosleep(1000);
    }
    if (threadIdx.x == 0) {
        *value = 42;
    }
}
extern "C" __global__ void second(const int *value, int *seen) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (threadIdx.x == 0) {
        *seen = *(const volatile int *)value;
    }
}

/* One 32 x 16 tile of floats by TMA. */
struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};
extern "C" __global__ void load_tile(const __grid_constant__ CUtensorMap map, float *out, int x, int y) {
    __shared__ alignas(128) float tile[32 * 16];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned barrier_at = (unsigned)__cvta_generic_to_shared(&barrier);
    unsigned tile_at = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_at), "r"(32 * 16 * 4)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];" ::"r"(tile_at),
                     "l"(&map), "r"(x), "r"(y), "r"(barrier_at)
                     : "memory");
    }
    __syncthreads();
    for (unsigned done = 0; !done;) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier_at)
                     : "memory");
    }
    for (int i = threadIdx.x; i < 32 * 16; i += blockDim.x) {
        out[i] = tile[i];
    }
}
#endif

/* ---- failures ---- */
extern "C" __global__ void fault_address(int *data) { *(int *)((char *)data + (1ll << 46)) = 1; }
extern "C" __global__ void fault_alignment(int *data) { *(volatile int *)((char *)data + 1) = 1; }
extern "C" __global__ void fault_trap(int *data) { asm volatile("trap;"); }
extern "C" __global__ void fault_assert(int *data) { assert(data[0] == 12345); }
extern "C" __global__ void fault_spin(int *data) {
    while (atomicAdd(data, 0) == 0) {
    }
}
