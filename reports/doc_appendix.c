/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include "base/fs.h"
#include "base/str.h"
#include "model/stats/interval_text.h"

#include <math.h>
#include <string.h>

static const char *or_unknown(const char *text) {
    return text && *text ? text : "not known";
}

#define SHORT_BYTES 40 /* of key and value together: two of them have room in a row */

static bool is_short(const rft_env_item *item) {
    return item->key && item->value && strlen(item->key) + strlen(item->value) <= SHORT_BYTES;
}

static const char *env_value(const rft_build *b, const rft_env_item *item) {
    return item->value ? item->value
                       : rft_arena_printf(b->arena, "n/a: %s", item->reason ? item->reason : "no reason was recorded");
}

static void add_environment(rft_build *b) {
    static const rft_column columns[] = {
        {.title = "Key"}, {.title = "Value", .wraps = true}, {.title = "Key"}, {.title = "Value", .wraps = true}};
    const rft_env *env = &b->run->env;
    rft_doc_heading(b->doc, 2, "Environment", NULL);
    if (env->count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, "No environment was recorded.");
        return;
    }
    /* Short values stand two to a row, column by column; long ones below them. */
    const rft_env_item **items = rft_arena_calloc(b->arena, env->count, sizeof *items);
    size_t shorts = 0, total = 0;
    for (int wanted = 1; wanted >= 0; wanted--) {
        for (size_t i = 0; i < env->count; i++) {
            if (!rft_env_hashed(env->items[i].key) &&
                is_short(&env->items[i]) == (wanted == 1)) { /* hashes stand apart */
                items[total++] = &env->items[i];
                shorts += wanted == 1;
            }
        }
    }
    size_t rows = (shorts + 1) / 2;
    rft_table *table = rft_doc_table(b->doc, columns, 4);
    for (size_t r = 0; r < rows; r++) {
        rft_row *row = rft_doc_row(b->doc, table);
        for (size_t side = 0; side < 2 && r + side * rows < shorts; side++) {
            row->cells[2 * side] = items[r + side * rows]->key;
            row->cells[2 * side + 1] = env_value(b, items[r + side * rows]);
        }
    }
    rft_table *rest = rft_doc_table(b->doc, columns, 2);
    for (size_t i = shorts; i < total; i++) {
        rft_doc_pair(b->doc, rest, items[i]->key, env_value(b, items[i]));
    }
}

static const char *count_or_na(const rft_build *b, int64_t value) {
    return value > 0 ? rft_figure_count(b->arena, (uint64_t)value) : "n/a";
}

static const char *bytes_or_na(const rft_build *b, int64_t value) {
    return value > 0 ? rft_figure_bytes(b->arena, value) : "n/a";
}

static void add_device(rft_build *b) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    const rft_gpu_info *gpu = &b->run->gpu;
    rft_doc_heading(b->doc, 2, "Device", NULL);
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    table->plain = true;
    rft_doc_pair(b->doc, table, "UUID", or_unknown(gpu->uuid));
    rft_doc_pair(b->doc, table, "Compute capability",
                 rft_arena_printf(b->arena, "%d.%d", gpu->cc_major, gpu->cc_minor));
    rft_doc_pair(b->doc, table, "Multiprocessors", count_or_na(b, gpu->sms));
    rft_doc_pair(b->doc, table, "Highest SM clock",
                 gpu->sm_clock_khz > 0 ? rft_arena_printf(b->arena, "%d MHz", gpu->sm_clock_khz / 1000) : "n/a");
    rft_doc_pair(b->doc, table, "Memory", bytes_or_na(b, gpu->memory_bytes));
    rft_doc_pair(b->doc, table, "Memory free", bytes_or_na(b, gpu->memory_free_bytes));
    rft_doc_pair(b->doc, table, "L2", bytes_or_na(b, gpu->l2_bytes));
    rft_doc_pair(b->doc, table, "Shared memory a block", bytes_or_na(b, gpu->shared_per_block));
    rft_doc_pair(b->doc, table, "Shared memory an SM", bytes_or_na(b, gpu->shared_per_sm));
    rft_doc_pair(b->doc, table, "Registers an SM", count_or_na(b, gpu->registers_per_sm));
    rft_doc_pair(b->doc, table, "Threads an SM", count_or_na(b, gpu->max_threads_per_sm));
    rft_doc_fold(b->doc, table);
}

/* "template", "header", "recording", with what they were in a replay. */
static const char *hash_kind(const rft_build *b, const char *key) {
    bool again = rft_text_starts(key, "replay.");
    if (rft_text_equal(key, "replay.recording_sha256")) {
        return "recording that was replayed";
    }
    key += again ? strlen("replay.") : 0;
    if (rft_text_starts(key, "data.")) {
        return "input";
    }
    const char *kind = rft_text_starts(key, "source.") ? "template" : "header";
    return again ? rft_arena_printf(b->arena, "%s, compiled again", kind) : kind;
}

