/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums in fp64, or exact in whole numbers: a thread a piece of PIECE elements. Three launches: the pieces'
 * sums, what stands before each, and the pieces again. */
enum { PIECE = 4096, THREADS = 1024 };

template <typename T, typename R> __device__ __forceinline__ void sum_piece(const T *x, R *sums, long long n) {
    const long long piece = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = piece * PIECE;
    R sum = 0;
    for (long long i = first; i < n && i < first + PIECE; i++) {
        sum += x[i];
    }
    if (first < n) {
        sums[piece] = sum;
    }
}

/* One block of THREADS. */
template <typename R> __device__ __forceinline__ void before_pieces(R *sums, long long n) {
    __shared__ R of_thread[THREADS];
    const long long pieces = (n + PIECE - 1) / PIECE, share = (pieces + THREADS - 1) / THREADS;
    const long long first = threadIdx.x * share;
    R sum = 0;
    for (long long i = first; i < pieces && i < first + share; i++) {
        sum += sums[i];
    }
    of_thread[threadIdx.x] = sum;
    __syncthreads();
    R before = 0;
    for (int i = 0; i < (int)threadIdx.x; i++) {
        before += of_thread[i];
    }
    for (long long i = first; i < pieces && i < first + share; i++) {
        const R own = sums[i];
        sums[i] = before;
        before += own;
    }
}

template <typename T, typename R>
__device__ __forceinline__ void scan_piece(const T *x, R *y, const R *sums, long long n) {
    const long long piece = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = piece * PIECE;
    R sum = first < n ? sums[piece] : (R)0;
    for (long long i = first; i < n && i < first + PIECE; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

#define SCAN_REFERENCE(NAME, T, R)                                                                                     \
    extern "C" __global__ void NAME##_sums(const T *x, R *sums, long long n) {                                         \
        sum_piece(x, sums, n);                                                                                         \
    }                                                                                                                  \
    extern "C" __global__ void NAME##_before(R *sums, long long n) {                                                   \
        before_pieces(sums, n);                                                                                        \
    }                                                                                                                  \
    extern "C" __global__ void NAME##_pieces(const T *x, R *y, const R *sums, long long n) {                           \
        scan_piece(x, y, sums, n);                                                                                     \
    }
SCAN_REFERENCE(i32, int, int)
SCAN_REFERENCE(f32, float, double)
SCAN_REFERENCE(f64, double, double)
