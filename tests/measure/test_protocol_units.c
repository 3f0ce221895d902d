/* SPDX-License-Identifier: Apache-2.0 */
/* What others are told to compile ahead is what the protocol asks for: it then finds all of it in the cubin cache. */
#include "measure/measure_fixture.h"

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cached {
    char folder[64];
    rft_compiler *inner; /* owned by the cache */
    rft_compiler *cache;
} cached;

static void open_cache(cached *c) {
    rft_text_format(c->folder, sizeof c->folder, "/tmp/rft-units-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    c->inner = rft_scripted_compiler_new();
    rft_compile_cache_opts opts = {.folder = c->folder};
    c->cache = rft_compile_cache_new(c->inner, &opts);
}

static void close_cache(cached *c) {
    char command[96];
    c->cache->free(c->cache);
    rft_text_format(command, sizeof command, "rm -r %s", c->folder);
    assert_int_equal(system(command), 0);
}

static unsigned compile(cached *c, fixture *f, const rft_compile_request *requests, size_t first, size_t end) {
    unsigned before = rft_scripted_compiler_count(c->inner);
    for (size_t i = first; i < end; i++) {
        rft_compile_result result;
        assert_int_equal(c->cache->compile(c->cache, &requests[i], f->arena, &result, &f->err), 0);
        assert_true(result.ok);
    }
    return rft_scripted_compiler_count(c->inner) - before;
}

static void what_is_compiled_ahead_is_found(void **state) {
    (void)state;
    fixture f;
    cached c;
    fixture_start(&f, NULL);
    open_cache(&c);
    rft_gpu_info info;
    assert_int_equal(f.gpu->vt->info(f.gpu, &info, &f.err), 0);
    rft_compile_request *requests = NULL;
    size_t ceilings = 0, count = rft_protocol_units(&info, RFT_CEILINGS_ALL, f.arena, &requests, &ceilings);
    assert_true(ceilings >= 1 && count > ceilings + 3); /* so many can be compiled side by side */
    assert_int_equal(compile(&c, &f, requests, 0, count), count);

    rft_probe *probe = NULL;
    rft_ceilings measured;
    assert_int_equal(rft_protocol_new(&probe, f.gpu, c.cache, rft_scripted_gpu_clock(f.scripted), NULL, &f.err), 0);
    f.probe->free(f.probe);
    f.probe = probe;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(probe->ceilings(probe, NULL, f.arena, &measured, &f.err), 0);
    assert_true(measured.items[RFT_CEILING_DRAM_READ].measured && measured.items[RFT_CEILING_FP16].measured);
    assert_int_equal(rft_scripted_compiler_count(c.inner), count); /* nothing was compiled again */
    fixture_stop(&f);
    close_cache(&c);
}

/* The first part alone is enough for points, and for nothing else. */
static void points_need_the_first_part_only(void **state) {
    (void)state;
    fixture f;
    cached c;
    fixture_start(&f, NULL);
    open_cache(&c);
    rft_compile_request *requests = NULL;
    rft_gpu_info info;
    assert_int_equal(f.gpu->vt->info(f.gpu, &info, &f.err), 0);
    size_t ceilings = 0, count = rft_protocol_units(&info, RFT_CEILINGS_ALL, f.arena, &requests, &ceilings);
    assert_int_equal(compile(&c, &f, requests, 0, ceilings), ceilings);
    rft_probe *probe = NULL;
    rft_ceilings measured;
    assert_int_equal(rft_protocol_new(&probe, f.gpu, c.cache, rft_scripted_gpu_clock(f.scripted), NULL, &f.err), 0);
    f.probe->free(f.probe);
    f.probe = probe;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_compiler_count(c.inner), ceilings);
    assert_int_equal(probe->ceilings(probe, NULL, f.arena, &measured, &f.err), 0);
    assert_int_equal(rft_scripted_compiler_count(c.inner), count);
    fixture_stop(&f);
    close_cache(&c);
}

/* Side by side: no two ask for the same, and another architecture is another request. */
static void units_differ(void **state) {
    (void)state;
    fixture f;
    cached c;
    fixture_start(&f, NULL);
    open_cache(&c);
    rft_compile_request *here = NULL, *there = NULL;
    rft_gpu_info hopper, ampere;
    assert_int_equal(rft_gpu_info_for_arch(&hopper, "sm_90a", NULL), 0);
    assert_int_equal(rft_gpu_info_for_arch(&ampere, "sm_80", NULL), 0);
    size_t ceilings = 0, count = rft_protocol_units(&hopper, RFT_CEILINGS_ALL, f.arena, &here, &ceilings);
    assert_int_equal(rft_protocol_units(&ampere, RFT_CEILINGS_ALL, f.arena, &there, &ceilings), count - 1); /* FP8 */
    assert_int_equal(compile(&c, &f, here, 0, count), count);
    assert_int_equal(compile(&c, &f, there, 0, count - 1), count - 1);
    assert_int_equal(compile(&c, &f, here, 0, count), 0);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(here[i].source_name, here[k].source_name);
        }
    }
    fixture_stop(&f);
    close_cache(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_compiled_ahead_is_found),
        cmocka_unit_test(points_need_the_first_part_only),
        cmocka_unit_test(units_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
