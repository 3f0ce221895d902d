/* SPDX-License-Identifier: Apache-2.0 */
/* The header is a Python dict of three keys (NumPy's format.py): read by a small grammar of its own, nothing is run. */
#include "base/npy.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define DIMS_MAX 64 /* NumPy's own limit */
#define PIECE_BYTES ((size_t)1 << 20)
#define SAVE_REMEDY "save it by numpy.save(\"x.npy\", array)"

static int refuse(rft_err *err, const char *remedy, const char *what) {
    rft_err_set(err, RFT_E_SOURCE, "%s", what);
    return rft_err_remedy(err, "%s", remedy);
}

/* ---- the dict ---- */

typedef struct dict_reader {
    const char *at, *end;
    bool has_descr, has_order, has_shape, fortran;
    char descr[16];
    uint64_t count;
    int dims;
} dict_reader;

static void pass_blanks(dict_reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->at++;
    }
}

static bool is_next(dict_reader *r, char wanted) {
    pass_blanks(r);
    return r->at < r->end && *r->at == wanted;
}

static bool take(dict_reader *r, char wanted) {
    bool there = is_next(r, wanted);
    r->at += there ? 1 : 0;
    return there;
}

static bool take_word(dict_reader *r, const char *word) {
    size_t length = strlen(word);
    pass_blanks(r);
    bool there = (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
    r->at += there ? length : 0;
    return there;
}

/* A text without escapes; false: there is none, or it does not fit. */
static bool take_text(dict_reader *r, char *out, size_t size) {
    pass_blanks(r);
    char quote = r->at < r->end ? *r->at : '\0';
    if (quote != '\'' && quote != '"') {
        return false;
    }
    size_t length = 0;
    for (r->at++; r->at < r->end && *r->at != quote; r->at++) {
        if (length + 1 == size || *r->at == '\\' || *r->at < ' ' || *r->at > '~') {
            return false;
        }
        out[length++] = *r->at;
    }
    out[length] = '\0';
    return take(r, quote);
}

static bool take_size(dict_reader *r, uint64_t *out) {
    pass_blanks(r);
    const char *begin = r->at;
    *out = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(*r->at - '0'), out)) {
            return false;
        }
    }
    bool there = r->at > begin;
    (void)take(r, 'L'); /* as Python 2 wrote them */
    return there;
}

/* (), (3,), (3, 4), (3, 4,) */
static const char *take_shape(dict_reader *r) {
    r->count = 1;
    if (!take(r, '(')) {
        return "its shape is no tuple of whole numbers";
    }
    while (!take(r, ')')) {
        uint64_t size = 0;
        if (!take_size(r, &size)) {
            return "its shape is no tuple of whole numbers";
        }
        if (++r->dims > DIMS_MAX || __builtin_mul_overflow(r->count, size, &r->count)) {
            return "its shape is larger than any array";
        }
        if (!take(r, ',') && !is_next(r, ')')) {
            return "its shape is no tuple of whole numbers";
        }
    }
    return NULL;
}

static const char *take_value(dict_reader *r, const char *key) {
    bool *seen = strcmp(key, "descr") == 0           ? &r->has_descr
                 : strcmp(key, "fortran_order") == 0 ? &r->has_order
                 : strcmp(key, "shape") == 0         ? &r->has_shape
                                                     : NULL;
    if (!seen || *seen) {
        return seen ? "its header has a key twice" : "its header has a key that is none of descr, fortran_order, shape";
    }
    *seen = true;
    if (seen == &r->has_shape) {
        return take_shape(r);
    }
    if (seen == &r->has_order) {
        r->fortran = take_word(r, "True");
        return r->fortran || take_word(r, "False") ? NULL : "its fortran_order is neither True nor False";
    }
    if (take(r, '[')) {
        return "its elements are records of several fields, not numbers";
    }
    return take_text(r, r->descr, sizeof r->descr) ? NULL : "its descr is no type of numbers";
}

/* NULL, or what is wrong. */
static const char *take_dict(dict_reader *r) {
    char key[16];
    if (!take(r, '{')) {
        return "its header is no dict";
    }
    while (!take(r, '}')) {
        if (!take_text(r, key, sizeof key) || !take(r, ':')) {
            return "its header is no dict of descr, fortran_order and shape";
        }
        const char *wrong = take_value(r, key);
        if (wrong) {
            return wrong;
        }
        if (!take(r, ',') && !is_next(r, '}')) {
            return "its header is no dict of descr, fortran_order and shape";
        }
    }
    pass_blanks(r);
    return r->at < r->end                                 ? "there is text behind the dict of its header"
           : r->has_descr && r->has_order && r->has_shape ? NULL
                                                          : "its header lacks descr, fortran_order or shape";
}

