/* SPDX-License-Identifier: Apache-2.0 */
/* Probe requests on the wire: a point spelled out, with its cubins in the blob. */
#include "run/wire/wire.h"

#include <math.h>
#include <string.h>

static const rft_field fill_items[] = {
    RFT_WIRE_FIELD(rft_fill, kind, INT),  RFT_WIRE_FIELD(rft_fill, low, REAL),
    RFT_WIRE_FIELD(rft_fill, high, REAL), RFT_WIRE_FIELD(rft_fill, below, INT64),
    RFT_WIRE_FIELD(rft_fill, order, INT), RFT_WIRE_FIELD(rft_fill, identity, TEXT),
};
static const rft_fields fill_fields = RFT_WIRE_TABLE(fill_items);
static const rft_field file_items[] = {
    RFT_WIRE_FIELD(rft_npy_file, path, TEXT),
    RFT_WIRE_FIELD(rft_npy_file, offset_bytes, UINT64),
    RFT_WIRE_FIELD(rft_npy_file, file_bytes, UINT64),
    RFT_WIRE_FIELD(rft_npy_file, modified_ns, INT64),
};
static const rft_fields file_fields = RFT_WIRE_TABLE(file_items);
static const rft_field buffer_items[] = {
    RFT_WIRE_FIELD(rft_buffer, name, TEXT),
    RFT_WIRE_FIELD(rft_buffer, type, INT),
    RFT_WIRE_FIELD(rft_buffer, count, UINT64),
    RFT_WIRE_FIELD(rft_buffer, role, INT),
};
static const rft_fields buffer_fields = RFT_WIRE_TABLE(buffer_items);
static const rft_field arg_items[] = {
    RFT_WIRE_FIELD(rft_arg, kind, INT),
    RFT_WIRE_FIELD(rft_arg, buffer, UINT64),
    RFT_WIRE_FIELD(rft_arg, offset_bytes, UINT64),
    RFT_WIRE_FIELD(rft_arg, type, INT),
    RFT_WIRE_FIELD(rft_arg, is_cast, BOOL),
    RFT_WIRE_FIELD(rft_arg, hex, TEXT),
    RFT_WIRE_FIELD(rft_arg, layout, TEXT),
    RFT_WIRE_FIELD(rft_arg, bytes, UINT64),
    RFT_WIRE_FIELD(rft_arg, at, UINT64),
};
static const rft_fields arg_fields = RFT_WIRE_TABLE(arg_items);
static const rft_field map_items[] = {
    RFT_WIRE_FIELD(rft_tensor_map, rank, INT),         RFT_WIRE_FIELD(rft_tensor_map, swizzle, INT),
    RFT_WIRE_FIELD(rft_tensor_map, l2_promotion, INT), RFT_WIRE_FIELD(rft_tensor_map, tf32, INT),
    RFT_WIRE_FIELD(rft_tensor_map, im2col, INT),
};
static const rft_fields map_fields = RFT_WIRE_TABLE(map_items);
static const rft_field window_items[] = {
    RFT_WIRE_FIELD(rft_window, buffer, UINT64),
    RFT_WIRE_FIELD(rft_window, offset_bytes, UINT64),
    RFT_WIRE_FIELD(rft_window, bytes, UINT64),
    RFT_WIRE_FIELD(rft_window, hit_ratio, REAL),
};
static const rft_fields window_fields = RFT_WIRE_TABLE(window_items);
static const rft_field launch_items[] = {
    RFT_WIRE_FIELD(rft_launch, kind, INT),
    RFT_WIRE_FIELD(rft_launch, entry, TEXT),
    RFT_WIRE_AS(rft_launch, "grid_x", grid[0], INT64),
    RFT_WIRE_AS(rft_launch, "grid_y", grid[1], INT64),
    RFT_WIRE_AS(rft_launch, "grid_z", grid[2], INT64),
    RFT_WIRE_AS(rft_launch, "block_x", block[0], INT64),
    RFT_WIRE_AS(rft_launch, "block_y", block[1], INT64),
    RFT_WIRE_AS(rft_launch, "block_z", block[2], INT64),
    RFT_WIRE_FIELD(rft_launch, shared_bytes, INT64),
    RFT_WIRE_AS(rft_launch, "cluster_x", cluster[0], INT64),
    RFT_WIRE_AS(rft_launch, "cluster_y", cluster[1], INT64),
    RFT_WIRE_AS(rft_launch, "cluster_z", cluster[2], INT64),
    RFT_WIRE_FIELD(rft_launch, cooperative, BOOL),
    RFT_WIRE_FIELD(rft_launch, pdl, BOOL),
    RFT_WIRE_FIELD(rft_launch, memset_buffer, UINT64),
    RFT_WIRE_FIELD(rft_launch, memset_byte, INT),
};
static const rft_fields launch_fields = RFT_WIRE_TABLE(launch_items);
static const rft_field vendor_items[] = {
    RFT_WIRE_FIELD(rft_vendor_call, math, INT),
    RFT_WIRE_FIELD(rft_vendor_call, a, UINT64),
    RFT_WIRE_FIELD(rft_vendor_call, b, UINT64),
    RFT_WIRE_FIELD(rft_vendor_call, d, UINT64),
    RFT_WIRE_FIELD(rft_vendor_call, m, INT64),
    RFT_WIRE_FIELD(rft_vendor_call, n, INT64),
    RFT_WIRE_FIELD(rft_vendor_call, k, INT64),
    RFT_WIRE_FIELD(rft_vendor_call, a_order, INT),
    RFT_WIRE_FIELD(rft_vendor_call, b_order, INT),
    RFT_WIRE_FIELD(rft_vendor_call, d_order, INT),
    RFT_WIRE_FIELD(rft_vendor_call, exact_accumulation, BOOL),
    RFT_WIRE_FIELD(rft_vendor_call, scale, INT),
    RFT_WIRE_FIELD(rft_vendor_call, a_scale, UINT64),
    RFT_WIRE_FIELD(rft_vendor_call, b_scale, UINT64),
    RFT_WIRE_FIELD(rft_vendor_call, epilogue, INT),
    RFT_WIRE_FIELD(rft_vendor_call, extra, UINT64),
    RFT_WIRE_FIELD(rft_vendor_call, algo, INT),
};
static const rft_fields vendor_fields = RFT_WIRE_TABLE(vendor_items);
/* ---- encode ---- */

