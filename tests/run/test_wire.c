/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and what they carry: what goes in comes out, and broken bytes are refused with words. */
#include "run/wire/wire.h"
#include "support/plain_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void frames_survive_being_cut_anywhere(void **state) {
    (void)state;
    rft_str bytes = RFT_STR_INIT;
    json_t *head = json_pack("{s:s}", "do", "measure");
    rft_frame_encode(&bytes, head, "cubin bytes", 11);
    rft_frame_encode(&bytes, head, NULL, 0);
    for (size_t cut = 0; cut <= bytes.length; cut++) {
        rft_str inbox = RFT_STR_INIT;
        rft_err err = RFT_ERR_INIT;
        int frames = 0;
        rft_str_add_n(&inbox, bytes.data, cut);
        for (int part = 0; part < 2; part++) {
            rft_frame frame;
            while (rft_frame_take(&frame, &inbox, &err) == 1) {
                assert_string_equal(rft_json_text_or(frame.head, "do", ""), "measure");
                assert_int_equal(frame.blob_bytes, frames == 0 ? 11 : 0);
                frames++;
                rft_frame_clear(&frame);
            }
            if (part == 0) {
                rft_str_add_n(&inbox, bytes.data + cut, bytes.length - cut);
            }
        }
        assert_int_equal(frames, 2);
        assert_int_equal(inbox.length, 0);
        rft_str_clear(&inbox);
    }
    json_decref(head);
    rft_str_clear(&bytes);
}

static void garbage_is_refused(void **state) {
    (void)state;
    const char *cases[] = {"this is no frame at all", "RFT1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                           "RFT1\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00{x}"};
    size_t lengths[] = {23, 16, 19};
    for (size_t i = 0; i < 3; i++) {
        rft_str inbox = RFT_STR_INIT;
        rft_err err = RFT_ERR_INIT;
        rft_frame frame;
        rft_str_add_n(&inbox, cases[i], lengths[i]);
        assert_int_equal(rft_frame_take(&frame, &inbox, &err), RFT_E_WORKER);
        assert_true(strlen(err.message) > 10);
        rft_str_clear(&inbox);
    }
}

static void a_truncated_stream_is_an_error_and_an_empty_one_the_end(void **state) {
    (void)state;
    int fds[2];
    rft_frame frame = {0};
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "RFT1\x10\x00", 6), 6);
    close(fds[1]);
    assert_int_equal(rft_frame_read(&frame, fds[0], &err), RFT_E_WORKER);
    assert_int_equal(rft_frame_read(&frame, fds[0], &err), 1);
    close(fds[0]);
}

static void errors_keep_place_and_remedy(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    rft_err back = RFT_ERR_INIT;
    rft_err_set(&err, RFT_E_DEVICE, "no driver");
    rft_err_place(&err, "device 0");
    rft_err_remedy(&err, "install it");
    json_t *head = rft_wire_of_err(&err);
    assert_int_equal(rft_wire_to_err(&back, head), RFT_E_DEVICE);
    assert_string_equal(back.message, "no driver");
    assert_string_equal(back.place, "device 0");
    assert_string_equal(back.remedy, "install it");
    json_decref(head);
}

static rft_launch a_launch(rft_arg *args, size_t count) {
    return (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                        .entry = "gemm<128>",
                        .args = args,
                        .arg_count = count,
                        .grid = {0, 7, 1},
                        .block = {32, 4, 2},
                        .shared_bytes = 98304,
                        .cluster = {2, 1, 1},
                        .pdl = true,
                        .window = {.buffer = 1, .bytes = 4096, .hit_ratio = 0.5}};
}

