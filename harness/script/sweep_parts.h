/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_parts.h - what a script's kernel{} and sweep{} become: model structs, and beside them the registry references
 * of the functions that rft_sweep_vt calls. All in the script's arena; nothing is freed one by one. Private to the
 * room.
 */
#ifndef RFT_SCRIPT_SWEEP_PARTS_H
#define RFT_SCRIPT_SWEEP_PARTS_H

#include "model/sweep/kernel_name.h"
#include "model/sweep/sweep.h"
#include "script/lua/lua_read.h"
#include "script/lua/lua_state.h"
#include "script/lua/lua_values.h"

#define RFT_TAG_KERNEL "kernel{}"        /* payload: rft_kernel_facts * */
#define RFT_TAG_VARIANT "variant"        /* payload: const char *, the name */
#define RFT_TAG_SWEEP "sweep{}"          /* payload: rft_sweep_state * */
#define RFT_TAG_VENDOR "vendor.matmul{}" /* payload: rft_baseline_facts * */
#define RFT_VENDOR_ALGO "ALGO"           /* the parameter of a library's kernel: which of its list, from 0 */

typedef enum rft_odd_kind { RFT_ODD_DERIVED, RFT_ODD_GIVEN, RFT_ODD_NONE } rft_odd_kind;
typedef struct rft_odd_facts {
    rft_value *values; /* per axis, where given; the others are derived */
    bool *given;
} rft_odd_facts;

/* check.reference (sweep_reference.c). */
typedef struct rft_reference_facts {
    const char *source, *name; /* "saxpy.cu:saxpy_reference"; name NULL: each launch has its entry */
    const char *variant;       /* variant "naive": in place of all but `set`; NULL */
    const char **set_names;    /* of its parameters that are not at their defaults */
    rft_value *set_values;
    size_t set_count;
    int grid_ref, block_ref, shared_ref; /* values or functions of p; LUA_NOREF */
    int launch_ref, buffers_ref;         /* in place of those three; LUA_NOREF */
} rft_reference_facts;

typedef struct rft_check_facts {
    rft_reference_facts reference;
    const char **options;
    size_t option_count;
    double tol;     /* NaN = derived */
    double length;  /* when length_ref is LUA_NOREF */
    int length_ref; /* function(p) */
    const char **buffer_names;
    double *buffer_tols;
    size_t buffer_count;
    rft_odd_kind odd;
    rft_odd_facts *odds; /* where odd is RFT_ODD_GIVEN */
    size_t odd_count;
} rft_check_facts;

/* A kernel{}: everything but the values to try. */
typedef struct rft_kernel_facts {
    const char *name, *source; /* of a library's kernel: the script that says so */
    const char *place;         /* of kernel{ */
    const rft_script_file *file;
    const char **entries; /* the first is the default of a launch */
    size_t entry_count;
    const char **axes;
    bool *axis_compiled;
    size_t axis_count;
    rft_param *params; /* values: the default alone */
    bool *param_is_ctype;
    size_t param_count;
    const char **options; /* when options_ref is LUA_NOREF */
    size_t option_count;
    int options_ref, buffers_ref, prepare_ref, launch_ref, work_ref, traffic_ref, prior_ref;
    bool buffers_fixed;          /* buffers() takes p alone and so cannot depend on the configuration */
    const rft_buffer *constants; /* when constants_ref is LUA_NOREF */
    size_t constant_count;
    int constants_ref;                       /* function(p, c, gpu) */
    bool constants_fixed;                    /* as buffers_fixed */
    const struct rft_baseline_facts *vendor; /* launch = vendor.matmul{}: nothing is compiled, ALGO is the one
                                                parameter; NULL */
    rft_check_facts check;
} rft_kernel_facts;

/* The texts a text-valued parameter or axis can have: NAME_alternative is their number, from 1. */
typedef struct rft_alternatives {
    const char **texts;
    size_t count; /* 0: not text-valued */
    bool is_ctype;
} rft_alternatives;

typedef enum rft_needed_kind { RFT_NEEDS_PARAM, RFT_NEEDS_AXIS, RFT_NEEDS_GPU } rft_needed_kind;

typedef struct rft_needed {
    rft_needed_kind kind;
    size_t index;
} rft_needed;

/* Beside each rft_constraint: the function, and what its arguments are. */
typedef struct rft_constraint_state {
    int ref;
    const char *text; /* as in rft_constraint */
    rft_needed *needs;
    size_t need_count;
} rft_constraint_state;

