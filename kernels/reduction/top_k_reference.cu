/* SPDX-License-Identifier: Apache-2.0 */
/* The k largest of each row in falling order; of equal ones the first comes first. A block of 256 a row, k passes. */
extern "C" __global__ void top_k_reference(int *places, double *values, const float *x, long long rows, long long cols,
                                           long long k) {
    __shared__ float value[256];
    __shared__ int place[256];
    const float *row = x + blockIdx.x * cols;
    float last = 0.0f; /* the one before, and its place */
    int last_place = -1;
    for (int rank = 0; rank < k; rank++) {
        float most = 0.0f;
        int at = -1;
        for (int i = threadIdx.x; i < cols; i += 256) {
            const float here = row[i];
            const bool comes_after = last_place < 0 || here < last || (here == last && i > last_place);
            if (comes_after && (at < 0 || here > most)) {
                most = here;
                at = i;
            }
        }
        value[threadIdx.x] = most;
        place[threadIdx.x] = at;
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                const float other = value[threadIdx.x + half];
                const int there = place[threadIdx.x + half], here = place[threadIdx.x];
                if (there >= 0 &&
                    (here < 0 || other > value[threadIdx.x] || (other == value[threadIdx.x] && there < here))) {
                    value[threadIdx.x] = other;
                    place[threadIdx.x] = there;
                }
            }
            __syncthreads();
        }
        last = value[0];
        last_place = place[0];
        if (threadIdx.x == 0) {
            values[blockIdx.x * k + rank] = last;
            places[blockIdx.x * k + rank] = last_place;
        }
        __syncthreads();
    }
}
