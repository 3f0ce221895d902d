/* SPDX-License-Identifier: Apache-2.0 */
/* finding_acceptance.c - limits, and cards held to them (accept_findings.h). */
#include "base/str.h"
#include "reports/figures.h"
#include "reports/findings/accept_findings.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define ALL_ON_PAGE 24 /* rows of checks; of more only those that are no PASS, and of these: */
#define ON_PAGE 40
#define IN_TEXT 40
#define WITHOUT_BRIEF (RFT_ON_PAGE | RFT_IN_DATA | RFT_IN_CSV) /* a terminal has it in words */

static const char *limit_words(const rft_limit *limit, rft_arena *arena) {
    return rft_arena_printf(arena, "%s %s", limit->at_most ? "at most" : "at least",
                            rft_accept_amount(limit, limit->value, arena));
}

static const char *from_words(const rft_limit *limit, rft_arena *arena) {
    const char *name = rft_limit_from_name(limit->from);
    name = limit->cards ? rft_arena_printf(arena, "%s, %zu cards", name, limit->cards) : name;
    return limit->note ? rft_arena_printf(arena, "%s: %s", name, limit->note) : name;
}

/* As given: "95 %", "0.1 %". */
static const char *whole_percent(double frac, rft_arena *arena) {
    return rft_arena_printf(arena, "%.3g %%", frac * 100.0);
}

static size_t count_from(const rft_limits *limits, rft_limit_from from) {
    size_t count = 0;
    for (size_t i = 0; i < limits->count; i++) {
        count += limits->items[i].from == from;
    }
    return count;
}

/* What each kind of limit is worth. */
static void add_sources(rft_finding *f, const rft_limits *limits) {
    size_t tolerances = count_from(limits, RFT_LIMIT_FROM_TOLERANCE);
    if (tolerances) {
        rft_finding_note(
            f, RFT_TO_PEOPLE,
            "tolerance: at least %s of cards like the reference cards pass all %zu of these limits together, "
            "each known with %s confidence; one-sided, the logarithms taken as normal (ISO 16269-6:2014).",
            whole_percent(limits->share, f->arena), tolerances, whole_percent(limits->confidence, f->arena));
    }
    if (count_from(limits, RFT_LIMIT_FROM_CONTRACT)) {
        rft_finding_note(
            f, RFT_TO_PEOPLE,
            "contract: holds as far as buyer and seller have agreed on it. No statement about other cards: "
            "that takes %u reference cards.",
            RFT_LIMITS_CARDS_LEAST);
    }
    if (count_from(limits, RFT_LIMIT_FROM_DATASHEET)) {
        rft_finding_note(f, RFT_TO_PEOPLE, "datasheet: the maker's own figure, of no measured card.");
    }
}

/* ---- the limits alone ---- */

