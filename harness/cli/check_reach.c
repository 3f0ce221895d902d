/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_reach.h"

#include "base/fs.h"
#include "cli/check_exact.h"
#include "cli/check_facts.h"
#include "model/sweep/ptx_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREAD_STEPS 20000u  /* of one thread */
#define LAUNCH_STEPS 300000u /* of all that are followed: a few milliseconds */
#define BUFFER_SHIFT 42      /* buffers are told by the upper bits of an address */
#define REGIONS (RFT_BUFFERS_MAX + 1 + RFT_PTX_STATIC_MAX)

/* What is reached outside of one buffer or shared array. */
typedef struct outside {
    bool found, writes;
    const rft_ptx_instruction *by;
    int64_t offset;
    size_t bytes;
    uint32_t thread[3], block[3];
    int64_t needed; /* bytes that would do; of those that are followed */
} outside;

typedef struct follow {
    const rft_check_reach *look;
    const rft_point_spec *spec;
    const rft_launch *launch;
    const rft_ptx_program *program;
    const char *text, *problem;
    rft_arena *arena;
    const rft_ptx_thread *thread;
    outside regions[REGIONS]; /* buffers, the dynamic array, static arrays */
    bool told[REGIONS];       /* once for all launches and both problems */
    bool input_told;
} follow;

static int64_t bytes_of(const follow *f, size_t region) {
    if (region < RFT_BUFFERS_MAX) {
        const rft_buffer *buffer = &f->spec->buffers[region];
        return (int64_t)(buffer->count * rft_type_bytes(buffer->type));
    }
    return region == RFT_BUFFERS_MAX ? f->launch->shared_bytes
                                     : (int64_t)f->program->static_bytes[region - RFT_BUFFERS_MAX - 1];
}

/* The buffer or array that an address is made of, and how far from its beginning; SIZE_MAX: none. */
static size_t region_of(const follow *f, uint64_t address, int64_t *offset) {
    uint64_t half = UINT64_C(1) << (BUFFER_SHIFT - 1), buffer = (address + half) >> BUFFER_SHIFT;
    const uint64_t step = RFT_PTX_STATIC_STEP, around = address + step / 2;
    if (buffer >= 1 && buffer <= f->spec->buffer_count) {
        *offset = (int64_t)(address - (buffer << BUFFER_SHIFT));
        return (size_t)buffer - 1;
    }
    if (address >= RFT_PTX_DYNAMIC - step && address < RFT_PTX_DYNAMIC + step) {
        *offset = (int64_t)address - RFT_PTX_DYNAMIC;
        return RFT_BUFFERS_MAX;
    }
    if (around >= RFT_PTX_STATIC && (around - RFT_PTX_STATIC) / step < f->program->static_count) {
        uint64_t i = (around - RFT_PTX_STATIC) / step;
        *offset = (int64_t)(address - RFT_PTX_STATIC - i * step);
        return (size_t)(RFT_BUFFERS_MAX + 1 + i);
    }
    return SIZE_MAX;
}

/* What changes an input is a wrong result for the configurations behind it. */
static void warn_of_input(follow *f, size_t region) {
    if (!f->input_told) {
        rft_check_warn(f->look->warnings, f->look->place, RFT_INPUT_REMEDY,
                       "%.*s writes to the buffer %s, which is an input", (int)strcspn(f->launch->entry, "<"),
                       f->launch->entry, f->spec->buffers[region].name);
        f->input_told = true;
    }
}

static void note_access(void *self, const rft_ptx_access *access) {
    follow *f = self;
    int64_t offset = 0;
    size_t region = region_of(f, access->address, &offset);
    int64_t end = offset + (int64_t)access->bytes;
    if (region < f->spec->buffer_count && access->writes && f->spec->buffers[region].role == RFT_BUFFER_INPUT) {
        warn_of_input(f, region);
    }
    if (region == SIZE_MAX || (offset >= 0 && end <= bytes_of(f, region))) {
        return;
    }
    outside *seen = &f->regions[region];
    if (!seen->found) {
        *seen = (outside){
            .found = true, .writes = access->writes, .by = access->by, .offset = offset, .bytes = access->bytes};
        memcpy(seen->thread, f->thread->specials, sizeof seen->thread);
        memcpy(seen->block, &f->thread->specials[6], sizeof seen->block);
    }
    seen->needed = end > seen->needed ? end : seen->needed;
}

