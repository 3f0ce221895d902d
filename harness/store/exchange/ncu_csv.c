/* SPDX-License-Identifier: Apache-2.0 */
#include "store/exchange/ncu_csv.h"

#include "base/csv.h"
#include "base/str.h"
#include "store/exchange/ncu_number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16384
#define AGAIN "let ncu print it again (--csv), and keep it as it is"

enum { ID, PROCESS, KERNEL, BLOCK, GRID, CC, NAME, UNIT, VALUE, KEYS };
static const char *const keys[KEYS] = {"ID", "Process ID",  "Kernel Name", "Block Size",  "Grid Size",
                                       "CC", "Metric Name", "Metric Unit", "Metric Value"};

/* A value as it stands there. */
typedef struct ncu_cell {
    const char *text, *unit; /* NULL: not in the file */
    size_t line;
} ncu_cell;

typedef struct ncu_reader {
    const char *what;
    const char *const *metrics;
    size_t metric_count;
    rft_arena *arena;
    rft_err *err;
    rft_csv csv;
    size_t columns;     /* of the table that is read */
    size_t at[KEYS];    /* the columns of keys; `columns`: none */
    size_t *column_of;  /* per metric, likewise */
    const char **units; /* per column, of a raw page */
    bool *is_metric;    /* per column, likewise */
    rft_ncu_style style;
    rft_ncu_launch *launches;
    ncu_cell **cells; /* per launch */
    const char *last_id, *last_process;
    size_t count;
} ncu_reader;