typedef struct rft_variant_state {
    const rft_kernel_facts *kernel; /* NULL: a bare space */
    int prior_ref;                  /* the variant's own, else its kernel's; LUA_NOREF */
    rft_alternatives *alternatives; /* per parameter */
    rft_constraint_state *constraints;
    rft_value *base_config;      /* each default, or the first value where the default is not among the values */
    size_t reference;            /* the variant that is its reference; SIZE_MAX: a kernel is */
    rft_value *reference_config; /* then: of that one */
} rft_variant_state;

#define RFT_VENDOR_DIM_MAX INT64_C(1000000000)

/* m, n or k of a vendor.matmul{}. */
typedef struct rft_baseline_dim {
    const char *key;  /* "m" */
    const char *axis; /* a dimension of the problem; NULL: */
    int ref;          /* function(p), or LUA_NOREF: */
    int64_t number;
} rft_baseline_dim;

/* A vendor.matmul{}: what is multiplied, by names. */
typedef struct rft_baseline_facts {
    const char *name;
    const char *place; /* of vendor.matmul{ */
    bool math_given;   /* false: as the type of A says */
    rft_vendor_math math;
    const char *a, *b, *c; /* buffers */
    rft_baseline_dim m, n, k;
    bool transpose_a, transpose_b, transpose_c;
    bool exact; /* fp8: no fast accumulation */
    rft_vendor_epilogue epilogue;
    const char *extra; /* the buffer that the epilogue reads; NULL without */
    rft_vendor_scale scale;
    const char *a_scale, *b_scale; /* buffers; where there is a scale */
    bool output_given;
    rft_type output; /* then: of the elements of C */
    double tol;      /* NaN: as the kernels', and what the math makes worse */
} rft_baseline_facts;

struct rft_sweep_state {
    rft_sweep sweep;
    rft_script *script;
    const char *place;         /* of sweep{ */
    rft_variant_state *states; /* per sweep.variants */
    int *with_refs;            /* per axis: function(p), or LUA_NOREF */
    rft_value *with_values;    /* per axis, where with_given and no function */
    bool *with_given;
    rft_alternatives *axis_alternatives;
    const rft_baseline_facts **baselines; /* per sweep.baselines; NULL: a given binary, */
    size_t *baseline_variants;            /* which stands at this place of `variants` and `states`, behind the others */
};

/* kernel, sweep, vendor, mix into the table on top. */
void rft_sweep_api_open(lua_State *lua);
int rft_api_kernel(lua_State *lua);
int rft_api_sweep(lua_State *lua);

/* ---- sweep_read.c's parts ---- */
/* over, with, along: fills axes and problems (sweep_problem.c). The sweep's table is at `table`. */
void rft_problems_read(lua_State *lua, int table, rft_sweep_state *state);
/* Calls with's functions for what `values` lacks; swept ones are there. Inside a protected call. */
void rft_problems_complete(lua_State *lua, const rft_sweep_state *state, rft_value *values, rft_arena *arena);
/* tune: the values of every parameter of every variant (sweep_tune.c). */
void rft_tune_read(lua_State *lua, int table, rft_sweep_state *state);
/* where: distributes the sweep's constraints and each variant's own (sweep_constraint.c). */
void rft_constraints_read(lua_State *lua, int table, rft_sweep_state *state);
/* measure, search, baseline (sweep_options.c). */
void rft_options_read(lua_State *lua, int table, rft_sweep_state *state);
#define RFT_BASELINES_MAX 16 /* there is room for so many behind the variants */
/* Makes the kernel the variant `v`, which has no name of its own where `name` is NULL. */
void rft_variant_set(rft_sweep_state *state, size_t v, const char *name, const rft_kernel_facts *kernel);
/* Fails where the dimensions are not those of the first variant. */
void rft_variant_check_axes(lua_State *lua, const rft_at *at, const rft_sweep_state *state,
                            const rft_kernel_facts *kernel);
/* The sweep's `baseline` on top of the stack (sweep_baseline.c). */
void rft_baselines_read(lua_State *lua, const rft_at *at, rft_sweep_state *state);
int rft_api_vendor_matmul(lua_State *lua);
/* Fails where m, n or k names none of these dimensions. */
void rft_vendor_check_dims(lua_State *lua, const rft_at *at, const rft_baseline_facts *facts, const char *const *axes,
                           size_t axis_count);
/* The vendor.matmul{} on top of the stack, which stands where a kernel{} is expected, becomes one: kernels/
 * vendor_matmul.lua brings its problem, buffers, work and reference. */
