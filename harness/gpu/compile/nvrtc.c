/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/nvrtc_api.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "gpu/compile/arch_name.h"
#include "gpu/compile/cubin_hash.h"
#include "gpu/compile/given_binary.h"
#include "gpu/compile/include_scan.h"
#include "gpu/compile/log_words.h"
#include "gpu/compile/ptxas_log.h"
#include "gpu/dynlib.h"
#include "model/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE "<source>/" /* see source_with_line() */

typedef struct nvrtc_compiler {
    rft_compiler base; /* first: the vtable */
    rft_arena *arena;
    void *handle;
    rft_nvrtc_api api;
    const char **include_folders;
    size_t include_folder_count;
    const char **folders; /* the headers' and, last, the library's */
    int *archs;           /* 75, 80, ...: ascending */
    int arch_count;
    bool has_no_cache; /* this release has the option --no-cache */
    char version[32];
} nvrtc_compiler;

/* What one compile works on. */
typedef struct job {
    nvrtc_compiler *self;
    const rft_compile_request *request;
    rft_include_set sources;
    rft_arena *arena;
    const char **options;
    int option_count;
    bool is_ptx;
    nvrtcProgram program;
} job;

/* ---- architectures ---- */
static bool nvrtc_knows_arch(rft_compiler *base, const char *arch) {
    const nvrtc_compiler *self = (const nvrtc_compiler *)base;
    const rft_arch asked = rft_arch_of(arch);
    /* Architecture-specific targets began with sm_90a, family-specific ones with sm_100f. */
    if ((asked.suffix == 'a' && asked.number < 90) || (asked.suffix == 'f' && asked.number < 100)) {
        return false;
    }
    for (int i = 0; i < self->arch_count && asked.number > 0; i++) {
        if (self->archs[i] == asked.number) {
            return true;
        }
    }
    return false;
}

/* The option that asks for `arch`, or for the newest older one as PTX, which the driver finishes. */
static int arch_option(job *j, const char **option, rft_err *err) {
    nvrtc_compiler *self = j->self;
    const char *arch = j->request->arch;
    if (nvrtc_knows_arch(&self->base, arch)) {
        *option = rft_arena_printf(j->arena, "--gpu-architecture=%s", arch);
        return 0;
    }
    if (arch && rft_text_starts(arch, "compute_")) { /* PTX on purpose, to read */
        j->is_ptx = true;
        *option = rft_arena_printf(j->arena, "--gpu-architecture=%s", arch);
        return 0;
    }
    int number = rft_arch_of(arch).number, newest = 0;
    for (int i = 0; i < self->arch_count; i++) {
        if (self->archs[i] < number && self->archs[i] > newest) {
            newest = self->archs[i];
        }
    }
    if (newest == 0) {
        rft_err_set(err, RFT_E_COMPILER, "NVRTC %s cannot compile for %s; it knows sm_%d to sm_%d", self->version,
                    arch ? arch : "(no architecture)", self->archs[0], self->archs[self->arch_count - 1]);
        rft_err_remedy(err, "give an architecture in this range, or use the NVRTC of another CUDA release");
        return RFT_E_COMPILER;
    }
    j->is_ptx = true;
    *option = rft_arena_printf(j->arena, "--gpu-architecture=compute_%d", newest);
    return 0;
}

/* ---- options ---- */
static bool sets_standard(const rft_compile_request *request) {
    for (size_t i = 0; i < request->option_count; i++) {
        const char *option = request->options[i];
        if (rft_text_starts(option, "-std") || rft_text_starts(option, "--std")) {
            return true;
        }
    }
    return false;
}

static bool headers_in_memory(const rft_include_set *set) {
    return !set->ambiguous && !set->computed;
}

