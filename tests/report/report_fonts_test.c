/* SPDX-License-Identifier: Apache-2.0 */
/* Names outside Latin-1: a font's tables read with care, its characters in the layout, and whole glyphs in the PDF. */
#include "base/fs.h"
#include "report/trace_pages.h"
#include "reports/page/font_family.h"
#include "reports/page/truetype.h"
#include "support/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* "logos", with an accented letter that is composed of two. */
#define GREEK "\xce\xbb\xcf\x8c\xce\xb3\xce\xbf\xcf\x82"
#define DEJAVU "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

/* ---- a font of five glyphs: 1 simple, 2 simple, 3 made of 1, 4 made of 3 and 2; U+0416 is 4, U+4E2D is 1 ---- */

static void u16(rft_str *out, unsigned value) {
    rft_str_add_char(out, (char)(value >> 8));
    rft_str_add_char(out, (char)(value & 0xff));
}

static void many(rft_str *out, const unsigned *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        u16(out, values[i]);
    }
}
#define MANY(out, ...)                                                                                                 \
    many(out, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static rft_str made_font(void) {
    static const char *const tags[] = {"cmap", "glyf", "head", "hhea", "hmtx", "loca"};
    rft_str tables[6] = {RFT_STR_INIT, RFT_STR_INIT, RFT_STR_INIT, RFT_STR_INIT, RFT_STR_INIT, RFT_STR_INIT};
    rft_str font = RFT_STR_INIT;
    /* One subtable, format 4, three segments. */
    MANY(&tables[0], 0, 1, 3, 1, 0, 12, 4, 40, 0, 6, 0, 0, 0, 0x0416, 0x4e2d, 0xffff, 0, 0x0416, 0x4e2d, 0xffff);
    MANY(&tables[0], (4 - 0x0416) & 0xffff, (1 - 0x4e2d) & 0xffff, 1, 0, 0, 0);
    /* Glyphs of 12, 12, 16 and 22 bytes: contours, a box, then points (not looked at) or parts. */
    MANY(&tables[1], 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0);
    MANY(&tables[1], 0xffff, 0, 0, 0, 0, 0x0000, 1, 0);
    MANY(&tables[1], 0xffff, 0, 0, 0, 0, 0x0020, 3, 0, 0x0000, 2, 0);
    for (int i = 0; i < 27; i++) {
        u16(&tables[2], i == 9 ? 1000 : 0); /* unitsPerEm; short offsets */
        if (i < 18) {
            u16(&tables[3], i == 17 ? 2 : 0); /* numberOfHMetrics */
        }
    }
    MANY(&tables[4], 500, 0, 600, 0, 0, 0, 0);
    MANY(&tables[5], 0, 0, 6, 12, 20, 31);
    MANY(&font, 0x0001, 0x0000, 6, 0, 0, 0);
    size_t at = 12 + 6 * 16;
    for (size_t i = 0; i < 6; i++) {
        rft_str_add(&font, tags[i]);
        MANY(&font, 0, 0, (unsigned)(at >> 16), (unsigned)(at & 0xffff), 0, (unsigned)tables[i].length);
        at += tables[i].length;
    }
    for (size_t i = 0; i < 6; i++) {
        rft_str_add_n(&font, tables[i].data, tables[i].length);
        rft_str_clear(&tables[i]);
    }
    return font;
}

static void test_widths_come_from_the_font(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_str bytes = made_font();
    rft_err err = RFT_ERR_INIT;
    const rft_truetype *font = NULL;
    assert_int_equal(rft_truetype_read(&font, bytes.data, bytes.length, "made.ttf", arena, &err), 0);
    assert_int_equal(rft_truetype_width(font, 0x4e2d), 600);
    assert_int_equal(rft_truetype_width(font, 0x0416), 600); /* behind the last of its own */
    assert_int_equal(rft_truetype_width(font, 0x0417), -1);
    assert_int_equal(rft_truetype_width(font, 0x10000), -1);
    rft_str_clear(&bytes);
    rft_arena_free(arena);
}

static void test_all_parts_of_a_glyph_have_a_character(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_str bytes = made_font(), again = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    const rft_truetype *font = NULL, *second = NULL;
    rft_codes used = {{0}}, parts = {{0}};
    assert_int_equal(rft_truetype_read(&font, bytes.data, bytes.length, "made.ttf", arena, &err), 0);
    rft_codes_add(&used, 0x0416);
    rft_truetype_with_parts(font, &used, &parts, &again);
    assert_int_equal(rft_truetype_read(&second, again.data, again.length, "again.ttf", arena, &err), 0);
    /* Glyphs 3 and 2, and 1 a level deeper. */
    size_t count = 0;
    for (uint32_t code = 0; code < 0x10000; code++) {
        if (rft_codes_has(&parts, code)) {
            count++;
            assert_true(code >= 0xe000 && code <= 0xf8ff);
            assert_int_equal(rft_truetype_width(second, code), 600);
        }
    }
    assert_int_equal(count, 3);
    assert_int_equal(rft_truetype_width(second, 0x0416), 600);
    assert_int_equal(rft_truetype_width(second, 0x4e2d), -1); /* not used */
    rft_str_clear(&bytes);
    rft_str_clear(&again);
    rft_arena_free(arena);
}

/* Cut anywhere, and every byte of it changed: refused or read, nothing else. */
static void test_damaged_fonts_do_no_harm(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_str whole = made_font();
    size_t refused = 0;
    for (size_t i = 0; i < 2 * whole.length; i++) {
        size_t size = i < whole.length ? i : whole.length;
        unsigned char *bytes = rft_alloc(size + 1);
        rft_err err = RFT_ERR_INIT;
        const rft_truetype *font = NULL;
        memcpy(bytes, whole.data, size);
        if (i >= whole.length) {
            bytes[i - whole.length] ^= 0xff;
        }
        if (rft_truetype_read(&font, bytes, size, "damaged.ttf", arena, &err) == 0) {
            rft_codes used = {{0}}, parts = {{0}};
            rft_str out = RFT_STR_INIT;
            rft_codes_add(&used, 0x0416);
            rft_truetype_with_parts(font, &used, &parts, &out);
            rft_truetype_width(font, 0x4e2d);
            rft_str_clear(&out);
        } else {
            assert_int_equal(err.code, RFT_E_REPORT);
            assert_true(*err.remedy != '\0');
            refused++;
        }
        free(bytes);
    }
    assert_true(refused > whole.length / 2);
    rft_str_clear(&whole);
    rft_arena_free(arena);
}

static void test_foreign_text_is_measured_and_kept_whole(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_str bytes = made_font();
    rft_err err = RFT_ERR_INIT;
    rft_truetypes fonts = {.count = 1};
    size_t replaced = 0;
    assert_int_equal(rft_truetype_read(&fonts.items[0], bytes.data, bytes.length, "made.ttf", arena, &err), 0);
    const char *text = rft_font_encode_with(arena, &fonts, "a\xd0\x96\xe4\xb8\xad\xce\xb1", &replaced);
    size_t length = strlen(text);
    assert_int_equal(replaced, 1); /* alpha */
    assert_string_equal(rft_font_decode(arena, text, length), "a\xd0\x96\xe4\xb8\xad?");
    assert_int_equal((int)(rft_font_width(RFT_FONT_REGULAR, 1000, text, length) + 0.5), 556 + 600 + 600 + 556);
    /* Room for one and a half: never cut inside. */
    assert_int_equal(rft_font_fit(RFT_FONT_REGULAR, 1000, text, length, 556 + 900), 1 + RFT_FONT_FOREIGN_BYTES);
    assert_int_equal(rft_font_fit(RFT_FONT_REGULAR, 1000, text + 1, length - 1, 10), RFT_FONT_FOREIGN_BYTES);
    int font = 0;
    assert_int_equal(rft_font_run(text + 1, length - 1, &font), 2 * RFT_FONT_FOREIGN_BYTES);
    assert_int_equal(font, 0);
    rft_str_clear(&bytes);
    rft_arena_free(arena);
}

static void test_greek_and_chinese_names(void **state) {
    (void)state;
    const char *const paths[] = {DEJAVU};
    rft_report_opts opts = {.fonts = paths, .font_count = 1};
    if (access(DEJAVU, R_OK) != 0) {
        skip();
    }
    rft_run *run = sample_full();
    run->sweeps[0].sweep.name = GREEK;
    run->sweeps[1].sweep.name = "\xe8\xa1\x8c\xe5\x88\x97"; /* DejaVu has no Chinese */
    trace_pages pages = trace_of(run, &opts);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Sweep " GREEK));
    assert_true(trace_says(&pages, "Sweep ??"));
    assert_true(trace_page_says(&pages, 1, "characters that the PDF's fonts lack"));
    trace_clear(&pages);
    rft_str first = RFT_STR_INIT, second = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_report_pdf(run, &opts, &first, &err), 0);
    assert_int_equal(rft_report_pdf(run, &opts, &second, &err), 0);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    assert_true(first.length < 400000); /* the font's few glyphs, not all of it */
    rft_str_clear(&first);
    rft_str_clear(&second);
    rft_run_free(run);
}

