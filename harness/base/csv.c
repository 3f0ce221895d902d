/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"

#include <string.h>

#define MARK "\xEF\xBB\xBF" /* of UTF-8, which spreadsheets write in front */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool ends_cell(const rft_csv *csv) {
    return csv->at == csv->end || *csv->at == ',' || *csv->at == '\n' || *csv->at == '\r';
}

static void pass_blanks(rft_csv *csv) {
    while (csv->at < csv->end && is_blank(*csv->at)) {
        csv->at++;
    }
}

/* One byte of a cell, where it belongs. */
static char *keep(rft_csv *csv, char *to) {
    char c = *csv->at++;
    csv->passed += c == '\n' ? 1 : 0;
    *to = c ? c : '?';
    return to + 1;
}

/* From behind the opening quote to the cell's end; returns where its text ends. */
static char *read_quoted(rft_csv *csv, char *to) {
    for (; csv->at < csv->end && !(csv->one_line && *csv->at == '\n'); to = keep(csv, to)) {
        if (*csv->at != '"') {
            continue;
        }
        csv->at++;
        if (csv->at == csv->end || *csv->at != '"') {
            pass_blanks(csv);
            csv->fault = ends_cell(csv) ? NULL : RFT_CSV_BEHIND;
            return to;
        }
    }
    csv->fault = RFT_CSV_OPEN;
    return to;
}

static char *read_plain(rft_csv *csv, char *to) {
    char *begin = to;
    while (!ends_cell(csv)) {
        to = keep(csv, to);
    }
    while (to > begin && is_blank(to[-1])) {
        to--;
    }
    return to;
}

/* False: it was the last of its record, or is at fault. */
static bool read_cell(rft_csv *csv) {
    pass_blanks(csv);
    bool quoted = csv->at < csv->end && *csv->at == '"';
    csv->at += quoted ? 1 : 0;
    rft_csv_cell cell = {.text = csv->at, .quoted = quoted};
    char *end = quoted ? read_quoted(csv, csv->at) : read_plain(csv, csv->at);
    bool more = !csv->fault && csv->at < csv->end && *csv->at == ',';
    if (!csv->fault && csv->at < csv->end) { /* the delimiter, before the cell's end takes its place */
        bool pair = csv->at[0] == '\r' && csv->at + 1 < csv->end && csv->at[1] == '\n';
        csv->at += pair ? 2 : 1;
        csv->passed += more ? 0 : 1;
    }
    *end = '\0';
    if (csv->count < csv->most) {
        csv->cells[csv->count] = cell;
    }
    csv->count++;
    return more;
}

rft_csv rft_csv_of(char *text, size_t size, rft_csv_cell *cells, size_t most) {
    bool marked = size >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) == 0;
    return (rft_csv){.at = text + (marked ? strlen(MARK) : 0), .end = text + size, .cells = cells, .most = most};
}

rft_csv rft_csv_of_copy(rft_arena *arena, const char *text, size_t size, rft_csv_cell *cells, size_t most) {
    char *copy = rft_arena_alloc(arena, size + 1);
    if (size) {
        memcpy(copy, text, size);
    }
    copy[size] = '\0';
    return rft_csv_of(copy, size, cells, most);
}

/* To the next line that holds something. */
static void pass_blank_lines(rft_csv *csv) {
    for (char *c = csv->at; c < csv->end && (is_blank(*c) || *c == '\n' || *c == '\r'); c++) {
        bool ends = *c == '\n' || (*c == '\r' && (c + 1 == csv->end || c[1] != '\n'));
        csv->passed += ends ? 1 : 0;
        csv->at = ends || c + 1 == csv->end ? c + 1 : csv->at;
    }
}

bool rft_csv_next(rft_csv *csv) {
    pass_blank_lines(csv);
    csv->line = csv->passed + 1;
    csv->count = 0;
    if (csv->fault || csv->at == csv->end) {
        return false;
    }
    while (read_cell(csv)) {
    }
    return !csv->fault;
}

size_t rft_csv_find(const rft_csv *csv, const char *name) {
    size_t kept = csv->count < csv->most ? csv->count : csv->most;
    for (size_t i = 0; i < kept; i++) {
        if (strcmp(csv->cells[i].text, name) == 0) {
            return i;
        }
    }
    return csv->count;
}