/* As a_point_goes_over_whole() makes it. */
static void expect_that_point(const rft_probe_request *back, double scalar) {
    assert_int_equal(back->round, 1);
    assert_int_equal(back->repeats, 1000);
    assert_true(back->rival_s == 1.0 / 3.0 && back->few.run_s == 0.75 && back->few.alone_s == 0.625 &&
                back->few.one_s == 0.5 && back->few.three_s == 0.25 && back->few.six_s == 0.125 &&
                back->few.clock_mhz == 1980.5 && back->few.least == 8);
    assert_true(back->measure.seed == UINT64_MAX);
    assert_true(back->spec->buffers[1].count == 1ull << 33);
    assert_int_equal(back->spec->buffers[0].fill.kind, RFT_FILL_UNIFORM);
    assert_true(isnan(back->spec->check.buffer_tol[0]) && back->spec->check.buffer_tol[1] == 0.25);
    assert_memory_equal(back->spec->launches[0].args[1].scalar, &scalar, sizeof scalar);
    assert_int_equal(back->spec->buffers[2].role, RFT_BUFFER_CONSTANT);
    assert_string_equal(back->spec->buffers[2].fill.identity, "00004040");
    assert_int_equal(back->spec->launches[0].args[0].offset_bytes, 64);
    assert_int_equal(back->spec->launches[0].args[2].map.box[1], 8);
    assert_int_equal(back->spec->launches[0].args[2].map.lower[0], -32768);
    assert_int_equal(back->spec->launches[0].args[2].map.upper[0], 32767);
    const rft_arg *structure = &back->spec->launches[0].args[3];
    assert_true(structure->kind == RFT_ARG_STRUCT && structure->bytes == 16 && structure->hex[1] == '7');
    assert_true(structure->field_count == 1 && structure->fields[0].at == 8);
    assert_true(structure->fields[0].buffer == 1 && structure->fields[0].offset_bytes == 32);
    assert_int_equal(back->spec->launches[0].cluster[0], 2);
    assert_int_equal(back->spec->launches[0].grid[0], 0);
    assert_true(back->spec->launches[0].pdl && back->spec->launches[0].window.hit_ratio == 0.5);
    assert_int_equal(back->spec->launches[1].memset_byte, 255);
    assert_true(isnan(back->spec->check.tol) && back->spec->check.length == 64);
    const rft_point_spec *naive = back->spec->check.reference, *slower = naive->check.reference;
    const int64_t size = 1ll << 40;
    assert_true(naive->is_variant && naive->check.tol == 0.5 && naive->buffer_count == 5);
    assert_string_equal(naive->told, "variant naive (BLOCK=64)");
    assert_string_equal(slower->told, "gemm.cu:gemm_reference");
    assert_true(!slower->is_variant && !slower->check.reference && slower->buffers[1].type == RFT_TYPE_F64);
    assert_string_equal(slower->launches[0].entry, "gemm_reference");
    assert_memory_equal(slower->launches[0].args[slower->launches[0].arg_count - 2].scalar, &size, sizeof size);
    assert_memory_equal(back->unit->cubin, "UNIT", 4);
    assert_memory_equal(back->reference->cubin, "REF", 3);
    assert_memory_equal(back->truth->cubin, "SLOW", 4);
    const rft_fill *fill = &back->spec->buffers[3].fill, *file = &back->spec->buffers[4].fill;
    assert_string_equal(fill->kernel->shown, "fill.cu:rows");
    assert_string_equal(fill->identity, "made of");
    assert_int_equal(fill->kernel->launch.arg_count, 3);
    assert_int_equal(fill->kernel->launch.block[1], 4);
    assert_memory_equal(back->fills[3]->cubin, "FILL", 4);
    assert_true(back->fills[0] == NULL && back->fills[4] == NULL);
    assert_string_equal(file->file->path, "/data/x.npy");
    assert_true(file->file->modified_ns == -7 && file->file->file_bytes == 1ull << 40);
}

static void expect_refused(const rft_probe_request *request, rft_arena *arena) {
    rft_err err = RFT_ERR_INIT;
    rft_probe_request back;
    rft_frame frame = {.head = rft_wire_of_probe_request(request)};
    assert_int_equal(rft_wire_to_probe_request(&back, &frame, arena, &err), RFT_E_WORKER);
    json_decref(frame.head);
}