/* ---- what it says ---- */

static int judge_type(rft_npy *out, const dict_reader *r, rft_err *err) {
    const char *descr = r->descr;
    bool has_order = *descr && strchr("<>|=", *descr);
    char order = has_order ? *descr++ : '=';
    int64_t bytes = 0;
    out->kind = *descr;
    if (out->kind == 'O') {
        return refuse(err, "convert it first: array.astype(\"float32\")",
                      "it holds Python objects, which are not read");
    }
    if (!out->kind || !strchr("fiubV", out->kind) || !rft_text_to_int64(descr + 1, &bytes) || bytes < 1 || bytes > 16) {
        rft_err_set(err, RFT_E_SOURCE, "its elements are of the type \"%s\", which is not read", r->descr);
        return rft_err_remedy(err, "whole numbers, reals and truth values are: array.astype(\"float32\")");
    }
    out->item_bytes = (uint32_t)bytes;
    if (order == '>' && bytes > 1) {
        rft_err_set(err, RFT_E_SOURCE, "its elements are big-endian (\"%s\")", r->descr);
        return rft_err_remedy(err, "save array.astype(\"<%s\")", descr);
    }
    return RFT_OK;
}

static int judge(rft_npy *out, const dict_reader *r, rft_err *err) {
    uint64_t bytes = 0;
    int rc = judge_type(out, r, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (r->fortran && r->dims > 1) {
        return refuse(err, "save numpy.ascontiguousarray(array)",
                      "it is in Fortran's order, the first dimension fastest");
    }
    if (__builtin_mul_overflow(r->count, (uint64_t)out->item_bytes, &bytes) || bytes > INT64_MAX) {
        return refuse(err, SAVE_REMEDY, "its shape is larger than any file");
    }
    out->count = r->count;
    memcpy(out->dtype, r->descr, sizeof out->dtype);
    return RFT_OK;
}

/* What else people name. */
static int refuse_other(const unsigned char *bytes, size_t size, rft_err *err) {
    if (size >= 2 && memcmp(bytes, "PK", 2) == 0) {
        return refuse(err, "save each array by numpy.save(\"x.npy\", array)",
                      "it is an archive (.npz), not an .npy file");
    }
    if (size >= 2 && bytes[0] == 0x80 && bytes[1] <= 5) {
        return refuse(err, SAVE_REMEDY, "it is a pickle, which is a program and is not read");
    }
    return refuse(err, SAVE_REMEDY, "it is no .npy file: its first bytes are others");
}

int rft_npy_parse(rft_npy *out, const void *data, size_t size, rft_err *err) {
    const unsigned char *bytes = data;
    *out = (rft_npy){0};
    if (size < MAGIC_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        return refuse_other(bytes, size, err);
    }
    unsigned version = size > MAGIC_BYTES ? bytes[MAGIC_BYTES] : 1;
    size_t front = version == 1 ? 10 : 12, length = 0;
    if (version < 1 || version > 3) {
        rft_err_set(err, RFT_E_SOURCE, "it is of version %u of the .npy format", version);
        return rft_err_remedy(err, "versions 1 to 3 are read: %s", SAVE_REMEDY);
    }
    for (size_t i = MAGIC_BYTES + 2; size >= front && i < front; i++) {
        length |= (size_t)bytes[i] << (8 * (i - MAGIC_BYTES - 2));
    }
    if (length > RFT_NPY_HEADER_MAX - front) {
        return refuse(err, SAVE_REMEDY, "its header is longer than 64 KiB");
    }
    if (size < front || size - front < length) {
        return refuse(err, "copy it again", "it ends within its header");
    }
    const char *text = (const char *)bytes + front;
    if (length == 0 || text[length - 1] != '\n') {
        return refuse(err, SAVE_REMEDY, "its header does not end with a newline");
    }
    dict_reader r = {.at = text, .end = text + length};
    const char *wrong = take_dict(&r);
    if (wrong) {
        return refuse(err, SAVE_REMEDY, wrong);
    }
    out->offset_bytes = front + length;
    return judge(out, &r, err);
}

/* ---- the file ---- */

static int64_t modified_ns(const struct stat *status) {
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

static int unreadable(rft_err *err, const char *path) {
    int cause = errno;
    int rc = rft_err_set(err, cause == ENOENT ? RFT_E_SOURCE : RFT_E_IO, "%s: %s", path, strerror(cause));
    return err ? rft_err_remedy(err, "paths are relative to the file that names them") : rc;
}

/* Fewer only at the end of the file. Negative: errno says why. */
static ssize_t read_piece(int fd, void *to, size_t bytes, uint64_t offset) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? got : (ssize_t)done;
        }
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* Not a pipe, which would be waited for. */
static int open_regular(const char *path, struct stat *status, rft_err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, status) != 0) {
        int rc = unreadable(err, path);
        if (fd >= 0) {
            close(fd);
        }
        return rc;
    }
    if (!S_ISREG(status->st_mode)) {
        close(fd);
        rft_err_set(err, RFT_E_SOURCE, "%s is no file", path);
        return rft_err_remedy(err, "name an .npy file");
    }
    return fd;
}