static json_t *numbers_of(const uint64_t *items, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, json_integer((json_int_t)items[i]));
    }
    return array;
}

static json_t *corner_of(const int corner[3]) {
    return numbers_of((uint64_t[]){(uint64_t)corner[0], (uint64_t)corner[1], (uint64_t)corner[2], 0, 0}, 5);
}

static json_t *map_of(const rft_tensor_map *map) {
    json_t *object = rft_wire_of_brief(&map_fields, map);
    uint64_t box[5];
    for (size_t i = 0; i < 5; i++) {
        box[i] = map->box[i];
    }
    json_object_set_new(object, "dims", numbers_of(map->dims, 5));
    json_object_set_new(object, "strides", numbers_of(map->strides, 5));
    json_object_set_new(object, "box", numbers_of(box, 5));
    json_object_set_new(object, "lower", corner_of(map->lower));
    json_object_set_new(object, "upper", corner_of(map->upper));
    return object;
}

static json_t *args_of(const rft_arg *args, size_t count);

static json_t *arg_of(const rft_arg *arg) {
    json_t *object = rft_wire_of_brief(&arg_fields, arg);
    if (arg->kind == RFT_ARG_SCALAR) {
        uint64_t bits = 0;
        memcpy(&bits, arg->scalar, sizeof bits);
        json_object_set_new(object, "bits", json_integer((json_int_t)bits));
    } else if (arg->kind == RFT_ARG_TENSOR_MAP) {
        json_object_set_new(object, "map", map_of(&arg->map));
    } else if (arg->kind == RFT_ARG_STRUCT) {
        json_object_set_new(object, "fields", args_of(arg->fields, arg->field_count));
    }
    return object;
}

static json_t *args_of(const rft_arg *args, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, arg_of(&args[i]));
    }
    return array;
}

