/* SPDX-License-Identifier: Apache-2.0 */
#include "store/points.h"

rft_point *rft_points_find(rft_point *points, size_t count, int64_t id) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (points[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && points[low].id == id ? &points[low] : NULL;
}

void rft_points_no_measurement(rft_point *point) {
    for (int round = 0; round < RFT_ROUNDS; round++) {
        point->rounds[round] = rft_measurement_none();
    }
}

bool rft_points_has_round(const rft_point *point, int round) {
    const rft_measurement *measurement = &point->rounds[round];
    return point->alias_of == 0 &&
           (measurement->n > 0 || measurement->step_count > 0 || measurement->wall_s > 0 || measurement->verify_s > 0);
}

int64_t rft_points_resolve_aliases(rft_point *points, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_point *point = &points[i];
        if (point->alias_of == 0) {
            continue;
        }
        const rft_point *target = rft_points_find(points, count, point->alias_of);
        if (target == NULL || target->alias_of != 0) {
            return point->id;
        }
        point->outcome = target->outcome;
        point->reason = target->reason;
        point->verification = target->verification;
        for (int round = 0; round < RFT_ROUNDS; round++) {
            point->rounds[round] = target->rounds[round];
        }
        point->counters = target->counters;
    }
    return 0;
}
