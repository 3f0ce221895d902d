/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of kernels in PTX as NVRTC 13.0 writes it, and of lines that no compiler made. */
#include "model_fixture.h"

#include "model/sweep/ptx_walk.h"

#include <string.h>

typedef struct seen {
    uint64_t addresses[16];
    size_t lines[16], count;
} seen;

static void note(void *self, const rft_ptx_access *access) {
    seen *s = self;
    if (s->count < 16) {
        s->lines[s->count] = access->by->line;
        s->addresses[s->count++] = access->address;
    }
}

#define HEAD                                                                                                           \
    ".version 9.0\n.extern .shared .align 16 .b8 s[];\n.visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .u32 "   \
    "k_param_1\n)\n{\n\t.reg .b32 \t%r<9>;\n\t.shared .align 4 .b8 _ZZ1kPfiE4tile[64];\n"

/* The addresses that thread (x, 0, 0) of block 3 uses, its parameters being 1 << 42 and `n`. */
static seen walk(const char *body, uint32_t x, uint32_t n, rft_arena *arena) {
    const char *text = rft_arena_printf(arena, "%s%s}\n", HEAD, body);
    const uint64_t pointer = UINT64_C(1) << 42;
    const rft_ptx_param params[] = {{(const unsigned char *)&pointer, 8}, {(const unsigned char *)&n, 4}};
    const rft_ptx_thread thread = {.specials = {x, 0, 0, 32, 1, 1, 3, 0, 0, 4, 1, 1}};
    rft_ptx_program program;
    seen found = {.count = 0};
    assert_true(rft_ptx_program_read(&program, text, "k", arena));
    assert_string_equal(program.static_names[0], "tile");
    rft_ptx_walk w = {&program, params, 2, note, &found, 1000};
    rft_ptx_walk_thread(&w, &thread, 1000);
    return found;
}

static void whole_numbers_lead_to_addresses(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    seen s = walk("\t.loc\t1 7 3\n"
                  "\tld.param.u64 \t%rd1, [k_param_0];\n\tld.param.u32 \t%r1, [k_param_1];\n"
                  "\tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 \t%r3, %ntid.x;\n\tmov.u32 \t%r4, %tid.x;\n"
                  "\tmad.lo.s32 \t%r5, %r2, %r3, %r4;\n\tsetp.ge.s32 \t%p1, %r5, %r1;\n\t@%p1 bra \t$L__BB0_2;\n"
                  "\tcvta.to.global.u64 \t%rd2, %rd1;\n\tmul.wide.s32 \t%rd3, %r5, 4;\n\tadd.s64 \t%rd4, %rd2, %rd3;\n"
                  "\tld.global.nc.f32 \t%f1, [%rd4+-4];\n\tshl.b32 \t%r6, %r4, 2;\n\tmov.u32 \t%r7, s;\n"
                  "\tadd.s32 \t%r8, %r7, %r6;\n\tst.shared.f32 \t[%r8+8], %f1;\n"
                  "\tst.shared.f32 \t[_ZZ1kPfiE4tile+12], %f1;\n"
                  "$L__BB0_2:\n\tret;\n",
                  5, 102, arena);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.addresses[0], (UINT64_C(1) << 42) + 4 * (3 * 32 + 5) - 4);
    assert_int_equal(s.addresses[1], RFT_PTX_DYNAMIC + 20 + 8);
    assert_int_equal(s.addresses[2], RFT_PTX_STATIC + 12);
    assert_int_equal(s.lines[0], 7);
    assert_int_equal(walk("\tld.param.u32 %r1, [k_param_1];\n\tmov.u32 %r4, %tid.x;\n\tsetp.ge.s32 %p1, %r4, %r1;\n"
                          "\t@%p1 bra $A;\n\tst.shared.f32 [s], %f1;\n$A:\n\tret;\n",
                          5, 5, arena)
                         .count,
                     0);
    rft_arena_free(arena);
}