static void a_point_goes_over_whole(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_buffer buffers[] = {
        {"a", RFT_TYPE_BF16, 1000, RFT_BUFFER_INPUT, {.kind = RFT_FILL_UNIFORM, .low = -1, .high = 1}},
        {"c", RFT_TYPE_F32, 1ull << 33, RFT_BUFFER_OUTPUT, {0}},
        {"ns::scale", RFT_TYPE_F32, 1, RFT_BUFFER_CONSTANT, {.kind = RFT_FILL_GIVEN, .identity = "00004040"}},
        {"rows", RFT_TYPE_I32, 9, RFT_BUFFER_INPUT, {.kind = RFT_FILL_KERNEL, .identity = "made of"}},
        {"x", RFT_TYPE_F32, 8, RFT_BUFFER_INPUT, {.kind = RFT_FILL_FILE, .identity = "/data/x.npy"}},
    };
    double tols[] = {NAN, 0.25, NAN, NAN, NAN};
    rft_arg args[] = {{.kind = RFT_ARG_BUFFER, .buffer = 1, .offset_bytes = 64},
                      {.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_F64},
                      {.kind = RFT_ARG_TENSOR_MAP,
                       .map = {.rank = 3,
                               .dims = {64, 32, 1},
                               .strides = {0, 128},
                               .box = {64, 8},
                               .swizzle = 128,
                               .im2col = 1,
                               .lower = {-32768},
                               .upper = {32767}}},
                      {.kind = RFT_ARG_STRUCT,
                       .hex = "07000000000000000000000000000000",
                       .bytes = 16,
                       .fields = &(rft_arg){.kind = RFT_ARG_BUFFER, .buffer = 1, .offset_bytes = 32, .at = 8},
                       .field_count = 1}};
    double scalar = -0.1;
    memcpy(args[1].scalar, &scalar, sizeof scalar);
    const rft_filler rows = {.shown = "fill.cu:rows", .launch = a_launch(args, 3)};
    const rft_npy_file x = {"/data/x.npy", 128, 1ull << 40, -7};
    buffers[3].fill.kernel = &rows;
    buffers[4].fill.file = &x;
    rft_launch launches[] = {a_launch(args, 4), {.kind = RFT_LAUNCH_MEMSET, .memset_buffer = 1, .memset_byte = 255}};
    rft_value problem[] = {rft_value_int(1ll << 40), rft_value_real(0.5)};
    rft_point_spec spec = {.buffers = buffers,
                           .buffer_count = 5,
                           .launches = launches,
                           .launch_count = 2,
                           .check = {.tol = NAN, .length = 64, .buffer_tol = tols}};
    const rft_reference_dims dims = {.values = problem, .count = 2};
    rft_point_spec naive = spec;
    naive.told = "variant naive (BLOCK=64)";
    naive.is_variant = true;
    naive.check.tol = 0.5;
    naive.check.reference = plain_reference(&spec, "gemm_reference", &dims, arena);
    naive.check.reference->told = "gemm.cu:gemm_reference";
    spec.check.reference = &naive;
    rft_compile_result unit = {.ok = true, .log = "", .cubin = "UNIT", .cubin_bytes = 4, .cubin_hash = "ab"};
    rft_compile_result reference = {.ok = true, .log = "", .cubin = "REF", .cubin_bytes = 3};
    rft_compile_result truth = {.ok = true, .log = "", .cubin = "SLOW", .cubin_bytes = 4};
    rft_compile_result code = {.ok = true, .log = "", .cubin = "FILL", .cubin_bytes = 4};
    const rft_compile_result *fills[] = {NULL, NULL, NULL, &code, NULL};
    rft_probe_request request = {.spec = &spec,
                                 .unit = &unit,
                                 .reference = &reference,
                                 .fills = fills,
                                 .truth = &truth,
                                 .round = 1,
                                 .repeats = 1000,
                                 .draw = UINT64_MAX >> 1,
                                 .steady_mhz = 1747.5,
                                 .problem_key = "n=1",
                                 .rival_s = 1.0 / 3.0,
                                 .few = {.run_s = 0.75,
                                         .alone_s = 0.625,
                                         .one_s = 0.5,
                                         .three_s = 0.25,
                                         .six_s = 0.125,
                                         .clock_mhz = 1980.5,
                                         .least = 8},
                                 .measure = RFT_MEASURE_OPTS_INIT};
    request.measure.seed = UINT64_MAX;
    rft_frame frame = {
        .head = rft_wire_of_probe_request(&request), .blob = (char *)(uintptr_t) "UNITREFSLOWFILL", .blob_bytes = 15};
    rft_probe_request back;
    assert_int_equal(rft_wire_to_probe_request(&back, &frame, arena, &err), RFT_OK);
    expect_that_point(&back, scalar);
    assert_true(back.draw == request.draw && back.steady_mhz == request.steady_mhz);
    json_decref(frame.head);
    buffers[2].fill.identity = "0000404"; /* not all of it */
    expect_refused(&request, arena);
    buffers[2].fill.identity = "00004040";
    args[2].map.upper[0] = 32768; /* of 16 bits */
    expect_refused(&request, arena);
    args[2].map.upper[0] = 0;
    args[3].fields->at = 9; /* it ends outside of the struct */
    expect_refused(&request, arena);
    args[3].fields->at = 8;
    args[3].fields->kind = RFT_ARG_STRUCT;
    expect_refused(&request, arena);
    rft_arena_free(arena);
}

