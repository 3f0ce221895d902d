/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_lines FILE: holds a file against JSON Lines (one object a line, each line ended) and prints every line flat, as
 * KEY=VALUE separated by blanks, so that a case can grep: event=end exit_code=0 cost.points=3 variants.0=naive
 * Exit status 1 with the line's number where it is something else.
 */
#include "base/fs.h"
#include "base/json.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_flat(rft_str *out, const char *path, const json_t *value) {
    const char *key = NULL;
    json_t *item = NULL;
    size_t index = 0;
    rft_str inner = RFT_STR_INIT;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)(uintptr_t)value, key, item) {
            rft_str_truncate(&inner, 0);
            rft_str_addf(&inner, "%s%s%s", path, *path ? "." : "", key);
            add_flat(out, rft_str_get(&inner), item);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, index, item) {
            rft_str_truncate(&inner, 0);
            rft_str_addf(&inner, "%s.%zu", path, index);
            add_flat(out, rft_str_get(&inner), item);
        }
    } else {
        char *text = json_is_string(value) ? rft_str_take(&inner) : json_dumps(value, JSON_ENCODE_ANY);
        rft_str_addf(out, "%s=%s ", path, json_is_string(value) ? json_string_value(value) : text);
        free(text);
    }
    rft_str_clear(&inner);
}

int main(int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    int number = 0;
    rft_err err = RFT_ERR_INIT;
    if (argc != 2 || rft_fs_read(&text, &size, argv[1], 0, &err) != RFT_OK) {
        fprintf(stderr, "json_lines: %s\n", argc == 2 ? err.message : "one file");
        return 2;
    }
    for (const char *line = text; line < text + size;) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        json_t *object = NULL;
        rft_str flat = RFT_STR_INIT;
        number++;
        if (!end || rft_json_parse(&object, line, (size_t)(end - line), "line", &err) != RFT_OK ||
            !json_is_object(object)) {
            printf("line %d: %s\n", number, !end ? "not ended" : err.code ? err.message : "no object");
            return 1;
        }
        add_flat(&flat, "", object);
        puts(rft_str_get(&flat));
        rft_str_clear(&flat);
        json_decref(object);
        line = end + 1;
    }
    free(text);
    return 0;
}
