/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt_names.h - what the numbers in cuBLASLt's algorithm descriptions mean. Private to cublaslt*.c; needs no
 * header of NVIDIA's. The numbers are part of the library's interface and do not change. */
#ifndef RFT_GPU_CUBLASLT_NAMES_H
#define RFT_GPU_CUBLASLT_NAMES_H

#include <stdbool.h>

/* The tile of cublasLtMatmulTile_t `id`; false for 0 (undefined) and for numbers this program does not know. */
bool rft_cublaslt_tile(int id, int *rows, int *columns);
/* "64x4" (K of a stage x stages), "64xauto" of cublasLtMatmulStages_t; NULL when undefined or not known. */
const char *rft_cublaslt_stages(int id);
/* "2x1x1" of cublasLtClusterShape_t; NULL when left to the library or not known. */
const char *rft_cublaslt_cluster(int id);

#endif