#define HASHES_WHOLE 60 /* more have their first digits alone */
#define HASH_DIGITS 12
#define HASHES_ABREAST 3

/* A file that several templates take, or that is a template and a header, is told once. */
static void add_hash(rft_build *b, rft_table *table, const char *file, const char *kind, const char *hash) {
    for (size_t r = 0; r < table->row_count; r++) {
        const char *const *cells = table->rows[r].cells;
        if (rft_text_equal(cells[0], file) && rft_text_equal(cells[2], hash)) {
            return;
        }
    }
    rft_row *row = rft_doc_row(b->doc, table);
    row->cells[0] = file;
    row->cells[1] = kind;
    row->cells[2] = hash;
}

/* Several to a row, each with its first digits; what it is its name tells. */
static void shorten_hashes(rft_build *b, rft_table *table) {
    rft_column columns[2 * HASHES_ABREAST];
    rft_row *rows = table->rows;
    size_t count = table->row_count, part = (count + HASHES_ABREAST - 1) / HASHES_ABREAST;
    for (size_t c = 0; c < 2 * HASHES_ABREAST; c++) {
        columns[c] = (rft_column){.title = c % 2 ? "SHA-256" : "File"};
    }
    b->doc->block_count--; /* the table is the last one */
    rft_table *to = rft_doc_table(b->doc, columns, 2 * HASHES_ABREAST);
    for (size_t r = 0; r < part; r++) {
        rft_row *row = rft_doc_row(b->doc, to);
        for (size_t side = 0; side < HASHES_ABREAST && side * part + r < count; side++) {
            const char *hash = rows[side * part + r].cells[2];
            row->cells[2 * side] = rft_fs_name(rows[side * part + r].cells[0]);
            row->cells[2 * side + 1] = strlen(hash) > 2 * HASH_DIGITS && !strchr(hash, ' ') /* a reason stays whole */
                                           ? rft_arena_printf(b->arena, "%.*s", HASH_DIGITS, hash)
                                           : hash;
        }
    }
    rft_doc_textf(
        b->doc, RFT_TEXT_NOTE,
        "The first %d of 64 digits; the run's file has them all, as --full has. A script's hash is of all that "
        "it requires; .cu are templates, .cuh headers.",
        HASH_DIGITS);
}

/* Of joined runs a line each. */
static const char *commands_text(const rft_build *b) {
    static const char joint[] = "; rooftune ";
    const char *command = b->run->info.command ? b->run->info.command : "(the command was not recorded)";
    char *lines = rft_arena_strdup(b->arena, command);
    for (char *at = strstr(lines, joint); at; at = strstr(at + 1, joint)) {
        at[0] = '\n';
        memmove(at + 1, at + 2, strlen(at + 2) + 1);
    }
    return lines;
}

static void add_hashes(rft_build *b) {
    static const rft_column columns[] = {
        {.title = "File", .wraps = true}, {.title = "What it is", .wraps = true}, {.title = "SHA-256", .wraps = true}};
    bool templates = false;
    rft_doc_heading(b->doc, 2, "Command and hashes", "hashes");
    rft_doc_text(b->doc, RFT_TEXT_MONO, commands_text(b));
    rft_table *table = rft_doc_table(b->doc, columns, 3);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_sweep *sweep = &b->run->sweeps[s].sweep;
        bool seen = false;
        for (size_t i = 0; i < s && !seen; i++) {
            seen = rft_text_equal(b->run->sweeps[i].sweep.path, sweep->path) &&
                   rft_text_equal(b->run->sweeps[i].sweep.script_hash, sweep->script_hash);
        }
        if (!seen) {
            add_hash(b, table, or_unknown(sweep->path), "script and all it requires", or_unknown(sweep->script_hash));
        }
    }
    for (size_t i = 0; i < b->run->env.count; i++) {
        const rft_env_item *item = &b->run->env.items[i];
        const char *file = rft_env_hashed(item->key);
        if (file) {
            add_hash(b, table, *file ? file : or_unknown(b->run->info.replay_path), hash_kind(b, item->key),
                     item->value ? item->value : rft_arena_printf(b->arena, "n/a: %s", or_unknown(item->reason)));
            templates = true;
        }
    }
    if (table->row_count > HASHES_WHOLE && b->detail != RFT_DETAIL_FULL) {
        shorten_hashes(b, table);
    }
    if (!templates && b->run->sweep_count > 0) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE,
                     "Hashes of templates and headers were not recorded: the run is older than that.");
    }
    rft_doc_text(b->doc, RFT_TEXT_BODY,
                 "The same report, byte for byte, from the run's file or a recording exported from it, with the same "
                 "version of rooftune:");
    rft_doc_textf(b->doc, RFT_TEXT_MONO, "rooftune report RUN.db%s -o REPORT.pdf%s%s%s%s",
                  b->opts.joined_count > 1 ? "..." : "",
                  b->opts.part ? rft_arena_printf(b->arena, " --part %d", b->opts.part) : "",
                  b->opts.full ? " --full" : "", b->opts.summary ? " --summary" : "",
                  b->opts.reference_count > b->opts.shipped_count ? " --reference FILE..." : "");
}

