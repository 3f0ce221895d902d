/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_filter.h - stands between a scripted worker and its coordinator and spoils one of its answers.
 *
 * SCRIPTED_ANSWER=NUMBER:DEED[:ARGUMENT] in the worker's environment says which answer (the first is 1) and how:
 *   cut:N        N bytes of it, then the process is killed
 *   slow:US      byte by byte, US microseconds after each
 *   late:MS      MS milliseconds later
 *   double       twice
 *   stray        the right one, and after 50 ms another that was not asked for, with the next number
 *   stop         the right one; then the process stands still and reads no more
 *   mute         none; the output is closed, the process lives
 *   huge_head, huge_blob   a header that promises more than there may be
 *   no_json, no_object, wrong_shape   a frame of these instead
 * SCRIPTED_ONCE=FILE: only while FILE does not exist; it is made then. Also for SCRIPTED_DIE_AT.
 */
#ifndef RFT_TEST_ANSWER_FILTER_H
#define RFT_TEST_ANSWER_FILTER_H

#include <stdbool.h>

/* The descriptor to write answers to instead of `out_fd`, which is closed; itself when nothing is asked for. To be
 * called before the worker begins. */
int answer_filter_start(int out_fd);
/* May the fault happen now? True at most once with SCRIPTED_ONCE. */
bool answer_filter_strikes(void);

#endif
