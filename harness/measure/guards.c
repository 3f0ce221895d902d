/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/guards.h"
#include "measure/buffers.h"
#include "measure/device_kernels.h"

int rft_guards_alloc(rft_protocol *p, uint64_t bytes, rft_device_ptr *out, rft_err *err) {
    rft_device_ptr memory = 0;
    if (p->bare) {
        return p->gpu->vt->alloc(p->gpu, bytes, out, err);
    }
    int rc = p->gpu->vt->alloc(p->gpu, rft_spec_padded_bytes(bytes), &memory, err);
    if (rc != RFT_OK) {
        return rc;
    }
    *out = memory + rft_spec_padding_before(bytes);
    return rft_kernel_mark_guards(p, &(rft_guard_area){*out, bytes}, 1, err);
}

void rft_guards_free(rft_protocol *p, rft_device_ptr memory, uint64_t bytes) {
    if (memory) {
        p->gpu->vt->free(p->gpu, p->bare ? memory : memory - rft_spec_padding_before(bytes));
    }
}

/* What a band belongs to. */
typedef struct guarded {
    const rft_kept *kept;
    const char *which; /* "", or which of the buffer's own copies */
} guarded;

/* All memory of the point's buffers: kernels get the data, references the results, and a stray write may hit any. */
static size_t list_areas(const rft_point_job *job, rft_guard_area areas[RFT_GUARD_AREAS],
                         guarded what[RFT_GUARD_AREAS]) {
    size_t count = 0;
    if (job->p->bare) {
        return 0;
    }
    for (size_t i = 0; i < job->request->spec->buffer_count && count + 3 <= RFT_GUARD_AREAS; i++) {
        const rft_kept *kept = job->kept[i];
        const struct {
            rft_guard_area area;
            const char *which;
        } rows[] = {{{kept->data, rft_kept_data_bytes(kept)}, ""},
                    {{kept->original, rft_kept_data_bytes(kept)}, "the original of "},
                    {{kept->reference, rft_kept_reference_bytes(kept)}, "the reference's "}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (rows[k].area.data) {
                areas[count] = rows[k].area;
                what[count++] = (guarded){kept, rows[k].which};
            }
        }
    }
    return count;
}

int rft_guards_queue(rft_point_job *job, size_t slot, rft_err *err) {
    rft_guard_area areas[RFT_GUARD_AREAS];
    guarded what[RFT_GUARD_AREAS];
    size_t count = list_areas(job, areas, what);
    return rft_verdicts_queue_guards(job->p, areas, count, slot, err);
}

void rft_guards_judge(rft_point_job *job, size_t slot, const char *who) {
    rft_guard_area areas[RFT_GUARD_AREAS];
    guarded what[RFT_GUARD_AREAS];
    size_t count = list_areas(job, areas, what);
    rft_trespass found = rft_verdict_trespass(job->p, slot);
    if (found.changed_bytes == 0 || found.area >= count) {
        return;
    }
    const guarded *of = &what[found.area];
    uint64_t bytes = areas[found.area].bytes, size = of->kept->count > 0 ? bytes / of->kept->count : 1;
    uint64_t elements = found.distance / size + 1;
    long long index = found.behind ? (long long)(of->kept->count + elements - 1) : -(long long)elements;
    long long byte = found.behind ? (long long)(bytes + found.distance) : -(long long)found.distance - 1;
    rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT,
                       "%s wrote outside of %s%s: %llu element%s %s (%s[%lld], byte %lld); %llu byte%s around the "
                       "buffers %s changed; %s",
                       who, of->which, of->kept->name, (unsigned long long)elements, elements == 1 ? "" : "s",
                       found.behind ? "behind its end" : "before its start", of->kept->name, index, byte,
                       (unsigned long long)found.changed_bytes, found.changed_bytes == 1 ? "" : "s",
                       found.changed_bytes == 1 ? "is" : "are",
                       of->kept->role == RFT_BUFFER_TEMP ? "a temp has to hold what all blocks write"
                                                         : "is an if (i < n) missing?");
}
