// SPDX-License-Identifier: Apache-2.0
// C = A B^T on tensor cores by CUTLASS: its kernel is called with parameters that are made on the device.
#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/kernel/default_gemm.h>
#include <cutlass/gemm/threadblock/threadblock_swizzle.h>

template <int BM, int BN, int BK, int WM, int WN, int STAGES, int SWIZZLE>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    gemm(const cutlass::half_t *a, const cutlass::half_t *b, cutlass::half_t *c, int m, int n, int k) {
    using Row = cutlass::layout::RowMajor;
    using Column = cutlass::layout::ColumnMajor;
    using Kernel = typename cutlass::gemm::kernel::DefaultGemm<
        cutlass::half_t, Row, 8, cutlass::half_t, Column, 8, cutlass::half_t, Row, float,
        cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, cutlass::gemm::GemmShape<BM, BN, BK>,
        cutlass::gemm::GemmShape<WM, WN, BK>, cutlass::gemm::GemmShape<16, 8, 16>,
        cutlass::epilogue::thread::LinearCombination<cutlass::half_t, 8, float, float>,
        cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<SWIZZLE>, STAGES, false,
        cutlass::arch::OpMultiplyAdd>::GemmKernel;
    constexpr int PIPELINE = (BM + BN) * BK * 2 * STAGES, EPILOGUE = (BM / WM) * (BN / WN) * 16 * (BN + 8) * 4;
    static_assert(sizeof(typename Kernel::SharedStorage) <= (PIPELINE > EPILOGUE ? PIPELINE : EPILOGUE),
                  "the sweep's launch gives less shared memory than CUTLASS uses");
    extern __shared__ int4 shared[];
    const cutlass::gemm::GemmCoord size(m, n, k), tiles((m + BM - 1) / BM, (n + BN - 1) / BN, 1);
    const typename Kernel::Params params(size, tiles, {const_cast<cutlass::half_t *>(a), k},
                                         {const_cast<cutlass::half_t *>(b), k}, {c, n}, {c, n}, {1.0f, 0.0f});
    Kernel kernel;
    kernel(params, *reinterpret_cast<typename Kernel::SharedStorage *>(shared));
}