static void a_buffer_index_out_of_range_is_refused(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_buffer buffer = {"a", RFT_TYPE_F32, 10, RFT_BUFFER_OUTPUT, {0}};
    rft_arg arg = {.kind = RFT_ARG_BUFFER, .buffer = 3};
    rft_launch launch = a_launch(&arg, 1);
    rft_compile_result unit = {.log = ""};
    rft_point_spec spec = {.buffers = &buffer, .buffer_count = 1, .launches = &launch, .launch_count = 1};
    rft_probe_request request = {.spec = &spec, .unit = &unit, .problem_key = "", .measure = RFT_MEASURE_OPTS_INIT};
    rft_frame frame = {.head = rft_wire_of_probe_request(&request)};
    rft_probe_request back;
    assert_int_equal(rft_wire_to_probe_request(&back, &frame, arena, &err), RFT_E_WORKER);
    json_decref(frame.head);
    rft_arena_free(arena);
}

static void a_result_keeps_every_sample_and_what_is_absent(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    double samples[] = {1.25e-6, 1.0 / 3.0, 2e-6}, clocks[] = {1980.125, NAN, 1965.0 / 7.0};
    rft_probe_result result = {.outcome = RFT_OUTCOME_NOISY, .reason = "it shakes"};
    result.facts = rft_facts_unknown();
    result.measurement.samples_s = samples;
    result.measurement.n = 3;
    result.measurement.clocks_mhz = clocks;
    result.measurement.batch = 64;
    result.measurement.floor_s = NAN;
    result.measurement.cache = RFT_CACHE_ROTATING;
    result.measurement.clock_mhz = NAN;
    result.measurement.busy_s = 0.1;
    result.verification.done = true;
    result.verification.worst_abs_error = INFINITY;
    result.facts.waves = INFINITY; /* which it may not be */
    json_t *head = rft_wire_of_probe_result(&result);
    rft_probe_result back;
    assert_int_equal(rft_wire_to_probe_result(&back, head, arena, &err), RFT_OK);
    assert_int_equal(back.outcome, RFT_OUTCOME_NOISY);
    assert_memory_equal(back.measurement.samples_s, samples, sizeof samples);
    assert_true(back.measurement.stats.median == 2e-6);
    assert_true(back.measurement.clocks_mhz[0] == clocks[0] && back.measurement.clocks_mhz[2] == clocks[2]);
    assert_true(isnan(back.measurement.clocks_mhz[1]) && isnan(back.measurement.floor_s));
    assert_int_equal(back.measurement.batch, 64);
    assert_int_equal(back.measurement.cache, RFT_CACHE_ROTATING);
    assert_true(isnan(back.measurement.clock_mhz));
    assert_true(back.measurement.busy_s == 0.1);
    assert_true(isnan(back.facts.occupancy_frac));
    assert_int_equal(back.facts.registers, -1);
    assert_true(isnan(back.facts.waves));
    assert_true(isinf(back.verification.worst_abs_error));
    json_array_remove(json_object_get(json_object_get(head, "measurement"), "clocks"), 0);
    assert_int_equal(rft_wire_to_probe_result(&back, head, arena, &err), RFT_E_WORKER);
    assert_non_null(strstr(err.message, "clocks"));
    json_object_del(json_object_get(head, "measurement"), "clocks");
    assert_int_equal(rft_wire_to_probe_result(&back, head, arena, &err), RFT_OK);
    assert_null(back.measurement.clocks_mhz);
    json_decref(head);
    rft_arena_free(arena);
}

