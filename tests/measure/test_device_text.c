/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in kernels compile with NVRTC for every architecture we name, without spills. Skipped without NVRTC. */
#include "measure/measure_fixture.h"

#include "base/str.h"
#include "measure/ceiling/ceiling_tensor.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between protocol and NVRTC: compiles for one architecture after the other and remembers what came out. */
typedef struct watching {
    rft_compiler compiler;
    rft_compiler *inner;
    rft_compiler *scripted; /* what the scripted GPU can load */
    const char *arch;
    size_t entries;
} watching;

/* ---- machine code: instructions of 16 bytes, the opcode in the low 12 bits, alike from sm_80 to sm_120 ---- */

#define IMAD 0x224
#define LOP3 0x212
#define ATOMS_ADD 0x38c
#define ATOMS_POPC_INC 0xf8c
#define RED 0x98e
#define REDG_F32 0x9a6

static Elf64_Shdr section_of(const unsigned char *cubin, const Elf64_Ehdr *header, size_t i) {
    Elf64_Shdr section;
    memcpy(&section, cubin + header->e_shoff + i * header->e_shentsize, sizeof section);
    return section;
}

static size_t count_opcode(const rft_compile_result *result, const char *symbol, unsigned opcode) {
    const unsigned char *cubin = result->cubin;
    Elf64_Ehdr header;
    size_t found = 0;
    memcpy(&header, cubin, sizeof header);
    const Elf64_Shdr names = section_of(cubin, &header, header.e_shstrndx);
    for (size_t i = 0; i < header.e_shnum; i++) {
        const Elf64_Shdr section = section_of(cubin, &header, i);
        const char *name = (const char *)cubin + names.sh_offset + section.sh_name;
        if (strncmp(name, ".text.", 6) != 0 || strcmp(name + 6, symbol) != 0) {
            continue;
        }
        for (size_t at = 0; at + 16 <= section.sh_size; at += 16) {
            uint16_t low = 0;
            memcpy(&low, cubin + section.sh_offset + at, sizeof low);
            found += (low & 0xfffu) == opcode;
        }
    }
    return found;
}

/* What a ceiling counts is there, in machine code: neither folded away nor done for several lanes at once. */
static void expect_instructions(const rft_compile_result *result) {
    for (size_t i = 0; i < result->entry_count; i++) {
        const char *name = result->entries[i].name, *symbol = result->entries[i].symbol;
        const char *chains = strchr(name, '<');
        size_t steps = chains ? (size_t)atoi(chains + 1) * 16 : 0;
        if (strstr(name, "rft_pipe_int32")) {
            assert_in_range(count_opcode(result, symbol, IMAD), steps, steps + 8);
            assert_in_range(count_opcode(result, symbol, LOP3), strstr(name, "mix") ? steps : 0, steps + 8);
        } else if (strstr(name, "rft_atomics_l2")) {
            assert_int_equal(count_opcode(result, symbol, RED) + count_opcode(result, symbol, REDG_F32), 4);
        } else if (strstr(name, "rft_add_u32")) {
            assert_int_equal(count_opcode(result, symbol, ATOMS_ADD), 4);
        } else if (strstr(name, "rft_add_one")) {
            assert_int_equal(count_opcode(result, symbol, ATOMS_POPC_INC), 4);
        }
    }
}

static int compile(rft_compiler *self, const rft_compile_request *request, rft_arena *arena, rft_compile_result *out,
                   rft_err *err) {
    watching *w = (watching *)self;
    rft_compile_request real = *request;
    real.arch = w->arch;
    int rc = w->inner->compile(w->inner, &real, arena, out, err);
    if (rc != 0 || !out->ok) {
        print_error("%s for %s: %s\n", request->source_name, w->arch, rc != 0 ? err->message : out->log);
    }
    assert_int_equal(rc, 0);
    assert_true(out->ok);
    assert_int_equal(out->entry_count, request->name_count);
    for (size_t i = 0; i < out->entry_count; i++) {
        if (out->entries[i].spill_store_bytes > 0) {
            print_error("%s spills for %s\n", out->entries[i].name, w->arch);
        }
        assert_true(out->entries[i].spill_store_bytes <= 0);
    }
    expect_instructions(out);
    w->entries += out->entry_count;
    return w->scripted->compile(w->scripted, request, arena, out, err);
}

