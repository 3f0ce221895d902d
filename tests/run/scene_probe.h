/* SPDX-License-Identifier: Apache-2.0 */
/* scene_probe.h - single questions to a scene's device worker and compilers, without a run around them. */
#ifndef RFT_TEST_SCENE_PROBE_H
#define RFT_TEST_SCENE_PROBE_H

#include "run/scene.h"
#include "support/sanitized.h"

/* What a point of scene_measure() may take before the grace of 0.5 s. */
#define SCENE_POINT_S (SANITIZED ? 7.5 : 1.5)

/* Process id of the device worker, which is started when there is none. Fails the test when it has no device. */
long scene_device_worker(scene *s);
/* Kills it where there is one, and returns when it is dead: the next request finds a new one, with the environment of
 * then. */
void scene_lose_device_worker(scene *s);
/* Compiled and measured: n = 1000 with that fate (its sweep becomes the scene's only one), SCENE_POINT_S and the grace.
 * Returns what the probe's measure() did; s->err says why. */
int scene_measure(scene *s, const char *fate, rft_probe_result *out);
/* The same of a sound kernel in the process of this draw. */
int scene_measure_draw(scene *s, uint64_t draw, rft_probe_result *out);
/* Its counters, likewise. */
int scene_count(scene *s, const char *fate, const rft_counter_set *set, rft_count_result *out);
/* The same within another time limit, and `grace_s` for what is no launch of the point. In a worker of its own. */
int scene_measure_within(scene *s, const char *fate, double timeout_s, double grace_s, rft_probe_result *out);
/* The same of a sound kernel whose cubin is that much longer. */
int scene_measure_large(scene *s, size_t more_bytes, rft_probe_result *out);
/* Tells the worker that this is what scene_measure() will ask for next. */
void scene_expect_next(scene *s, const char *fate);
/* scene_measure(), with the same about `next` told while the worker is at it. */
int scene_measure_and_expect(scene *s, const char *fate, const char *next, rft_probe_result *out);

/* One request of the compilers, told from others by its number. */
rft_ticket scene_submit(scene *s, const char *fate, int number, double timeout_s);
/* Its answer; an error of the worker fails the test. */
const rft_compile_result *scene_result(scene *s, rft_ticket ticket, bool *timed_out);
size_t scene_lines(scene *s, const char *name); /* of a file in the scratch folder */

#endif
