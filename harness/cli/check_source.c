/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_source.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/cuda_scan.h"
#include "model/sweep/arguments.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE_BYTES_MAX (4u << 20)
#define PLACES_MAX 256
#define BY_SOURCE "compiled code of extern \"C\" has sizes alone: its source says the types"
_Static_assert(RFT_CUDA_PARAMS_MAX <= RFT_PARAMS_MAX, "a kernel of the scan has room in a signature");

typedef struct looked_at {
    rft_check_warnings *warnings;
    const char *place;
    const rft_point_spec *spec;
    const rft_cuda_file *file;
    const char *types_remedy; /* of a reference or a fill, which has a thread for each element, wanted or not; NULL */
} looked_at;

/* NULL: it cannot be read, or is too much for the scan. */
static const rft_cuda_file *scan(const char *source, rft_arena *arena) {
    rft_cuda_file *file = rft_arena_calloc(arena, 1, sizeof *file);
    char *heap = NULL;
    size_t size = 0;
    if (rft_fs_read(&heap, &size, source, SOURCE_BYTES_MAX, NULL) != RFT_OK) {
        return NULL;
    }
    const char *text = rft_arena_strdup(arena, heap);
    free(heap);
    return rft_cuda_scan(file, text, NULL, arena, NULL) == RFT_OK ? file : NULL;
}

static const rft_cuda_entry *entry_named(const rft_cuda_file *file, const char *name) {
    size_t length = strcspn(name, " <");
    for (size_t i = 0; i < file->entry_count; i++) {
        if (strlen(file->entries[i].name) == length && strncmp(file->entries[i].name, name, length) == 0) {
            return file->entries[i].several ? NULL : &file->entries[i];
        }
    }
    return NULL;
}

/* ---- types ---- */

/* As far as the words are sure: an alias may be another one under another #if. */
static rft_mangled_param param_of(const rft_cuda_param *param) {
    rft_mangled_param out = {.kind = param->pointer ? RFT_PARAM_POINTER : RFT_PARAM_UNKNOWN};
    bool sure = param->type && !param->guessed && !param->aliased && param->lanes == 1;
    if (sure && rft_type_from_name(&out.type, param->type)) {
        out.kind = param->pointer ? RFT_PARAM_POINTER : RFT_PARAM_VALUE;
        out.has_type = true;
        out.name = param->base;
    }
    out.to_const = param->pointer && param->is_const;
    return out;
}

/* A mangled name has told the compiled code's types already, and surely. */
static void look_at_types(const looked_at *l, const rft_launch *launch, const rft_cuda_entry *entry) {
    rft_signature takes = {.name = entry->name, .count = (int)entry->param_count};
    for (size_t i = 0; i < entry->param_count; i++) {
        takes.params[i] = param_of(&entry->params[i]);
    }
    const char *wrong = entry->is_c ? rft_arguments_wrong(l->spec, launch, &takes, l->warnings->arena) : NULL;
    if (wrong) {
        rft_check_warn(l->warnings, l->place, l->types_remedy ? l->types_remedy : BY_SOURCE, "%s", wrong);
    } else if (entry->is_c) {
        rft_check_other_type(l->warnings, l->place,
                             rft_arguments_other_type(l->spec, launch, &takes, l->warnings->arena));
    }
}

/* ---- structs ---- */

/* The type at "f32 at 8" of a layout's text; false: nothing plain lies at that byte. */
static bool given_at(const char *layout, size_t at, rft_type *type) {
    while (layout && *layout) {
        size_t length = strcspn(layout, ",");
        char name[16] = "";
        const char *mark = strstr(layout, " at ");
        size_t named = mark ? (size_t)(mark - layout) : 0;
        if (mark && named < length && named < sizeof name && strtoul(mark + 4, NULL, 10) == at) {
            memcpy(name, layout, named);
            return rft_type_from_name(type, name);
        }
        layout += length + strspn(layout + length, ", ");
    }
    return false;
}

static bool is_real(const char *type) {
    return !strchr("iu", type[0]);
}

