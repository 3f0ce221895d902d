/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_csv.h"

#include "base/str.h"
#include "script/lua/lua_modules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct shapes_reader {
    lua_State *lua;
    const char *shown; /* as the script names it */
    char *at;          /* what is left; cells are ended and unquoted in place */
    size_t line, column;
    const char *names[RFT_CSV_COLUMNS_MAX];
    size_t name_count;
} shapes_reader;

typedef struct shapes_cell {
    char *text;
    bool quoted, last; /* of its line */
} shapes_cell;

static _Noreturn void fail(const shapes_reader *r, const char *remedy, const char *what) {
    rft_lua_fault(r->lua, RFT_E_SCRIPT, remedy, "csv: %s, line %d, column %d: %s", r->shown, (int)r->line,
                  (int)(r->column ? r->column : 1), what);
}

/* Behind a cell: its comma or the end of its line, which is passed. */
static bool pass_end(shapes_reader *r) {
    bool last = *r->at != ',';
    if (*r->at == '\r' && (r->at[1] == '\n' || r->at[1] == '\0')) {
        *r->at++ = '\0';
    }
    if (*r->at != '\0') {
        *r->at++ = '\0';
    }
    return last;
}

static void read_quoted(shapes_reader *r, shapes_cell *cell) {
    char *to = ++r->at;
    cell->text = to;
    cell->quoted = true;
    while (*r->at && *r->at != '\n' && (*r->at != '"' || r->at[1] == '"')) {
        r->at += *r->at == '"' ? 1 : 0;
        *to++ = *r->at++;
    }
    if (*r->at != '"') {
        fail(r, "a cell that begins with a quote ends with one, on the same line", "the quote is not closed");
    }
    r->at++;
    r->at += strspn(r->at, " \t");
    if (!strchr(",\r\n", *r->at)) { /* the end of the text, too, is found by strchr() */
        fail(r, "write a quote within quotes twice: \"\"", "there is text behind the closing quote");
    }
    cell->last = pass_end(r);
    *to = '\0';
}

static shapes_cell read_cell(shapes_reader *r) {
    shapes_cell cell = {0};
    r->column++;
    r->at += strspn(r->at, " \t");
    if (*r->at == '"') {
        read_quoted(r, &cell);
        return cell;
    }
    cell.text = r->at;
    r->at += strcspn(r->at, ",\n");
    char *end = r->at;
    cell.last = pass_end(r);
    while (end > cell.text && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    return cell;
}

static void read_name(shapes_reader *r, const shapes_cell *cell) {
    bool good = isalpha((unsigned char)cell->text[0]) || cell->text[0] == '_';
    for (const char *c = cell->text; *c; c++) {
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    }
    if (!good) {
        fail(r, "the first line names the dimensions: m,n,k", "this is not a dimension's name");
    }
    for (size_t i = 0; i < r->name_count; i++) {
        if (strcmp(r->names[i], cell->text) == 0) {
            fail(r, NULL, "the name is there twice");
        }
    }
    if (r->name_count == RFT_CSV_COLUMNS_MAX) {
        fail(r, "64 columns at most", "too many columns");
    }
    r->names[r->name_count++] = cell->text;
}

static void push_cell(const shapes_reader *r, const shapes_cell *cell) {
    int64_t integer = 0;
    double real = 0;
    bool truth = strcmp(cell->text, "true") == 0;
    if (*cell->text == '\0') {
        fail(r, "give each dimension a value", "the cell is empty");
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

/* Goes to the next line that holds something; false at the end. */
static bool next_line(shapes_reader *r) {
    for (;;) {
        size_t blank = strspn(r->at, " \t\r");
        r->line++;
        r->column = 0;
        if (r->at[blank] != '\n') {
            return r->at[blank] != '\0';
        }
        r->at += blank + 1;
    }
}

static void read_row(shapes_reader *r) {
    lua_createtable(r->lua, 0, (int)r->name_count);
    for (shapes_cell cell = {0}; !cell.last;) {
        cell = read_cell(r);
        if (cell.last != (r->column == r->name_count)) {
            fail(r, "give each name one cell; a text with a comma wants quotes",
                 cell.last ? "the line has fewer cells than the first has names"
                           : "the line has more cells than the first has names");
        }
        push_cell(r, &cell);
        lua_setfield(r->lua, -2, r->names[r->column - 1]);
    }
}

/* Leaves the list on the stack. */
static void read_lines(shapes_reader *r) {
    lua_Integer rows = 0;
    if (!next_line(r)) {
        fail(r, "the first line names the dimensions: m,n,k", "the file is empty");
    }
    for (shapes_cell cell = {0}; !cell.last;) {
        cell = read_cell(r);
        read_name(r, &cell);
    }
    lua_newtable(r->lua);
    while (next_line(r)) {
        if (rows == RFT_CSV_ROWS_MAX) {
            fail(r, "4096 lines of values at most", "too many lines");
        }
        read_row(r);
        lua_rawseti(r->lua, -2, ++rows);
    }
    if (rows == 0) {
        fail(r, "each line behind the names is a problem", "there are names and no values");
    }
}

int rft_csv_read(lua_State *lua) {
    shapes_reader r = {.lua = lua};
    r.at = rft_modules_data(lua, "csv", &r.shown);
    r.at += strncmp(r.at, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    read_lines(&r);
    return 1;
}
