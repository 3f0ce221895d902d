// SPDX-License-Identifier: Apache-2.0
// Neighbouring tiles change places: each block brings in its own and writes its neighbour's, out of the other block's
// shared memory when they are one cluster. CLUSTER and BLOCK are macros.

__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

extern "C" __global__ void exchange_tiles(const float *x, float *y, long long n) {
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const long long partner = i ^ 256;
#if CLUSTER == 1
    const float value = partner < n ? x[partner] : 0.0f;
#else
    __shared__ float tile[BLOCK];
    unsigned rank, size, place;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (size != CLUSTER) {
        __trap(); // launched without its cluster
    }
    tile[threadIdx.x] = i < n ? x[i] : 0.0f;
    meet_cluster();
    const unsigned own = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    float value;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(own), "r"(rank ^ 256 / BLOCK));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(place) : "memory");
    meet_cluster(); // nobody leaves while its tile is read
#endif
    if (i < n) {
        y[i] = 2.0f * value;
    }
}
