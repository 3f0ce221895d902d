/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_program.h - the program `rooftune` itself as a child process on a real GPU, and the run files it leaves.
 *
 * The program is $ROOFTUNE, else the one in the folder above this test's own: so it is in the build folder and in the
 * kit. Everything happens in a scratch folder, which is the child's working folder and, unless RFT_CACHE names another,
 * holds its cache. A function that cannot do its part fails the cmocka test that called it, with what the program said.
 */
#ifndef RFT_TESTS_REAL_PROGRAM_H
#define RFT_TESTS_REAL_PROGRAM_H

#include "model/run/run.h"

#include <stdbool.h>
#include <sys/types.h>

/* All of main(): makes the scratch folder, runs the tests and removes it. Returns the exit status, after a message 77
 * where there is no GPU, no NVRTC or no compute capability `least_cc` (90 for 9.0), which `what` needs, and 1 where the
 * program does not run at all. */
struct CMUnitTest;
int real_program_tests(const struct CMUnitTest *tests, size_t count, int least_cc, const char *what);
const char *real_program_path(void);
int real_program_cc(void); /* the first device's compute capability, 90 for 9.0 */

/* A file of the tests, "tests/fault/fault.lua": in $RFT_TEST_ROOT, else in the kit this test lies in, else in the
 * source tree. Static storage, four results live at a time. */
const char *real_program_file(const char *name);

/* Its arguments: WORDS("show", "run.db"). */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* For `run` in tests that are about none of these: windows of seconds, every kernel replayed for its counters, and
 * final rounds in many processes, each of which opens the device anew. */
#define ONE_PROCESS "--processes", "1", "--energy", "none"
#define TIMES_ONLY ONE_PROCESS, "--counters", "none"

/* Runs it to the end. Returns the exit status, 128 + N for signal N; more than 240 s fail the test. */
int real_program(const char *const *words);
/* The same in two steps. */
pid_t real_program_start(const char *const *words);
int real_program_wait(pid_t child);
bool real_program_is_running(pid_t child);

/* What the last one wrote. Valid until the next is run. */
const char *real_program_out(void);
const char *real_program_err(void);

/* real_program(), and fails the test unless it ends with that status. */
void real_program_expect(int status, const char *const *words);
/* Fails the test, with the text, unless it contains `part`. */
void real_program_said(const char *text, const char *part);

/* The scratch folder; valid until the tests end. */
const char *real_program_scratch(void);

/* Reads a run file or a recording in the scratch folder; rft_run_free(). */
rft_run *real_program_load(const char *name);
/* The same; NULL where there is none yet. For a file that is being written. */
rft_run *real_program_try_load(const char *name);
bool real_program_has_file(const char *name); /* and it is not empty */

/* "faults n=65536 FAULT=trap: launch_failed: ...": a point for messages. In the run's arena. */
const char *real_program_point_text(const rft_run *run, const rft_point *point);

#endif
