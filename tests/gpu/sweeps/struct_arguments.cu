// SPDX-License-Identifier: Apache-2.0
// Structs by value: nested, padded, with arrays, a float4 and addresses.
struct shape {
    char tag;
    int n;
    double scales[2];
};
struct tensors {
    float4 offsets;
    const float *x;
    struct {
        short step;
        float *y;
    } out;
};
struct empty {};

template <int BLOCK> __global__ void scale(empty, shape s, tensors t) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < s.n && s.tag == 'r') {
        t.out.y[i] = (float)s.scales[1] * t.x[i] + t.offsets.z + (float)t.out.step;
    }
}
