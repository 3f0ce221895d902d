/* SPDX-License-Identifier: Apache-2.0 */
#include "store/card_table.h"

#include "base/json.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#define TABLE_BYTES_MOST ((size_t)1 << 20)

static void set_ceiling(rft_run *run, rft_ceiling_id id, double rate) {
    rft_ceiling *ceiling = &run->ceilings.items[id];
    ceiling->measured = isfinite(rate);
    ceiling->stats = (rft_stats){.n = ceiling->measured ? 1 : 0, .median = rate};
}

static rft_run *card_of(const json_t *row) {
    rft_run *run = rft_run_new();
    const json_t *ceilings = json_object_get(row, "ceilings");
    rft_load *idle = rft_arena_calloc(run->arena, 1, sizeof *idle);
    *idle =
        (rft_load){.kind = RFT_LOAD_IDLE, .source = "table of cards", .power_w = rft_json_real_or(row, "idle_w", NAN)};
    run->idle = isfinite(idle->power_w) ? idle : NULL;
    run->gpu.name = rft_arena_strdup(run->arena, rft_json_text_or(row, "device", ""));
    run->gpu.uuid = rft_arena_strdup(run->arena, rft_json_text_or(row, "uuid", ""));
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        set_ceiling(run, (rft_ceiling_id)id, rft_json_real_or(ceilings, rft_ceiling_name((rft_ceiling_id)id), NAN));
    }
    run->ceilings.items[RFT_CEILING_FP32].clock_mhz = rft_json_real_or(row, "sm_clock_mhz", NAN);
    return run;
}

int rft_card_table_load(rft_run ***out, size_t *count, const char *path, rft_err *err) {
    json_t *list = NULL;
    *out = NULL;
    *count = 0;
    int rc = rft_json_read_file(&list, path, TABLE_BYTES_MOST, err);
    if (rc == RFT_OK && !json_is_array(list)) {
        rc = rft_err_set(err, RFT_E_RECORDING, "%s: expected a list of cards", path);
    }
    size_t rows = rc == RFT_OK ? json_array_size(list) : 0;
    *out = rows ? rft_alloc(rows * sizeof **out) : NULL;
    for (; *count < rows; (*count)++) {
        (*out)[*count] = card_of(json_array_get(list, *count));
    }
    json_decref(list);
    return rc;
}

void rft_card_table_free(rft_run **cards, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_run_free(cards[i]);
    }
    free(cards);
}
