/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include "model/run/run_foreign.h"
#include "reports/findings/accept_findings.h"
#include "reports/page/page.h"

/* What every page must say: that it is a replay, that the driver finished the kernels (another ptxas, other times). */
static const char *page_notice(rft_build *b) {
    const char *replay = rft_words_replay(b->run, b->arena);
    const char *finished = rft_env_value(&b->run->env, "nvrtc.finished_by_driver");
    if (rft_run_foreign(b->run)) { /* nothing was compiled */
        const char *foreign = rft_run_foreign_notice(b->run, b->arena);
        return replay ? rft_arena_printf(b->arena, "%s; %s", replay, foreign) : foreign;
    }
    return replay && finished ? rft_arena_printf(b->arena, "%s; %s", replay, finished) : replay ? replay : finished;
}

static void describe(rft_build *b) {
    const rft_run_info *info = &b->run->info;
    rft_doc *doc = b->doc;
    const char *device = b->run->gpu.name ? b->run->gpu.name : "unknown device";
    doc->title = rft_arena_printf(b->arena, "rooftune: %.200s", device);
    doc->subject = rft_arena_printf(b->arena, "Tuned kernels under the measured roofline of one %.200s", device);
    doc->creator = rft_words_tool(b->run, b->arena);
    doc->author = b->opts.author;
    doc->keywords = rft_arena_printf(b->arena, "run %s", info->id ? info->id : "unknown");
    doc->created_unix_ns = info->finished_unix_ns > 0 ? info->finished_unix_ns : info->started_unix_ns;
    const char *version = rft_run_foreign(b->run) ? "" : info->tool_version ? info->tool_version : "unknown";
    doc->footer_left =
        rft_arena_printf(b->arena, "rooftune%s%s   run %s   %s   %s", *version ? " " : "", version,
                         info->id ? info->id : "unknown", device, rft_figure_date(b->arena, info->started_unix_ns));
    doc->footer_extra = page_notice(b);
}

static rft_buyer *buyer_of(const rft_build *b) {
    const rft_report_opts *o = &b->opts;
    const rft_buyer_given given = {.run = b->run,
                                   .parts = o->joined,
                                   .part_count = o->joined_count,
                                   .references = o->references,
                                   .reference_count = o->reference_count,
                                   .shipped_count = o->shipped_count,
                                   .cards = o->cards,
                                   .card_count = o->card_count,
                                   .mixes = o->mixes,
                                   .mix_count = o->mix_count,
                                   .book = o->book,
                                   .linked = o->part != 1};
    return rft_buyer_of(&given, b->arena);
}

static void build_mixes(rft_build *b) {
    rft_print_page(b->doc,
                   rft_finding_mixes(b->opts.book, b->opts.mixes, b->opts.mix_count, b->opts.part != 1, b->arena));
}

static void build_package(rft_build *b) {
    rft_print_page(b->doc, rft_finding_package(b->run, b->opts.mixes, b->opts.mix_count, b->arena));
}

static void build_rooflines(rft_build *b) {
    rft_doc_new_page(b->doc);
    rft_print_page(b->doc, rft_finding_rooflines(b->run, b->arena));
}

static void build_limits(rft_build *b) {
    if (b->opts.limits) {
        rft_doc_new_page(b->doc);
        rft_print_page(b->doc, rft_finding_limits(b->opts.limits, b->arena));
    }
}

static void build_conformance(rft_build *b) {
    if (b->run->sweep_count > RFT_SWEEPS_MANY) { /* pages are scarce */
        rft_doc_new_chapter(b->doc);
    } else {
        rft_doc_new_page(b->doc);
    }
    rft_print_page(b->doc, rft_finding_conformance(b->run, b->arena));
}

/* The document, in its order: a chapter begins a page or goes on where it likes. */
enum { BUYER = 1, ENGINEER = 2, BOTH = BUYER | ENGINEER }; /* of --part */
static const struct {
    void (*build)(rft_build *b);
    int parts; /* that have it */
} chapters[] = {
    {rft_build_cover, BOTH},          {rft_build_card_page, BUYER},  {rft_build_contents, ENGINEER},
    {rft_build_summary, BUYER},       {build_mixes, BUYER},          {build_package, BUYER},
    {rft_build_ceilings, BUYER},      {build_limits, BUYER},         {rft_build_problems, ENGINEER},
    {rft_build_operations, ENGINEER}, {build_rooflines, ENGINEER},   {rft_build_sweeps, ENGINEER},
    {rft_build_method, ENGINEER},     {build_conformance, ENGINEER}, {rft_build_appendix, ENGINEER} /* stays the last */
};

/* A report of so many sweeps has at most so many pages, but with --full. */
#define PAGES_OF_FRAME 12
#define PAGES_OF_SWEEP 2
#define SWEEPS_OF_PAGE 2 /* with --summary */
#define PAGES_MOST 60
#define SWEEPS_ON_PAGE 16 /* in no form are there more: a heading and a line each */

static int pages_most(const rft_build *b) {
    size_t sweeps = b->run->sweep_count;
    size_t pages =
        PAGES_OF_FRAME + (b->opts.summary ? (sweeps + SWEEPS_OF_PAGE - 1) / SWEEPS_OF_PAGE : PAGES_OF_SWEEP * sweeps);
    return (int)(pages < PAGES_MOST ? pages : PAGES_MOST);
}

static void build_chapters(rft_build *b) {
    b->doc = rft_arena_calloc(b->arena, 1, sizeof *b->doc);
    b->doc->arena = b->arena;
    b->told_count = 0;
    b->doc->full = b->detail == RFT_DETAIL_FULL;
    b->doc->tight = b->detail <= RFT_DETAIL_BRIEF && b->run->sweep_count > RFT_SWEEPS_MANY;
    describe(b);
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++) {
        if (b->opts.part == 0 || (chapters[i].parts & b->opts.part)) {
            chapters[i].build(b);
        }
    }
    rft_doc_spell_units(b->doc);
}

static rft_detail first_detail(const rft_build *b) {
    size_t sweeps = b->run->sweep_count;
    return b->opts.full                           ? RFT_DETAIL_FULL
           : sweeps > SWEEPS_ON_PAGE * PAGES_MOST ? RFT_DETAIL_LINES
           : b->opts.summary                      ? RFT_DETAIL_BRIEF
           : sweeps == 1                          ? RFT_DETAIL_TABLES
                                                  : RFT_DETAIL_PAGES;
}

static void free_arena(void *arena) {
    rft_arena_free(arena);
}

rft_doc *rft_doc_build(const rft_run *run, const rft_report_opts *opts, rft_arena *arena) {
    rft_build b = {.run = run,
                   .opts = opts ? *opts : (rft_report_opts)RFT_REPORT_OPTS_INIT,
                   .arena = arena,
                   .shared = arena,
                   .found = rft_transitions_keep(arena)};
    rft_build_entries(&b);
    rft_buyer *buyer = buyer_of(&b);
    b.buyer = buyer;
    buyer->given.rows_most = rft_build_cover_rows(&b);
    b.detail = first_detail(&b);
    b.arena = rft_arena_new();
    build_chapters(&b);
    while (b.detail != RFT_DETAIL_FULL && b.detail != RFT_DETAIL_LINES && b.opts.part != 1 &&
           rft_page_exceeds(b.doc, pages_most(&b))) {
        b.detail--; /* the next shorter form */
        rft_arena_free(b.arena);
        b.arena = rft_arena_new();
        build_chapters(&b);
    }
    rft_arena_on_free(arena, free_arena, b.arena);
    return b.doc;
}
