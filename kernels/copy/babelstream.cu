/* SPDX-License-Identifier: Apache-2.0 */
/* The five kernels of BabelStream in fp64. s is 0.4 there and here. A thread loads VEC doubles of each input at a time,
 * ITEMS of them in flight. */
template <int VEC> struct alignas(8 * VEC) Doubles { double at[VEC]; };

struct Copy {
    static constexpr bool TWO = false;
    __device__ static double of(double x, double, double) {
        return x;
    }
};
struct Mul {
    static constexpr bool TWO = false;
    __device__ static double of(double x, double, double s) {
        return s * x;
    }
};
struct Add {
    static constexpr bool TWO = true;
    __device__ static double of(double x, double y, double) {
        return x + y;
    }
};
struct Triad {
    static constexpr bool TWO = true;
    __device__ static double of(double x, double y, double s) {
        return fma(s, y, x);
    }
};

/* The end of an array that no whole tile covers goes one by one, in the last block. */
template <class OP, int VEC, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) elements(const double *__restrict__ x, const double *__restrict__ y,
                                                  double *__restrict__ out, double s, long long n) {
    using Word = Doubles<VEC>;
    constexpr int TILE = VEC * BLOCK * ITEMS;
    const long long first = (long long)blockIdx.x * TILE;
    if (first + TILE <= n) {
        Word a[ITEMS], b[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const long long at = first / VEC + i * BLOCK + threadIdx.x;
            a[i] = reinterpret_cast<const Word *>(x)[at];
            b[i] = OP::TWO ? reinterpret_cast<const Word *>(y)[at] : a[i];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                a[i].at[v] = OP::of(a[i].at[v], b[i].at[v], s);
            }
            reinterpret_cast<Word *>(out)[first / VEC + i * BLOCK + threadIdx.x] = a[i];
        }
    } else {
        for (long long at = first + threadIdx.x; at < n; at += BLOCK) {
            out[at] = OP::of(x[at], OP::TWO ? y[at] : 0.0, s);
        }
    }
}

template <int BLOCK> __device__ double sum_of_block(double value) {
    __shared__ double warps[BLOCK / 32];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : 0.0;
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step);
    }
    return value; /* in thread 0 */
}

/* A sum a block. BabelStream adds these on the host; here a second launch does. */
template <int VEC, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    dot(const double *__restrict__ x, const double *__restrict__ y, double *__restrict__ sums, long long n) {
    using Word = Doubles<VEC>;
    const long long threads = (long long)gridDim.x * BLOCK, me = (long long)blockIdx.x * BLOCK + threadIdx.x;
    double sum = 0.0;
#pragma unroll 4
    for (long long at = me; at < n / VEC; at += threads) {
        const Word a = reinterpret_cast<const Word *>(x)[at], b = reinterpret_cast<const Word *>(y)[at];
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            sum = fma(a.at[v], b.at[v], sum);
        }
    }
    if (me < n % VEC) {
        sum = fma(x[n - 1 - me], y[n - 1 - me], sum);
    }
    sum = sum_of_block<BLOCK>(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

template <int BLOCK> __global__ void add_sums(const double *__restrict__ sums, double *__restrict__ out, int count) {
    double sum = 0.0;
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        sum += sums[i];
    }
    sum = sum_of_block<BLOCK>(sum);
    if (threadIdx.x == 0) {
        *out = sum;
    }
}
