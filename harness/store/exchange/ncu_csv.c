/* SPDX-License-Identifier: Apache-2.0 */
#include "store/exchange/ncu_csv.h"

#include "base/csv.h"
#include "base/str.h"
#include "store/exchange/ncu_around.h"
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

/* Versions before the columns "Block Size" and "Grid Size" have the shape as metrics, where these were counted. */
static const char *const dims[] = {"launch__grid_dim_x",  "launch__grid_dim_y",  "launch__grid_dim_z",
                                   "launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z"};
#define DIMS (sizeof dims / sizeof *dims)

/* A value as it stands there. */
typedef struct ncu_cell {
    const char *text, *unit; /* NULL: not in the file */
    size_t line;
} ncu_cell;

typedef struct ncu_reader {
    const char *what;
    const char *const *metrics; /* the caller's, then dims */
    size_t metric_count;        /* of both */
    rft_arena *arena;
    rft_err *err;
    rft_csv csv;
    size_t columns;     /* of the table that is read */
    size_t at[KEYS];    /* the columns of keys; `columns`: none */
    size_t *column_of;  /* per metric, likewise */
    const char **units; /* per column, of a raw page */
    bool *is_metric;    /* per column, likewise */
    bool *is_whole;     /* per column, likewise: rft_ncu_is_whole() */
    const char *label;  /* of a details page: the first name that is none, but the label of a section ("Duration") */
    bool is_named;      /* one is a name, or stands in a raw page */
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

static int no_table(const ncu_reader *r, const rft_ncu_around *around) {
    if (around->error) {
        return refuse_at(r, 0, "where that is ERR_NVGPUCTRPERM the host refuses counters to ncu as well: use another",
                         "Nsight Compute counted nothing: %.300s", around->error);
    }
    return refuse_at(r, 0, around->remedy, "%s", around->instead);
}

/* ---- the table's head ---- */

static bool is_raw(const ncu_reader *r) {
    return r->at[NAME] == r->columns;
}

/* "dram__bytes_read.sum": its values are numbers. "numa__cpu_affinity" may be a list, "0,2". */
static bool is_counter(const char *name) {
    const char *behind = strstr(name, "__");
    return behind && strchr(behind, '.');
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
    if (r->at[KERNEL] == r->columns) {
        return refuse_at(r, r->csv.line, RFT_NCU_COMMAND, "no column \"%s\": which launch a line is of cannot be told",
                         keys[KERNEL]);
    }
    if (!is_raw(r) && (r->at[UNIT] == r->columns || r->at[VALUE] == r->columns)) {
        return refuse_at(r, r->csv.line, "print each launch: leave out --print-summary",
                         "no columns \"Metric Unit\" and \"Metric Value\"");
    }
    r->is_metric = rft_arena_calloc(r->arena, r->columns, sizeof *r->is_metric);
    r->is_whole = rft_arena_calloc(r->arena, r->columns, sizeof *r->is_whole);
    r->units = rft_arena_calloc(r->arena, r->columns, sizeof *r->units);
    r->is_named = r->is_named || is_raw(r);
    for (size_t i = 0; i < r->columns; i++) {
        r->is_metric[i] = is_raw(r) ? is_counter(r->csv.cells[i].text) : i == r->at[VALUE];
        r->is_whole[i] = is_raw(r) && rft_text_ends(r->csv.cells[i].text, ".sum"); /* until the units are known */
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
        r->is_whole[i] = r->is_whole[i] && rft_ncu_is_whole(".sum", r->units[i]);
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
    r->launches = rft_arena_doubled(r->arena, r->launches, r->count, sizeof *r->launches);
    r->cells = rft_arena_doubled(r->arena, r->cells, r->count, sizeof *r->cells);
    rft_ncu_launch launch = {.kernel = cell(r, KERNEL), .cc = read_cc(cell(r, CC)), .line = r->csv.line};
    bool is_shaped = r->at[GRID] < r->columns && r->at[BLOCK] < r->columns;
    if (is_shaped && (!read_dims(cell(r, GRID), launch.grid) || !read_dims(cell(r, BLOCK), launch.block))) {
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
    r->is_named = r->is_named || strstr(cell(r, NAME), "__");
    r->label = r->label || !*cell(r, NAME) ? r->label : cell(r, NAME);
    for (size_t i = 0; i < r->csv.count; i++) {
        if (r->is_metric[i] && (raw || is_counter(cell(r, NAME)))) {
            bool is_whole = raw ? r->is_whole[i] : rft_ncu_is_whole(cell(r, NAME), cell(r, UNIT));
            rft_ncu_style_look(&r->style, r->csv.cells[i].text, is_whole);
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
        rc = refuse_at(r, r->csv.line, RFT_NCU_COMMAND, "the table is empty: no launch was profiled");
    }
    if (rc == RFT_OK && !r->is_named && r->label) {
        rc = refuse_at(r, 0, "let ncu print it again with --page raw, or with --print-metric-name name",
                       "its metrics have the labels of sections (\"%.60s\"), not names", r->label);
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

/* Of a launch whose line has no columns for it. */
static int take_shape(const ncu_reader *r, rft_ncu_launch *launch, const rft_ncu_value *dim) {
    if (launch->block[2] > 0) {
        return RFT_OK;
    }
    for (size_t i = 0; i < DIMS; i++) {
        if (!(dim[i].value >= 1 && dim[i].value <= INT32_MAX)) {
            return refuse_at(r, launch->line, RFT_NCU_COMMAND,
                             "no columns \"Block Size\" and \"Grid Size\", nor %s: which launch it is cannot be told",
                             dims[i]);
        }
        int64_t *shape = i < 3 ? launch->grid : launch->block;
        shape[i % 3] = (int64_t)dim[i].value;
    }
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
        int rc = take_shape(r, &r->launches[i], values + r->metric_count - DIMS);
        if (rc != RFT_OK) {
            return rc;
        }
    }
    return RFT_OK;
}

int rft_ncu_read(rft_ncu_file *out, const char *text, size_t size, const char *what, const char *const *metrics,
                 size_t metric_count, rft_arena *arena, rft_err *err) {
    rft_err ignored = RFT_ERR_INIT;
    const char **wanted = rft_arena_calloc(arena, metric_count + DIMS, sizeof *wanted);
    for (size_t i = 0; i < metric_count + DIMS; i++) {
        wanted[i] = i < metric_count ? metrics[i] : dims[i - metric_count];
    }
    ncu_reader r = {.what = what, .metrics = wanted, .metric_count = metric_count + DIMS, .arena = arena};
    r.err = err ? err : &ignored;
    r.column_of = rft_arena_calloc(arena, r.metric_count, sizeof *r.column_of);
    const rft_ncu_around around = rft_ncu_look_around(text, size, arena);
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