static json_t *launches_of(const rft_launch *launches, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = rft_wire_of_brief(&launch_fields, &launches[i]);
        json_object_set_new(object, "args", args_of(launches[i].args, launches[i].arg_count));
        json_object_set_new(object, "window", rft_wire_of_brief(&window_fields, &launches[i].window));
        if (launches[i].kind == RFT_LAUNCH_VENDOR) {
            json_object_set_new(object, "vendor", rft_wire_of_brief(&vendor_fields, &launches[i].vendor));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *fill_of(const rft_fill *fill) {
    json_t *object = rft_wire_of_brief(&fill_fields, fill);
    if (fill->file) {
        json_object_set_new(object, "file", rft_wire_of_brief(&file_fields, fill->file));
    }
    if (fill->kernel) {
        json_object_set_new(object, "shown", rft_json_clean_text(fill->kernel->shown, 0));
        json_object_set_new(object, "launch", launches_of(&fill->kernel->launch, 1));
    }
    return object;
}

static json_t *fills_of(const rft_probe_request *request) {
    json_t *array = json_array();
    for (size_t i = 0; request->fills && i < request->spec->buffer_count; i++) {
        json_array_append_new(array, request->fills[i] ? rft_wire_of_compile_result(request->fills[i]) : json_null());
    }
    return array;
}

static json_t *buffers_of(const rft_point_spec *spec) {
    json_t *array = json_array();
    for (size_t i = 0; i < spec->buffer_count; i++) {
        json_t *object = rft_wire_of_brief(&buffer_fields, &spec->buffers[i]);
        json_object_set_new(object, "fill", fill_of(&spec->buffers[i].fill));
        json_object_set_new(object, "tol",
                            rft_json_real_new(spec->check.buffer_tol ? spec->check.buffer_tol[i] : (double)NAN));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *spec_of(const rft_point_spec *spec) {
    return json_pack("{s:o,s:o,s:o,s:o,s:b,s:o,s:o}", "buffers", buffers_of(spec), "prepare",
                     launches_of(spec->prepare, spec->prepare_count), "launches",
                     launches_of(spec->launches, spec->launch_count), "told", rft_json_clean_text(spec->told, 0),
                     "is_variant", (int)spec->is_variant, "tol", rft_json_real_new(spec->check.tol), "length",
                     rft_json_real_new(spec->check.length));
}

/* The point, its reference, and that one's. */
static json_t *specs_of(const rft_point_spec *spec) {
    json_t *array = json_array();
    for (const rft_point_spec *of = spec; of; of = of->check.reference) {
        json_array_append_new(array, spec_of(of));
    }
    return array;
}

json_t *rft_wire_of_race(const rft_probe_request *request) {
    const rft_race_limits *few = &request->few;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I}", "rival_s", rft_json_real_new(request->rival_s), "run_s",
                     rft_json_real_new(few->run_s), "alone_s", rft_json_real_new(few->alone_s), "one_s",
                     rft_json_real_new(few->one_s), "three_s", rft_json_real_new(few->three_s), "six_s",
                     rft_json_real_new(few->six_s), "clock_mhz", rft_json_real_new(few->clock_mhz), "least",
                     (json_int_t)few->least);
}

void rft_wire_to_race(rft_probe_request *out, const json_t *race) {
    out->rival_s = rft_json_real_or(race, "rival_s", 0.0);
    out->few.run_s = rft_json_real_or(race, "run_s", 0.0);
    out->few.alone_s = rft_json_real_or(race, "alone_s", 0.0);
    out->few.one_s = rft_json_real_or(race, "one_s", 0.0);
    out->few.three_s = rft_json_real_or(race, "three_s", 0.0);
    out->few.six_s = rft_json_real_or(race, "six_s", 0.0);
    out->few.clock_mhz = rft_json_real_or(race, "clock_mhz", 0.0);
    int64_t least = rft_json_int_or(race, "least", 0);
    out->few.least = least > 0 ? (size_t)least : 0;
}

json_t *rft_wire_of_probe_request(const rft_probe_request *request) {
    const rft_point_spec *spec = request->spec;
    json_t *head = json_object();
    json_object_set_new(head, "round", json_integer(request->round));
    json_object_set_new(head, "verify_only", json_boolean(request->verify_only));
    json_object_set_new(head, "repeats", json_integer(request->repeats));
    json_object_set_new(head, "verified", json_boolean(request->verified));
    json_object_set_new(head, "turn", json_integer(request->turn));
    json_object_set_new(head, "steady_mhz", rft_json_real_new(request->steady_mhz));
    json_object_set_new(head, "held", json_boolean(request->held));
    json_object_set_new(head, "draw", json_integer((json_int_t)request->draw));
    json_object_set_new(head, "load", rft_wire_of_load_order(&request->load));
    json_object_set_new(head, "problem_key", rft_json_clean_text(request->problem_key, 0));
    json_object_set_new(head, "race", rft_wire_of_race(request));
    json_object_set_new(head, "measure", rft_wire_of_fields(&rft_fields_measure_opts, &request->measure));
    json_object_set_new(head, "specs", specs_of(spec));
    json_object_set_new(head, "unit", rft_wire_of_compile_result(request->unit));
    json_object_set_new(head, "reference",
                        request->reference ? rft_wire_of_compile_result(request->reference) : json_null());
    json_object_set_new(head, "fills", fills_of(request));
    json_object_set_new(head, "truth", request->truth ? rft_wire_of_compile_result(request->truth) : json_null());
    return head;
}

/* ---- decode ---- */

#define SPECS_MOST 3 /* of a point, its reference, and a slower one */

typedef struct spec_reader {
    rft_arena *arena;
    rft_err *err;
    size_t buffer_count; /* every buffer index must be below */
} spec_reader;

static int bad(spec_reader *r, const char *what) {
    return rft_err_set(r->err, RFT_E_WORKER, "frame: %s is missing or of the wrong type", what);
}

static int numbers_to(spec_reader *r, uint64_t out[5], const json_t *object, const char *key) {
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array) || json_array_size(array) != 5) {
        return bad(r, key);
    }
    for (size_t i = 0; i < 5; i++) {
        out[i] = (uint64_t)json_integer_value(json_array_get(array, i));
    }
    return RFT_OK;
}

