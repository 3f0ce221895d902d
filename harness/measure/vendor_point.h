/* SPDX-License-Identifier: Apache-2.0 */
/* vendor_point.h - a point whose launch is a call of the vendor's library. */
#ifndef RFT_MEASURE_VENDOR_POINT_H
#define RFT_MEASURE_VENDOR_POINT_H

#include "measure/point_job.h"

/* Opens the library at the first call; afterwards p->vendor.library is there, or p->vendor.missing says why not. */
void rft_vendor_find(rft_protocol *p);
/* Opens the library, asks it for this problem's algorithms, and takes the workspace. Skips the point when one of them
 * is not to be had. */
int rft_vendor_bind(rft_point_job *job, const rft_vendor_call *call, rft_err *err);
int rft_vendor_queue(rft_point_job *job, const rft_vendor_call *call, rft_err *err);
void rft_vendor_rest(rft_protocol *p);  /* gives back what the last point took */
void rft_vendor_close(rft_protocol *p); /* all of it, before the device is closed */

#endif
