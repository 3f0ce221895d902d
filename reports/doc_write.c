/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_write.h"

#include "base/fs.h"
#include "reports/page/chart_svg.h"
#include "reports/page/doc_draw.h"
#include "reports/print/print.h"

rft_report_form rft_report_form_of(const char *path) {
    return rft_text_ends(path, ".md")     ? RFT_REPORT_MARKDOWN
           : rft_text_ends(path, ".html") ? RFT_REPORT_HTML
                                          : RFT_REPORT_PDF;
}

int rft_doc_write(const rft_doc *doc, rft_report_form form, const char *path, rft_err *err) {
    rft_str bytes = RFT_STR_INIT;
    int code = 0;
    switch (form) {
    case RFT_REPORT_PDF:
        code = rft_doc_pdf(doc, &bytes, err);
        break;
    case RFT_REPORT_MARKDOWN:
        rft_print_markdown(&bytes, doc);
        break;
    case RFT_REPORT_HTML:
        rft_print_html(&bytes, doc, rft_chart_svg);
        break;
    }
    code = code == 0 ? rft_fs_write_atomic(path, rft_str_get(&bytes), bytes.length, err) : code;
    rft_str_clear(&bytes);
    return code;
}
