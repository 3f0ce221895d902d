/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over the wire: what goes in comes out; what is none is refused. */
#include "run/wire/wire.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_set_comes_over_by_its_names(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    const char *raw[] = {"lts__t_sectors.sum", "dram__bytes.sum"};
    rft_counter_set set = rft_counter_set_default(), back;
    set.raw = raw;
    set.raw_count = 2;
    json_t *json = rft_wire_of_counter_set(&set);
    assert_int_equal(rft_wire_to_counter_set(&back, json, arena, &err), RFT_OK);
    assert_memory_equal(back.wanted, set.wanted, sizeof set.wanted);
    assert_int_equal(back.raw_count, 2);
    assert_string_equal(back.raw[1], raw[1]);
    json_array_append_new(json_object_get(json, "names"), json_string("dram_reads"));
    assert_int_equal(rft_wire_to_counter_set(&back, json, arena, &err), RFT_E_WORKER);
    assert_int_equal(rft_wire_to_counter_set(&back, NULL, arena, &err), RFT_E_WORKER);
    json_decref(json);
    rft_arena_free(arena);
}

static void counters_keep_values_and_reasons(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_counter_raw raw[] = {{"a__b.sum", 0.1, NULL}, {"c__d.sum", NAN, "no such counter"}};
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED), back;
    counters.passes = 14;
    counters.values[RFT_COUNTER_DRAM_READ] = 1e9 / 3.0;
    counters.reasons[RFT_COUNTER_DRAM_READ] = NULL;
    counters.reasons[RFT_COUNTER_ISSUE] = "above 1";
    counters.raw = raw;
    counters.raw_count = 2;
    json_t *json = rft_wire_of_counters(&counters);
    assert_int_equal(rft_wire_to_counters(&back, json, arena, &err), RFT_OK);
    assert_int_equal(back.passes, 14);
    assert_true(back.values[RFT_COUNTER_DRAM_READ] == 1e9 / 3.0);
    assert_null(back.reasons[RFT_COUNTER_DRAM_READ]);
    assert_true(isnan(back.values[RFT_COUNTER_ISSUE]));
    assert_string_equal(back.reasons[RFT_COUNTER_ISSUE], "above 1");
    assert_string_equal(back.reasons[RFT_COUNTER_XU], RFT_COUNTER_NOT_ASKED);
    assert_int_equal(back.raw_count, 2);
    assert_true(back.raw[0].value == 0.1 && isnan(back.raw[1].value));
    assert_string_equal(back.raw[1].reason, "no such counter");
    /* An absent value needs a reason. */
    json_object_set_new(json_object_get(json, "values"), "time_s", json_pack("[n,n]"));
    assert_int_equal(rft_wire_to_counters(&back, json, arena, &err), RFT_E_WORKER);
    assert_non_null(strstr(err.message, "time_s"));
    json_decref(json);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_comes_over_by_its_names),
        cmocka_unit_test(counters_keep_values_and_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
