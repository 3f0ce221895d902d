/* SPDX-License-Identifier: Apache-2.0 */
/* canvas_haru_info.h - what a PDF says of itself: document information, the same as XMP, its language. */
#ifndef RFT_REPORTS_CANVAS_HARU_INFO_H
#define RFT_REPORTS_CANVAS_HARU_INFO_H

#include "reports/page/canvas.h"

#include <hpdf.h>

/* Errors go to the document's handler. */
void rft_canvas_haru_info(HPDF_Doc doc, const rft_canvas_info *info, rft_arena *arena);

#endif
