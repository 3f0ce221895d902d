/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "base/units.h"
#include "cli/compose.h"
#include "cli/device_bundle.h"
#include "cli/device_facts.h"
#include "cli/toolkits.h"
#include "gpu/gpu.h"
#include "reports/print/layout.h"
#include "revision.h"

#include <stdlib.h>
#include <string.h>

/* "driver: no, WHY" and its remedy, or "NVRTC: 13.0.88". */
static void add_library_line(rft_str *out, rft_arena *arena, const char *what, const char *value, const char *reason) {
    rft_layout_wrapped(out, 2, 2,
                       rft_arena_printf(arena, "%s: %s%s", what, value ? "" : "no, ", value ? value : reason));
}

static void add_missing_library(rft_str *out, rft_arena *arena, const char *what, const rft_err *missing) {
    add_library_line(out, arena, what, NULL, missing->message);
    if (*missing->remedy) {
        rft_layout_wrapped(out, 4, 2, rft_arena_printf(arena, "remedy: %s", missing->remedy));
    }
}

static void add_library(rft_str *out, rft_arena *arena, const rft_env *libraries, const char *key, const char *what) {
    const rft_env_item *item = rft_env_get(libraries, key);
    if (item) {
        add_library_line(out, arena, what, item->value, item->reason);
    }
}

static void add_fact(rft_str *out, rft_arena *arena, const char *what, rft_device_fact fact) {
    add_library_line(out, arena, what, fact.value, fact.reason);
    if (!fact.value && fact.remedy) {
        rft_layout_wrapped(out, 4, 2, rft_arena_printf(arena, "remedy: %s", fact.remedy));
    }
}

static void add_confinement(rft_str *out, rft_arena *arena) {
    const char *why = NULL;
    const char *how = rft_confine_describe(arena, &why);
    const char *remedy =
        "Linux 5.13 or later with Landlock switched on (lsm=landlock,...); until then an #include by a "
        "macro's name can read outside of the sweep's tree";
    add_fact(out, arena, "confinement of workers", (rft_device_fact){how, why, how ? NULL : remedy});
}

/* The reason, where every fact is missing for the same one. */
static const char *missing_altogether(const rft_env *env) {
    for (size_t i = 0; i < env->count; i++) {
        if (env->items[i].value || !rft_text_equal(env->items[i].reason, env->items[0].reason)) {
            return NULL;
        }
    }
    return env->count ? env->items[0].reason : NULL;
}

static void add_device(rft_cli *cli, rft_str *out, rft_arena *arena, size_t index, const rft_gpu_info *gpu) {
    char memory[32];
    char l2[32];
    rft_env env = {0};
    rft_units_format_bytes(memory, sizeof memory, (uint64_t)gpu->memory_bytes);
    rft_units_format_bytes(l2, sizeof l2, (uint64_t)gpu->l2_bytes);
    rft_str_addf(out, "device %zu: %s, %s, %d SMs, %s, L2 %s\n  %s, PCI %s\n", index, gpu->name, gpu->arch, gpu->sms,
                 memory, l2, gpu->uuid, gpu->pci_id);
    rft_nvml_describe(gpu->pci_id, &env, arena);
    const char *why_none = missing_altogether(&env);
    for (size_t i = 0; i < env.count && !why_none; i++) {
        const rft_env_item *item = &env.items[i];
        add_library_line(out, arena, item->key, item->value, item->reason);
    }
    if (why_none) {
        add_library_line(out, arena, "state of the card", NULL, why_none);
    }
    add_fact(out, arena, "datasheet", rft_device_datasheet(cli, gpu, arena));
    add_fact(out, arena, "ceilings kept", rft_device_kept_ceilings(gpu, &env, arena));
}

/* The file that a library was loaded from; NULL when it cannot be told. */
static const char *loaded_from(rft_arena *arena, const char *library) {
    char *maps = NULL;
    size_t size = 0;
    const char *path = NULL;
    if (rft_fs_read(&maps, &size, "/proc/self/maps", 64u << 20, NULL) == RFT_OK) {
        const char *at = strstr(maps, library);
        while (at && at > maps && at[-1] != ' ' && at[-1] != '\n') {
            at--;
        }
        path = at ? rft_arena_strndup(arena, at, strcspn(at, "\n")) : NULL;
    }
    free(maps);
    return path;
}

/* Folders that the user named, and that give nothing: what is opened comes from elsewhere then. */
static void add_named_folders(rft_str *out, rft_arena *arena) {
    static const char *const variables[] = {"RFT_NVRTC", "RFT_CUPTI", "RFT_CUBLASLT", "RFT_CUDA_ROOT", "CUDA_HOME"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *folder = getenv(variables[i]);
        if (!folder || !*folder || strcmp(folder, "off") == 0) {
            continue;
        }
        const char *why = rft_fs_exists(folder) ? rft_libraries_unfit(folder, arena)
                                                : rft_arena_printf(arena, "%s is not there", folder);
        if (why) {
            add_library_line(out, arena, rft_arena_printf(arena, "what %s names", variables[i]), NULL, why);
        }
    }
}

