/* SPDX-License-Identifier: Apache-2.0 */
/* plain_text FILE...: fails at the first byte that would act on a terminal: control characters but newline, tab and the
 * carriage return of a line's end, DEL, C1 controls and changes of direction as UTF-8, bytes that are no UTF-8. Does
 * not know base/plain.h: it is what that is held against. */
#include <stdio.h>
#include <string.h>

static const char *const hostile[] = {"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                      "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae",
                                      "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};

static int fail(const char *path, size_t at, const unsigned char *text) {
    printf("%s: byte %zu is of no plain text: %02x %02x %02x\n", path, at, text[0], text[1], text[2]);
    return 1;
}

static int check(const char *path, const unsigned char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char c = text[i];
        size_t follow = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        int end_of_line = c == '\r' && text[i + 1] == '\n';
        if ((c < 0x20 && c != '\n' && c != '\t' && !end_of_line) || c == 0x7f || (c == 0xc2 && text[i + 1] < 0xa0)) {
            return fail(path, i, text + i);
        }
        for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
            if (strncmp((const char *)text + i, hostile[k], strlen(hostile[k])) == 0) {
                return fail(path, i, text + i);
            }
        }
        for (size_t k = 1; k <= follow; k++) {
            if ((text[i + k] & 0xc0) != 0x80) {
                return fail(path, i, text + i);
            }
        }
        if ((c & 0xc0) == 0x80) {
            return fail(path, i, text + i);
        }
        i += follow;
    }
    return 0;
}

int main(int argc, char **argv) {
    static unsigned char text[(16 << 20) + 8];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t size = fread(text, 1, sizeof text - 8, file);
        memset(text + size, 0, 8);
        fclose(file);
        if (check(argv[i], text, size)) {
            return 1;
        }
    }
    return 0;
}
