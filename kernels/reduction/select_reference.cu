/* SPDX-License-Identifier: Apache-2.0 */
/* Those of x below `limit`, in order; what lies behind them in y stays. A thread a piece of PIECE elements: count, what
 * stands before each piece, write. */
enum { PIECE = 4096, THREADS = 1024 };

extern "C" __global__ void select_pieces(const int *x, int *sums, long long n, int limit) {
    const long long piece = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = piece * PIECE;
    int kept = 0;
    for (long long i = first; i < n && i < first + PIECE; i++) {
        kept += x[i] < limit;
    }
    if (first < n) {
        sums[piece] = kept;
    }
}

/* One block of THREADS. */
extern "C" __global__ void select_before(int *sums, int *count, long long n) {
    __shared__ int of_thread[THREADS];
    const long long pieces = (n + PIECE - 1) / PIECE, share = (pieces + THREADS - 1) / THREADS;
    const long long first = threadIdx.x * share;
    int kept = 0;
    for (long long i = first; i < pieces && i < first + share; i++) {
        kept += sums[i];
    }
    of_thread[threadIdx.x] = kept;
    __syncthreads();
    int before = 0;
    for (int i = 0; i < (int)threadIdx.x; i++) {
        before += of_thread[i];
    }
    for (long long i = first; i < pieces && i < first + share; i++) {
        const int own = sums[i];
        sums[i] = before;
        before += own;
    }
    if (threadIdx.x == THREADS - 1) {
        count[0] = before;
    }
}

extern "C" __global__ void select_again(const int *x, int *y, const int *sums, long long n, int limit) {
    const long long piece = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = piece * PIECE;
    int to = first < n ? sums[piece] : 0;
    for (long long i = first; i < n && i < first + PIECE; i++) {
        if (x[i] < limit) {
            y[to++] = x[i];
        }
    }
}
