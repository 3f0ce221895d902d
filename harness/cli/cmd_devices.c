/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"
#include "cli/compose.h"
#include "gpu/gpu.h"

static void print_env(rft_cli *cli, const rft_env *env) {
    for (size_t i = 0; i < env->count; i++) {
        const rft_env_item *item = &env->items[i];
        fprintf(cli->out, "  %-28s %s%s\n", item->key,
                item->value ? item->value : "no: ", item->value ? "" : item->reason);
    }
}

static void print_device(rft_cli *cli, size_t index, const rft_gpu_info *gpu, rft_arena *arena) {
    char memory[32];
    char l2[32];
    rft_env env = {0};
    rft_units_format_bytes(memory, sizeof memory, (uint64_t)gpu->memory_bytes);
    rft_units_format_bytes(l2, sizeof l2, (uint64_t)gpu->l2_bytes);
    fprintf(cli->out, "device %zu: %s, %s, %d SMs, %s, L2 %s, %s, PCI %s\n", index, gpu->name, gpu->arch, gpu->sms,
            memory, l2, gpu->uuid, gpu->pci_id);
    rft_nvml_describe(gpu->pci_id, &env, arena);
    print_env(cli, &env);
}

int rft_cmd_devices(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_words rest = {0};
    bool helped = false;
    rft_gpu_info *gpus = NULL;
    size_t count = 0;
    rft_env libraries = {0};
    rft_err missing = RFT_ERR_INIT;
    rft_compiler *compiler = NULL;
    int rc = rft_opt_parse(cli, NULL, 0, argc, argv, arena, &rest, NULL, &helped, err);
    if (rc != RFT_OK || helped) {
        goto done;
    }
    if (rft_cuda_list(&gpus, &count, arena, &missing) != RFT_OK) {
        fprintf(cli->out, "no device: %s\n  remedy: %s\n", missing.message, missing.remedy);
    }
    for (size_t i = 0; i < count; i++) {
        print_device(cli, i, &gpus[i], arena);
    }
    rft_err_clear(&missing);
    if (rft_compose_compiler(cli, &compiler, &missing) == RFT_OK) {
        fprintf(cli->out, "NVRTC %s\n", compiler->version(compiler));
        compiler->free(compiler);
    } else {
        fprintf(cli->out, "no NVRTC: %s\n  remedy: %s\n", missing.message, missing.remedy);
    }
    rft_libraries_describe(&libraries, arena);
    fprintf(cli->out, "libraries\n");
    print_env(cli, &libraries);
done:
    rft_arena_free(arena);
    return rc;
}
