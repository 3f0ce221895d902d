/* SPDX-License-Identifier: Apache-2.0 */
/* library_places.h - where a caller wants NVIDIA's libraries looked for. */
#ifndef RFT_GPU_LIBRARY_PLACES_H
#define RFT_GPU_LIBRARY_PLACES_H

#include <stddef.h>

/* Searched before the places that the program knows by itself (rft_libraries_folders()). A folder stands for itself and
 * for those below it where toolkits and NVIDIA's wheels keep libraries; a file for itself. NULL entries and missing
 * ones are passed over. Borrowed. */
typedef struct rft_library_places {
    const char *const *folders;
    size_t count;
    /* The first of them, which the user named: what the driver takes is taken there, even where a newer release lies
     * elsewhere. Of all other places the newest release that the driver takes is taken. */
    size_t named_count;
} rft_library_places;

#endif