static void add_glossary(rft_build *b) {
    static const char *const words[][2] = {
        {"configuration", "one value for every parameter (tile, vector width, block size ...)"},
        {"problem", "one value for every axis (m, n, stride ...); each problem has its own best configuration"},
        {"point", "one configuration on one problem"},
        {"median, 95 %",
         "median of the samples, and its 95 % interval: \xc2\xb1 half of it, or its ends where its sides differ"},
        {"work", "the operations and bytes anyone must spend on this problem, whatever the configuration"},
        {"traffic", "what a configuration moves and executes besides: counted, modelled or declared"},
        {"useful rate", "work / median time"},
        {"intensity", "operations / bytes of the work"},
        {"ceiling", "the rate of a memory level or pipe measured on this card"},
        {"hardware limit", "what bus and pipe widths allow at their highest clock; nothing may beat it"},
        {"bound",
         "the ceiling that explains at least 80 % (\"mostly\": 60 %) of the time; latency: none does; launch: the "
         "time is under three timer floors; power, thermal, clock: what holds the clock down, of which 90 % is "
         "used"},
        {"ridge", "the intensity at which two ceilings allow the same rate"},
        {"transition", "the place on an axis where the bound changes"},
        {"alias", "a configuration with the same machine code and launch as another one"},
        {"odd problem", "one awkward problem size per sweep, checked for right results and never timed"},
    };
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    rft_doc_heading(b->doc, 2, "Words", NULL);
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    table->plain = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        rft_doc_pair(b->doc, table, words[i][0], words[i][1]);
    }
}

static void add_points(rft_build *b) {
    if (b->run->point_count == 0) {
        return;
    }
    static const rft_column columns[] = {
        {.title = "Id", .align = RFT_ALIGN_RIGHT},     {.title = "Problem", .wraps = true},
        {.title = "Configuration", .wraps = true},     {.title = "Outcome"},
        {.title = "Median", .align = RFT_ALIGN_RIGHT}, {.title = "95 %", .align = RFT_ALIGN_RIGHT}};
    rft_doc_heading(b->doc, 2, "All points", NULL);
    rft_table *table = rft_doc_table(b->doc, columns, 6);
    for (size_t i = 0; i < b->run->point_count; i++) {
        const rft_point *point = &b->run->points[i];
        const rft_measurement *own = rft_point_measurement(point);
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[0] = rft_arena_printf(b->arena, "%lld", (long long)point->id);
        row->cells[1] = rft_words_problem(b->run, point->sweep, point->problem, b->arena);
        row->cells[2] = rft_words_config(b->run, point, b->arena);
        row->cells[3] = point->alias_of ? rft_arena_printf(b->arena, "alias of %lld", (long long)point->alias_of)
                                        : rft_outcome_name(point->outcome);
        if (own) {
            rft_interval_text time = rft_stats_text(&own->stats, 0.0, "s", b->arena);
            row->cells[4] = time.value;
            row->cells[5] = time.interval;
        }
    }
}

/* Where the bulk is. */
static void add_elsewhere(rft_build *b) {
    if (b->detail == RFT_DETAIL_FULL) {
        return;
    }
    rft_doc_heading(b->doc, 2, "What is not on these pages", "elsewhere");
    rft_doc_text(b->doc, RFT_TEXT_BODY,
                 "Every point with its configuration, every problem's best, and every hardware counter are left to "
                 "files: `rooftune report RUN --csv-dir DIR` writes points.csv, best.csv and counters.csv; --full puts "
                 "them on pages.");
}

void rft_build_appendix(rft_build *b) {
    rft_doc_new_chapter(b->doc);
    rft_doc_heading(b->doc, 1, "Appendix", "appendix");
    add_elsewhere(b);
    rft_print_page(b->doc, rft_finding_system(b->run, b->arena));
    add_device(b);
    add_environment(b);
    add_hashes(b);
    add_glossary(b);
    if (b->detail == RFT_DETAIL_FULL) {
        rft_print_page(b->doc, rft_finding_counters_large(b->run, b->arena));
        add_points(b);
    }
}
