/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plain_stream.h"

#include "base/arena.h"
#include "base/fs_parts.h"
#include "base/plain.h"

#include <errno.h>
#include <stdlib.h>

/* A character, or a carriage return and its newline, may come in two pieces: the first waits for the other. */
typedef struct plain {
    int fd;
    FILE *const *before;
    rft_str waits;
} plain;

/* Bytes at the end that may be the beginning of something. */
static size_t unfinished(const char *text, size_t length) {
    if (length > 0 && text[length - 1] == '\r') {
        return 1;
    }
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        unsigned char c = (unsigned char)text[length - back];
        size_t needs = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        if ((c & 0xc0) != 0x80) {
            return needs > back ? back : 0;
        }
    }
    return 0;
}

static int put_plain(plain *p, size_t length) {
    rft_str out = RFT_STR_INIT;
    rft_plain_add(&out, rft_str_get(&p->waits), length);
    int cause = rft_fs_write_all(p->fd, rft_str_get(&out), out.length);
    rft_str_clear(&out);
    return cause;
}

/* As fopencookie() wants it: 0 is an error. */
static ssize_t plain_write(void *cookie, const char *text, size_t size) {
    plain *p = cookie;
    if (p->before && *p->before) {
        (void)fflush(*p->before); /* what is lost is told when that one is closed */
    }
    rft_str_add_n(&p->waits, text, size);
    size_t keep = unfinished(rft_str_get(&p->waits), p->waits.length), length = p->waits.length - keep;
    int cause = put_plain(p, length);
    rft_str rest = RFT_STR_INIT;
    rft_str_add_n(&rest, rft_str_get(&p->waits) + length, keep);
    rft_str_clear(&p->waits);
    p->waits = rest;
    errno = cause ? cause : errno;
    return cause ? 0 : (ssize_t)size;
}

static int plain_close(void *cookie) {
    plain *p = cookie;
    int cause = put_plain(p, p->waits.length);
    rft_str_clear(&p->waits);
    free(p);
    return cause ? EOF : 0;
}

FILE *rft_plain_stream(int fd, int mode, FILE *const *before) {
    plain *p = rft_alloc(sizeof *p);
    *p = (plain){.fd = fd, .before = before};
    FILE *file = fopencookie(p, "w", (cookie_io_functions_t){.write = plain_write, .close = plain_close});
    if (!file) {
        free(p);
        return NULL;
    }
    setvbuf(file, NULL, mode, BUFSIZ);
    return file;
}
