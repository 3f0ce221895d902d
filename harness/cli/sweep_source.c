/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sweep_source.h"

#include "base/fs.h"
#include "cli/compose.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rft_sweep_source_is_recording(const char *path) {
    return rft_store_looks_like_run(path) && !rft_script_is_t1(path);
}

int rft_sweep_source_check(const rft_words *paths, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < paths->count && rc == RFT_OK; i++) {
        if (access(paths->items[i], R_OK) != 0) {
            char *text = NULL; /* the reader has the words for it */
            size_t size = 0;
            rc = rft_fs_read(&text, &size, paths->items[i], 0, err);
            free(text);
        }
    }
    return rc;
}

int rft_sweep_source_open(rft_sweep_source *out, rft_cli *cli, const char *path, const rft_gpu_info *gpu,
                          const rft_words *script_args, rft_err *err) {
    *out = (rft_sweep_source){0};
    if (!rft_sweep_source_is_recording(path)) {
        return rft_compose_script(cli, &out->script, path, gpu, script_args, err);
    }
    int rc = rft_store_load(&out->run, path, err);
    return rc ? rc : rft_recorded_new(&out->recorded, out->run, path, err);
}

void rft_sweep_source_close(rft_sweep_source *source) {
    rft_script_free(source->script);
    rft_recorded_free(source->recorded);
    rft_run_free(source->run);
    *source = (rft_sweep_source){0};
}

size_t rft_sweep_source_count(const rft_sweep_source *source) {
    return source->script     ? rft_script_sweep_count(source->script)
           : source->recorded ? rft_recorded_count(source->recorded)
                              : 0;
}

const rft_sweep *rft_sweep_source_sweep(const rft_sweep_source *source, size_t index) {
    return source->script ? rft_script_sweep(source->script, index) : rft_recorded_sweep(source->recorded, index);
}
