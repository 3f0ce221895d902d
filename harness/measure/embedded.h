/* SPDX-License-Identifier: Apache-2.0 */
/* embedded.h - the texts of device/, put into the program by rft_embed() (cmake/RftTargets.cmake). NUL-terminated. */
#ifndef RFT_MEASURE_EMBEDDED_H
#define RFT_MEASURE_EMBEDDED_H

extern const unsigned char rft_embedded_prelude_cuh[];
extern const unsigned char rft_embedded_fill_cu[];
extern const unsigned char rft_embedded_convert_cu[];
extern const unsigned char rft_embedded_guard_cu[];
extern const unsigned char rft_embedded_partials_cuh[];
extern const unsigned char rft_embedded_compare_cu[];
extern const unsigned char rft_embedded_fold_cu[];
extern const unsigned char rft_embedded_flush_cu[];
extern const unsigned char rft_embedded_stamp_cu[];
extern const unsigned char rft_embedded_block_cu[];
extern const unsigned char rft_embedded_empty_cu[];
extern const unsigned char rft_embedded_ceiling_memory_cu[];
extern const unsigned char rft_embedded_ceiling_pipes_cu[];
extern const unsigned char rft_embedded_ceiling_atomics_cu[];
extern const unsigned char rft_embedded_ceiling_tensor_data_cu[];
extern const unsigned char rft_embedded_ceiling_tensor_mma_cu[];
extern const unsigned char rft_embedded_ceiling_tensor_wgmma_cu[];

#endif
