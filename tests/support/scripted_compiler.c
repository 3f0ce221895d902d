/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted_compiler.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scripted_compiler {
    rft_compiler compiler;
    char *part, *log;
    unsigned count;
} scripted_compiler;

static bool mentions(const rft_compile_request *request, const char *part) {
    bool found = part && request->source_name && strstr(request->source_name, part);
    for (size_t i = 0; part && i < request->name_count; i++) {
        found = found || strstr(request->names[i], part);
    }
    for (size_t i = 0; part && i < request->option_count; i++) {
        found = found || strstr(request->options[i], part);
    }
    return found;
}

static int compile(rft_compiler *self, const rft_compile_request *request, rft_arena *arena, rft_compile_result *out,
                   rft_err *err) {
    scripted_compiler *scripted = (scripted_compiler *)self;
    scripted->count++;
    *out = (rft_compile_result){.log = "", .seconds = 0.25};
    if (!request->source_text && !rft_fs_exists(request->source_path)) {
        return rft_err_set(err, RFT_E_SOURCE, "%s: no such file", request->source_path);
    }
    if (mentions(request, scripted->part)) {
        out->log = rft_arena_strdup(arena, scripted->log);
        return RFT_OK;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "scripted %s\n", request->arch);
    for (size_t i = 0; i < request->option_count; i++) {
        rft_str_addf(&text, "option %s\n", request->options[i]);
    }
    out->entries = rft_arena_calloc(arena, request->name_count + 1, sizeof *out->entries);
    for (size_t i = 0; i < request->name_count; i++) {
        rft_str_addf(&text, "entry %s\n", request->names[i]);
        out->entries[i] = (rft_compiled_entry){.name = rft_arena_strdup(arena, request->names[i]),
                                               .symbol = rft_arena_strdup(arena, request->names[i]),
                                               .registers = 32,
                                               .barriers = 1};
    }
    out->ok = true;
    out->entry_count = request->name_count;
    out->cubin_bytes = text.length;
    out->cubin = rft_arena_memdup(arena, text.data, text.length + 1);
    rft_hash_hex(text.data, text.length, out->cubin_hash);
    rft_str_clear(&text);
    return RFT_OK;
}

static const char *version(rft_compiler *self) {
    (void)self;
    return "scripted";
}

static bool knows_arch(rft_compiler *self, const char *arch) {
    (void)self;
    return rft_text_starts(arch, "sm_");
}

static void free_compiler(rft_compiler *self) {
    scripted_compiler *scripted = (scripted_compiler *)self;
    free(scripted->part);
    free(scripted->log);
    free(scripted);
}

rft_compiler *rft_scripted_compiler_new(void) {
    scripted_compiler *scripted = rft_alloc(sizeof *scripted);
    scripted->compiler =
        (rft_compiler){.compile = compile, .version = version, .knows_arch = knows_arch, .free = free_compiler};
    return &scripted->compiler;
}

void rft_scripted_compiler_fail(rft_compiler *compiler, const char *part, const char *log) {
    scripted_compiler *scripted = (scripted_compiler *)compiler;
    free(scripted->part);
    free(scripted->log);
    scripted->part = part ? rft_strdup(part) : NULL;
    scripted->log = rft_strdup(log ? log : "");
}

unsigned rft_scripted_compiler_count(const rft_compiler *compiler) {
    return ((const scripted_compiler *)compiler)->count;
}