static int corner_to(spec_reader *r, int out[3], const json_t *object, const char *key) {
    uint64_t corner[5];
    int rc = numbers_to(r, corner, object, key);
    for (size_t i = 0; i < 3 && rc == RFT_OK; i++) {
        int64_t offset = (int64_t)corner[i];
        rc = offset < -RFT_IM2COL_MOST(3) - 1 || offset > RFT_IM2COL_MOST(3) ? bad(r, key) : RFT_OK;
        out[i] = (int)offset;
    }
    return rc;
}

static int map_to(spec_reader *r, rft_tensor_map *out, const json_t *object) {
    uint64_t box[5];
    int rc = rft_wire_to_brief(&map_fields, out, object, r->arena, r->err);
    if (rc != RFT_OK || (rc = numbers_to(r, out->dims, object, "dims")) != RFT_OK ||
        (rc = numbers_to(r, out->strides, object, "strides")) != RFT_OK ||
        (rc = numbers_to(r, box, object, "box")) != RFT_OK ||
        (rc = corner_to(r, out->lower, object, "lower")) != RFT_OK ||
        (rc = corner_to(r, out->upper, object, "upper")) != RFT_OK) {
        return rc;
    }
    if (out->rank < 1 || out->rank > 5) {
        return bad(r, "map.rank");
    }
    for (size_t i = 0; i < 5; i++) {
        out->box[i] = (uint32_t)box[i];
    }
    return RFT_OK;
}

static int args_to(spec_reader *r, rft_arg **out, size_t *count, const json_t *array, const rft_arg *of);

static uint64_t arg_bytes(const rft_arg *arg) {
    return arg->kind == RFT_ARG_TENSOR_MAP ? 128 : 8;
}

/* Its bytes are all there, and its fields lie within. */
static int struct_to(spec_reader *r, rft_arg *out, const json_t *object) {
    if (out->bytes == 0 || out->bytes > RFT_STRUCT_BYTES_MAX || !out->hex || strlen(out->hex) != 2 * out->bytes) {
        return bad(r, "arg.bytes");
    }
    int rc = args_to(r, &out->fields, &out->field_count, json_object_get(object, "fields"), out);
    for (size_t i = 0; i < out->field_count && rc == RFT_OK; i++) {
        const rft_arg *field = &out->fields[i];
        if (field->at > out->bytes || out->bytes - field->at < arg_bytes(field)) {
            return bad(r, "arg.at");
        }
    }
    return rc;
}