static int make_options(job *j, rft_err *err) {
    const nvrtc_compiler *self = j->self;
    const rft_compile_request *request = j->request;
    const rft_include_set *set = &j->sources;
    const char **options = rft_arena_calloc(
        j->arena, request->option_count + set->folder_count + self->include_folder_count + 8, sizeof *options);
    int n = 0;
    int rc = arch_option(j, &options[n], err);
    if (rc != 0) {
        return rc;
    }
    n++;
    options[n++] = "-default-device";
    if (!sets_standard(request)) {
        options[n++] = "--std=c++17";
    }
    if (self->has_no_cache) {
        options[n++] = "--no-cache";
    }
    for (size_t i = 0; i < request->option_count; i++) {
        options[n++] = request->options[i];
    }
    for (size_t i = 0; i < set->folder_count; i++) {
        options[n++] = rft_arena_printf(j->arena, "-I%s", set->folders[i]);
    }
    for (size_t i = 0; i < self->include_folder_count; i++) {
        options[n++] = rft_arena_printf(j->arena, "-I%s", self->include_folders[i]);
    }
    options[n++] = "--ptxas-options=-v"; /* last: compile_for_log() leaves it out */
    j->options = options;
    j->option_count = n;
    return 0;
}

/* ---- results ---- */
static int nvrtc_failed(const nvrtc_compiler *self, nvrtcResult status, const char *what, rft_err *err) {
    rft_err_set(err, RFT_E_COMPILER, "NVRTC %s: %s: %s", self->version, what, self->api.nvrtcGetErrorString(status));
    if (status == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        rft_err_remedy(err, "libnvrtc-builtins.so of the same release must lie beside libnvrtc.so");
    } else if (status == NVRTC_ERROR_OUT_OF_MEMORY) {
        rft_err_remedy(err, "use fewer compile workers, or free memory");
    }
    return RFT_E_COMPILER;
}

static const char *read_log(const job *j) {
    const rft_nvrtc_api *api = &j->self->api;
    size_t size = 0;
    if (api->nvrtcGetProgramLogSize(j->program, &size) != NVRTC_SUCCESS || size == 0) {
        return "";
    }
    char *log = rft_arena_calloc(j->arena, size + 1, 1);
    if (api->nvrtcGetProgramLog(j->program, log) != NVRTC_SUCCESS) {
        return "";
    }
    const size_t n = sizeof NOWHERE - 1;
    for (char *p = log; (p = strstr(p, NOWHERE)) != NULL;) {
        memmove(p, p + n, strlen(p + n) + 1);
    }
    return log;
}

/* A missing header is the commonest failure of a source that compiles elsewhere; NVRTC does not say why. */
static const char *header_hint(const job *j, const char *log) {
    if (j->self->include_folder_count == 0) {
        return "\nrooftune: no folder with CUDA's headers was found; install them (wheel nvidia-cuda-runtime) or set "
               "CUDA_HOME";
    }
    /* cooperative_groups.h itself includes some of these */
    if (strstr(log, "source file \"nv/") || strstr(log, "source file \"cuda/std/") ||
        strstr(log, "source file \"cub/")) {
        return "\nrooftune: this header is CCCL's, which lies beside a toolkit's headers; of wheels it is one of its "
               "own: nvidia-cuda-cccl (nvidia-cuda-cccl-cu12 for CUDA 12)";
    }
    return "\nrooftune: user headers are looked for beside the source, in lib/ there or a folder up, and in its -I "
           "options. NVRTC has no C library headers (stdint.h, math.h, stdio.h, cuda.h): leave them out under "
           "__CUDACC_RTC__, or let `rooftune new` copy the device code. A header outside of the sweep's tree can be "
           "read with --allow-path DIR";
}

static const char *log_with_hint(const job *j, const char *log, nvrtcResult status) {
    const char *hint = "";
    if (strstr(log, "cannot open source file") || strstr(log, "could not open source file")) {
        hint = header_hint(j, log);
    } else if (strstr(log, "explicitly marked as a __host__ function")) {
        hint =
            "\nrooftune: a header has host code. Of CUB include what a block or warp uses "
            "(cub/block/block_reduce.cuh), not cub/cub.cuh; `rooftune new` copies the device code of your own headers";
    } else if (strstr(log, "uses too much shared data")) {
        hint = "\nrooftune: arrays of fixed size have 48 KiB of shared memory a block; more is had with `extern "
               "__shared__` and `shared` in launch";
    }
    if (!*log) {
        return rft_arena_printf(j->arena, "NVRTC: %s", j->self->api.nvrtcGetErrorString(status));
    }
    const char *words = rft_log_words(j->request, &j->sources, log, j->arena);
    size_t length = strlen(log);
    while (length > 0 && strchr(" \r\n", log[length - 1])) {
        length--;
    }
    return rft_arena_printf(j->arena, "%s%s%s%.*s%s", words ? "rooftune: " : "", words ? words : "", words ? "\n" : "",
                            (int)length, log, hint);
}

