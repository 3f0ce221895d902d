/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/jit_link.h"

#include "base/fs.h"
#include "gpu/dynlib.h"

#include <stdint.h>
#include <stdlib.h>

#define INPUT_PTX 2 /* nvJitLinkInputType */

/* As in nvJitLink.h, whose functions return 0 where all is well. */
typedef struct jit_api {
    int (*create)(void **link, uint32_t option_count, const char **options);
    int (*destroy)(void **link);
    int (*add)(void *link, int type, const void *data, size_t bytes, const char *name);
    int (*complete)(void *link);
    int (*cubin_size)(void *link, size_t *bytes);
    int (*cubin)(void *link, void *out);
    int (*error_size)(void *link, size_t *bytes);
    int (*error)(void *link, char *out);
    int (*info_size)(void *link, size_t *bytes);
    int (*info)(void *link, char *out);
} jit_api;

static const rft_dynlib_symbol symbols[] = {
    {"nvJitLinkCreate", offsetof(jit_api, create), false},
    {"nvJitLinkDestroy", offsetof(jit_api, destroy), false},
    {"nvJitLinkAddData", offsetof(jit_api, add), false},
    {"nvJitLinkComplete", offsetof(jit_api, complete), false},
    {"nvJitLinkGetLinkedCubinSize", offsetof(jit_api, cubin_size), false},
    {"nvJitLinkGetLinkedCubin", offsetof(jit_api, cubin), false},
    {"nvJitLinkGetErrorLogSize", offsetof(jit_api, error_size), false},
    {"nvJitLinkGetErrorLog", offsetof(jit_api, error), false},
    {"nvJitLinkGetInfoLogSize", offsetof(jit_api, info_size), false},
    {"nvJitLinkGetInfoLog", offsetof(jit_api, info), false},
};

static bool open_beside(void *nvrtc, void **handle, jit_api *api) {
    static const char *const files[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so", NULL};
    char *library = rft_dynlib_path(nvrtc);
    char *folder = rft_fs_folder(library);
    const char *folders[] = {folder};
    const rft_dynlib_spec spec = {.title = "nvJitLink",
                                  .files = files,
                                  .folders = folders,
                                  .folder_count = 1,
                                  .symbols = symbols,
                                  .symbol_count = sizeof symbols / sizeof *symbols,
                                  .code = RFT_E_COMPILER};
    bool opened = rft_dynlib_open(handle, api, &spec, NULL) == RFT_OK;
    free(folder);
    free(library);
    return opened;
}

static const char *read_log(void *link, int (*size)(void *, size_t *), int (*read)(void *, char *), rft_arena *arena) {
    size_t bytes = 0;
    if (size(link, &bytes) != 0 || bytes == 0) {
        return "";
    }
    char *log = rft_arena_calloc(arena, bytes + 1, 1);
    return read(link, log) == 0 ? log : "";
}

static bool read_cubin(const jit_api *api, void *link, rft_arena *arena, rft_jit_linked *out) {
    if (api->cubin_size(link, &out->bytes) != 0 || out->bytes == 0) {
        return false;
    }
    out->cubin = rft_arena_calloc(arena, out->bytes, 1);
    return api->cubin(link, out->cubin) == 0;
}

bool rft_jit_link(void *nvrtc, const rft_jit_input *input, rft_arena *arena, rft_jit_linked *out) {
    void *handle = NULL, *link = NULL;
    jit_api api;
    *out = (rft_jit_linked){.log = ""};
    if (!nvrtc || !open_beside(nvrtc, &handle, &api)) {
        return false;
    }
    const char *options[] = {rft_arena_printf(arena, "-arch=%s", input->arch), "-verbose"};
    bool known = api.create(&link, 2, options) == 0;
    if (known) {
        out->ok = api.add(link, INPUT_PTX, input->ptx, input->bytes + 1, input->name) == 0 && api.complete(link) == 0 &&
                  read_cubin(&api, link, arena, out);
        out->log =
            out->ok ? read_log(link, api.info_size, api.info, arena) : read_log(link, api.error_size, api.error, arena);
        api.destroy(&link);
    }
    rft_dynlib_close(handle);
    return known;
}