static void compile_all(rft_compiler *nvrtc, const char *arch) {
    fixture f;
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.info.memory_bytes = 16 << 20;
    fixture_start(&f, &opts);
    watching w = {.inner = nvrtc, .scripted = f.compiler, .arch = arch};
    w.compiler.compile = compile;
    rft_probe *probe = NULL;
    rft_ceilings ceilings;
    assert_int_equal(rft_protocol_new(&probe, f.gpu, &w.compiler, rft_scripted_gpu_clock(f.scripted), NULL, &f.err), 0);
    /* The matrix units have kernels of each architecture: compile_tensor(). */
    rft_ceilings_request request = {.wanted = RFT_CEILINGS_ALL};
    for (int id = RFT_CEILING_TENSOR_FP64; id < RFT_CEILING_TENSOR_END; id++) {
        request.wanted &= ~RFT_CEILING_BIT(id);
    }
    assert_int_equal(probe->ceilings(probe, &request, f.arena, &ceilings, &f.err), 0);
    assert_int_equal(w.entries, 82);
    probe->free(probe);
    fixture_stop(&f);
}

static void compile_tensor(rft_compiler *nvrtc, const char *arch) {
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu;
    rft_kernel_group groups[RFT_TENSOR_GROUPS];
    size_t count = 0;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, arch, NULL), 0);
    rft_ceilings_tensor_groups(arena, &gpu, groups, &count);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        rft_compile_request request = rft_kernels_request(&groups[i], arch, arena);
        rft_compile_result result = {0};
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(nvrtc->compile(nvrtc, &request, arena, &result, &err), 0);
        if (!result.ok || strstr(result.log, "wgmma")) {
            print_error("%s %s: %s\n", arch, groups[i].title, result.log);
        }
        assert_true(result.ok);
        assert_null(strstr(result.log, "serialized")); /* ptxas: wgmma instructions one after another */
        bool emulated = strstr(groups[i].title, "fp8") && strcmp(arch, "sm_90a") != 0 && gpu.cc_major >= 9 &&
                        gpu.cc_major < 12; /* by FP16 */
        for (size_t e = 0; e < result.entry_count; e++) {
            const rft_compiled_entry *entry = &result.entries[e];
            assert_true(emulated || (entry->spill_store_bytes == 0 && entry->spill_load_bytes == 0));
            assert_true(entry->shared_bytes <= gpu.shared_per_block_static);
        }
    }
    rft_arena_free(arena);
}

static rft_compiler *open_nvrtc(void) {
    rft_compiler *nvrtc = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_nvrtc_opts opts = {0};
    if (rft_nvrtc_new(&nvrtc, &opts, &err) != 0) {
        fprintf(stderr, "skipped: %s\n", err.message);
        return NULL;
    }
    return nvrtc;
}

/* Outside of the matrix units no kernel knows its architecture: the oldest, the usual and the newest are compiled. What
 * has no kernels of its own for sm_86 and sm_90 is compiled for the architectures beside them. All with RFT_ALL_DRAWS.
 */
static const char *const archs[] = {"sm_80", "sm_90a", "sm_120a", "sm_89", "sm_100a", "sm_86", "sm_90"};
enum { DISTINCT = 3, WITH_OWN_KERNELS = 5, ARCHS = sizeof archs / sizeof *archs };

static void for_each_arch(rft_compiler *nvrtc, size_t count,
                          void (*compile_for)(rft_compiler *nvrtc, const char *arch)) {
    size_t compiled = 0;
    for (size_t i = 0; i < count; i++) {
        if (nvrtc->knows_arch(nvrtc, archs[i])) {
            compile_for(nvrtc, archs[i]);
            compiled++;
        } else {
            print_message("this NVRTC does not know %s\n", archs[i]);
        }
    }
    assert_true(compiled >= count - 1);
}

static void test_architectures(void **state) {
#ifdef RFT_ALL_DRAWS
    for_each_arch(*state, ARCHS, compile_all);
#else
    for_each_arch(*state, DISTINCT, compile_all);
#endif
}

static void test_matrix_units(void **state) {
#ifdef RFT_ALL_DRAWS
    for_each_arch(*state, ARCHS, compile_tensor);
#else
    for_each_arch(*state, WITH_OWN_KERNELS, compile_tensor);
#endif
}

int main(void) {
    rft_compiler *nvrtc = open_nvrtc();
    if (!nvrtc) {
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_architectures, nvrtc),
                                       cmocka_unit_test_prestate(test_matrix_units, nvrtc)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nvrtc->free(nvrtc);
    return failed;
}
