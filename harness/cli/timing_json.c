/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/timing_json.h"

#include <math.h>

void rft_timing_set_json(json_t *object, const rft_measurement *m) {
    const char *cache = m ? rft_cache_mode_name(m->cache) : NULL;
    json_object_set_new(object, "cache", cache ? json_string(cache) : json_null());
    json_object_set_new(object, "batch", m ? json_integer(m->batch > 1 ? m->batch : 1) : json_null());
    json_object_set_new(object, "clock_mhz", rft_json_real_new(m ? m->clock_mhz : (double)NAN));
    json_object_set_new(object, "cycles", rft_json_real_new(m ? rft_measurement_cycles(m) : (double)NAN));
    json_object_set_new(object, "floor_s", rft_json_real_new(m ? m->floor_s : (double)NAN));
    bool judged = m && m->attempts > 0;
    json_object_set_new(object, "attempts", judged ? json_integer(m->attempts) : json_null());
    json_object_set_new(object, "throttled_frac", rft_json_real_new(judged ? m->affected_frac : (double)NAN));
    json_object_set_new(object, "throttled_below_mhz", rft_json_real_new(judged ? m->steady_mhz : (double)NAN));
    json_object_set_new(object, "throttled_by",
                        judged && m->throttle_cause ? json_string(m->throttle_cause) : json_null());
}