/* `of`: the struct that it is a field of; NULL: none. */
static int arg_to(spec_reader *r, rft_arg *out, const json_t *object, const rft_arg *of) {
    int rc = rft_wire_to_brief(&arg_fields, out, object, r->arena, r->err);
    if (rc != RFT_OK) {
        return rc;
    }
    bool is_address = out->kind == RFT_ARG_BUFFER || out->kind == RFT_ARG_TENSOR_MAP;
    if (out->kind > RFT_ARG_STRUCT || out->type >= RFT_TYPE_COUNT || (of && !is_address)) {
        return bad(r, "arg.kind");
    }
    if (out->kind == RFT_ARG_STRUCT) {
        return struct_to(r, out, object);
    }
    if (out->kind != RFT_ARG_SCALAR && out->buffer >= r->buffer_count) {
        return bad(r, "arg.buffer");
    }
    if (out->kind == RFT_ARG_SCALAR) {
        uint64_t bits = (uint64_t)json_integer_value(json_object_get(object, "bits"));
        memcpy(out->scalar, &bits, sizeof bits);
    }
    return out->kind == RFT_ARG_TENSOR_MAP ? map_to(r, &out->map, json_object_get(object, "map")) : RFT_OK;
}

static int args_to(spec_reader *r, rft_arg **out, size_t *count, const json_t *array, const rft_arg *of) {
    int rc = RFT_OK;
    *count = json_array_size(array);
    *out = rft_arena_calloc(r->arena, *count + 1, sizeof **out);
    for (size_t i = 0; i < *count && rc == RFT_OK; i++) {
        rc = arg_to(r, &(*out)[i], json_array_get(array, i), of);
    }
    return rc;
}

static int vendor_to(spec_reader *r, rft_vendor_call *out, const json_t *object) {
    int rc = rft_wire_to_brief(&vendor_fields, out, object, r->arena, r->err);
    bool good = out->math < RFT_VENDOR_MATH_COUNT && out->a < r->buffer_count && out->b < r->buffer_count &&
                out->d < r->buffer_count && out->a_order <= RFT_VENDOR_COLUMN && out->b_order <= RFT_VENDOR_COLUMN &&
                out->d_order <= RFT_VENDOR_COLUMN && out->scale < RFT_VENDOR_SCALE_COUNT &&
                out->a_scale < r->buffer_count && out->b_scale < r->buffer_count &&
                out->epilogue < RFT_VENDOR_EPILOGUE_COUNT && out->extra < r->buffer_count;
    return rc != RFT_OK || good ? rc : bad(r, "launch.vendor");
}

