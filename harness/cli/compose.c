/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compose.h"

#include "base/fs.h"
#include "base/units.h"
#include "cli/asked.h"
#include "cli/script_stuck.h"
#include "cli/shipped.h"
#include "cli/toolkits.h"
#include "gpu/gpu.h"
#include "model/roofline/datasheet.h"
#include "model/roofline/datasheet_device.h"
#include "store/store.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *rft_compose_data_file(rft_cli *cli, rft_arena *arena, const char *name) {
    const char **folders = NULL;
    size_t count = rft_shipped_folders(cli->program, arena, &folders);
    for (size_t i = 0; i < count; i++) {
        const char *path = rft_arena_printf(arena, "%s/kernels/lib/%s", folders[i], name);
        if (rft_fs_exists(path)) {
            return path;
        }
    }
    return NULL;
}

const char *rft_compose_cache_folder(rft_arena *arena) {
    const char *own = getenv("RFT_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (own && *own) {
        return strcmp(own, "off") == 0 ? NULL : own;
    }
    if (xdg && *xdg == '/') {
        return rft_arena_printf(arena, "%s/rooftune", xdg);
    }
    return home && *home == '/' ? rft_arena_printf(arena, "%s/.cache/rooftune", home) : NULL;
}

static uint64_t cache_limit(rft_cli *cli, bool is_worker) {
    const uint64_t usual = (uint64_t)1 << 30;
    const char *text = getenv("RFT_CACHE_LIMIT");
    uint64_t limit_bytes = usual;
    rft_err err = RFT_ERR_INIT;
    if (text && *text && rft_units_parse_bytes(&limit_bytes, text, &err) != RFT_OK) {
        limit_bytes = usual;
        if (!is_worker) {
            rft_log_warn(&cli->log, "RFT_CACHE_LIMIT: %s; the cubin cache is held at 1 GiB", err.message);
        }
    }
    return limit_bytes;
}

/* Workers are of their coordinator's run, which has looked at the folder before it started them. */
static rft_compiler *with_cache(rft_cli *cli, rft_compiler *nvrtc, const char *folder) {
    const bool is_worker = cli->command && strcmp(cli->command->name, "worker") == 0;
    rft_compile_cache_opts opts = {.folder = folder,
                                   .limit_bytes = cache_limit(cli, is_worker),
                                   .log = &cli->log,
                                   .run_id = (uint64_t)(is_worker ? getppid() : getpid()),
                                   .is_told = is_worker};
    return opts.limit_bytes ? rft_compile_cache_new(nvrtc, &opts) : nvrtc;
}

rft_roots rft_compose_roots(rft_cli *cli, const rft_words *sweeps, rft_arena *arena) {
    rft_roots roots = {0};
    const char **modules = NULL;
    size_t module_count = rft_shipped_folders(cli->program, arena, &modules);
    const char **headers = NULL;
    const size_t header_count = rft_toolkits_headers(&headers, cli->program, arena);
    for (size_t i = 0; sweeps && i < sweeps->count; i++) {
        rft_roots_add_tree(&roots, sweeps->items[i], arena);
    }
    for (size_t i = 0; i < module_count; i++) {
        rft_roots_add(&roots, rft_arena_printf(arena, "%s/kernels", modules[i]), arena);
    }
    for (size_t i = 0; i < header_count; i++) {
        if (rft_fs_exists(rft_arena_printf(arena, "%s/cuda_fp16.h", headers[i]))) {
            rft_roots_add(&roots, headers[i], arena);
        }
    }
    for (size_t i = 0; cli->allow_paths && i < cli->allow_paths->count; i++) {
        rft_roots_add(&roots, cli->allow_paths->items[i], arena);
    }
    return roots;
}

