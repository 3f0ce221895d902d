/* SPDX-License-Identifier: Apache-2.0 */
/* The PDF itself: byte-stable, whole, searchable; and errors that are reported. */
#include "base/fs.h"
#include "reports/page/canvas.h"
#include "reports/page/font_family.h"
#include "reports/report.h"
#include "support/sample.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static rft_str pdf_of(const rft_run *run) {
    rft_str pdf = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    int code = rft_report_pdf(run, NULL, &pdf, &err);
    if (code != 0) {
        fail_msg("%s", err.message);
    }
    return pdf;
}

static void test_same_run_same_bytes(void **state) {
    (void)state;
    rft_run *first = sample_full(), *second = sample_full();
    rft_str a = pdf_of(first);
    sleep(1); /* a date of today would show */
    rft_str b = pdf_of(second);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, a.length);
    assert_memory_equal(a.data, "%PDF-", 5);
    rft_str_clear(&a);
    rft_str_clear(&b);
    rft_run_free(first);
    rft_run_free(second);
}

/* A locale with a decimal comma, if there is one here. */
static const char *comma_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static void test_same_bytes_under_a_comma_locale(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_str a = pdf_of(run);
    if (!comma_locale()) {
        rft_str_clear(&a);
        rft_run_free(run);
        skip();
    }
    rft_str b = pdf_of(run);
    setlocale(LC_ALL, "C");
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, a.length);
    rft_str_clear(&a);
    rft_str_clear(&b);
    rft_run_free(run);
}

/* Layout has the widths of the embedded fonts, to the last unit; those named without them are as good as the same. */
static void test_widths_are_libharus(void **state) {
    (void)state;
    const rft_font_family *families[] = {rft_font_family_built_in(), NULL};
    static const char others[] = "\xad\xaf\xb1\xb5\xb7\xf7"; /* font.h names them */
    for (int k = 0; k < 2 * RFT_FONT_COUNT; k++) {
        const rft_font_family *family = families[k / RFT_FONT_COUNT];
        rft_font font = (rft_font)(k % RFT_FONT_COUNT);
        int given[256];
        rft_canvas_haru_widths(family, font, given);
        for (int c = 32; c < 256; c++) {
            char byte = (char)c;
            int own = (int)(rft_font_width(font, 1000, &byte, 1) + 0.5);
            if (c == 127 || rft_font_unicode((unsigned char)c) == '?' || (!family && strchr(others, c))) {
                continue; /* nothing stands there, or another width */
            }
            if (family ? own != given[c] : abs(own - given[c]) > 1) {
                fail_msg("font %d, byte 0x%02x: %d, libharu has %d", (int)font, (unsigned)c, own, given[c]);
            }
        }
    }
}

/* Runs a command with the report of a full sample as its last argument; its output. Skips when it is not installed. */
static char *output_of(const char *tool, const char *options, int *status) {
    char command[600], probe[100];
    snprintf(probe, sizeof probe, "command -v %s >/dev/null 2>&1", tool);
    if (system(probe) != 0) {
        skip();
    }
    char folder[] = "/tmp/rft-report-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.pdf", folder);
    rft_run *run = sample_full();
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_report_write(run, NULL, RFT_REPORT_PDF, path, &err), 0);
    rft_run_free(run);
    snprintf(command, sizeof command, "%s %s %s%s 2>&1", tool, options, path,
             strcmp(tool, "pdftotext") == 0 ? " -" : "");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    rft_str out = RFT_STR_INIT;
    char block[4096];
    size_t got;
    while ((got = fread(block, 1, sizeof block, pipe)) > 0) {
        rft_str_add_n(&out, block, got);
    }
    *status = pclose(pipe);
    unlink(path);
    rmdir(folder);
    return rft_str_take(&out);
}

static void test_qpdf_finds_nothing_wrong(void **state) {
    (void)state;
    int status;
    char *text = output_of("qpdf", "--check", &status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "No syntax or stream encoding errors found"));
    free(text);
}

static void test_document_information(void **state) {
    (void)state;
    int status;
    char *text = output_of("pdfinfo", "-isodates", &status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "rooftune: NVIDIA H200"));
    assert_non_null(strstr(text, "rooftune 0.1.0 (de4eaff)"));
    assert_non_null(strstr(text, "run 3f2a9c41d07b"));
    assert_non_null(strstr(text, "2026-11-21T09:41:00"));
    assert_non_null(strstr(text, "A4"));
    free(text);
}

static void test_fonts_are_in_the_file(void **state) {
    (void)state;
    int status;
    if (!rft_font_family_built_in()) {
        skip();
    }
    char *text = output_of("pdffonts", "", &status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "+LiberationSans "));
    assert_non_null(strstr(text, "+LiberationSans-Bold"));
    assert_non_null(strstr(text, "+LiberationMono "));
    assert_null(strstr(text, " no  no ")); /* "emb sub": in the file, the used glyphs alone */
    assert_null(strstr(text, "Helvetica"));
    free(text);
}

static bool has(const rft_str *pdf, const char *text) {
    return memmem(pdf->data, pdf->length, text, strlen(text)) != NULL;
}

