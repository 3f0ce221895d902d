/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_wgmma_roles.cu with an epilogue of matmul_epilogue.cuh: C = EPILOGUE(A B), where `extra` is what it reads. */
#include "matmul_epilogue.cuh"

#if !__CUDA_ARCH_FEAT_SM90_ALL /* the names that entries have; the kernel is empty there */
template <class P> struct BiasAlone;
template <class P> struct BiasRelu;
template <class P> struct BiasGelu;
template <class P> struct BiasGeluErf;
template <class P> struct Scale;
template <class P> struct Residual;
#endif

template <typename T, typename C, bool A_BY_K, bool B_BY_K, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES,
          int CONSUMERS, int CLUSTER_M, int CLUSTER_N, int GROUP, bool PINGPONG, int LAG, int IN_FLIGHT, int STORES,
          template <class> class EPILOGUE>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    matmul_wgmma_epilogue(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                          const __grid_constant__ CUtensorMap c_map, C *__restrict__ c, const void *__restrict__ extra,
                          int m, int n, int k, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Plan<T, C, A_BY_K, B_BY_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP,
                 PINGPONG, LAG, IN_FLIGHT, STORES>
        P;
    typedef EPILOGUE<P> E;
    static_assert(BLOCK_N % P::PIECE_N == 0, "whole pieces");
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared);
    Task task;
    begin_task<P>(task, m, n, k);
    begin_ring<P>(stages);
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        give_registers<P>();
        if (threadIdx.x == CONSUMERS * 128) {
            produce<P>(task, stages, &a, &b);
        }
        __syncwarp();
    } else {
        take_registers<P>();
        StoreTile<P, E> store(
            task, &c_map, c, boxes, stages, group,
            E(task, static_cast<const typename E::Extra *>(extra), stages + P::BARRIERS_AT + STAGES * 16, group));
        MultiplyBetween<E, MultiplyTile<P>> multiply{{task, stages, PINGPONG ? 0 : group * P::ROWS}, store.epilogue};
        consume<P>(task, stages, group, multiply, store);
        store.end();
    }
    if (CLUSTER_M * CLUSTER_N > 1) { /* no block leaves while others may still tell it something */
        cluster_meet();
    }
#endif
}