static int check_length(const rft_npy *npy, uint64_t file_bytes, rft_err *err) {
    uint64_t wants = npy->offset_bytes + npy->count * npy->item_bytes;
    if (file_bytes < wants) {
        rft_err_set(err, RFT_E_SOURCE, "it ends early: its header tells of %llu bytes, the file has %llu",
                    (unsigned long long)wants, (unsigned long long)file_bytes);
        return rft_err_remedy(err, "copy it again");
    }
    if (file_bytes > wants) {
        rft_err_set(err, RFT_E_SOURCE, "%llu bytes follow its array", (unsigned long long)(file_bytes - wants));
        return rft_err_remedy(err, "save one array in each file");
    }
    return RFT_OK;
}

int rft_npy_look(rft_npy *out, rft_npy_file *file, const char *path, rft_err *err) {
    struct stat status;
    int fd = open_regular(path, &status, err);
    if (fd < 0) {
        return fd;
    }
    char *front = rft_alloc(RFT_NPY_HEADER_MAX);
    ssize_t got = read_piece(fd, front, RFT_NPY_HEADER_MAX, 0);
    int rc = got < 0 ? unreadable(err, path) : rft_npy_parse(out, front, (size_t)got, err);
    free(front);
    close(fd);
    *file = (rft_npy_file){path, out->offset_bytes, (uint64_t)status.st_size, modified_ns(&status)};
    return rc == RFT_OK ? check_length(out, file->file_bytes, err) : rc;
}

int rft_npy_check_same(int fd, const rft_npy_file *as, rft_err *err) {
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return unreadable(err, as->path);
    }
    if ((uint64_t)status.st_size != as->file_bytes || modified_ns(&status) != as->modified_ns) {
        rft_err_set(err, RFT_E_SOURCE, "%s was written to since the sweep was read", as->path);
        return rft_err_remedy(err, "leave it alone meanwhile, and start again");
    }
    return RFT_OK;
}

int rft_npy_reopen(const rft_npy_file *as, rft_err *err) {
    struct stat status;
    int fd = open_regular(as->path, &status, err);
    int rc = fd < 0 ? fd : rft_npy_check_same(fd, as, err);
    if (fd >= 0 && rc != RFT_OK) {
        close(fd);
    }
    return rc != RFT_OK ? rc : fd;
}

int rft_npy_read(int fd, const rft_npy_file *as, void *to, size_t bytes, uint64_t at, rft_err *err) {
    ssize_t got = read_piece(fd, to, bytes, as->offset_bytes + at);
    if (got < 0) {
        return unreadable(err, as->path);
    }
    return (size_t)got == bytes ? RFT_OK : rft_err_set(err, RFT_E_SOURCE, "%s ends early", as->path);
}

int rft_npy_hash(char out[RFT_HASH_HEX_SIZE], const char *path, bool (*stop)(void), rft_err *err) {
    struct stat status;
    rft_sha256 hash;
    int fd = open_regular(path, &status, err);
    if (fd < 0) {
        return fd;
    }
    if ((uint64_t)status.st_size > RFT_NPY_HASHED_MAX) {
        close(fd);
        return rft_err_set(err, RFT_E_LIMIT, "%s has more than %llu GiB: no hash was made", path,
                           (unsigned long long)(RFT_NPY_HASHED_MAX >> 30));
    }
    char *piece = rft_alloc(PIECE_BYTES);
    uint64_t at = 0;
    ssize_t got = 0;
    rft_sha256_init(&hash);
    bool stopped = false;
    while (!(stopped = stop && stop()) && (got = read_piece(fd, piece, PIECE_BYTES, at)) > 0) {
        rft_sha256_add(&hash, piece, (size_t)got);
        at += (uint64_t)got;
    }
    int rc = stopped   ? rft_err_set(err, RFT_E_INTERRUPTED, "stopped before %s was hashed", path)
             : got < 0 ? unreadable(err, path)
                       : RFT_OK;
    rft_sha256_hex(&hash, out);
    free(piece);
    close(fd);
    return rc;
}
