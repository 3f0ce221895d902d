/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_activations.cuh - what epilogues do to one element: of(sum, kept(bias)). */
#ifndef RFT_KERNELS_MATMUL_ACTIVATIONS_CUH
#define RFT_KERNELS_MATMUL_ACTIVATIONS_CUH

struct Same {
    __device__ __forceinline__ static float kept(float bias) {
        return bias;
    }
    __device__ __forceinline__ static float of(float sum, float bias) {
        return sum + bias;
    }
};

/* NaN stays NaN. */
struct Relu : Same {
    __device__ __forceinline__ static float of(float sum, float bias) {
        float y;
#if __CUDA_ARCH__ >= 800
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(sum + bias), "f"(0.0f));
#else
        y = sum + bias < 0.0f ? 0.0f : sum + bias;
#endif
        return y;
    }
};

/* Of x = sum + bias as h = x / 2, which is one operation where the bias is kept halved. */
struct Halved {
    __device__ __forceinline__ static float kept(float bias) {
        return 0.5f * bias;
    }
    __device__ __forceinline__ static float half_of(float sum, float bias) {
        return fmaf(0.5f, sum, bias);
    }
};

/* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): Hendrycks and Gimpel 2016, as cuBLASLt has it. tanh.approx keeps
 * some 11 bits, too few where C is fp32. */
template <bool EXACT> struct Gelu : Halved {
    __device__ __forceinline__ static float of(float sum, float bias) {
        constexpr float FIRST = 2 * 0.7978845608f, THIRD = 8 * 0.7978845608f * 0.044715f; /* of h and of its cube */
        const float h = half_of(sum, bias), inner = h * fmaf(h * h, THIRD, FIRST);
        float tangent;
        if constexpr (EXACT) {
            tangent = tanhf(inner);
        } else {
            asm("tanh.approx.f32 %0, %1;" : "=f"(tangent) : "f"(inner));
        }
        return fmaf(h, tangent, h);
    }
};

/* x / 2 (1 + erf(x / sqrt(2))). */
struct GeluErf : Halved {
    __device__ __forceinline__ static float of(float sum, float bias) {
        const float h = half_of(sum, bias);
        return fmaf(h, erff(h * 1.4142135624f), h);
    }
};

#endif
