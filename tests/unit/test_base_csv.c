/* SPDX-License-Identifier: Apache-2.0 */
/* Records of comma-separated values: cells as they are meant, and what is no CSV has its line and cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/csv.h"
#include "base/str.h"

#include <string.h>

#define ROOM 4

/* "line: cell|cell" of each record, ';' between; "line,cell! fault" at the end. */
static const char *read_all(const char *text, size_t size, bool one_line, rft_arena *arena) {
    rft_csv_cell cells[ROOM];
    rft_str out = RFT_STR_INIT;
    rft_csv csv = rft_csv_of_copy(arena, text, size, cells, ROOM);
    csv.one_line = one_line;
    while (rft_csv_next(&csv)) {
        rft_str_addf(&out, "%s%zu:", out.length ? ";" : "", csv.line);
        for (size_t i = 0; i < csv.count && i < ROOM; i++) {
            rft_str_addf(&out, "%s%s%s", i ? "|" : " ", cells[i].quoted ? "'" : "", cells[i].text);
        }
        if (csv.count > ROOM) {
            rft_str_addf(&out, " +%zu", csv.count - ROOM);
        }
    }
    if (csv.fault) {
        rft_str_addf(&out, "%s%zu,%zu! %s", out.length ? ";" : "", csv.line, csv.count, csv.fault);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

static void cells_are_what_is_meant(void **state) {
    static const struct {
        const char *text, *want;
        bool one_line;
    } rows[] = {
        {"a,b\n1,2\n", "1: a|b;2: 1|2", false},
        {"a,b\r\n\r\n 1 ,\t2 \r\n", "1: a|b;3: 1|2", false},
        {"\xEF\xBB\xBF\"a\"", "1: 'a", false},
        {"\"1,205.00\",\"say \"\"x\"\"\" ,", "1: '1,205.00|'say \"x\"|", false},
        {"a,\"two\nlines\"\nb", "1: a|'two\nlines;3: b", false},
        {"1,2,3,4,5,6\n7", "1: 1|2|3|4 +2;2: 7", false},
        {"a\rb", "1: a;2: b", false},
        {"", "", false},
        {" \n\t\n", "", false},
        {"a\nb,\"open\n1\n", "1: a;2,2! " RFT_CSV_OPEN, false},
        {"b,\"open\n1\"\n", "1,2! " RFT_CSV_OPEN, true},
        {"\"4\"5,1\n", "1,1! " RFT_CSV_BEHIND, false},
        {"5\"4\",1", "1: 5\"4\"|1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_arena *arena = rft_arena_new();
        assert_string_equal(read_all(rows[i].text, strlen(rows[i].text), rows[i].one_line, arena), rows[i].want);
        rft_arena_free(arena);
    }
    rft_arena *arena = rft_arena_new();
    assert_string_equal(read_all("a\0b,c", 5, false, arena), "1: a?b|c");
    rft_arena_free(arena);
    (void)state;
}

static void a_cell_is_found_by_its_text(void **state) {
    char text[] = "id,name,value\n";
    rft_csv_cell cells[2];
    rft_csv csv = rft_csv_of(text, strlen(text), cells, 2);
    assert_true(rft_csv_next(&csv));
    assert_int_equal(rft_csv_find(&csv, "name"), 1);
    assert_int_equal(rft_csv_find(&csv, "value"), 3); /* not kept */
    assert_int_equal(rft_csv_find(&csv, "nam"), 3);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_what_is_meant),
        cmocka_unit_test(a_cell_is_found_by_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