/* Sizes that differ are a failure, told elsewhere. */
static void look_at_struct(const looked_at *l, const rft_cuda_entry *entry, size_t index, const rft_arg *arg) {
    const rft_cuda_param *param = &entry->params[index];
    rft_cuda_place places[PLACES_MAX];
    size_t count = 0;
    if (!param->fields || param->pointer || rft_cuda_layout(param, places, PLACES_MAX, &count) != arg->bytes) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        rft_type given;
        const rft_cuda_param *field = places[i].field;
        if (field->pointer || field->aliased || !given_at(arg->layout, places[i].at, &given)) {
            continue;
        }
        const char *name = rft_type_name(given);
        bool other = is_real(name) != is_real(field->type) || strcmp(name + 1, field->type + 1) != 0;
        if (other) {
            rft_check_warn(l->warnings, l->place, "give the struct's fields in the order of the source",
                           "argument %zu of %s: %s of the struct %s, at byte %zu, is %s, and %s(...) is given",
                           index + 1, entry->name, field->name, param->base, places[i].at, field->base, name);
            return;
        }
    }
}

/* ---- the grid ---- */

#define FAR_TOO_MANY 2 /* times what the index is held against, and more than a wave's rounding */

/* The scalar that the parameter of this name gets; false: it is no whole number of the launch's. */
static bool whole_number_of(const rft_launch *launch, const rft_cuda_entry *entry, const char *name, uint64_t *value) {
    for (size_t i = 0; i < entry->param_count && i < launch->arg_count; i++) {
        const rft_arg *arg = &launch->args[i];
        if (strcmp(entry->params[i].name, name) == 0 && arg->kind == RFT_ARG_SCALAR &&
            !is_real(rft_type_name(arg->type)) && !entry->params[i].pointer) {
            *value = 0;
            memcpy(value, arg->scalar, rft_type_bytes(arg->type));
            return *value > 0 && *value <= INT32_MAX;
        }
    }
    return false;
}

/* The number that a template's argument ("saxpy<256, 4>") or a macro (-DBLOCK=256) gives the name; 0: none. */
static uint64_t number_named(const looked_at *l, const rft_launch *launch, const rft_cuda_entry *entry,
                             const char *name) {
    const char *at = strchr(launch->entry, '<');
    for (size_t i = 0; at && i < entry->template_count; i++) {
        if (strcmp(entry->templates[i].name, name) == 0) {
            return strtoull(at + 1 + strspn(at + 1, " "), NULL, 10);
        }
        at = strchr(at + 1, ',');
    }
    for (size_t i = 0; i < l->spec->unit.option_count; i++) {
        const char *option = l->spec->unit.options[i];
        size_t length = strlen(name);
        if (rft_text_starts(option, "-D") && strncmp(option + 2, name, length) == 0 && option[2 + length] == '=') {
            return strtoull(option + 3 + length, NULL, 10);
        }
    }
    return strtoull(name, NULL, 10);
}

/* One thread along an axis of which the kernel takes several: `y = blockIdx.y * TY + threadIdx.y`. */
static void look_at_block(const looked_at *l, const rft_launch *launch, const rft_cuda_entry *entry) {
    for (size_t a = 1; a < 3; a++) {
        uint64_t extent = entry->extents[a] ? number_named(l, launch, entry, entry->extents[a]) : 0;
        if (launch->block[a] == 1 && extent > 1) {
            rft_check_warn(l->warnings, l->place, "block = { x, y, z }: as many threads along each axis as it counts",
                           "%s counts %llu of threadIdx.%c, by %s, and its block has one thread along %c", entry->name,
                           (unsigned long long)extent, (char)('x' + (int)a), entry->extents[a], (char)('x' + (int)a));
        }
    }
}

/* Of `i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)`: too few blocks leave elements out, and one a thread's
 * element instead of one a block's is far too many. */