int rft_compose_compiler(rft_cli *cli, rft_compiler **out, rft_err *err) {
    const char *own = getenv("RFT_NVRTC");
    if (own && strcmp(own, "off") == 0) {
        rft_err_set(err, RFT_E_COMPILER, "NVRTC is switched off: RFT_NVRTC=off");
        return rft_err_remedy(err, "unset RFT_NVRTC, or let it name NVRTC's folder");
    }
    rft_arena *arena = rft_arena_new();
    const char **headers = NULL;
    const size_t header_count = rft_toolkits_headers(&headers, cli->program, arena);
    const rft_nvrtc_opts opts = {rft_toolkits_places("RFT_NVRTC", arena), headers, header_count};
    rft_compiler *nvrtc = NULL;
    const char *folder = rft_compose_cache_folder(arena);
    int rc = rft_nvrtc_new(&nvrtc, &opts, err);
    if (rc == RFT_OK) {
        *out = folder ? with_cache(cli, nvrtc, folder) : nvrtc;
    }
    rft_arena_free(arena);
    return rc;
}

void rft_compose_look_at_cache(rft_cli *cli) {
    rft_arena *arena = rft_arena_new();
    const char *folder = rft_compose_cache_folder(arena);
    rft_compiler *cache = folder ? with_cache(cli, NULL, folder) : NULL;
    if (cache) {
        cache->free(cache);
    }
    rft_arena_free(arena);
}

int rft_compose_vendor(rft_cli *cli, rft_gpu *gpu, rft_vendor **out, rft_err *err) {
    (void)cli;
    const char *own = getenv("RFT_CUBLASLT");
    if (own && strcmp(own, "off") == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "cuBLASLt is switched off: RFT_CUBLASLT=off");
        return rft_err_remedy(err, "unset RFT_CUBLASLT, or let it name cuBLASLt's folder");
    }
    rft_arena *arena = rft_arena_new();
    const rft_library_places places = rft_toolkits_places("RFT_CUBLASLT", arena);
    int rc = rft_cublaslt_open(out, gpu, &places, err);
    rft_arena_free(arena);
    return rc;
}

/* Where CUPTI is looked for; RFT_E_NOT_FOUND: it is switched off. */
static int cupti_places(rft_library_places *out, rft_arena *arena, rft_err *err) {
    const char *own = getenv("RFT_CUPTI");
    if (own && strcmp(own, "off") == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "CUPTI is switched off: RFT_CUPTI=off");
        return rft_err_remedy(err,
                              "unset RFT_CUPTI, or let it name CUPTI's folder; --counters none silences this message");
    }
    *out = rft_toolkits_places("RFT_CUPTI", arena);
    return RFT_OK;
}

int rft_compose_counting(rft_cli *cli, rft_gpu *gpu, rft_counting **out, rft_err *err) {
    (void)cli;
    rft_library_places places;
    rft_arena *arena = rft_arena_new();
    int rc = cupti_places(&places, arena, err);
    rc = rc ? rc : rft_cupti_open(out, gpu, &places, err);
    rft_arena_free(arena);
    return rc;
}

int rft_compose_counter_plan(rft_cli *cli, const char *chip, const rft_counter_set *set, rft_counter_plan *out,
                             rft_arena *arena, rft_err *err) {
    (void)cli;
    rft_library_places places;
    int rc = cupti_places(&places, arena, err);
    return rc ? rc : rft_cupti_plan_chip(out, chip, set, &places, arena, err);
}

static const char *program_in(const char *folder, size_t length, const char *below, rft_arena *arena) {
    const char *path = rft_arena_printf(arena, "%.*s/%scompute-sanitizer", (int)length, folder, below);
    return access(path, X_OK) == 0 && !rft_fs_is_folder(path) ? path : NULL;
}

const char *rft_compose_sanitizer(rft_arena *arena) {
    const char *homes[] = {getenv("CUDA_HOME"), "/usr/local/cuda"};
    const char *found = NULL;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at && !found; at += strcspn(at, ":"), at += *at == ':') {
        found = *at == '/' ? program_in(at, strcspn(at, ":"), "", arena) : NULL; /* of no folder one happens to be in */
    }
    for (size_t i = 0; i < sizeof homes / sizeof *homes && !found; i++) {
        if (homes[i] && *homes[i] == '/') {
            found = program_in(homes[i], strlen(homes[i]), "bin/", arena);
            found = found ? found : program_in(homes[i], strlen(homes[i]), "compute-sanitizer/", arena);
        }
    }
    return found;
}

