/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h - the frames between the coordinator and its workers (docs/processes.md).
 *
 * A frame is 16 bytes (the magic "RFT1", the head's size as 32-bit and the blob's size as 64-bit little endian), then
 * the head (JSON text, one object) and the blob (raw bytes: cubins). Requests carry "do"; a worker answers each in
 * turn. A failure of the worker itself is {"error": {code, place, message, remedy}}; a failing point is an ordinary
 * answer. "ending": true in an answer says that the worker ends itself after it.
 */
#ifndef RFT_RUN_WIRE_H
#define RFT_RUN_WIRE_H

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "measure/probe.h"
#include "model/run/field.h"

#include <math.h>

#define RFT_FRAME_HEADER_BYTES 16
#define RFT_FRAME_HEAD_MAX (256u << 20)
#define RFT_FRAME_BLOB_MAX (1ull << 30)

typedef struct rft_frame {
    json_t *head; /* owned */
    char *blob;   /* heap, owned; NULL when blob_bytes is 0 */
    size_t blob_bytes;
} rft_frame;

void rft_frame_clear(rft_frame *frame);

/* Appends the frame's bytes to `out`. */
void rft_frame_encode(rft_str *out, const json_t *head, const void *blob, size_t blob_bytes);

/* Takes one frame off the front of `buffer`. Returns 1 when there was one (removed from the buffer), 0 when more bytes
 * are needed, RFT_E_WORKER when the bytes are no frame. */
int rft_frame_take(rft_frame *out, rft_str *buffer, rft_err *err);

/* Blocking, for the worker's side: whole frames on file descriptors. Read returns 0 on a frame, 1 on end of file. */
int rft_frame_read(rft_frame *out, int fd, rft_err *err);
int rft_frame_write(int fd, const json_t *head, const void *blob, size_t blob_bytes, rft_err *err);

/* Records as objects. Reading RFT_E_WORKER: a member is missing, of the wrong type or out of its range. */
json_t *rft_wire_of_fields(const rft_fields *fields, const void *record);
int rft_wire_to_fields(const rft_fields *fields, void *record, const json_t *object, rft_arena *arena, rft_err *err);
/* The same of what is mostly zeros, which are left out. */
json_t *rft_wire_of_brief(const rft_fields *fields, const void *record);
int rft_wire_to_brief(const rft_fields *fields, void *record, const json_t *object, rft_arena *arena, rft_err *err);
/* A field of what is sent and not kept; any number will do. */
#define RFT_WIRE_AS(type, name_, member, kind_)                                                                        \
    {                                                                                                                  \
        .name = (name_), .kind = RFT_FIELD_##kind_, .offset = offsetof(type, member), .range = { -INFINITY, INFINITY } \
    }
#define RFT_WIRE_FIELD(type, member, kind) RFT_WIRE_AS(type, #member, member, kind)
#define RFT_WIRE_TABLE(items)                                                                                          \
    { NULL, items, sizeof(items) / sizeof *(items) }

/* ---- what the frames carry; every _of makes a new reference, every _from allocates from the arena ---- */
json_t *rft_wire_of_err(const rft_err *err);
int rft_wire_to_err(rft_err *err, const json_t *head); /* RFT_OK when the head has no "error" */

/* What a compiler says of itself. */
typedef struct rft_compiler_facts {
    char version[32];
    bool knows_arch; /* the one that was asked about */
    bool compiles;   /* for it, or for an older one whose PTX the driver finishes */
} rft_compiler_facts;
json_t *rft_wire_of_compiler_facts(const rft_compiler_facts *facts);
void rft_wire_to_compiler_facts(rft_compiler_facts *out, const json_t *head);

json_t *rft_wire_of_compile_request(const rft_compile_request *request);
int rft_wire_to_compile_request(rft_compile_request *out, const json_t *head, rft_arena *arena, rft_err *err);
json_t *rft_wire_of_compile_result(const rft_compile_result *result); /* the cubin goes into the blob */
int rft_wire_to_compile_result(rft_compile_result *out, const json_t *head, const void *blob, size_t blob_bytes,
                               rft_arena *arena, rft_err *err);

/* The blob of a probe request is the unit's cubin followed by the reference's and those of the fills. sweep, variant,
 * problem and config stay behind: they are for replay, which needs no worker. */
json_t *rft_wire_of_probe_request(const rft_probe_request *request);
int rft_wire_to_probe_request(rft_probe_request *out, const rft_frame *frame, rft_arena *arena, rft_err *err);
/* rival_s and few alone: what of an expected request is told last. */
json_t *rft_wire_of_race(const rft_probe_request *request);
void rft_wire_to_race(rft_probe_request *out, const json_t *race);
json_t *rft_wire_of_probe_result(const rft_probe_result *result);
int rft_wire_to_probe_result(rft_probe_result *out, const json_t *head, rft_arena *arena, rft_err *err);

/* A set by its names; counters with every reason. */
json_t *rft_wire_of_counter_set(const rft_counter_set *set);
int rft_wire_to_counter_set(rft_counter_set *out, const json_t *object, rft_arena *arena, rft_err *err);
json_t *rft_wire_of_counters(const rft_counters *counters);
int rft_wire_to_counters(rft_counters *out, const json_t *head, rft_arena *arena, rft_err *err);

/* NULL is null. */
json_t *rft_wire_of_load(const rft_load *load);
int rft_wire_to_load(const rft_load **out, const json_t *object, rft_arena *arena, rft_err *err);
json_t *rft_wire_of_load_order(const rft_load_order *order); /* without its `stop` */
void rft_wire_to_load_order(rft_load_order *out, const json_t *object);

json_t *rft_wire_of_ceilings_request(const rft_ceilings_request *request);
rft_ceilings_request rft_wire_to_ceilings_request(const json_t *head); /* all, in bursts, where it does not say */
json_t *rft_wire_of_ceilings(const rft_ceilings *ceilings);
int rft_wire_to_ceilings(rft_ceilings *out, const json_t *head, rft_arena *arena, rft_err *err);
json_t *rft_wire_of_device(const rft_gpu_info *gpu, const rft_env *env);
int rft_wire_to_device(rft_gpu_info *gpu, rft_env *env, const json_t *head, rft_arena *arena, rft_err *err);

#endif
