/* SPDX-License-Identifier: Apache-2.0 */
#include "run/wire/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[4] = {'R', 'F', 'T', '1'};

static void put_le(unsigned char *out, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get_le(const unsigned char *in, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)in[i] << (8 * i);
    }
    return value;
}

void rft_frame_clear(rft_frame *frame) {
    json_decref(frame->head);
    free(frame->blob);
    *frame = (rft_frame){0};
}

static void encode_header(unsigned char header[RFT_FRAME_HEADER_BYTES], size_t head_bytes, size_t blob_bytes) {
    memcpy(header, magic, sizeof magic);
    put_le(header + 4, head_bytes, 4);
    put_le(header + 8, blob_bytes, 8);
}

static int decode_header(const unsigned char *header, size_t *head_bytes, size_t *blob_bytes, rft_err *err) {
    if (memcmp(header, magic, sizeof magic) != 0) {
        return rft_err_set(err, RFT_E_WORKER, "a worker sent bytes that are not a frame");
    }
    uint64_t head = get_le(header + 4, 4);
    uint64_t blob = get_le(header + 8, 8);
    if (head > RFT_FRAME_HEAD_MAX || blob > RFT_FRAME_BLOB_MAX) {
        return rft_err_set(err, RFT_E_WORKER, "a worker sent a frame of impossible size");
    }
    *head_bytes = (size_t)head;
    *blob_bytes = (size_t)blob;
    return RFT_OK;
}

void rft_frame_encode(rft_str *out, const json_t *head, const void *blob, size_t blob_bytes) {
    size_t head_bytes = 0;
    char *text = rft_json_dump(head, &head_bytes);
    unsigned char header[RFT_FRAME_HEADER_BYTES];
    encode_header(header, head_bytes, blob_bytes);
    rft_str_add_n(out, (const char *)header, sizeof header);
    rft_str_add_n(out, text, head_bytes);
    if (blob_bytes) {
        rft_str_add_n(out, blob, blob_bytes);
    }
    free(text);
}

/* Parses head and blob from the bytes behind a header. */
static int decode_body(rft_frame *out, const char *body, size_t head_bytes, size_t blob_bytes, rft_err *err) {
    rft_frame frame = {0};
    int rc = rft_json_parse(&frame.head, body, head_bytes, "frame", err);
    if (rc != RFT_OK) {
        return rft_err_set(err, RFT_E_WORKER, "a worker sent a frame whose head is not JSON");
    }
    if (blob_bytes) {
        frame.blob = rft_alloc(blob_bytes);
        memcpy(frame.blob, body + head_bytes, blob_bytes);
        frame.blob_bytes = blob_bytes;
    }
    *out = frame;
    return RFT_OK;
}

int rft_frame_take(rft_frame *out, rft_str *buffer, rft_err *err) {
    size_t head_bytes = 0;
    size_t blob_bytes = 0;
    if (buffer->length < RFT_FRAME_HEADER_BYTES) {
        return 0;
    }
    int rc = decode_header((const unsigned char *)buffer->data, &head_bytes, &blob_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    size_t whole = RFT_FRAME_HEADER_BYTES + head_bytes + blob_bytes;
    if (buffer->length < whole) {
        return 0;
    }
    rc = decode_body(out, buffer->data + RFT_FRAME_HEADER_BYTES, head_bytes, blob_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    memmove(buffer->data, buffer->data + whole, buffer->length - whole);
    rft_str_truncate(buffer, buffer->length - whole);
    return 1;
}

/* Reads exactly `bytes`; 1 on end of file before the first, RFT_E_WORKER on one in the middle. */
static int read_all(int fd, char *to, size_t bytes, rft_err *err) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = read(fd, to + done, bytes - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return rft_err_set(err, RFT_E_WORKER, "reading a frame: %s", strerror(errno));
        }
        if (n == 0) {
            return done == 0 ? 1 : rft_err_set(err, RFT_E_WORKER, "a frame ends in the middle");
        }
        done += (size_t)n;
    }
    return RFT_OK;
}

static int write_all(int fd, const char *from, size_t bytes, rft_err *err) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = write(fd, from + done, bytes - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return rft_err_set(err, RFT_E_WORKER, "writing a frame: %s", strerror(errno));
        }
        done += (size_t)n;
    }
    return RFT_OK;
}

int rft_frame_read(rft_frame *out, int fd, rft_err *err) {
    unsigned char header[RFT_FRAME_HEADER_BYTES];
    size_t head_bytes = 0;
    size_t blob_bytes = 0;
    int rc = read_all(fd, (char *)header, sizeof header, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rc = decode_header(header, &head_bytes, &blob_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    char *body = rft_alloc(head_bytes + blob_bytes + 1);
    rc = read_all(fd, body, head_bytes + blob_bytes, err);
    if (rc == 1) {
        rc = rft_err_set(err, RFT_E_WORKER, "a frame ends in the middle");
    }
    if (rc == RFT_OK) {
        rc = decode_body(out, body, head_bytes, blob_bytes, err);
    }
    free(body);
    return rc;
}

int rft_frame_write(int fd, const json_t *head, const void *blob, size_t blob_bytes, rft_err *err) {
    rft_str bytes = RFT_STR_INIT;
    rft_frame_encode(&bytes, head, blob, blob_bytes);
    int rc = write_all(fd, bytes.data, bytes.length, err);
    rft_str_clear(&bytes);
    return rc;
}

/* ---- records ---- */

static json_t *of_fields(const rft_fields *fields, const void *record, rft_field_form form) {
    json_t *object = json_object();
    rft_fields_to_json(object, fields, record, form);
    return object;
}

json_t *rft_wire_of_fields(const rft_fields *fields, const void *record) {
    return of_fields(fields, record, RFT_FORM_WIRE);
}

json_t *rft_wire_of_brief(const rft_fields *fields, const void *record) {
    return of_fields(fields, record, RFT_FORM_BRIEF);
}

static int to_fields(const rft_fields *fields, void *record, const json_t *object, rft_field_form form,
                     rft_arena *arena, rft_err *err) {
    const rft_field *wrong = NULL;
    const char *expected = rft_fields_from_json(fields, record, object, form, arena, &wrong);
    if (expected && !wrong) {
        return rft_err_set(err, RFT_E_WORKER, "frame: an object is missing");
    }
    return expected ? rft_err_set(err, RFT_E_WORKER, "frame.%s: expected %s", wrong->name, expected) : RFT_OK;
}

int rft_wire_to_fields(const rft_fields *fields, void *record, const json_t *object, rft_arena *arena, rft_err *err) {
    return to_fields(fields, record, object, RFT_FORM_WIRE, arena, err);
}

int rft_wire_to_brief(const rft_fields *fields, void *record, const json_t *object, rft_arena *arena, rft_err *err) {
    return to_fields(fields, record, object, RFT_FORM_BRIEF, arena, err);
}