static void look_at_grid(const looked_at *l, const rft_launch *launch, const rft_cuda_entry *entry) {
    for (size_t a = 0; a < 3; a++) {
        const rft_cuda_axis *axis = &entry->axes[a];
        uint64_t n = 0, blocks = (uint64_t)launch->grid[a];
        uint64_t each = !axis->once            ? 0
                        : axis->by_threads     ? (uint64_t)launch->block[a]
                        : axis->factor != NULL ? number_named(l, launch, entry, axis->factor)
                                               : 0;
        if (each == 0 || blocks == 0 || !whole_number_of(launch, entry, axis->bound, &n)) {
            continue;
        }
        const uint64_t covered = blocks * each, most = FAR_TOO_MANY * (n / each + 1);
        if (covered < n || blocks > most) {
            rft_check_warn(
                l->warnings, l->place,
                entry->block_axes > 1 ? "grid counts blocks, as ceil_div(p.n, c.BLOCK) does; or are its axes swapped?"
                                      : "grid counts blocks: ceil_div(p.n, c.BLOCK) of them cover p.n elements",
                "%s: %llu blocks of %llu along %c cover %llu, and %s is %llu: %s", entry->name,
                (unsigned long long)blocks, (unsigned long long)each, (char)('x' + (int)a), (unsigned long long)covered,
                axis->bound, (unsigned long long)n, covered < n ? "the rest is left out" : "most of them do nothing");
        }
    }
}

/* ---- names ---- */

/* What is given to a reference without `args`: a buffer or a dimension of the problem; NULL: it has no name. */
static const char *given_name(const looked_at *l, const rft_arg *arg) {
    return arg->kind == RFT_ARG_BUFFER ? l->spec->buffers[arg->buffer].name : arg->dim;
}

/* A reference without `args` gets them in a fixed order: a parameter that is called as another of them is in its place.
 */
static void look_at_names(const looked_at *l, const rft_launch *launch, const rft_cuda_entry *entry) {
    bool in_order = launch->arg_count == entry->param_count && launch->arg_count > 0 &&
                    launch->args[launch->arg_count - 1].dim != NULL;
    for (size_t i = 0; i < launch->arg_count && in_order; i++) {
        const char *own = given_name(l, &launch->args[i]);
        for (size_t k = 0; k < launch->arg_count && own && strcmp(entry->params[i].name, own) != 0; k++) {
            const char *other = given_name(l, &launch->args[k]);
            if (k != i && other && strcmp(entry->params[i].name, other) == 0) {
                rft_check_warn(l->warnings, l->place, l->types_remedy, "parameter %zu of %s is called %s and gets %s",
                               i + 1, entry->name, other, own);
                return;
            }
        }
    }
}

/* ---- launches ---- */

/* An input that the kernel assigns to, which check_reach.c tells only where no data decides on the way. */
static void look_at_inputs(const looked_at *l, const rft_launch *launch, const rft_cuda_entry *entry) {
    for (size_t i = 0; i < launch->arg_count && i < entry->param_count && !l->spec->told; i++) {
        const rft_arg *arg = &launch->args[i];
        bool input = arg->kind == RFT_ARG_BUFFER && l->spec->buffers[arg->buffer].role == RFT_BUFFER_INPUT;
        if (input && entry->params[i].assigned) {
            rft_check_warn(l->warnings, l->place, RFT_INPUT_REMEDY, "%s writes to the buffer %s, which is an input",
                           entry->name, l->spec->buffers[arg->buffer].name);
        }
    }
}

static void look_at_launch(const looked_at *l, const rft_launch *launch) {
    const rft_cuda_entry *entry = launch->kind == RFT_LAUNCH_KERNEL ? entry_named(l->file, launch->entry) : NULL;
    for (size_t i = 0; entry && i < entry->param_count; i++) {
        if (rft_cuda_is_texture(&entry->params[i])) {
            rft_check_warn(l->warnings, l->place, "have the kernel read a buffer, as const T *__restrict__",
                           "parameter %zu of %s, %s, is a texture or a surface, which sweeps do not have", i + 1,
                           entry->name, entry->params[i].name);
        }
        if (i < launch->arg_count && launch->args[i].kind == RFT_ARG_STRUCT) {
            look_at_struct(l, entry, i, &launch->args[i]);
        }
    }
    if (entry && entry->always_dynamic && launch->shared_bytes == 0) {
        rft_check_unsized(l->warnings, l->place, entry->name);
    }
    if (entry && entry->waits && !launch->cooperative) {
        rft_check_warn(
            l->warnings, l->place, "cooperative = true in its launch, and as many blocks as fit: resident()",
            "the blocks of %s wait for the whole grid (this_grid().sync()), and its launch is not cooperative",
            entry->name);
    }
    if (entry) {
        look_at_types(l, launch, entry);
        if (l->types_remedy) {
            look_at_names(l, launch, entry);
        }
        if (!l->types_remedy) {
            look_at_inputs(l, launch, entry);
            look_at_grid(l, launch, entry);
            look_at_block(l, launch, entry);
        }
    }
}

