/* SPDX-License-Identifier: Apache-2.0 */
#include "model/acceptance/accept_limits.h"

const char *rft_limit_from_name(rft_limit_from from) {
#define RFT_LIMIT_FROM_NAME(name, text) text,
    static const char *const names[] = {RFT_LIMIT_FROM_MAP(RFT_LIMIT_FROM_NAME)};
    return names[from];
}

const char *rft_limit_text(const rft_limit *limit, rft_arena *arena) {
    if (limit->is_ceiling) {
        return rft_arena_printf(arena, "%s%s", rft_ceiling_label(limit->ceiling),
                                limit->sustained ? ", sustained" : "");
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s%s", limit->problem.operation, limit->problem.axis_count ? " " : "");
    rft_values_format(&text, limit->problem.axes, limit->problem.values, limit->problem.axis_count);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_limit_unit(const rft_limit *limit) {
    return limit->is_ceiling ? rft_ceiling_unit(limit->ceiling) : "s";
}
