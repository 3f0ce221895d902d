/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds NVRTC, without it: ptxas statistics, header scan, cubin hash, opening libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compile/scratch_folder.h"
#include "gpu/compile/cubin_hash.h"
#include "gpu/compile/include_scan.h"
#include "gpu/compile/ptxas_log.h"
#include "gpu/dynlib.h"

#include <elf.h>

static const rft_compiled_entry unknown = {.registers = -1,
                                           .spill_store_bytes = -1,
                                           .spill_load_bytes = -1,
                                           .stack_bytes = -1,
                                           .shared_bytes = -1,
                                           .barriers = -1};

static const char log_13[] =
    "k.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
    "\n"
    "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n"
    "ptxas info    : 34 bytes gmem, 8 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function '_Z2k3ILi100EEvPfi' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z2k3ILi100EEvPfi\n"
    "ptxas         .     400 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n"
    "ptxas info    : Used 34 registers, used 1 barriers, 432 bytes cumulative stack size, 400 bytes smem, 364 bytes "
    "cmem[0]\n"
    "ptxas info    : Compile time = 14.651 ms\n"
    "ptxas info    : Function properties for _Z3foofiPf\n"
    "ptxas         .     32 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_80'\n"
    "ptxas info    : Function properties for plain\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 12 registers, 360 bytes cmem[0]\n";

static void statistics_are_read_by_symbol(void **state) {
    (void)state;
    rft_compiled_entry entries[4] = {unknown, unknown, unknown, unknown};
    entries[0].symbol = "plain";
    entries[1].symbol = "_Z2k3ILi100EEvPfi";
    entries[2].symbol = "absent";
    entries[3].symbol = "plain";
    entries[3].name = "again";
    rft_ptxas_read(log_13, entries, 4);
    assert_int_equal(entries[0].registers, 12);
    assert_int_equal(entries[0].shared_bytes, 0);
    assert_int_equal(entries[0].barriers, 0);
    assert_int_equal(entries[0].stack_bytes, 0);
    assert_int_equal(entries[1].registers, 34);
    assert_int_equal(entries[1].barriers, 1);
    assert_int_equal(entries[1].stack_bytes, 432);
    assert_int_equal(entries[1].spill_store_bytes, 12);
    assert_int_equal(entries[1].spill_load_bytes, 20);
    assert_int_equal(entries[1].shared_bytes, 400);
    assert_int_equal(entries[2].registers, -1);
    assert_int_equal(entries[2].spill_store_bytes, -1);
    assert_int_equal(entries[3].registers, 12);
    assert_string_equal(entries[3].name, "again");
}

static void statistics_leave_the_log(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    assert_string_equal(rft_ptxas_strip(log_13, arena),
                        "k.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
                        "\n"
                        "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
                        "serialized");
    assert_string_equal(rft_ptxas_strip("", arena), "");
    assert_string_equal(rft_ptxas_strip("ptxas info    : (C7519) warpgroup.arrive is injected in around line 7 by "
                                        "compiler to allow use of registers in GMMA in function 'k'\n",
                                        arena),
                        "");
    rft_arena_free(arena);
}

