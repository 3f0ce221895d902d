/* SPDX-License-Identifier: Apache-2.0 */
/* The PDF itself: byte-stable, whole, searchable; and errors that are reported. */
#include "base/fs.h"
#include "reports/page/canvas.h"
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

static void test_widths_are_libharus(void **state) {
    (void)state;
    for (int font = 0; font < RFT_FONT_COUNT; font++) {
        for (int c = 32; c < 256; c++) {
            /* Places of the set that stand for nothing have no width worth comparing. */
            char byte = (char)c;
            if (c == 127 || c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d) {
                continue;
            }
            double own = rft_font_width((rft_font)font, 1000, &byte, 1);
            assert_int_equal((int)(own + 0.5), rft_canvas_haru_glyph_width((rft_font)font, (unsigned char)c));
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
    assert_int_equal(rft_report_write_pdf(run, NULL, path, &err), 0);
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
    assert_int_equal(rft_report_write_pdf(run, NULL, "/nowhere/at/all/report.pdf", &err), RFT_E_IO);
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
    assert_int_equal(links, 47);
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
    assert_non_null(strstr(svg.data, "FP32, measured 62.1 TFLOP/s</text>"));
    assert_non_null(strstr(svg.data, "stroke-dasharray"));
    assert_string_equal(svg.data + svg.length - 7, "</svg>\n");
    rft_str_clear(&svg);
    assert_int_equal(rft_report_chart_svg(run, NULL, "cover", &svg, &err), 0);
    assert_non_null(strstr(svg.data, "a &lt; b &amp; \"c\"</text>"));
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
        cmocka_unit_test(test_text_can_be_searched),
        cmocka_unit_test(test_unwritable_path_is_an_error_with_its_name),
        cmocka_unit_test(test_one_chart_as_svg),
        cmocka_unit_test(test_links_and_bookmarks_are_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
