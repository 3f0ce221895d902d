/* SPDX-License-Identifier: Apache-2.0 */
/* The cubin cache: what hits and what misses. The compiler behind it is a scripted one, so nothing here needs NVRTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compile/cache_fixture.h"

static void the_second_time_is_a_hit(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    rft_compile_result first = cache_ask(f, &request);
    assert_false(first.from_cache);
    rft_compile_result second = cache_ask(f, &request);
    assert_int_equal(cache_compiles(f), 1);
    assert_true(second.from_cache);
    assert_true(second.ok);
    assert_string_equal(second.log, "a warning");
    assert_int_equal(second.cubin_bytes, 13);
    assert_memory_equal(second.cubin, first.cubin, 13);
    assert_true(cache_is_right(f, &request, &second));
    assert_string_equal(second.cubin_hash, first.cubin_hash);
    assert_true(second.seconds == 0.25);
    assert_int_equal(second.entry_count, 2);
    assert_string_equal(second.entries[1].name, "k2<1>");
    assert_string_equal(second.entries[1].symbol, "_Zsymbol");
    assert_int_equal(second.entries[1].registers, 41);
    assert_int_equal(second.entries[1].spill_store_bytes, 4);
    assert_int_equal(second.entries[1].spill_load_bytes, 8);
    assert_int_equal(second.entries[1].stack_bytes, 16);
    assert_int_equal(second.entries[1].shared_bytes, 512);
    assert_int_equal(second.entries[1].barriers, 1);
    assert_string_equal(f->cache->version(f->cache), "13.0.88");
    assert_true(f->cache->knows_arch(f->cache, "sm_90a"));
    assert_false(f->cache->knows_arch(f->cache, "sm_80"));
    /* another object over the same folder, as another process would have */
    cache_reopen(f);
    assert_true(cache_ask(f, &request).from_cache);
}

static void everything_the_result_depends_on_is_in_the_key(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    int compiles = 0;
#define MISSES()                                                                                                       \
    do {                                                                                                               \
        assert_false(cache_ask(f, &request).from_cache);                                                               \
        assert_int_equal(cache_compiles(f), ++compiles);                                                               \
    } while (0)
    MISSES();
    request.arch = "sm_100a";
    MISSES();
    request.name_count = 1;
    MISSES();
    request.option_count = 1;
    MISSES();
    static const char *const joined[] = {"-DA=1-DB=2"};
    request.options = joined;
    MISSES();
    f->inner.release = "13.0.99";
    MISSES();
    free(scratch_write(&f->s, "value.cuh", "#define VALUE 2\n"));
    MISSES();
    free(scratch_write(&f->s, "k.cu", "#include \"value.cuh\"\n__global__ void k(int) {}\n"));
    MISSES();
    request.source_name = "other.cu";
    MISSES();
    assert_true(cache_ask(f, &request).from_cache);
    free(scratch_write(&f->s, "value.cuh", "#define VALUE 1\n#include \"inner.cuh\"\n"));
    MISSES();
    free(scratch_write(&f->s, "inner.cuh", "\n")); /* a header that appears */
    MISSES();
    assert_true(cache_ask(f, &request).from_cache);
#undef MISSES
}

static void failures_are_not_kept(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    f->inner.fails = true;
    assert_false(cache_ask(f, &request).ok);
    assert_string_equal(cache_ask(f, &request).log, "broken");
    assert_int_equal(cache_compiles(f), 2);
    f->inner.fails = false;
    assert_true(cache_ask(f, &request).ok);
}

static void a_header_named_by_a_macro_is_not_cached(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    request.source_text = "#define H \"value.cuh\"\n#include H\n";
    cache_ask(f, &request);
    assert_false(cache_ask(f, &request).from_cache);
}

/* What an option includes is in no #include line, and so not in the key. */
static void a_header_included_by_an_option_is_not_cached(void **state) {
    cache_fixture *f = *state;
    static const char *const two_words[] = {"-include", "value.cuh"}, *const one_word[] = {"--pre-include=value.cuh"};
    rft_compile_request request = cache_request(f);
    request.options = two_words;
    cache_ask(f, &request);
    assert_false(cache_ask(f, &request).from_cache);
    request.options = one_word;
    request.option_count = 1;
    cache_ask(f, &request);
    assert_false(cache_ask(f, &request).from_cache);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_time_is_a_hit, cache_set_up, cache_tear_down),
        cmocka_unit_test_setup_teardown(everything_the_result_depends_on_is_in_the_key, cache_set_up, cache_tear_down),
        cmocka_unit_test_setup_teardown(failures_are_not_kept, cache_set_up, cache_tear_down),
        cmocka_unit_test_setup_teardown(a_header_named_by_a_macro_is_not_cached, cache_set_up, cache_tear_down),
        cmocka_unit_test_setup_teardown(a_header_included_by_an_option_is_not_cached, cache_set_up, cache_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