static void headers_are_found_as_the_compiler_does(void **state) {
    const scratch *s = *state;
    rft_arena *arena = rft_arena_new();
    char *source = scratch_write(s, "scan/k.cu",
                                 "  #  include \"sub/a.cuh\"\n#include <cuda_fp16.h>\n#include <angle.h>\n"
                                 "#include \"missing.h\"\n#includes \"no.h\"\n");
    free(scratch_write(s, "scan/no.h", ""));
    free(scratch_write(s, "scan/sub/a.cuh", "#include \"b.cuh\"\n"));
    free(scratch_write(s, "scan/sub/b.cuh", "int b;\n#include \"a.cuh\"\n"));
    free(scratch_write(s, "more/angle.h", "int angle;\n"));
    char *more = rft_fs_join(s->folder, "more");
    const char *options[] = {"-I", more};
    rft_compile_request request = {.source_name = "k.cu", .source_path = source, .options = options, .option_count = 2};
    rft_include_set set;
    assert_int_equal(rft_include_scan(&set, &request, arena, NULL), 0);
    assert_int_equal(set.count, 4);
    assert_string_equal(set.items[0].spelled, "sub/a.cuh");
    assert_string_equal(set.items[1].spelled, "angle.h");
    assert_string_equal(set.items[2].spelled, "b.cuh");
    assert_string_equal(set.items[2].text, "int b;\n#include \"a.cuh\"\n");
    assert_true(set.ambiguous); /* a.cuh under two spellings */
    assert_false(set.computed);
    request.source_text = "#define H \"x.h\"\n#include H\n";
    assert_int_equal(rft_include_scan(&set, &request, arena, NULL), 0);
    assert_true(set.computed);
    static const char *const forced[] = {"--pre-include=angle.h"};
    request.source_text = "";
    request.options = forced;
    request.option_count = 1;
    assert_int_equal(rft_include_scan(&set, &request, arena, NULL), 0);
    assert_true(set.computed); /* a header that no #include names */
    free(more);
    free(source);
    rft_arena_free(arena);
}

/* What kernels share lies in `lib` beside their folder, or in it: unless the sweep may not read that. */
static void shared_headers_are_found(void **state) {
    const scratch *s = *state;
    rft_arena *arena = rft_arena_new();
    char *family = scratch_write(s, "kernels/norm/k.cu", "#include \"rows.cuh\"\n#include \"own.cuh\"\n");
    char *flat = scratch_write(s, "kernels/k.cu", "#include \"rows.cuh\"\n");
    char *user = scratch_write(s, "user/k.cu", "#include \"rows.cuh\"\n");
    free(scratch_write(s, "kernels/norm/own.cuh", ""));
    free(scratch_write(s, "kernels/lib/own.cuh", "#error another\n"));
    free(scratch_write(s, "kernels/lib/rows.cuh", "#include \"vectors.cuh\"\n"));
    free(scratch_write(s, "kernels/lib/vectors.cuh", ""));
    const char *option = rft_arena_printf(arena, "-I%s/kernels", s->folder);
    const struct {
        const char *source;
        size_t options, headers;
    } cases[] = {{family, 0, 3}, {flat, 0, 2}, {user, 1, 2}, {user, 0, 0}};
    rft_include_set set;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_compile_request request = {.source_name = "k.cu",
                                       .source_path = cases[i].source,
                                       .options = &option,
                                       .option_count = cases[i].options};
        assert_int_equal(rft_include_scan(&set, &request, arena, NULL), 0);
        assert_int_equal(set.count, cases[i].headers);
        assert_false(set.ambiguous);
        if (set.count == 3) {
            assert_string_equal(set.items[1].spelled, "own.cuh");
            assert_string_equal(set.items[1].text, ""); /* the family's own goes first */
        }
    }
    rft_roots roots = {0};
    rft_roots_add(&roots, rft_arena_printf(arena, "%s/kernels/norm", s->folder), arena);
    rft_compile_request request = {.source_name = "k.cu", .source_path = family, .roots = &roots};
    assert_int_equal(rft_include_scan(&set, &request, arena, NULL), 0);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.folder_count, 1);
    free(family);
    free(flat);
    free(user);
    rft_arena_free(arena);
}

static void a_missing_source_is_named(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_include_set set;
    rft_err err = RFT_ERR_INIT;
    rft_compile_request request = {.source_name = "k.cu", .source_path = "/nonexistent/k.cu"};
    assert_int_equal(rft_include_scan(&set, &request, arena, &err), RFT_E_SOURCE);
    assert_int_equal(err.code, RFT_E_SOURCE);
    assert_non_null(strstr(err.message, "/nonexistent/k.cu"));
    rft_arena_free(arena);
}

