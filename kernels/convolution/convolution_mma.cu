/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x convolved with filters of 3 x 3 over all channels, in NHWC, zeros around each image, by mma.sync (sm_80 and
 * newer): the product of matrices of convolution_im2col.cu, whose rows of A threads look for, each for the same pixels
 * at every tap.
 */
#include "matmul_fragments.cuh"

/* What a thread copies of A: for each of ROUNDS pixels its place, and a bit for every tap that lies in the image. */
template <int ROUNDS, int APART> struct Taps {
    int place[ROUNDS]; /* in pixels */
    unsigned inside[ROUNDS];

    __device__ __forceinline__ Taps(int first, int pixels, int height, int width) {
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) {
            place[i] = first + i * APART;
            inside[i] = 0;
            const int column = place[i] % width, row = place[i] / width % height;
#pragma unroll
            for (int tap = 0; tap < 9; tap++) {
                const int x = column + tap % 3 - 1, y = row + tap / 3 - 1;
                const bool there = place[i] < pixels && x >= 0 && x < width && y >= 0 && y < height;
                inside[i] |= (unsigned)there << tap;
            }
        }
    }
};

/*
 * Warps compute WARP_M pixels x WARP_N outputs of a block's tile; STAGES places in shared memory, filled by cp.async.
 * ALIGNED: channels are a multiple of 8. Blocks that follow each other have the same pixels.
 */
template <bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES, int RESIDENT>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, RESIDENT)
    convolution_mma(const __nv_bfloat16 *__restrict__ x, const __nv_bfloat16 *__restrict__ filters,
                    __nv_bfloat16 *__restrict__ y, int images, int height, int width, int channels, int outputs) {
    typedef __nv_bfloat16 T;
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, 1> BlockPart;
    constexpr int THREADS = BlockPart::THREADS, DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEPS = BLOCK_K / 16;
    typedef TileCopy<T, ALIGNED, BLOCK_M, BLOCK_K, EIGHT_ROWS, THREADS> CopyA;
    typedef TileCopy<T, ALIGNED, BLOCK_N, BLOCK_K, EIGHT_ROWS, THREADS> CopyB;
    typedef typename CopyA::Place Place;
    constexpr int ROW_BYTES = CopyA::ROW_BYTES, A_BYTES = BLOCK_M * ROW_BYTES,
                  STAGE_BYTES = A_BYTES + BLOCK_N * ROW_BYTES;
    constexpr int ROUNDS = BLOCK_M / CopyA::APART;
    extern __shared__ __align__(128) unsigned char stages[];
    const unsigned begin = shared_address(stages);
    const int pixels = images * height * width, lane = threadIdx.x % 32;
    const BlockPart part(blockIdx.x, pixels, outputs);
    const Taps<ROUNDS, CopyA::APART> taps((int)part.first_row + CopyA::row(), pixels, height, width);
    const T *const own_filters = filters + (part.first_column + CopyB::row()) * 9 * channels + CopyB::step();

    int tap = 0, channel = 0;
    unsigned fill = begin;
    auto request = [&]() { /* the next stage, behind the last one nothing */
                           if (tap < 9) {
                               const int left = channels - channel;
                               const long long shift = (long long)(tap / 3 - 1) * width + tap % 3 - 1;
#pragma unroll(ALIGNED ? ROUNDS : 1) /* loads of elements would take all registers */
                               for (int i = 0; i < ROUNDS; i++) {
                                   const bool there = taps.inside[i] >> tap & 1;
                                   const T *from = x + (taps.place[i] + shift) * channels + channel + CopyA::step();
                                   const unsigned to = fill + CopyA::offset() + i * CopyA::APART * ROW_BYTES;
                                   if (ALIGNED) {
                                       copy_async(to, from, there && CopyA::step() < left);
                                   } else {
                                       store_shared(to, load_piece<false>(from, there ? left - CopyA::step() : 0));
                                   }
                               }
                               CopyB::template request<false>(fill + A_BYTES + CopyB::offset(),
                                                              own_filters + tap * channels + channel, 9ll * channels,
                                                              part.columns_left, left < BLOCK_K ? left : BLOCK_K);
                               channel += BLOCK_K;
                               if (channel >= channels) {
                                   channel = 0;
                                   tap++;
                               }
                           }
                           copy_async_commit();
                           fill = fill == begin + (STAGES - 1) * STAGE_BYTES ? begin : fill + STAGE_BYTES;
    };

    const unsigned a_lane = Place::offset(part.warp_row + lane % 16, lane / 16);
    const unsigned b_lane = A_BYTES + Place::offset(part.warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    float sums[DOWN][RIGHT][4] = {};
    unsigned use = begin;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        request();
    }
    const int all = 9 * ((channels + BLOCK_K - 1) / BLOCK_K);
    for (int stage = 0; stage < all; stage++) {
        copy_async_wait<STAGES - 2>();
        __syncthreads(); /* this stage has arrived for every thread, and no thread reads the place filled next */
        request();
#pragma unroll
        for (int step = 0; step < STEPS; step++) { /* 32 bytes: an exclusive or, since rows are multiples of 64 */
            unsigned a[DOWN][4], b[RIGHT / 2][4];
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                load_matrices(a[i], use + (a_lane ^ (step * 32)) + i * 16 * ROW_BYTES);
            }
#pragma unroll
            for (int j = 0; j < RIGHT / 2; j++) {
                load_matrices(b[j], use + (b_lane ^ (step * 32)) + j * 16 * ROW_BYTES);
            }
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
#pragma unroll
                for (int j = 0; j < RIGHT; j++) {
                    Multiply<T>::add(sums[i][j], a[i], b[j / 2] + j % 2 * 2);
                }
            }
        }
        use = use == begin + (STAGES - 1) * STAGE_BYTES ? begin : use + STAGE_BYTES;
    }
    copy_async_wait<0>();
    store_sums(sums, y, part.first_row + part.warp_row, part.first_column + part.warp_column, pixels, outputs);
}