/* ---- what the kernel is given ---- */

static uint64_t address_of(const rft_arg *arg) {
    return ((uint64_t)(arg->buffer + 1) << BUFFER_SHIFT) + arg->offset_bytes;
}

/* A struct's bytes with addresses in their places; one with a tensor map is not known. */
static rft_ptx_param param_of_struct(const rft_arg *arg, rft_arena *arena) {
    unsigned char *bytes = rft_arena_alloc(arena, (size_t)arg->bytes + 1);
    rft_ptx_param out = {bytes, (size_t)arg->bytes};
    for (size_t i = 0; i < arg->bytes; i++) {
        char digits[3] = {arg->hex[2 * i], arg->hex[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    for (size_t i = 0; i < arg->field_count; i++) {
        uint64_t address = address_of(&arg->fields[i]);
        if (arg->fields[i].kind != RFT_ARG_BUFFER || arg->fields[i].at + sizeof address > arg->bytes) {
            out.size = 0;
            return out;
        }
        memcpy(bytes + arg->fields[i].at, &address, sizeof address);
    }
    return out;
}

static rft_ptx_param param_of(const rft_arg *arg, rft_arena *arena) {
    uint64_t address = address_of(arg);
    switch (arg->kind) {
    case RFT_ARG_BUFFER:
        return (rft_ptx_param){rft_arena_memdup(arena, &address, sizeof address), sizeof address};
    case RFT_ARG_SCALAR:
        return (rft_ptx_param){arg->scalar, sizeof arg->scalar};
    case RFT_ARG_STRUCT:
        return param_of_struct(arg, arena);
    default:
        return (rft_ptx_param){NULL, 0};
    }
}

/* ---- threads ---- */

static void follow_block(follow *f, rft_ptx_walk *walk, bool last) {
    const int64_t *block = f->launch->block, *grid = f->launch->grid;
    rft_ptx_thread thread = {.grid_unknown = grid[0] == 0};
    f->thread = &thread;
    for (size_t a = 0; a < 3; a++) {
        thread.specials[3 + a] = (uint32_t)block[a];
        thread.specials[6 + a] = last && grid[a] > 0 ? (uint32_t)(grid[a] - 1) : 0;
        thread.specials[9 + a] = (uint32_t)grid[a];
    }
    for (int64_t left = block[0] * block[1] * block[2]; left-- > 0 && walk->steps > 0;) {
        thread.specials[0] = (uint32_t)(left % block[0]);
        thread.specials[1] = (uint32_t)(left / block[0] % block[1]);
        thread.specials[2] = (uint32_t)(left / block[0] / block[1]);
        rft_ptx_walk_thread(walk, &thread, THREAD_STEPS);
    }
}

/* ---- what is said ---- */

/* "a.cu(8): ", by `.file 1 "a.cu"` of the PTX; "" where it does not say. */
static const char *source_place(const follow *f, const rft_ptx_instruction *in) {
    char mark[32];
    snprintf(mark, sizeof mark, ".file\t%zu \"", in->file);
    const char *at = in->line > 0 ? strstr(f->text, mark) : NULL;
    if (!at) {
        return "";
    }
    at += strlen(mark);
    const char *path = rft_arena_strndup(f->arena, at, strcspn(at, "\"\n"));
    return rft_arena_printf(f->arena, "%s(%zu): ", rft_fs_name(path), in->line);
}

static const char *number_of_thread(const follow *f, const uint32_t id[3], const int64_t of[3]) {
    if (of[1] <= 1 && of[2] <= 1) {
        return rft_arena_printf(f->arena, "%u", id[0]);
    }
    return rft_arena_printf(f->arena, "(%u, %u, %u)", id[0], id[1], id[2]);
}

static void warn_of_shared(const follow *f, const outside *seen, const char *who, const char *what, size_t region) {
    rft_check_warnings *w = f->look->warnings;
    if (region == RFT_BUFFERS_MAX) {
        const char *remedy =
            seen->offset < 0
                ? "correct the index"
                : rft_arena_printf(f->arena,
                                   "`shared` counts bytes, elements times their size: %lld at least here; or fewer "
                                   "threads",
                                   (long long)seen->needed);
        rft_check_warn(w, f->look->place, remedy, "%s %s of its extern __shared__ array, and `shared` gives it %lld%s",
                       who, what, (long long)f->launch->shared_bytes, f->problem);
    } else {
        rft_check_warn(w, f->look->place, "a larger array, or a smaller block",
                       "%s %s of its __shared__ array %s, which has %lld%s", who, what,
                       f->program->static_names[region - RFT_BUFFERS_MAX - 1], (long long)bytes_of(f, region),
                       f->problem);
    }
}

static void warn_of_buffer(const follow *f, const outside *seen, const char *who, const char *what, size_t region) {
    const rft_buffer *buffer = &f->spec->buffers[region];
    const char *type = rft_type_name(buffer->type);
    int64_t each = (int64_t)rft_type_bytes(buffer->type);
    const char *longer = rft_arena_printf(f->arena, "%lld %s or more in `buffers`, fewer blocks",
                                          (long long)((seen->needed + each - 1) / each), type);
    const char *other =
        strstr(f->problem, "(the odd problem)") ? "; a kernel for some sizes alone is given one: odd = { ... }" : "";
    const char *remedy =
        seen->offset < 0 ? "correct the index, or leave such threads out: if (i > 0)"
        : buffer->role == RFT_BUFFER_TEMP
            ? longer
            : rft_arena_printf(f->arena, "a bounds check in the kernel, if (i < n); else %s%s", longer, other);
    rft_check_warn(f->look->warnings, f->look->place, remedy, "%s %s of the buffer %s, which has %lld (%llu %s)%s", who,
                   what, buffer->name, (long long)bytes_of(f, region), (unsigned long long)buffer->count, type,
                   f->problem);
}

static void warn(const follow *f, size_t region) {
    const outside *seen = &f->regions[region];
    const rft_launch *launch = f->launch;
    const char *who = rft_arena_printf(f->arena, "%sthread %s of block %s of %.*s", source_place(f, seen->by),
                                       number_of_thread(f, seen->thread, launch->block),
                                       number_of_thread(f, seen->block, launch->grid), (int)strcspn(launch->entry, "<"),
                                       launch->entry);
    const char *what = rft_arena_printf(f->arena, "%s bytes %lld to %lld", seen->writes ? "writes" : "reads",
                                        (long long)seen->offset, (long long)(seen->offset + (int64_t)seen->bytes - 1));
    if (region < RFT_BUFFERS_MAX) {
        warn_of_buffer(f, seen, who, what, region);
    } else {
        warn_of_shared(f, seen, who, what, region);
    }
}

/* ---- launches ---- */

static void follow_launch(follow *f, const char *symbol) {
    rft_ptx_program program;
    rft_ptx_param *params = rft_arena_calloc(f->arena, f->launch->arg_count + 1, sizeof *params);
    for (size_t i = 0; i < f->launch->arg_count; i++) {
        params[i] = param_of(&f->launch->args[i], f->arena);
    }
    if (!rft_ptx_program_read(&program, f->text, symbol, f->arena)) {
        return;
    }
    memset(f->regions, 0, sizeof f->regions);
    f->program = &program;
    rft_ptx_walk walk = {&program, params, f->launch->arg_count, note_access, f, LAUNCH_STEPS};
    follow_block(f, &walk, true);
    walk.steps = LAUNCH_STEPS;
    follow_block(f, &walk, false);
    for (size_t i = 0; i < REGIONS; i++) {
        if (f->regions[i].found && !f->told[i]) {
            warn(f, i);
            f->told[i] = true;
        }
    }
}

static void follow_launches(follow *f, const rft_launch *launches, size_t count, const rft_compile_result *ptx) {
    for (size_t i = 0; i < count; i++) {
        for (size_t e = 0; launches[i].kind == RFT_LAUNCH_KERNEL && e < ptx->entry_count; e++) {
            if (ptx->entries[e].symbol && strcmp(ptx->entries[e].name, launches[i].entry) == 0) {
                f->launch = &launches[i];
                follow_launch(f, ptx->entries[e].symbol);
            }
        }
    }
}

static void follow_point(follow *f, const rft_point_spec *spec, const rft_compile_result *ptx, const char *problem) {
    f->spec = spec;
    f->text = ptx->cubin;
    f->problem = problem;
    follow_launches(f, spec->prepare, spec->prepare_count, ptx);
    follow_launches(f, spec->launches, spec->launch_count, ptx);
}

/* ---- configurations ---- */

#define MOST 3 /* the default, and those of the smallest and of the largest values */

typedef struct chosen {
    rft_value *config[MOST];
    rft_point_spec spec[MOST]; /* on the problem looked at */
    const rft_compile_result *ptx[MOST];
    rft_ticket ticket[MOST];
    size_t count;
} chosen;

static const rft_variant *variant_of(const rft_check_reach *look) {
    return &look->plan->sweeps[look->sweep]->variants[look->variant];
}

/* The default configuration, or the first of a sample; false: there is none. */
static bool first_of(const rft_check_reach *look, rft_value *config) {
    const rft_space *space = rft_plan_space(look->plan, look->sweep, look->variant, look->problem);
    uint64_t by_default = rft_check_default(space, config);
    uint64_t index = by_default != UINT64_MAX || rft_space_count(space) == 0
                         ? by_default
                         : rft_check_sample_index(space, by_default, 0, 1);
    if (index != UINT64_MAX) {
        rft_space_get(space, index, config);
    }
    return index != UINT64_MAX;
}

/* Each parameter in turn at its smallest or largest value, as far as all of them together stay valid. */
static void go_to_end(const rft_check_reach *look, rft_value *config, bool largest) {
    const rft_space *space = rft_plan_space(look->plan, look->sweep, look->variant, look->problem);
    const rft_variant *variant = variant_of(look);
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_param *param = &variant->params[i];
        rft_value had = config[i];
        size_t end = 0;
        for (size_t k = 1; k < param->value_count; k++) {
            double other = rft_value_number(&param->values[k]), best = rft_value_number(&param->values[end]);
            end = (largest ? other > best : other < best) ? k : end;
        }
        bool moves = param->value_count > 0 && rft_value_is_number(&param->values[end]);
        config[i] = moves ? param->values[end] : had;
        config[i] = rft_space_find(space, config) == UINT64_MAX ? had : config[i];
    }
}

/* Spelled out on a problem, where it is valid there. */
static bool spell(const rft_check_reach *look, const rft_value *config, size_t problem, rft_point_spec *out,
                  rft_arena *arena) {
    const rft_sweep *sweep = look->plan->sweeps[look->sweep];
    rft_err ignored = RFT_ERR_INIT;
    return rft_space_find(rft_plan_space(look->plan, look->sweep, look->variant, problem), config) != UINT64_MAX &&
           sweep->vt->point(sweep->self, look->variant, sweep->problems[problem].values, config, arena, out,
                            &ignored) == RFT_OK;
}

/* As PTX with the lines of its source. */
static rft_ticket queue(const rft_check_reach *look, const rft_unit_spec *unit, rft_arena *arena) {
    rft_compile_request request =
        rft_compile_request_of(unit, rft_arena_printf(arena, "compute_%s", look->gpu->arch + strlen("sm_")));
    const char **options = rft_arena_calloc(arena, unit->option_count + 1, sizeof *options);
    for (size_t i = 0; i < unit->option_count; i++) {
        options[i] = unit->options[i];
    }
    options[unit->option_count] = "-lineinfo";
    request.options = options;
    request.option_count = unit->option_count + 1;
    return rft_compile_pool_submit(look->pool, &request, look->plan->sweeps[look->sweep]->measure.compile_timeout_s);
}

/* What is to be followed, its code on the way to the compilers. */
static void choose(const rft_check_reach *look, chosen *c, rft_arena *arena) {
    const size_t params = variant_of(look)->param_count;
    rft_value *config = rft_arena_calloc(arena, params + 1, sizeof *config);
    if (!first_of(look, config)) {
        return;
    }
    for (size_t i = 0; i < MOST; i++) {
        c->config[c->count] = rft_values_copy(arena, config, params);
        bool is_new = true;
        if (i > 0) {
            go_to_end(look, c->config[c->count], i == 2);
        }
        for (size_t k = 0; k < c->count; k++) {
            is_new = is_new && !rft_values_equal(c->config[k], c->config[c->count], params);
        }
        rft_point_spec *spec = &c->spec[c->count];
        if (is_new && spell(look, c->config[c->count], look->problem, spec, arena) && spec->unit.name_count > 0 &&
            !rft_source_is_given(spec->unit.source)) {
            c->ticket[c->count++] = queue(look, &spec->unit, arena);
        }
    }
}

/* What is not the default says itself what it is. */
static const char *told_of(const chosen *c, size_t i, bool odd, const rft_check_reach *look, rft_arena *arena) {
    const rft_variant *variant = variant_of(look);
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, odd ? " (the odd problem)" : "");
    for (size_t k = 0; i > 0 && k < variant->param_count; k++) {
        rft_str_addf(&text, "%s%s=", k ? " " : " with ", variant->params[k].name);
        rft_value_format(&text, &c->config[i][k]);
    }
    const char *told = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return told;
}

static bool same_words(const char **a, size_t a_count, const char **b, size_t b_count) {
    bool same = a_count == b_count;
    for (size_t i = 0; i < a_count && same; i++) {
        same = strcmp(a[i], b[i]) == 0;
    }
    return same;
}

static bool same_unit(const rft_unit_spec *a, const rft_unit_spec *b) {
    return same_words(a->names, a->name_count, b->names, b->name_count) &&
           same_words(a->options, a->option_count, b->options, b->option_count);
}

static void follow_configuration(follow *f, const chosen *c, size_t i) {
    const rft_check_reach *look = f->look;
    const rft_sweep *sweep = look->plan->sweeps[look->sweep];
    rft_point_spec odd = {0};
    follow_point(f, &c->spec[i], c->ptx[i], told_of(c, i, false, look, f->arena));
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (sweep->problems[p].odd && spell(look, c->config[i], p, &odd, f->arena) &&
            same_unit(&c->spec[i].unit, &odd.unit)) {
            follow_point(f, &odd, c->ptx[i], told_of(c, i, true, look, f->arena));
        }
    }
}

int rft_check_reaches(const rft_check_reach *look, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    follow *f = rft_arena_alloc(arena, sizeof *f);
    chosen *c = rft_arena_calloc(arena, 1, sizeof *c);
    int rc = RFT_OK;
    *f = (follow){.look = look, .arena = arena};
    choose(look, c, arena);
    for (size_t i = 0; i < c->count && rc == RFT_OK; i++) {
        bool timed_out = false;
        rc = rft_compile_pool_wait(look->pool, c->ticket[i], &c->ptx[i], &timed_out, err);
        bool known = rc == RFT_OK && c->ptx[i]->ok && c->ptx[i]->is_ptx;
        if (known && i == 0) {
            rft_check_exact(look->warnings, look->place, &c->spec[0], c->ptx[0]->cubin);
        }
        if (known) {
            follow_configuration(f, c, i);
        }
    }
    rft_arena_free(arena);
    return rc == RFT_E_COMPILER ? RFT_OK : rc; /* an older NVRTC has no such PTX */
}