/* A tiny ELF with the sections .shstrtab, .text.k, .debug_line; `debug` and `code` fill the last two. */
static size_t make_elf(unsigned char out[1024], char code, char debug) {
    static const char names[] = "\0.shstrtab\0.text.k\0.debug_line";
    Elf64_Ehdr header = {.e_shoff = 256, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4, .e_shstrndx = 1};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    Elf64_Shdr sections[4] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = 64, .sh_size = sizeof names},
        {.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = 128, .sh_size = 16},
        {.sh_name = 19, .sh_type = SHT_PROGBITS, .sh_offset = 160, .sh_size = 16},
    };
    memset(out, 0, 1024);
    memcpy(out, &header, sizeof header);
    memcpy(out + 64, names, sizeof names);
    memset(out + 128, code, 16);
    memset(out + 160, debug, 16);
    memcpy(out + 256, sections, sizeof sections);
    return 256 + sizeof sections;
}

static void the_hash_is_of_the_code_alone(void **state) {
    (void)state;
    unsigned char elf[1024];
    char a[65], b[65], c[65], d[65];
    rft_cubin_hash(elf, make_elf(elf, 1, 1), a);
    rft_cubin_hash(elf, make_elf(elf, 1, 2), b);
    rft_cubin_hash(elf, make_elf(elf, 2, 1), c);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    size_t size = make_elf(elf, 1, 1);
    rft_cubin_hash(elf, size - 1, d); /* cut off: hashed as bytes */
    assert_string_not_equal(a, d);
    char release[32] = "x";
    rft_cubin_toolchain(elf, size, release, sizeof release);
    assert_string_equal(release, "");
}

static void a_library_that_is_not_there_has_a_remedy(void **state) {
    const scratch *s = *state;
    free(scratch_write(s, "lib/librooftune_none.so.1", "no library"));
    static const char *const files[] = {"librooftune_none.so.1", NULL};
    const char *folders[] = {NULL, "", s->folder};
    rft_dynlib_spec spec = {.title = "Nothing",
                            .files = files,
                            .folders = folders,
                            .folder_count = 3,
                            .code = RFT_E_COMPILER,
                            .remedy = "none"};
    void *handle = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_dynlib_open(&handle, NULL, &spec, &err), RFT_E_COMPILER);
    assert_null(handle);
    assert_non_null(strstr(err.message, "lib/librooftune_none.so.1")); /* found, and why it does not load */
    assert_string_equal(err.remedy, "none");
}

static void a_function_that_is_not_there_is_named(void **state) {
    (void)state;
    static const char *const files[] = {"libm.so.6", NULL};
    static const rft_dynlib_symbol symbols[] = {{"cos", 0, false}, {"rooftune_nothing", sizeof(void *), false}};
    static const rft_dynlib_symbol lenient[] = {{"cos", 0, false}, {"rooftune_nothing", sizeof(void *), true}};
    struct {
        double (*cosine)(double);
        void (*nothing)(void);
    } table = {0};
    rft_dynlib_spec spec = {
        .title = "libm", .files = files, .symbols = symbols, .symbol_count = 2, .code = RFT_E_DEVICE};
    void *handle = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_dynlib_open(&handle, &table, &spec, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "rooftune_nothing"));
    spec.symbols = lenient;
    assert_int_equal(rft_dynlib_open(&handle, &table, &spec, NULL), 0);
    assert_true(table.cosine(0) == 1.0);
    assert_true(table.nothing == NULL);
    char *path = rft_dynlib_path(handle);
    assert_non_null(strstr(path, "libm"));
    free(path);
    rft_dynlib_close(handle);
}

static int set_up(void **state) {
    static scratch s;
    *state = &s;
    return scratch_open(&s) ? 0 : -1;
}

static int tear_down(void **state) {
    scratch_remove(((scratch *)*state)->folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_read_by_symbol),
        cmocka_unit_test(statistics_leave_the_log),
        cmocka_unit_test(headers_are_found_as_the_compiler_does),
        cmocka_unit_test(shared_headers_are_found),
        cmocka_unit_test(a_missing_source_is_named),
        cmocka_unit_test(the_hash_is_of_the_code_alone),
        cmocka_unit_test(a_library_that_is_not_there_has_a_remedy),
        cmocka_unit_test(a_function_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