static int read_code(job *j, rft_compile_result *out, rft_err *err) {
    const rft_nvrtc_api *api = &j->self->api;
    size_t size = 0;
    nvrtcResult status =
        j->is_ptx ? api->nvrtcGetPTXSize(j->program, &size) : api->nvrtcGetCUBINSize(j->program, &size);
    if (status != NVRTC_SUCCESS || size == 0) {
        return nvrtc_failed(j->self, status, "no code came out", err);
    }
    char *code = rft_arena_calloc(j->arena, size + 1, 1);
    status = j->is_ptx ? api->nvrtcGetPTX(j->program, code) : api->nvrtcGetCUBIN(j->program, code);
    if (status != NVRTC_SUCCESS) {
        return nvrtc_failed(j->self, status, "reading the code", err);
    }
    out->cubin = code;
    out->cubin_bytes = size;
    out->is_ptx = j->is_ptx;
    rft_cubin_hash(code, size, out->cubin_hash);
    return 0;
}

static void make_entries(job *j, rft_compile_result *out) {
    const rft_compile_request *request = j->request;
    out->entries = rft_arena_calloc(j->arena, request->name_count + 1, sizeof *out->entries);
    out->entry_count = request->name_count;
    for (size_t i = 0; i < request->name_count; i++) {
        out->entries[i] = (rft_compiled_entry){.name = rft_arena_strdup(j->arena, request->names[i]),
                                               .registers = -1,
                                               .spill_store_bytes = -1,
                                               .spill_load_bytes = -1,
                                               .stack_bytes = -1,
                                               .shared_bytes = -1,
                                               .barriers = -1};
    }
}

/* Sets each entry's symbol. False with out->log when a name expression means no kernel. */
static bool read_names(job *j, rft_compile_result *out) {
    for (size_t i = 0; i < out->entry_count; i++) {
        const char *symbol = NULL;
        nvrtcResult status = j->self->api.nvrtcGetLoweredName(j->program, out->entries[i].name, &symbol);
        if (status != NVRTC_SUCCESS || !symbol) {
            out->log = rft_arena_printf(j->arena, "%s: no kernel of this name: %s", out->entries[i].name,
                                        j->self->api.nvrtcGetErrorString(status));
            return false;
        }
        out->entries[i].symbol = rft_arena_strdup(j->arena, symbol);
    }
    return true;
}

/* ---- the compile ---- */
/* Bytes of a UTF-8 byte order mark, which nvcc takes and NVRTC does not. */
static size_t mark_bytes(const char *text) {
    return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* NVRTC looks for headers in the folder of the program's name, the working folder for a bare name, and what lies there
 * must not matter; --no-source-include would also keep CUDA's own headers from finding each other. So the program is
 * named in a folder that cannot be, and a #line gives messages, assert() and the cubin the bare name. */
static const char *source_with_line(const job *j) {
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, "#line 1 \"");
    for (const char *p = j->request->source_name; *p; p++) {
        if (*p == '"' || *p == '\\') {
            rft_str_add_char(&text, '\\');
        }
        rft_str_add_char(&text, *p);
    }
    rft_str_add(&text, "\"\n");
    size_t mark = mark_bytes(j->sources.source);
    rft_str_add_n(&text, j->sources.source + mark, j->sources.source_bytes - mark);
    const char *out = rft_arena_strndup(j->arena, text.data, text.length);
    rft_str_clear(&text);
    return out;
}

static int create_program(job *j, rft_err *err) {
    const rft_include_set *set = &j->sources;
    size_t count = headers_in_memory(set) ? set->count : 0;
    const char **texts = rft_arena_calloc(j->arena, count + 1, sizeof *texts);
    const char **names = rft_arena_calloc(j->arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        texts[i] = set->items[i].text + mark_bytes(set->items[i].text);
        names[i] = set->items[i].spelled;
    }
    const char *name = rft_arena_printf(j->arena, NOWHERE "%s", j->request->source_name);
    nvrtcResult status =
        j->self->api.nvrtcCreateProgram(&j->program, source_with_line(j), name, (int)count, texts, names);
    if (status != NVRTC_SUCCESS) {
        j->program = NULL;
        return nvrtc_failed(j->self, status, "creating the program", err);
    }
    return 0;
}