static int launch_to(spec_reader *r, rft_launch *out, const json_t *object) {
    int rc = rft_wire_to_brief(&launch_fields, out, object, r->arena, r->err);
    if (rc == RFT_OK) {
        rc = rft_wire_to_brief(&window_fields, &out->window, json_object_get(object, "window"), r->arena, r->err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (out->kind > RFT_LAUNCH_VENDOR || (out->kind == RFT_LAUNCH_MEMSET && out->memset_buffer >= r->buffer_count) ||
        (out->kind == RFT_LAUNCH_KERNEL && !out->entry) ||
        (out->window.bytes && out->window.buffer >= r->buffer_count)) {
        return bad(r, "launch");
    }
    if (out->kind == RFT_LAUNCH_VENDOR) {
        rc = vendor_to(r, &out->vendor, json_object_get(object, "vendor"));
    }
    return rc == RFT_OK ? args_to(r, &out->args, &out->arg_count, json_object_get(object, "args"), NULL) : rc;
}

static int launches_to(spec_reader *r, rft_launch **out, size_t *count, const json_t *head, const char *key) {
    const json_t *array = json_object_get(head, key);
    if (!json_is_array(array)) {
        return bad(r, key);
    }
    *count = json_array_size(array);
    *out = rft_arena_calloc(r->arena, *count + 1, sizeof **out);
    int rc = RFT_OK;
    for (size_t i = 0; i < *count && rc == RFT_OK; i++) {
        rc = launch_to(r, &(*out)[i], json_array_get(array, i));
    }
    return rc;
}

static bool is_fill(const rft_buffer *buffer) {
    uint64_t bytes;
    return buffer->fill.kind != RFT_FILL_GIVEN ||
           (buffer->fill.identity && !__builtin_mul_overflow(buffer->count, rft_type_bytes(buffer->type), &bytes) &&
            strspn(buffer->fill.identity, "0123456789abcdef") == 2 * bytes);
}

static int fill_to(spec_reader *r, rft_fill *out, const json_t *object) {
    int rc = rft_wire_to_brief(&fill_fields, out, object, r->arena, r->err);
    size_t count = 0;
    rft_launch *launch = NULL;
    if (rc == RFT_OK && out->kind == RFT_FILL_FILE) {
        rft_npy_file *file = rft_arena_alloc(r->arena, sizeof *file);
        out->file = file;
        rc = rft_wire_to_brief(&file_fields, file, json_object_get(object, "file"), r->arena, r->err);
        rc = rc == RFT_OK && !file->path ? bad(r, "fill.file") : rc;
    } else if (rc == RFT_OK && out->kind == RFT_FILL_KERNEL) {
        rft_filler *kernel = rft_arena_alloc(r->arena, sizeof *kernel);
        out->kernel = kernel;
        kernel->shown = rft_arena_strdup(r->arena, rft_json_text_or(object, "shown", ""));
        rc = launches_to(r, &launch, &count, object, "launch");
        rc = rc == RFT_OK && (count != 1 || launch->kind != RFT_LAUNCH_KERNEL) ? bad(r, "fill.launch") : rc;
        kernel->launch = rc == RFT_OK ? *launch : kernel->launch;
    }
    return rc == RFT_OK && out->kind > RFT_FILL_FILE ? bad(r, "fill.kind") : rc;
}

static int buffers_to(spec_reader *r, rft_point_spec *spec, const json_t *head) {
    const json_t *array = json_object_get(head, "buffers");
    if (!json_is_array(array)) {
        return bad(r, "buffers");
    }
    spec->buffer_count = json_array_size(array);
    r->buffer_count = spec->buffer_count;
    spec->buffers = rft_arena_calloc(r->arena, spec->buffer_count + 1, sizeof *spec->buffers);
    spec->check.buffer_tol = rft_arena_calloc(r->arena, spec->buffer_count + 1, sizeof *spec->check.buffer_tol);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const json_t *object = json_array_get(array, i);
        rft_buffer *buffer = &spec->buffers[i];
        int rc = rft_wire_to_brief(&buffer_fields, buffer, object, r->arena, r->err);
        if (rc == RFT_OK) {
            rc = fill_to(r, &buffer->fill, json_object_get(object, "fill"));
        }
        if (rc != RFT_OK) {
            return rc;
        }
        if (buffer->type >= RFT_TYPE_COUNT || buffer->role > RFT_BUFFER_CONSTANT || buffer->count == 0 ||
            !buffer->name || !is_fill(buffer)) {
            return bad(r, "buffer");
        }
        spec->check.buffer_tol[i] = rft_json_real_or(object, "tol", NAN);
    }
    return RFT_OK;
}

static int spec_to(spec_reader *r, rft_point_spec *out, const json_t *object) {
    int rc = buffers_to(r, out, object);
    if (rc == RFT_OK) {
        rc = launches_to(r, &out->prepare, &out->prepare_count, object, "prepare");
    }
    if (rc == RFT_OK) {
        rc = launches_to(r, &out->launches, &out->launch_count, object, "launches");
    }
    out->told = rft_arena_strdup(r->arena, rft_json_text_or(object, "told", NULL));
    out->is_variant = rft_json_bool_or(object, "is_variant", false);
    out->check.tol = rft_json_real_or(object, "tol", NAN);
    out->check.length = rft_json_real_or(object, "length", 1.0);
    out->traffic = rft_traffic_unknown();
    return rc;
}

static int specs_to(spec_reader *r, rft_point_spec *out, const json_t *head) {
    const json_t *array = json_object_get(head, "specs");
    size_t count = json_array_size(array);
    if (count < 1 || count > SPECS_MOST) {
        return bad(r, "specs");
    }
    int rc = spec_to(r, out, json_array_get(array, 0));
    size_t buffer_count = r->buffer_count; /* of the point */
    for (size_t i = 1; i < count && rc == RFT_OK; i++) {
        rft_point_spec *reference = rft_arena_calloc(r->arena, 1, sizeof *reference);
        rc = spec_to(r, reference, json_array_get(array, i));
        out->check.reference = reference;
        out = reference;
    }
    r->buffer_count = buffer_count;
    return rc;
}

/* What is left of a frame's blob. */
typedef struct blob_reader {
    const char *at;
    size_t bytes;
} blob_reader;

/* NULL where there is none. */
static int result_to(spec_reader *r, const rft_compile_result **out, const json_t *object, blob_reader *blob) {
    *out = NULL;
    if (!json_is_object(object)) {
        return RFT_OK;
    }
    rft_compile_result *result = rft_arena_alloc(r->arena, sizeof *result);
    int rc = rft_wire_to_compile_result(result, object, blob->at, blob->bytes, r->arena, r->err);
    if (rc == RFT_OK) {
        blob->at = blob->at ? blob->at + result->cubin_bytes : NULL;
        blob->bytes -= result->cubin_bytes;
        *out = result;
    }
    return rc;
}

static int results_to(spec_reader *r, rft_probe_request *out, const rft_frame *frame) {
    blob_reader blob = {frame->blob, frame->blob_bytes};
    const json_t *fills = json_object_get(frame->head, "fills");
    const rft_compile_result **codes = rft_arena_calloc(r->arena, r->buffer_count + 1, sizeof *codes);
    int rc = result_to(r, &out->unit, json_object_get(frame->head, "unit"), &blob);
    rc = rc == RFT_OK && !out->unit ? bad(r, "unit") : rc;
    if (rc == RFT_OK) {
        rc = result_to(r, &out->reference, json_object_get(frame->head, "reference"), &blob);
    }
    if (rc == RFT_OK) {
        rc = result_to(r, &out->truth, json_object_get(frame->head, "truth"), &blob);
    }
    for (size_t i = 0; rc == RFT_OK && i < json_array_size(fills) && i < r->buffer_count; i++) {
        rc = result_to(r, &codes[i], json_array_get(fills, i), &blob);
    }
    out->fills = json_array_size(fills) > 0 ? codes : NULL;
    return rc;
}

int rft_wire_to_probe_request(rft_probe_request *out, const rft_frame *frame, rft_arena *arena, rft_err *err) {
    spec_reader r = {.arena = arena, .err = err};
    const json_t *head = frame->head;
    rft_point_spec *spec = rft_arena_alloc(arena, sizeof *spec);
    *out = (rft_probe_request){.spec = spec};
    out->round = (int)rft_json_int_or(head, "round", 0);
    out->verify_only = rft_json_bool_or(head, "verify_only", false);
    out->repeats = (int)rft_json_int_or(head, "repeats", 0);
    out->verified = rft_json_bool_or(head, "verified", false);
    out->turn = (int)rft_json_int_or(head, "turn", 0);
    out->steady_mhz = rft_json_real_or(head, "steady_mhz", 0.0);
    out->held = rft_json_bool_or(head, "held", false);
    out->draw = (uint64_t)rft_json_int_or(head, "draw", 0);
    rft_wire_to_load_order(&out->load, json_object_get(head, "load"));
    out->problem_key = rft_arena_strdup(arena, rft_json_text_or(head, "problem_key", ""));
    rft_wire_to_race(out, json_object_get(head, "race"));
    int rc = rft_wire_to_fields(&rft_fields_measure_opts, &out->measure, json_object_get(head, "measure"), arena, err);
    if (rc == RFT_OK) {
        rc = specs_to(&r, spec, head);
    }
    return rc == RFT_OK ? results_to(&r, out, frame) : rc;
}