/* Signs, widths and shifts as the hardware has them: the result is an offset into the extern array. */
static void arithmetic_is_the_hardwares(void **state) {
    (void)state;
    static const struct {
        const char *code;
        uint64_t offset;
    } cases[] = {
        {"mov.u32 %r1, -1;\n shr.u32 %r2, %r1, 28;\n", 15},
        {"mov.u32 %r1, -32;\n shr.s32 %r2, %r1, 2;\n neg.s32 %r2, %r2;\n", 8},
        {"mov.u32 %r1, -7;\n div.s32 %r2, %r1, 2;\n abs.s32 %r2, %r2;\n", 3},
        {"mov.u32 %r1, -7;\n rem.s32 %r2, %r1, 4;\n neg.s32 %r2, %r2;\n", 3},
        {"mov.u32 %r1, 1431655766;\n mul.hi.s32 %r2, %r1, 9;\n", 3},
        {"mov.u32 %r1, 5;\n shl.b32 %r2, %r1, 33;\n", 0},
        {"mov.u32 %r1, -1;\n cvt.s64.s32 %rd1, %r1;\n add.s64 %rd1, %rd1, 5;\n cvt.u32.u64 %r2, %rd1;\n", 4},
        {"mov.u32 %r1, -1;\n cvt.u64.u32 %rd1, %r1;\n shr.u64 %rd1, %rd1, 29;\n cvt.u32.u64 %r2, %rd1;\n", 7},
        {"mov.u32 %r1, -1;\n min.s32 %r2, %r1, 3;\n max.u32 %r2, %r2, 2;\n add.s32 %r2, %r2, 7;\n", 6},
        {"setp.lt.u32 %p1, 3, -1;\n setp.lt.s32 %p2, 3, -1;\n not.pred %p3, %p2;\n and.pred %p4, %p1, %p3;\n"
         " selp.b32 %r2, 11, 12, %p4;\n",
         11},
        {"mov.u32 %r2, 0;\n$A:\n add.s32 %r2, %r2, 1;\n setp.ne.s32 %p1, %r2, 9;\n @%p1 bra $A;\n", 9},
        {"mov.u32 %r2, 1;\n@!%p9 mov.u32 %r2, 2;\n setp.eq.s32 %p1, 1, 1;\n @%p1 mov.u32 %r2, 3;\n", 3},
    };
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        seen s =
            walk(rft_arena_printf(arena, "%s mov.u32 %%r3, s;\n add.s32 %%r4, %%r3, %%r2;\n st.shared.u8 [%%r4], 1;\n",
                                  cases[i].code),
                 0, 0, arena);
        assert_int_equal(s.count, 1);
        assert_int_equal(s.addresses[0], RFT_PTX_DYNAMIC + cases[i].offset);
    }
    rft_arena_free(arena);
}

/* What data decides is not told, and what might be done is not said to be. */
static void what_is_not_known_is_not_told(void **state) {
    (void)state;
    static const char *const bodies[] = {
        " ld.global.u32 %r1, [%rd9];\n setp.lt.s32 %p1, %r1, 4;\n @%p1 bra $A;\n st.shared.u32 [s+4], %r1;\n$A:\n "
        "ret;\n",
        " ld.shared.u32 %r1, [%r7];\n st.shared.u32 [%r1], 1;\n",
        " ld.shared.u32 %r1, [%r7];\n setp.lt.s32 %p1, %r1, 4;\n @%p1 st.shared.u32 [s], 1;\n",
        " mov.u32 %r1, 4;\n { .reg .pred p; elect.sync _|p, -1; @p mov.u32 %r1, 8; }\n mov.u32 %r2, s;\n"
        " add.s32 %r3, %r2, %r1;\n st.shared.u32 [%r3], 1;\n",
        " mov.u32 %r1, 4;\n fma.rn.f32 %r1, %r2, %r3, %r4;\n st.shared.u32 [%r1], 1;\n",
        " mov.u32 %r1, 4;\n addc.u32 %r1, %r1, 0;\n st.shared.u32 [%r1], 1;\n",
        " call.uni f, ();\n st.shared.u32 [s], 1;\n",
        " mapa.shared::cluster.u32 %r1, %r2, 1;\n st.shared::cluster.u32 [%r1], 1;\n",
        "$A: mov.u32 %r1, 1;\n bra $A;\n st.shared.u32 [s], 1;\n",
    };
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        assert_int_equal(walk(bodies[i], 0, 0, arena).count, 0);
    }
    rft_ptx_program program;
    assert_false(rft_ptx_program_read(&program, ".entry other(){ret;}", "k", arena));
    assert_false(rft_ptx_program_read(&program, ".entry k(){ mov.u32 %r1, 1;", "k", arena)); /* cut short */
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_lead_to_addresses),
        cmocka_unit_test(arithmetic_is_the_hardwares),
        cmocka_unit_test(what_is_not_known_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