void rft_vendor_make_kernel(lua_State *lua, const rft_at *at);
/* What of a kernel{} at `table` is the library's where its launch is a vendor.matmul{}: entry, source, ALGO. Refuses
 * what only code has. False, and nothing done, where launch is anything else. (sweep_vendor_kernel.c) */
bool rft_vendor_kernel_read(lua_State *lua, int table, rft_kernel_facts *kernel);

/* Where the source is a cubin or PTX: refuses what would change it, and hashes it. (sweep_given.c) */
void rft_given_kernel_read(lua_State *lua, int table, const rft_kernel_facts *kernel);
/* Its bytes count for the script's hash. Raises, for what stands at `at`: it cannot be read. */
void rft_given_hash(lua_State *lua, const rft_at *at, const char *path);

/* A list of values at `index`: values(), range() ... Empty ones are RFT_E_SPACE, repeated ones refused. */
rft_value *rft_values_read(lua_State *lua, int index, const rft_at *at, size_t *count, bool *is_ctype);
int rft_values_refine_depth(lua_State *lua, int index);
/* The distinct texts among the values; checks that each can be part of a macro's name. */
rft_alternatives rft_alternatives_of(lua_State *lua, const rft_at *at, const rft_value *values, size_t count,
                                     bool is_ctype);

/* The list of compiler options on top of the stack, as written in `file`: each is one that a sweep may give
 * (model/sweep/compile_option.h), and the paths in them are put behind the file's folder and may be read
 * (sweep_options.c). */
const char **rft_compile_options_read(lua_State *lua, const rft_at *at, const rft_script_file *file, rft_arena *arena,
                                      size_t *count);

/* "FILE.cu:NAME" at its last colon that is not part of a ::. Raises where it has none (sweep_kernel.c). */
void rft_entry_split(lua_State *lua, const rft_at *at, const char *text, rft_arena *arena, const char **source,
                     const char **name);

/* ---- points (sweep_point.c and its parts) ---- */

typedef struct rft_point_call {
    rft_sweep_state *state;
    size_t variant;
    const rft_value *problem, *config;
    rft_arena *arena;
    rft_point_spec *out;
    const rft_baseline_facts *baseline; /* in place of the kernel's launches; NULL */
    bool is_reference;                  /* the variant is spelled out to be another's reference */
} rft_point_call;

/* A point on its way to being spelled out. */
typedef struct rft_point_reader {
    lua_State *lua;
    const rft_point_call *call;
    const rft_sweep *sweep;
    const rft_variant *variant;
    const rft_variant_state *state;
    const rft_kernel_facts *kernel;
    rft_point_spec *spec;
    int p, c, gpu; /* stack indices of the strict tables */
} rft_point_reader;

/* The lua_CFunction for rft_lua_protected(): payload rft_point_call. */
int rft_point_spell(lua_State *lua);
void rft_point_spell_call(lua_State *lua, const rft_point_call *call); /* the same, within such a call */
/* Within such a call: work and traffic alone, and the buffers that they need. */
void rft_point_amounts(lua_State *lua, const rft_point_call *call);
/* The table of buffers on top, sorted by name, with room for RFT_BUFFERS_MAX; popped. */
rft_buffer *rft_point_read_buffers(const rft_point_reader *reader, const char *root, size_t *count);
bool rft_point_same_buffer(const rft_buffer *a, const rft_buffer *b); /* role, type, size, contents */
/* Pushes strict b. */
void rft_point_push_handles(lua_State *lua, const rft_buffer *buffers, size_t count);

/* -D options of a unit; no more than `room` are added. */
typedef struct rft_option_list {
    const char **items;
    size_t count, room;
} rft_option_list;
void rft_options_add(rft_option_list *list, const char *option);
/* -DNAME_alternative=1 ..., and -DNAME=value if `with_value`. */
void rft_options_add_macros(rft_arena *arena, rft_option_list *list, const char *name, const rft_value *value,
                            const rft_alternatives *alternatives, bool with_value);

/* ---- priors (sweep_prior.c) ---- */
/* As rft_sweep_vt.prior; `variant` has a kernel. */
int rft_prior_of(rft_sweep_state *state, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                 rft_err *err);
/* The same twice: RFT_E_SCRIPT where both differ. */
int rft_prior_try(rft_sweep_state *state, size_t variant, const rft_value *problem, const rft_value *config,
                  rft_err *err);

/* ---- references (sweep_reference.c) ---- */
/* check.reference; the table of `check` is at `table`. */
void rft_reference_read(lua_State *lua, const rft_at *check, int table, rft_kernel_facts *kernel);
/* Which variant the reference of variant `v` is, and its configuration: once variants and tune are read. Refuses
 * circles. */
