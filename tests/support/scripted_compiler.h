/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripted_compiler.h - an rft_compiler that compiles nothing: its "cubin" is a text that lists options and names,
 * which the scripted GPU loads. Equal names and options give equal cubins, whatever the source's folder.
 */
#ifndef RFT_TEST_SCRIPTED_COMPILER_H
#define RFT_TEST_SCRIPTED_COMPILER_H

#include "gpu/compiler.h"

rft_compiler *rft_scripted_compiler_new(void);
/* Requests whose names, options or source name contain `part` do not compile and say `log`. NULL: none fails. */
void rft_scripted_compiler_fail(rft_compiler *compiler, const char *part, const char *log);
unsigned rft_scripted_compiler_count(const rft_compiler *compiler); /* requests so far */

#endif