static nvrtcResult add_names(const job *j, rft_compile_result *out) {
    nvrtcResult status = NVRTC_SUCCESS;
    for (size_t i = 0; i < j->request->name_count && status == NVRTC_SUCCESS; i++) {
        const char *name = j->request->names[i];
        status = j->self->api.nvrtcAddNameExpression(j->program, name);
        if (status != NVRTC_SUCCESS) {
            out->log = rft_arena_printf(j->arena, "%s: %s", name, j->self->api.nvrtcGetErrorString(status));
        }
    }
    return status;
}

/* NVRTC 13.0 leaves ptxas's error line out of the log that has its statistics, so one without them is made. */
static const char *compile_for_log(job *j, const char *log, rft_compile_result *out) {
    const rft_nvrtc_api *api = &j->self->api;
    api->nvrtcDestroyProgram(&j->program);
    if (create_program(j, NULL) != 0 || add_names(j, out) != NVRTC_SUCCESS ||
        api->nvrtcCompileProgram(j->program, j->option_count - 1, j->options) == NVRTC_SUCCESS) {
        return log;
    }
    return read_log(j);
}

/* Sets out->ok and out->log; errors only when NVRTC itself failed. */
static int run_compiler(job *j, rft_compile_result *out, rft_err *err) {
    const rft_nvrtc_api *api = &j->self->api;
    if (add_names(j, out) != NVRTC_SUCCESS) {
        return 0;
    }
    nvrtcResult status = api->nvrtcCompileProgram(j->program, j->option_count, j->options);
    const char *log = read_log(j);
    switch (status) {
    case NVRTC_SUCCESS:
        break;
    case NVRTC_ERROR_OUT_OF_MEMORY:
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
        return nvrtc_failed(j->self, status, log, err);
    default: /* the source, the options, or a fault of the compiler over this one configuration: data */
        rft_ptxas_read_shared(log, out->entries, out->entry_count);
        log = rft_log_has_error(log) ? log : compile_for_log(j, log, out);
        out->log = rft_log_cut(log_with_hint(j, rft_ptxas_strip(log, j->arena), status), j->arena);
        return 0;
    }
    if (!read_names(j, out)) {
        return 0;
    }
    int rc = read_code(j, out, err);
    if (rc == 0) {
        rft_ptxas_read(log, out->entries, out->entry_count);
        out->log = rft_log_cut(rft_ptxas_strip(log, j->arena), j->arena);
        out->ok = true;
    }
    return rc;
}

static int nvrtc_compile(rft_compiler *base, const rft_compile_request *request, rft_arena *arena,
                         rft_compile_result *out, rft_err *err) {
    const rft_clock *clock = rft_clock_system();
    int64_t start_ns = clock->monotonic_ns(clock->self);
    if (request->source_path && !request->source_text && rft_source_is_given(request->source_path)) {
        const rft_given given = {request, ((nvrtc_compiler *)base)->handle, arena};
        int rc = rft_given_compile(&given, out, err);
        out->seconds = (double)(clock->monotonic_ns(clock->self) - start_ns) * 1e-9;
        return rc;
    }
    job j = {.self = (nvrtc_compiler *)base, .request = request, .arena = arena};
    *out = (rft_compile_result){.log = ""};
    int rc = rft_include_scan(&j.sources, request, arena, err);
    if (rc != 0) {
        return rc;
    }
    if ((rc = make_options(&j, err)) != 0 || (rc = create_program(&j, err)) != 0) {
        return rc;
    }
    make_entries(&j, out);
    rc = run_compiler(&j, out, err);
    if (j.program) {
        j.self->api.nvrtcDestroyProgram(&j.program);
    }
    out->seconds = (double)(clock->monotonic_ns(clock->self) - start_ns) * 1e-9;
    return rc;
}

static const char *nvrtc_version(rft_compiler *base) {
    return ((nvrtc_compiler *)base)->version;
}

static size_t nvrtc_folders(rft_compiler *base, const char *const **out) {
    const nvrtc_compiler *self = (const nvrtc_compiler *)base;
    *out = self->folders;
    return self->include_folder_count + 1;
}