void rft_reference_resolve(lua_State *lua, rft_sweep_state *state, size_t v);
/* The reference of a point whose buffers are there. */
rft_point_spec *rft_reference_spell(const rft_point_reader *reader);
int rft_api_variant(lua_State *lua);
/* The text of the first constraint that leaves the configuration out; NULL: it is in. Raises what a constraint does. */
const char *rft_constraint_against(lua_State *lua, const rft_point_call *call);
/* A path of an existing file, relative to the file that calls kernel{} (sweep_kernel.c). */
const char *rft_kernel_source_path(lua_State *lua, const rft_at *at, const rft_kernel_facts *kernel,
                                   const char *written);
/* The one launch of a baseline, or of a kernel whose launch is the library's, once the buffers are there; p is at stack
 * index `p`. Then the tolerance it is judged by, once the kernel's own are there. */
void rft_baseline_launch(lua_State *lua, const rft_point_call *call, const rft_baseline_facts *facts, int p);
void rft_baseline_tolerance(const rft_point_call *call, const rft_baseline_facts *facts);
/* The buffers alone: out->buffers. Payload rft_point_call. */
int rft_point_buffers(lua_State *lua);
/* Pushes strict p (all axes, or those in `known`), c, gpu. */
void rft_push_problem(lua_State *lua, const rft_sweep_state *state, const rft_value *values, const bool *known);
void rft_push_config(lua_State *lua, const rft_sweep_state *state, size_t variant, const rft_value *values);
void rft_push_gpu(lua_State *lua);

/* The launches that a function returned, on top of the stack (sweep_launch.c). */
typedef struct rft_launch_reader {
    const rft_point_call *call;
    const rft_buffer *buffers;
    size_t buffer_count;
    const char *entry;        /* as written, of a launch that names none; NULL: each must */
    const char **param_names; /* per parameter and then per axis, "" where it is not compiled: */
    const char **param_texts; /* what replaces the name in an entry */
    size_t param_count;       /* of both, and of in_entry */
    bool of_reference;        /* then work and traffic are refused */
    const char **names;       /* distinct entries so far; room for RFT_ENTRIES_MAX */
    size_t name_count;
    bool *in_entry; /* per parameter and then per compiled axis: named in some entry, so no macro */
} rft_launch_reader;
#define RFT_ENTRIES_MAX 256
#define RFT_LAUNCHES_MAX 64
rft_launch *rft_launches_read(lua_State *lua, const char *root, rft_launch_reader *reader, size_t *count);

/* table[key] of the table on top, a number or { x, y, z }; 1s where it is not there. Of resident(), a grid's, out[0] is
 * 0. */
void rft_extent_read(lua_State *lua, const rft_at *root, const char *key, bool is_required, int64_t out[3]);

/* How a kernel fills the buffer whose description is on top; nothing where none does. Names of other buffers are looked
 * for when all are known: rft_fills_settle() makes each fill.kernel whole, and the identities (sweep_fill.c). */
void rft_fill_read(lua_State *lua, const rft_at *at, rft_arena *arena, rft_buffer *buffer);
void rft_fills_settle(lua_State *lua, rft_arena *arena, rft_buffer *buffers, size_t count);

/* The work and traffic on top of the stack (sweep_launch.c). */
void rft_work_read(lua_State *lua, const rft_point_spec *spec, rft_arena *arena, rft_work *out);
void rft_traffic_read(lua_State *lua, rft_traffic *out);
/* The keys `work` and `traffic` of the launch on top. */
void rft_launch_work_read(lua_State *lua, const rft_at *at, rft_launch *out);
/* Where every launch declares its work: together they do at least the point's. */
void rft_launch_work_check(lua_State *lua, const rft_point_spec *spec);

/* The table on top, as buffers of role CONSTANT sorted by name; stays there. At most `most` (sweep_constants.c). */
rft_buffer *rft_constants_read(lua_State *lua, const rft_at *at, rft_arena *arena, size_t most, size_t *count);
/* constants = { ... } or a function, of the kernel{} at `table`. */
void rft_constants_of_kernel(lua_State *lua, int table, rft_kernel_facts *kernel);

/* "128", "0.5", "1" for true, a ctype verbatim, the number of an alternative. */
const char *rft_macro_text(rft_arena *arena, const rft_value *value, const rft_alternatives *alternatives);
/* Position of a text among the alternatives, from 1; 0 when it is not there. */
size_t rft_alternative_number(const rft_alternatives *alternatives, const char *text);

#endif