static int refuse_at(const ncu_reader *r, size_t line, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int refuse_at(const ncu_reader *r, size_t line, const char *remedy, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_err_setv(r->err, RFT_E_RECORDING, format, args);
    va_end(args);
    if (line) {
        rft_err_place(r->err, "%s: line %zu", r->what, line);
    } else {
        rft_err_place(r->err, "%s", r->what);
    }
    rft_err_remedy(r->err, "%s", remedy);
    return RFT_E_RECORDING;
}

/* ---- what stands around the table ---- */

static const char *line_end(const char *at, const char *end) {
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

static const char *find_in_line(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    for (; (size_t)(end - at) >= length; at++) {
        if (memcmp(at, word, length) == 0) {
            return at;
        }
    }
    return NULL;
}

static bool begins(const char *at, const char *end, const char *word) {
    return (size_t)(end - at) >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* "Version 2025.3.0.0 (build 36273991)", as `ncu --version` says. */
static const char *version_in(const char *at, const char *end, rft_arena *arena) {
    static const char word[] = "Version ";
    size_t length = 0;
    if (!begins(at, end, word)) {
        return NULL;
    }
    at += strlen(word);
    while (at + length < end && length < 32 && (isdigit((unsigned char)at[length]) || at[length] == '.')) {
        length++;
    }
    return length > 0 && isdigit((unsigned char)*at) ? rft_arena_strndup(arena, at, length) : NULL;
}

typedef struct ncu_around {
    const char *table; /* its first line; NULL: there is none */
    size_t line;       /* from 1 */
    const char *version, *error;
} ncu_around;

static ncu_around look_around(const char *text, const char *end, rft_arena *arena) {
    ncu_around found = {.line = 1};
    const char *at = text + (begins(text, end, "\xEF\xBB\xBF") ? 3 : 0);
    bool is_ncu = false;
    for (; at < end && !found.table; found.line++) {
        const char *stop = line_end(at, end);
        is_ncu = is_ncu || find_in_line(at, stop, "Nsight Compute");
        found.version = is_ncu && !found.version ? version_in(at, stop, arena) : found.version;
        if (!found.error && begins(at, stop, "==ERROR== ")) {
            found.error = rft_arena_strndup(arena, at + 10, (size_t)(stop - at) - 10);
        }
        if ((begins(at, stop, "\"ID\",") || begins(at, stop, "ID,")) && find_in_line(at, stop, keys[KERNEL])) {
            found.table = at;
            break;
        }
        at = stop < end ? stop + 1 : end;
    }
    return found;
}

static int no_table(const ncu_reader *r, const ncu_around *around) {
    if (around->error) {
        return refuse_at(r, 0, "where that is ERR_NVGPUCTRPERM the host refuses counters to ncu as well: use another",
                         "Nsight Compute counted nothing: %.300s", around->error);
    }
    return refuse_at(r, 0, "`rooftune point ... --ncu` prints the command line whose output is read",
                     "there is no table of Nsight Compute in it: no line begins with \"ID\" and names \"Kernel Name\"");
}

/* ---- the table's head ---- */

static bool is_raw(const ncu_reader *r) {
    return r->at[NAME] == r->columns;
}

static int read_head(ncu_reader *r) {
    r->columns = r->csv.count;
    r->last_id = NULL;
    if (r->columns > COLUMNS_MAX) {
        return refuse_at(r, r->csv.line, AGAIN, "more than %d columns", COLUMNS_MAX);
    }
    for (int k = 0; k < KEYS; k++) {
        r->at[k] = rft_csv_find(&r->csv, keys[k]);
    }
    static const int needed[] = {KERNEL, BLOCK, GRID};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (r->at[needed[i]] == r->columns) {
            return refuse_at(r, r->csv.line, "use Nsight Compute 2021.2 or newer",
                             "no column \"%s\": which launch a line is of cannot be told", keys[needed[i]]);
        }
    }
    if (!is_raw(r) && (r->at[UNIT] == r->columns || r->at[VALUE] == r->columns)) {
        return refuse_at(r, r->csv.line, "print each launch: leave out --print-summary",
                         "no columns \"Metric Unit\" and \"Metric Value\"");
    }
    r->is_metric = rft_arena_calloc(r->arena, r->columns, sizeof *r->is_metric);
    r->units = rft_arena_calloc(r->arena, r->columns, sizeof *r->units);
    for (size_t i = 0; i < r->columns; i++) {
        r->is_metric[i] = is_raw(r) ? strstr(r->csv.cells[i].text, "__") != NULL : i == r->at[VALUE];
    }
    for (size_t m = 0; m < r->metric_count; m++) {
        r->column_of[m] = rft_csv_find(&r->csv, r->metrics[m]);
    }
    return RFT_OK;
}

static int read_units(ncu_reader *r) {
    if (!rft_csv_next(&r->csv)) {
        return RFT_OK; /* told where the table ends */
    }
    if (r->csv.count != r->columns || *r->csv.cells[r->at[ID]].text) {
        return refuse_at(r, r->csv.line, AGAIN, "the line of units is missing behind the names of the columns");
    }
    for (size_t i = 0; i < r->columns; i++) {
        r->units[i] = r->csv.cells[i].text;
    }
    return RFT_OK;
}

/* ---- launches ---- */

/* "(256, 1, 1)". */
static bool read_dims(const char *text, int64_t out[3]) {
    size_t found = 0;
    for (const char *at = text; *at;) {
        char *behind = NULL;
        if (!isdigit((unsigned char)*at)) {
            if (!strchr("(), x", *at)) {
                return false;
            }
            at++;
            continue;
        }
        if (found == 3) {
            return false;
        }
        out[found++] = strtoll(at, &behind, 10);
        at = behind;
    }
    return found == 3;
}

static int read_cc(const char *text) {
    char *behind = NULL;
    long major = strtol(text, &behind, 10);
    bool good = behind != text && *behind == '.' && isdigit((unsigned char)behind[1]) && major > 0 && major < 100;
    return good ? (int)major * 10 + (behind[1] - '0') : 0;
}

static const char *cell(const ncu_reader *r, int key) {
    return r->at[key] < r->columns && r->at[key] < r->csv.count ? r->csv.cells[r->at[key]].text : "";
}

static int add_launch(ncu_reader *r) {
    if (r->count == RFT_NCU_LAUNCHES_MAX) {
        return refuse_at(r, r->csv.line, "profile the point's kernel alone: ncu --kernel-name NAME",
                         "more than %d launches", RFT_NCU_LAUNCHES_MAX);
    }
    if ((r->count & (r->count - 1)) == 0) {
        size_t capacity = r->count ? 2 * r->count : 1;
        rft_ncu_launch *launches = rft_arena_calloc(r->arena, capacity, sizeof *launches);
        ncu_cell **cells = rft_arena_calloc(r->arena, capacity, sizeof *cells);
        if (r->count) {
            memcpy(launches, r->launches, r->count * sizeof *launches);
            memcpy(cells, r->cells, r->count * sizeof *cells);
        }
        r->launches = launches;
        r->cells = cells;
    }
    rft_ncu_launch launch = {.kernel = cell(r, KERNEL), .cc = read_cc(cell(r, CC)), .line = r->csv.line};
    if (!read_dims(cell(r, GRID), launch.grid) || !read_dims(cell(r, BLOCK), launch.block)) {
        return refuse_at(r, r->csv.line, AGAIN, "grid and block are no (x, y, z): \"%.60s\", \"%.60s\"", cell(r, GRID),
                         cell(r, BLOCK));
    }
    r->launches[r->count] = launch;
    r->cells[r->count++] = rft_arena_calloc(r->arena, r->metric_count + 1, sizeof(ncu_cell));
    return RFT_OK;
}

static bool is_same_launch(const ncu_reader *r) {
    return r->last_id && strcmp(r->last_id, cell(r, ID)) == 0 && strcmp(r->last_process, cell(r, PROCESS)) == 0;
}

static void keep(ncu_reader *r, size_t metric, const char *text, const char *unit) {
    ncu_cell *kept = &r->cells[r->count - 1][metric];
    if (!kept->text) {
        *kept = (ncu_cell){text, unit, r->csv.line};
    }
}

static int read_row(ncu_reader *r) {
    bool raw = is_raw(r);
    int rc = raw || !is_same_launch(r) ? add_launch(r) : RFT_OK;
    if (rc != RFT_OK) {
        return rc;
    }
    r->last_id = cell(r, ID);
    r->last_process = cell(r, PROCESS);
    for (size_t i = 0; i < r->csv.count; i++) {
        if (r->is_metric[i]) {
            rft_ncu_style_look(&r->style, r->csv.cells[i].text);
        }
    }
    for (size_t m = 0; m < r->metric_count; m++) {
        if (raw && r->column_of[m] < r->columns) {
            keep(r, m, r->csv.cells[r->column_of[m]].text, r->units[r->column_of[m]]);
        } else if (!raw && strcmp(cell(r, NAME), r->metrics[m]) == 0) {
            keep(r, m, cell(r, VALUE), cell(r, UNIT));
        }
    }
    return RFT_OK;
}

/* A line of the details page may end behind its value: the columns of rules are left out. */
static bool is_whole(const ncu_reader *r) {
    return r->csv.count == r->columns || (!is_raw(r) && r->csv.count < r->columns && r->csv.count > r->at[VALUE]);
}

/* Tables, one behind the other; "==PROF== ..." between lines. */
static int read_tables(ncu_reader *r) {
    int rc = RFT_OK;
    while (rc == RFT_OK && rft_csv_next(&r->csv)) {
        const char *first = r->csv.cells[0].text;
        if (rft_text_starts(first, "==")) {
            continue;
        }
        if (strcmp(first, keys[ID]) == 0) {
            rc = read_head(r);
            rc = rc == RFT_OK && is_raw(r) ? read_units(r) : rc;
        } else if (!is_whole(r)) {
            rc = refuse_at(r, r->csv.line, AGAIN, "the file is damaged: %zu cells for %zu columns", r->csv.count,
                           r->columns);
        } else {
            rc = read_row(r);
        }
    }
    if (rc == RFT_OK && r->csv.fault) {
        rc = refuse_at(r, r->csv.line, AGAIN, "the file is damaged: %s", r->csv.fault);
    }
    if (rc == RFT_OK && r->count == 0) {
        rc = refuse_at(r, r->csv.line, "`rooftune point ... --ncu` prints the command line whose output is read",
                       "the table is empty: no launch was profiled");
    }
    return rc;
}

/* ---- values, once the whole file has shown how it writes numbers ---- */

static int read_value(const ncu_reader *r, const ncu_cell *from, const char *metric, rft_ncu_value *out) {
    double factor = 1, value = 0;
    *out = (rft_ncu_value){NAN, metric};
    rft_ncu_reading reading = rft_ncu_number(from->text, &r->style, &value);
    if (reading == RFT_NCU_NOTHING) {
        return RFT_OK;
    }
    if (reading == RFT_NCU_DAMAGED) {
        return refuse_at(r, from->line, AGAIN, "%s is no number: \"%.60s\"", metric, from->text);
    }
    const char *known = rft_ncu_scale(metric, from->unit, &factor);
    if (known) {
        return refuse_at(r, from->line, "let ncu print it again with --print-units base",
                         "%s has the unit \"%.60s\"; known for it: %s", metric, from->unit, known);
    }
    out->value = value * factor;
    return RFT_OK;
}

static int read_values(ncu_reader *r) {
    if (r->style.contradictory) {
        return refuse_at(r, 0, "let ncu print it again under LC_ALL=C",
                         "some numbers have a decimal point, others a decimal comma: which is meant is not clear");
    }
    for (size_t i = 0; i < r->count; i++) {
        rft_ncu_value *values = rft_arena_calloc(r->arena, r->metric_count + 1, sizeof *values);
        for (size_t m = 0; m < r->metric_count; m++) {
            values[m] = (rft_ncu_value){NAN, NULL};
            int rc = r->cells[i][m].text ? read_value(r, &r->cells[i][m], r->metrics[m], &values[m]) : RFT_OK;
            if (rc != RFT_OK) {
                return rc;
            }
        }
        r->launches[i].values = values;
    }
    return RFT_OK;
}

int rft_ncu_read(rft_ncu_file *out, const char *text, size_t size, const char *what, const char *const *metrics,
                 size_t metric_count, rft_arena *arena, rft_err *err) {
    rft_err ignored = RFT_ERR_INIT;
    ncu_reader r = {.what = what, .metrics = metrics, .metric_count = metric_count, .arena = arena};
    r.err = err ? err : &ignored;
    r.column_of = rft_arena_calloc(arena, metric_count + 1, sizeof *r.column_of);
    ncu_around around = look_around(text, text + size, arena);
    if (!around.table) {
        return no_table(&r, &around);
    }
    rft_csv_cell *cells = rft_arena_calloc(arena, COLUMNS_MAX, sizeof *cells);
    r.csv = rft_csv_of_copy(arena, around.table, size - (size_t)(around.table - text), cells, COLUMNS_MAX);
    r.csv.passed = around.line - 1;
    int rc = read_tables(&r);
    rc = rc ? rc : read_values(&r);
    *out = (rft_ncu_file){around.version, r.launches, r.count};
    return rc;
}