void rft_compose_describe_libraries(rft_env *env, rft_arena *arena) {
    static const struct {
        const char *key, *variable;
    } rows[] = {{"cuda", NULL}, {"nvml", NULL}, {"cupti", "RFT_CUPTI"}, {"cublaslt", "RFT_CUBLASLT"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *own = rows[i].variable ? getenv(rows[i].variable) : NULL;
        if (own && strcmp(own, "off") == 0) {
            rft_env_set(env, arena, rows[i].key, NULL,
                        rft_arena_printf(arena, "switched off: %s=off", rows[i].variable));
        } else {
            const rft_library_places places = rft_toolkits_places(rows[i].variable, arena);
            rft_libraries_describe(env, rows[i].key, &places, arena);
        }
    }
}

void rft_compose_library_versions(rft_env *env, rft_arena *arena) {
    rft_library_places places = rft_toolkits_places("RFT_CUPTI", arena);
    rft_libraries_versions(env, &places, arena);
}

int rft_compose_arch(rft_cli *cli, rft_gpu_info *out, const char *word, rft_err *err) {
    rft_err ignored = RFT_ERR_INIT;
    rft_gpu_info named;
    char *json = NULL;
    int rc = rft_gpu_info_for_arch(out, word, err);
    if (rc == RFT_OK) {
        return rc;
    }
    rft_arena *arena = rft_arena_new();
    const char *remedy = rft_arena_printf(arena, "%s; or a device: h200, a100", err->remedy);
    const char *path = rft_compose_data_file(cli, arena, "devices.lua");
    if (path && rft_script_read_table(&json, path, rft_script_usual_opts(), &ignored) == RFT_OK &&
        rft_datasheet_device(&named, word, json, arena, &ignored) == RFT_OK) {
        rc = rft_gpu_info_for_arch(out, rft_gpu_info_native_arch(named.cc_major, named.cc_minor), err);
    } else {
        rft_err_remedy(err, "%s", remedy);
    }
    free(json);
    rft_arena_free(arena);
    return rc;
}

int rft_compose_script(rft_cli *cli, rft_script **out, const char *path, const rft_gpu_info *gpu,
                       const rft_words *script_args, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_script_opts opts = *rft_script_usual_opts();
    const char **folders = NULL;
    opts.gpu = gpu;
    opts.log = &cli->log;
    opts.module_folder_count = rft_shipped_folders(cli->program, arena, &folders);
    opts.module_folders = folders;
    const rft_roots roots = rft_compose_roots(cli, NULL, arena);
    opts.more_roots = &roots;
    if (script_args) {
        opts.args = script_args->items;
        opts.arg_count = script_args->count;
    }
    int rc = RFT_OK;
    if (!rft_script_is_t1(path) && rft_store_looks_like_run(path)) { /* which would be told as a mistake in its Lua */
        rft_err_set(err, RFT_E_SCRIPT, "%s is a run or a recording, not a sweep", path);
        rft_arena_free(arena);
        return rft_err_remedy(err, "`rooftune show` tells what it holds, `rooftune run %.200s -d replay:` searches it",
                              path);
    }
    rc = rft_script_is_t1(path) ? rft_script_load_t1(out, path, &opts, err) : rft_script_load(out, path, &opts, err);
    rft_arena_free(arena);
    if (rc == RFT_OK && (rc = rft_asked_check_script(*out, path, err)) != RFT_OK) {
        rft_script_free(*out);
        *out = NULL;
    }
    return rc;
}

int rft_compose_annotate(rft_cli *cli, rft_arena *arena, rft_ceilings *ceilings, const rft_gpu_info *gpu,
                         rft_err *err) {
    const char *path = rft_compose_data_file(cli, arena, "devices.lua");
    char *json = NULL;
    rft_limits_apply(ceilings, gpu, arena);
    if (!path) {
        rft_log_warn(&cli->log,
                     "kernels/lib/devices.lua is not there: no datasheet values. Reinstall rooftune to get it.");
        return RFT_OK;
    }
    int rc = rft_script_read_table(&json, path, rft_script_usual_opts(), err);
    if (rc == RFT_OK) {
        rc = rft_datasheet_apply(ceilings, gpu, json, arena, err);
    }
    free(json);
    return rc;
}

size_t rft_compose_compile_workers(void) {
    cpu_set_t usable;
    int cores = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
    return cores > 3 ? (size_t)cores - 2 : (size_t)(cores > 1 ? 2 : 1);
}

/* ---- what workers keep of the file system (docs/security.md) ---- */

/* What the C library and NVRTC 13.0 were seen to open while they compile, and libraries that they may still load. */
static const char *const compiler_reads[] = {"/usr/lib",       "/usr/lib64",          "/lib",      "/lib64",
                                             "/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom"};

/* What the driver (580.159), NVML, CUPTI and cuBLASLt were seen to open on an H200 once the context is there. NVIDIA's
 * libraries may lie in /opt, in folders of LD_LIBRARY_PATH and of the variables below. */
static const char *const device_reads[] = {"/usr", "/lib", "/lib64", "/opt", "/etc", "/proc", "/sys"};
static const char *const device_writes[] = {"/dev", "/proc/self"}; /* the card's files; names of threads */
static const char *const library_variables[] = {"RFT_NVRTC", "RFT_CUBLASLT", "RFT_CUPTI"};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void add_cache(rft_confinement *confinement, rft_arena *arena) {
    const char *cache = rft_compose_cache_folder(arena);
    if (cache) {
        rft_confinement_add_write(confinement, cache, arena);
    }
}

static void add_roots(rft_confinement *confinement, const rft_roots *roots, rft_arena *arena) {
    for (size_t i = 0; i < roots->count; i++) {
        rft_confinement_add_read(confinement, roots->folders[i], arena);
    }
}

rft_confinement rft_compose_compile_confinement(const rft_roots *roots, rft_arena *arena) {
    rft_confinement confinement = {0};
    for (size_t i = 0; i < COUNT(compiler_reads); i++) {
        rft_confinement_add_read(&confinement, compiler_reads[i], arena);
    }
    add_roots(&confinement, roots, arena);
    add_cache(&confinement, arena);
    return confinement;
}

static void add_library_path(rft_confinement *confinement, rft_arena *arena) {
    const char *at = getenv("LD_LIBRARY_PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (length) {
            rft_confinement_add_read(confinement, rft_arena_strndup(arena, at, length), arena);
        }
        at += length + (at[length] == ':');
    }
}

