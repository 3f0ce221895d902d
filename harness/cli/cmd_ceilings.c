/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compose.h"
#include "cli/run_ceilings.h"
#include "cli/show_data.h"
#include "cli/target.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "run/compile/prefetch.h"

#include <stdlib.h>

typedef struct ceilings_options {
    rft_target_opts target;
    const char *soak, *json;
    double soak_s;
} ceilings_options;

/* All of them, and kept for the runs of the next day. The kernels are compiled side by side. */
static int measure_ceilings(rft_cli *cli, rft_target *target, const ceilings_options *o, rft_run *run, rft_err *err) {
    const rft_ceilings_request request = {.wanted = RFT_CEILINGS_ALL, .soak_s = o->soak_s};
    rft_prefetch prefetch;
    rft_prefetch_begin(&prefetch, target->recording ? NULL : target->pool, &target->gpu, request.wanted);
    rft_prefetch_await(&prefetch, RFT_PREFETCH_POINTS);
    rft_prefetch_await(&prefetch, RFT_PREFETCH_CEILINGS);
    rft_prefetch_end(&prefetch);
    if (o->soak_s > 0 && !target->recording) {
        rft_log_info(&cli->log, "each ceiling under %g s of its own load: about %.0f min", o->soak_s,
                     o->soak_s * RFT_CEILING_COUNT / 60.0 + 0.5);
    }
    int rc = target->probe->ceilings(target->probe, &request, run->arena, &run->ceilings, err);
    if (rc == RFT_OK && !target->recording) {
        rc = rft_compose_annotate(cli, run->arena, &run->ceilings, &target->gpu, err);
    }
    if (rc == RFT_OK && !target->recording) {
        rft_ceilings_keep(cli, &target->gpu, &target->env, &run->ceilings);
    }
    return rc;
}

static int print_json(rft_cli *cli, const rft_target *target, const ceilings_options *o, rft_run *run, rft_err *err) {
    size_t size = 0;
    const rft_gpu_info *gpu = &target->gpu;
    json_t *root = json_pack("{s:{s:o,s:o,s:o,s:i,s:i},s:o,s:o}", "device", "name", rft_show_text_json(gpu->name),
                             "arch", rft_show_text_json(gpu->arch), "uuid", rft_show_text_json(gpu->uuid), "sms",
                             gpu->sms, "sm_clock_max_khz", gpu->sm_clock_khz, "ceilings",
                             rft_print_json(rft_finding_ceilings(run, run->arena)), "ridges",
                             rft_print_json(rft_finding_ridges(run, run->arena)));
    char *text = rft_json_dump(root, &size);
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s\n", text);
    int rc = rft_cli_write(cli, o->json, rft_str_get(&line), line.length, err);
    rft_str_clear(&line);
    free(text);
    json_decref(root);
    return rc;
}

static int print_ceilings(rft_cli *cli, rft_target *target, const ceilings_options *o, rft_err *err) {
    rft_run *run = rft_run_new();
    rft_str out = RFT_STR_INIT;
    const rft_print_opts full = {.full = true};
    run->gpu = target->gpu;
    int rc = measure_ceilings(cli, target, o, run, err);
    if (rc == RFT_OK && o->json) {
        rc = print_json(cli, target, o, run, err);
    }
    if (rc == RFT_OK && !(o->json && rft_text_equal(o->json, "-"))) {
        rft_str_addf(&out, "%s%s%s\n", target->gpu.name, target->recording ? ", recorded in " : "",
                     target->recording ? target->recording_path : "");
        rft_print_text(&out, rft_finding_ceilings(run, run->arena), &full);
        rft_print_text(&out, rft_finding_operations(run, run->arena), &full);
        rft_print_text(&out, rft_finding_ridges(run, run->arena), &full);
        fputs(rft_str_get(&out), cli->out);
    }
    rft_str_clear(&out);
    rft_run_free(run);
    return rc;
}

static const rft_setting soak = {.kind = RFT_SETTING_SECONDS, .offset = offsetof(ceilings_options, soak_s)};

int rft_cmd_ceilings(rft_cli *cli, int argc, char **argv, rft_err *err) {
    ceilings_options o = {.target = {.compile_workers = rft_compose_compile_workers()}};
    bool helped = false;
    rft_words rest = {0};
    rft_target *target = NULL;
    const rft_opt opts[] = {
        {"device", 'd', "N|replay:FILE", "device number, or a recording (default 0)", NULL, &o.target.device, NULL},
        {"soak", 0, "10s", "each also under so many seconds of its own load: the sustained rate", NULL, &o.soak, NULL},
        {"json", 0, "FILE|-", "as JSON; - is stdout, in place of the table", NULL, &o.json, NULL},
        {"wait", 0, NULL, "where another rooftune uses the device, wait until it is free", &o.target.wait, NULL, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_opt_no_words(cli, &rest, err);
    }
    if (rc == RFT_OK && o.soak && rft_setting_read(&soak, &o, o.soak, err) != RFT_OK) {
        rc = rft_err_context(err, "--soak");
    }
    if (rc == RFT_OK && !helped) {
        rc = rft_target_open(&target, cli, &o.target, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = print_ceilings(cli, target, &o, err);
    }
    rft_target_close(target);
    rft_arena_free(arena);
    return rc;
}