/* A card that this NVRTC does not know is newer, and the driver finishes its kernels, or older than all it knows. */
static void add_unknown_arch(rft_str *out, rft_arena *arena, rft_compiler *compiler, size_t index,
                             const rft_gpu_info *gpu) {
    if (compiler->knows_arch(compiler, gpu->arch)) {
        return;
    }
    const char *older = rft_arena_printf(arena,
                                         "it does not compile for %s any more; let RFT_NVRTC name that of an "
                                         "older CUDA release",
                                         gpu->arch);
    const char *newer = rft_arena_printf(arena,
                                         "it does not know %s: the driver finishes every kernel; a newer NVRTC "
                                         "makes better ones",
                                         gpu->arch);
    add_library_line(out, arena, rft_arena_printf(arena, "NVRTC for device %zu", index), NULL,
                     rft_compiler_knows_below(compiler, gpu->arch) ? newer : older);
}

/* Another may be loaded, too: what a named folder has. */
static const char *nvrtc_file(rft_compiler *compiler, rft_arena *arena) {
    const char *const *folders = NULL;
    const size_t count = compiler->folders ? compiler->folders(compiler, &folders) : 0;
    return count ? loaded_from(arena, rft_arena_printf(arena, "%s/libnvrtc.so", folders[count - 1])) : NULL;
}

/* Lists the devices and says what works here. */
static void describe_devices(rft_cli *cli, rft_str *out, rft_arena *arena, rft_gpu_info **gpus, size_t *count) {
    rft_env libraries = {0};
    rft_err missing = RFT_ERR_INIT;
    rft_compiler *compiler = NULL;
    int rc = rft_cuda_list(gpus, count, arena, &missing);
    for (size_t i = 0; rc == RFT_OK && i < *count; i++) {
        add_device(cli, out, arena, i, &(*gpus)[i]);
    }
    rft_compose_describe_libraries(&libraries, arena);
    rft_str_addf(out, "%swhat works here\n", rc == RFT_OK && *count ? "" : "no device\n");
    if (rc == RFT_OK) {
        add_library(out, arena, &libraries, "cuda", "driver");
    } else {
        add_missing_library(out, arena, "driver", &missing);
    }
    rft_err_clear(&missing);
    add_named_folders(out, arena);
    if (rft_compose_compiler(cli, &compiler, &missing) == RFT_OK) {
        const char *path = nvrtc_file(compiler, arena);
        const char *version = compiler->version(compiler);
        add_library_line(out, arena, "NVRTC", path ? rft_arena_printf(arena, "%s, %s", version, path) : version, NULL);
        for (size_t i = 0; rc == RFT_OK && i < *count; i++) {
            add_unknown_arch(out, arena, compiler, i, &(*gpus)[i]);
        }
        compiler->free(compiler);
    } else {
        add_missing_library(out, arena, "NVRTC", &missing);
    }
    add_library(out, arena, &libraries, "nvml", "clocks and power (NVML)");
    add_fact(out, arena, "counters (hardware)", rft_device_counters(arena));
    add_library(out, arena, &libraries, "cupti", "CUPTI, for the counters");
    add_library(out, arena, &libraries, "cublaslt", "cuBLASLt, for baselines and tensor ceilings");
    add_fact(out, arena, "cache of cubins and ceilings", rft_device_cache(arena));
    add_confinement(out, arena);
}

/* The whole text is shown before it is written: whoever sends it has seen what he sends. */
static int write_bundle(rft_cli *cli, const char *path, rft_str *text, const rft_gpu_info *gpus, size_t count,
                        rft_arena *arena, rft_err *err) {
    for (size_t i = 0; i < count; i++) {
        rft_env env = {0};
        rft_nvml_describe(gpus[i].pci_id, &env, arena);
        rft_device_bundle_add(text, &gpus[i], &env, arena);
    }
    rft_device_bundle_clean(text, gpus, count, arena);
    fputs(rft_str_get(text), cli->out);
    fflush(cli->out);
    int rc = rft_cli_write(cli, path, rft_str_get(text), text->length, err);
    if (rc == RFT_OK) {
        fprintf(cli->out, "\nbundle  %s: what is shown above, and nothing else\n", path);
    }
    return rc;
}

int rft_cmd_devices(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_str out = RFT_STR_INIT;
    rft_words rest = {0};
    bool helped = false;
    const char *bundle = NULL;
    rft_gpu_info *gpus = NULL;
    size_t count = 0;
    const rft_opt opts[] = {
        {"bundle", 0, "FILE", "also all facts and kept ceilings, to send (docs/hardware.md)", NULL, &bundle, NULL},
    };
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_opt_no_words(cli, &rest, err);
    }
    if (rc == RFT_OK && !helped) {
        if (bundle) {
            rft_str_addf(&out, "rooftune %s (%s)\n", RFT_VERSION, RFT_REVISION);
        }
        describe_devices(cli, &out, arena, &gpus, &count);
        if (bundle) {
            rc = write_bundle(cli, bundle, &out, gpus, count, arena, err);
        } else {
            fputs(rft_str_get(&out), cli->out);
        }
    }
    rft_str_clear(&out);
    rft_arena_free(arena);
    return rc;
}