/* The driver keeps what it finished of PTX. */
static void add_driver_cache(rft_confinement *confinement, rft_arena *arena) {
    const char *own = getenv("CUDA_CACHE_PATH");
    const char *home = getenv("HOME");
    if (own && *own) {
        rft_confinement_add_write(confinement, own, arena);
    } else if (home && *home == '/') {
        rft_confinement_add_write(confinement, rft_arena_printf(arena, "%s/.nv", home), arena);
    }
}

rft_confinement rft_compose_device_confinement(const rft_roots *roots, rft_arena *arena) {
    rft_confinement confinement = {0};
    add_roots(&confinement, roots, arena);
    const char **folders = NULL;
    size_t count = rft_libraries_folders(&folders, arena);
    for (size_t i = 0; i < COUNT(device_reads); i++) {
        rft_confinement_add_read(&confinement, device_reads[i], arena);
    }
    for (size_t i = 0; i < count; i++) {
        if (*folders[i]) {
            rft_confinement_add_read(&confinement, folders[i], arena);
        }
    }
    const rft_library_places places = rft_toolkits_places(NULL, arena);
    for (size_t i = 0; i < places.count; i++) {
        rft_confinement_add_read(&confinement, places.folders[i], arena);
    }
    for (size_t i = 0; i < COUNT(library_variables); i++) {
        const char *folder = getenv(library_variables[i]);
        if (folder && *folder) {
            rft_confinement_add_read(&confinement, folder, arena);
        }
    }
    add_library_path(&confinement, arena);
    for (size_t i = 0; i < COUNT(device_writes); i++) {
        rft_confinement_add_write(&confinement, device_writes[i], arena);
    }
    add_driver_cache(&confinement, arena);
    add_cache(&confinement, arena);
    return confinement;
}