/* The same for programs as XMP: every sign of a hostile name stands for itself. */
static void test_metadata_is_well_formed(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_report_opts opts = {.author = "Ada <ada@example.org> & S\xc3\xb8n"};
    rft_str pdf = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    run->gpu.name = "</rdf:li>\"\x1b[31m\xff & \xe8\xa1\x8c";
    assert_int_equal(rft_report_pdf(run, &opts, &pdf, &err), 0);
    assert_true(has(&pdf, "/Lang (en)"));
    assert_true(has(&pdf, "/DisplayDocTitle true"));
    assert_true(has(&pdf, "<rdf:li xml:lang=\"x-default\">rooftune: &lt;/rdf:li&gt;&quot;\\u001b[31m\\xff &amp; "
                          "\xe8\xa1\x8c</rdf:li>"));
    assert_true(has(&pdf, "<dc:creator><rdf:Seq><rdf:li>Ada &lt;ada@example.org&gt; &amp; S\xc3\xb8n</rdf:li>"));
    assert_true(has(&pdf, "/Author (Ada \\074ada@example.org\\076 & S\\370n)"));
    assert_true(has(&pdf, "<xmp:CreateDate>2026-11-21T09:41:00Z</xmp:CreateDate>"));
    rft_str_clear(&pdf);
    rft_run_free(run);
}

/* Built without the fonts, or not: a canvas that is given none names those of every reader. */
static void test_without_fonts_those_of_the_reader_are_named(void **state) {
    (void)state;
    rft_canvas canvas = {0};
    rft_str pdf = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    rft_text_run run = {.x = 10, .y = 10, .font = RFT_FONT_MONO, .size = 10, .text = "plain", .length = 5};
    assert_int_equal(rft_canvas_haru_new(&canvas, &(rft_canvas_info){.title = "none"}, &err), 0);
    rft_canvas_page(&canvas, 100, 100);
    rft_canvas_text(&canvas, &run);
    assert_int_equal(rft_canvas_finish(&canvas, &pdf, &err), 0);
    assert_true(has(&pdf, "/BaseFont /Courier"));
    assert_false(has(&pdf, "FontFile2"));
    assert_false(has(&pdf, "/Lang"));
    rft_canvas_free(&canvas);
    rft_str_clear(&pdf);
}

static void test_text_can_be_searched(void **state) {
    (void)state;
    int status;
    char *text = output_of("pdftotext", "-enc UTF-8 -layout", &status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "Bound transitions"));
    assert_non_null(strstr(text, "2.72 \xc2\xb5s"));
    assert_non_null(strstr(text, "1.00\xc3\x97"));
    assert_non_null(strstr(text, "register-tiled"));
    free(text);
}

static void test_unwritable_path_is_an_error_with_its_name(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_report_write(run, NULL, RFT_REPORT_PDF, "/nowhere/at/all/report.pdf", &err), RFT_E_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all"));
    rft_run_free(run);
}

static void test_links_and_bookmarks_are_in_the_file(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_str pdf = pdf_of(run);
    size_t links = 0, outlines = 0;
    for (size_t i = 0; i + 16 < pdf.length; i++) {
        links += memcmp(pdf.data + i, "/Subtype /Link", 14) == 0;
        outlines += memcmp(pdf.data + i, "/Type /Outlines", 15) == 0;
    }
    assert_int_equal(links, 45); /* as report_pages_test counts them */
    assert_true(outlines >= 1);
    rft_str_clear(&pdf);
    rft_run_free(run);
}

static void test_one_chart_as_svg(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_str svg = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    run->sweeps[0].sweep.name = "a < b & \"c\"";
    assert_int_equal(rft_report_chart_svg(run, NULL, "roofline", &svg, &err), 0);
    assert_memory_equal(svg.data, "<svg xmlns=", 11);
    assert_non_null(strstr(svg.data, "FP32, measured 62.1 TFLOP/s (datasheet 66.9 TFLOP/s)</text>"));
    assert_non_null(strstr(svg.data, "stroke-dasharray"));
    assert_string_equal(svg.data + svg.length - 7, "</svg>\n");
    rft_str_clear(&svg);
    assert_int_equal(rft_report_chart_svg(run, NULL, "cover", &svg, &err), 0);
    assert_non_null(strstr(svg.data, "a &lt; b &amp; &quot;c&quot;</text>"));
    rft_str_clear(&svg);
    assert_int_equal(rft_report_chart_svg(run, NULL, "no such chart", &svg, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.remedy, "\"Rooflines, FP32\""));
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_run_same_bytes),
        cmocka_unit_test(test_same_bytes_under_a_comma_locale),
        cmocka_unit_test(test_widths_are_libharus),
        cmocka_unit_test(test_qpdf_finds_nothing_wrong),
        cmocka_unit_test(test_document_information),
        cmocka_unit_test(test_fonts_are_in_the_file),
        cmocka_unit_test(test_metadata_is_well_formed),
        cmocka_unit_test(test_without_fonts_those_of_the_reader_are_named),
        cmocka_unit_test(test_text_can_be_searched),
        cmocka_unit_test(test_unwritable_path_is_an_error_with_its_name),
        cmocka_unit_test(test_one_chart_as_svg),
        cmocka_unit_test(test_links_and_bookmarks_are_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
