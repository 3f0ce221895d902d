/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/fs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* zlib: +16 selects the gzip wrapper */

typedef struct text {
    char *data;
    size_t used, capacity;
} text;

bool rft_fs_is_gzip(const char *path) {
    unsigned char magic[2] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool is = read(fd, magic, 2) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    close(fd);
    return is;
}

static int damaged(rft_err *err, const char *path, const char *how) {
    rft_err_set(err, RFT_E_RECORDING, "%s %s", path, how);
    rft_err_remedy(err, "copy or download the file again, and try `gzip -t` on it");
    return RFT_E_RECORDING;
}

/* Inflates every member (gzip files may be concatenated). */
static int inflate_all(text *out, z_stream *stream, const char *path, size_t max_bytes, rft_err *err) {
    int status = Z_OK;
    for (;;) {
        RFT_GROW(out->data, out->capacity, out->used + 4096);
        size_t room = out->capacity - out->used - 1;
        stream->next_out = (unsigned char *)out->data + out->used;
        stream->avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
        uInt offered = stream->avail_out;
        status = inflate(stream, Z_NO_FLUSH);
        out->used += offered - stream->avail_out;
        if (out->used > max_bytes) {
            return rft_err_set(err, RFT_E_LIMIT, "%s inflates to more than the %zu bytes that are read at most", path,
                               max_bytes);
        }
        if (status == Z_STREAM_END) {
            if (stream->avail_in == 0) {
                return 0;
            }
            if (inflateReset(stream) != Z_OK) {
                return rft_err_set(err, RFT_E_INTERNAL, "zlib cannot start again");
            }
        } else if (status == Z_BUF_ERROR || (status == Z_OK && stream->avail_in == 0 && stream->avail_out != 0)) {
            return damaged(err, path, "ends in the middle: it is truncated");
        } else if (status != Z_OK) {
            return damaged(err, path, "is damaged: it does not inflate");
        }
    }
}

int rft_fs_read_gzip(char **out, size_t *size, const char *path, size_t max_bytes, rft_err *err) {
    char *packed = NULL;
    size_t packed_size = 0;
    text inflated = {0};
    z_stream stream = {0};
    *out = NULL;
    *size = 0;
    max_bytes = max_bytes ? max_bytes : (size_t)1 << 30;
    size_t most = max_bytes + max_bytes / 8; /* what does not pack grows a little */
    int code = rft_fs_read(&packed, &packed_size, path, most < UINT_MAX ? most : UINT_MAX, err);
    if (code) {
        return code;
    }
    if (packed_size < 2 || (unsigned char)packed[0] != 0x1f || (unsigned char)packed[1] != 0x8b) {
        code = damaged(err, path, packed_size ? "is not a gzip file" : "is empty");
        goto done;
    }
    if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK) {
        code = rft_err_set(err, RFT_E_INTERNAL, "zlib cannot start");
        goto done;
    }
    stream.next_in = (unsigned char *)packed;
    stream.avail_in = (uInt)packed_size;
    code = inflate_all(&inflated, &stream, path, max_bytes, err);
    inflateEnd(&stream);
    if (!code) {
        inflated.data[inflated.used] = '\0';
        *out = inflated.data;
        *size = inflated.used;
        inflated.data = NULL;
    }
done:
    free(inflated.data);
    free(packed);
    return code;
}

int rft_fs_write_gzip(const char *path, const void *data, size_t size, rft_err *err) {
    z_stream stream = {0};
    if (size > UINT_MAX / 2) {
        return rft_err_set(err, RFT_E_LIMIT, "cannot write %s: more than 2 GiB", path);
    }
    if (deflateInit2(&stream, 9, Z_DEFLATED, GZIP_WINDOW_BITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return rft_err_set(err, RFT_E_INTERNAL, "zlib cannot start");
    }
    uLong bound = deflateBound(&stream, (uLong)size);
    unsigned char *packed = rft_alloc(bound);
    stream.next_in = (unsigned char *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)bound;
    int status = deflate(&stream, Z_FINISH);
    size_t packed_size = stream.total_out;
    deflateEnd(&stream);
    int code = status == Z_STREAM_END ? rft_fs_write_atomic(path, packed, packed_size, err)
                                      : rft_err_set(err, RFT_E_INTERNAL, "zlib cannot deflate %s", path);
    free(packed);
    return code;
}
