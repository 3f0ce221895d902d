/* SPDX-License-Identifier: Apache-2.0 */
/* One chart of a report alone, as SVG. */
#include "reports/report.h"

#include "reports/doc_build.h"
#include "reports/page/chart_svg.h"

#include <ctype.h>
#include <string.h>

#define NAMES_MOST 12 /* of what there is, in the error message */

/* Whether `text` has `part` in it; letters' case does not count. */
static bool contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return length == 0;
}

/* "Rooflines: FP32"; where a chart has no title of its own, the headings it stands under. */
static const char *name_of(rft_arena *arena, const char *const *headings, const rft_chart *chart) {
    rft_str name = RFT_STR_INIT;
    for (int level = 0; level < 3; level++) {
        if (headings[level]) {
            rft_str_addf(&name, "%s%s", name.length ? ", " : "", headings[level]);
        }
    }
    if (*chart->title) {
        rft_str_addf(&name, "%s%s", name.length ? ": " : "", chart->title);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&name));
    rft_str_clear(&name);
    return kept;
}

/* The first chart whose name has `wanted` in it; NULL: `there` tells which there are. */
static const rft_chart *find(const rft_doc *doc, const char *wanted, rft_str *there) {
    const char *headings[3] = {NULL, NULL, NULL};
    size_t told = 0;
    for (size_t i = 0; i < doc->block_count; i++) {
        const rft_block *block = &doc->blocks[i];
        if (block->kind == RFT_BLOCK_HEADING) {
            bool cover = block->anchor && strcmp(block->anchor, "cover") == 0; /* its heading names the device */
            headings[block->level - 1] = cover ? "Cover" : block->text;
            for (int level = block->level; level < 3; level++) {
                headings[level] = NULL;
            }
        }
        for (size_t k = 0; block->kind == RFT_BLOCK_CHARTS && k < block->chart_count; k++) {
            const char *name = name_of(doc->arena, headings, block->charts[k]);
            if (contains(name, wanted)) {
                return block->charts[k];
            }
            if (told++ < NAMES_MOST) {
                rft_str_addf(there, "%s\"%s\"", there->length ? ", " : "", name);
            }
        }
    }
    if (told > NAMES_MOST) {
        rft_str_addf(there, " and %zu more", told - NAMES_MOST);
    }
    return NULL;
}

int rft_report_chart_svg(const rft_run *run, const rft_report_opts *opts, const char *name, rft_str *out,
                         rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_str there = RFT_STR_INIT;
    const rft_chart *chart = find(rft_doc_build(run, opts, arena), name, &there);
    int code = 0;
    if (!chart) {
        rft_err_set(err, RFT_E_USAGE, "the report has no chart with a name like \"%s\"", name);
        code = rft_err_remedy(err, "part of one of these names: %s", there.length ? rft_str_get(&there) : "(no chart)");
    } else {
        rft_chart_svg(out, chart, 1);
    }
    rft_str_clear(&there);
    rft_arena_free(arena);
    return code;
}