/* Needs the headers' folders. */
static void find_folders(nvrtc_compiler *self) {
    char *library = rft_dynlib_path(self->handle);
    char *folder = rft_fs_folder(library);
    self->folders = rft_arena_calloc(self->arena, self->include_folder_count + 1, sizeof *self->folders);
    for (size_t i = 0; i < self->include_folder_count; i++) {
        self->folders[i] = self->include_folders[i];
    }
    self->folders[self->include_folder_count] = rft_arena_strdup(self->arena, folder);
    free(folder);
    free(library);
}

static void nvrtc_free(rft_compiler *base) {
    nvrtc_compiler *self = (nvrtc_compiler *)base;
    if (self) {
        rft_dynlib_close(self->handle);
        rft_arena_free(self->arena);
        free(self);
    }
}

/* ---- opening ---- */
static int read_archs(nvrtc_compiler *self, rft_err *err) {
    nvrtcResult status = self->api.nvrtcGetNumSupportedArchs(&self->arch_count);
    if (status == NVRTC_SUCCESS && self->arch_count > 0) {
        self->archs = rft_arena_calloc(self->arena, (size_t)self->arch_count, sizeof *self->archs);
        status = self->api.nvrtcGetSupportedArchs(self->archs);
    }
    if (status != NVRTC_SUCCESS || self->arch_count <= 0) {
        return nvrtc_failed(self, status, "asking for architectures", err);
    }
    return 0;
}

/* Compiles an empty kernel: finds out whether --no-cache exists and, from the cubin, the release to the last digit
 * (NVRTC itself tells "13.0" only). Both are worth 10 ms: cache keys and recordings hang on the exact release. */
static int probe(nvrtc_compiler *self, rft_err *err) {
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", self->archs[self->arch_count - 1]);
    const rft_compile_request request = {
        .source_name = "probe.cu", .source_text = "extern \"C\" __global__ void probe() {}\n", .arch = arch};
    rft_arena *arena = rft_arena_new();
    rft_compile_result result;
    self->has_no_cache = true;
    int rc = nvrtc_compile(&self->base, &request, arena, &result, err);
    if (rc == 0 && !result.ok) {
        self->has_no_cache = false;
        rc = nvrtc_compile(&self->base, &request, arena, &result, err);
    }
    if (rc == 0 && !result.ok) {
        rc = rft_err_set(err, RFT_E_COMPILER, "NVRTC %s does not compile an empty kernel: %s", self->version,
                         result.log);
        rft_err_remedy(err, "install it again; libnvrtc-builtins.so of the same release must lie beside it");
    } else if (rc == 0) {
        char release[sizeof self->version];
        rft_cubin_toolchain(result.cubin, result.cubin_bytes, release, sizeof release);
        if (rft_text_starts(release, self->version)) {
            memcpy(self->version, release, sizeof release);
        }
    }
    rft_arena_free(arena);
    return rc;
}

int rft_nvrtc_new(rft_compiler **out, const rft_nvrtc_opts *opts, rft_err *err) {
    static const rft_nvrtc_opts no_opts = {0};
    opts = opts ? opts : &no_opts;
    nvrtc_compiler *self = rft_alloc(sizeof *self);
    self->base = (rft_compiler){.compile = nvrtc_compile,
                                .version = nvrtc_version,
                                .knows_arch = nvrtc_knows_arch,
                                .folders = nvrtc_folders,
                                .free = nvrtc_free};
    self->arena = rft_arena_new();
    int rc = rft_nvrtc_open(&self->handle, &self->api, opts, err);
    if (rc != 0) {
        goto done;
    }
    int major = 0, minor = 0;
    self->api.nvrtcVersion(&major, &minor);
    snprintf(self->version, sizeof self->version, "%d.%d", major, minor);
    self->include_folder_count =
        rft_nvrtc_include_folders(&self->include_folders, self->handle, major, opts, self->arena);
    find_folders(self);
    if ((rc = read_archs(self, err)) != 0 || (rc = probe(self, err)) != 0) {
        goto done;
    }
    *out = &self->base;
    self = NULL;
done:
    if (self) {
        nvrtc_free(&self->base);
    }
    return rc;
}