static void ceilings_keep_what_they_cost(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_ceilings ceilings = {.busy_s = 0.625}, back;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        ceilings.items[id] = rft_ceiling_none("");
    }
    ceilings.items[RFT_CEILING_FP32].measured = true;
    ceilings.items[RFT_CEILING_FP32].stats.median = 65e12;
    json_t *head = rft_wire_of_ceilings(&ceilings);
    assert_int_equal(rft_wire_to_ceilings(&back, head, arena, &err), RFT_OK);
    assert_true(back.busy_s == 0.625);
    assert_true(back.items[RFT_CEILING_FP32].stats.median == 65e12);
    assert_false(back.items[RFT_CEILING_FP64].measured);
    json_object_del(head, "busy_s");
    assert_int_equal(rft_wire_to_ceilings(&back, head, arena, &err), RFT_E_WORKER);
    json_decref(head);
    rft_arena_free(arena);
}

#define RFT_NO_UTF8 "\xef\xbf\xbd"

/* A compiler's log may quote the source's bytes as they are. */
static void text_that_is_no_utf8_comes_over_readable(void **state) {
    (void)state;
    const struct {
        const char *in, *out;
    } rows[] = {{"plain", "plain"},
                {"Grad \xc2\xb0", "Grad \xc2\xb0"},
                {"\x93quoted\x94", RFT_NO_UTF8 "quoted" RFT_NO_UTF8},
                {"cut \xe2\x82", "cut " RFT_NO_UTF8 RFT_NO_UTF8},
                {"\xf0\x9f\x98\x80 \xff", "\xf0\x9f\x98\x80 " RFT_NO_UTF8},
                {"", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *value = rft_json_clean_text(rows[i].in, 0);
        assert_string_equal(json_string_value(value), rows[i].out);
        json_decref(value);
    }
    json_t *nothing = rft_json_clean_text(NULL, 0);
    assert_true(json_is_null(nothing));
    json_decref(nothing);
    const char *option = "-DNAME=\xe9t\xe9";
    rft_compile_request request = {.source_name = "a.cu", .source_text = "", .options = &option, .option_count = 1};
    json_t *head = rft_wire_of_compile_request(&request);
    assert_int_equal(json_array_size(json_object_get(head, "options")), 1);
    json_decref(head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_survive_being_cut_anywhere),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(a_truncated_stream_is_an_error_and_an_empty_one_the_end),
        cmocka_unit_test(errors_keep_place_and_remedy),
        cmocka_unit_test(a_point_goes_over_whole),
        cmocka_unit_test(a_buffer_index_out_of_range_is_refused),
        cmocka_unit_test(text_that_is_no_utf8_comes_over_readable),
        cmocka_unit_test(a_result_keeps_every_sample_and_what_is_absent),
        cmocka_unit_test(ceilings_keep_what_they_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