static void add_limit_rows(rft_finding *f, const rft_limits *limits) {
    enum { FIGURE, LIMIT, READS, SHEET, FROM, FIELDS };
    static const rft_trait fields[FIELDS] = {
        [FIGURE] = {.title = "Figure", .wraps = true},
        [LIMIT] = {.title = "Limit"},
        [READS] = {.title = "This card reads", .align = RFT_ALIGN_RIGHT},
        [SHEET] = {.title = "Datasheet", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
        [FROM] = {.title = "From", .wraps = true},
    };
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    for (size_t i = 0; i < limits->count; i++) {
        const rft_limit *limit = &limits->items[i];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[FIGURE] = rft_datum_text(rft_limit_text(limit, f->arena));
        row->cells[LIMIT] = rft_datum_text(limit_words(limit, f->arena));
        row->cells[READS] = isfinite(limit->reading)
                                ? rft_datum_text(rft_accept_amount(limit, limit->reading, f->arena))
                                : rft_datum_absent();
        row->cells[SHEET] = isfinite(limit->datasheet)
                                ? rft_datum_text(rft_accept_amount(limit, limit->datasheet, f->arena))
                                : rft_datum_absent();
        row->cells[FROM] = rft_datum_text(from_words(limit, f->arena));
    }
}

rft_finding *rft_finding_limits(const rft_limits *limits, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_chapter(f, 1, "Acceptance test", "acceptance");
    rft_finding_body(
        f, RFT_ON_PAGE,
        "What a delivered %s must read. Measure each card with the same sweeps in several processes, then: "
        "rooftune test LIMITS.lua RUN.db...",
        limits->device);
    rft_finding_note(
        f, RFT_ON_PAGE,
        "A card passes or fails a limit by more than its guard band, which measuring leaves open "
        "(JCGM 106:2012), else it is UNDECIDED; anything is decided wrongly with a probability of at most %s.",
        whole_percent(limits->risk, arena));
    add_limit_rows(f, limits);
    add_sources(f, limits);
    if (limits->left_out) {
        rft_finding_note(f, RFT_ON_PAGE,
                         "Left out of the references: %s of other models, slices, replays, cards that "
                         "are not known or other programs.",
                         rft_words_plural(limits->left_out, "run", "runs", arena));
    }
    return f;
}

/* ---- cards ---- */

/* File names: "a.db, b.db". */
static const char *files_of(const rft_accept_card *card, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < card->run_count; i++) {
        const char *slash = strrchr(card->paths[i], '/');
        rft_str_addf(&text, "%s%s", i ? ", " : "", slash ? slash + 1 : card->paths[i]);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void add_cards(rft_finding *f, const rft_acceptance *a) {
    enum { CARD, UUID, DEVICE, VERDICT, PASS, FAIL, OPEN, FILES, PATHS, REASON, FIELDS };
    static const rft_trait fields[FIELDS] = {
        [CARD] = {.title = "Card"},
        [UUID] = {.key = "uuid"},
        [DEVICE] = {.key = "device", .title = "Device", .where = RFT_ON_PAGE | RFT_IN_DATA, .wraps = true},
        [VERDICT] = {.key = "verdict", .title = "Verdict"},
        [PASS] = {.key = "pass", .title = "pass", .align = RFT_ALIGN_RIGHT},
        [FAIL] = {.key = "fail", .title = "fail", .align = RFT_ALIGN_RIGHT},
        [OPEN] = {.key = "undecided", .title = "undecided", .align = RFT_ALIGN_RIGHT},
        [FILES] = {.title = "Runs", .wraps = true},
        [PATHS] = {.key = "files"},
        [REASON] = {.key = "reason"},
    };
    rft_cell_table *table = rft_finding_table(f, "cards", fields, FIELDS);
    table->where = RFT_TO_PEOPLE | RFT_IN_DATA; /* CSV has the limits of every card */
    for (size_t c = 0; c < a->card_count; c++) {
        const rft_accept_card *card = &a->cards[c];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[CARD] = rft_datum_text(rft_accept_card_name(card, f->arena));
        row->cells[UUID] = rft_datum_text(*card->uuid ? card->uuid : NULL);
        row->cells[DEVICE] = rft_datum_text(card->device);
        row->cells[VERDICT] = rft_datum_text(rft_accept_verdict_name(card->verdict));
        row->cells[PASS] = rft_datum_count((int64_t)card->counts[RFT_ACCEPT_PASS]);
        row->cells[FAIL] = rft_datum_count((int64_t)card->counts[RFT_ACCEPT_FAIL]);
        row->cells[OPEN] = rft_datum_count((int64_t)card->counts[RFT_ACCEPT_UNDECIDED]);
        row->cells[FILES] = rft_datum_text(files_of(card, f->arena));
        row->cells[PATHS] = rft_datum_finding(rft_finding_texts(card->paths, card->run_count, f->arena));
        row->cells[REASON] = rft_datum_text(card->reason);
        row->detail = card->reason;
        row->strong = card->verdict == RFT_ACCEPT_FAIL;
    }
}

/* ---- cards x limits ---- */

typedef struct check_rows {
    rft_cell_table *table;
    size_t on_page, in_text, left_out; /* rows so far; of the page's */
    bool all;                          /* also what passes */
    const rft_accept_card *card;       /* of the page's last row */
} check_rows;

enum { CARD, LIMIT, VERDICT, CODE, READS, BOUND, UNIT, MARGIN, GUARD, RISK, FROM, REASON, FIELDS };

static void fill(rft_cell_row *row, const rft_accept_card *card, const rft_limit *limit, const rft_accept_check *check,
                 const char *name, rft_arena *arena) {
    double value = check->reading.value;
    row->cells[CARD] = rft_datum_said(rft_datum_text(*card->uuid ? card->uuid : card->paths[0]), name);
    row->cells[CARD].brief = rft_accept_card_name(card, arena);
    row->cells[LIMIT] = rft_datum_text(rft_limit_text(limit, arena));
    row->cells[VERDICT] = rft_datum_text(rft_accept_verdict_name(check->verdict));
    row->cells[CODE] = rft_datum_text(rft_accept_code_name(check->code));
    row->cells[READS] = isfinite(value)
                            ? rft_datum_said(rft_datum_number(value), rft_accept_amount(limit, value, arena))
                            : rft_datum_absent();
    row->cells[BOUND] = rft_datum_said(rft_datum_number(limit->value), limit_words(limit, arena));
    row->cells[UNIT] = rft_datum_text(rft_limit_unit(limit));
    row->cells[MARGIN] = rft_datum_number(check->margin);
    row->cells[GUARD] = rft_datum_number(check->guard);
    row->cells[RISK] = isfinite(check->risk)
                           ? rft_datum_said(rft_datum_number(check->risk),
                                            check->risk < 1e-6 ? "<1e-6" : rft_figure_small(arena, check->risk, 2))
                           : rft_datum_absent();
    row->cells[FROM] = rft_datum_text(rft_limit_from_name(limit->from));
    row->cells[REASON] = rft_datum_text(check->reason);
}

static void add_check(check_rows *rows, const rft_accept_card *card, const rft_limit *limit,
                      const rft_accept_check *check, rft_arena *arena) {
    rft_cell_row *row = rft_cell_table_row(rows->table);
    bool told = card->reason == NULL && (rows->all || check->verdict != RFT_ACCEPT_PASS);
    bool on_page = told && rows->on_page < ON_PAGE;
    bool in_text = told && check->verdict != RFT_ACCEPT_PASS && rows->in_text < IN_TEXT;
    row->where = RFT_IN_DATA | RFT_IN_CSV | (on_page ? RFT_ON_PAGE : 0) | (in_text ? RFT_IN_TEXT : 0);
    row->strong = check->verdict == RFT_ACCEPT_FAIL;
    bool first = rows->card != card; /* a page names a card once */
    row->rule = on_page && rows->on_page > 0 && first;
    row->detail = check->verdict == RFT_ACCEPT_PASS ? NULL : check->reason;
    rows->card = on_page ? card : rows->card;
    rows->on_page += on_page;
    rows->in_text += in_text;
    rows->left_out += told && !on_page;
    fill(row, card, limit, check, first ? rft_accept_card_name(card, arena) : "", arena);
}

/* Are there any that stand in a list for a terminal? */
static bool open_limits(const rft_acceptance *a) {
    bool any = false;
    for (size_t c = 0; c < a->card_count; c++) {
        any = any || (!a->cards[c].reason && a->cards[c].verdict != RFT_ACCEPT_PASS);
    }
    return any;
}

static void add_checks(rft_finding *f, const rft_acceptance *a) {
    static const rft_trait fields[FIELDS] = {
        [CARD] = {.key = "card", .title = "Card"},
        [LIMIT] = {.key = "limit", .title = "Figure", .wraps = true},
        [VERDICT] = {.key = "verdict", .title = "Verdict"},
        [CODE] = {.key = "code"},
        [READS] = {.key = "value", .title = "Reads", .align = RFT_ALIGN_RIGHT},
        [BOUND] = {.key = "bound", .title = "Limit", .where = WITHOUT_BRIEF},
        [UNIT] = {.key = "unit"},
        [MARGIN] = {.key = "margin_frac",
                    .title = "Better by",
                    .style = RFT_AS_PERCENT,
                    .align = RFT_ALIGN_DECIMAL,
                    .where = WITHOUT_BRIEF},
        [GUARD] = {.key = "guard_frac",
                   .title = "Guard band",
                   .style = RFT_AS_PERCENT,
                   .align = RFT_ALIGN_DECIMAL,
                   .where = WITHOUT_BRIEF},
        [RISK] = {.key = "risk", .title = "Risk", .align = RFT_ALIGN_RIGHT, .where = WITHOUT_BRIEF},
        [FROM] = {.key = "from", .title = "From", .where = WITHOUT_BRIEF},
        [REASON] = {.key = "reason"},
    };
    check_rows rows = {.all = a->card_count * a->limits->count <= ALL_ON_PAGE};
    rft_finding_heading(f, RFT_ON_PAGE, 2, rows.all ? "Limits" : "Limits that are not passed");
    if (open_limits(a)) {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "Limits that are not passed");
    }
    rows.table = rft_finding_table(f, "checks", fields, FIELDS);
    for (size_t c = 0; c < a->card_count; c++) {
        for (size_t i = 0; i < a->limits->count; i++) {
            add_check(&rows, &a->cards[c], &a->limits->items[i], &a->cards[c].checks[i], f->arena);
        }
    }
    if (rows.left_out) {
        rft_finding_note(f, RFT_TO_PEOPLE, "%zu more: --csv and --json have all.", rows.left_out);
    }
}

/* ---- risks ---- */

static const char *risk_words(double risk, rft_arena *arena) {
    return risk < 1e-6 ? "under one in a million"
                       : rft_arena_printf(arena, "at most %s %%", rft_figure_small(arena, fmin(risk, 1.0) * 100.0, 2));
}

static void add_risks(rft_finding *f, const rft_acceptance *a) {
    rft_arena *arena = f->arena;
    const rft_limits *limits = a->limits;
    rft_finding_set(f, "buyers_risk", rft_datum_number(a->buyers_risk));
    rft_finding_set(f, "sellers_risk", rft_datum_number(a->sellers_risk));
    rft_finding_set(f, "risk_each", rft_datum_number(a->each));
    rft_finding_note(f, RFT_TO_PEOPLE,
                     "Guard bands (JCGM 106:2012, 8.3) keep the risk of each of %zu decisions (%zu cards x %zu limits) "
                     "under %s, so that of any under %s.",
                     a->card_count * limits->count, a->card_count, limits->count, rft_figure_small(arena, a->each, 2),
                     whole_percent(limits->risk, arena));
    if (isfinite(a->buyers_risk)) {
        rft_finding_note(f, RFT_TO_PEOPLE,
                         "Buyer's risk, that a limit was passed by a card that misses it: %s over all.",
                         risk_words(a->buyers_risk, arena));
    }
    if (isfinite(a->sellers_risk)) {
        rft_finding_note(f, RFT_TO_PEOPLE,
                         "Seller's risk, that a limit was failed by a card that meets it: %s over all.",
                         risk_words(a->sellers_risk, arena));
    }
    if (a->tolerances) {
        rft_finding_note(
            f, RFT_TO_PEOPLE,
            "Apart from measuring, up to %s of cards like the reference cards miss a tolerance limit: of %s "
            "one or more with a probability of up to %s.",
            whole_percent(1.0 - limits->share, arena), rft_words_plural(a->card_count, "card", "cards", arena),
            rft_figure_percent(arena, 1.0 - pow(limits->share, (double)a->card_count)));
    }
}

rft_finding *rft_finding_acceptance(const rft_acceptance *a, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const rft_limits *limits = a->limits;
    rft_finding_set(f, "verdict", rft_datum_text(rft_accept_verdict_name(a->verdict)));
    rft_finding_set(f, "device", rft_datum_text(limits->device));
    rft_finding_set(f, "name", rft_datum_text(limits->name));
    rft_finding_strong(f, RFT_TO_PEOPLE, rft_arena_printf(arena, "%s.", rft_accept_sentence(a, arena)));
    rft_finding_body(f, RFT_TO_PEOPLE, "%s of %s%s%s%s.", rft_words_plural(limits->count, "limit", "limits", arena),
                     limits->device, limits->name ? " (" : "", limits->name ? limits->name : "",
                     limits->name ? ")" : "");
    add_cards(f, a);
    add_checks(f, a);
    add_sources(f, limits);
    add_risks(f, a);
    return f;
}