/* Does a launch get the buffer where its kernel may write? *given: it gets it. */
static bool may_write(const looked_at *l, const rft_launch *launch, size_t buffer, bool *given) {
    const rft_cuda_entry *entry = launch->kind == RFT_LAUNCH_KERNEL ? entry_named(l->file, launch->entry) : NULL;
    bool may = launch->kind != RFT_LAUNCH_KERNEL;
    for (size_t i = 0; i < launch->arg_count && launch->kind == RFT_LAUNCH_KERNEL; i++) {
        const rft_arg *arg = &launch->args[i];
        bool is_it = arg->kind == RFT_ARG_BUFFER && arg->buffer == buffer;
        bool known = entry && i < entry->param_count && entry->params[i].pointer && entry->params[i].is_const &&
                     !entry->params[i].aliased;
        *given = *given || is_it;
        may = may || (is_it && !known) || arg->kind == RFT_ARG_TENSOR_MAP ||
              (arg->kind == RFT_ARG_STRUCT && arg->field_count > 0);
    }
    return may;
}

static void look_at_outputs(const looked_at *l) {
    for (size_t i = 0; i < l->spec->buffer_count && !l->spec->told; i++) {
        const rft_buffer *buffer = &l->spec->buffers[i];
        bool given = false, may = buffer->role == RFT_BUFFER_INPUT || buffer->role == RFT_BUFFER_CONSTANT;
        for (size_t k = 0; k < l->spec->prepare_count; k++) {
            may = may || may_write(l, &l->spec->prepare[k], i, &given);
        }
        for (size_t k = 0; k < l->spec->launch_count; k++) {
            may = may || may_write(l, &l->spec->launches[k], i, &given);
        }
        if (given && !may) {
            rft_check_unwritten(l->warnings, l->place, buffer);
        }
    }
}

void rft_check_source(rft_check_warnings *warnings, const char *place, const rft_point_spec *spec,
                      const char *types_remedy) {
    const looked_at l = {warnings, place, spec, scan(spec->unit.source, warnings->arena), types_remedy};
    for (size_t i = 0; i < spec->prepare_count && l.file; i++) {
        look_at_launch(&l, &spec->prepare[i]);
    }
    for (size_t i = 0; i < spec->launch_count && l.file; i++) {
        look_at_launch(&l, &spec->launches[i]);
    }
    if (l.file) {
        look_at_outputs(&l);
    }
}

void rft_check_fill_source(rft_check_warnings *warnings, const rft_point_spec *spec, size_t buffer) {
    const rft_filler *kernel = spec->buffers[buffer].fill.kernel;
    const looked_at l = {warnings, rft_fs_name(kernel->unit.source), spec, scan(kernel->unit.source, warnings->arena),
                         BY_SOURCE};
    if (l.file) {
        look_at_launch(&l, &kernel->launch);
    }
}

const char *rft_check_variable_type(rft_check_warnings *warnings, const char *source, const char *name,
                                    unsigned long long *each) {
    const rft_cuda_file *file = scan(source, warnings->arena);
    const char *colon = strrchr(name, ':'), *bare = colon ? colon + 1 : name;
    rft_type type;
    for (size_t i = 0; file && i < file->variable_count; i++) {
        if (strcmp(file->variables[i].name, bare) == 0 && file->variables[i].type &&
            rft_type_from_name(&type, file->variables[i].type)) {
            *each = rft_type_bytes(type);
            return file->variables[i].type;
        }
    }
    return NULL;
}
