/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_csv.h"

#include "base/csv.h"
#include "base/str.h"
#include "script/lua/lua_modules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct shapes_reader {
    lua_State *lua;
    const char *shown; /* as the script names it */
    rft_csv csv;
    rft_csv_cell cells[RFT_CSV_COLUMNS_MAX];
    const char *names[RFT_CSV_COLUMNS_MAX];
    size_t name_count;
} shapes_reader;

/* `column` from 1. */
static _Noreturn void fail(const shapes_reader *r, size_t column, const char *remedy, const char *what) {
    rft_lua_fault(r->lua, RFT_E_SCRIPT, remedy, "csv: %s, line %d, column %d: %s", r->shown, (int)r->csv.line,
                  (int)column, what);
}

static bool next_line(shapes_reader *r) {
    if (rft_csv_next(&r->csv)) {
        return true;
    }
    if (r->csv.fault) {
        bool open = strcmp(r->csv.fault, RFT_CSV_OPEN) == 0;
        fail(r, r->csv.count,
             open ? "a cell that begins with a quote ends with one, on the same line"
                  : "write a quote within quotes twice: \"\"",
             r->csv.fault);
    }
    return false;
}

static void read_name(shapes_reader *r, const char *name) {
    bool good = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c; c++) {
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    }
    if (!good) {
        fail(r, r->name_count + 1, "the first line names the dimensions: m,n,k", "this is not a dimension's name");
    }
    for (size_t i = 0; i < r->name_count; i++) {
        if (strcmp(r->names[i], name) == 0) {
            fail(r, r->name_count + 1, NULL, "the name is there twice");
        }
    }
    r->names[r->name_count++] = name;
}

static void read_names(shapes_reader *r) {
    if (!next_line(r)) {
        fail(r, 1, "the first line names the dimensions: m,n,k", "the file is empty");
    }
    if (r->csv.count > RFT_CSV_COLUMNS_MAX) {
        fail(r, RFT_CSV_COLUMNS_MAX + 1, "64 columns at most", "too many columns");
    }
    for (size_t i = 0; i < r->csv.count; i++) {
        read_name(r, r->cells[i].text);
    }
}

static void push_cell(const shapes_reader *r, size_t column) {
    const rft_csv_cell *cell = &r->cells[column - 1];
    int64_t integer = 0;
    double real = 0;
    bool truth = strcmp(cell->text, "true") == 0;
    if (*cell->text == '\0') {
        fail(r, column, "give each dimension a value", "the cell is empty");
    }
    if (!cell->quoted && rft_text_to_int64(cell->text, &integer)) {
        lua_pushinteger(r->lua, integer);
    } else if (!cell->quoted && rft_text_to_double(cell->text, &real)) {
        lua_pushnumber(r->lua, real);
    } else if (!cell->quoted && (truth || strcmp(cell->text, "false") == 0)) {
        lua_pushboolean(r->lua, truth);
    } else {
        lua_pushstring(r->lua, cell->text);
    }
}

static void read_row(shapes_reader *r) {
    if (r->csv.count != r->name_count) {
        bool fewer = r->csv.count < r->name_count;
        fail(r, fewer ? r->csv.count : r->name_count, "give each name one cell; a text with a comma wants quotes",
             fewer ? "the line has fewer cells than the first has names"
                   : "the line has more cells than the first has names");
    }
    lua_createtable(r->lua, 0, (int)r->name_count);
    for (size_t i = 0; i < r->name_count; i++) {
        push_cell(r, i + 1);
        lua_setfield(r->lua, -2, r->names[i]);
    }
}

int rft_csv_read(lua_State *lua) {
    shapes_reader r = {.lua = lua};
    lua_Integer rows = 0;
    char *text = rft_modules_data(lua, "csv", &r.shown);
    r.csv = rft_csv_of(text, strlen(text), r.cells, RFT_CSV_COLUMNS_MAX);
    r.csv.one_line = true;
    read_names(&r);
    lua_newtable(lua);
    while (next_line(&r)) {
        if (rows == RFT_CSV_ROWS_MAX) {
            fail(&r, 1, "4096 lines of values at most", "too many lines");
        }
        read_row(&r);
        lua_rawseti(lua, -2, ++rows);
    }
    if (rows == 0) {
        fail(&r, 1, "each line behind the names is a problem", "there are names and no values");
    }
    return 1;
}