/* The pages' own family has Greek; a font given under its very name is no other one to libharu, and lacks nothing. */
static void test_own_fonts_have_greek(void **state) {
    (void)state;
    char folder[] = "/tmp/rft-fonts-XXXXXX", path[48];
    const rft_font_family *family = rft_font_family_built_in();
    const char *const paths[] = {path};
    rft_report_opts none = RFT_REPORT_OPTS_INIT, same = {.fonts = paths, .font_count = 1};
    rft_err err = RFT_ERR_INIT;
    if (!family) {
        skip();
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/same.ttf", folder);
    const rft_font_file *regular = &family->files[RFT_FONT_REGULAR];
    assert_int_equal(rft_fs_write_atomic(path, (const char *)regular->bytes, *regular->size, &err), 0);
    rft_run *run = sample_full();
    run->sweeps[0].sweep.name = GREEK;
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Sweep " GREEK));
    trace_clear(&pages);
    rft_str without = RFT_STR_INIT, with = RFT_STR_INIT;
    assert_int_equal(rft_report_pdf(run, &none, &without, &err), 0);
    assert_int_equal(rft_report_pdf(run, &same, &with, &err), 0);
    assert_int_equal(with.length, without.length);
    assert_memory_equal(with.data, without.data, with.length);
    unlink(path);
    rmdir(folder);
    rft_str_clear(&without);
    rft_str_clear(&with);
    rft_run_free(run);
}

static void test_what_is_no_font_is_refused(void **state) {
    (void)state;
    const char *const bad[] = {RFT_SOURCE_DIR "/README.md"}, *const missing[] = {"/nowhere/font.ttf"};
    rft_report_opts opts = {.fonts = bad, .font_count = 1};
    rft_run *run = sample_empty();
    rft_str out = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_report_pdf(run, &opts, &out, &err), RFT_E_REPORT);
    assert_non_null(strstr(err.message, "is not a TrueType font"));
    opts.fonts = missing;
    assert_int_not_equal(rft_report_pdf(run, &opts, &out, &err), 0);
    assert_non_null(strstr(err.message, "/nowhere/font.ttf"));
    assert_int_equal(out.length, 0);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_come_from_the_font),
        cmocka_unit_test(test_all_parts_of_a_glyph_have_a_character),
        cmocka_unit_test(test_damaged_fonts_do_no_harm),
        cmocka_unit_test(test_foreign_text_is_measured_and_kept_whole),
        cmocka_unit_test(test_greek_and_chinese_names),
        cmocka_unit_test(test_own_fonts_have_greek),
        cmocka_unit_test(test_what_is_no_font_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
